//! Claims and verdicts.

use std::collections::BTreeMap;

use results::{Verdict, VerdictRow};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::lab::LabError;

/// One statement of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claim {
    /// Stable name.
    pub id: String,
    /// Where the paper states it.
    pub figure: String,
    /// The statement in our words.
    pub states: String,
    /// The number the paper prints.
    pub paper: Option<Value>,
    /// Bounds of what was measured.
    pub accept: Option<Accept>,
    /// What must hold, where bounds don't say it.
    pub check: Option<String>,
    /// Why the printed number can't be met.
    pub known_difference: Option<String>,
}

/// Bounds as the claims file writes them.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Accept {
    /// One value.
    One([f64; 2]),
    /// Several, by name.
    Several(BTreeMap<String, [f64; 2]>),
}

#[derive(Deserialize)]
struct File {
    #[serde(rename = "paper")]
    _paper: String,
    claim: Vec<Claim>,
}

/// Low and high end of what is accepted.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bounds {
    /// Smallest accepted.
    pub low: f64,
    /// Largest accepted.
    pub high: f64,
}

/// One measured number.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Its name; `value` if there is only one.
    pub name: String,
    /// The number, a mean over seeds where chance is involved.
    pub value: f64,
    /// Half width of the 95 % interval over seeds.
    pub half_width: Option<f64>,
    /// Bounds the experiment gives, where the claims file states a check in words.
    pub bounds: Option<Bounds>,
}

impl Measured {
    /// A number whose bounds stand in the claims file.
    pub fn new(name: &str, value: f64) -> Measured {
        Measured {
            name: name.into(),
            value,
            half_width: None,
            bounds: None,
        }
    }

    /// With bounds of its own.
    pub fn within(mut self, low: f64, high: f64) -> Measured {
        self.bounds = Some(Bounds { low, high });
        self
    }

    /// The mean over seeds with its interval.
    pub fn over_seeds(name: &str, values: &[f64]) -> Measured {
        let (value, half_width) = match kernel::stats::interval_of_means(values) {
            Some((mean, half_width)) => (mean, Some(half_width)),
            None => (values.first().copied().unwrap_or(f64::NAN), None),
        };
        Measured {
            half_width,
            ..Measured::new(name, value)
        }
    }
}

/// What an experiment found about one claim.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The claim's id.
    pub claim: &'static str,
    /// The shipped scenario a reader can open.
    pub scenario: &'static str,
    /// Numbers.
    pub measured: Vec<Measured>,
}

/// A claim with its verdict.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The statement.
    pub claim: Claim,
    /// What was found.
    pub finding: Finding,
    /// How it fared.
    pub verdict: Verdict,
    /// Why it differs or failed.
    pub reason: String,
    /// User time of the experiment.
    pub seconds: f64,
}

/// Reads a claims file.
///
/// # Errors
/// If it is not the TOML this program expects.
pub fn parse(text: &str) -> Result<Vec<Claim>, LabError> {
    let file: File = toml::from_str(text).map_err(|error| LabError(format!("claims: {error}")))?;
    Ok(file.claim)
}

/// The bounds of one measured number: the claims file's, else the experiment's.
fn bounds(claim: &Claim, measured: &Measured) -> Option<Bounds> {
    let named = match &claim.accept {
        Some(Accept::One(range)) if measured.name == "value" => Some(range),
        Some(Accept::Several(ranges)) => ranges.get(&measured.name),
        _ => None,
    };
    named
        .map(|range| Bounds {
            low: range[0],
            high: range[1],
        })
        .or(measured.bounds)
}

/// Names that the claims file bounds and the experiment did not measure.
fn missing(claim: &Claim, finding: &Finding) -> Vec<String> {
    let wanted: Vec<&str> = match &claim.accept {
        Some(Accept::One(_)) => vec!["value"],
        Some(Accept::Several(ranges)) => ranges.keys().map(String::as_str).collect(),
        None => Vec::new(),
    };
    let has = |name: &str| {
        finding
            .measured
            .iter()
            .any(|measured| measured.name == name)
    };
    wanted
        .into_iter()
        .filter(|name| !has(name))
        .map(String::from)
        .collect()
}

pub(crate) fn judge(claim: &Claim, finding: &Finding, seconds: f64) -> Judged {
    let mut broken: Vec<String> = missing(claim, finding)
        .into_iter()
        .map(|name| format!("`{name}` was not measured"))
        .collect();
    let mut bounded = 0;
    for measured in &finding.measured {
        let Some(bounds) = bounds(claim, measured) else {
            continue;
        };
        bounded += 1;
        if !(measured.value >= bounds.low && measured.value <= bounds.high) {
            broken.push(format!(
                "{} = {} is outside {}",
                measured.name,
                number(measured.value),
                range(bounds)
            ));
        }
    }
    if bounded == 0 {
        broken.push("nothing was measured that could disagree".into());
    }
    let (verdict, reason) = match (&claim.known_difference, broken.is_empty()) {
        (_, false) => (Verdict::Failed, broken.join("; ")),
        (Some(reason), true) => (Verdict::Differs, reason.clone()),
        (None, true) => (Verdict::Agrees, String::new()),
    };
    Judged {
        claim: claim.clone(),
        finding: finding.clone(),
        verdict,
        reason,
        seconds,
    }
}

/// A number with as many digits as it deserves.
pub fn number(value: f64) -> String {
    let size = value.abs();
    let digits = match size {
        _ if value == value.trunc() && size < 1e9 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 1.0 => 3,
        _ => 4,
    };
    format!("{value:.digits$}")
}

