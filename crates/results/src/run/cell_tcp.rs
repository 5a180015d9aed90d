//! TCP connections over cells.

use super::Circuits;
use crate::events::flows::found;
use crate::events::tcp;
use crate::merge::both_ends;
use crate::model::Table;

/// A row for each connection.
pub fn table(run: &Circuits<'_>) -> Table {
    let rows = found(&run.outcome).filter_map(|(flow, found)| {
        let own = found.tcp.as_ref()?;
        let both = both_ends([&own.opener, &own.answerer].into_iter());
        Some((flow, both, own))
    });
    tcp::table(run, rows)
        .number("payload delivered [bytes]: received in order at the destination")
        .of(|(.., own)| own.delivered_bytes_total)
        .number("payload returned [bytes]: of responses, received in order at the source")
        .of(|(.., own)| own.returned_bytes_total)
        .number("requests: with a complete response")
        .of(|(.., own)| own.requests_total)
        .number("broken frames: that arrived with a cell missing")
        .of(|(.., own)| own.broken_frames_total)
        .done()
}
