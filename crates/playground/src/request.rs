//! What the page asks for, and what it is told.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use backwater_run::job::{self, Ending, Job};
use backwater_run::memory::Memory;
use backwater_run::{Pace, STEPS, Wanted, WhenMap};
use backwater_scenario::compare::is_comparison;
use backwater_scenario::{Diagnostics, Limits, Scenario, Source};
use serde::Deserialize;
use serde_json::{Value, json};

/// A program in a browser has 4 GiB of addresses, and the page needs room beside a run.
const MEMORY_BYTES: u64 = 2 << 30;

/// What is asked for.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub enum Request {
    /// What is wrong with a scenario, and what can be set in it.
    Check(Given),
    /// Its results.
    Run(Given),
    /// What a word means.
    Explain {
        /// The word.
        word: String,
    },
}

/// A scenario.
#[derive(Deserialize)]
pub struct Given {
    /// What messages call it.
    name: String,
    text: String,
    /// Files that it may name, by their paths.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

/// Why there is no result.
enum Failure {
    Untold(io::Error),
    Refused(String),
    Mistakes(Box<Diagnostics>),
}

type Tell<'a> = dyn FnMut(Value) -> io::Result<()> + 'a;

/// Tells what becomes of a request. The last line says it all; those before are progress.
///
/// # Errors
/// If it can't be told.
pub fn answer(request: &Request, tell: &mut Tell<'_>) -> io::Result<()> {
    let outcome = match request {
        Request::Check(given) => given.check(),
        Request::Run(given) => given.run(tell),
        Request::Explain { word } => match backwater_scenario::explain(word) {
            Ok(text) => Ok(json!({ "explained": text })),
            Err(what) => Err(Failure::Refused(what)),
        },
    };
    tell(match outcome {
        Ok(said) => said,
        Err(Failure::Untold(error)) => return Err(error),
        Err(Failure::Refused(what)) => json!({ "refused": what }),
        Err(Failure::Mistakes(mistakes)) => json!({ "mistakes": mistakes.to_json() }),
    })
}

impl Given {
    fn source(&self) -> Source {
        Source::new(&*self.name, &*self.text)
    }

    fn read(&self) -> Result<Scenario, Failure> {
        let source = self.source();
        if is_comparison(&source) {
            return Err(Failure::Refused(
                "this is a comparison: `backwater compare` runs it, the playground runs scenarios"
                    .into(),
            ));
        }
        let limits = Limits {
            memory_bytes: Some(MEMORY_BYTES),
        };
        let load = |path: &Path| {
            let found = self.files.get(&*path.to_string_lossy());
            let missing = || io::Error::new(io::ErrorKind::NotFound, "the page has no such file");
            found.cloned().ok_or_else(missing)
        };
        backwater_scenario::parse_with(&source, &[], &limits, &load)
            .map_err(|mistakes| Failure::Mistakes(Box::new(mistakes)))
    }

    fn check(&self) -> Result<Value, Failure> {
        let scenario = self.read()?;
        Ok(json!({
            "mistakes": scenario.warnings.to_json(),
            "settings": backwater_scenario::settings(&self.text),
            "size": backwater_run::engine(&scenario).size(),
        }))
    }

