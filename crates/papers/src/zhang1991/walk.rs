//! Section 3.3: VirtualClock minus real time walks at random, on the clock that the scheduler
//! keeps.

use core::f64::consts::PI;

use backwater_kernel::{Duration, Time};
use backwater_net::probe::Probe;
use backwater_results::{Axis, Block, Cell, Curve, Mark, Plot, Style, Table};
use backwater_scenario::PacketScenario;

use super::{RANDOM_WALK, envelope};
use crate::Evidence;
use crate::columns::column;
use crate::estimate::{cell, log_slope};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

/// Flows that walk.
const WALKS: u64 = 4000;
/// Checks at which the walk is looked at.
const CHECKS: [usize; 9] = [10, 20, 40, 60, 100, 150, 200, 300, 400];
/// Those at which the reflected walk is judged. Before, the limit is not reached: a walk that is
/// looked at only at checks has a mean smaller by 0.58 of a step.
const JUDGED: [usize; 3] = [200, 300, 400];
/// Groups of walks, for the intervals of variances.
const GROUPS: usize = 20;
/// Walks drawn.
const DRAWN: usize = 3;
const HELD: (&str, &str) = ("flows.flow.envelope", "{ kind = \"fixed-window\" }");

const WORDS: &str = "The scheduler's clock is recorded at every check, once in AIR packets. A \
    clock behind real time is then set to it. For the walk of equations 3 to 5 the sum of these \
    resets is subtracted: each packet adds one, each AI subtracts AIR. With the resets, \
    equation 6, the walk is reflected at zero: for many checks its mean is sqrt(2 AIR n / pi) \
    and its variance AIR n (1 - 2 / pi), so the paper's guess that the variance grows equally \
    fast holds only for the order. Since it is observed only at checks, its mean is the sum \
    over k up to n of E[S+] / k, with S a normal number of variance AIR k (Spitzer's identity), \
    0.58 sqrt(AIR) below the limit.";

/// The scheduler's clock of a flow at its checks.
#[derive(Default)]
struct Walk {
    /// VirtualClock - real time at each check, in ticks of the flow.
    ahead: Vec<f64>,
    /// The same as if no check had moved the clock.
    unreset: Vec<f64>,
    /// By how much checks have moved it, in ticks.
    added: f64,
    tick: Duration,
    /// Packets between two checks.
    air: f64,
}

impl Walk {
    fn new(scenario: &PacketScenario) -> Walk {
        let flow = &scenario.network.flows[0];
        let reserve = flow.reserve.expect("the flow reserves");
        Walk {
            tick: reserve.rate.tick(u64::from(flow.unit_bytes)),
            ..Walk::default()
        }
    }

    /// How far the clock was ahead after the `n`-th check.
    fn reflected(&self, n: usize) -> f64 {
        let ahead = self.ahead.get(n - 1);
        ahead.map_or(f64::NAN, |ahead| ahead.max(0.0))
    }

    /// How far it would have been without the resets.
    fn free(&self, n: usize) -> f64 {
        self.unreset.get(n - 1).copied().unwrap_or(f64::NAN)
    }
}

impl Probe for Walk {
    fn on_check(&mut self, _at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        // Leg 0 leads to the switch, leg 1 away from it.
        if leg != 1 {
            return;
        }
        let tick = self.tick.ps() as f64;
        let ahead = ahead_ps as f64 / tick;
        self.air = threshold.ps() as f64 / tick;
        self.ahead.push(ahead);
        self.unreset.push(ahead - self.added);
        self.added += (-ahead).max(0.0);
    }
}

fn walks(lab: &Lab) -> Result<Vec<Walk>, LabError> {
    lab.each_sample(WALKS, 1, |lab, number| {
        let seed = number.to_string();
        Ok(lab
            .run_watched(RANDOM_WALK, &[("run.seed", &seed)], Walk::new)?
            .probe)
    })
}

pub fn walk(lab: &Lab) -> Result<Evidence, LabError> {
    let walks = walks(lab)?;
    let held = lab.whole().run_watched(RANDOM_WALK, &[HELD], Walk::new)?;
    let envelopes = envelope::envelopes(lab)?;
    let mut measured = vec![slope(&walks).within(0.9, 1.1)];
    for n in JUDGED {
        measured.extend(reflected(&walks, n).map(|ratio| ratio.within(0.9, 1.1)));
    }
    measured.extend(envelope::alarms(&envelopes));
    let mut blocks = vec![
        Block::Text(WORDS.into()),
        Block::Table(walk_table(&walks)),
        Block::Plot(plot(&walks, &held.probe)),
    ];
    blocks.extend(envelope::blocks(&envelopes));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.design.random-walk",
            scenario: RANDOM_WALK,
            measured,
        }],
        blocks,
    })
}

