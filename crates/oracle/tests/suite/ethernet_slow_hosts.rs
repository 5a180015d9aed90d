//! Hosts that take frames at their own pace, in the fast engine and the slow one.

use backwater_kernel::{Channels, Rate, Time};
use backwater_net::frames::spec::*;
use backwater_oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec};

use crate::ethernet_agreement::plain;
use crate::ethernet_common::difference;

/// A part of the rate of their links for every second host from a fifth of the run on, then
/// nothing, then another part, then all of it.
fn slow(spec: &mut EthernetSpec, seed: u64) {
    let part = |parts: u64| Time(spec.stop_at.ps() / 5 * parts);
    let times = [1, 2, 3, 4].map(part);
    for node in 0..spec.nodes.len() as u32 {
        let is_host = matches!(spec.nodes[node as usize].kind, NodeKind::Station { .. });
        if !is_host || !(seed + u64::from(node)).is_multiple_of(2) {
            continue;
        }
        let mut into = spec.links.channels();
        let into = into.find(|channel| spec.links.ends(*channel).1 == node);
        let Some(rate) = into.map(|channel| spec.links.channel(channel).rate.0) else {
            continue;
        };
        let rates = [rate / 2, 0, rate / 3 + 1, rate].map(Rate);
        let steps = times.into_iter().zip(rates);
        spec.rules
            .drains
            .extend(steps.map(|(from, rate)| DrainSpec { node, from, rate }));
    }
}

/// Starts in which a slow host made a difference.
fn agree(seeds: core::ops::Range<u64>, mix: Mix) -> usize {
    let mut later = 0;
    for seed in seeds {
        let mut spec = random_spec(seed, mix);
        let fast = difference(&spec).expect("both engines agree");
        slow(&mut spec, seed);
        let slow = difference(&spec).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        let all = fast.starts.iter().zip(&slow.starts);
        later += all.filter(|(fast, slow)| fast.at_ps != slow.at_ps).count();
    }
    later
}

#[test]
fn they_agree_on_slow_hosts() {
    let counted = |scheme: Scheme| {
        let mut mix = plain(scheme);
        (mix.has_credits, mix.has_counters) = (true, true);
        mix
    };
    let mut later = agree(31_000..31_030, counted(Scheme::Off));
    for (first, scheme) in (0..).zip(SCHEMES) {
        let mut mix = plain(scheme);
        later += agree(32_000 + 100 * first..32_010 + 100 * first, mix);
        (mix.has_tcp, mix.has_losses, mix.is_finite) = (true, true, true);
        later += agree(33_000 + 100 * first..33_010 + 100 * first, mix);
    }
    assert!(later > 3_000, "{later}");
}

/// The comparison sees a host that is a thousandth faster, and one that starts an instant later.
#[test]
fn a_pace_that_is_a_little_wrong_is_seen() {
    let mut seen = [0, 0];
    for seed in 34_000..34_010 {
        let mut spec = random_spec(seed, plain(Scheme::Class));
        slow(&mut spec, seed);
        let right = difference(&spec).expect("both engines agree").starts;
        let changes: [fn(&mut DrainSpec); 2] = [
            |step| step.rate.0 += step.rate.0 / 1_000,
            |step| step.from.0 += 1_000_000,
        ];
        for (seen, change) in seen.iter_mut().zip(changes) {
            let mut wrong = spec.clone();
            wrong.rules.drains.iter_mut().for_each(change);
            let wrong = difference(&wrong).expect("both engines agree").starts;
            *seen += u32::from(wrong != right);
        }
    }
    assert!(seen.iter().all(|seen| *seen > 2), "{seen:?}");
}
