//! Traffic, source control and sinks: from tables to what the simulator runs.

use kernel::time::PS_PER_SECOND;
use kernel::{Duration, Rate, Time};
use packet::spec::{ClientSpec, SinkSpec, SizeShare, SourceControlSpec, Span, TrafficSpec};

use crate::abr;
use crate::diagnostics::Diagnostics;
use crate::record::Record;
use crate::reserve;
use crate::units;

/// The link that shares refer to, and the mean unit sent over it.
#[derive(Clone, Copy)]
pub(crate) struct Line {
    rate: Rate,
    /// In 2^-20 bytes.
    mean_size: u64,
}

impl Line {
    pub(crate) fn new(rate: Rate, sizes: &[SizeShare], unit_bytes: u32) -> Self {
        let mean_size = reserve::mean_size(sizes, unit_bytes);
        Self { rate, mean_size }
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

    /// The gap that one of `interval`, `load` and `rate` gives.
    fn gap(self, record: &Record, keys: [&str; 3]) -> Option<Duration> {
        let [interval, load, rate] = keys;
        let named = |key: &str| record.section.key(key).is_some();
        if let Some(gap) = record.duration(interval) {
            return Some(gap);
        }
        if let Some(share) = record.share(load) {
            // A share of almost nothing: as good as never.
            let gap = units::gap_ps(self.unit_ps(), share).unwrap_or(units::LONGEST_PS);
            return Some(Duration(gap));
        }
        let rate = if named(rate) { record.rate(rate) } else { None };
        rate.map(|rate| Duration(self.unit_ps_at(rate).min(units::LONGEST_PS)))
    }
}

/// What the application wants to send.
pub(crate) fn traffic(record: &Record, line: Line, mistakes: &mut Diagnostics) -> TrafficSpec {
    let start = || record.time("start").unwrap_or(Time::ZERO);
    let total = || record.whole("total");
    let gap = |keys| line.gap(record, keys);
    let full = Duration(line.unit_ps());
    match record.word("kind") {
        "silent" => TrafficSpec::Silent,
        "constant" => TrafficSpec::Constant {
            start: start(),
            interval: gap(["interval", "load", "rate"]).unwrap_or(full),
            random_phase: record.word("phase") == "random",
            total: total(),
        },
        "poisson" => TrafficSpec::Poisson {
            start: start(),
            mean_interval: gap(["interval", "load", "rate"]).unwrap_or(full),
            min_interval: record.duration("min_gap").unwrap_or(Duration::ZERO),
            total: total(),
        },
        "trains" => trains(record, gap(["interval", "load", "rate"]).unwrap_or(full)),
        "on-off" => TrafficSpec::OnOff {
            start: start(),
            on: span(record, "on"),
            off: span(record, "off"),
            on_interval: gap(["on_interval", "on_load", "-"]).unwrap_or(full),
            off_interval: gap(["off_interval", "off_load", "-"]),
        },
        "client" => TrafficSpec::Client(client(record, start())),
        "server" => TrafficSpec::Server,
        "bottlenecked" => abr::bottlenecked(record),
        "requests" => abr::requests(record),
        "tcp" => abr::tcp(record, mistakes),
        "tcp-back" => TrafficSpec::TcpBack,
        _ => TrafficSpec::Greedy {
            start: start(),
            total: total(),
        },
    }
}

/// Trains with this mean time between units. The mean pause makes up for the shorter gaps.
fn trains(record: &Record, interval: Duration) -> TrafficSpec {
    let half = Duration((interval.0 / 2).max(1));
    let gap = record.duration("gap").unwrap_or(half);
    let mean_units = record.decimal("length").unwrap_or(1.0);
    let pause = mean_units * interval.0.saturating_sub(gap.0) as f64;
    TrafficSpec::Trains {
        start: record.time("start").unwrap_or(Time::ZERO),
        mean_units,
        gap,
        // Only the mean of what is drawn at random: a float is exact enough. 0 is refused.
        mean_pause: Duration((pause.round() as u64).min(units::LONGEST_PS)),
        total: record.whole("total"),
    }
}

fn span(record: &Record, key: &str) -> Span {
    record.span(key).unwrap_or(Span::Fixed(Duration(1)))
}

/// Mean time that a client thinks unless given.
const THINK: Span = Span::Exponential(Duration(300_000_000));

fn client(record: &Record, start: Time) -> ClientSpec {
    let count = |key: &str| record.count(key).unwrap_or(1);
    ClientSpec {
        start,
        request_units: record.count("request_units").unwrap_or(3),
        lookups: count("lookups"),
        lookup_units: count("lookup_units"),
        file_median_bytes: record.whole("file_median").unwrap_or(1),
        file_sigma: record.decimal("file_sigma").unwrap_or(0.0),
        block_bytes: count("block"),
        header_bytes: count("header"),
        payload_bytes: count("payload"),
        outstanding: count("outstanding"),
        lookup_service: span(record, "lookup_service"),
        read_service: span(record, "read_service"),
        think: record.span("think").unwrap_or(THINK),
    }
}

/// When the source may send it.
pub(crate) fn source_control(record: &Record, path: abr::Path) -> SourceControlSpec {
    let count = |key: &str| record.count(key).unwrap_or(1);
    match record.word("kind") {
        "window" => SourceControlSpec::Window {
            units: count("cells"),
        },
        "aimd" => SourceControlSpec::Aimd {
            initial_units: count("initial"),
            maximum_units: count("maximum"),
            increase_units: record.decimal("increase").unwrap_or(1.0),
            decrease: record.decimal("decrease").unwrap_or(0.5),
            timeout: record.duration("timeout").unwrap_or(Duration(1)),
        },
        "abr" => SourceControlSpec::Abr(abr::spec(record, path)),
        _ => SourceControlSpec::None,
    }
}

/// How the destinations consume.
pub(crate) fn sink(record: &Record, line: Line) -> SinkSpec {
    let gap = || {
        line.gap(record, ["interval", "load", "-"])
            .unwrap_or(Duration(1))
    };
    match record.word("kind") {
        "limited" => SinkSpec::Limited { interval: gap() },
        "stalling" => SinkSpec::Stalling {
            interval: gap(),
            run: span(record, "run"),
            stall: span(record, "stall"),
        },
        _ => SinkSpec::Infinite,
    }
}

/// Units per second a source offers on average, as far as that is its own doing; `None` where
/// answers decide.
pub(crate) fn offered_per_second(traffic: &TrafficSpec, line: Line) -> Option<f64> {
    let per_second = |gap: Duration| 1.0 / gap.seconds();
    let length = |span: &Span| match span {
        Span::Fixed(length) | Span::Exponential(length) => length.seconds(),
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
