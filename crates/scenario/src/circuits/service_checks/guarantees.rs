//! Why flows that plainly want a guarantee have no delay bound.

use std::mem::discriminant;

use backwater_net::bound::{NoBound, bounds};
use backwater_net::spec::{
    CellRules, EnvelopeRule, EnvelopeSpec, FlowSpec, NetworkSpec, Resync, SchedulerSpec, Stamp,
};

use super::reservations::rate_text;
use super::{Whole, reserve_at};
use crate::prelude::*;
use backwater_kernel::words::counted;

/// A reason and the flows that have no bound for it, by index.
struct Lack {
    reason: NoBound,
    flows: Vec<u32>,
}

impl Whole<'_> {
    /// One warning for each kind of reason. What is reserved beyond a channel's rate has a warning
    /// of its own.
    pub(super) fn no_guarantee(&self, mistakes: &mut Diagnostics) {
        for lack in self.lacks() {
            let count = lack.flows.len() as u64;
            let words = lack
                .reason
                .words(|channel| format!("`{}`", self.graph.channel_name(channel)));
            let message = match count {
                1 => format!("`{}` has no delay bound: {words}", self.name(lack.flows[0])),
                _ => format!("{} have no delay bound: {words}", counted(count, "flow")),
            };
            let (at, label, help) = self.way_on(&lack);
            let first = &self.drafts[lack.flows[0] as usize];
            Diagnostic::warning("no-delay-bound", message)
                .at(&at, label)
                .at(
                    &reserve_at(first),
                    format!("`{}` reserves", self.name(lack.flows[0])),
                )
                .help(help)
                .tell(mistakes);
        }
    }

    fn name(&self, flow: u32) -> &str {
        &self.specs[flow as usize].name
    }

    /// In the order of the first flow of each.
    fn lacks(&self) -> Vec<Lack> {
        let wants: Vec<bool> = self
            .specs
            .iter()
            .map(|flow| self.wants_guarantee(flow))
            .collect();
        if !wants.contains(&true) {
            return Vec::new();
        }
        let found = bounds(&NetworkSpec {
            rules: CellRules::default(),
            outages: Vec::new(),
            seed: 0,
            stop_at: backwater_kernel::Time(1),
            warm_up: backwater_kernel::Time::ZERO,
            nodes: self.graph.nodes.clone(),
            links: self.graph.links.clone(),
            flows: self.specs.to_vec(),
        });
        let mut lacks: Vec<Lack> = Vec::new();
        for (flow, (found, wants)) in (0..).zip(found.into_iter().zip(wants)) {
            let Err(reason) = found else { continue };
            if !wants || matches!(reason, NoBound::Overbooked { .. }) {
                continue;
            }
            let is_same = |lack: &&mut Lack| self.is_same(lack.reason, reason);
            match lacks.iter_mut().find(is_same) {
                Some(lack) => lack.flows.push(flow),
                None => lacks.push(Lack {
                    reason,
                    flows: vec![flow],
                }),
            }
        }
        lacks
    }

    /// Of one kind, and for disciplines of one kind there too.
    fn is_same(&self, one: NoBound, other: NoBound) -> bool {
        match (one, other) {
            (NoBound::Discipline { channel: a }, NoBound::Discipline { channel: b }) => {
                discriminant(&self.scheduler(a)) == discriminant(&self.scheduler(b))
            }
            _ => discriminant(&one) == discriminant(&other),
        }
    }

    /// It reserves, is held to something, and some port of its way gives such a flow a bound.
    fn wants_guarantee(&self, flow: &FlowSpec) -> bool {
        use SchedulerSpec as S;
        let guarantees = |channel: u32| {
            matches!(
                self.scheduler(channel),
                S::VirtualClock(_) | S::Wfq | S::Wf2qPlus | S::Scfq | S::Edf
            )
        };
        let is_held = flow.envelope.is_some() || flow.policer.is_some();
        flow.reserve.is_some() && is_held && flow.legs.iter().any(|leg| guarantees(leg.channel))
    }

    /// Where the reason stands, what is there, and how to go on.
    fn way_on(&self, lack: &Lack) -> (At, String, String) {
        let first = lack.flows[0];
        let draft = &self.drafts[first as usize];
        let (own, from) = (draft.settings, draft.source_at());
        let of_flow = |at: &At, label: &str, help: &str| (at.clone(), label.into(), help.into());
        match lack.reason {
            NoBound::Bursts => self.bursts(first),
            NoBound::NoReservation => {
                of_flow(draft.name_at, "reserves nothing", "give it a `reserve`")
            }
            NoBound::SourceControl => of_flow(
                &own.source_control.at,
                "may send in bursts",
                "add a `policer`: it holds what is sent, acknowledged or not",
            ),
            NoBound::Sink => of_flow(
                &own.sink.at,
                "units wait here",
                "leave `sink` out: the destination takes units at once",
            ),
            NoBound::Credit { .. } => of_flow(
                &own.flow_control.at,
                "units wait for credit",
                "let this flow go without: `flow_control = { kind = \"none\" }`",
            ),
            NoBound::CutThrough { .. } => of_flow(
                from,
                "on this path",
                "`timing = \"store-and-forward\"` on the links of its path",
            ),
            NoBound::Control { .. } => of_flow(
                from,
                "on this path",
                "nothing limits credit, set-ups and warnings there: leave `session`, `alarm` and \
                 credit out of flows that use these links",
            ),
            NoBound::Priority { .. } => of_flow(
                &own.priority.at,
                "others go before it",
                "give it the highest priority of its ports; reservations divide each priority",
            ),
            NoBound::Overbooked { .. } => of_flow(&own.reserve.at, "too much", "reserve less"),
            NoBound::Discipline { channel } => self.other_discipline(channel),
            NoBound::Deadlines { channel } => (
                self.deadline_at(channel, first),
                "a deadline of this port".into(),
                "set longer deadlines, hold flows to shorter bursts, or reserve less there".into(),
            ),
            NoBound::Mixed => of_flow(
                from,
                "on this path",
                "use `edf` at all ports of its path that others share, or at none",
            ),
        }
    }

    /// The envelope or policer that lets more through than is reserved.
    fn bursts(&self, flow: u32) -> (At, String, String) {
        let (spec, draft) = (&self.specs[flow as usize], &self.drafts[flow as usize]);
        let own = draft.settings;
        let (at, rule) = match (spec.policer, spec.envelope) {
            (Some(rule), _) => (&own.policer.at, rule),
            (None, Some(rule)) => (&own.envelope.at, rule),
            (None, None) => return (reserve_at(draft), String::new(), String::new()),
        };
        let through = rate_text(lets_through(&rule, spec.unit_bytes));
        let help = format!("reserve {through} or more, or let less through");
        (at.clone(), format!("lets {through} through"), help)
    }

    fn other_discipline(&self, channel: u32) -> (At, String, String) {
        let (label, help) = match self.scheduler(channel) {
            SchedulerSpec::VirtualClock(clock) if clock.resync == Resync::Literal => (
                "resynchronised literally",
                "`resync = \"idle-link\"`, the default, keeps bounds",
            ),
            SchedulerSpec::VirtualClock(clock) if clock.stamp == Stamp::VirtualClock => (
                "stamped with VC, which saves up bursts",
                "`stamp = \"auxvc\"`, the default, keeps bounds",
            ),
            _ => (
                "serves this port too",
                "use `virtual-clock`, `wfq`, `wf2q+` or `scfq` at all ports of its path that \
                 others share",
            ),
        };
        (self.scheduler_at(channel), label.into(), help.into())
    }

    /// A deadline that some flow of the port gives, or else where the first flow reserves.
    fn deadline_at(&self, channel: u32, first: u32) -> At {
        let crosses = |flow: &u32| {
            let flow = &self.specs[*flow as usize];
            flow.legs.iter().any(|leg| leg.channel == channel)
        };
        let deadline = |flow: u32| self.specs[flow as usize].reserve?.deadline;
        let flows = (0..self.specs.len() as u32).filter(crosses);
        let shortest = flows
            .filter(|flow| deadline(*flow).is_some())
            .min_by_key(|flow| deadline(*flow));
        let reserve = shortest.and_then(|flow| self.settings(flow).reserve.as_ref());
        reserve.map_or_else(
            || reserve_at(&self.drafts[first as usize]),
            |reserve| reserve.deadline.at.clone(),
        )
    }
}

/// The rate that an envelope or policer lets through for long, in bits per second, rounded up.
fn lets_through(envelope: &EnvelopeSpec, unit_bytes: u32) -> u64 {
    match envelope.rule {
        EnvelopeRule::Bucket { rate, .. } => rate.0,
        EnvelopeRule::FixedWindow {
            units, interval, ..
        }
        | EnvelopeRule::SlidingWindow { units, interval } => {
            let bits = u128::from(units) * u128::from(unit_bytes) * 8;
            let bps = (bits * 1_000_000_000_000).div_ceil(u128::from(interval.ps().max(1)));
            u64::try_from(bps).unwrap_or(u64::MAX)
        }
    }
}
