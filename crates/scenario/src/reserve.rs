//! What a flow reserves and is held to; sizes of its units.

use kernel::{Duration, Rate};
use packet::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, OnAlarm, ReserveSpec, SessionSpec, SizeShare,
};

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;
use crate::units::LONGEST_PS;

/// The part of a flow that this module reads.
#[derive(Default)]
pub(crate) struct Terms {
    pub reserve: Option<ReserveSpec>,
    pub envelope: Option<EnvelopeSpec>,
    pub policer: Option<EnvelopeSpec>,
    pub on_alarm: OnAlarm,
    pub session: Option<SessionSpec>,
}

/// The sizes of a flow's units that come at all; empty if all are of one size.
pub(crate) fn sizes(flow: &Record, mistakes: &mut Diagnostics) -> Vec<SizeShare> {
    let size = |record: &Record| {
        Some(SizeShare {
            bytes: record.count("bytes")?,
            share: record.decimal("share").filter(|share| *share > 0.0)?,
        })
    };
    let sizes: Vec<SizeShare> = flow.records("sizes").iter().filter_map(size).collect();
    let broken = flow
        .records("sizes")
        .iter()
        .any(|record| !record.faulty.is_empty());
    if flow.given("sizes") && sizes.is_empty() && !broken {
        mistakes.push(
            Diagnostic::error("no-sizes", "no size of `sizes` ever comes")
                .at(flow.at("sizes"), "no share above 0")
                .note("the size of each unit is drawn from these, by their shares")
                .help(
                    "write it like this: `sizes = [{ bytes = \"64 B\", share = 0.5 }, { bytes = \
                     \"1500 B\", share = 0.5 }]`",
                ),
        );
    }
    sizes
}

/// Mean size of the units of a flow in 2^-20 bytes, never 0.
pub(crate) fn mean_size(sizes: &[SizeShare], unit_bytes: u32) -> u64 {
    let shares: f64 = sizes.iter().map(|size| size.share).sum();
    if sizes.is_empty() || shares <= 0.0 {
        return u64::from(unit_bytes) << 20;
    }
    let bytes = sizes.iter().map(|s| f64::from(s.bytes) * s.share);
    // At most 2^40, in steps that a float holds exactly.
    (bytes.sum::<f64>() / shares * f64::from(1 << 20))
        .round()
        .max(1.0) as u64
}

/// Reads it; `unit_bytes` is the largest unit of the flow.
pub(crate) fn terms(flow: &Record, unit_bytes: u32, mistakes: &mut Diagnostics) -> Terms {
    let reserve = flow
        .record("reserve")
        .and_then(|record| reserve(record, unit_bytes, mistakes));
    let mut held = |key: &str| {
        flow.record(key).and_then(|record| {
            Reader {
                flow,
                record,
                reserve,
                unit_bytes,
            }
            .envelope(mistakes)
        })
    };
    Terms {
        reserve,
        envelope: held("envelope"),
        policer: held("policer"),
        on_alarm: flow.record("on_alarm").map_or(OnAlarm::Ignore, |record| {
            match record.word("kind") {
                "obey" => OnAlarm::Obey,
                "slow-down" => OnAlarm::SlowDown {
                    factor: record.decimal("factor").unwrap_or(0.5),
                },
                _ => OnAlarm::Ignore,
            }
        }),
        session: flow
            .record("session")
            .and_then(|record| session(record, mistakes)),
    }
}

fn reserve(record: &Record, unit_bytes: u32, mistakes: &mut Diagnostics) -> Option<ReserveSpec> {
    let burst_bytes = record.whole("burst");
    check_burst(record, burst_bytes, unit_bytes, mistakes);
    Some(ReserveSpec {
        rate: record.rate("rate")?,
        interval: record.duration("interval"),
        burst_bytes,
        offset: record.duration("offset").unwrap_or(Duration::ZERO),
        deadline: record.duration("deadline"),
    })
}

fn check_burst(
    record: &Record,
    burst_bytes: Option<u64>,
    unit_bytes: u32,
    mistakes: &mut Diagnostics,
) {
    if burst_bytes.is_some_and(|burst| burst < u64::from(unit_bytes)) {
        mistakes.push(
            Diagnostic::error("burst-too-small", "the burst is less than one unit")
                .at(record.at("burst"), "no unit of this flow ever fits")
                .note(format!(
                    "the largest unit of the flow has {unit_bytes} bytes"
                ))
                .help(format!(
                    "`burst = \"{unit_bytes} B\"` or more; without `burst` it is one unit"
                )),
        );
    }
}

fn session(record: &Record, mistakes: &mut Diagnostics) -> Option<SessionSpec> {
    let (open, close) = (record.time("open")?, record.time("close"));
    if close.is_some_and(|close| close <= open) {
        mistakes.push(
            Diagnostic::error("bad-times", "the session closes before it opens")
                .at(record.at("close"), "closes here")
                .at(record.at("open"), "opens here")
                .help("make `close` later than `open`, or leave it out: the session stays open"),
        );
    }
    Some(SessionSpec {
        open,
        close,
        message_bytes: record.count("message").unwrap_or(64),
    })
}

