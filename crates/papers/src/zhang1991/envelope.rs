//! Section 3.3.1: what the envelope does to the clocks that switches check.

use backwater_kernel::{Channels, Duration, Time};
use backwater_net::probe::Probe;
use backwater_net::spec::{NetworkSpec, NodeKind};
use backwater_results::{Block, Cell, Table};
use backwater_scenario::PacketScenario;

use super::{SEEDS_CONTRAST, TEST_ONE};
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::Measured;

/// Checks without an alarm that the claim asks for, over all seeds.
const CHECKS: f64 = 30_000.0;
/// Rows of [`ENVELOPES`].
const HELD: usize = 0;
const FREE: usize = 2;

const ENVELOPE_WORDS: &str = "Fixed windows let two windows' worth pass back to back across a \
    boundary: with long trains at eight times the mean rate a clock runs ahead by more than T = \
    AIR x Vtick. Sliding windows keep it below T at the first switch.";

/// Checks by switches in front of a trunk.
pub struct Checks {
    is_trunk: Vec<bool>,
    checks: u64,
    alarms: u64,
    /// Furthest ahead, in thresholds.
    peak: f64,
}

impl Checks {
    fn new(scenario: &PacketScenario) -> Checks {
        let network = &scenario.network;
        let legs = network.flows.iter().flat_map(|flow| &flow.legs);
        Checks {
            is_trunk: legs.map(|leg| is_trunk(network, leg.channel)).collect(),
            checks: 0,
            alarms: 0,
            peak: 0.0,
        }
    }
}

fn is_trunk(network: &NetworkSpec, channel: u32) -> bool {
    let (from, to) = network.links.ends(channel);
    let is_switch = |node: u32| network.nodes[node as usize].kind == NodeKind::Switch;
    is_switch(from) && is_switch(to)
}

impl Probe for Checks {
    fn on_check(&mut self, _at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        if self.is_trunk[leg as usize] {
            let ahead = ahead_ps as f64 / threshold.ps() as f64;
            self.checks += 1;
            self.alarms += u64::from(ahead > 1.0);
            self.peak = self.peak.max(ahead);
        }
    }
}

/// How Test One's flows are held and what they send: name and settings.
type Envelope = (&'static str, &'static [(&'static str, &'static str)]);
const NO_ENVELOPE: (&str, &str) = ("flows.*.envelope.units", "1000000");
const SLIDING: (&str, &str) = ("flows.*.envelope", "{ kind = \"sliding-window\" }");
const LONG_TRAINS: (&str, &str) = (
    "flows.*.traffic",
    "{ kind = \"trains\", rate = \"20 kbps\", length = 50, gap = \"12500 us\" }",
);
const ENVELOPES: [Envelope; 6] = [
    ("burstiness 2, fixed windows", &[]),
    ("burstiness 2, sliding windows", &[SLIDING]),
    ("burstiness 2, none", &[NO_ENVELOPE]),
    ("burstiness 8, fixed windows", &[LONG_TRAINS]),
    ("burstiness 8, sliding windows", &[LONG_TRAINS, SLIDING]),
    ("burstiness 8, none", &[LONG_TRAINS, NO_ENVELOPE]),
];

/// Checks of every source and envelope, by seed; those that are counted run at full length.
pub fn envelopes(lab: &Lab) -> Result<Vec<Vec<Checks>>, LabError> {
    let rows: Vec<usize> = (0..ENVELOPES.len()).collect();
    lab.each(&rows, |&row| {
        let lab = if row == HELD {
            lab.whole()
        } else {
            lab.clone()
        };
        let keep = |run: Run<Checks>| run.probe;
        lab.seeds_watched(
            TEST_ONE,
            ENVELOPES[row].1,
            SEEDS_CONTRAST,
            Checks::new,
            keep,
        )
    })
}

/// No alarm in so many checks with the envelope, some without.
pub fn alarms(envelopes: &[Vec<Checks>]) -> Vec<Measured> {
    let each = |name: &str, row: usize, of: fn(&Checks) -> u64| {
        let counts: Vec<f64> = envelopes[row].iter().map(|one| of(one) as f64).collect();
        Measured::rate_over_seeds(name, &counts)
    };
    let checks = each("checks", HELD, |one| one.checks);
    let least = CHECKS / checks.seeds.unwrap_or(1) as f64;
    vec![
        checks.at_least(least),
        each("alarms", HELD, |one| one.alarms).within(0.0, 0.0),
        each("alarms_without_envelope", FREE, |one| one.alarms).at_least(1.0),
    ]
}

pub fn blocks(envelopes: &[Vec<Checks>]) -> [Block; 2] {
    [
        Block::Text(ENVELOPE_WORDS.into()),
        Block::Table(envelope_table(envelopes)),
    ]
}

fn envelope_table(envelopes: &[Vec<Checks>]) -> Table {
    let row = |((name, _), all): (&Envelope, &Vec<Checks>)| {
        vec![
            Cell::from(*name),
            Cell::from(all.iter().map(|one| one.checks).sum::<u64>()),
            Cell::from(all.iter().map(|one| one.alarms).sum::<u64>()),
            Cell::float(all.iter().map(|one| one.peak).fold(0.0, f64::max), 2),
        ]
    };
    Table {
        name: "sec33-envelope".into(),
        caption: format!(
            "Checks by the switches before the trunks of Test One, T = AIR x Vtick, \
             {SEEDS_CONTRAST} seeds in total. Burstiness 8: trains of 50 packets at 8 times the \
             mean rate."
        ),
        columns: vec![
            words("source", "its trains and its envelope"),
            column("checks", "", "one in 50 packets"),
            column("alarms", "", "more than T ahead"),
            column("furthest", "T", "that a clock was ahead at a check"),
        ],
        rows: ENVELOPES.iter().zip(envelopes).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_ahead_by_more_than_its_threshold_before_a_trunk_is_an_alarm() {
        let mut checks = Checks {
            is_trunk: vec![false, true],
            checks: 0,
            alarms: 0,
            peak: 0.0,
        };
        let at = |leg, ahead_ps| (leg, ahead_ps);
        for (leg, ahead_ps) in [at(1, 40), at(1, 41), at(0, 400), at(1, -90)] {
            checks.on_check(Time(0), leg, ahead_ps, Duration(40));
        }
        assert_eq!((checks.checks, checks.alarms), (3, 1));
        assert_eq!(checks.peak, 41.0 / 40.0);
    }

    #[test]
    fn the_envelope_holds_the_clocks_of_test_one() {
        let lab = Lab {
            packet_sets: vec![("run.duration".into(), "150 s".into())],
            at_most_seeds: Some(1),
            ..Lab::default()
        };
        let found = envelopes(&lab).expect("it runs");
        let values: Vec<f64> = alarms(&found).iter().map(|one| one.value).collect();
        // 18 flows of 9.6 packets/s on each of six ports, a check every 50 packets.
        let expected = 6.0 * 18.0 * 9.6 * 150.0 / 50.0;
        assert!((values[0] / expected - 1.0).abs() < 0.1, "{values:?}");
        assert_eq!(values[1], 0.0);
        assert!(values[2] > 0.0, "the control: {values:?}");
    }
}
