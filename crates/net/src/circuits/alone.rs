//! How long a response takes over circuits on which nobody else sends: what slowdowns compare with,
//! as `frames/alone.rs` is for transfers of frames.
//!
//! All units of a request leave back to back at the rate of the first link and wait for nobody, and
//! so do those of its response. Over the links of a path, with units of one size, the first takes
//! `sum(on the wire + delay + handling)`, where a link that cuts through has nothing on the wire,
//! and the last of `n` comes `(n - 1) * max(on the wire)` later.
//!
//! Not counted: end-to-end windows, credit that is too small for the link, RM cells; of TCP slow
//! start, handshakes and acknowledgements.

use backwater_ends::spec::SourceControlSpec;
use backwater_ends::spec::units::{CellApplication, CellTcpSpec};
use backwater_kernel::{Channels, Duration};

use crate::spec::{FlowSpec, NetworkSpec, Span, Timing, TrafficSpec};

/// The least time from a request to the last unit of its response, which this flow carries; `None`
/// if it carries none, if one request differs from another, or if a circuit branches.
pub fn response(spec: &NetworkSpec, answers: u32) -> Option<Duration> {
    let back = spec.flows.get(answers as usize)?;
    let asks = |flow: &&FlowSpec| flow.partner == Some(answers);
    let flow = spec.flows.iter().find(asks)?;
    let (asked, answered, service) = match &flow.traffic {
        TrafficSpec::Requests(requests) => (
            requests.request_units.into(),
            requests.response_units.into(),
            requests.service,
        ),
        TrafficSpec::Tcp(tcp) => match tcp.application {
            CellApplication::Requests {
                request_bytes,
                response_bytes,
                service,
                ..
            } => (
                cells(tcp, request_bytes)?,
                cells(tcp, response_bytes)?,
                service,
            ),
            CellApplication::Bulk(_) => return None,
        },
        _ => return None,
    };
    let Span::Fixed(service) = service else {
        return None;
    };
    let [there, here] = [
        carry_ps(spec, flow, asked)?,
        carry_ps(spec, back, answered)?,
    ];
    let whole = there + here + u128::from(service.ps());
    u64::try_from(whole).ok().map(Duration)
}

/// What a window of a flow lets through while nobody else sends: so many units, each time that the
/// first of them (the first segment, of TCP) has gone there and its acknowledgement has come back.
/// `None` where nothing is acknowledged by units that take a way back.
pub fn window(spec: &NetworkSpec, flow: u32) -> Option<(u64, Duration)> {
    let own = spec.flows.get(flow as usize)?;
    let back = spec.flows.get(own.partner? as usize)?;
    let (units, first, ack) = match (&own.traffic, &own.source_control) {
        (TrafficSpec::Tcp(tcp), _) => {
            let (mss, window) = (tcp.tcp.mss_bytes, tcp.tcp.window_bytes);
            let of = |bytes: u32| {
                let frame = u64::from(bytes) + u64::from(tcp.overhead_bytes);
                frame.div_ceil(tcp.payload_bytes.into()).max(1)
            };
            match window / mss.max(1) {
                0 => (of(window), of(window), of(0)),
                whole => (u64::from(whole) * of(mss), of(mss), of(0)),
            }
        }
        (_, SourceControlSpec::Window { units }) => (u64::from(*units), 1, 1),
        (_, SourceControlSpec::Aimd { maximum_units, .. }) => (u64::from(*maximum_units), 1, 1),
        _ => return None,
    };
    let trip = carry_ps(spec, own, first)? + carry_ps(spec, back, ack)?;
    Some((units, Duration(u64::try_from(trip).ok()?)))
}

/// Cells of so many bytes in full segments and one that is not.
fn cells(tcp: &CellTcpSpec, bytes: u64) -> Option<u64> {
    let most = u64::from(tcp.tcp.mss_bytes);
    let full = bytes.checked_sub(1)?.checked_div(most)?;
    let of = |payload: u64| {
        let frame = payload + u64::from(tcp.overhead_bytes);
        frame.div_ceil(tcp.payload_bytes.into()).max(1)
    };
    full.checked_mul(of(most))?
        .checked_add(of(bytes - full * most))
}

/// From the first bit of so many units to the last of them at the destination, ps.
fn carry_ps(spec: &NetworkSpec, flow: &FlowSpec, units: u64) -> Option<u128> {
    let has_one_size = flow.sizes.is_empty();
    let (mut first, mut apart) = (0, 0);
    for (at, leg) in flow.legs.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| before as u32);
        if leg.parent != before {
            return None;
        }
        let channel = spec.links.channel(leg.channel);
        let on_wire = channel.rate.serialization(flow.unit_bytes.into()).ps();
        apart = on_wire.max(apart);
        let held = match channel.timing {
            Timing::StoreAndForward => on_wire,
            Timing::CutThrough => 0,
        };
        first += [held, channel.delay.ps(), channel.handling.ps()]
            .map(u128::from)
            .iter()
            .sum::<u128>();
    }
    let others = u128::from(units.checked_sub(1)?) * u128::from(apart);
    has_one_size.then_some(first + others)
}
