//! Memory that all flows through a node share: who is refused when, to the picosecond, and what
//! holds in any network.

use crate::common;
mod thresholds;

use backwater_kernel::{Duration, Rate, Rings, Stop, Time};
use backwater_net::outcome::{LossCause, Outcome};
use backwater_net::probe::{Audit, Crossing, Probe};
use backwater_net::spec::*;
use backwater_net::{Network, Simulation, watched};
use common::*;

fn pool(units: u32, when_full: WhenFull, hold: Hold) -> PoolSpec {
    PoolSpec {
        limit_units: Some(units),
        limit_bytes: None,
        when_full,
        hold,
        alpha: None,
    }
}

/// Each loss: when, which leg, which unit, why.
#[derive(Default)]
struct Losses(Vec<(Time, u32, u64, LossCause)>);

impl Probe for Losses {
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {
        let (at, leg, number) = (crossing.at, crossing.leg, crossing.value);
        self.0.push((at, leg, number, cause));
    }
}

/// Runs to the end; nothing may be broken, and the audit must agree.
fn run_audited(spec: &NetworkSpec) -> (Outcome, Vec<(Time, u32, u64, LossCause)>) {
    let probe = (Audit::new(spec), Losses::default());
    let (probe, outcome) = watched(spec, probe).expect("it is sound");
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    let (audit, losses) = probe;
    assert_eq!(
        audit.checks().violations().total(),
        0,
        "{:?}",
        audit.checks().violations().kept()
    );
    (outcome, losses.0)
}

/// Hosts that reach S one cell time after they send; from S to B and C a unit takes ten.
struct Star {
    net: Net,
    s: u32,
    to_b: u32,
    to_c: u32,
}

fn star(pool: PoolSpec) -> Star {
    let mut net = Net::new(Timing::CutThrough, cells(1), at(1000));
    let s = net.node("S", NodeKind::Switch);
    net.spec.nodes[s as usize].pool = Some(pool);
    let [b, c] = ["B", "C"].map(|name| net.node(name, NodeKind::Host));
    let (to_b, to_c) = (net.link(s, b), net.link(s, c));
    for link in &mut net.spec.links {
        link.channels[0].rate.0 /= 10;
    }
    Star { net, s, to_b, to_c }
}

impl Star {
    /// A flow of its own host: `total` units, the first reaches S at `first`, then one a cell.
    fn flow(&mut self, out: u32, first: Time, total: u64) -> usize {
        let name = format!("H{}", self.net.spec.nodes.len());
        let host = self.net.node(&name, NodeKind::Host);
        let entry = self.net.link(host, self.s);
        let flow = self.net.flow(host, &[entry, out], FlowControlSpec::None);
        self.net.spec.flows[flow].traffic = TrafficSpec::Constant {
            start: Time(first.ps() - cells(1).ps()),
            interval: cells(1),
            random_phase: false,
            total: Some(total),
        };
        flow
    }
}

/// How long a unit takes out of S, in picoseconds: ten cell times but for rounding.
fn long() -> Duration {
    Rate(RATE.0 / 10).serialization(BYTES as u64)
}

/// A unit starts on the way to B at 20 and leaves S `long` later, when the next one starts.
/// Another one comes at `comes` to a pool that then holds no more than these.
fn is_admitted(units: u32, hold: Hold, comes: Time) -> bool {
    let mut star = star(pool(units, WhenFull::TailDrop, hold));
    star.flow(star.to_b, at(20), 2);
    let late = star.flow(star.to_b, comes, 1);
    let (outcome, losses) = run_audited(&star.net.spec);
    let is_lost = outcome.flows[late].lost_total == 1;
    assert_eq!(losses.len(), is_lost as usize);
    assert_eq!(
        outcome.flows[late].drops.by(LossCause::Pool),
        losses.len() as u64
    );
    assert_eq!(outcome.nodes[0].pool_max_total, units as u64);
    !is_lost
}

