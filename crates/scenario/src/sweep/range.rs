//! Ranges: `{ from = 0.1, to = 0.9, step = 0.1 }` and `{ from = 1, to = 16, factor = 2 }`.
//!
//! Counted in decimals exactly as written, so that the third value is 0.3 and no neighbour of it.

use super::MOST_POINTS;
use crate::language::tree::{Node, Value};
use crate::language::units::{self, Decimal};
use crate::prelude::*;

const KEYS: [&str; 4] = ["from", "to", "step", "factor"];
/// Decimals that a value of a range may have.
const MOST_DECIMALS: u32 = 18;

/// Is the table meant as a range, complete or not?
pub(super) fn is_range(node: &Node) -> bool {
    let is_plain = |node: &Node| !matches!(node.value, Value::Table(_) | Value::List(_));
    KEYS.iter().any(|key| node.get(key).is_some_and(is_plain))
}

/// A number as it stands in a range.
struct Number {
    value: Decimal,
    unit: String,
    is_whole: bool,
}

/// The values, in order.
pub(super) fn values(node: &Node) -> Result<Vec<Node>, Box<Diagnostic>> {
    if let Some(entry) = node
        .table()
        .iter()
        .find(|e| !KEYS.contains(&e.key.as_str()))
    {
        return Err(bad(&entry.key_at, "not a key of a range"));
    }
    let needed = |key: &str, why: &str| match node.get(key) {
        Some(value) => number(value),
        None => Err(bad(&node.at, why)),
    };
    let from = needed("from", "`from` is missing")?;
    let to = needed("to", "`to` is missing")?;
    if from.unit != to.unit {
        return Err(bad(&node.at, "`from` and `to` have different units"));
    }
    let decimals = match (node.get("step"), node.get("factor")) {
        (Some(step), None) => by_step(&from, &to, &number(step)?, &step.at)?,
        (None, Some(factor)) => by_factor(&from, &to, &number(factor)?, &factor.at)?,
        _ => return Err(bad(&node.at, "it needs either `step` or `factor`")),
    };
    let by = node.get("step").or_else(|| node.get("factor"));
    let is_whole = from.is_whole && by.is_some_and(|by| matches!(by.value, Value::Integer(..)));
    let value = |decimal: &Decimal| Node {
        value: written(*decimal, &from.unit, is_whole),
        at: node.at.clone(),
    };
    Ok(decimals.iter().map(value).collect())
}

fn number(node: &Node) -> Result<Number, Box<Diagnostic>> {
    let text = match &node.value {
        Value::Text(text) => text.clone(),
        _ => node.number().ok_or_else(|| bad(&node.at, "not a number"))?,
    };
    match units::split_number(&text) {
        Ok((value, unit)) => Ok(Number {
            value: value.shortest(),
            unit: unit.into(),
            is_whole: matches!(node.value, Value::Integer(..)),
        }),
        Err(_) => Err(bad(&node.at, "not a number from 0 on")),
    }
}

fn by_step(
    from: &Number,
    to: &Number,
    step: &Number,
    at: &At,
) -> Result<Vec<Decimal>, Box<Diagnostic>> {
    if step.unit != from.unit {
        return Err(bad(at, "its unit differs from that of `from` and `to`"));
    }
    if step.value.is_zero() {
        return Err(bad(at, "steps of nothing lead nowhere"));
    }
    let numbers = [from.value, to.value, step.value];
    let scale = numbers.iter().map(|number| number.scale).max().unwrap_or(0);
    let too_fine = || bad(at, "too many digits");
    if scale > MOST_DECIMALS {
        return Err(too_fine());
    }
    let scaled = |number: Decimal| {
        let factor = 10_u128.checked_pow(scale - number.scale)?;
        number
            .digits
            .checked_mul(factor)
            .filter(|digits| *digits < 1 << 120)
    };
    let [Some(from), Some(to), Some(step)] = numbers.map(scaled) else {
        return Err(too_fine());
    };
    if from > to {
        return Err(bad(at, "`from` is above `to`"));
    }
    if (to - from) / step >= u128::from(MOST_POINTS) {
        return Err(too_many(at));
    }
    let digits = (0..=(to - from) / step).map(|index| from + index * step);
    Ok(digits
        .map(|digits| Decimal { digits, scale }.shortest())
        .collect())
}

