//! A run of frames in several parts is the same run: trace hash, tables, losses, standstills, why
//! and when it ended.

use std::panic::{AssertUnwindSafe, catch_unwind};

use backwater_kernel::{Duration, Rings, Stop, Time};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::Outcome;
use backwater_net::parts::{self, Conductor, Part};
use backwater_oracle::ethernet::{Mix, SCHEDULERS, SCHEMES, random_spec};

const NETWORKS: u64 = 200;

/// The parts of a run, which take turns on one thread.
struct Turns {
    conductor: Conductor,
    parts: Vec<Part<Rings>>,
}

impl Turns {
    fn new(spec: &EthernetSpec, count: usize) -> Turns {
        let (conductor, parts) = parts::split(spec, count).expect("it can be cut");
        Turns { conductor, parts }
    }

    fn run_until(&mut self, until: Time) {
        loop {
            let mut parts: Vec<&mut Part<Rings>> = self.parts.iter_mut().collect();
            let Some(window) = self.conductor.next(&mut parts, until) else {
                return;
            };
            parts.iter_mut().for_each(|part| part.run(&window));
        }
    }

    fn outcome(&mut self) -> Outcome {
        let mut parts: Vec<&mut Part<Rings>> = self.parts.iter_mut().collect();
        self.conductor.outcome(&mut parts)
    }
}

/// All kinds of networks, by number.
fn network(number: u64) -> EthernetSpec {
    let mix = Mix::of(SCHEMES[(number % 5) as usize]);
    let has = |every: u64| (number / 5) % every == every - 1;
    random_spec(
        70_000 + number,
        Mix {
            has_tcp: !has(4),
            has_losses: has(3),
            has_credits: has(2),
            has_spread: has(7),
            has_looks: has(2),
            is_finite: number % 4 == 3,
            has_faults: number % 4 == 2,
            schedulers: if has(3) { &SCHEDULERS } else { &[] },
            ..mix
        },
    )
}

/// What was found, word for word.
fn words(outcome: &Outcome) -> String {
    format!("{outcome:#?}")
}

/// Where two texts differ first.
fn difference(expected: &str, found: &str) -> String {
    let lines = expected.lines().zip(found.lines()).enumerate();
    let differ = |(_, (one, other)): &(usize, (&str, &str))| one != other;
    let Some((at, _)) = lines.clone().find(differ) else {
        return "one is longer".into();
    };
    let near = lines.skip(at.saturating_sub(8)).take(12);
    let near = near.map(|(_, (one, other))| format!("{one:<60} {other}\n"));
    format!(
        "line {at}, as a whole and in parts:\n{}",
        near.collect::<String>()
    )
}

#[test]
fn parts_find_what_the_whole_finds() {
    let (mut cut, mut crossings, mut ends) = (0, 0, [0; 3]);
    for number in 0..NETWORKS {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let mut whole = Simulation::<Rings>::new(&spec).expect("a sound network");
        whole.run();
        let expected = whole.outcome();
        let kind = [Stop::TimeReached, Stop::Drained, Stop::Standstill];
        if let Some(at) = kind.iter().position(|stop| *stop == expected.stop) {
            ends[at] += 1;
        }
        let expected = words(&expected);
        for count in [2, 3, 5]
            .into_iter()
            .filter(|count| *count <= spec.nodes.len())
        {
            let mut turns = Turns::new(&spec, count);
            crossings += turns.conductor.crossings();
            turns.run_until(Time::MAX);
            let found = words(&turns.outcome());
            assert!(
                found == expected,
                "network {number} in {count} parts: {}",
                difference(&expected, &found)
            );
            cut += 1;
        }
    }
    println!("{cut} runs in parts, {crossings} channels cut, ends {ends:?}");
    assert!(cut > 400 && crossings > 2_000, "{cut} {crossings}");
    assert!(ends.iter().all(|count| *count > 2), "{ends:?}");
}

/// Wherever the caller looks in between.
#[test]
fn slices_change_nothing() {
    for number in 0..20 {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let mut whole = Simulation::<Rings>::new(&spec).expect("a sound network");
        whole.run();
        let mut turns = Turns::new(&spec, 2);
        for slice in 1..10 {
            turns.run_until(Time(spec.stop_at.ps() / 10 * slice + slice));
            let so_far = turns.outcome();
            assert!(so_far.unit_hops <= whole.unit_hops());
        }
        turns.run_until(Time::MAX);
        let (expected, found) = (words(&whole.outcome()), words(&turns.outcome()));
        assert!(
            found == expected,
            "{number}: {}",
            difference(&expected, &found)
        );
    }
}

/// A window that is longer than what starts first takes is noticed.
#[test]
fn windows_that_are_too_long_are_noticed() {
    let mut noticed = 0;
    for number in 0..40 {
        let spec = network(number);
        if parts::obstacle(&spec).is_some() {
            continue;
        }
        let mut turns = Turns::new(&spec, 2);
        if turns.conductor.crossings() == 0 {
            continue;
        }
        let longest = turns.conductor.lookahead();
        turns.conductor.stretch(Duration(longest.ps() * 2));
        let run = catch_unwind(AssertUnwindSafe(|| turns.run_until(Time::MAX)));
        noticed += u32::from(run.is_err());
    }
    assert!(noticed > 10, "{noticed}");
}
