//! Numbers and tables as the scenarios have them.

use std::fmt::Write as _;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::language::kinds::OrShare;

/// A text that grows line by line.
#[derive(Default)]
pub(super) struct Toml(pub String);

impl Toml {
    /// `[title]` or `[[title]]`, after an empty line.
    pub fn table(&mut self, title: &str) -> &mut Toml {
        let _ = writeln!(self.0, "\n{title}");
        self
    }

    /// `key = value`, as it is.
    pub fn key(&mut self, key: &str, value: impl std::fmt::Display) -> &mut Toml {
        let _ = writeln!(self.0, "{key} = {value}");
        self
    }
}

/// A span of time in the largest unit that divides it, quoted.
pub(super) fn span(span: Duration) -> String {
    let units = [
        (1_000_000_000_000, "s"),
        (1_000_000_000, "ms"),
        (1_000_000, "us"),
        (1_000, "ns"),
        (1, "ps"),
    ];
    whole(span.ps(), &units)
}

/// A number in the first of these units that divides it, quoted.
fn whole(number: u64, units: &[(u64, &str)]) -> String {
    let divides = |unit: &&(u64, &str)| number.is_multiple_of(unit.0);
    let (scale, unit) = units.iter().find(divides).unwrap_or(&(1, ""));
    format!("\"{} {unit}\"", number / scale)
}

/// An instant, as the time from the start to it.
pub(super) fn instant(at: Time) -> String {
    span(at.since(Time::ZERO))
}

/// A span of time, fixed or random.
pub(super) fn random(span: Span) -> String {
    match span {
        Span::Fixed(length) => self::span(length),
        Span::Exponential(mean) => format!("{{ mean = {} }}", self::span(mean)),
        Span::Uniform(mean) => format!("{{ mean = {}, law = \"uniform\" }}", self::span(mean)),
    }
}

/// A rate in the largest unit that divides it, quoted.
pub(super) fn rate(rate: Rate) -> String {
    whole(rate.0, &[(1_000_000, "Mbps"), (1_000, "kbps"), (1, "bps")])
}

/// Bytes, quoted.
pub(super) fn bytes(bytes: u64) -> String {
    format!("\"{bytes} B\"")
}

/// Bytes or a share of a buffer, quoted.
pub(super) fn threshold(threshold: OrShare<u64>) -> String {
    match threshold {
        OrShare::Value(value) => whole(value, &[(1_000, "kB"), (1, "B")]),
        OrShare::Share(share) => format!("\"{} %\"", share.in_percent()),
    }
}
