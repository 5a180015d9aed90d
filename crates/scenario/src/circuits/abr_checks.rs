//! What can't work, or hardly, in ABR circuits and closed loops.

mod ends;
mod policies;

use std::collections::BTreeMap;

use backwater_kernel::Rate;
use backwater_net::spec::{AbrSpec, ExplicitRateSpec, FlowSpec, SourceControlSpec, TrafficSpec};

use crate::circuits::abr::{Derived, Path, Way};
use crate::circuits::explicit_rate;
use crate::circuits::flows::Draft;
use crate::circuits::service_checks::Whole;
use crate::given::circuits::explicit_rate::ExplicitRate;
use crate::given::circuits::source::Abr;
use crate::language::suggest;
use crate::prelude::*;
use backwater_kernel::words::counted;

/// Looks at every flow that is ABR or a closed loop.
pub(crate) fn check(whole: &Whole<'_>, mistakes: &mut Diagnostics) {
    for (draft, flow) in whole.flows() {
        ends::limits(draft, mistakes);
        ends::partner(whole, draft, flow, mistakes);
        let own = draft.settings.source_control.abr();
        let (&SourceControlSpec::Abr(spec), Some(own)) = (&flow.source_control, own) else {
            continue;
        };
        let circuit = Circuit {
            draft,
            flow,
            own,
            spec,
            path: whole.path(flow),
        };
        whole.rates(&circuit, mistakes);
        mistakes.extend(whole.told(&circuit));
        // The flow back has the same table: what is wrong with that is said once.
        if draft.back_of.is_some() {
            continue;
        }
        mistakes.extend(ends::sizes(&circuit));
        mistakes.extend(whole.no_data(&circuit));
        policies::check(&circuit, whole.stop_at, mistakes);
    }
    whole.minimum_rates(mistakes);
    whole.intervals(mistakes);
}