fn variance(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|x| (x - mean) * (x - mean)).sum();
    squares / (values.len() as f64 - 1.0)
}

/// The mean of `value` over groups of walks.
fn over_groups(name: &str, walks: &[Walk], value: impl Fn(&[&Walk]) -> f64) -> Measured {
    Measured {
        seeds: Some(walks.len()),
        ..Measured::over_seeds(name, &of_groups(walks, value))
    }
}

/// `value` of each group of walks.
fn of_groups(walks: &[Walk], value: impl Fn(&[&Walk]) -> f64) -> Vec<f64> {
    let group = |group: usize| {
        let members: Vec<&Walk> = walks.iter().skip(group).step_by(GROUPS).collect();
        value(&members)
    };
    (0..GROUPS).map(group).collect()
}

/// Exponent with which the variance of the walk without resets grows.
fn slope(walks: &[Walk]) -> Measured {
    let exponent = |walks: &[&Walk]| {
        let point = |&n: &usize| {
            let free: Vec<f64> = walks.iter().map(|walk| walk.free(n)).collect();
            (n as f64, variance(&free))
        };
        log_slope(&CHECKS.map(|n| point(&n)))
    };
    over_groups("slope", walks, exponent)
}

/// AIR n (1 - 2 / pi).
fn limit_variance(air: f64, n: usize) -> f64 {
    air * n as f64 * (1.0 - 2.0 / PI)
}

/// sqrt(2 AIR n / pi).
fn limit_mean(air: f64, n: usize) -> f64 {
    (2.0 * air * n as f64 / PI).sqrt()
}

/// The mean of a walk of normal steps that is reflected at its steps alone.
fn stepped_mean(air: f64, n: usize) -> f64 {
    let term = |k: usize| (air / (2.0 * PI * k as f64)).sqrt();
    (1..=n).map(term).sum()
}

/// Mean and variance of the clock after `n` checks over those of the reflected walk.
fn reflected(walks: &[Walk], n: usize) -> [Measured; 2] {
    let means = walks
        .iter()
        .map(|walk| walk.reflected(n) / limit_mean(walk.air, n));
    let means: Vec<f64> = means.collect();
    let spread = |walks: &[&Walk]| {
        let air = walks.first().map_or(f64::NAN, |walk| walk.air);
        let ahead: Vec<f64> = walks.iter().map(|walk| walk.reflected(n)).collect();
        variance(&ahead) / limit_variance(air, n)
    };
    [
        Measured::over_seeds(&format!("mean_over_theory_{n}"), &means),
        over_groups(&format!("variance_over_theory_{n}"), walks, spread),
    ]
}

fn walk_table(walks: &[Walk]) -> Table {
    let air = walks.first().map_or(f64::NAN, |walk| walk.air);
    let row = |&n: &usize| {
        let count = n as f64;
        let per_check = |value: fn(&Walk, usize) -> f64| {
            of_groups(walks, |walks| {
                let values: Vec<f64> = walks.iter().map(|walk| value(walk, n)).collect();
                variance(&values) / count
            })
        };
        let reflected: Vec<f64> = walks.iter().map(|walk| walk.reflected(n)).collect();
        vec![
            Cell::from(n as u64),
            cell(&per_check(Walk::free), 2),
            Cell::float(air, 2),
            cell(&per_check(Walk::reflected), 2),
            Cell::float(limit_variance(air, n) / count, 2),
            cell(&reflected, 2),
            Cell::float(limit_mean(air, n), 2),
            Cell::float(stepped_mean(air, n), 2),
        ]
    };
    Table {
        name: "sec33-walk".into(),
        caption: format!(
            "VirtualClock - real time, in packets, at the n-th check, one in {air:.0} packets; \
             {} runs of a Poisson source of 5 packets/s without an envelope.",
            walks.len()
        ),
        columns: vec![
            column("n", "checks", "since the start"),
            column("variance / n", "", "clock without its resets"),
            column("theory", "", "AIR"),
            column("with resets: variance / n", "", "the clock as it is"),
            column("with resets: theory", "", "limit of the reflected walk"),
            column("with resets: mean", "packets", "and its 95 % interval"),
            column(
                "with resets: mean, theory",
                "packets",
                "limit of the reflected walk",
            ),
            column(
                "with resets: mean, stepped",
                "packets",
                "reflected only at checks",
            ),
        ],
        rows: CHECKS.iter().map(row).collect(),
    }
}

