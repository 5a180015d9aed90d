//! Messages in datagrams where some may be lost: nobody sends one again, so that a message which
//! lost one never comes, and what waits for it never begins.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{FlowSpec, MessageSpec};

use super::flow_table::Table;
use super::lossless::{Whole, channel_of, switch_of};
use super::packets::{frame, largest_packet_bytes};
use crate::prelude::*;

/// A port that may get more of a class than it sends on, with nothing that holds it back.
struct Narrow {
    /// The channel that it sends on.
    out: u32,
    /// Links over which it gets that,
    inputs: usize,
    /// and what it has room for.
    room_bytes: Option<u64>,
}

/// Warns of collectives, jobs and flows that wait for others whose datagrams may be lost, once for
/// each table of the file.
pub(crate) fn check(look: &Whole<'_>, mistakes: &mut Diagnostics) {
    let mut warned: Vec<(&str, u8)> = Vec::new();
    for (spec, table) in look.flows.each() {
        let which = (table.name(), spec.class);
        if !is_waited_for(spec) || warned.contains(&which) {
            continue;
        }
        warned.push(which);
        let narrow = narrow(look, spec.class);
        if let Some(first) = narrow.first() {
            mistakes.push(lossy(look, table, (spec.class, first, narrow.len())));
        }
    }
}

/// Datagrams with messages.
fn is_waited_for(flow: &FlowSpec) -> bool {
    flow.traffic.messages().is_some() && !flow.transport.is_connection()
}

/// Ports of switches whose queue of a class may overflow: more comes at once than leaves, and over
/// at least one link that nothing stops.
fn narrow(look: &Whole<'_>, class: u8) -> Vec<Narrow> {
    let all = look.crossings.crossed().filter(|own| own.1 == class);
    let narrow = |(out, _): (u32, u8)| {
        switch_of(look.spec, look.net.ends(out).0)?;
        let inputs = look.crossings.inputs(look.net, out, class);
        let inputs: Vec<u32> = inputs.map(|(input, _)| input).collect();
        let rate = |channel: &u32| u128::from(channel_of(look.spec, *channel).rate.0);
        let comes: u128 = inputs.iter().map(rate).sum();
        let is_open = |input: &u32| !is_held(look, *input, class);
        if comes <= rate(&out) || !inputs.iter().any(is_open) {
            return None;
        }
        Some(Narrow {
            out,
            inputs: inputs.len(),
            room_bytes: look.queue(out, class).and_then(|queue| queue.limit_bytes),
        })
    };
    let bytes = bytes(look, class);
    let overflows = |own: &Narrow| own.room_bytes.is_none_or(|room| room < bytes);
    all.filter_map(narrow).filter(overflows).collect()
}

/// What all flows of a class may send at most: frames with their headers.
fn bytes(look: &Whole<'_>, class: u8) -> u64 {
    let flows = look.spec.flows.iter().filter(|flow| flow.class == class);
    let of = |flow: &FlowSpec| match flow.traffic.messages() {
        Some(list) => {
            let frame = frame(largest_packet_bytes(&flow.transport), flow.is_tagged);
            let each = u64::from(flow.transport.payload_bytes().max(1));
            let of = |all: &[MessageSpec]| {
                all.iter().fold(0_u64, |sum, own| {
                    let frames = own.bytes.div_ceil(each);
                    sum.saturating_add(frames.saturating_mul(frame.into()))
                })
            };
            let again = of(&list.messages[list.round_from().0..]);
            let again = again.saturating_mul(list.again.times.into());
            of(&list.messages).saturating_add(again)
        }
        None => u64::MAX,
    };
    flows.fold(0, |sum, flow| sum.saturating_add(of(flow)))
}

/// Whoever sends over a link is stopped, or has to have credit, before what it leads to is full.
fn is_held(look: &Whole<'_>, input: u32, class: u8) -> bool {
    let stops = look.stops_over(input);
    stops.is_some_and(|rules| rules.watches(class))
        || look.has_credit(input, class)
        || look.counters(input).is_some()
}

fn lossy(look: &Whole<'_>, table: &Table<'_>, of: (u8, &Narrow, usize)) -> Diagnostic {
    let (class, first, ports) = of;
    let (from, to) = look.net.ends(first.out);
    let [from, to] = [from, to].map(|node| clip(look.net.name(node)));
    let more = match ports - 1 {
        0 => String::new(),
        more => format!("; so may {}", counted(more, "other port")),
    };
    let links = counted(first.inputs, "link");
    let name = clip(table.name());
    let at = table.settings.transport.place().unwrap_or(table.at);
    let what = format!("`{name}` stands for good where it loses a datagram");
    Diagnostic::warning("lossy-messages", what)
        .at(
            at,
            format!("datagrams in class {class}, which nothing stops"),
        )
        .note(format!(
            "`{from}` may drop what comes over {links} for `{to}` faster than it leaves{more}"
        ))
        .note("nobody sends a datagram again: its message never comes, and what waits never begins")
        .help(format!(
            "put class {class} under flow control, such as `kind = \"pfc\"`, or take \
             `transport = \"roce\"` or `\"tcp\"`"
        ))
}
