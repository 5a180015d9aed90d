//! Negative controls: every law notices what it is there for.

use backwater_flit::spec::Switch;

use super::super::network::{End, Flying, InLane, Network};
use super::{busy, crossbar};

const BEFORE: u64 = 60;
const AFTER: u64 = 60;

/// The error after `tamper` found something to change at the end of a cycle.
fn complaint(tamper: fn(&mut Network) -> Option<()>) -> String {
    let mut network = Network::new(&busy(crossbar(5), Switch::Crossbar)).expect("it builds");
    let mut done = false;
    for now in 0..BEFORE + AFTER {
        if let Err(error) = network.cycle(now) {
            assert!(done, "broken before anything was changed: {error}");
            return error.0;
        }
        if now >= BEFORE && !done {
            done = tamper(&mut network).is_some();
        }
    }
    assert!(done, "nothing to change");
    String::new()
}

fn assert_noticed(tamper: fn(&mut Network) -> Option<()>, expected: &str) {
    let complaint = complaint(tamper);
    assert!(complaint.contains(expected), "{complaint:?}");
}

/// Lanes of the router.
fn lanes(network: &mut Network) -> impl Iterator<Item = &mut InLane> {
    network.nodes[0]
        .inputs
        .iter_mut()
        .flat_map(|input| &mut input.lanes)
}

fn on_the_way(network: &mut Network) -> impl Iterator<Item = &mut Flying> {
    let to_router = |channel: &&mut super::super::network::Channel| {
        matches!(channel.end, End::Router { .. }) && !channel.flying.is_empty()
    };
    let channels = network.channels.iter_mut().filter(to_router);
    channels.flat_map(|channel| &mut channel.flying)
}

#[test]
fn untouched_it_runs() {
    assert_eq!(complaint(|_| Some(())), "");
}

#[test]
fn a_lost_flit_is_missed() {
    assert_noticed(
        |network| {
            let mut full = lanes(network).filter(|lane| lane.buffer.len() > 1);
            full.next()?.buffer.pop_back().map(|_| ())
        },
        "flits born",
    );
}

#[test]
fn a_lost_credit_is_missed() {
    assert_noticed(
        |network| {
            let mut lanes = network.channels.iter_mut().flat_map(|c| &mut c.lanes);
            let credits = lanes.find_map(|lane| lane.credits.as_mut().filter(|left| **left > 0))?;
            *credits -= 1;
            Some(())
        },
        "depth 4",
    );
}

#[test]
fn a_credit_lost_on_its_way_is_missed() {
    assert_noticed(
        |network| {
            let mut channels = network.channels.iter_mut();
            channels.find_map(|channel| channel.credits_coming.pop().map(|_| ()))
        },
        "depth 4",
    );
}

#[test]
fn a_credit_for_the_wrong_lane_is_missed() {
    assert_noticed(
        |network| {
            let mut coming = network
                .channels
                .iter_mut()
                .flat_map(|c| &mut c.credits_coming);
            let entry = coming.next()?;
            entry.1 = (entry.1 + 1) % 3;
            Some(())
        },
        "depth 4",
    );
}

#[test]
fn flits_out_of_order_are_noticed() {
    assert_noticed(
        |network| {
            let mut flying = on_the_way(network);
            let flying = flying.find(|flying| flying.flit.index == 1)?;
            flying.flit.index = 3;
            Some(())
        },
        "expected",
    );
}

#[test]
fn a_flit_of_another_packet_in_between_is_noticed() {
    assert_noticed(
        |network| {
            let mut flying = on_the_way(network);
            let flying = flying.find(|flying| flying.flit.index == 2)?;
            flying.flit.packet -= 1;
            Some(())
        },
        "expected",
    );
}

#[test]
fn a_lane_given_away_too_early_is_noticed() {
    assert_noticed(
        |network| {
            let injection = &mut network.channels[..5];
            let mut lanes = injection.iter_mut().flat_map(|c| &mut c.lanes);
            let lane = lanes.find(|lane| lane.holder.is_some())?;
            lane.holder = None;
            Some(())
        },
        "holds it",
    );
}

#[test]
fn two_packets_with_one_lane_are_noticed() {
    assert_noticed(
        |network| {
            let mut targets = lanes(network).filter(|lane| lane.target.is_some());
            let (first, second) = (targets.next()?, targets.next()?);
            second.target = first.target;
            Some(())
        },
        "",
    );
    assert_noticed(
        |network| {
            let mut targets = lanes(network).filter(|lane| lane.target.is_some());
            let (first, second) = (targets.next()?, targets.next()?);
            second.target = first.target;
            Some(())
        },
        "holds it",
    );
}

#[test]
fn two_flits_on_a_channel_in_a_cycle_are_noticed() {
    assert_noticed(
        |network| {
            // As if all had sent in the next cycle already.
            for channel in &mut network.channels {
                channel.last_sent = channel.last_sent.map(|_| BEFORE + 1);
            }
            Some(())
        },
        "two flits",
    );
}

#[test]
fn a_flit_at_the_wrong_terminal_is_noticed() {
    assert_noticed(
        |network| {
            let packet = network.channels[5..]
                .iter()
                .find_map(|c| c.flying.front())?;
            let packet = packet.flit.packet;
            network.packets[packet].destination ^= 1;
            Some(())
        },
        "got a flit for",
    );
}
