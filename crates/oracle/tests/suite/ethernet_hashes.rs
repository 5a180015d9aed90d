//! Flows that are hashed to a few lanes, in the fast engine and the slow one; and the two ends of
//! that: one lane is a class, and a lane each is what flows have.

use backwater_net::frames::lane_counts;
use backwater_net::frames::probe::{Content, Gate};
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, Report, Scheme, Start, random_spec};

use crate::ethernet_agreement::{bites, plain, seen, under};
use crate::ethernet_common::fast;

fn hashed(mix: &mut Mix) {
    (mix.has_credits, mix.has_lanes, mix.has_hashes) = (true, true, true);
}

/// All credit of a network.
fn credits(spec: &mut EthernetSpec) -> impl Iterator<Item = &mut ClassCreditSpec> {
    let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
    channels.flat_map(|channel| channel.credits.iter_mut().flatten())
}

/// 231 networks: zones and counters, losses, several paths, copies, stops beside them.
#[test]
fn they_agree_on_hashed_lanes() {
    let reach = under(&[Scheme::Off, Scheme::Off, Scheme::Off], 20_200, hashed);
    assert!(reach.credits > 1_000, "{reach:?}");
    under(&[Scheme::Off, Scheme::Class], 23_500, |mix| {
        hashed(mix);
        (mix.has_tcp, mix.has_losses, mix.has_inputs) = (true, true, true);
    });
    under(&[Scheme::Off], 25_700, |mix| {
        hashed(mix);
        (mix.spread, mix.is_finite) = (Spread::Frames, true);
    });
    under(&[Scheme::Off], 26_900, |mix| {
        hashed(mix);
        mix.has_multicast = true;
    });
    under(&[Scheme::Off, Scheme::Off, Scheme::Class], 28_100, |mix| {
        hashed(mix);
        (mix.has_counters, mix.has_losses) = (true, true);
    });
    under(&[Scheme::Destination], 31_400, hashed);
}

/// The comparison sees one lane more.
#[test]
fn another_count_of_lanes_is_seen() {
    let mut mix = plain(Scheme::Off);
    hashed(&mut mix);
    let few = |credit: &ClassCreditSpec| matches!(credit.owner, Owner::Hash(2..=4));
    let matters = |spec: &EthernetSpec, report: &Report| {
        let own = credits(&mut spec.clone()).filter(|own| few(own)).count();
        own > 2 && report.starts.len() > 200
    };
    bites(seen(20_200, mix, matters, |spec| {
        for credit in credits(spec).filter(|own| few(own)) {
            if let Owner::Hash(lanes) = credit.owner {
                credit.owner = Owner::Hash(lanes + 1);
            }
        }
    }));
}

/// Every start, whatever messages of credit call its lane.
fn starts(spec: &EthernetSpec) -> Vec<Start> {
    let mut starts = fast(spec).0.starts;
    for start in &mut starts {
        if let Some(Content::Credit { lane, .. }) = &mut start.control {
            *lane = Gate::Class(lane.class().expect("of a class"));
        }
    }
    starts
}

/// Of random networks, whether they are meant, made ready for it.
type Ready = fn(&mut EthernetSpec) -> bool;

/// Random networks whose credit all has one owner, then another: how many had so much to compare,
/// and how many of them differ.
fn differ(mix: Mix, seeds: u64, owners: [Owner; 2], ready: Ready) -> [u64; 2] {
    let (mut all, mut differ) = (0, 0);
    for seed in seeds..seeds + 120 {
        let mut spec = random_spec(seed, mix);
        if !ready(&mut spec) {
            continue;
        }
        let [one, other] = owners.map(|owner| {
            credits(&mut spec).for_each(|credit| credit.owner = owner);
            starts(&spec)
        });
        if one.len() > 200 {
            all += 1;
            differ += u64::from(one != other);
        }
    }
    [all, differ]
}

/// One lane for all flows of a class is the class, start by start, where no timer speaks for
/// classes that nothing crosses.
#[test]
fn one_lane_is_the_class() {
    let mut mix = plain(Scheme::Off);
    hashed(&mut mix);
    let quiet: Ready = |spec| {
        for credit in credits(spec) {
            if let ClassCreditRule::Zones(rule) = &mut credit.rule {
                rule.refresh_every = None;
            }
        }
        true
    };
    let [all, other] = differ(mix, 33_000, [Owner::Class, Owner::Hash(1)], quiet);
    assert!(all > 60 && other == 0, "{other} of {all} differ");
    let [all, other] = differ(mix, 33_000, [Owner::Class, Owner::Hash(2)], quiet);
    assert!(other > all / 2, "{other} of {all} differ");
}

/// Where no two flows share a lane, each has its own, start by start: with counters, timers and
/// losses, too.
#[test]
fn lanes_that_nobody_shares_are_those_of_flows() {
    const MANY: Owner = Owner::Hash(HASH_LANES_MAX);
    let apart: Ready = |spec| {
        let [flows, many] = [Owner::Flow, MANY].map(|owner| {
            credits(spec).for_each(|credit| credit.owner = owner);
            lane_counts(spec).ok()
        });
        flows == many
    };
    for (has_counters, seeds) in [(false, 34_000), (true, 35_000)] {
        let mut mix = plain(Scheme::Off);
        hashed(&mut mix);
        (mix.has_counters, mix.has_losses, mix.has_tcp) = (has_counters, true, true);
        let [all, other] = differ(mix, seeds, [MANY, Owner::Flow], apart);
        assert!(all > 60 && other == 0, "{other} of {all} differ");
        let [all, other] = differ(mix, seeds, [Owner::Hash(2), Owner::Flow], apart);
        assert!(other > all / 2, "{other} of {all} differ");
    }
}