fn by_factor(
    from: &Number,
    to: &Number,
    factor: &Number,
    at: &At,
) -> Result<Vec<Decimal>, Box<Diagnostic>> {
    if !factor.unit.is_empty() || !factor.value.shortest().exceeds(1) {
        return Err(bad(at, "a factor is a number above 1"));
    }
    if from.value.is_zero() {
        return Err(bad(at, "no factor leads away from 0"));
    }
    let mut values = Vec::new();
    let mut value = from.value;
    let too_long = || bad(at, "it leads to values of too many digits");
    while at_most(value, to.value).ok_or_else(too_long)? {
        if values.len() as u64 == MOST_POINTS {
            return Err(too_many(at));
        }
        values.push(value);
        let digits = value.digits.checked_mul(factor.value.digits);
        let next = digits.map(|digits| Decimal {
            digits,
            scale: value.scale + factor.value.scale,
        });
        let next = next.map(Decimal::shortest);
        value = next
            .filter(|next| next.scale <= MOST_DECIMALS)
            .ok_or_else(too_long)?;
    }
    match values.is_empty() {
        true => Err(bad(at, "`from` is above `to`")),
        false => Ok(values),
    }
}

/// `a <= b`; `None` where they are too long to compare.
fn at_most(a: Decimal, b: Decimal) -> Option<bool> {
    let scaled = |number: Decimal, other: Decimal| {
        let factor = 10_u128.checked_pow(other.scale.saturating_sub(number.scale))?;
        number.digits.checked_mul(factor)
    };
    Some(scaled(a, b)? <= scaled(b, a)?)
}

fn written(decimal: Decimal, unit: &str, is_whole: bool) -> Value {
    let text = decimal.to_string();
    if !unit.is_empty() {
        return Value::Text(format!("{text} {unit}"));
    }
    match (is_whole, decimal.scale) {
        (true, 0) => Value::Integer(text, 10),
        (false, 0) => Value::Float(text + ".0"),
        _ => Value::Float(text),
    }
}

fn bad(at: &At, what: &str) -> Box<Diagnostic> {
    Diagnostic::error("bad-range", "no range of values")
        .at(at, what)
        .help("write `{ from = 0.1, to = 0.9, step = 0.1 }`")
        .help("or `{ from = 1, to = 16, factor = 2 }`; units are the same in all")
        .into()
}

fn too_many(at: &At) -> Box<Diagnostic> {
    bad(at, &format!("more than {MOST_POINTS} values"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::tree::read_value;

    fn range(text: &str) -> Result<Vec<String>, String> {
        match values(&read_value(text, 0, 0)) {
            Ok(nodes) => Ok(nodes.iter().map(Node::to_toml).collect()),
            Err(mistake) => Err(mistake.labels[0].1.clone()),
        }
    }

    #[test]
    fn steps_are_exact() {
        let tenths = range("{ from = 0.1, to = 0.9, step = 0.1 }").expect("a range");
        let wanted = [
            "0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9",
        ];
        assert_eq!(tenths, wanted);
        let past = range("{ from = 1, to = 8, step = 3 }").expect("a range");
        assert_eq!(past, ["1", "4", "7"]);
        let mixed = range("{ from = 0, to = 1.0, step = 0.5 }").expect("a range");
        assert_eq!(mixed, ["0.0", "0.5", "1.0"]);
    }

    #[test]
    fn factors_and_units() {
        let vcs = range("{ from = 1, to = 16, factor = 2 }").expect("a range");
        assert_eq!(vcs, ["1", "2", "4", "8", "16"]);
        let times = range("{ from = \"10 us\", to = \"20 us\", step = \"5 us\" }");
        assert_eq!(
            times.expect("a range"),
            ["\"10 us\"", "\"15 us\"", "\"20 us\""]
        );
    }

    #[test]
    fn wrong_ranges_say_why() {
        for (text, why) in [
            ("{ from = 1, to = 2 }", "either"),
            ("{ from = 1, to = 2, step = 1, factor = 2 }", "either"),
            ("{ from = 1, step = 1 }", "`to` is missing"),
            ("{ to = 1, step = 1 }", "`from` is missing"),
            ("{ from = 2, to = 1, step = 1 }", "above"),
            ("{ from = 2, to = 1, factor = 2 }", "above"),
            ("{ from = 1, to = 2, step = 0 }", "nowhere"),
            ("{ from = 0, to = 2, factor = 2 }", "away from 0"),
            ("{ from = 1, to = 2, factor = 1.0 }", "above 1"),
            ("{ from = -1, to = 2, step = 1 }", "from 0 on"),
            ("{ from = 1, to = 2, step = nan }", "from 0 on"),
            ("{ from = true, to = 2, step = 1 }", "not a number"),
            (
                "{ from = \"1 us\", to = \"2 ms\", step = \"1 us\" }",
                "different units",
            ),
            ("{ from = 1, to = 2, by = 1 }", "not a key"),
            ("{ from = 0, to = 1, step = 0.0000001 }", "more than"),
            ("{ from = 0, to = 1e30, step = 1e-18 }", "digits"),
            ("{ from = 1, to = 1e30, factor = 1.000000001 }", "digits"),
        ] {
            let error = range(text).expect_err(text);
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
