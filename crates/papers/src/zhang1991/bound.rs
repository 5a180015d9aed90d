//! Section 6 leaves a bound on delay to the future: D <= (sigma + (K - 1) l) / rho + the sum over
//! links of Lmax / C + propagation, in random networks, under several rules.

mod draw;

use std::collections::VecDeque;

use backwater_kernel::{Channels, Duration, Rate, Time};
use backwater_net::bound;
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::NetworkSpec;
use backwater_results::{Block, Cell, Table};
use backwater_scenario::PacketScenario;

use super::{BOUND, RESYNC};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError, Run};
use crate::measured::{Finding, Measured};

/// Random networks.
const NETWORKS: u64 = 1500;
/// Rounding of transmission times, a picosecond for each packet sent in a row.
const ROUNDING: Duration = Duration(1_000_000);

/// A rule to serve by, and whether the bound is proved for it.
struct Rule {
    name: &'static str,
    scheduler: &'static str,
}

const fn rule(name: &'static str, scheduler: &'static str) -> Rule {
    Rule { name, scheduler }
}

const IDLE_LINK: usize = 0;
const NO_RESYNC: usize = 1;
const LITERAL: usize = 2;
const RULES: [Rule; 7] = [
    rule(
        "auxVC, set back on an idle link only",
        "{ kind = \"virtual-clock\", resync = \"idle-link\" }",
    ),
    rule(
        "auxVC, never set back",
        "{ kind = \"virtual-clock\", resync = \"none\" }",
    ),
    rule(
        "auxVC, set back as written in section 3.1",
        "{ kind = \"virtual-clock\", resync = \"literal\" }",
    ),
    rule(
        "stamped with VirtualClock",
        "{ kind = \"virtual-clock\", stamp = \"virtual-clock\" }",
    ),
    rule("WFQ", "{ kind = \"wfq\" }"),
    rule("WF2Q+", "{ kind = \"wf2q+\" }"),
    rule("FIFO", "{ kind = \"fifo\" }"),
];

const WORDS: &str = "Random networks of up to five trunks, reserved to 70 to 100 %: flows that \
    conform to a leaky bucket, flows that send up to three times their reserved rate, \
    datagrams. The bound applies to each conforming flow, whatever the others do. A packet is \
    late if it has not left by its stamp plus the longest transmission on the link; this \
    applies to misbehaving flows too. Section 3.1 sets auxVC back to VirtualClock while packets \
    stamped with it still wait, or at least while the link is busy: the flow then claims the \
    same time twice.";

const RESYNC_WORDS: &str = "In random networks such packets are late, but no flow exceeds its \
    bound: this needs several flows that claim time twice simultaneously. The scenario \
    `resync.toml` has nine, each within its reserved rate on average, and a victim that \
    conforms to its bucket.";

/// Packets that leave later than their stamp and the longest transmission on the channel allow.
struct Late {
    /// By leg: rate of its channel and longest packet there; `None` for datagrams.
    legs: Vec<Option<(Rate, Duration)>>,
    stamps: Vec<VecDeque<(u32, u64)>>,
    late: u64,
}

impl Late {
    fn new(scenario: &PacketScenario) -> Late {
        let network = &scenario.network;
        let longest = longest_packets(network);
        let legs = network.flows.iter().flat_map(|flow| {
            let is_stamped = flow.reserve.is_some();
            flow.legs.iter().map(move |leg| (is_stamped, leg.channel))
        });
        let leg = |(is_stamped, channel): (bool, u32)| {
            let rate = rate_of(network, channel);
            let longest = rate.serialization(longest[channel as usize]);
            is_stamped.then_some((rate, longest))
        };
        let legs: Vec<_> = legs.map(leg).collect();
        Late {
            stamps: vec![VecDeque::new(); legs.len()],
            legs,
            late: 0,
        }
    }
}

/// Bytes of the longest packet of any flow on each channel.
fn longest_packets(network: &NetworkSpec) -> Vec<u64> {
    let mut longest = vec![0; 2 * network.links.len()];
    for flow in &network.flows {
        for leg in &flow.legs {
            let longest = &mut longest[leg.channel as usize];
            *longest = u64::from(flow.unit_bytes).max(*longest);
        }
    }
    longest
}

fn rate_of(network: &NetworkSpec, channel: u32) -> Rate {
    let end = network.links.channel(channel);
    end.rate
}

impl Probe for Late {
    fn on_rank(&mut self, _at: Time, leg: u32, number: u32, rank: u64) {
        if self.legs[leg as usize].is_some() {
            self.stamps[leg as usize].push_back((number, rank));
        }
    }

    fn on_start(&mut self, crossing: Crossing) {
        let Some((rate, longest)) = self.legs[crossing.leg as usize] else {
            return;
        };
        if crossing.kind != UnitKind::Data {
            return;
        }
        let stamps = &mut self.stamps[crossing.leg as usize];
        let is_it = |(number, _): &(u32, u64)| u64::from(*number) == crossing.value;
        let Some(stamp) = stamps
            .iter()
            .position(is_it)
            .and_then(|at| stamps.remove(at))
        else {
            return;
        };
        let departure = crossing.at + rate.serialization(u64::from(crossing.bytes));
        let latest = Time(stamp.1) + longest + ROUNDING;
        self.late += u64::from(departure > latest);
    }
}

