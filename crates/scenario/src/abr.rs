//! ABR end systems: from tables to what the simulator runs.

use kernel::time::PS_PER_SECOND;
use kernel::{Duration, Rate, Time};
use packet::spec::{
    AbrSpec, CellApplication, CellTcpSpec, LimitSpec, RateFormat, RequestsSpec, Span, TimeFloor,
    TrafficSpec, TurnAround, UiliSpec,
};

use crate::diagnostics::Diagnostics;
use crate::ethernet::flavour;
use crate::flows::Draft;
use crate::given::tcp::Tcp;
use crate::record::Record;
use crate::route::Tree;
use crate::topology::Graph;
use crate::traffic::{self, Line};
use crate::typed::Table;
use crate::units::LONGEST_PS;

/// ICR unless given.
const ICR: Rate = Rate(10_000_000);
/// Headroom of the count-based policy unless given.
const HEADROOM: Rate = Rate(1_000_000);

/// The way of a flow, as far as its source has to know it.
#[derive(Clone, Copy)]
pub(crate) struct Path {
    /// Rate of the first link.
    pub first: Rate,
    /// One cell there and back, nothing else on the way.
    pub round_trip: Duration,
    pub cell_bits: u64,
}

impl Path {
    /// The way along `tree` and back over the same links.
    pub(crate) fn along(graph: &Graph, tree: &Tree, unit_bytes: u32) -> Self {
        let mut round_trip = 0_u128;
        for (channel, _) in tree {
            for channel in [*channel, *channel ^ 1] {
                let link = graph.channel_spec(channel);
                let cell = link.rate.serialization(u64::from(unit_bytes));
                round_trip += u128::from(cell.0) + u128::from(link.delay.0);
                round_trip += u128::from(link.handling.0);
            }
        }
        let first = tree
            .first()
            .map(|(channel, _)| graph.channel_spec(*channel));
        Self {
            first: first.map_or(Rate(1), |link| link.rate),
            round_trip: Duration(clip(round_trip).clamp(1, LONGEST_PS)),
            cell_bits: 8 * u64::from(unit_bytes.max(1)),
        }
    }
}

