//! How claims fared.

use std::fmt;

use backwater_results::{Verdict, VerdictRow, VerdictValue};
use serde_json::{Value, json};

use crate::claim::{Accept, Claim};
use crate::measured::{Bounds, Finding, Measured, number};

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
    /// Wall time of the experiment.
    pub seconds: f64,
    /// From fewer seeds and shorter runs.
    pub quick: bool,
}

/// Fewest seeds that a judged value may rest on.
pub const LEAST_SEEDS: usize = 5;
/// The same in a quick reproduction.
pub const LEAST_SEEDS_QUICK: usize = 3;

/// So many numbers fit into a line; the report has all.
const SHOWN: usize = 4;

/// How many claims fared how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    /// All of them.
    pub claims: usize,
    /// Those that agree.
    pub agree: usize,
    /// Those of them that do under a reading.
    pub under_a_reading: usize,
    /// Those that differ for a known reason.
    pub differ: usize,
    /// Those that failed.
    pub failed: usize,
}

impl Tally {
    /// Counts `judged`.
    pub fn of<'a>(judged: impl IntoIterator<Item = &'a Judged>) -> Tally {
        let mut tally = Tally::default();
        for one in judged {
            tally.claims += 1;
            match one.verdict {
                Verdict::Agrees => tally.agree += 1,
                Verdict::Differs => tally.differ += 1,
                Verdict::Failed => tally.failed += 1,
            }
            tally.under_a_reading += usize::from(one.agrees_under_a_reading());
        }
        tally
    }
}

/// `22 agree, 1 of them under a reading; 1 differs; 0 failed`.
impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} agree", self.agree)?;
        if self.under_a_reading > 0 {
            write!(f, ", {} of them under a reading", self.under_a_reading)?;
        }
        let differ = if self.differ == 1 {
            "differs"
        } else {
            "differ"
        };
        write!(f, "; {} {differ}; {} failed", self.differ, self.failed)
    }
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