/// What a rule did in one network, or in all.
#[derive(Clone, Copy, Default)]
struct Found {
    flows: u64,
    violations: u64,
    late: u64,
    /// Largest delay over its bound.
    worst: f64,
}

impl Found {
    fn add(mut self, other: Found) -> Found {
        self.flows += other.flows;
        self.violations += other.violations;
        self.late += other.late;
        self.worst = self.worst.max(other.worst);
        self
    }
}

pub fn bound(lab: &Lab) -> Result<Evidence, LabError> {
    let networks = lab.each_sample(NETWORKS, RULES.len() as u64, network)?;
    let mut all = [Found::default(); RULES.len()];
    for network in &networks {
        for (all, found) in all.iter_mut().zip(network) {
            *all = all.add(*found);
        }
    }
    let resync = resync(&lab.whole())?;
    let count = networks.len() as u64;
    let mut measured = in_networks(&networks);
    measured.extend(of_victim(&resync));
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.bound.end-to-end",
            scenario: BOUND,
            measured,
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&all, count)),
            Block::Text(RESYNC_WORDS.into()),
            Block::Table(resync_table(&resync)),
        ],
    })
}

/// What is counted in each network, on average: nothing beyond the bound or late under the rules
/// for which it is proved, something late under the literal rule.
fn in_networks(networks: &[[Found; RULES.len()]]) -> Vec<Measured> {
    let each = |name: &str, count: fn(&[Found; RULES.len()]) -> u64| {
        let counts: Vec<f64> = networks.iter().map(|found| count(found) as f64).collect();
        Measured::rate_over_seeds(name, &counts)
    };
    vec![
        Measured::new("networks", networks.len() as f64),
        each("flows_with_a_bound", |found| found[IDLE_LINK].flows).at_least(1.0),
        each("violations_idle_link", |found| found[IDLE_LINK].violations).within(0.0, 0.0),
        each("violations_none", |found| found[NO_RESYNC].violations).within(0.0, 0.0),
        each("late_idle_link", |found| found[IDLE_LINK].late).within(0.0, 0.0),
        each("late_none", |found| found[NO_RESYNC].late).within(0.0, 0.0),
        each("violations_literal", |found| found[LITERAL].violations),
        each("late_literal", |found| found[LITERAL].late).at_least(1.0 / NETWORKS as f64),
    ]
}

/// The victim's delay: within its bound under the first two rules, beyond it under the literal.
fn of_victim(resync: &[Victim]) -> Vec<Measured> {
    let over = |name: &str, rule: usize| {
        let Victim {
            delay_ms, bound_ms, ..
        } = resync[rule];
        Measured::new(name, delay_ms / bound_ms)
    };
    vec![
        over("delay_over_bound_idle_link", IDLE_LINK).at_most(1.0),
        over("delay_over_bound_none", NO_RESYNC).at_most(1.0),
        over("delay_over_bound_literal", LITERAL).at_least(1.05),
    ]
}

/// The same random network under every rule.
fn network(lab: &Lab, number: u64) -> Result<[Found; RULES.len()], LabError> {
    let drawn = draw::draw(number);
    let mut bounds = Vec::new();
    let mut all = [Found::default(); RULES.len()];
    for (index, (rule, all)) in RULES.iter().zip(&mut all).enumerate() {
        let mut sets: Vec<(&str, &str)> =
            drawn.iter().map(|(key, value)| (*key, &**value)).collect();
        sets.push(("scheduler", rule.scheduler));
        let run = lab.run_watched(BOUND, &sets, Late::new)?;
        // The rules share the bound that is proved for the first.
        if index == IDLE_LINK {
            bounds = bound::bounds(&run.scenario.network);
        }
        *all = judge(&run, &bounds);
    }
    Ok(all)
}

/// The victim of flows that claim time twice, under one rule.
struct Victim {
    /// Its longest delay, and the bound.
    delay_ms: f64,
    bound_ms: f64,
    late: u64,
}

/// The shipped example under the rules of VirtualClock with auxVC.
fn resync(lab: &Lab) -> Result<Vec<Victim>, LabError> {
    let mut bound_ms = f64::NAN;
    let mut victims = Vec::new();
    for (index, rule) in RULES[..=LITERAL].iter().enumerate() {
        let run = lab.run_watched(RESYNC, &[("scheduler", rule.scheduler)], Late::new)?;
        if index == IDLE_LINK {
            let network = &run.scenario.network;
            let flows = network.flows.iter().zip(bound::bounds(network));
            let mut victim = flows.filter(|(flow, _)| flow.name == "victim");
            if let Some((_, Ok(bound))) = victim.next() {
                bound_ms = bound.delay.seconds() * 1e3;
            }
        }
        let delay = Duration(run.flow("victim").delay.max);
        victims.push(Victim {
            delay_ms: delay.seconds() * 1e3,
            bound_ms,
            late: run.probe.late,
        });
    }
    Ok(victims)
}