/// One place: until its start the second unit has it. Who comes in the instant in which it
/// starts still finds it there.
#[test]
fn a_place_is_held_until_the_start_or_the_end() {
    let start = at(20) + long();
    for comes in [at(22), start] {
        assert!(!is_admitted(1, Hold::Start, comes), "{comes:?}");
    }
    assert!(is_admitted(1, Hold::Start, start + Duration(1)));
    // The second unit comes at 21 to a place held to its end.
    let mut one = star(pool(1, WhenFull::TailDrop, Hold::End));
    one.flow(one.to_b, at(20), 2);
    assert_eq!(run_audited(&one.net.spec).0.flows[0].lost_total, 1);
    let before = |at: Time| Time(at.ps() - 1);
    assert!(!is_admitted(2, Hold::End, before(start)));
    assert!(is_admitted(2, Hold::End, start));
}

/// A place held to the end is free one unit time after a place held to the start, which the unit
/// that starts in this instant holds until the instant is over.
#[test]
fn end_and_start_differ_by_one_unit_time() {
    let first_admitted = |hold| {
        let is_lost = |later: u64| {
            let mut star = star(pool(1, WhenFull::TailDrop, hold));
            star.flow(star.to_b, at(20), 1);
            star.flow(star.to_c, at(20) + Duration(later), 1);
            run_audited(&star.net.spec).0.flows[1].lost_total == 1
        };
        let (mut low, mut high) = (0, 3 * long().ps());
        while low < high {
            let middle = (low + high) / 2;
            (low, high) = if is_lost(middle) {
                (middle + 1, high)
            } else {
                (low, middle)
            };
        }
        low
    };
    assert_eq!(first_admitted(Hold::Start), 1);
    assert_eq!(first_admitted(Hold::End), long().ps());
}

/// Three wait for B, one for C; the pool of four is full when another comes for C. It is put in,
/// and the last of the flow with most units for B goes.
#[test]
fn the_longest_queue_loses_its_last_unit() {
    let mut star = star(pool(4, WhenFull::PushOut, Hold::Start));
    let (to_b, to_c) = (star.to_b, star.to_c);
    // Units 0 start at once; 1 and 2 of the first flow and 0 of the second wait for B.
    let many = star.flow(to_b, at(20), 3);
    let few = star.flow(to_b, at(23), 1);
    let other = star.flow(to_c, at(20), 2);
    let newcomer = star.flow(to_c, at(24), 1);
    let (outcome, losses) = run_audited(&star.net.spec);
    assert_eq!(losses, [(at(24), 1, 2, LossCause::PushOut)]);
    let lost = |flow: usize| outcome.flows[flow].drops.by(LossCause::PushOut);
    assert_eq!([many, few, other, newcomer].map(lost), [1, 0, 0, 0]);
    assert_eq!(outcome.legs[1].dropped_waiting_total, 1);
    assert_eq!(outcome.legs[0].dropped_total, 0);
    assert_eq!(outcome.nodes[0].pool_max_total, 4);
    assert_eq!(outcome.stop, Stop::Drained);
}

/// Who comes for the longest queue makes it longer, and may be the one that goes: the only flow
/// there, or of two with as many units the later one in the scenario.
#[test]
fn the_newcomer_may_be_the_one() {
    let mut alone = star(pool(2, WhenFull::PushOut, Hold::Start));
    alone.flow(alone.to_b, at(20), 4);
    let (_, losses) = run_audited(&alone.net.spec);
    assert_eq!(losses, [(at(23), 1, 3, LossCause::PushOut)]);
    let mut shared = star(pool(2, WhenFull::PushOut, Hold::Start));
    for (first, total) in [(20, 2), (22, 1), (23, 1)] {
        shared.flow(shared.to_b, at(first), total);
    }
    let (_, losses) = run_audited(&shared.net.spec);
    assert_eq!(losses, [(at(23), 5, 0, LossCause::PushOut)]);
}