fn clip(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// What the settings of a source come to, for checks too.
#[derive(Clone, Copy)]
pub(crate) struct Derived {
    pub pcr: Rate,
    pub mcr: Rate,
    /// As given, or the nearest to 10 Mbps, not clipped.
    pub icr: Rate,
    pub frtt: Duration,
    pub tbe: u64,
}

impl Derived {
    pub(crate) fn new(record: &Record, path: Path) -> Self {
        let pcr = record.rate("pcr").unwrap_or(path.first);
        let mcr = record.rate("mcr").unwrap_or(Rate(0));
        let usual = Rate(ICR.0.min(pcr.0).max(mcr.0));
        Self {
            pcr,
            mcr,
            icr: record.rate("icr").unwrap_or(usual),
            frtt: record.duration("frtt").unwrap_or(path.round_trip),
            tbe: record.whole("tbe").unwrap_or(1),
        }
    }

    /// TBE cells in FRTT.
    pub(crate) fn exposed(&self, cell_bits: u64) -> Rate {
        let bits = u128::from(self.tbe) * u128::from(cell_bits);
        Rate(clip(
            bits * u128::from(PS_PER_SECOND) / u128::from(self.frtt.0.max(1)),
        ))
    }

    /// CRM = min(TBE / Nrm, PCR FRTT / Nrm), at least 1.
    fn crm(&self, nrm: u32, cell_bits: u64) -> u32 {
        let bits = self.pcr.bits_in(self.frtt);
        let cells = clip(bits / u128::from(cell_bits)).min(self.tbe);
        u32::try_from(cells / u64::from(nrm.max(1)))
            .unwrap_or(u32::MAX)
            .max(1)
    }

    /// Tc = max(2 FRTT, TBE / PCR), the second rounded up.
    pub(crate) fn time_constant(&self, cell_bits: u64) -> Duration {
        let bits = u128::from(self.tbe) * u128::from(cell_bits) * u128::from(PS_PER_SECOND);
        let exposure = clip(bits.div_ceil(u128::from(self.pcr.0.max(1))));
        Duration(exposure.max(self.frtt.0.saturating_mul(2)).min(LONGEST_PS))
    }
}

/// The source control of an ABR flow.
pub(crate) fn spec(record: &Record, path: Path) -> AbrSpec {
    let derived = Derived::new(record, path);
    let nrm = record.count("nrm").unwrap_or(32);
    let clips = record.truth("clip_icr").unwrap_or(true);
    let most = if clips {
        derived.exposed(path.cell_bits).0.max(derived.mcr.0)
    } else {
        u64::MAX
    };
    let icr = Rate(derived.icr.0.min(most));
    AbrSpec {
        pcr: derived.pcr,
        mcr: derived.mcr,
        icr,
        nrm,
        mrm: record.count("mrm").unwrap_or(2),
        trm: record.duration("trm").unwrap_or(Duration(LONGEST_PS)),
        rif: record.decimal("rif").unwrap_or(1.0),
        rdf: record.decimal("rdf").unwrap_or(0.0),
        crm: record
            .count("crm")
            .unwrap_or_else(|| derived.crm(nrm, path.cell_bits)),
        cdf: record.decimal("cdf").unwrap_or(0.0),
        tcr: record.rate("tcr").unwrap_or(Rate(0)),
        is_eager: record.word("rm") != "lazy",
        counts_backward: record.truth("counts_backward").unwrap_or(true),
        turn_around: match record.word("turn_around") {
            "latest" => TurnAround::Latest,
            _ => TurnAround::Queue,
        },
        format: match record.word("rate_format") {
            "16-bit" => RateFormat::Bits16,
            _ => RateFormat::Exact,
        },
        uili: record
            .record("uili")
            .map_or(UiliSpec::None, |record| uili(record, &derived, icr, path)),
    }
}

fn uili(record: &Record, derived: &Derived, icr: Rate, path: Path) -> UiliSpec {
    let number = |key: &str, usual: f64| record.decimal(key).unwrap_or(usual);
    let yes = |key: &str| record.truth(key).unwrap_or(false);
    let tof = number("tof", 2.0);
    match record.word("kind") {
        "february-1995" => UiliSpec::February1995 {
            tof: tof as u32,
            rdf_cells: number("rdf", 512.0),
        },
        "april-1995" => UiliSpec::April1995 {
            tof,
            rdf_cells: number("rdf", 512.0),
            floor_icr: yes("floor_icr"),
        },
        "august-1995" => UiliSpec::August1995 {
            tof,
            tdf_per_second: number("tdf_per_second", 0.0),
            rule_5b: yes("rule_5b"),
        },
        "baseline" => UiliSpec::Baseline {
            tdf: number("tdf", 0.125),
            rule_5b: yes("rule_5b"),
        },
        "joint" => UiliSpec::Joint {
            tdf: number("tdf", 0.0625),
            rule_5b: yes("rule_5b"),
        },
        "count" => UiliSpec::Count {
            headroom: record.rate("headroom").unwrap_or(HEADROOM),
            tdf: number("tdf", 0.125),
            pr5: yes("pr5"),
            slack: number("slack", 0.001),
        },
        "time" => UiliSpec::Time {
            constant: record
                .duration("constant")
                .unwrap_or_else(|| derived.time_constant(path.cell_bits)),
            floor: match record.word("floor") {
                "product" => TimeFloor::Product { tof },
                _ => TimeFloor::Sum,
            },
            headroom: record.rate("headroom").unwrap_or(icr),
            rule_5b: yes("rule_5b"),
            hold: record.decimal("hold"),
        },
        "time-out" => UiliSpec::TimeOut {
            adtf: record.duration("adtf").unwrap_or(Duration(LONGEST_PS)),
        },
        _ => UiliSpec::None,
    }
}

/// What the flow back of another sends.
pub(crate) fn back_traffic(
    draft: &Draft<'_>,
    line: Line,
    mistakes: &mut Diagnostics,
) -> TrafficSpec {
    let record = draft.record;
    match record.record("traffic").map(|traffic| traffic.word("kind")) {
        Some("requests") => TrafficSpec::Server,
        Some("tcp") => TrafficSpec::TcpBack,
        _ => match record.record("back") {
            Some(own) => traffic::traffic(own, line, mistakes),
            None => TrafficSpec::Silent,
        },
    }
}

fn start(record: &Record) -> Time {
    record.time("start").unwrap_or(Time::ZERO)
}

fn span(record: &Record, key: &str) -> Span {
    record.span(key).unwrap_or(Span::Fixed(Duration::ZERO))
}

/// An application whose limit changes.
pub(crate) fn bottlenecked(record: &Record) -> TrafficSpec {
    let limit = |limit: &Record| LimitSpec {
        from: limit.time("from").unwrap_or(Time::ZERO),
        rate: limit.rate("rate"),
    };
    TrafficSpec::Bottlenecked {
        start: start(record),
        limits: record.records("limits").iter().map(limit).collect(),
    }
}

/// Closed-loop bursts.
pub(crate) fn requests(record: &Record) -> TrafficSpec {
    TrafficSpec::Requests(RequestsSpec {
        start: start(record),
        requests: record.count("requests").unwrap_or(1),
        request_units: record.count("request_units").unwrap_or(16),
        response_units: record.count("response_units").unwrap_or(256),
        inter_request: span(record, "inter_request"),
        inter_cycle: span(record, "inter_cycle"),
        service: span(record, "service"),
        cycles: record.whole("cycles"),
    })
}

/// TCP over cells.
pub(crate) fn tcp(record: &Record, mistakes: &mut Diagnostics) -> TrafficSpec {
    let application = match record.word("application") {
        "requests" => CellApplication::Requests {
            request_bytes: record.whole("request").unwrap_or(100),
            response_bytes: record.whole("response").unwrap_or(10_000),
            service: span(record, "service"),
            think: span(record, "think"),
            count: record.whole("count"),
        },
        _ => CellApplication::Bulk(record.whole("bytes")),
    };
    TrafficSpec::Tcp(CellTcpSpec {
        start: start(record),
        tcp: flavour(&[&Tcp::read(record)], None, &record.at, mistakes),
        application,
        overhead_bytes: record.count("overhead").unwrap_or(56),
        payload_bytes: record.count("payload").unwrap_or(48),
    })
}
