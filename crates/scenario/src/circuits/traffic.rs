//! Traffic, source control and sinks: from tables to what the simulator runs.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{
    ClientSpec, LimitSpec, RequestsSpec, SinkSpec, SizeShare, Span, TrafficSpec,
};

use crate::circuits::flows::Draft;
use crate::circuits::partners;
use crate::circuits::reserve;
use crate::given::circuits::traffic::{
    Bursts, Client, Cycle, Limits, Phase, Sink, Spacing, Traffic,
};
use crate::language::units::{self, Amount, Decimal};
use crate::prelude::*;

/// The link that shares refer to, and the mean unit sent over it.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    rate: Rate,
    /// In 2^-20 bytes.
    mean_size: u64,
    /// Bytes of each unit, where all have as many.
    unit_bytes: Option<u32>,
}

impl Line {
    pub(crate) fn new(rate: Rate, sizes: &[SizeShare], unit_bytes: u32) -> Self {
        let mean_size = reserve::mean_size(sizes, unit_bytes);
        Self {
            rate,
            mean_size,
            unit_bytes: sizes.is_empty().then_some(unit_bytes),
        }
    }

    /// How many units a source sends in all.
    fn total(self, given: &Placed<Option<Amount>>, mistakes: &mut Diagnostics) -> Option<u64> {
        let amount = given.value?;
        Some(self.counted(amount, ("total", &given.at), mistakes))
    }