#[test]
fn of_equal_queues_the_lower_channel_loses() {
    let mut star = star(pool(2, WhenFull::PushOut, Hold::Start));
    let (to_b, to_c) = (star.to_b, star.to_c);
    star.flow(to_c, at(20), 2);
    star.flow(to_b, at(20), 2);
    // 1 waits for each; the next two make one of them longer.
    star.flow(to_b, at(24), 1);
    star.flow(to_c, at(25), 1);
    let (_, losses) = run_audited(&star.net.spec);
    let lost: Vec<(Time, u32)> = losses.iter().map(|loss| (loss.0, loss.1)).collect();
    assert_eq!(lost, [(at(24), 5), (at(25), 7)]);
}

/// Where units are ranked the last rank goes: in order of arrival the newcomer, although the
/// other flow has more units there.
#[test]
fn of_ranked_units_the_last_goes() {
    let mut star = star(pool(2, WhenFull::PushOut, Hold::Start));
    let to_b = star.to_b;
    star.net.spec.links[0].channels[0].scheduler = SchedulerSpec::Fifo;
    star.flow(to_b, at(20), 3);
    star.flow(to_b, at(24), 1);
    let (outcome, losses) = run_audited(&star.net.spec);
    assert_eq!(losses, [(at(24), 3, 0, LossCause::PushOut)]);
    assert_eq!(outcome.stop, Stop::Drained);
}

/// One long unit makes two short ones go; what is held is counted in bytes.
#[test]
fn a_pool_of_bytes_pushes_out_until_it_fits() {
    let mut star = star(PoolSpec {
        limit_units: None,
        limit_bytes: Some(4 * BYTES as u64),
        when_full: WhenFull::PushOut,
        hold: Hold::Start,
        alpha: None,
    });
    let (to_b, to_c) = (star.to_b, star.to_c);
    star.flow(to_b, at(20), 5);
    star.flow(to_c, at(20), 1);
    let long = star.flow(to_c, at(26), 1);
    star.net.spec.flows[long].unit_bytes = 2 * BYTES;
    let (outcome, losses) = run_audited(&star.net.spec);
    let lost: Vec<(u32, u64)> = losses.iter().map(|loss| (loss.1, loss.2)).collect();
    assert_eq!(lost, [(1, 4), (1, 3)]);
    assert_eq!(outcome.flows[long].delivered_total, 1);
}

/// A unit for B (fast) and C (slow) stands in memory once. When C's entry is pushed out, B has
/// its own all the same.
#[test]
fn a_pushed_out_branch_loses_what_is_behind_it() {
    let mut star = star(pool(3, WhenFull::PushOut, Hold::Start));
    let (to_b, to_c) = (star.to_b, star.to_c);
    star.net.spec.links[0].channels[0].rate = RATE;
    let flow = star.flow(to_b, at(20), 8);
    star.net.spec.flows[flow].legs.push(leg(to_c, Some(0)));
    let (outcome, losses) = run_audited(&star.net.spec);
    // At 24 units 1 to 3 wait for C. Unit 4 loses its entry there, but B has still to send it:
    // unit 3 goes as well. Then B sends, and the same happens with every other unit.
    let lost: Vec<(Time, u32, u64)> = losses.iter().map(|loss| (loss.0, loss.1, loss.2)).collect();
    let expected = [(24, 4), (24, 3), (26, 6), (26, 5)].map(|(when, unit)| (at(when), 2, unit));
    assert_eq!(lost, expected);
    let flow = &outcome.flows[flow];
    assert_eq!((flow.offered_total, flow.delivered_total), (16, 12));
    assert_eq!(outcome.legs[1].sent_total, 8);
    assert_eq!(outcome.legs[2].sent_total, 4);
    assert_eq!(outcome.legs[2].dropped_waiting_total, 4);
}

/// Held to the end, a unit of two branches counts once, until the slower one has sent it.
#[test]
fn a_branching_unit_is_held_until_its_slowest_branch_ends() {
    for (comes, lost) in [(at(20) + long(), 0), (Time((at(20) + long()).ps() - 1), 1)] {
        let mut star = star(pool(1, WhenFull::TailDrop, Hold::End));
        let (to_b, to_c) = (star.to_b, star.to_c);
        star.net.spec.links[0].channels[0].rate = RATE;
        let tree = star.flow(to_b, at(20), 1);
        star.net.spec.flows[tree].legs.push(leg(to_c, Some(0)));
        let late = star.flow(to_b, comes, 1);
        let (outcome, _) = run_audited(&star.net.spec);
        assert_eq!(outcome.flows[tree].delivered_total, 2);
        assert_eq!(outcome.flows[late].lost_total, lost);
    }
}

