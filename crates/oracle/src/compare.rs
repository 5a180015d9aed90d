//! Where two runs part.

use std::fmt::Write;

use crate::report::Start;

/// Starts shown before and after the first difference.
const CONTEXT: usize = 5;

/// The first place where the two lists differ, with its surroundings; `None` if they agree.
pub fn first_difference(a: &[Start], b: &[Start]) -> Option<String> {
    let shared = a
        .iter()
        .zip(b)
        .take_while(|(left, right)| left == right)
        .count();
    if shared == a.len() && shared == b.len() {
        return None;
    }
    let from = shared.saturating_sub(CONTEXT);
    let mut text = format!(
        "first difference at start {shared} (a has {}, b has {})\n",
        a.len(),
        b.len()
    );
    for (offset, start) in a[from..shared].iter().enumerate() {
        let _ = writeln!(text, "  both {:>6}: {}", from + offset, line(start));
    }
    for (name, list) in [("a", a), ("b", b)] {
        let until = list.len().min(shared + CONTEXT);
        for (offset, start) in list[shared..until].iter().enumerate() {
            let _ = writeln!(text, "  {name}    {:>6}: {}", shared + offset, line(start));
        }
        if until == list.len() {
            let _ = writeln!(text, "  {name}    ends");
        }
    }
    Some(text)
}

fn line(start: &Start) -> String {
    let what = if start.control {
        format!("credit {}", start.number as i64)
    } else {
        format!("unit {}", start.number)
    };
    format!(
        "{} ps, channel {}, flow {}, {what}",
        start.at_ps, start.channel, start.flow
    )
}