/// AIR: units of `unit_bytes` that `rate` brings in `interval`, rounded down, at least 1.
pub(crate) fn units_in(rate: Rate, interval: Duration, unit_bytes: u32) -> u32 {
    let units = rate.bits_in(interval) / (8 * u128::from(unit_bytes.max(1)));
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// An envelope or a policer of one flow.
struct Reader<'a> {
    flow: &'a Record,
    record: &'a Record,
    reserve: Option<ReserveSpec>,
    unit_bytes: u32,
}

impl Reader<'_> {
    fn envelope(&self, mistakes: &mut Diagnostics) -> Option<EnvelopeSpec> {
        let rule = match self.record.word("kind") {
            "fixed-window" => {
                let (units, interval) = self.window(mistakes)?;
                let phase = self.record.duration("phase");
                self.check_phase(phase, interval, mistakes);
                EnvelopeRule::FixedWindow {
                    units,
                    interval,
                    phase,
                }
            }
            "sliding-window" => {
                let (units, interval) = self.window(mistakes)?;
                EnvelopeRule::SlidingWindow { units, interval }
            }
            "bucket" => self.bucket(mistakes)?,
            _ => return None,
        };
        let excess = match self.record.word("excess") {
            "delay" => Excess::Delay,
            "freeze" => Excess::Freeze,
            _ => Excess::Drop,
        };
        Some(EnvelopeSpec { rule, excess })
    }

    fn window(&self, mistakes: &mut Diagnostics) -> Option<(u32, Duration)> {
        let interval = self.record.duration("interval");
        let interval = interval.or(self.reserve.and_then(|reserve| reserve.interval));
        if interval.is_none() {
            self.missing("interval", "50 ms", "interval", mistakes);
        }
        let units = self.record.count("units");
        if units.is_none() && self.reserve.is_none() {
            self.missing("units", "50", "rate", mistakes);
        }
        let interval = interval?;
        let reserved = self
            .reserve
            .map(|reserve| units_in(reserve.rate, interval, self.unit_bytes));
        Some((units.or(reserved)?, interval))
    }

    fn bucket(&self, mistakes: &mut Diagnostics) -> Option<EnvelopeRule> {
        let rate = self.record.rate("rate");
        let rate = rate.or(self.reserve.map(|reserve| reserve.rate));
        let burst = self.record.whole("burst");
        check_burst(self.record, burst, self.unit_bytes, mistakes);
        if rate.is_none() {
            self.missing("rate", "20 kbps", "rate", mistakes);
        }
        let rate = rate?;
        let reserved = self.reserve.and_then(|reserve| reserve.burst_bytes);
        let beyond = |burst: u64| {
            let more = burst.saturating_sub(u64::from(self.unit_bytes));
            Duration(rate.tick(more).0.min(LONGEST_PS))
        };
        let tolerance = self.record.duration("tolerance");
        let tolerance = tolerance.or_else(|| burst.or(reserved).map(beyond));
        Some(EnvelopeRule::Bucket {
            rate,
            tolerance: tolerance.unwrap_or(Duration::ZERO),
        })
    }

    /// Says that a key is missing, and its substitute in `reserve` too.
    fn missing(&self, key: &'static str, example: &str, of: &str, mistakes: &mut Diagnostics) {
        if self.record.mentions(key) || self.flow.faulty.contains(&"reserve") {
            return;
        }
        let reserve = self.flow.record("reserve");
        if reserve.is_some_and(|reserve| reserve.faulty.contains(&"rate")) {
            return;
        }
        let example = match key {
            "units" => example.into(),
            _ => format!("\"{example}\""),
        };
        let found = match reserve {
            Some(_) => format!("no `{key}` here, and `reserve` has no `{of}`"),
            None => format!("no `{key}` here, and the flow has no `reserve`"),
        };
        mistakes.push(
            Diagnostic::error(
                "missing-key",
                format!("`{key}` is missing in `{}`", self.record.section.name),
            )
            .at(self.record.at.clone(), found)
            .help(format!("add `{key} = {example}`"))
            .help(match of {
                "interval" => {
                    "or give it to the reservation: `reserve = { .., interval = \"5 s\" }`"
                }
                _ => {
                    "or let the flow reserve a rate: `reserve = { rate = \"20 kbps\", interval = \
                     \"5 s\" }`"
                }
            }),
        );
    }

    fn check_phase(&self, phase: Option<Duration>, interval: Duration, mistakes: &mut Diagnostics) {
        if phase.is_some_and(|phase| phase > interval) {
            mistakes.push(
                Diagnostic::error("bad-times", "the first window is longer than the others")
                    .at(self.record.at("phase"), "it would end only here")
                    .at(self.record.at("interval"), "length of a window")
                    .note("`phase` is when the first window ends: at most one interval")
                    .help("leave `phase` out to draw it at random"),
            );
        }
    }
}

/// The most that an envelope lets pass in the long run, units per second.
pub(crate) fn envelope_per_second(envelope: &EnvelopeSpec, unit_bytes: f64) -> f64 {
    match envelope.rule {
        EnvelopeRule::FixedWindow {
            units, interval, ..
        }
        | EnvelopeRule::SlidingWindow { units, interval } => f64::from(units) / interval.seconds(),
        EnvelopeRule::Bucket { rate, .. } => rate.0 as f64 / (8.0 * unit_bytes),
    }
}
