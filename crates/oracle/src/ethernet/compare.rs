//! Where two runs part.

use std::fmt::{self, Debug, Write};

use super::{Delivery, Drop, Start};

/// Entries shown before and after the first difference.
const CONTEXT: usize = 8;

/// The first place where two lists differ, with its surroundings; `None` if they agree.
pub fn first_difference<T: PartialEq + Debug>(reference: &[T], engine: &[T]) -> Option<String> {
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
        let _ = writeln!(text, "  both      {:>6}: {entry:?}", from + offset);
    }
    for (name, list) in [("reference", reference), ("engine   ", engine)] {
        let until = list.len().min(shared + CONTEXT);
        for (offset, entry) in list[shared..until].iter().enumerate() {
            let _ = writeln!(text, "  {name} {:>6}: {entry:?}", shared + offset);
        }
        if until == list.len() {
            let _ = writeln!(text, "  {name} ends");
        }
    }
    Some(text)
}

impl Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ps, channel {}: ", self.at_ps, self.channel)?;
        match self.control {
            Some(control) => write!(f, "{control:?}"),
            None => write!(
                f,
                "flow {} number {}, {} bytes",
                self.flow, self.number, self.bytes
            ),
        }
    }
}

impl Debug for Drop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ps, channel {}: flow {} number {}, {:?}",
            self.at_ps, self.channel, self.flow, self.number, self.cause
        )
    }
}

impl Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mark = if self.is_marked { ", marked" } else { "" };
        write!(
            f,
            "{} ps: flow {} number {}{mark}",
            self.at_ps, self.flow, self.number
        )
    }
}