fn plot(walks: &[Walk], held: &Walk) -> Plot {
    let one = |name: String, walk: &Walk| {
        let x = (1..=walk.ahead.len()).map(|n| n as f64).collect();
        Curve::new(name, Style::Line, x, walk.ahead.clone())
    };
    let free = walks.iter().take(DRAWN).enumerate();
    let free = free.map(|(i, walk)| one(format!("no envelope, run {}", i + 1), walk));
    let held_curve = one("with the envelope".into(), held);
    Plot {
        id: "sec33-walk".into(),
        title: "VirtualClock - real time of single flows at their checks".into(),
        x: Axis::new("check", "AIR packets each"),
        y: Axis::new("ahead of real time", "packets"),
        curves: free.chain([held_curve]).collect(),
        note: "Without the envelope the clock of a conforming flow passes any threshold.".into(),
        marks: vec![Mark::horizontal(held.air, "T")],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A walk that hears what a scheduler tells: ahead by so many ticks of 10 ps.
    fn heard(ahead: &[i64]) -> Walk {
        let mut walk = Walk {
            tick: Duration(10),
            ..Walk::default()
        };
        for ticks in ahead {
            walk.on_check(Time(0), 1, 10 * ticks, Duration(50));
            walk.on_check(Time(0), 0, 7, Duration(7));
        }
        walk
    }

    #[test]
    fn resets_are_taken_off_again() {
        // Steps of -3, +2, +2, -5 and +1; the clock is moved up at the first and the fourth check.
        let walk = heard(&[-3, 2, 4, -1, 1]);
        let free: Vec<f64> = (1..=5).map(|n| walk.free(n)).collect();
        assert_eq!(free, [-3.0, -1.0, 1.0, -4.0, -3.0]);
        let reflected: Vec<f64> = (1..=5).map(|n| walk.reflected(n)).collect();
        assert_eq!(reflected, [0.0, 2.0, 4.0, 0.0, 1.0]);
        assert_eq!(walk.air, 5.0);
        assert!(walk.free(6).is_nan() && walk.reflected(6).is_nan());
        assert_eq!(variance(&[1.0, 2.0, 3.0]), 1.0);
    }

    #[test]
    fn theory_by_hand() {
        // pi / 2 packets between checks: the mean is sqrt(n).
        assert!((limit_mean(PI / 2.0, 9) - 3.0).abs() < 1e-12);
        assert!((limit_variance(PI, 2) - (2.0 * PI - 4.0)).abs() < 1e-12);
        // 1 + 1/sqrt 2 of sqrt(AIR / 2 pi), and 0.5826 of a step less in the end.
        assert!((stepped_mean(2.0 * PI, 2) - 1.707_106_8).abs() < 1e-6);
        let short = limit_mean(4.0, 10_000) - stepped_mean(4.0, 10_000);
        assert!((short / 2.0 - 0.5826).abs() < 0.01, "{short}");
    }

    /// Ratios of the mean to theory after 200 checks, over a few walks.
    fn mean_ratio(sets: &[(&str, &str)]) -> f64 {
        let walk = |seed: u64| {
            let seed = seed.to_string();
            let sets = [sets, &[("run.seed", &*seed)]].concat();
            let run = Lab::default().run_watched(RANDOM_WALK, &sets, Walk::new);
            run.expect("it runs").probe
        };
        let walks: Vec<Walk> = (1..=60).map(walk).collect();
        reflected(&walks, 200)[0].value
    }

    #[test]
    fn the_scheduler_walks_as_theory_says_and_a_wrong_rate_does_not() {
        let right = mean_ratio(&[]);
        assert!((0.7..1.2).contains(&right), "{right}");
        // A clock that ticks a tenth too fast or too slow.
        let slow = mean_ratio(&[("flows.flow.reserve.rate", "11 kbps")]);
        assert!(slow < 0.4, "{slow}");
        let fast = mean_ratio(&[("flows.flow.reserve.rate", "9 kbps")]);
        assert!(fast > 2.0, "{fast}");
    }
}
