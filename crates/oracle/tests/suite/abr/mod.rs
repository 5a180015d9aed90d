//! What the ABR tests see of a run: everything that the probe is told, in lists.

use backwater_kernel::{Rate, Time};
use backwater_net::outcome::{LossCause, Outcome};
use backwater_net::probe::{ControlKind, Crossing, ForwardCell, Probe, UnitKind};
use backwater_net::spec::{AbrSpec, NetworkSpec, SourceControlSpec};
use backwater_net::watched;
use backwater_oracle::abr::{Kind, RateChange, Start};

/// A change of ACR.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub at: Time,
    pub flow: u32,
    pub acr: Rate,
    pub old: Rate,
}

/// Something about the source of a flow, in the order in which it happened.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    Change(Change),
    Forward(u32, ForwardCell),
}

/// Keeps all it is told.
#[derive(Default)]
pub struct Log {
    pub events: Vec<Event>,
    pub starts: Vec<Crossing>,
    pub arrivals: Vec<Crossing>,
    pub losses: Vec<Crossing>,
    /// (leg, instant) of units that joined a queue.
    pub joins: Vec<(u32, Time)>,
    waiting: Vec<u32>,
}

impl Probe for Log {
    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, old: Rate) {
        self.events
            .push(Event::Change(Change { at, flow, acr, old }));
    }
    fn on_forward(&mut self, _: Time, flow: u32, cell: ForwardCell) {
        self.events.push(Event::Forward(flow, cell));
    }
    fn on_start(&mut self, crossing: Crossing) {
        self.starts.push(crossing);
    }
    fn on_arrival(&mut self, crossing: Crossing) {
        self.arrivals.push(crossing);
    }
    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        let known = self.waiting.len().max(leg as usize + 1);
        self.waiting.resize(known, 0);
        if waiting > self.waiting[leg as usize] {
            self.joins.push((leg, at));
        }
        self.waiting[leg as usize] = waiting;
    }
    fn on_loss(&mut self, crossing: Crossing, _: LossCause) {
        self.losses.push(crossing);
    }
}

impl Log {
    pub fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.events.iter().filter_map(|event| match event {
            Event::Change(change) => Some(*change),
            _ => None,
        })
    }

    /// ACR of a flow at an instant.
    pub fn acr(&self, spec: &NetworkSpec, flow: u32, at: Time) -> f64 {
        let before = |change: &Change| change.flow == flow && change.at <= at;
        let last = self.changes().filter(before).last();
        let icr = abr_of(spec, flow).map_or(0, |abr| abr.icr.0);
        last.map_or(icr, |change| change.acr.0) as f64
    }

    /// Starts in the words of the oracle.
    pub fn oracle_starts(&self) -> Vec<Start> {
        let in_words = |crossing: &Crossing| Start {
            at_ps: crossing.at.ps(),
            leg: crossing.leg,
            number: crossing.value,
            kind: match crossing.kind {
                UnitKind::Data => Kind::Data,
                UnitKind::ForwardRm => Kind::Forward,
                UnitKind::BackwardRm => Kind::Backward,
                UnitKind::Control(ControlKind::Notice) => Kind::Notice,
                other => panic!("no {other:?} was expected"),
            },
        };
        let mut starts: Vec<Start> = self.starts.iter().map(in_words).collect();
        starts.sort_by_key(|start| (start.at_ps, start.leg, start.kind));
        starts
    }

    /// Changes of ACR in the words of the oracle.
    pub fn oracle_rates(&self, spec: &NetworkSpec) -> Vec<RateChange> {
        let in_words = |change: Change| RateChange {
            at_ps: change.at.ps(),
            flow: change.flow,
            acr_bps: change.acr.0,
        };
        let initial: Vec<u64> = (0..spec.flows.len() as u32)
            .map(|flow| abr_of(spec, flow).map_or(0, |abr| abr.icr.0))
            .collect();
        backwater_oracle::abr::settled(self.changes().map(in_words).collect(), &initial)
    }
}

/// Parameters of an ABR flow.
pub fn abr_of(spec: &NetworkSpec, flow: u32) -> Option<AbrSpec> {
    match spec.flows[flow as usize].source_control {
        SourceControlSpec::Abr(abr) => Some(abr),
        _ => None,
    }
}

/// Runs the fast engine.
pub fn observe(spec: &NetworkSpec) -> (Log, Outcome) {
    let (probe, outcome) = watched(spec, Log::default()).expect("a sound network");
    (probe, outcome)
}

/// The first and last leg of each flow, counted over all flows.
pub fn ends(spec: &NetworkSpec) -> Vec<(u32, u32)> {
    let mut first = 0;
    let mut ends = Vec::new();
    for flow in &spec.flows {
        let legs = flow.legs.len() as u32;
        ends.push((first, first + legs - 1));
        first += legs;
    }
    ends
}
