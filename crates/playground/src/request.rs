//! What the page asks for, and what it is told.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::Instant;

use backwater_kernel::words::grouped;
use backwater_results::{compare::compare_report, number};
use backwater_run::compare::{Plan, trace_hash};
use backwater_run::job::{self, Ending, Job};
use backwater_run::memory::Memory;
use backwater_run::{Pace, STEPS, Wanted, WhenMap};
use backwater_scenario::compare::{Comparison, is_comparison};
use backwater_scenario::{Diagnostics, Limits, Scenario, Source};
use serde::Deserialize;
use serde_json::{Value, json};

/// A program in a browser has 4 GiB of addresses, and the page needs room beside a run.
const LIMITS: Limits = Limits {
    memory_bytes: Some(2 << 30),
};

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

    /// It, if it is a comparison.
    fn comparison(&self) -> Result<Option<Plan>, Failure> {
        let source = self.source();
        if !is_comparison(&source) {
            return Ok(None);
        }
        let comparison = Comparison::read(&source, &[])?;
        Ok(Some(Plan::new(comparison, 1, &LIMITS, false)?))
    }

    fn read(&self) -> Result<Scenario, Failure> {
        let source = self.source();
        let load = |path: &Path| {
            let found = self.files.get(&*path.to_string_lossy());
            let missing = || io::Error::new(io::ErrorKind::NotFound, "the page has no such file");
            found.cloned().ok_or_else(missing)
        };
        Ok(backwater_scenario::parse_with(
            &source,
            &[],
            &LIMITS,
            &load,
        )?)
    }

    fn check(&self) -> Result<Value, Failure> {
        let mistakes = match self.comparison()? {
            Some(_) => json!([]),
            None => self.read()?.warnings.to_json(),
        };
        Ok(json!({
            "mistakes": mistakes,
            "settings": backwater_scenario::settings(&self.text),
        }))
    }

    /// Runs every scheme, one after the other.
    fn compare(&self, plan: &Plan, tell: &mut Tell<'_>) -> Result<Value, Failure> {
        let start = Instant::now();
        let mut found = Vec::new();
        for (at, job) in plan.jobs.iter().enumerate() {
            let share = at as f64 / plan.jobs.len() as f64;
            let words = format!("scheme {}", job.scheme.name());
            tell(json!({ "share": share, "words": words })).map_err(Failure::Untold)?;
            found.push(job.run()?);
        }
        let schemes = plan.by_scheme(found);
        let info = plan.info(&self.source(), format!("backwater compare {}", self.name));
        let page = compare_report(&info, &plan.workload, &schemes);
        let runs = schemes.iter().flat_map(|scheme| &scheme.runs);
        Ok(json!({
            "report": backwater_results::page(&page),
            "trace_hash": number::hash(trace_hash(&schemes)),
            "done": format!("{} events", grouped(runs.map(|run| run.events).sum())),
            "seconds": start.elapsed().as_secs_f64(),
            "mistakes": [],
        }))
    }

    fn run(&self, tell: &mut Tell<'_>) -> Result<Value, Failure> {
        if let Some(plan) = self.comparison()? {
            return self.compare(&plan, tell);
        }
        let scenario = self.read()?;
        let engine = backwater_run::engine(&scenario);
        let mut run = engine.watched(&Wanted {
            audit: false,
            traces: &[],
            map: WhenMap::Auto,
            threads: 1,
            memory: &Memory::default(),
            fast_forward: false,
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
            "standstill": found.standstill(),
            "trace_hash": shown.manifest.trace_hash,
            "done": format!("{} hops", grouped(head.hops)),
            "seconds": seconds,
            "mistakes": scenario.warnings.to_json(),
        }))
    }
}

impl From<Diagnostics> for Failure {
    fn from(mistakes: Diagnostics) -> Failure {
        Failure::Mistakes(Box::new(mistakes))
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
    fn a_comparison_runs_every_scheme() {
        let text = include_str!("../../../scenarios/compare/parking-lot.toml");
        let short = text.replace("duration = \"1 s\"", "duration = \"310 ms\"");
        assert_ne!(short, text);
        let lines = told(json!({ "do": "run", "name": "lot.toml", "text": short }));
        let (last, before) = lines.split_last().expect("something is told");
        assert!(before.len() > 5, "{before:?}");
        assert!(before.iter().all(|line| line["words"].as_str().is_some()));
        let page = last["report"].as_str().unwrap_or_default();
        assert!(page.contains("Scheme by scheme") && page.contains("backwater compare lot.toml"));
        assert!(last["trace_hash"].is_string());
        let check = self::last("check", &short);
        assert_eq!(check["mistakes"], json!([]));
        assert!(
            check["settings"]
                .as_array()
                .is_some_and(|all| !all.is_empty())
        );
    }

    #[test]
    fn mistakes_are_told_instead_of_a_report() {
        let empty = last("run", "kind = \"comparison\"\n");
        assert_eq!(empty["mistakes"][0]["severity"], "error");
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
