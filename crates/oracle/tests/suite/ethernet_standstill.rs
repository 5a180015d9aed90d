//! Standstills: both engines find them at the same instant, in the same queues, for the same
//! reason; or neither finds one.

use crate::ethernet_common;

use std::collections::BTreeSet;

use backwater_kernel::Duration;
use backwater_net::frames::spec::{EthernetSpec, Owner};
use backwater_net::outcome::{Standstill, Wait};
use backwater_oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec};
use ethernet_common::{difference, fast, slow};

const NETWORKS: u64 = 24;

/// Stops that do not end by themselves, and switches that tell everybody now and then.
fn mix(scheme: Scheme) -> Mix {
    Mix {
        has_quanta: false,
        has_watchdogs: false,
        has_time_outs: false,
        has_tcp: false,
        has_looks: true,
        ..Mix::of(scheme)
    }
}

/// What the engine found.
fn found(spec: &EthernetSpec) -> Option<Standstill> {
    fast(spec).1.standstill
}

/// Does the standstill that the engine reports follow from what the other found?
fn follows(
    other: &backwater_oracle::ethernet::Standstill,
    found: &Standstill,
) -> Result<(), String> {
    let place = |wait: &Wait| {
        let place = other.stuck.iter().position(|own| own == wait);
        place.ok_or_else(|| format!("{wait:?} does not wait"))
    };
    let waits: Vec<usize> = found.waits.iter().map(place).collect::<Result<_, _>>()?;
    let distinct: BTreeSet<usize> = waits.iter().copied().collect();
    let (Some(first), Some(last)) = (waits.first(), waits.last()) else {
        return Err("nobody waits".into());
    };
    let is_joined = waits
        .windows(2)
        .all(|pair| other.waits_for[pair[0]].contains(&pair[1]));
    let ends = match found.is_circle {
        true => other.waits_for[*last].contains(first),
        false => other.waits_for[*last].is_empty(),
    };
    let since = found.waits.iter().map(|wait| wait.since).max();
    let same = found.found_at == other.found_at
        && found.others_move == other.others_move
        && found.is_circle != other.on_circles.is_empty()
        && since == Some(Some(found.since));
    match is_joined && ends && same && distinct.len() == waits.len() {
        true => Ok(()),
        false => Err(format!("{found:?} and {other:?}")),
    }
}

/// The same for whole runs.
fn agree(spec: &EthernetSpec) -> Result<Option<Standstill>, String> {
    let report = difference(spec)?;
    let found = found(spec);
    match (&report.standstill, &found) {
        (None, None) => {}
        (Some(other), Some(found)) => follows(other, found)?,
        (other, found) => return Err(format!("{found:?} and {other:?}")),
    }
    Ok(found)
}

/// Networks of all schemes that stop anybody.
fn networks() -> impl Iterator<Item = (u64, EthernetSpec)> {
    let schemes = SCHEMES[1..].iter().zip(0..);
    schemes.flat_map(|(scheme, index)| {
        let seeds = 1_000 * index..1_000 * index + NETWORKS;
        seeds.map(|seed| {
            let has_faults = seed % 2 == 1;
            let mix = Mix {
                has_faults,
                ..mix(*scheme)
            };
            (seed, random_spec(seed, mix))
        })
    })
}

#[test]
fn they_find_the_same_standstills() {
    let (mut circles, mut chains, mut none) = (0, 0, 0);
    for (seed, spec) in networks() {
        match agree(&spec) {
            Ok(Some(found)) if found.is_circle => circles += 1,
            Ok(Some(_)) => chains += 1,
            Ok(None) => none += 1,
            Err(text) => panic!("seed {seed}: {text}"),
        }
    }
    assert!(
        circles > 5 && chains > 2 && none > 20,
        "{circles} circles, {chains} chains, {none} without"
    );
}

#[test]
fn they_find_the_same_standstills_of_multicasts() {
    let mut found = 0;
    for (scheme, index) in SCHEMES[1..].iter().zip(0..) {
        for seed in 7_000 + 100 * index..7_012 + 100 * index {
            let mix = Mix {
                has_multicast: true,
                ..mix(*scheme)
            };
            match agree(&random_spec(seed, mix)) {
                Ok(standstill) => found += usize::from(standstill.is_some()),
                Err(text) => panic!("seed {seed}: {text}"),
            }
        }
    }
    assert!(found > 5, "{found} standstills");
}

fn with_credit(seed: u64) -> EthernetSpec {
    let mix = Mix {
        has_credits: true,
        has_losses: seed.is_multiple_of(3),
        has_faults: false,
        ..mix([Scheme::Off, Scheme::Class][seed as usize % 2])
    };
    random_spec(seed, mix)
}

#[test]
fn they_find_the_same_standstills_of_credit() {
    let mut circles = 0;
    for seed in 0..60 {
        match agree(&with_credit(seed)) {
            Ok(Some(found)) if found.is_circle => circles += 1,
            Ok(_) => {}
            Err(text) => panic!("seed {seed}: {text}"),
        }
    }
    assert!(circles > 3, "{circles} circles");
}

/// Flows that share a lane wait for each other in circles, as those of a class do.
#[test]
fn they_find_the_same_standstills_of_shared_lanes() {
    let (mut circles, mut of_lanes) = (0, 0);
    for seed in 0..60 {
        let mut spec = with_credit(seed);
        let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
        for credit in channels.flat_map(|own| own.credits.iter_mut().flatten()) {
            credit.owner = Owner::Hash(1 + seed as u32 / 2 % 2);
        }
        match agree(&spec) {
            Ok(Some(found)) if found.is_circle => {
                circles += 1;
                let mut queues = found.waits.iter().filter_map(Wait::queue);
                of_lanes += usize::from(queues.any(|queue| queue.lane.is_some()));
            }
            Ok(_) => {}
            Err(text) => panic!("seed {seed}: {text}"),
        }
    }
    assert!(
        circles > 3 && of_lanes > 1,
        "{circles} circles, {of_lanes} of lanes"
    );
}

/// Where the search is broken, the comparison sees it: a queue left out, two in the wrong order,
/// a look that comes later.
#[test]
fn what_is_wrong_with_a_standstill_is_seen() {
    let (mut all, mut late) = (0, 0);
    for (_, mut spec) in networks() {
        let (Some(other), Some(found)) = (slow(&spec).standstill, found(&spec)) else {
            continue;
        };
        all += 1;
        assert_eq!(follows(&other, &found), Ok(()));
        let altered = |change: fn(&mut Standstill)| {
            let mut altered = found.clone();
            change(&mut altered);
            follows(&other, &altered)
        };
        assert!(altered(|it| it.waits.truncate(it.waits.len() - 1)).is_err());
        assert!(altered(|it| it.waits[0].units += 1).is_err());
        assert!(altered(|it| it.is_circle = !it.is_circle).is_err());
        assert!(altered(|it| it.others_move = !it.others_move).is_err());
        let twice = altered(|it| it.waits.push(it.waits[0].clone()));
        assert!(twice.is_err());
        spec.rules.stall_after = spec.rules.stall_after + Duration(1_000);
        let after = self::found(&spec);
        late += usize::from(after.is_none_or(|after| follows(&other, &after).is_err()));
        if all == 12 {
            break;
        }
    }
    assert!(all == 12 && late == all, "{late} of {all}");
}
