//! Numbers and tables as the scenarios have them.

use std::fmt::Write as _;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::kinds::OrShare;
use crate::units::Decimal;

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
    let ps = span.ps();
    const UNITS: [(u64, &str); 4] = [
        (1_000_000_000_000, "s"),
        (1_000_000_000, "ms"),
        (1_000_000, "us"),
        (1_000, "ns"),
    ];
    let unit = UNITS.iter().find(|(scale, _)| ps.is_multiple_of(*scale));
    match unit {
        Some((scale, unit)) => format!("\"{} {unit}\"", ps / scale),
        None => format!("\"{ps} ps\""),
    }
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
    const UNITS: [(u64, &str); 2] = [(1_000_000, "Mbps"), (1_000, "kbps")];
    let unit = UNITS
        .iter()
        .find(|(scale, _)| rate.0.is_multiple_of(*scale));
    match unit {
        Some((scale, unit)) => format!("\"{} {unit}\"", rate.0 / scale),
        None => format!("\"{} bps\"", rate.0),
    }
}

/// Bytes, quoted.
pub(super) fn bytes(bytes: u64) -> String {
    format!("\"{bytes} B\"")
}

/// A share as a percentage, quoted.
fn share(share: Decimal) -> String {
    format!("\"{} %\"", share.in_percent())
}

/// Bytes or a share of a buffer, quoted.
pub(super) fn threshold(threshold: OrShare<u64>) -> String {
    match threshold {
        OrShare::Value(value) if value.is_multiple_of(1_000) => {
            format!("\"{} kB\"", value / 1_000)
        }
        OrShare::Value(value) => bytes(value),
        OrShare::Share(part) => share(part),
    }
}
