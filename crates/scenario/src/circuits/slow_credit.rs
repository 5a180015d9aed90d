//! Circuits whose credit is spent before more of it comes back, though their links have room.
//!
//! What credit lets through is the law of the loop. It is held against what there is for the flow:
//! what it offers, and of each link on its way the part that it has if all flows there want as
//! much. That is never more than its max-min share, so nothing is told of a flow that others hold
//! back. Where cells of several circuits wait for each other, what the law gives is tried as well.

use backwater_kernel::Time;
use backwater_kernel::words::counted;
use backwater_net::spec::{CreditRule, CreditSpec, FlowControlSpec, FlowSpec, SourceControlSpec};

use crate::circuits::control::{self, Loop};
use crate::circuits::flows::Draft;
use crate::circuits::service_checks::{Whole, rate_text};
use crate::circuits::traffic::{self, Line};
use crate::circuits::trial::{self, Tried};
use crate::given::circuits::control::FlowControl;
use crate::network::law::{self, Growth};
use crate::prelude::*;

/// Less than this of what there is for a flow is told.
const TOLD_BELOW: f64 = 0.9;

/// A leg and what its credit lets through.
struct Slow {
    channel: u32,
    /// Where others meet it, if that was tried.
    tried: Option<Tried>,
    circuit: Loop,
    credit: CreditSpec,
    /// Of the rate of its link.
    share: f64,
    bits_per_second: f64,
    growth: Option<Growth>,
}

/// Tells of each flow the leg that lets least through.
pub(crate) fn check(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    let base = control::base(&whole.file.flow_control);
    let tried = trial::all(whole);
    for (index, (draft, flow)) in (0..).zip(whole.flows()) {
        let tried = tried.get(&index);
        let legs = flow.legs.iter().filter_map(|leg| match leg.flow_control {
            FlowControlSpec::Credit(credit) => {
                let here = tried.filter(|tried| tried.channel == leg.channel);
                Some(slow(whole, flow, leg.channel, credit).tried(whole, here))
            }
            FlowControlSpec::None => None,
        });
        let least = legs.min_by(|a, b| a.bits_per_second.total_cmp(&b.bits_per_second));
        let Some(found) = least else {
            continue;
        };
        let there = there(whole, flow);
        if found.bits_per_second < TOLD_BELOW * there {
            let control = control_of(whole, draft, &base, found.channel);
            mistakes.extend(found.told(whole, draft, &control, there));
        }
    }
}

/// What there is for a flow, bits a second: nothing where that can't be said.
fn there(whole: &Whole<'_>, flow: &FlowSpec) -> f64 {
    let Some(first) = flow.legs.first() else {
        return 0.0;
    };
    let spec = |channel| whole.graph.channel_spec(channel);
    let line = Line::new(spec(first.channel).rate, &flow.sizes, flow.unit_bytes);
    let Some(units) = traffic::offered_per_second(&flow.traffic, line) else {
        return 0.0;
    };
    let unit_bits = 8.0 * f64::from(flow.unit_bytes);
    let window = match &flow.source_control {
        SourceControlSpec::Window { units } => {
            let loops = flow.legs.iter().map(|leg| {
                Loop::new(
                    spec(leg.channel),
                    spec(leg.channel ^ 1),
                    flow.unit_bytes,
                    flow.unit_bytes,
                )
            });
            let seconds = loops.map(|own| own.ps as f64 / 1e12).sum::<f64>();
            f64::from(*units) * unit_bits / seconds
        }
        _ => f64::INFINITY,
    };
    let parts = flow.legs.iter().map(|leg| {
        let flows = whole.ports[leg.channel as usize].flows;
        spec(leg.channel).rate.0 as f64 / f64::from(flows.max(1))
    });
    parts.fold((units * 8.0 * line.mean_bytes()).min(window), f64::min)
}

/// What the credit of a leg lets through.
fn slow(whole: &Whole<'_>, flow: &FlowSpec, channel: u32, credit: CreditSpec) -> Slow {
    let spec = |channel| whole.graph.channel_spec(channel);
    let message = credit.message_bytes.unwrap_or(flow.unit_bytes);
    let circuit = Loop::new(spec(channel), spec(channel ^ 1), flow.unit_bytes, message);
    let n2 = credit
        .redundant_every
        .map_or(credit.n2, |every| every.min(credit.n2));
    let (zones, n2) = (
        f64::from(credit.n2) + f64::from(credit.n3),
        f64::from(n2.max(1)),
    );
    let cells = circuit.cells();
    let grows = || {
        let growth = Growth::new(zones, n2, cells, 0.0);
        let loops = |time: Time| time.ps() as f64 / circuit.ps.max(1) as f64;
        let mean = growth.mean(loops(whole.warm_up), loops(whole.stop_at));
        (mean, growth)
    };
    let (share, growth) = match credit.rule {
        CreditRule::N123 => {
            let (share, growth) = grows();
            (share, Some(growth))
        }
        // Its bursts grow like those of N123, until they have N1 cells.
        CreditRule::N123Plus => {
            let n1 = f64::from(credit.n1);
            let most = if zones > n2 { n1 } else { zones.min(n1) };
            let ((share, growth), held) = (grows(), law::throughput(most, n2, cells, 0.0));
            match share < held {
                true => (share, Some(growth)),
                false => (held, None),
            }
        }
        CreditRule::N23 | CreditRule::Relative | CreditRule::Cumulative => {
            (law::throughput(zones, n2, cells, 0.0), None)
        }
    };
    Slow {
        channel,
        tried: None,
        circuit,
        credit,
        share,
        bits_per_second: share * spec(channel).rate.0 as f64,
        growth,
    }
}

