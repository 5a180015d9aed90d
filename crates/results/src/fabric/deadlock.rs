//! The deadlock that ended a run, packet by packet.

use backwater_flit::outcome::{FabricOutcome, Held, Standstill};

use super::{FabricFindings, FabricNames};
use crate::lines::first_of;
use crate::model::Table;
use crate::number::grouped;
use crate::rows::ROWS_MOST;
use crate::table_of::TableOf;
use backwater_kernel::words::{agreed, counted};

/// The packets that wait for each other, in order.
pub fn table(run: &FabricFindings<'_>) -> Table {
    let deadlock = run.outcome.standstill.as_ref();
    let waits = deadlock.map_or(&[][..], |deadlock| &deadlock.waits);
    let names = run.names();
    let caption = deadlock.map_or_else(String::new, |deadlock| caption(&run.outcome, deadlock));
    TableOf::of((1_u64..).zip(in_turn(waits).take(ROWS_MOST)))
        .called(format!("deadlock: {caption}"))
        .number("place: position of the packet in the cyclic wait")
        .of(|(place, _)| *place)
        .text("router: where its header waits")
        .of(|(_, packet)| router(&names, packet.own))
        .text("from: source terminal")
        .of(|(_, packet)| names.terminal(packet.own.source))
        .text("to: destination terminal")
        .of(|(_, packet)| names.terminal(packet.own.destination))
        .number("born [cycle]: when it was created")
        .of(|(_, packet)| packet.own.birth)
        .text("holds: channel that the packet before waits for")
        .of(|(_, packet)| names.channel(packet.holds.0))
        .number("holds vc: virtual channel of it that this packet holds")
        .of(|(_, packet)| u32::from(packet.holds.1))
        .text("waits for: channel it has to cross next")
        .of(|(_, packet)| names.channel(packet.own.waits_for.0))
        .number("waits for vc: one that the next packet holds")
        .of(|(_, packet)| u32::from(packet.own.waits_for.1))
        .done()
}

/// A packet of a cyclic wait.
struct Waiting<'a> {
    own: &'a Held,
    /// Of all the channels that it holds, with a virtual channel, the one that the packet before
    /// waits for: so that the cycle can be followed from line to line.
    holds: (u32, u8),
}

/// The packets of a cycle, the last before the first.
fn in_turn(waits: &[Held]) -> impl Iterator<Item = Waiting<'_>> {
    let before = waits.last().into_iter().chain(waits);
    let pairs = waits.iter().zip(before);
    pairs.map(|(own, before)| Waiting {
        own,
        holds: before.waits_for,
    })
}

fn caption(outcome: &FabricOutcome, deadlock: &Standstill) -> String {
    let since = grouped(deadlock.since);
    let packets = counted(outcome.stuck_packets, "packet");
    let mut text = match deadlock.others_move {
        true => {
            let have = agreed(outcome.stuck_packets, "has", "have");
            format!("{packets} can't move and {have} not since cycle {since}; others do.")
        }
        false => format!("No flit has moved since cycle {since}; {packets} can't move."),
    };
    text.push_str(
        " Each of these waits for a virtual channel that the next one holds, the last for one of \
         the first.",
    );
    if deadlock.waits.len() > ROWS_MOST {
        text.push_str(&format!(
            " Only the first {} of {} are listed.",
            grouped(ROWS_MOST as u64),
            grouped(deadlock.waits.len() as u64)
        ));
    }
    text
}

/// The node where a packet's header waits.
fn router(names: &FabricNames, held: &Held) -> String {
    match names.ends(held.at.0) {
        Some((_, end)) => names.end(end),
        None => "–".into(),
    }
}

/// The first packets of the cycle in a line each, for the terminal.
pub fn lines(run: &FabricFindings<'_>, most: usize) -> Vec<String> {
    let Some(deadlock) = &run.outcome.standstill else {
        return Vec::new();
    };
    let names = run.names();
    let packets: Vec<Waiting<'_>> = in_turn(&deadlock.waits).collect();
    first_of(
        &packets,
        most,
        ("  ", "packet"),
        |Waiting { own, holds }| {
            format!(
                "{}: {} to {} holds {} vc {}, waits for {} vc {}",
                router(&names, own),
                own.source,
                own.destination,
                names.channel(holds.0),
                holds.1,
                names.channel(own.waits_for.0),
                own.waits_for.1
            )
        },
    )
}
