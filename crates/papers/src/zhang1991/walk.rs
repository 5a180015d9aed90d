//! Section 3.3: VirtualClock minus real time walks at random, and what the envelope does to it.

use kernel::{Duration, Time};
use packet::probe::{Crossing, Probe, UnitKind};
use packet::spec::{NetworkSpec, NodeKind};
use results::{Axis, Block, Cell, Curve, Mark, Plot, Style, Table};
use scenario::PacketScenario;

use super::{RANDOM_WALK, SEEDS_CONTRAST, TEST_ONE};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

/// Runs of the walk.
const RUNS: u64 = 200;
/// Intervals at which the walk is looked at.
const INTERVALS: [usize; 9] = [10, 20, 40, 60, 100, 150, 200, 300, 400];
/// AIR of the walking flow: 5 packets a second times 10 s.
const AIR: f64 = 50.0;
/// Groups of runs, for the interval of the slope.
const GROUPS: usize = 5;
/// Walks drawn.
const DRAWN: usize = 3;

const WORDS: &str = "Equation 3 looks at the clock at the end of every interval, with the clock \
    advanced by packets alone: that is the number of packets that came to the switch, less AIR for \
    each interval. The algorithm itself also moves a clock that is behind up to real time at every \
    check; the walk is then reflected at zero. Its mean is sqrt(2 AIR n / pi) and its variance AIR \
    n (1 - 2 / pi), so that the paper's guess of an as fast growing variance holds for the order \
    alone.";
const ENVELOPE_WORDS: &str = "Fixed windows let two windows' worth pass back to back over a \
    boundary: with long trains at eight times the mean rate a clock runs ahead by more than T = \
    AIR x Vtick. Sliding windows keep it below T at the first switch.";

/// What came to the switch, by interval, and what the switch's checks found.
struct Walk {
    interval: Duration,
    arrived: Vec<u64>,
    /// VirtualClock - real time at each check, in ticks of the flow.
    ahead: Vec<f64>,
    tick: Duration,
}

impl Walk {
    fn new(scenario: &PacketScenario) -> Walk {
        let flow = &scenario.network.flows[0];
        let reserve = flow.reserve.expect("the flow reserves");
        let stop = scenario.network.stop_at.since(Time::ZERO);
        let interval = reserve.interval.expect("the flow is checked");
        Walk {
            interval,
            arrived: vec![0; (stop.ps() / interval.ps()) as usize],
            ahead: Vec::new(),
            tick: reserve.rate.tick(u64::from(flow.unit_bytes)),
        }
    }

    /// Packets that came in the first `n` intervals less what was expected.
    fn sum(&self, n: usize) -> f64 {
        let arrived: u64 = self.arrived.iter().take(n).sum();
        arrived as f64 - n as f64 * AIR
    }

    /// How far the clock was ahead after the `n`-th check.
    fn reflected(&self, n: usize) -> f64 {
        self.ahead
            .get(n - 1)
            .map_or(f64::NAN, |ahead| ahead.max(0.0))
    }
}

impl Probe for Walk {
    fn on_arrival(&mut self, crossing: Crossing) {
        // Leg 0 leads to the switch, leg 1 away from it.
        if crossing.kind == UnitKind::Data && crossing.leg == 0 {
            let index = crossing.at.ps() / self.interval.ps();
            if let Some(arrived) = self.arrived.get_mut(index as usize) {
                *arrived += 1;
            }
        }
    }

    fn on_check(&mut self, _at: Time, leg: u32, ahead_ps: i64, _threshold: Duration) {
        if leg == 1 {
            self.ahead.push(ahead_ps as f64 / self.tick.ps() as f64);
        }
    }
}

/// Checks by switches in front of a trunk.
struct Checks {
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
    let link = &network.links[channel as usize / 2];
    let is_switch = |node: u32| network.nodes[node as usize].kind == NodeKind::Switch;
    is_switch(link.a) && is_switch(link.b)
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

pub fn walk(lab: &Lab) -> Result<Evidence, LabError> {
    let keep = |run: Run<Walk>| run.probe;
    let walks = lab.seeds_watched(RANDOM_WALK, &[], RUNS, Walk::new, keep)?;
    let held = [("flows.flow.envelope", "{ kind = \"fixed-window\" }")];
    let held = lab.seeds_watched(RANDOM_WALK, &held, DRAWN as u64, Walk::new, keep)?;
    let mut envelopes = Vec::new();
    for (_, sets) in ENVELOPES {
        let keep = |run: Run<Checks>| run.probe;
        envelopes.push(lab.seeds_watched(TEST_ONE, sets, SEEDS_CONTRAST, Checks::new, keep)?);
    }
    let sum = |all: &[Checks], of: fn(&Checks) -> u64| all.iter().map(of).sum::<u64>() as f64;
    let checks = sum(&envelopes[0], |one| one.checks);
    let alarms = sum(&envelopes[0], |one| one.alarms);
    let without = sum(&envelopes[2], |one| one.alarms);
    let measured = vec![
        slope(&walks).within(0.9, 1.1),
        Measured::new(
            "variance_per_interval",
            variance(&sums(&walks, 400)) / 400.0,
        )
        .within(0.7 * AIR, 1.3 * AIR),
        Measured::new("checks", checks).at_least(30_000.0),
        Measured::new("alarms", alarms).within(0.0, 0.0),
        Measured::new("alarms_without_envelope", without).at_least(1.0),
    ];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.design.random-walk",
            scenario: RANDOM_WALK,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(walk_table(&walks)),
            Block::Plot(plot(&walks, &held)),
            Block::Text(ENVELOPE_WORDS.into()),
            Block::Table(envelope_table(&envelopes)),
        ],
    })
}

