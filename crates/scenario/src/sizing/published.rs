//! The form by which the headroom (`xoff`) of switches that run SONiC is published since 2024-09,
//! by one vendor of chips, in cells of their memory.
//!
//! ```text
//! xoff = up(1024, M + o (mtu + 2 L R / (8 x 198e6) + 819.2 + 64 q + tile))
//! o = 1 - b + b w                     b = 64 / (64 s + (1 - s) M)
//! w = ceil(cell / 64) above 128 B, else ceil(2 cell / (1 + cell))
//! ```
//!
//! q are the quanta that IEEE 802.3 allows at the rate, 198e6 m/s is the speed of light in the
//! cable, tile is 15 B for each Gb/s on generations 4 and 5; generation 6 adds 18,432 B. b lacks a
//! factor s; it is as published, since what counts here is the figure that switches are given.

use super::{Chip, Link, Sizing, Term};
use crate::frames::stops;

/// Metres a second.
const LIGHT: f64 = 198e6;
/// What the sender's pipeline holds, bytes.
const PIPELINE: f64 = 819.2;
/// Rounded up to so many bytes.
const STEP: u64 = 1_024;
/// Of generation 6.
const SIXTH: u64 = 18_432;

/// The headroom; nothing at rates for which the standard has no limit.
pub(super) fn form(link: &Link, chip: &Chip) -> Option<Sizing> {
    let quanta = stops::limit_quanta(link.rate)?;
    let rate = link.rate.0 as f64;
    let metres = link.delay.0 as f64 / 5_000.0;
    let cable = 2.0 * metres * rate / (8.0 * LIGHT);
    let least = f64::from(link.lossless_mtu);
    let cells = match chip.cell > 128 {
        true => chip.cell.div_ceil(64),
        false => (2 * chip.cell).div_ceil(1 + chip.cell),
    };
    let small = 64.0 / (chip.small * 64.0 + (1.0 - chip.small) * least);
    let occupancy = 1.0 - small + small * f64::from(cells);
    let answer = 64.0 * quanta as f64;
    let tile = match chip.generation {
        4 | 5 => 15.0 * rate / 1e9,
        _ => 0.0,
    };
    let inside = f64::from(link.mtu) + cable + PIPELINE + answer + tile;
    // A figure for switches' files: what a float may be wrong by is far below a byte.
    let bytes = (least + occupancy * inside - 1e-6).ceil() as u64;
    let more = if chip.generation == 6 { SIXTH } else { 0 };
    let xoff = bytes.next_multiple_of(STEP) + more;
    let number = |symbol, value: f64, meaning: &str| Term {
        symbol,
        value: format!("{value:.1} B"),
        meaning: meaning.into(),
    };
    Some(Sizing {
        scheme: "sonic",
        title: format!(
            "`xoff` as published for chips of generation {}",
            chip.generation
        ),
        no_loss: Some(xoff),
        full_rate: None,
        both: None,
        terms: Vec::from([
            Term::bytes(
                "xoff",
                xoff,
                "M + o (mtu + cable + 819.2 + 64 q + tile), up to 1,024",
            ),
            Term::bytes("M", link.lossless_mtu.into(), "largest lossless packet"),
            Term {
                symbol: "o",
                value: format!("{occupancy:.4}"),
                meaning: format!(
                    "memory a byte takes in cells of {} B, {} % of packets small",
                    chip.cell,
                    100.0 * chip.small
                ),
            },
            number("cable", cable, "2 L R / 8 at 198,000 km/s"),
            Term::count("q", quanta, "quanta to answer, IEEE 802.3"),
            number("tile", tile, "15 B for each Gbps on generations 4 and 5"),
        ]),
        note: "what `pg_profile_lookup.ini` holds; a shared headroom pool may be smaller than the \
               sum"
        .into(),
    })
}