/// Many numbers belong in a table of their own; a summary shows the first few.
pub fn first_few(text: &str) -> String {
    const SHOWN: usize = 4;
    let starts: Vec<usize> = text.match_indices(", ").map(|(at, _)| at).collect();
    // Ranges hold commas, too: `[1, 2]`. Only those outside brackets part two numbers.
    let outside = |at: &&usize| {
        let before = &text[..**at];
        before.matches('[').count() == before.matches(']').count()
    };
    let parts: Vec<usize> = starts.iter().filter(outside).copied().collect();
    match parts.get(SHOWN - 1) {
        Some(&end) => format!("{}, and {} more", &text[..end], parts.len() + 1 - SHOWN),
        None => text.to_owned(),
    }
}

/// `0.368 ± 0.001`.
fn with_interval(measured: &Measured) -> String {
    let value = number(measured.value);
    match measured.half_width {
        Some(half_width) if half_width > 0.0 => format!("{value} ± {}", number(half_width)),
        _ => value,
    }
}

/// `[0.36, 0.394]`, or one-sided where there is no upper bound.
fn range(bounds: Bounds) -> String {
    if bounds.high == f64::MAX {
        return format!(">= {}", number(bounds.low));
    }
    format!("[{}, {}]", number(bounds.low), number(bounds.high))
}

impl Judged {
    fn accepted(&self, measured: &Measured) -> Option<Bounds> {
        bounds(&self.claim, measured)
    }

    /// The printed number as text.
    pub fn paper_text(&self) -> String {
        match &self.claim.paper {
            None => String::new(),
            Some(Value::Array(values)) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                values.join(" to ")
            }
            Some(value) => value.as_f64().map_or_else(|| value.to_string(), number),
        }
    }

    /// What was measured as text: `0.368 ± 0.001`, or several with names.
    pub fn measured_text(&self) -> String {
        let one = |measured: &Measured| {
            let value = with_interval(measured);
            if measured.name == "value" {
                value
            } else {
                format!("{} {value}", measured.name)
            }
        };
        self.finding
            .measured
            .iter()
            .map(one)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// Name, value with interval, and accepted range of every measured number.
    pub fn rows(&self) -> Vec<(String, String, String)> {
        let row = |measured: &Measured| {
            let accepted = self.accepted(measured).map_or(String::new(), range);
            (measured.name.clone(), with_interval(measured), accepted)
        };
        self.finding.measured.iter().map(row).collect()
    }

    fn accept_text(&self) -> String {
        let one = |measured: &Measured| {
            let range = self.accepted(measured).map(range)?;
            Some(if measured.name == "value" {
                range
            } else {
                format!("{} {range}", measured.name)
            })
        };
        self.finding
            .measured
            .iter()
            .filter_map(one)
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// For the report.
    pub fn row(&self) -> VerdictRow {
        VerdictRow {
            id: self.claim.id.clone(),
            figure: self.claim.figure.clone(),
            states: self.claim.states.clone(),
            paper: self.paper_text(),
            measured: first_few(&self.measured_text()),
            accept: first_few(&self.accept_text()),
            verdict: self.verdict,
            reason: self.reason.clone(),
        }
    }

    /// For `reproduce --json`.
    pub fn to_json(&self, paper: &str) -> Value {
        let (mut measured, mut interval, mut accept) = (json!({}), json!({}), json!({}));
        for value in &self.finding.measured {
            measured[&value.name] = json!(value.value);
            if let Some(half_width) = value.half_width {
                interval[&value.name] = json!([value.value - half_width, value.value + half_width]);
            }
            if let Some(bounds) = self.accepted(value) {
                accept[&value.name] = json!([bounds.low, bounds.high]);
            }
        }
        json!({
            "id": self.claim.id,
            "paper": paper,
            "figure": self.claim.figure,
            "states": self.claim.states,
            "paper_value": self.claim.paper,
            "measured": measured,
            "interval": interval,
            "accept": accept,
            "verdict": verdict_word(self.verdict),
            "reason": self.reason,
            "scenario": self.finding.scenario,
            "seconds": (self.seconds * 1000.0).round() / 1000.0,
        })
    }
}

/// `agrees`, `differs` or `failed`.
pub fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Agrees => "agrees",
        Verdict::Differs => "differs",
        Verdict::Failed => "failed",
    }
}

/// A column of numbers for an experiment's table.
pub(crate) fn column(name: &str, unit: &str, meaning: &str) -> results::Column {
    results::Column {
        name: name.into(),
        unit: unit.into(),
        meaning: meaning.into(),
        align: results::Align::Right,
    }
}

/// A column of words.
pub(crate) fn words(name: &str, meaning: &str) -> results::Column {
    results::Column {
        align: results::Align::Left,
        ..column(name, "", meaning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge_value(known: Option<&str>, value: f64) -> Verdict {
        let claim = Claim {
            id: "x".into(),
            figure: String::new(),
            states: String::new(),
            paper: None,
            accept: Some(Accept::One([1.0, 2.0])),
            check: None,
            known_difference: known.map(String::from),
        };
        let finding = Finding {
            claim: "x",
            scenario: "s",
            measured: vec![Measured::new("value", value)],
        };
        judge(&claim, &finding, 0.0).verdict
    }

    #[test]
    fn a_known_difference_is_said_only_while_it_is_the_known_one() {
        assert_eq!(judge_value(None, 1.5), Verdict::Agrees);
        assert_eq!(judge_value(None, 2.5), Verdict::Failed);
        assert_eq!(judge_value(None, f64::NAN), Verdict::Failed);
        assert_eq!(judge_value(Some("why"), 1.5), Verdict::Differs);
        assert_eq!(judge_value(Some("why"), 0.5), Verdict::Failed);
    }
}