fn resync_table(victims: &[Victim]) -> Table {
    let row = |(rule, victim): (&Rule, &Victim)| {
        vec![
            Cell::from(rule.name),
            Cell::float(victim.delay_ms, 1),
            Cell::float(victim.bound_ms, 1),
            Cell::from(victim.late),
        ]
    };
    Table {
        name: "sec6-resync".into(),
        caption: "A flow that conforms to its bucket, beside nine that send bursts.".into(),
        columns: vec![
            words("rule", "by which ports serve"),
            column("longest delay", "ms", "of the victim"),
            column("bound", "ms", "proved for the first two rules"),
            column("late", "packets", "left after stamp + longest transmission"),
        ],
        rows: RULES.iter().zip(victims).map(row).collect(),
    }
}

fn judge(run: &Run<Late>, bounds: &[Result<bound::Bound, bound::NoBound>]) -> Found {
    let mut found = Found {
        late: run.probe.late,
        ..Found::default()
    };
    for (flow, bound) in run.outcome.flows.iter().zip(bounds) {
        let Ok(bound) = bound else {
            continue;
        };
        let (delay, bound) = (flow.delay.max, (bound.delay + ROUNDING).ps());
        found.flows += 1;
        found.violations += u64::from(delay > bound);
        found.worst = found.worst.max(delay as f64 / bound as f64);
    }
    found
}

fn table(all: &[Found], networks: u64) -> Table {
    // The ranks of these are no instants.
    let has_stamps = |name: &str| !matches!(name, "WFQ" | "WF2Q+" | "FIFO");
    let row = |(rule, found): (&Rule, &Found)| {
        let late = has_stamps(rule.name).then_some(found.late);
        vec![
            Cell::from(rule.name),
            Cell::from(found.flows),
            Cell::from(found.violations),
            Cell::float(found.worst, 4),
            Cell::from(late),
        ]
    };
    Table {
        name: "sec6-bound".into(),
        caption: format!("{networks} random networks under each rule."),
        columns: vec![
            words("rule", "by which ports serve"),
            column(
                "flows",
                "",
                "that conform to their bucket: they have a bound",
            ),
            column(
                "beyond the bound",
                "flows",
                "with a packet beyond the bound",
            ),
            column(
                "worst",
                "of its bound",
                "largest delay over the bound of its flow",
            ),
            column("late", "packets", "left after stamp + longest transmission"),
        ],
        rows: RULES.iter().zip(all).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bounds_hold(measured: &[Measured], name: &str) -> bool {
        let mut found = measured.iter();
        let found = found.find(|one| one.name == name).expect(name);
        let bounds = found.bounds.expect("it is bounded");
        (bounds.low..=bounds.high).contains(&found.value)
    }

    #[test]
    fn one_packet_too_late_in_one_network_is_seen() {
        let good = Found {
            flows: 3,
            ..Found::default()
        };
        let bad = Found {
            violations: 1,
            late: 1,
            ..good
        };
        let mut networks = vec![[good; RULES.len()]; 1500];
        let names = ["violations_idle_link", "late_idle_link", "violations_none"];
        let of_good = in_networks(&networks);
        assert!(names.iter().all(|name| bounds_hold(&of_good, name)));
        assert!(!bounds_hold(&of_good, "late_literal"));
        networks[700] = [bad; RULES.len()];
        let of_bad = in_networks(&networks);
        assert!(!names.iter().any(|name| bounds_hold(&of_bad, name)));
        assert!(bounds_hold(&of_bad, "late_literal"));
        assert_eq!(of_bad[1].value, 3.0);
    }

    #[test]
    fn the_literal_rule_breaks_the_bound_of_the_victim_and_no_other_does() {
        let resync = resync(&Lab::default()).expect("it runs");
        let measured = of_victim(&resync);
        let names = measured.iter().map(|one| one.name.clone());
        for name in names.collect::<Vec<_>>() {
            assert!(bounds_hold(&measured, &name), "{name}");
        }
        assert!(resync[LITERAL].late > 0 && resync[IDLE_LINK].late == 0);
        let swapped: Vec<Victim> = resync.into_iter().rev().collect();
        assert!(!bounds_hold(
            &of_victim(&swapped),
            "delay_over_bound_idle_link"
        ));
    }

    #[test]
    fn a_random_network_keeps_its_bounds_but_under_fifo() {
        let lab = Lab::default();
        let fifo = RULES
            .iter()
            .position(|rule| rule.name == "FIFO")
            .expect("FIFO");
        let found = [1, 2, 3].map(|number| network(&lab, number).expect("it runs"));
        let kept = found.map(|all| all[IDLE_LINK].violations);
        let broken: u64 = found.iter().map(|all| all[fifo].violations).sum();
        assert_eq!(kept, [0; 3]);
        assert!(broken > 0, "FIFO keeps no bound");
        assert!(found.iter().all(|all| all[IDLE_LINK].worst <= 1.0));
    }
}
