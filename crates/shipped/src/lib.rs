//! Texts that the program brings with it, so that it works from any folder: shipped scenarios, the
//! claims of papers, and how mistakes are told.
//!
//! ```
//! let text = backwater_shipped::scenario("kung1993/fig17-two-switches.toml");
//! assert!(text.contains("[flow_control]"));
//! ```
#![no_std]

/// Every file below `scenarios/`: its path there, its text; in alphabetical order.
pub static SCENARIOS: &[(&str, &str)] = SCENARIO_ROWS;
/// How a mistake of each kind is told: its code, the text; by code.
pub static MISTAKES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/mistakes.rs"));

const SCENARIO_ROWS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/scenarios.rs"));
const CLAIM_ROWS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/claims.rs"));

/// The text of a file below `scenarios/`.
///
/// # Panics
///
/// If there is none of this path; in a constant, the program is not compiled then.
pub const fn scenario(path: &str) -> &'static str {
    text(SCENARIO_ROWS, path)
}

/// The claims of a paper: the text of a file below `claims/`, as `kung1993.toml`.
///
/// # Panics
///
/// As [`scenario`] does.
pub const fn claims(path: &str) -> &'static str {
    text(CLAIM_ROWS, path)
}

const fn text(rows: &[(&str, &'static str)], name: &str) -> &'static str {
    let mut row = 0;
    while row < rows.len() {
        if is_same(rows[row].0, name) {
            return rows[row].1;
        }
        row += 1;
    }
    panic!("no file of this name is shipped");
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut at = 0;
    while at < one.len() && at < other.len() && one[at] == other[at] {
        at += 1;
    }
    at == one.len() && at == other.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_their_whole_name() {
        assert!(claims("kung1993.toml").contains("[[claim]]"));
        assert!(is_same("a", "a") && !is_same("a", "ab") && !is_same("ab", "a"));
        assert!(SCENARIOS.len() > 100 && MISTAKES.len() > 20);
        for rows in [SCENARIOS, MISTAKES, CLAIM_ROWS] {
            assert!(rows.is_sorted_by_key(|row| row.0), "{:?}", rows[0]);
        }
    }
}
