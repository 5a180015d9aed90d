//! What a flow reserves and is held to; sizes of its units.

use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{
    EnvelopeRule, EnvelopeSpec, Excess, OnAlarm, ReserveSpec, SessionSpec, SizeShare,
};

use crate::given::circuits::flows::{FlowSettings, Sizes};
use crate::given::circuits::policing::{self as given, Conformance, Envelope, Policer};
use crate::given::circuits::service::{Reserve, Session};
use crate::language::typed::Table;
use crate::language::units::LONGEST_PS;
use crate::prelude::*;

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
pub(crate) fn sizes(flow: &FlowSettings, mistakes: &mut Diagnostics) -> Vec<SizeShare> {
    let own = &flow.sizes;
    let size = |size: &Placed<Sizes>| {
        Some(SizeShare {
            bytes: *size.bytes.sure()?,
            share: *size.share.sure().filter(|share| **share > 0.0)?,
        })
    };
    let sizes: Vec<SizeShare> = own.iter().filter_map(size).collect();
    let is_broken = |size: &Placed<Sizes>| size.bytes.is_faulty || size.share.is_faulty;
    if own.is_given && sizes.is_empty() && !own.iter().any(is_broken) {
        Diagnostic::error("no-sizes", "no size of `sizes` ever comes")
            .at(&own.at, "no share above 0")
            .note("the size of each unit is drawn from these, by their shares")
            .help(
                "write it like this: `sizes = [{ bytes = \"64 B\", share = 0.5 }, { bytes = \
                     \"1500 B\", share = 0.5 }]`",
            )
            .tell(mistakes);
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
pub(crate) fn terms(flow: &FlowSettings, unit_bytes: u32, mistakes: &mut Diagnostics) -> Terms {
    let own = flow.reserve.as_ref();
    let reserve = own.and_then(|own| reserve(own, unit_bytes, mistakes));
    let mut held = |table, rule: &Chosen<Conformance>, excess: Excess| {
        let held = Held {
            flow,
            table,
            rule,
            reserve,
            unit_bytes,
        };
        let rule = held.rule(mistakes)?;
        Some(EnvelopeSpec { rule, excess })
    };
    let envelope = flow.envelope.as_ref().and_then(|own| {
        let table = (Envelope::TABLE.name, &flow.envelope.at);
        held(table, &own.rule, own.excess.into())
    });
    let policer = flow.policer.as_ref().and_then(|own| {
        let table = (Policer::TABLE.name, &flow.policer.at);
        held(table, &own.rule, own.excess.into())
    });
    let session = flow.session.as_ref();
    Terms {
        reserve,
        envelope,
        policer,
        on_alarm: match flow.on_alarm {
            given::OnAlarm::Ignore => OnAlarm::Ignore,
            given::OnAlarm::Obey => OnAlarm::Obey,
            given::OnAlarm::SlowDown { factor } => OnAlarm::SlowDown { factor },
        },
        session: session.and_then(|own| session_of(own, mistakes)),
    }
}

fn reserve(own: &Reserve, unit_bytes: u32, mistakes: &mut Diagnostics) -> Option<ReserveSpec> {
    check_burst(&own.burst, unit_bytes, mistakes);
    Some(ReserveSpec {
        rate: *own.rate.sure()?,
        interval: own.interval,
        burst_bytes: *own.burst,
        offset: own.offset,
        deadline: *own.deadline,
    })
}

fn check_burst(burst: &Placed<Option<u64>>, unit_bytes: u32, mistakes: &mut Diagnostics) {
    let label = "no unit of this flow ever fits";
    let note = format!("the largest unit of the flow has {unit_bytes} bytes");
    mistakes.extend(small_burst(burst, (unit_bytes, "unit"), label, note));
}

/// Says that a burst has no room for the largest of what is sent: its bytes, and what that is.
pub(crate) fn small_burst(
    burst: &Placed<Option<u64>>,
    (largest, what): (u32, &str),
    label: &str,
    note: String,
) -> Option<Diagnostic> {
    (*burst).filter(|burst| *burst < u64::from(largest))?;
    Diagnostic::error(
        "burst-too-small",
        format!("the burst is less than one {what}"),
    )
    .at(&burst.at, label)
    .note(note)
    .help(format!(
        "`burst = \"{largest} B\"` or more; without `burst` it is one {what}"
    ))
    .into()
}

fn session_of(own: &Session, mistakes: &mut Diagnostics) -> Option<SessionSpec> {
    let (open, close) = (*own.open.sure()?, *own.close);
    if close.is_some_and(|close| close <= open) {
        Diagnostic::error("bad-times", "the session closes before it opens")
            .at(&own.close.at, "closes here")
            .at(&own.open.at, "opens here")
            .help("make `close` later than `open`, or leave it out: the session stays open")
            .tell(mistakes);
    }
    Some(SessionSpec {
        open,
        close,
        message_bytes: own.message,
    })
}

/// AIR: units of `unit_bytes` that `rate` brings in `interval`, rounded down, at least 1.
pub(crate) fn units_in(rate: Rate, interval: Duration, unit_bytes: u32) -> u32 {
    let units = rate.bits_in(interval) / (8 * u128::from(unit_bytes.max(1)));
    u32::try_from(units).unwrap_or(u32::MAX).max(1)
}

/// A key of `reserve` that stands for one of an envelope or a policer, and how to give it.
type Substitute = (&'static str, &'static str);

const INTERVAL: Substitute = (
    "interval",
    "or give it to the reservation: `reserve = { .., interval = \"5 s\" }`",
);
const RATE: Substitute = (
    "rate",
    "or let the flow reserve a rate: `reserve = { rate = \"20 kbps\", interval = \"5 s\" }`",
);

/// What holds one flow: an envelope or a policer.
struct Held<'a> {
    flow: &'a FlowSettings,
    /// Its table: the name, and where it stands.
    table: (&'static str, &'a At),
    rule: &'a Chosen<Conformance>,
    reserve: Option<ReserveSpec>,
    unit_bytes: u32,
}

impl Held<'_> {
    fn rule(&self, mistakes: &mut Diagnostics) -> Option<EnvelopeRule> {
        Some(match self.rule.sure()? {
            Conformance::FixedWindow {
                units,
                interval: length,
                phase,
            } => {
                let (units, interval) = self.window(units, length, mistakes)?;
                check_phase(phase, (interval, &length.at), mistakes);
                EnvelopeRule::FixedWindow {
                    units,
                    interval,
                    phase: **phase,
                }
            }
            Conformance::SlidingWindow { units, interval } => {
                let (units, interval) = self.window(units, interval, mistakes)?;
                EnvelopeRule::SlidingWindow { units, interval }
            }
            Conformance::Bucket {
                rate,
                burst,
                tolerance,
            } => self.bucket(rate, burst, *tolerance, mistakes)?,
        })
    }

    fn window(
        &self,
        units: &Placed<Option<u32>>,
        interval: &Placed<Option<Duration>>,
        mistakes: &mut Diagnostics,
    ) -> Option<(u32, Duration)> {
        let length = interval.or(self.reserve.and_then(|reserve| reserve.interval));
        if length.is_none() && !interval.is_mentioned() {
            self.missing("interval", "\"50 ms\"", INTERVAL, mistakes);
        }
        if units.is_none() && self.reserve.is_none() && !units.is_mentioned() {
            self.missing("units", "50", RATE, mistakes);
        }
        let length = length?;
        let reserved = self
            .reserve
            .map(|reserve| units_in(reserve.rate, length, self.unit_bytes));
        Some((units.or(reserved)?, length))
    }

    fn bucket(
        &self,
        own: &Placed<Option<Rate>>,
        burst: &Placed<Option<u64>>,
        tolerance: Option<Duration>,
        mistakes: &mut Diagnostics,
    ) -> Option<EnvelopeRule> {
        let rate = own.or(self.reserve.map(|reserve| reserve.rate));
        check_burst(burst, self.unit_bytes, mistakes);
        if rate.is_none() && !own.is_mentioned() {
            self.missing("rate", "\"20 kbps\"", RATE, mistakes);
        }
        let rate = rate?;
        let reserved = self.reserve.and_then(|reserve| reserve.burst_bytes);
        let beyond = |burst: u64| {
            let more = burst.saturating_sub(u64::from(self.unit_bytes));
            Duration(rate.tick(more).0.min(LONGEST_PS))
        };
        let tolerance = tolerance.or_else(|| burst.or(reserved).map(beyond));
        Some(EnvelopeRule::Bucket {
            rate,
            tolerance: tolerance.unwrap_or(Duration::ZERO),
        })
    }

    /// Says that a key is missing, and its substitute in `reserve` too.
    fn missing(&self, key: &str, example: &str, instead: Substitute, mistakes: &mut Diagnostics) {
        let reserve = &self.flow.reserve;
        if reserve.is_faulty || reserve.as_ref().is_some_and(|own| own.rate.is_faulty) {
            return;
        }
        let (name, at) = self.table;
        let (of, help) = instead;
        let found = match **reserve {
            Some(_) => format!("no `{key}` here, and `reserve` has no `{of}`"),
            None => format!("no `{key}` here, and the flow has no `reserve`"),
        };
        Diagnostic::error("missing-key", format!("`{key}` is missing in `{name}`"))
            .at(at, found)
            .help(format!("add `{key} = {example}`"))
            .help(help)
            .tell(mistakes);
    }
}

fn check_phase(
    phase: &Placed<Option<Duration>>,
    (interval, interval_at): (Duration, &At),
    mistakes: &mut Diagnostics,
) {
    if phase.is_some_and(|phase| phase > interval) {
        Diagnostic::error("bad-times", "the first window is longer than the others")
            .at(&phase.at, "it would end only here")
            .at(interval_at, "length of a window")
            .note("`phase` is when the first window ends: at most one interval")
            .help("leave `phase` out to draw it at random")
            .tell(mistakes);
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
