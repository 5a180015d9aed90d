//! Flows held to envelopes, policed flows, units of several sizes.

use backwater_kernel::{Rate, Time};
use backwater_net::outcome::{LossCause, Outcome};
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::*;
use backwater_net::watched;

use super::{Net, RATE, at, cells};

pub const MODES: [Excess; 3] = [Excess::Drop, Excess::Delay, Excess::Freeze];

/// One flow over one link without control.
pub fn alone(traffic: TrafficSpec, stop_at: Time) -> Net {
    let mut net = Net::new(Timing::CutThrough, cells(1), stop_at);
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    let flow = net.flow(a, &[link], FlowControlSpec::None);
    net.spec.flows[flow].traffic = traffic;
    net
}

pub fn every(gap: u64, start: u64, total: Option<u64>) -> TrafficSpec {
    TrafficSpec::Constant {
        start: at(start),
        interval: cells(gap),
        random_phase: false,
        total,
    }
}

pub fn sliding(units: u32, interval: u64) -> EnvelopeRule {
    EnvelopeRule::SlidingWindow {
        units,
        interval: cells(interval),
    }
}

pub fn fixed(units: u32, interval: u64, phase: Option<u64>) -> EnvelopeRule {
    EnvelopeRule::FixedWindow {
        units,
        interval: cells(interval),
        phase: phase.map(cells),
    }
}

/// A unit takes a tenth of the link's rate: T is 10 cells, a picosecond rounded up.
pub fn tenth(tolerance: u64) -> EnvelopeRule {
    EnvelopeRule::Bucket {
        rate: Rate(RATE.0 / 10),
        tolerance: cells(tolerance),
    }
}

pub fn held_to(rule: EnvelopeRule, excess: Excess) -> Option<EnvelopeSpec> {
    Some(EnvelopeSpec { rule, excess })
}

pub fn enveloped(traffic: TrafficSpec, rule: EnvelopeRule, excess: Excess, stop_at: u64) -> Net {
    let mut net = alone(traffic, at(stop_at));
    net.spec.flows[0].envelope = held_to(rule, excess);
    net
}

pub fn policed(traffic: TrafficSpec, rule: EnvelopeRule, excess: Excess, stop_at: u64) -> Net {
    let mut net = alone(traffic, at(stop_at));
    net.spec.flows[0].policer = held_to(rule, excess);
    net
}

/// Losses as a probe is told, and the sizes of units as they start on leg 0.
#[derive(Default)]
pub struct Ledger {
    pub losses: Vec<(Crossing, LossCause)>,
    pub sizes: Vec<(u64, u32)>,
}

impl Probe for Ledger {
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {
        self.losses.push((crossing, cause));
    }
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data && crossing.leg == 0 {
            self.sizes.push((crossing.value, crossing.bytes));
        }
    }
}

pub fn ledger(spec: &NetworkSpec) -> (Ledger, Outcome) {
    let (probe, outcome) = watched(spec, Ledger::default()).expect("it is sound");
    (probe, outcome)
}

pub const MIX: [(u32, f64); 3] = [(53, 0.25), (40, 0.5), (20, 0.25)];

pub fn mix() -> Vec<SizeShare> {
    let share = |(bytes, share)| SizeShare { bytes, share };
    MIX.map(share).to_vec()
}