impl Whole<'_> {
    /// ERICA counts circuits that it sees in an interval, and sees no more than cells.
    fn intervals(&self, mistakes: &mut Diagnostics) {
        let greedy = |flow: &&FlowSpec| {
            let is_abr = matches!(flow.source_control, SourceControlSpec::Abr(_));
            is_abr && matches!(flow.traffic, TrafficSpec::Greedy { .. })
        };
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        for leg in self.specs.iter().filter(greedy).flat_map(|f| &f.legs) {
            *counts.entry(leg.channel).or_default() += 1;
        }
        for (channel, rule) in self.rate_ports {
            let ExplicitRateSpec::Erica(erica) = rule else {
                continue;
            };
            let circuits = counts.get(channel).copied().unwrap_or(0);
            let most = u64::from(erica.interval_cells);
            if most == 0 || circuits <= most || erica.activity_decay > 0.0 {
                continue;
            }
            let name = self.graph.channel_name(*channel);
            let mut rules = explicit_rate::rules(self.file);
            let Some(ExplicitRate::Erica { own, .. }) =
                rules.find(|rule| matches!(rule, ExplicitRate::Erica { .. }))
            else {
                continue;
            };
            let at = &own.interval_cells.at;
            Diagnostic::warning(
                "short-interval",
                "intervals are too short to count circuits",
            )
            .at(at, format!("at `{name}`"))
            .note(format!(
                "{} always send there, and an interval ends after {most} cells: the fair \
                         share comes out {:.1} times too large",
                counted(circuits, "circuit"),
                circuits as f64 / most as f64
            ))
            .help("set `interval_cells = 0`, or to some times the number of circuits")
            .tell(mistakes);
        }
    }

    fn path(&self, flow: &FlowSpec) -> Path {
        let tree = flow.legs.iter().map(|leg| (leg.channel, leg.parent));
        Path::along(self.graph, &tree.collect(), flow.unit_bytes)
    }

    /// The flow whose way back this is, where it was made for one.
    fn forward(&self, circuit: &Circuit<'_>) -> Option<&FlowSpec> {
        let forward = circuit.draft.back_of?;
        self.specs.get(forward as usize)
    }

    /// The channels of a flow, for messages.
    fn way(&self, flow: &FlowSpec) -> String {
        let legs = flow.legs.iter();
        suggest::all_of(legs.map(|leg| self.graph.channel_name(leg.channel)))
    }

    /// MCR <= ICR <= PCR, and no PCR that the first link can't carry.
    fn rates(&self, circuit: &Circuit<'_>, mistakes: &mut Diagnostics) {
        let own = circuit.own;
        let first = circuit.path.first;
        let forward = self.forward(circuit).map(|flow| self.path(flow).first);
        if forward.is_some_and(|forward| forward <= first) {
            return;
        }
        let Derived { pcr, mcr, icr, .. } = Derived::new(own, circuit.path, circuit.draft.way());
        if mcr > pcr {
            Diagnostic::error("bad-rates", "the minimum rate is above the peak rate")
                .at(&own.mcr.at, format!("MCR {}", bps(mcr)))
                .at(&own.pcr.at, format!("PCR {}", bps(pcr)))
                .note("ACR stays from MCR to PCR")
                .note_if(self.of_way_back(circuit))
                .help("lower `mcr`, or raise `pcr`")
                .tell(mistakes);
        } else if icr < mcr || icr > pcr {
            Diagnostic::error("bad-rates", "the initial rate is outside what is allowed")
                .at(&own.icr.at, format!("ICR {}", bps(icr)))
                .note(format!("from MCR {} to PCR {}", bps(mcr), bps(pcr)))
                .note_if(self.of_way_back(circuit))
                .help("leave `icr` out for the nearest to 10 Mbps")
                .tell(mistakes);
        }
        if pcr > first {
            Diagnostic::warning(
                "bad-rates",
                "the peak rate is more than the first link carries",
            )
            .at(&own.pcr.at, format!("PCR {}", bps(pcr)))
            .note(format!(
                "`{}` starts on a link of {}; what is allowed beyond that waits at the \
                         source's own port",
                circuit.draft.name,
                bps(first)
            ))
            .help("leave `pcr` out for the link's rate")
            .tell(mistakes);
        }
    }

    /// Which circuit is meant, where one was made that the file does not name.
    fn of_way_back(&self, circuit: &Circuit<'_>) -> Option<String> {
        let forward = self.forward(circuit)?;
        Some(format!(
            "this is `{}`, the reverse path of `{}`: it crosses {}",
            circuit.draft.name,
            forward.name,
            self.way(circuit.flow)
        ))
    }

    /// Settings with which no data ever goes.
    fn no_data(&self, circuit: &Circuit<'_>) -> Option<Diagnostic> {
        let spec = &circuit.spec;
        if spec.icr.0 == 0 && spec.tcr.0 == 0 {
            let message = "this source never sends: it waits for answers to cells it may not send";
            return Diagnostic::warning("no-data", message)
                .at(&circuit.own.icr.at, "ICR 0")
                .note("a forward RM cell goes in rate, or out of rate at TCR, which is 0 too")
                .help("give `icr`, or leave `tcr` out")
                .into();
        }
        let partner = self.specs.get(circuit.flow.partner? as usize)?;
        let SourceControlSpec::Abr(theirs) = partner.source_control else {
            return None;
        };
        let answers = |spec: &AbrSpec| spec.nrm <= 2 && spec.counts_backward;
        if circuit.flow.traffic == TrafficSpec::Silent || !answers(spec) || !answers(&theirs) {
            return None;
        }
        let message = "this circuit carries no data: every other cell asks, the rest answer";
        Diagnostic::warning("no-data", message)
            .at(&circuit.own.nrm.at, "one RM cell and one more")
            .note("the two ends answer each other's forward RM cells for ever")
            .help("raise `nrm`: 32 is usual; or write `counts_backward = false`")
            .into()
    }

    /// Does any port on the way tell the source a rate?
    fn told(&self, circuit: &Circuit<'_>) -> Option<Diagnostic> {
        let tells = |channel: u32| {
            let found = self
                .rate_ports
                .binary_search_by_key(&channel, |port| port.0);
            found.is_ok()
        };
        let is_told = |flow: &FlowSpec| flow.legs.iter().any(|leg| tells(leg.channel));
        let flow = circuit.flow;
        if is_told(flow)
            || self
                .forward(circuit)
                .is_some_and(|forward| !is_told(forward))
        {
            return None;
        }
        Diagnostic::warning(
            "no-feedback",
            format!("no port on the path of `{}` gives it a rate", flow.name),
        )
        .at(&circuit.kind_at(), "nothing limits it but PCR")
        .note(format!("it crosses {}", self.way(flow)))
        .help("give `[link]` or these links `explicit_rate = { kind = \"erica\" }`")
        .into()
    }

    /// What is promised to circuits has to fit each channel.
    fn minimum_rates(&self, mistakes: &mut Diagnostics) {
        let mut sums: BTreeMap<u32, (u128, u64, usize)> = BTreeMap::new();
        for (index, (draft, flow)) in self.flows().enumerate() {
            let SourceControlSpec::Abr(spec) = flow.source_control else {
                continue;
            };
            if spec.mcr.0 == 0 || draft.way() == Way::Answers {
                continue;
            }
            for leg in &flow.legs {
                let sum = sums.entry(leg.channel).or_insert((0, 0, index));
                *sum = (sum.0 + u128::from(spec.mcr.0), sum.1 + 1, index);
            }
        }
        for (channel, (sum, count, last)) in sums {
            let rate = self.graph.channel_spec(channel).rate;
            if sum <= u128::from(rate.0) {
                continue;
            }
            let Some(own) = self.drafts[last].settings.source_control.abr() else {
                continue;
            };
            let name = self.graph.channel_name(channel);
            let message = format!("the minimum rates do not fit `{name}`");
            let sum = Rate(u64::try_from(sum).unwrap_or(u64::MAX));
            Diagnostic::error("over-committed", message)
                .at(&own.mcr.at, "one of them")
                .note(format!(
                    "MCR of {} there: {} on a link of {}",
                    counted(count, "circuit"),
                    bps(sum),
                    bps(rate)
                ))
                .help("lower `mcr`: a switch admits no more than it can carry")
                .tell(mistakes);
        }
    }
}

/// One direction of an ABR circuit.
pub(crate) struct Circuit<'a> {
    pub draft: &'a Draft<'a>,
    pub flow: &'a FlowSpec,
    /// Its `source_control`.
    pub own: &'a Abr,
    pub spec: AbrSpec,
    pub path: Path,
}

impl Circuit<'_> {
    /// Where it says that it is ABR.
    fn kind_at(&self) -> At {
        self.draft.settings.source_control.value.at.clone()
    }
}

/// "155.52 Mbps".
pub(crate) fn bps(rate: Rate) -> String {
    match rate.0 {
        0..10_000 => format!("{} bps", rate.0),
        10_000..1_000_000 => format!("{} kbps", rate.0 as f64 / 1e3),
        _ => format!("{} Mbps", rate.0 as f64 / 1e6),
    }
}
