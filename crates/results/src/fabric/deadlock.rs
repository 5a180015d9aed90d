//! The deadlock that ended a run, packet by packet.

use backwater_flit::outcome::{FabricOutcome, Held, Standstill};

use super::{FabricFindings, FabricNames};
use crate::lines::first_of;
use crate::model::Table;
use crate::number::grouped;
use crate::rows::ROWS_MOST;
use crate::table_of::TableOf;
use backwater_kernel::words::counted;

/// The packets that wait for each other, in order.
pub fn table(run: &FabricFindings<'_>) -> Table {
    let deadlock = run.outcome.standstill.as_ref();
    let waits = deadlock.map_or(&[][..], |deadlock| &deadlock.waits);
    let names = run.names();
    let caption = deadlock.map_or_else(String::new, |deadlock| caption(&run.outcome, deadlock));
    TableOf::of((1_u64..).zip(waits.iter().take(ROWS_MOST)))
        .called(format!("deadlock: {caption}"))
        .number("place: position of the packet in the cyclic wait")
        .of(|(place, _)| *place)
        .text("router: where its header waits")
        .of(|(_, held)| router(&names, held))
        .text("from: source terminal")
        .of(|(_, held)| names.terminal(held.source))
        .text("to: destination terminal")
        .of(|(_, held)| names.terminal(held.destination))
        .number("born [cycle]: when it was created")
        .of(|(_, held)| held.birth)
        .text("holds: channel whose virtual channel its header is in")
        .of(|(_, held)| names.channel(held.at.0))
        .number("holds vc: that virtual channel")
        .of(|(_, held)| u32::from(held.at.1))
        .text("waits for: channel it has to cross next")
        .of(|(_, held)| names.channel(held.waits_for.0))
        .number("waits for vc: one that the next packet holds")
        .of(|(_, held)| u32::from(held.waits_for.1))
        .done()
}

fn caption(outcome: &FabricOutcome, deadlock: &Standstill) -> String {
    let since = grouped(deadlock.since);
    let packets = counted(outcome.stuck_packets, "packet");
    let mut text = match deadlock.others_move {
        true => format!("{packets} can't move and have not since cycle {since}; others do."),
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
    first_of(&deadlock.waits, most, ("  ", "packet"), |held| {
        format!(
            "{}: {} to {} holds {} vc {}, waits for {} vc {}",
            router(&names, held),
            held.source,
            held.destination,
            names.channel(held.at.0),
            held.at.1,
            names.channel(held.waits_for.0),
            held.waits_for.1
        )
    })
}
