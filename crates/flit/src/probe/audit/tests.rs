//! Negative controls: whatever is wrong in the engine's state shows at the end of the cycle.

use alloc::vec;

use super::Audit;
use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::simulation::Simulation;
use crate::spec::*;
use crate::topology;
use crate::traffic::testing::{class, spec as small};

const CYCLES: u64 = 200;

/// A loaded ring of four, with flits and credits under way.
fn ring(switch: Switch) -> FabricSpec {
    let mut spec = small(Shape::Crossbar, 0);
    spec.graph = topology::torus(&[4], 1, 2).expect("a ring");
    spec.routing = RoutingSpec::Dateline;
    spec.router.switch = switch;
    spec.router.credit_delay = 3;
    spec.classes = vec![class(Injection::Bernoulli { load: 0.9 })];
    spec.classes[0].size = Size::Fixed(5);
    spec
}

fn multiplexed(output_buffer: u16) -> Switch {
    Switch::Multiplexed {
        allocator: Allocator::SeparableInputFirst,
        output_buffer,
        speedup: 1,
    }
}

/// What an audit says of a cycle at whose end `change` found something to change.
fn seen(switch: Switch, change: impl Fn(&mut Fabric) -> Option<()>) -> alloc::string::String {
    let spec = ring(switch);
    let audit = Audit::new(&spec).expect("it builds");
    let mut simulation = Simulation::with_probe(&spec, audit).expect("it builds");
    for cycle in CYCLES.. {
        simulation.run_until(cycle);
        assert_eq!(simulation.probe().violations().total(), 0);
        if change(&mut simulation.fabric).is_some() {
            break;
        }
        assert!(cycle < 2 * CYCLES, "nothing to change");
    }
    // The end of the cycle again.
    simulation.fabric.now -= 1;
    simulation.probe_mut().compare_after = 0;
    simulation.probe_mut().walked.times = 0;
    simulation.report();
    let violations = simulation.probe().violations();
    violations
        .kept()
        .iter()
        .map(|found| found.what.as_str())
        .collect()
}

fn assert_seen(change: impl Fn(&mut Fabric) -> Option<()>, expected: &str) {
    for switch in [Switch::Crossbar, multiplexed(0), multiplexed(2)] {
        let what = seen(switch, &change);
        assert!(what.contains(expected), "{switch:?}: {what:?}");
    }
}

/// Input lanes between routers whose front packet goes on and has flits here.
fn busy_lane(fabric: &Fabric) -> Option<usize> {
    let sources = (fabric.layout.sources << fabric.layout.shift) as usize;
    let nobody = fabric.layout.no_out();
    let is_busy = |state: &crate::lane::InLane| state.count[0] > 0 && state.link != nobody;
    fabric.input[..sources].iter().position(is_busy)
}

/// A channel between routers, and a lane of it that is free or not.
fn lane_where(fabric: &Fabric, is_free: bool) -> Option<(usize, u32)> {
    let channels = fabric.layout.spec_out[..fabric.layout.inject as usize].iter();
    let real = channels.enumerate().filter(|(_, spec)| **spec < 8);
    let mut lanes = real.flat_map(|(out, _)| (0..4).map(move |lane| (out, lane)));
    lanes.find(|(out, lane)| (fabric.out_channels[*out].free >> lane & 1 == 1) == is_free)
}

#[test]
fn untouched_it_is_right() {
    for switch in [Switch::Crossbar, multiplexed(0), multiplexed(2)] {
        assert_eq!(seen(switch, |_| Some(())), "");
    }
}

#[test]
fn a_credit_too_many_is_seen() {
    assert_seen(
        |fabric| {
            let (out, lane) = lane_where(fabric, false)?;
            fabric.output[(out << 2) + lane as usize].credits += 1;
            Some(())
        },
        "not 4 in all",
    );
}

#[test]
fn a_credit_lost_under_way_is_seen() {
    assert_seen(
        |fabric| {
            let mut cycles = fabric.now..fabric.now + 3;
            cycles.find_map(|cycle| fabric.credits.at(cycle).pop().map(|_| ()))
        },
        "not 4 in all",
    );
}

#[test]
fn a_flit_lost_under_way_is_seen() {
    assert_seen(
        |fabric| fabric.arrivals.at(fabric.now).pop().map(|_| ()),
        "not 4 in all",
    );
}