fn sums(walks: &[Walk], n: usize) -> Vec<f64> {
    walks.iter().map(|walk| walk.sum(n)).collect()
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    squares / (values.len() as f64 - 1.0)
}

/// Slope of the line through `points` by least squares.
fn line_slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / count;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / count;
    let covariance: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    let spread: f64 = points
        .iter()
        .map(|(x, _)| (x - mean_x) * (x - mean_x))
        .sum();
    covariance / spread
}

/// Exponent with which the variance of `walks` grows.
fn exponent(walks: &[&Walk]) -> f64 {
    let point = |&n: &usize| {
        let sums: Vec<f64> = walks.iter().map(|walk| walk.sum(n)).collect();
        ((n as f64).ln(), variance(&sums).ln())
    };
    let points: Vec<(f64, f64)> = INTERVALS.iter().map(point).collect();
    line_slope(&points)
}

/// The exponent over all runs; its interval from groups of them.
fn slope(walks: &[Walk]) -> Measured {
    let all: Vec<&Walk> = walks.iter().collect();
    let group = |group: usize| {
        let members: Vec<&Walk> = walks.iter().skip(group).step_by(GROUPS).collect();
        exponent(&members)
    };
    let groups: Vec<f64> = (0..GROUPS).map(group).collect();
    Measured {
        value: exponent(&all),
        ..Measured::over_seeds("slope", &groups)
    }
}

fn walk_table(walks: &[Walk]) -> Table {
    let row = |&n: &usize| {
        let count = n as f64;
        let reflected: Vec<f64> = walks.iter().map(|walk| walk.reflected(n)).collect();
        let share = 1.0 - 2.0 / core::f64::consts::PI;
        vec![
            Cell::from(n as u64),
            Cell::float(variance(&sums(walks, n)) / count, 1),
            Cell::float(AIR, 1),
            Cell::float(variance(&reflected) / count, 1),
            Cell::float(AIR * share, 1),
            cell(&reflected, 1),
            Cell::float((2.0 * AIR * count / core::f64::consts::PI).sqrt(), 1),
        ]
    };
    Table {
        name: "random-walk".into(),
        caption: format!(
            "VirtualClock - real time in packets after n intervals of 10 s, {RUNS} runs of a \
             Poisson source of 5 packets/s without an envelope."
        ),
        columns: vec![
            column("n", "intervals", "since the start"),
            column("variance / n", "", "clock advanced by packets alone"),
            column("theory", "", "variance of a Poisson number of packets"),
            column(
                "with resets: variance / n",
                "",
                "clock moved up to real time at checks",
            ),
            column("with resets: theory", "", "reflected walk"),
            column("with resets: mean", "packets", "and its 95 % interval"),
            column("with resets: mean, theory", "packets", "reflected walk"),
        ],
        rows: INTERVALS.iter().map(row).collect(),
    }
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
        name: "envelope".into(),
        caption: format!(
            "Checks by the switches before the trunks of Test One, T = AIR x Vtick, \
             {SEEDS_CONTRAST} seeds together. Burstiness 8: trains of 50 packets at 8 times the \
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

fn plot(walks: &[Walk], held: &[Walk]) -> Plot {
    let one = |name: String, walk: &Walk| {
        let x = (1..=walk.ahead.len()).map(|n| n as f64).collect();
        Curve::new(name, Style::Line, x, walk.ahead.clone())
    };
    let free = walks.iter().take(DRAWN).enumerate();
    let free = free.map(|(i, walk)| one(format!("no envelope, run {}", i + 1), walk));
    let held = held.iter().take(1);
    let held = held.map(|walk| one("with the envelope".into(), walk));
    Plot {
        id: "random-walk".into(),
        title: "VirtualClock - real time of single flows at their checks".into(),
        x: Axis::new("check", "AIR = 50 packets each"),
        y: Axis::new("ahead of real time", "packets"),
        curves: free.chain(held).collect(),
        note: "Without the envelope the clock of an honest flow leaves any threshold behind."
            .into(),
        marks: vec![Mark::horizontal(AIR, "T")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_and_variances() {
        assert_eq!(variance(&[1.0, 2.0, 3.0]), 1.0);
        let line = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)];
        assert!((line_slope(&line) - 2.0).abs() < 1e-12);
        let walk = |arrived: &[u64]| Walk {
            interval: Duration(10),
            arrived: arrived.to_vec(),
            ahead: vec![-3.0, 4.0],
            tick: Duration(1),
        };
        let walk = walk(&[50, 60, 30]);
        assert_eq!([walk.sum(1), walk.sum(2), walk.sum(3)], [0.0, 10.0, -10.0]);
        assert_eq!((walk.reflected(1), walk.reflected(2)), (0.0, 4.0));
        assert!(walk.reflected(3).is_nan());
    }
}
