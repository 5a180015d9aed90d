//! What ports that serve by rank do, unit by unit.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Time};
use backwater_net::outcome::{LossCause, Outcome};
use backwater_net::probe::{Audit, Crossing, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;
use backwater_net::watched;

/// Ranks, starts, checks and losses in the order in which they happen.
#[derive(Default)]
pub struct PortLog {
    /// Data units as they start.
    pub starts: Vec<Crossing>,
    /// (leg, number of the unit): when it came, its rank.
    pub ranks: BTreeMap<(u32, u32), (Time, u64)>,
    /// Leg, ahead in ps, threshold.
    pub checks: Vec<(u32, i64, Duration)>,
    /// What was lost, and why.
    pub losses: Vec<(Crossing, LossCause)>,
}

impl PortLog {
    /// Flows by letter, in the order in which their units start on a channel.
    pub fn order(&self, channel: u32) -> String {
        let on_it = self.starts.iter().filter(|start| start.channel == channel);
        on_it
            .map(|start| char::from(b'A' + start.flow as u8))
            .collect()
    }

    /// When the units of a leg start, and their numbers.
    pub fn of_leg(&self, leg: u32) -> Vec<(Time, u64)> {
        let its = self.starts.iter().filter(|start| start.leg == leg);
        its.map(|start| (start.at, start.value)).collect()
    }

    /// When the units of a leg start.
    pub fn times(&self, leg: u32) -> Vec<Time> {
        self.of_leg(leg).into_iter().map(|(at, _)| at).collect()
    }

    /// Time from joining its queue to its start, of each unit of a leg.
    pub fn waits(&self, leg: u32) -> Vec<Duration> {
        let starts = self.of_leg(leg).into_iter();
        starts
            .map(|(at, number)| at - self.ranks[&(leg, number as u32)].0)
            .collect()
    }
}

impl Probe for PortLog {
    fn on_start(&mut self, crossing: Crossing) {
        if crossing.kind == UnitKind::Data {
            self.starts.push(crossing);
        }
    }
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {
        self.losses.push((crossing, cause));
    }
    fn on_rank(&mut self, at: Time, leg: u32, number: u32, rank: u64) {
        self.ranks.insert((leg, number), (at, rank));
    }
    fn on_check(&mut self, _at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        self.checks.push((leg, ahead_ps, threshold));
    }
}

/// Runs to the end under audit; nothing may be broken.
pub fn observe(spec: &NetworkSpec) -> (PortLog, Outcome) {
    let probe = (PortLog::default(), Audit::new(spec));
    let (probe, outcome) = watched(spec, probe).expect("it is sound");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    let (log, audit) = probe;
    assert_eq!(
        audit.checks().violations().total(),
        0,
        "{:?}",
        audit.checks().violations().kept()
    );
    assert!(audit.checks().made() > 0);
    (log, outcome)
}