/// The sum alone would not show it.
#[test]
fn a_flit_that_jumps_ahead_is_seen() {
    assert_seen(
        |fabric| {
            let lane = fabric.arrivals.at(fabric.now).pop()?;
            fabric.input[lane as usize].count[0] += 1;
            Some(())
        },
        "credits, flits, flits buffered are",
    );
}

#[test]
fn a_flit_dropped_from_a_buffer_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)?;
            fabric.input[lane].count[0] -= 1;
            Some(())
        },
        "not 4 in all",
    );
}

#[test]
fn a_lane_freed_too_soon_is_seen() {
    assert_seen(
        |fabric| {
            let (out, lane) = lane_where(fabric, false)?;
            fabric.out_channels[out].free |= 1 << lane;
            Some(())
        },
        "counts as free: true",
    );
}

#[test]
fn a_lane_never_freed_is_seen() {
    assert_seen(
        |fabric| {
            let (out, lane) = lane_where(fabric, true)?;
            fabric.out_channels[out].free &= !(1 << lane);
            Some(())
        },
        "counts as free: false",
    );
}

#[test]
fn a_holder_forgotten_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)?;
            let nobody = fabric.layout.no_in();
            fabric.output[fabric.input[lane].link as usize].link = nobody;
            Some(())
        },
        "which",
    );
}

#[test]
fn a_packet_sent_astray_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)?;
            if fabric.input[lane].left & crate::lane::FRESH != 0 {
                return None;
            }
            fabric.input[lane].link ^= 1;
            Some(())
        },
        "its first packet goes on by",
    );
}

#[test]
fn a_flit_forgotten_by_its_seat_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)? as u32;
            let seat = fabric.seat(lane, fabric.input[lane as usize].link);
            fabric.words[(seat >> 2) as usize] &= !(1 << (seat & 3));
            Some(())
        },
        "its bits say false",
    );
}

#[test]
fn a_block_skipped_is_seen() {
    assert_seen(
        |fabric| {
            busy_lane(fabric)?;
            fabric.summary.fill(0);
            Some(())
        },
        "but is skipped",
    );
}

#[test]
fn a_channel_skipped_is_seen() {
    assert_seen(
        |fabric| {
            busy_lane(fabric)?;
            fabric.active.fill(0);
            Some(())
        },
        "isn't what its bit says",
    );
}

#[test]
fn a_seat_miscounted_is_seen() {
    assert_seen(
        |fabric| {
            fabric.held[0] += 1;
            Some(())
        },
        "not as many as counted",
    );
}

#[test]
fn a_packet_that_takes_another_one_s_place_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)?;
            let held = fabric.input[lane].front;
            let mut others = fabric.input.iter().map(|lane| lane.front);
            let other = others.find(|id| *id != NONE && *id != held);
            fabric.input[lane].front = other?;
            Some(())
        },
        "is its first, should be",
    );
}

#[test]
fn a_packet_with_a_flit_too_many_is_seen() {
    assert_seen(
        |fabric| {
            let lane = busy_lane(fabric)?;
            fabric.input[lane].left += 1;
            Some(())
        },
        "flits of its first packet are left",
    );
}

#[test]
fn totals_out_of_balance_are_seen() {
    let changes: [fn(&mut Fabric); 3] = [
        |fabric| fabric.created += 1,
        |fabric| fabric.injected += 1,
        |fabric| fabric.delivered += 1,
    ];
    for change in changes {
        assert_seen(
            |fabric| {
                change(fabric);
                Some(())
            },
            "the engine counts",
        );
    }
}

#[test]
fn packets_lost_at_their_source_are_seen() {
    assert_seen(
        |fabric| {
            let first = fabric.layout.sources << fabric.layout.shift;
            let mut fronts = fabric.input[first as usize..].iter().map(|lane| lane.front);
            let waiting = |id: &u32| *id != NONE && fabric.packets.get(*id).next != NONE;
            let id = fronts.find(waiting)?;
            fabric.packets.get_mut(id).next = NONE;
            Some(())
        },
        "wait there",
    );
}