/// What a host's slow application has not taken is in the host's pool; what it takes at once is
/// not, and neither is what a source has not sent.
#[test]
fn a_host_holds_what_it_receives() {
    let mut net = Net::new(Timing::CutThrough, cells(1), at(100));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.flow(a, &[link], FlowControlSpec::None);
    for node in [a, b] {
        net.spec.nodes[node as usize].pool = Some(pool(5, WhenFull::PushOut, Hold::Start));
    }
    let (outcome, _) = run_audited(&net.spec);
    assert_eq!(
        (outcome.flows[0].lost_total, outcome.nodes[1].pool_max_total),
        (0, 0)
    );
    net.spec.flows[0].sink = SinkSpec::Limited {
        interval: cells(1000),
    };
    let (outcome, losses) = run_audited(&net.spec);
    // Unit 0 is taken at once, 1 to 5 are stored, of the rest up to 98 none.
    assert_eq!(losses.len(), 100 - 6);
    assert!(
        losses
            .iter()
            .all(|loss| loss.1 == 0 && loss.3 == LossCause::Pool)
    );
    assert_eq!(outcome.nodes[b as usize].pool_max_total, 5);
}

#[test]
fn pools_that_cannot_work_are_refused() {
    let refusal = |change: &dyn Fn(&mut Star)| {
        let mut star = star(pool(2, WhenFull::PushOut, Hold::Start));
        let to_b = star.to_b;
        star.flow(to_b, at(20), 3);
        change(&mut star);
        let built = Simulation::<Rings>::new(&star.net.spec);
        built.err().map_or(String::new(), |error| error.0)
    };
    assert_eq!(refusal(&|_| {}), "");
    let none = |star: &mut Star| {
        star.net.spec.nodes[0].pool = Some(pool(0, WhenFull::TailDrop, Hold::End));
    };
    assert!(refusal(&none).contains("can't hold a unit of 53 bytes"));
    let small = |star: &mut Star| {
        star.net.spec.nodes[0]
            .pool
            .as_mut()
            .expect("it has one")
            .limit_bytes = Some(52);
    };
    assert!(refusal(&small).contains("can't hold a unit of 53 bytes"));
    let credit = |star: &mut Star| {
        star.net.spec.flows[0].legs[0].flow_control = star.net.n23(10, 10);
    };
    assert!(refusal(&credit).contains("credit reserves memory"));
}

fn draw_pool(dice: &mut Dice) -> PoolSpec {
    let limit_units = (!dice.one_in(4)).then(|| dice.between(1, 12) as u32);
    let bytes = BYTES as u64 * dice.between(2, 12);
    PoolSpec {
        limit_units,
        limit_bytes: (limit_units.is_none() || dice.one_in(3)).then_some(bytes),
        when_full: if dice.one_in(3) {
            WhenFull::TailDrop
        } else {
            WhenFull::PushOut
        },
        hold: if dice.one_in(2) {
            Hold::Start
        } else {
            Hold::End
        },
        alpha: None,
    }
}

/// Any traffic, sizes, trees, slow sinks, lossy wires, sessions; a pool in each node.
fn drawn(seed: u64) -> NetworkSpec {
    let mut dice = Dice::new(seed);
    let mut drawn = Drawn::new(&mut dice, at(4000));
    for _ in 0..dice.between(2, 8) {
        let flow = drawn.flow(&mut dice);
        let flow = &mut drawn.net.spec.flows[flow];
        flow.traffic = draw_traffic(&mut dice);
        flow.unit_bytes = BYTES / 2 * dice.between(1, 4) as u32;
        flow.priority = 1 - dice.between(0, 1) as u8;
        if dice.one_in(4) {
            let interval = cells(dice.between(1, 8));
            flow.sink = SinkSpec::Limited { interval };
        }
        if dice.one_in(4) {
            flow.session = Some(SessionSpec {
                open: at(dice.between(0, 100)),
                close: Some(at(dice.between(300, 2000))),
                message_bytes: BYTES,
            });
        }
    }
    let spec = &mut drawn.net.spec;
    for node in &mut spec.nodes {
        node.pool = Some(draw_pool(&mut dice));
    }
    for link in &mut spec.links {
        for side in &mut link.channels {
            side.errors.data_loss = if dice.one_in(4) { 0.05 } else { 0.0 };
            if dice.one_in(3) {
                side.scheduler = SchedulerSpec::Fifo;
            }
        }
    }
    spec.clone()
}

