//! Where two runs part.

use std::fmt::{self, Display, Write};

use crate::report::Start;

/// Entries shown before and after the first difference.
const CONTEXT: usize = 8;

/// The first place where two lists (of starts, moves, deliveries) differ, with its surroundings;
/// `None` if they agree.
pub fn first_difference<T: PartialEq + Display>(reference: &[T], engine: &[T]) -> Option<String> {
    let pairs = reference.iter().zip(engine);
    let shared = pairs.take_while(|(left, right)| left == right).count();
    if shared == reference.len() && shared == engine.len() {
        return None;
    }
    let from = shared.saturating_sub(CONTEXT);
    let mut text = format!(
        "first difference at entry {shared} (reference has {}, engine has {})\n",
        reference.len(),
        engine.len()
    );
    for (offset, entry) in reference[from..shared].iter().enumerate() {
        let _ = writeln!(text, "  both      {:>6}: {entry}", from + offset);
    }
    for (name, list) in [("reference", reference), ("engine   ", engine)] {
        let until = list.len().min(shared + CONTEXT);
        for (offset, entry) in list[shared..until].iter().enumerate() {
            let _ = writeln!(text, "  {name} {:>6}: {entry}", shared + offset);
        }
        if until == list.len() {
            let _ = writeln!(text, "  {name} ends");
        }
    }
    Some(text)
}

impl Display for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ps, channel {}, flow {}, ",
            self.at_ps, self.channel, self.flow
        )?;
        match self.control {
            true => write!(f, "credit {}", self.number as i64),
            false => write!(f, "unit {}", self.number),
        }
    }
}