/// Cycles after `change` until an audit that looks now and then says so; what it says.
fn seen_while_running(
    switch: Switch,
    compares: bool,
    change: impl Fn(&mut Fabric) -> Option<()>,
) -> (u64, alloc::string::String) {
    let spec = ring(switch);
    let audit = Audit::new(&spec).expect("it builds");
    let mut simulation = Simulation::with_probe(&spec, audit).expect("it builds");
    simulation.run_until(CYCLES);
    if !compares {
        simulation.probe_mut().compare_after = u64::MAX;
    }
    while change(&mut simulation.fabric).is_none() {
        simulation.run_until(simulation.fabric.now + 1);
    }
    let changed = simulation.fabric.now;
    assert_eq!(simulation.probe().violations().total(), 0);
    while simulation.probe().violations().total() == 0 {
        assert!(simulation.fabric.now < changed + 1_000, "never seen");
        simulation.run_until(simulation.fabric.now + 1);
    }
    let found = simulation.probe().violations().kept()[0].what.clone();
    (simulation.fabric.now - changed, found)
}

/// Each of the four moves a lane that make a comparison due takes a cycle at most: so a lane
/// that nothing moves in is seen to be wrong within four times as many cycles as there are lanes.
#[test]
fn what_is_wrong_is_seen_within_the_cycles_promised() {
    let changes: [fn(&mut Fabric) -> Option<()>; 5] = [
        |fabric| {
            let (out, lane) = lane_where(fabric, true)?;
            fabric.out_channels[out].free &= !(1 << lane);
            Some(())
        },
        |fabric| {
            let mut cycles = fabric.now..fabric.now + 3;
            cycles.find_map(|cycle| fabric.credits.at(cycle).pop().map(|_| ()))
        },
        |fabric| {
            let (out, lane) = lane_where(fabric, false)?;
            fabric.output[(out << 2) + lane as usize].credits += 1;
            Some(())
        },
        |fabric| {
            fabric.held[0] += 1;
            Some(())
        },
        |fabric| {
            fabric.created += 1;
            Some(())
        },
    ];
    // Channels of the ring, injection and ejection, four lanes each; a ring moves flits all the
    // time, so it is seen much sooner than promised.
    let (lanes, promised) = (4 * (8 + 4 + 4), 4 * 64);
    for switch in [Switch::Crossbar, multiplexed(0), multiplexed(2)] {
        for change in changes {
            let (cycles, what) = seen_while_running(switch, true, change);
            assert!(cycles <= promised, "{switch:?}: after {cycles}: {what}");
            assert!(cycles <= lanes, "{switch:?}: after {cycles}: {what}");
        }
    }
}

/// Lanes that flits move through are looked at in the same cycle, without any comparison.
#[test]
fn what_flits_touch_is_seen_at_once() {
    let stored = |fabric: &mut Fabric| {
        let lane = busy_lane(fabric)?;
        let state = &mut fabric.input[lane];
        (state.count[1] == 0 && state.left & crate::lane::FRESH == 0 && state.left > 2)
            .then(|| state.count[0] += 1)
    };
    let credits = |fabric: &mut Fabric| {
        let lane = busy_lane(fabric)?;
        let into = fabric.input[lane].link as usize;
        fabric.output[into].credits += 1;
        Some(())
    };
    for switch in [Switch::Crossbar, multiplexed(0), multiplexed(2)] {
        let (_, what) = seen_while_running(switch, false, stored);
        assert!(what.contains("flits stored, should be"), "{what}");
        let (_, what) = seen_while_running(switch, false, credits);
        assert!(what.contains("credits, should be"), "{what}");
    }
}

#[test]
fn it_says_how_much_it_has_looked_at() {
    let spec = ring(Switch::Crossbar);
    let run = |audit: Audit| {
        let mut simulation = Simulation::with_probe(&spec, audit).expect("it builds");
        simulation.run_until(1_000);
        simulation.look_over();
        simulation.look_over();
        (simulation.probe().coverage(), simulation.probe().checks())
    };
    let (some, checks) = run(Audit::new(&spec).expect("it builds"));
    assert_eq!(some.cycles, 1_000);
    let (compared, within) = (some.compared, some.compared_within);
    assert!(
        (20..500).contains(&compared) && (2..=128).contains(&within),
        "{some:?}"
    );
    assert!(some.walked > 1 && some.walked_within < 1_000, "{some:?}");
    let (all, more) = run(Audit::of_every_cycle(&spec).expect("it builds"));
    assert_eq!((all.compared, all.compared_within), (1_000, 1));
    assert!(more > 3 * checks, "{more} {checks}");
}
