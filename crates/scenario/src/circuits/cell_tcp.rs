//! TCP over cells: a connection in the place of the source's own units.

use backwater_kernel::{Duration, Time};
use backwater_net::spec::{CellApplication, CellTcpSpec, FlowSpec, Span, TrafficSpec};

use crate::circuits::flows::Draft;
use crate::given::circuits::PacketFile;
use crate::given::circuits::flows::{FlowSettings, Transport};
use crate::given::circuits::tcp::CellTcp;
use crate::given::circuits::traffic::{Cycle, Traffic};
use crate::given::tcp::Tcp;
use crate::language::units::Amount;
use crate::network::tcp::{self, Usual, flavour};
use crate::prelude::*;

/// A cell whose payload is less than its size by more than this factor is mostly empty.
const LITTLE: u64 = 2;

/// Does it go over TCP?
pub(crate) fn is_tcp(flow: &FlowSettings) -> bool {
    *flow.transport == Transport::Tcp
}

/// The tables that say what its TCP is, the last winning.
pub(crate) fn layers<'a>(file: &'a PacketFile, flow: &'a FlowSettings) -> Vec<&'a Tcp> {
    tcp::layers(&file.tcp.tcp, flow.tcp.as_ref().map(|own| &own.tcp.tcp))
}

/// What holds of a flow with settings of its own.
fn own_settings(file: &PacketFile, flow: &FlowSettings) -> Option<CellTcp> {
    let own = flow.tcp.as_ref()?;
    Some(own.tcp.over(&file.tcp))
}

/// What the end that opens the connection sends.
pub(crate) fn traffic(
    file: &PacketFile,
    flow: &FlowSettings,
    mistakes: &mut Diagnostics,
) -> TrafficSpec {
    let Some((start, application)) = application(flow, mistakes) else {
        return TrafficSpec::Silent;
    };
    let own = own_settings(file, flow);
    let CellTcp {
        payload, overhead, ..
    } = own.as_ref().unwrap_or(&file.tcp.value);
    let layers = layers(file, flow);
    TrafficSpec::Tcp(CellTcpSpec {
        start,
        tcp: flavour(&layers, Usual::default(), &file.tcp.at, mistakes),
        application,
        // Both have defaults where nothing is given.
        overhead_bytes: overhead.unwrap_or_default(),
        payload_bytes: payload.unwrap_or(1),
    })
}

/// What uses the connection, and from when on.
fn application(flow: &FlowSettings, mistakes: &mut Diagnostics) -> Option<(Time, CellApplication)> {
    match flow.traffic.value.sure()? {
        Traffic::Greedy { start, total } => {
            let place = (&total.at, total.is_given);
            let total = total.map(|amount| bytes("total", amount, place, mistakes));
            Some((**start, CellApplication::Bulk(total)))
        }
        Traffic::Requests { start, cycle } => {
            one_at_a_time(cycle, mistakes);
            let application = CellApplication::Requests {
                request_bytes: message("request", &cycle.request, mistakes),
                response_bytes: message("response", &cycle.response, mistakes),
                service: cycle.service,
                think: cycle.think,
                count: cycle.transfers,
            };
            Some((**start, application))
        }
        Traffic::Silent
        | Traffic::Constant { .. }
        | Traffic::Poisson { .. }
        | Traffic::Trains { .. }
        | Traffic::OnOff { .. }
        | Traffic::Client { .. }
        | Traffic::Server
        | Traffic::Bottlenecked { .. } => {
            let word = flow.traffic.word;
            Diagnostic::error(
                "bad-transport",
                format!("`{word}` traffic does not go over tcp"),
            )
            .at(&flow.transport.at, "chosen here")
            .at(&flow.traffic.at, "what would use it")
            .note("over tcp: greedy and requests")
            .help("leave `transport` out, or choose other traffic")
            .tell(mistakes);
            None
        }
    }
}

/// Bytes of a request or a response.
fn message(key: &str, given: &Placed<Amount>, mistakes: &mut Diagnostics) -> u64 {
    bytes(key, given.value, (&given.at, given.is_given), mistakes)
}

/// Bytes of payload.
fn bytes(
    key: &str,
    amount: Amount,
    (at, is_given): (&At, bool),
    mistakes: &mut Diagnostics,
) -> u64 {
    match amount {
        Amount::Bytes(bytes) => bytes,
        Amount::Units(units) => {
            let label = match is_given {
                true => "counted in units".into(),
                false => format!("its default is {units} cells"),
            };
            Diagnostic::error("bad-amount", format!("`{key}` over TCP is in bytes"))
                .at(at, label)
                .note("TCP cuts a stream of bytes into segments, and these into cells")
                .help(format!("give bytes of payload: `{key} = \"10 kB\"`"))
                .tell(mistakes);
            1
        }
    }
}

/// Over TCP a request waits for the response to the one before.
fn one_at_a_time(cycle: &Cycle, mistakes: &mut Diagnostics) {
    let keys = [
        ("per_cycle", &cycle.per_cycle.at, *cycle.per_cycle > 1),
        (
            "gap",
            &cycle.gap.at,
            *cycle.gap != Span::Fixed(Duration::ZERO),
        ),
    ];
    for (key, at, _) in keys.into_iter().filter(|(.., says)| *says) {
        Diagnostic::no_meaning(key, "over tcp")
            .at(at, "each request waits for the response before")
            .help("leave it out; `think` is the time between")
            .tell(mistakes);
    }
}

/// `tcp` of flows that do not go over it.
pub(crate) fn check(flow: &FlowSettings, mistakes: &mut Diagnostics) {
    if !is_tcp(flow)
        && let Some(at) = flow.tcp.place()
        && flow.transport.sure().is_some()
    {
        Diagnostic::no_meaning("tcp", "here")
            .at(at, "this flow does not go over tcp")
            .help("add `transport = \"tcp\"`, or leave it out")
            .tell(mistakes);
    }
}

/// A cell holds its payload; the default of one size of cell is not that of another.
pub(crate) fn check_payload(
    file: &PacketFile,
    draft: &Draft<'_>,
    flow: &FlowSpec,
    spec: &CellTcpSpec,
) -> Option<Diagnostic> {
    let (payload, unit) = (spec.payload_bytes, flow.unit_bytes);
    let is_little = u64::from(payload) * LITTLE < u64::from(unit);
    if payload <= unit && !is_little {
        return None;
    }
    let message = match is_little {
        true => "most of each cell of this connection is empty",
        false => "a cell of this connection has no room for its payload",
    };
    let own = own_settings(file, draft.settings);
    let given = &own.as_ref().unwrap_or(&file.tcp.value).payload;
    let at = match given.is_given {
        true => &given.at,
        false => &draft.settings.transport.at,
    };
    Diagnostic::error_unless(is_little, "bad-payload", message.into())
        .at(at, format!("{payload} B of payload"))
        .note(format!(
            "each cell of `{}` is {unit} B on the wire",
            draft.name
        ))
        .help("set `payload` of `tcp` to what a unit carries, or `bytes` of `[unit]` to its size")
        .into()
}

/// A silent partner of a connection carries the segments of its other side.
pub(crate) fn answer(flows: &mut [FlowSpec]) {
    for index in 0..flows.len() {
        let (TrafficSpec::Tcp(_), Some(partner)) = (&flows[index].traffic, flows[index].partner)
        else {
            continue;
        };
        let traffic = &mut flows[partner as usize].traffic;
        if *traffic == TrafficSpec::Silent {
            *traffic = TrafficSpec::TcpBack;
        }
    }
}