/// What the file says of a leg.
fn control_of(
    whole: &Whole<'_>,
    draft: &Draft<'_>,
    base: &FlowControl,
    channel: u32,
) -> FlowControl {
    let own = draft.settings.flow_control.as_ref();
    let common = own.map_or_else(|| base.clone(), |own| own.control.over(base));
    let entries = draft.own.map_or(&[][..], |own| &own.on_links);
    let on_link = entries.iter().find(|own| {
        let found = whole
            .graph
            .find_channel(&draft.expand(&own.link), &own.link.at);
        found.is_ok_and(|found| found == channel)
    });
    on_link.map_or_else(|| common.clone(), |own| own.control.over(&common))
}

impl Slow {
    /// It gets no more than it got as it was tried.
    fn tried(self, whole: &Whole<'_>, tried: Option<&Tried>) -> Self {
        match tried.filter(|tried| tried.bits_per_second < self.bits_per_second) {
            None => self,
            Some(tried) => Self {
                tried: Some(*tried),
                share: tried.bits_per_second / whole.graph.channel_spec(self.channel).rate.0 as f64,
                bits_per_second: tried.bits_per_second,
                growth: None,
                ..self
            },
        }
    }

    /// The key that is too small, what it says, and what would be enough. A zone that is made for
    /// a target is as large as was asked for.
    fn cure(&self, control: &FlowControl) -> Option<(At, String, String)> {
        let credit = &self.credit;
        let (key, at) = control.zone3().unwrap_or(("n3", &control.n3.at));
        let full = self.circuit.cells_at(self.circuit.rate);
        let least = credit.n2.saturating_add(full);
        let holds = credit.rule == CreditRule::N123Plus && control.n1.is_given && credit.n1 < least;
        // Bursts that don't grow, or that meet others, need N3 as well.
        let is_small = credit.n3 == 0 || self.tried.is_some() || self.growth.is_some();
        match (holds, is_small) {
            (true, false) => Some((
                control.n1.at.clone(),
                format!("N1 = {}", counted(credit.n1, "cell")),
                format!("N1 = {least} keeps the link busy"),
            )),
            (true, true) => Some((
                at.clone(),
                format!(
                    "N1 = {}, N2 + N3 = {} + {}",
                    credit.n1,
                    credit.n2,
                    counted(credit.n3, "cell")
                ),
                format!("N3 = {full} with N1 = {least} keeps the link busy"),
            )),
            (false, _) if key == "n3" || credit.n3 == 0 => Some((
                at.clone(),
                format!("N2 + N3 = {} + {}", credit.n2, counted(credit.n3, "cell")),
                format!("N3 = {full} (`target = \"full\"`) keeps the link busy"),
            )),
            (false, _) => None,
        }
    }

    /// The warning, if there is something to do.
    fn told(
        &self,
        whole: &Whole<'_>,
        draft: &Draft<'_>,
        control: &FlowControl,
        there: f64,
    ) -> Option<Diagnostic> {
        let (at, label, help) = self.cure(control)?;
        let per_cent = match 100.0 * self.share {
            small if small < 0.95 => format!("{small:.2}"),
            large => format!("{large:.1}"),
        };
        let grows = self.growth.filter(|growth| growth.loops.is_finite());
        let grows = grows.map(|growth| {
            let ms = growth.loops * self.circuit.ps as f64 / 1e9;
            format!(
                "from {:.2} % on, each loop has {} more: the link is full after {ms:.3} ms",
                100.0 * growth.first,
                counted(growth.cells.round() as u64, "cell")
            )
        });
        let slow = Diagnostic::warning("slow", "the credit is spent before more of it comes back")
            .at(&at, label)
            .note(format!(
                "`{}` gets {} {per_cent} % of `{}`, whose loop takes {:.1} cells: {}, where \
                 {} are there for it",
                draft.name,
                self.tried.map_or("at most", |_| "about"),
                whole.graph.channel_name(self.channel),
                self.circuit.cells(),
                rate_text(self.bits_per_second.round() as u64),
                rate_text(there.round() as u64)
            ))
            .note_if(grows)
            .note_if(self.tried.map(|tried| {
                format!(
                    "tried with what meets at `{}`, {}: cells wait there as credit is written, \
                     which is smaller by each of them",
                    whole.graph.channel_name(tried.port),
                    counted(tried.flows, "flow")
                )
            }))
            .help(help);
        Some(slow)
    }
}
