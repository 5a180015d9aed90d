//! Names in tables that stand for several things, numbered from 1.

/// `text` with the number for `{i}`.
pub(crate) fn expand(text: &str, number: Option<u64>) -> String {
    match number {
        Some(number) => text.replace("{i}", &number.to_string()),
        None => text.into(),
    }
}
