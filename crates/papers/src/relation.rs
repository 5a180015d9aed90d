//! What was measured as one relation: `76 <= 165`, `0.3333 (paper 0.3333)`, `1347 >= 1000`.

use backwater_results::Verdict;

use crate::measured::{Bounds, Measured, number};
use crate::verdict::{Judged, range};

/// So many numbers of a claim stand in a line; the report has all.
const SHOWN: usize = 2;
/// A printed number is met where it is printed again, if what is accepted is so near to it.
const NEAR: f64 = 0.25;

impl Judged {
    /// The claim in a sentence without its second half: `VC2 never holds more than 165 cells`.
    pub fn sentence(&self) -> &str {
        let states = &*self.claim.states;
        states.split_once("; ").map_or(states, |(first, _)| first)
    }

    /// What was measured and what it is held against, the first two numbers of several.
    pub fn relation(&self) -> String {
        let measured = &self.finding.measured;
        let bounded = |one: &&Measured| self.accepted(one).is_some();
        let held: Vec<&Measured> = measured.iter().filter(bounded).collect();
        let mut parts: Vec<String> = held
            .iter()
            .take(SHOWN)
            .filter_map(|one| Some(self.held(one, self.accepted(one)?)))
            .collect();
        match held.len().saturating_sub(SHOWN) {
            0 => {}
            more => parts.push(format!("{more} more")),
        }
        let text = parts.join(", ");
        match self.verdict {
            Verdict::Differs => format!("{text}; known difference, held within its bounds"),
            _ => text,
        }
    }

    /// One number against its bounds.
    fn held(&self, measured: &Measured, bounds: Bounds) -> String {
        let name = match &*measured.name {
            "value" => String::new(),
            name => format!("{} ", name.replace('_', " ")),
        };
        let value = number(measured.value);
        let printed = self.claim.paper.as_ref().and_then(|paper| paper.as_f64());
        let Some(printed) = printed.filter(|_| measured.name == "value") else {
            return format!("{name}{}", against(&value, bounds));
        };
        let paper = number(printed);
        let is_near = |end: f64| (end - printed).abs() <= NEAR * printed.abs();
        match (is_near(bounds.low), is_near(bounds.high)) {
            (false, true) if bounds.high == printed => format!("{value} <= {paper}"),
            (true, false) if bounds.low == printed => format!("{value} >= {paper}"),
            _ => format!("{value} (paper {paper})"),
        }
    }
}

/// A number against bounds alone.
fn against(value: &str, bounds: Bounds) -> String {
    match bounds {
        Bounds { low, high } if low == high => format!("= {value}"),
        Bounds { low, high } if low.is_finite() && high.is_finite() => {
            format!("{value} in {}", range(bounds))
        }
        _ => format!("{value} {}", range(bounds)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::claim::{Accept, Claim};
    use crate::measured::Finding;
    use crate::verdict::judge;

    fn judged(paper: f64, accept: [f64; 2], measured: Measured) -> Judged {
        let claim = Claim {
            id: "x".into(),
            figure: String::new(),
            states: "all is well; and more".into(),
            paper: (paper != 0.0).then(|| json!(paper)),
            accept: Some(Accept::One(accept)),
            check: None,
            known_difference: None,
            reading: None,
        };
        let finding = Finding {
            claim: "x",
            scenario: "s",
            measured: vec![measured],
        };
        judge(&claim, &finding, 0.0, false)
    }

    #[test]
    fn a_bound_that_is_printed_is_a_relation() {
        let of =
            |paper, accept, value| judged(paper, accept, Measured::new("value", value)).relation();
        assert_eq!(of(165.0, [20.0, 165.0], 76.0), "76 <= 165");
        assert_eq!(of(1000.0, [1000.0, 1500.0], 1347.0), "1347 >= 1000");
        assert_eq!(of(61.0, [60.0, 61.0], 61.0), "61 (paper 61)");
        assert_eq!(of(3.0, [2.85, 3.15], 3.05), "3.050 (paper 3)");
        assert_eq!(of(0.0, [1.0, 2.0], 1.5), "1.500 in [1, 2]");
    }

    #[test]
    fn what_has_a_name_keeps_it() {
        let least = Measured::new("no_loss", 5.0).at_least(1.0);
        assert_eq!(judged(0.0, [0.0, 1.0], least).relation(), "no loss 5 >= 1");
        let exact = Measured::new("lost", 0.0).within(0.0, 0.0);
        assert_eq!(judged(0.0, [0.0, 1.0], exact).relation(), "lost = 0");
    }

    #[test]
    fn many_numbers_are_two_and_a_count() {
        let mut many = judged(0.0, [0.0, 1.0], Measured::new("a", 0.0));
        let names = ["a", "b", "c", "d"];
        many.finding.measured = names
            .map(|name| Measured::new(name, 1.0).at_most(1.0))
            .to_vec();
        many.finding.measured.push(Measured::new("told", 7.0));
        assert_eq!(many.relation(), "a 1 <= 1, b 1 <= 1, 2 more");
        many.verdict = Verdict::Differs;
        assert!(
            many.relation()
                .ends_with("known difference, held within its bounds")
        );
        assert_eq!(many.sentence(), "all is well");
    }
}