    /// How many units a message has.
    fn units(self, key: &str, given: &Placed<Amount>, mistakes: &mut Diagnostics) -> u32 {
        let units = self.counted(**given, (key, &given.at), mistakes);
        // Their keys hold no more.
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    /// So many units; bytes are rounded up to whole ones.
    fn counted(self, amount: Amount, (key, at): (&str, &At), mistakes: &mut Diagnostics) -> u64 {
        match (amount, self.unit_bytes) {
            (Amount::Units(units), _) => units,
            (Amount::Bytes(bytes), Some(unit)) => bytes.div_ceil(u64::from(unit.max(1))),
            (Amount::Bytes(_), None) => {
                Diagnostic::error("bad-amount", format!("`{key}` in bytes, and `sizes`"))
                    .at(at, "how many units these are is left to chance")
                    .note("the size of each unit is drawn at random")
                    .help(format!("count units: `{key} = \"500 packets\"`"))
                    .tell(mistakes);
                1
            }
        }
    }

    fn unit_ps(self) -> u64 {
        self.unit_ps_at(self.rate)
    }

    /// Time of the mean unit, to the nearest picosecond and never less than one.
    fn unit_ps_at(self, rate: Rate) -> u64 {
        let bits = 8 * u128::from(self.mean_size) * u128::from(PS_PER_SECOND);
        let rate = u128::from(rate.0.max(1)) << 20;
        u64::try_from((bits + rate / 2) / rate)
            .unwrap_or(u64::MAX)
            .max(1)
    }

    /// Bytes of the mean unit.
    pub(crate) fn mean_bytes(self) -> f64 {
        self.mean_size as f64 / f64::from(1 << 20)
    }

    /// The gap between units at this interval, or at this share of the line.
    fn gap(self, interval: Option<Duration>, load: Option<Decimal>) -> Option<Duration> {
        // A share of almost nothing: as good as never.
        let of_share = |share| units::gap_ps(self.unit_ps(), share).unwrap_or(units::LONGEST_PS);
        interval.or_else(|| load.map(|share| Duration(of_share(share))))
    }

    /// The gap between units of a source.
    fn spaced(self, spacing: &Spacing) -> Duration {
        let of_rate = |rate| self.unit_ps_at(rate).min(units::LONGEST_PS);
        let gap = self.gap(*spacing.interval, *spacing.load);
        gap.or_else(|| spacing.rate.map(|rate| Duration(of_rate(rate))))
            .unwrap_or(self.full())
    }

    /// The gap at the full rate of the line.
    fn full(self) -> Duration {
        Duration(self.unit_ps())
    }
}

/// What the application wants to send.
pub(crate) fn traffic(own: &Traffic, line: Line, mistakes: &mut Diagnostics) -> TrafficSpec {
    match own {
        Traffic::Silent => TrafficSpec::Silent,
        Traffic::Greedy { start, total } => TrafficSpec::Greedy {
            start: **start,
            total: line.total(total, mistakes),
        },
        Traffic::Constant {
            start,
            total,
            spacing,
            phase,
        } => TrafficSpec::Constant {
            start: **start,
            interval: line.spaced(spacing),
            random_phase: *phase == Phase::Random,
            total: line.total(total, mistakes),
        },
        Traffic::Poisson {
            start,
            total,
            spacing,
            min_gap,
        } => TrafficSpec::Poisson {
            start: **start,
            mean_interval: line.spaced(spacing),
            min_interval: **min_gap,
            total: line.total(total, mistakes),
        },
        Traffic::Trains {
            start,
            total,
            spacing,
            length,
            gap,
        } => {
            let total = line.total(total, mistakes);
            trains((**start, total), line.spaced(spacing), *length, **gap)
        }
        Traffic::OnOff { start, bursts } => on_off(**start, bursts, line),
        Traffic::Client { start, client: own } => client(**start, own, line, mistakes),
        Traffic::Server => TrafficSpec::Server,
        Traffic::Requests { start, cycle } => requests(**start, cycle, line, mistakes),
        Traffic::Bottlenecked { start, limits } => bottlenecked(**start, limits),
    }
}

/// What the flow back of another sends.
pub(crate) fn back(draft: &Draft<'_>, line: Line, mistakes: &mut Diagnostics) -> TrafficSpec {
    let settings = draft.settings;
    match partners::answer(settings) {
        Some(partners::Answer::Server) => TrafficSpec::Server,
        Some(partners::Answer::TcpBack) => TrafficSpec::TcpBack,
        None => match &*settings.back {
            Some(own) => traffic(own, line, mistakes),
            None => TrafficSpec::Silent,
        },
    }
}

/// Trains with this mean time between units. The mean pause makes up for the shorter gaps.
fn trains(
    (start, total): (Time, Option<u64>),
    interval: Duration,
    mean_units: f64,
    gap: Option<Duration>,
) -> TrafficSpec {
    let gap = gap.unwrap_or(Duration((interval.0 / 2).max(1)));
    let pause = mean_units * interval.0.saturating_sub(gap.0) as f64;
    TrafficSpec::Trains {
        start,
        mean_units,
        gap,
        // Only the mean of what is drawn at random: a float is exact enough. 0 is refused.
        mean_pause: Duration((pause.round() as u64).min(units::LONGEST_PS)),
        total,
    }
}

fn on_off(start: Time, bursts: &Bursts, line: Line) -> TrafficSpec {
    let on_interval = line.gap(bursts.on_interval, bursts.on_load);
    TrafficSpec::OnOff {
        start,
        on: bursts.on,
        off: bursts.off,
        on_interval: on_interval.unwrap_or(line.full()),
        off_interval: line.gap(bursts.off_interval, bursts.off_load),
    }
}

/// A client of a file server.
fn client(start: Time, own: &Client, line: Line, mistakes: &mut Diagnostics) -> TrafficSpec {
    TrafficSpec::Client(ClientSpec {
        start,
        request_units: line.units("request", &own.request, mistakes),
        lookups: own.lookups,
        lookup_units: line.units("lookup", &own.lookup, mistakes),
        file_median_bytes: own.file_median,
        file_sigma: own.file_sigma,
        block_bytes: own.block,
        header_bytes: own.header,
        payload_bytes: own.payload,
        outstanding: own.outstanding,
        lookup_service: own.lookup_service,
        read_service: own.read_service,
        think: own.think,
    })
}

/// Closed-loop bursts.
fn requests(start: Time, own: &Cycle, line: Line, mistakes: &mut Diagnostics) -> TrafficSpec {
    TrafficSpec::Requests(RequestsSpec {
        start,
        requests: *own.per_cycle,
        request_units: line.units("request", &own.request, mistakes),
        response_units: line.units("response", &own.response, mistakes),
        inter_request: *own.gap,
        inter_cycle: own.think,
        service: own.service,
        cycles: own.transfers,
    })
}

/// An application whose limit changes.
fn bottlenecked(start: Time, limits: &[Placed<Limits>]) -> TrafficSpec {
    let limit = |limit: &Placed<Limits>| LimitSpec {
        from: *limit.from,
        rate: limit.rate,
    };
    TrafficSpec::Bottlenecked {
        start,
        limits: limits.iter().map(limit).collect(),
    }
}

/// How the destinations consume.
pub(crate) fn sink(own: &Sink, line: Line) -> SinkSpec {
    let every = |interval, load| line.gap(interval, load).unwrap_or(line.full());
    match own {
        Sink::Unlimited => SinkSpec::Infinite,
        Sink::Limited { interval, load } => SinkSpec::Limited {
            interval: every(*interval, *load),
        },
        Sink::Stalling {
            interval,
            load,
            run,
            stall,
        } => SinkSpec::Stalling {
            interval: every(*interval, *load),
            run: *run,
            stall: *stall,
        },
    }
}

/// Units per second a source offers on average, as far as that is its own doing; `None` where
/// answers decide.
pub(crate) fn offered_per_second(traffic: &TrafficSpec, line: Line) -> Option<f64> {
    let per_second = |gap: Duration| 1.0 / gap.seconds();
    let length = |span: &Span| match span {
        Span::Fixed(length) | Span::Uniform(length) | Span::Exponential(length) => length.seconds(),
    };
    match traffic {
        TrafficSpec::Greedy { total: None, .. } => Some(per_second(Duration(line.unit_ps()))),
        TrafficSpec::Constant {
            interval,
            total: None,
            ..
        } => Some(per_second(*interval)),
        TrafficSpec::Poisson {
            mean_interval,
            total: None,
            ..
        } => Some(per_second(*mean_interval)),
        TrafficSpec::Trains {
            mean_units,
            gap,
            mean_pause,
            total: None,
            ..
        } => Some(1.0 / (gap.seconds() + mean_pause.seconds() / mean_units)),
        TrafficSpec::OnOff {
            on,
            off,
            on_interval,
            off_interval,
            ..
        } => {
            let (on, off) = (length(on), length(off));
            let units = on * per_second(*on_interval) + off * off_interval.map_or(0.0, per_second);
            Some(units / (on + off))
        }
        _ => None,
    }
}
