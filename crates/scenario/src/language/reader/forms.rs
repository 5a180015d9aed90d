//! The value that someone wrote, in the form that its key takes: a number without the quotes or the
//! unit that it needs none of, a text in quotes, a list of one.

use super::Reader;
use crate::language::diagnostics::Diagnostics;
use crate::language::suggest;
use crate::language::table::{Form, Key};
use crate::language::tree::{self, Node, Value};
use crate::language::units;

/// Longest text that is read anew.
const LONGEST: usize = 64;

impl Reader<'_> {
    /// Would the key take this value?
    fn takes_value(&self, key: &Key, node: &Node, value: Value) -> bool {
        let mut unheard = Diagnostics::default();
        let mut reader = Reader {
            mistakes: &mut unheard,
            suggestions: suggest::Budget::default(),
            is_trial: true,
            ..*self
        };
        let at = node.at.clone();
        let is_read = key.kind.read(&mut reader, key, &Node { at, value });
        is_read.is_some() && unheard.errors() == 0
    }

    /// Would the key take this text?
    pub(super) fn takes(&self, key: &Key, node: &Node, text: &str) -> bool {
        self.takes_value(key, node, Value::Text(text.into()))
    }

    /// Reads items of a list: what is wrong in one of them is not wrong with the list.
    pub(crate) fn within<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.is_in_list, true);
        let found = read(self);
        self.is_in_list = outer;
        found
    }

    /// What was meant, as a line of help.
    pub(super) fn in_right_form(&self, key: &Key, node: &Node) -> Option<String> {
        let is_value = matches!(key.kind.form(), Form::Value);
        if self.is_trial || !is_value || !self.suggestions.spend() {
            return None;
        }
        let list = |value: Value| {
            let at = node.at.clone();
            Value::List(vec![Node { value, at }])
        };
        let shown = |value| {
            let at = node.at.clone();
            Node { value, at }.to_toml()
        };
        let meant = readings(node, key.kind.facts().counted);
        if self.is_in_list {
            let own = node.to_toml();
            let is_item = |value: &Value| {
                if shown(value.clone()) == own {
                    return false;
                }
                let one = list(value.clone());
                let rows = list(one.clone());
                self.takes_value(key, node, one) || self.takes_value(key, node, rows)
            };
            let item = meant.into_iter().find(is_item)?;
            return Some(format!("write this one as `{}`", shown(item)));
        }
        let alone = meant.iter().cloned();
        let own = matches!(node.value, Value::List(_)).then(|| node.value.clone());
        let lists = own.is_none().then(|| node.value.clone()).into_iter();
        let lists = lists.chain(meant.iter().cloned()).map(list);
        let mut all = alone.chain(lists);
        let found = all.find(|value| self.takes_value(key, node, value.clone()))?;
        Some(format!(
            "write it like this: `{} = {}`",
            key.name,
            shown(found)
        ))
    }
}