/// Instants at which some pool held more than its limit.
struct Levels {
    limits: Vec<Option<PoolSpec>>,
    beyond: u64,
    full: u64,
}

impl Levels {
    fn of(spec: &NetworkSpec) -> Levels {
        Levels {
            limits: spec.nodes.iter().map(|node| node.pool).collect(),
            beyond: 0,
            full: 0,
        }
    }

    fn note(&mut self, node: usize, (units, bytes): (u64, u64)) {
        let Some(limit) = self.limits[node] else {
            return;
        };
        let most_units = limit.limit_units.map_or(u64::MAX, u64::from);
        let most_bytes = limit.limit_bytes.unwrap_or(u64::MAX);
        self.beyond += (units > most_units || bytes > most_bytes) as u64;
        self.full += (units == most_units || bytes + BYTES as u64 > most_bytes) as u64;
    }
}

impl Probe for Levels {
    fn after_instant(&mut self, at: Time, network: &Network) {
        for node in 0..self.limits.len() {
            if let Some(level) = network.pooled(node as u32, at) {
                self.note(node, level);
            }
        }
    }
}

#[test]
fn pools_keep_their_limits_and_everything_balances_in_any_network() {
    let (mut refused, mut pushed_out, mut full) = (0, 0, 0);
    for seed in 0..60 {
        let spec = drawn(seed);
        let probe = (Audit::new(&spec), Levels::of(&spec));
        let (probe, outcome) = watched(&spec, probe).expect("it is sound");
        assert_eq!(
            outcome.violations.total(),
            0,
            "{seed}: {:?}",
            outcome.violations
        );
        let (audit, levels) = probe;
        assert_eq!(
            audit.checks().violations().total(),
            0,
            "{seed}: {:?}",
            audit.checks().violations().kept()
        );
        assert_eq!(levels.beyond, 0, "{seed}");
        full += levels.full;
        for flow in &outcome.flows {
            assert_eq!(flow.lost_total, flow.drops.total(), "{seed}");
            let accounted = flow.delivered_total + flow.lost_total + flow.inside_total;
            assert_eq!(flow.offered_total, accounted, "{seed}");
            refused += flow.drops.by(LossCause::Pool) + flow.drops.by(LossCause::Threshold);
            pushed_out += flow.drops.by(LossCause::PushOut);
        }
    }
    assert!(refused > 1000 && pushed_out > 1000 && full > 1000);
}

#[test]
fn a_level_beyond_its_limit_is_seen() {
    let mut levels = Levels::of(&star(pool(3, WhenFull::TailDrop, Hold::End)).net.spec);
    levels.note(0, (3, 1000));
    assert_eq!(levels.beyond, 0);
    levels.note(0, (4, 1000));
    assert_eq!(levels.beyond, 1);
}

/// An audit told of a smaller pool finds too much in it.
#[test]
fn the_audit_sees_a_pool_beyond_its_limit() {
    let mut star = star(pool(3, WhenFull::PushOut, Hold::End));
    let to_b = star.to_b;
    star.flow(to_b, at(20), 9);
    let mut smaller = star.net.spec.clone();
    smaller.nodes[0].pool = Some(pool(2, WhenFull::PushOut, Hold::End));
    let audit = Audit::new(&smaller);
    let (probe, _) = watched(&star.net.spec, audit).expect("it is sound");
    let violations = probe.checks().violations().kept();
    assert!(violations[0].what.contains("holds 3 units, 159 bytes"));
    run_audited(&star.net.spec);
}