    fn run(&self, tell: &mut Tell<'_>) -> Result<Value, Failure> {
        let scenario = self.read()?;
        let engine = backwater_run::engine(&scenario);
        let mut run = engine.watched(&Wanted {
            audit: false,
            traces: &[],
            map: WhenMap::Auto,
            threads: 1,
            memory: &Memory::default(),
        })?;
        let command = format!("backwater run {}", self.name);
        let mut job = Job::new(self.source(), &scenario, &*engine, command);
        let mut pace = Pace::new(run.first_slice());
        job::simulate(&mut *run, &mut pace, |run, _, _| {
            let (position, words) = run.progress();
            let share = position as f64 / STEPS as f64;
            tell(json!({ "share": share, "words": words })).map_err(Failure::Untold)
        })?;
        let mut found = run.found();
        drop(run);
        job.note(&mut *found);
        let head = found.head();
        let seconds = pace.seconds();
        let shown = job.shown(&*found, seconds, Ending::of(&head).is_early());
        Ok(json!({
            "report": backwater_results::page(&shown.report),
            "summary": found.summary(&job.info(seconds)),
            "standstill": found.standstill(),
            "trace_hash": shown.manifest.trace_hash,
            "events": head.events,
            "hops": head.hops,
            "seconds": seconds,
            "mistakes": scenario.warnings.to_json(),
        }))
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Failure {
        Failure::Refused(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"
title = "One link"
[run]
duration = "100 cells"
[flow_control]
kind = "n23"
n2 = 1
n3 = 10
[link]
rate = "155 Mbps"
delay = "2 cells"
[network]
hosts = ["A", "B"]
[[links]]
between = ["A", "B"]
[[flows]]
name = "VC1"
from = "A"
to = "B"
traffic = { kind = "greedy" }
"#;

    /// What is told of a request, line by line.
    fn told(request: Value) -> Vec<Value> {
        let request = serde_json::from_value(request).expect("it is a request");
        let mut lines = Vec::new();
        let tell = &mut |said| {
            lines.push(said);
            Ok(())
        };
        answer(&request, tell).expect("all of it can be told");
        lines
    }

    fn last(what: &str, text: &str) -> Value {
        let request = json!({ "do": what, "name": "one.toml", "text": text });
        told(request).pop().expect("something is told")
    }

    #[test]
    fn a_check_tells_what_can_be_set_and_what_is_wrong() {
        let fine = last("check", TEXT);
        assert_eq!(fine["mistakes"], json!([]));
        let paths = fine["settings"].as_array().into_iter().flatten();
        let paths: Vec<_> = paths.map(|one| one["path"].clone()).collect();
        let known = [
            "run.duration",
            "flow_control.n2",
            "flow_control.n3",
            "link.rate",
            "link.delay",
        ];
        assert_eq!(paths, known);
        let wrong = last("check", &TEXT.replace("n3 = 10", "n3 = -1"));
        assert_eq!(wrong["mistakes"][0]["places"][0]["line"], 8);
        assert_eq!(wrong.get("settings"), None);
    }

    #[test]
    fn a_run_tells_its_progress_and_then_its_report_and_hash() {
        let lines = told(json!({ "do": "run", "name": "one.toml", "text": TEXT }));
        let (last, before) = lines.split_last().expect("something is told");
        assert!(
            before.iter().all(|line| line["share"].is_f64()),
            "{before:?}"
        );
        assert_eq!(
            last["summary"]
                .as_str()
                .map(|text| text.contains("One link")),
            Some(true)
        );
        let page = last["report"].as_str().unwrap_or_default();
        assert!(page.contains("<h1>One link</h1>") && page.contains("backwater run one.toml"));
        let again = told(json!({ "do": "run", "name": "one.toml", "text": TEXT })).pop();
        let hash = |told: &Value| told["trace_hash"].clone();
        assert_eq!(again.as_ref().map(hash), Some(hash(last)));
        assert!(hash(last).is_string());
        let other = self::last("run", &TEXT.replace("n3 = 10", "n3 = 2"));
        assert_ne!(hash(&other), hash(last));
    }

    #[test]
    fn what_cannot_run_here_is_refused_in_words() {
        let comparison = "kind = \"comparison\"\n";
        let what = last("run", comparison)["refused"].clone();
        assert!(
            what.as_str()
                .is_some_and(|what| what.contains("backwater compare"))
        );
        let wrong = last("run", &TEXT.replace("greedy", "greedily"));
        assert_eq!(wrong["mistakes"][0]["severity"], "error");
    }

    #[test]
    fn files_are_those_of_the_request() {
        let text = "engine = \"flit\"\n[topology]\nkind = \"file\"\nfile = \"a.net\"\n\
                    [traffic]\nload = 0.1\n[run]\nmeasure = \"100 cycles\"\n";
        let request = |files: Value| {
            let name = "x/one.toml";
            json!({ "do": "check", "name": name, "text": text, "files": files })
        };
        let network = "terminal 0\nterminal 1\n0 1\n";
        let found = told(request(json!({ "x/a.net": network }))).pop();
        assert_eq!(
            found.map(|found| found["mistakes"].clone()),
            Some(json!([]))
        );
        let missing = told(request(json!({ "a.net": network }))).pop();
        let code = missing.map(|found| found["mistakes"][0]["code"].clone());
        assert_eq!(code, Some(json!("no-file")));
    }

    #[test]
    fn a_word_is_explained() {
        let of = |word: &str| told(json!({ "do": "explain", "word": word })).pop();
        let text = |found: Option<Value>, field: &str| {
            found.and_then(|found| found[field].as_str().map(str::to_owned))
        };
        assert!(text(of("n3"), "explained").is_some_and(|text| text.contains("n3")));
        assert!(text(of("nosuchword"), "refused").is_some());
    }
}
