//! Bad inputs through the library: every one ends soon, in a scenario or in errors with a place.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use backwater_scenario::compare::{Comparison, Scheme, is_comparison};
use backwater_scenario::{Diagnostics, Limits, Set, Severity, Source, Sweep, parse_within};

use super::{Shipped, Spoiled, spoil};
use crate::child::is_hidden;
use crate::random::Random;
use crate::trial::{self, Options, Summary, Trial};

const USUAL: u64 = 10_000;
const EXTREMES: u64 = 4_000;
/// Processor time that reading one file may take; a build without optimization needs half of it for
/// a file that describes 10^6 flows.
const LONGEST: Duration = Duration::from_secs(3);
/// What a whole message may be.
const MOST_BYTES: usize = 200_000;
/// The name that messages give the file.
const NAME: &str = "spoiled.toml";
/// Larger networks are refused, as on a machine with so much.
const LIMITS: Limits = Limits {
    memory_bytes: Some(256 << 20),
};

/// The campaign.
pub fn run(options: &Options, shipped: &[Shipped]) -> Summary {
    tried("bad-inputs library", USUAL, options, |random| {
        spoil(shipped, random)
    })
}

/// The same of quantities at their extremes.
pub fn extremes(options: &Options, shipped: &[Shipped]) -> Summary {
    let edges = super::edges::Edges::of(&options.tree);
    tried("bad-inputs extremes", EXTREMES, options, |random| {
        super::extremes::spoil(shipped, &edges, random)
    })
}

fn tried(
    name: &str,
    usual: u64,
    options: &Options,
    spoil: impl Fn(&mut Random) -> Spoiled + Sync,
) -> Summary {
    std::panic::set_hook(Box::new(|_| {}));
    let summary = trial::run(name, usual, options, |number| {
        let spoiled = spoil(&mut Random::of(options.seed, name, number));
        let mut trial = Trial::default();
        read_all(&spoiled, &mut trial);
        if !trial.findings.is_empty() || options.only.is_some() {
            let folder = trial::folder(options, name, number);
            let _ = fs::write(folder.join(NAME), &spoiled.bytes);
            let _ = fs::write(
                folder.join("how.txt"),
                format!("{}\n{:?}\n", spoiled.how, spoiled.sets),
            );
        }
        trial
    });
    let _ = std::panic::take_hook();
    summary
}

/// Reads it as everything that it may be.
fn read_all(spoiled: &Spoiled, trial: &mut Trial) {
    let begun = cpu();
    let result = catch_unwind(AssertUnwindSafe(|| read(spoiled)));
    let took = cpu().saturating_sub(begun);
    match result {
        Err(cause) => {
            trial.count("panic");
            trial.find(format!("panic: {} ({})", trial::said(&*cause), spoiled.how));
        }
        Ok(Ok(what)) => trial.count(what),
        Ok(Err(faults)) => {
            trial.count("refused");
            trial.findings.extend(faults);
        }
    }
    if took > LONGEST {
        trial.find(format!(
            "reading takes too long: {took:.1?} ({})",
            spoiled.how
        ));
    }
}

/// What it is, or what is wrong with how it is refused.
fn read(spoiled: &Spoiled) -> Result<&'static str, Vec<String>> {
    let source = Source::from_bytes(NAME, spoiled.bytes.clone()).map_err(faults)?;
    let mut sets = Vec::new();
    for set in &spoiled.sets {
        sets.push(Set::new(set).map_err(faults)?);
    }
    if is_comparison(&source) {
        let comparison = Comparison::read(&source, &sets).map_err(faults)?;
        for scheme in Scheme::every() {
            comparison.scenario(scheme, 1, &LIMITS).map_err(faults)?;
        }
        return Ok("accepted comparison");
    }
    let scenario = parse_within(&source, &sets, &LIMITS).map_err(faults)?;
    let again = Source::new("resolved.toml", scenario.resolved.as_str());
    if let Err(mistakes) = parse_within(&again, &[], &LIMITS) {
        return Err(vec![format!(
            "what was resolved is refused: {}",
            start(&mistakes)
        )]);
    }
    if source.text.contains("[sweep") {
        let sweep = Sweep::read(&source, &sets, &[]).map_err(faults)?;
        sweep.points().map_err(faults)?;
    }
    Ok("accepted")
}

/// What is wrong with a refusal itself.
fn faults(mistakes: Diagnostics) -> Vec<String> {
    let mut found = Vec::new();
    let shown = mistakes.render(false);
    if mistakes.errors() == 0 {
        found.push("refused without an error".into());
    }
    let errors = mistakes
        .iter()
        .filter(|one| one.severity == Severity::Error);
    for error in errors {
        let at = error.labels.first().map(|(at, _)| at);
        let place = at.and_then(|at| mistakes.position(at));
        if place.is_none_or(|(source, line, column)| source.name.is_empty() || line * column == 0) {
            found.push(format!("no place: {}", error.message));
        }
        // The engine's own rules are the last word: each has one before that knows its key.
        if error.code == "refused" {
            found.push(format!("left to the engine: {}", error.message));
        }
    }
    if shown.contains(is_hidden) {
        found.push(format!(
            "control characters in the message: {:?}",
            start(&mistakes)
        ));
    }
    if shown.len() > MOST_BYTES {
        found.push(format!("a message of {} bytes", shown.len()));
    }
    mistakes.to_json();
    found
}

fn start(mistakes: &Diagnostics) -> String {
    mistakes.render(false).chars().take(300).collect()
}

/// Processor time of this thread; none where the system does not tell.
fn cpu() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = text.split(' ').next().and_then(|ns| ns.parse().ok());
    Duration::from_nanos(ns.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(bytes: &[u8]) -> Trial {
        let spoiled = Spoiled {
            bytes: bytes.to_vec(),
            how: "by hand".into(),
            sets: Vec::new(),
        };
        let mut trial = Trial::default();
        read_all(&spoiled, &mut trial);
        trial
    }

    #[test]
    fn good_and_bad_files_are_told_apart() {
        let good = include_bytes!("../../../scenario/tests/files/everything.toml");
        assert_eq!(tried(good).outcomes, ["accepted"]);
        let bad = tried(b"[run]\nduration = 5\n");
        assert_eq!(
            (bad.outcomes, bad.findings),
            (vec!["refused".to_owned()], vec![])
        );
    }

    /// Sums of these pass the clock, products 64 bits.
    #[test]
    fn extremes_are_allowed_or_refused_at_their_place() {
        let options = trial::for_test(100, "");
        let summary = extremes(&options, &super::super::shipped(&options.tree));
        assert_eq!((summary.tried, summary.findings), (100, vec![]));
        let _ = fs::remove_dir_all(&options.keep);
    }

    #[test]
    fn a_refusal_without_a_place_is_a_finding() {
        assert_eq!(faults(Diagnostics::default()).len(), 1);
    }
}