/// What a value may have been meant to be, the likeliest first; `counted` is what numbers without a
/// unit count.
fn readings(node: &Node, counted: &str) -> Vec<Value> {
    match &node.value {
        Value::Text(text) if text.len() <= LONGEST => of_text(text.trim(), counted),
        Value::Integer(..) | Value::Float(_) => of_number(&node.number().unwrap_or_default()),
        Value::Bool(false) => vec![Value::Text("none".into()), Value::Text("off".into())],
        Value::Bool(true) => vec![Value::Text("on".into())],
        Value::Date(text) => vec![Value::Text(text.clone())],
        Value::List(items) => match items.as_slice() {
            [one] => {
                let own = std::iter::once(one.value.clone());
                own.chain(readings(one, counted)).collect()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// What stands in quotes and may stand without them.
fn of_text(text: &str, counted: &str) -> Vec<Value> {
    let mut all = Vec::new();
    match text.to_lowercase().as_str() {
        "yes" | "on" | "true" => all.push(Value::Bool(true)),
        "no" | "off" | "false" | "none" => all.push(Value::Bool(false)),
        _ => {}
    }
    let literal = tree::read_value(text, 0, 0).value;
    if !matches!(literal, Value::Text(_) | Value::Table(_)) {
        all.push(literal);
    }
    let text = ungrouped(text);
    let Ok((number, unit)) = units::split_number(&text) else {
        return all;
    };
    let bytes = (counted == "bytes" && !unit.is_empty()).then(|| units::size_bytes(&text));
    match (bytes, unit) {
        (Some(Ok(bytes)), _) => all.push(Value::Integer(bytes.to_string(), 10)),
        (_, "%") => all.extend([number.percent(), number].map(literal_of)),
        _ if units::is_known(unit) => {}
        _ => all.extend(of_number(&number.to_string())),
    }
    all
}

fn literal_of(number: units::Decimal) -> Value {
    match number.scale {
        0 => Value::Integer(number.to_string(), 10),
        _ => Value::Float(number.to_string()),
    }
}

/// The same number in other forms.
fn of_number(text: &str) -> Vec<Value> {
    if let Some(above) = text.strip_prefix('-') {
        let whole = of_number(above)
            .into_iter()
            .filter_map(|value| match value {
                Value::Integer(digits, radix) => Some(Value::Integer(format!("-{digits}"), radix)),
                Value::Float(digits) => Some(Value::Float(format!("-{digits}"))),
                _ => None,
            });
        return whole.chain([Value::Text(text.into())]).collect();
    }
    let mut all = Vec::new();
    let number = units::split_number(text).map(|(number, _)| number.shortest());
    if let Ok(number) = number {
        all.push(literal_of(number));
        match (number.digits, number.scale) {
            (0, _) => all.push(Value::Bool(false)),
            (1, 0) => all.push(Value::Bool(true)),
            _ => {}
        }
    }
    all.push(Value::Text(text.into()));
    all
}

/// Without what stands between groups of three digits: `9,216`, `9 216` or `9'216`.
pub(super) fn ungrouped(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let is_digit = |at: usize| letters.get(at).is_some_and(char::is_ascii_digit);
    let groups = |at: usize| {
        let three = (1..=3).all(|more| is_digit(at + more)) && !is_digit(at + 4);
        matches!(letters[at], ',' | '\'' | ' ' | '\u{a0}') && at > 0 && is_digit(at - 1) && three
    };
    let kept = (0..letters.len()).filter(|at| !groups(*at));
    kept.map(|at| letters[at]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::given;
    use crate::language::table::{Default, Section};

    /// What is helped where the key has this value; `None` where it takes it.
    fn helped(root: &'static Section, key: &Key, toml: &str) -> Option<String> {
        let mut mistakes = Diagnostics::default();
        let mut reader = Reader::of(root, &mut mistakes);
        let node = tree::read_value(toml, 0, 0);
        let is_read = key.kind.read(&mut reader, key, &node).is_some();
        let help = mistakes.iter().flat_map(|mistake| &mistake.help);
        let help = help.map(|help| format!("{help}\n")).collect();
        (!is_read || mistakes.errors() > 0).then_some(help)
    }

    /// The example of a key in forms that it does not take.
    fn slips(example: &str) -> Vec<String> {
        let inner = example.trim_matches('"');
        let is_text = example.starts_with('"');
        match tree::read_value(example, 0, 0).value {
            Value::Integer(..) => vec![
                format!("\"{example}\""),
                format!("\" {example} \""),
                format!("[{example}]"),
                format!("[\"{example}\"]"),
                format!("{example}.0"),
            ],
            Value::Float(_) | Value::Bool(_) => vec![
                format!("\"{example}\""),
                format!("[{example}]"),
                format!("[\"{example}\"]"),
            ],
            Value::Text(_) if is_text => match units::split_number(inner) {
                Ok((number, unit)) if !unit.is_empty() => {
                    vec![
                        format!("[{example}]"),
                        number.to_string(),
                        format!("\"{number}\""),
                    ]
                }
                _ => vec![format!("[{example}]")],
            },
            Value::List(items) => {
                let alone = items
                    .iter()
                    .filter(|item| !matches!(item.value, Value::List(_)));
                alone.take(1).map(Node::to_toml).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Does help propose this example, where a slip stands in its place?
    fn is_proposed(key: &Key, (example, slip): (&str, &str), told: &str) -> bool {
        let number = slip.trim_matches('"');
        if units::split_number(number).is_ok_and(|(_, unit)| unit.is_empty()) {
            // Nobody knows which unit was meant.
            let with_unit = format!("`{} = \"{number} ", key.name);
            if told.contains(&with_unit) {
                return true;
            }
        }
        let own = match example.starts_with('[') {
            true => format!("[{slip}]"),
            false => example.to_owned(),
        };
        let meant = [own, format!("[{example}]"), format!("\"{example}\"")];
        let mut meant = meant.iter();
        meant.any(|value| told.contains(&format!("`{} = {value}`", key.name)))
    }

    /// Slips at this key of which something else is helped; how many there are of them all.
    fn unhelped(root: &'static Section, key: &Key) -> (usize, Vec<String>) {
        let default = match key.default {
            Default::Is(toml) => Some(toml.to_owned()),
            _ => None,
        };
        let examples = [Some(key.kind.example_for(key.name)), default];
        let (mut tried, mut wrong) = (0, Vec::new());
        for example in examples.into_iter().flatten() {
            for slip in slips(&example) {
                let Some(told) = helped(root, key, &slip) else {
                    continue;
                };
                tried += 1;
                if !is_proposed(key, (&example, &slip), &told) {
                    wrong.push(format!("{} = {slip}: {told}", key.name));
                }
            }
        }
        (tried, wrong)
    }

    /// Whatever a key of the language takes is proposed where it stands there in another form.
    #[test]
    fn what_was_written_is_proposed_in_the_right_form() {
        let (mut tried, mut wrong) = (0, Vec::new());
        for (_, root) in given::ROOTS {
            let keys = root.below().into_iter().flat_map(|section| section.keys);
            for key in keys.filter(|key| key.kind.form() == Form::Value) {
                let (own, faults) = unhelped(root, key);
                tried += own;
                wrong.extend(faults);
            }
        }
        let count = wrong.len();
        assert!(wrong.is_empty(), "{count} of {tried}:\n{}", wrong.join(""));
        assert!(tried > 500, "only {tried}");
    }

    #[test]
    fn digits_in_groups_are_one_number() {
        assert_eq!(ungrouped("1,234,567 B"), "1234567 B");
        assert_eq!(ungrouped("9 216"), "9216");
        assert_eq!(ungrouped("1,5 us"), "1,5 us");
        assert_eq!(ungrouped("[1, 234]"), "[1, 234]");
    }
}
