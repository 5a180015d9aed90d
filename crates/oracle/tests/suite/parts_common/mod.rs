//! Runs in parts that take turns on one thread, to compare with the same run as a whole.

use std::panic::{AssertUnwindSafe, catch_unwind};

use backwater_kernel::{Duration, Rings, Time};
use backwater_net::outcome::Outcome;
use backwater_net::parts::{self, Conductor, Divided, Divisible, Part};
use backwater_net::probe::Probe;

/// The parts of a run.
pub struct Turns<P: Probe = ()> {
    pub conductor: Conductor,
    pub parts: Vec<Part<Rings, P>>,
}

impl<P: Probe + Divided> Turns<P> {
    pub fn new(spec: &impl Divisible, count: usize, probe: &P) -> Turns<P> {
        let cut = parts::split_watched(spec, count, || probe.clone());
        let (conductor, parts) = cut.expect("it can be cut");
        Turns { conductor, parts }
    }

    pub fn run_until(&mut self, until: Time) {
        loop {
            let mut parts: Vec<&mut Part<Rings, P>> = self.parts.iter_mut().collect();
            let Some(window) = self.conductor.next(&mut parts, until) else {
                return;
            };
            parts.iter_mut().for_each(|part| part.run(&window));
        }
    }

    pub fn outcome(&mut self) -> Outcome {
        let mut parts: Vec<&mut Part<Rings, P>> = self.parts.iter_mut().collect();
        self.conductor.outcome(&mut parts)
    }

    pub fn probe(&mut self) -> P {
        let parts: Vec<&mut Part<Rings, P>> = self.parts.iter_mut().collect();
        self.conductor.probe(&parts)
    }

    /// Are windows that are longer by so much noticed?
    pub fn notices(mut self, by: Duration) -> bool {
        self.conductor.stretch(by);
        let run = catch_unwind(AssertUnwindSafe(|| self.run_until(Time::MAX)));
        run.is_err()
    }
}

/// In how many parts a network is run.
pub fn counts(spec: &impl Divisible) -> impl Iterator<Item = usize> {
    let most = match parts::obstacle(spec) {
        None => parts::most_parts(spec),
        Some(_) => 1,
    };
    [2, 3, 5].into_iter().filter(move |count| *count <= most)
}

/// What was found, word for word.
pub fn words(outcome: &Outcome) -> String {
    format!("{outcome:#?}")
}

/// Where two texts differ first.
pub fn difference(expected: &str, found: &str) -> String {
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