/// What must hold for the verdict that the claim expects. Where it expects to differ, and the
/// experiment says by how much, that counts: what would agree can't be met.
fn needed(claim: &Claim, measured: &Measured) -> Option<Bounds> {
    let own = measured.bounds.filter(|_| claim.known_difference.is_some());
    own.or_else(|| bounds(claim, measured))
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

/// A value that rests on too few seeds can't agree.
fn too_few_seeds(measured: &Measured, quick: bool) -> Option<String> {
    let least = if quick {
        LEAST_SEEDS_QUICK
    } else {
        LEAST_SEEDS
    };
    let seeds = measured.seeds.filter(|seeds| *seeds < least)?;
    let name = &measured.name;
    Some(format!("{name} rests on {seeds} of at least {least} seeds"))
}

/// The verdict on `claim` after an experiment of `seconds`.
pub fn judge(claim: &Claim, finding: &Finding, seconds: f64, quick: bool) -> Judged {
    let mut broken: Vec<String> = missing(claim, finding)
        .into_iter()
        .map(|name| format!("`{name}` was not measured"))
        .collect();
    let mut bounded = 0;
    for measured in &finding.measured {
        let Some(bounds) = needed(claim, measured) else {
            continue;
        };
        bounded += 1;
        broken.extend(too_few_seeds(measured, quick));
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
        quick,
    }
}

/// `[0.36, 0.394]`, or one-sided where the other side is open.
pub(crate) fn range(bounds: Bounds) -> String {
    match (bounds.low.is_finite(), bounds.high.is_finite()) {
        (true, false) => format!(">= {}", number(bounds.low)),
        (false, true) => format!("<= {}", number(bounds.high)),
        _ => format!("[{}, {}]", number(bounds.low), number(bounds.high)),
    }
}

/// An end of a range: none where it is open.
fn end(value: f64) -> Value {
    if value.is_finite() {
        json!(value)
    } else {
        Value::Null
    }
}

impl Judged {
    /// Does it hold, but only under a choice that the paper leaves open?
    pub fn agrees_under_a_reading(&self) -> bool {
        self.verdict == Verdict::Agrees && self.claim.reading.is_some()
    }

    /// What to say beside the verdict: why it differs or failed, under which reading it holds.
    pub fn remarks(&self) -> Vec<String> {
        let reason = (!self.reason.is_empty()).then(|| self.reason.clone());
        let reading = self.claim.reading.iter();
        let reading = reading.map(|reading| format!("Reading: {reading}."));
        reason.into_iter().chain(reading).collect()
    }

    pub(crate) fn accepted(&self, measured: &Measured) -> Option<Bounds> {
        bounds(&self.claim, measured)
    }

    /// The printed number as text, or several.
    pub fn paper_text(&self) -> String {
        match &self.claim.paper {
            None => String::new(),
            Some(Value::Array(values)) => {
                let values: Vec<String> = values.iter().map(ToString::to_string).collect();
                values.join(", ")
            }
            Some(value) => value.as_f64().map_or_else(|| value.to_string(), number),
        }
    }

    /// The first few numbers that were measured: `0.368 ± 0.001`, or several with names.
    pub fn measured_text(&self) -> String {
        let values = self.values();
        let one = |one: &VerdictValue| format!("{} {}", one.name, one.value).trim().to_owned();
        let text: Vec<String> = values.iter().take(SHOWN).map(one).collect();
        let text = text.join(", ");
        match values.len().saturating_sub(SHOWN) {
            0 => text,
            more => format!("{text}, and {more} more"),
        }
    }

    /// Every measured number, with its interval and the range in which it agrees.
    pub fn values(&self) -> Vec<VerdictValue> {
        let one = |measured: &Measured| VerdictValue {
            name: match &*measured.name {
                "value" => String::new(),
                name => name.into(),
            },
            value: measured.text(),
            accept: self.accepted(measured).map_or(String::new(), range),
        };
        self.finding.measured.iter().map(one).collect()
    }

    /// For the report.
    pub fn row(&self) -> VerdictRow {
        VerdictRow {
            id: self.claim.id.clone(),
            figure: self.claim.figure.clone(),
            states: self.claim.states.clone(),
            paper: self.paper_text(),
            values: self.values(),
            verdict: self.verdict,
            remarks: self.remarks(),
        }
    }

    /// For `claims.json` and `reproduce --format json`.
    pub fn to_json(&self, paper: &str) -> Value {
        let [mut measured, mut intervals, mut accept, mut seeds] = [(); 4].map(|()| json!({}));
        for value in &self.finding.measured {
            measured[&value.name] = json!(value.value);
            if let Some(interval) = value.interval {
                intervals[&value.name] = json!([interval.low, interval.high]);
            }
            if let Some(count) = value.seeds {
                seeds[&value.name] = json!(count);
            }
            if let Some(bounds) = self.accepted(value) {
                accept[&value.name] = json!([end(bounds.low), end(bounds.high)]);
            }
        }
        json!({
            "id": self.claim.id,
            "paper": paper,
            "figure": self.claim.figure,
            "states": self.claim.states,
            "paper_value": self.claim.paper,
            "measured": measured,
            "interval": intervals,
            "seeds": seeds,
            "accept": accept,
            "verdict": verdict_word(self.verdict),
            "quick": self.quick,
            "reading": self.claim.reading,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn claim() -> Claim {
        Claim {
            id: "x".into(),
            figure: String::new(),
            states: String::new(),
            paper: None,
            accept: Some(Accept::One([1.0, 2.0])),
            check: None,
            known_difference: None,
            reading: None,
        }
    }

    fn judged(claim: &Claim, measured: Measured, quick: bool) -> Judged {
        let finding = Finding {
            claim: "x",
            scenario: "s",
            measured: vec![measured],
        };
        judge(claim, &finding, 0.0, quick)
    }

    fn of_value(known: Option<&str>, value: f64) -> Verdict {
        let known = Claim {
            known_difference: known.map(String::from),
            ..claim()
        };
        judged(&known, Measured::new("value", value), false).verdict
    }

    #[test]
    fn a_known_difference_is_said_only_while_it_is_the_known_one() {
        assert_eq!(of_value(None, 1.5), Verdict::Agrees);
        assert_eq!(of_value(None, 2.5), Verdict::Failed);
        assert_eq!(of_value(None, f64::NAN), Verdict::Failed);
        assert_eq!(of_value(Some("why"), 1.5), Verdict::Differs);
        assert_eq!(of_value(Some("why"), 0.5), Verdict::Failed);
    }

    #[test]
    fn a_known_difference_may_be_said_in_numbers() {
        // Accepted is 1 to 2; the experiment knows that it is 3 to 4.
        let of = |known: Option<&str>, value: f64| {
            let claim = Claim {
                known_difference: known.map(String::from),
                ..claim()
            };
            let measured = Measured::new("value", value).within(3.0, 4.0);
            judged(&claim, measured, false).verdict
        };
        assert_eq!(of(Some("why"), 3.5), Verdict::Differs);
        assert_eq!(of(Some("why"), 1.5), Verdict::Failed);
        assert_eq!(of(Some("why"), 4.5), Verdict::Failed);
        assert_eq!(of(None, 3.5), Verdict::Failed);
        assert_eq!(of(None, 1.5), Verdict::Agrees);
    }

    #[test]
    fn a_row_says_what_is_accepted() {
        let judged = judged(&claim(), Measured::new("value", 1.5), false);
        let [one] = &judged.row().values[..] else {
            panic!("one number was measured");
        };
        assert_eq!(
            (&*one.name, &*one.accept, &*one.value),
            ("", "[1, 2]", "1.500")
        );
        assert_eq!(judged.measured_text(), "1.500");
    }

    #[test]
    fn a_line_has_the_first_of_many_numbers() {
        let names = ["a", "value", "c", "d", "e", "f"];
        let mut many = judged(&claim(), Measured::new("value", 1.5), false);
        many.finding.measured = names.map(|name| Measured::new(name, 1.0)).to_vec();
        assert_eq!(many.measured_text(), "a 1, 1, c 1, d 1, and 2 more");
        many.finding.measured.truncate(4);
        assert_eq!(many.measured_text(), "a 1, 1, c 1, d 1");
    }

    #[test]
    fn several_printed_numbers_are_no_range() {
        let several = Claim {
            paper: Some(json!([120, 68])),
            ..claim()
        };
        let judged = judged(&several, Measured::new("value", 1.5), false);
        assert_eq!(judged.paper_text(), "120, 68");
    }

    #[test]
    fn few_seeds_are_no_agreement() {
        let verdict = |seeds: usize, quick| {
            let measured = Measured::over_seeds("value", &vec![1.5; seeds]);
            judged(&claim(), measured, quick)
        };
        assert_eq!(verdict(4, false).verdict, Verdict::Failed);
        assert_eq!(verdict(5, false).verdict, Verdict::Agrees);
        assert_eq!(verdict(2, true).verdict, Verdict::Failed);
        assert_eq!(verdict(3, true).verdict, Verdict::Agrees);
        assert_eq!(
            verdict(2, true).reason,
            "value rests on 2 of at least 3 seeds"
        );
        assert_eq!(verdict(3, true).to_json("p")["quick"], json!(true));
    }

    #[test]
    fn what_was_not_measured_or_not_bounded_fails() {
        let other = judged(&claim(), Measured::new("other", 1.5), false);
        assert_eq!(other.verdict, Verdict::Failed);
        // The one range of a claim is that of its value, not of what else is measured.
        let is_bounded = |name| bounds(&claim(), &Measured::new(name, 1.5)).is_some();
        assert_eq!(["value", "other"].map(is_bounded), [true, false]);
        let unbounded = Claim {
            accept: None,
            ..claim()
        };
        let unbounded = judged(&unbounded, Measured::new("value", 1.5), false);
        assert_eq!(unbounded.verdict, Verdict::Failed);
    }

    #[test]
    fn an_agreement_carries_its_reading() {
        let read = Claim {
            reading: Some("clocks are equal".into()),
            ..claim()
        };
        let agrees = judged(&read, Measured::new("value", 1.5), false);
        assert!(agrees.agrees_under_a_reading());
        assert_eq!(agrees.remarks(), ["Reading: clocks are equal."]);
        assert_eq!(agrees.to_json("p")["reading"], json!("clocks are equal"));
        let failed = judged(&read, Measured::new("value", 2.5), false);
        assert!(!failed.agrees_under_a_reading());
        let plain = judged(&claim(), Measured::new("value", 1.5), false);
        assert_eq!(plain.to_json("p")["reading"], Value::Null);
        let all = [agrees, failed, plain];
        let tally = Tally::of(&all);
        assert_eq!(
            tally.to_string(),
            "2 agree, 1 of them under a reading; 0 differ; 1 failed"
        );
        assert_eq!(
            Tally::of(&all[2..]).to_string(),
            "1 agree; 0 differ; 0 failed"
        );
    }

    #[test]
    fn an_open_bound_is_null() {
        let unbounded = Claim {
            accept: None,
            ..claim()
        };
        let accept = |measured| judged(&unbounded, measured, false).to_json("p")["accept"].clone();
        let least = Measured::new("a", 1.5).at_least(1.0);
        assert_eq!(accept(least), json!({ "a": [1.0, null] }));
        let most = Measured::new("a", 1.5).at_most(2.0);
        assert_eq!(accept(most.clone()), json!({ "a": [null, 2.0] }));
        assert_eq!(judged(&unbounded, most, false).values()[0].accept, "<= 2");
    }
}
