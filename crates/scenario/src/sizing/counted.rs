//! Credits counted in cells: Ultra Ethernet's CBFC, InfiniBand and grains. A frame costs
//! ceil((bytes + overhead) / cell), and the full rate needs
//!
//! ```text
//! L = cost ceil((2p + f + s) / f)        credits
//! ```
//!
//! with f the time of a frame on the wire and s the spacing of updates, where that is longer than
//! a frame. What a credit counts is 12 bits wide in InfiniBand, of which half can be told apart:
//! 2,048 blocks of 64 bytes, however long the cable.

use backwater_kernel::Duration;
use backwater_kernel::words::grouped;

use super::{Link, Settings, Sizing, Term, frames_within};
use crate::frames::counters::gcd;

/// Blocks of InfiniBand, bytes.
const BLOCK: u64 = 64;
/// Most blocks on their way: half of what 12 bits count.
const MOST_BLOCKS: u64 = 2_048;
/// Most credits of CBFC.
const MOST_CREDITS: u64 = (1 << 19) - 1;

/// Ultra Ethernet's credit-based flow control, a limit for each virtual channel.
pub(super) fn cbfc(link: &Link, settings: &Settings) -> Sizing {
    let spacing = link.back.serialization(settings.spacing.into());
    cells(link, (settings.cell, settings.overhead), spacing)
}

/// The same with this spacing of updates.
pub(super) fn cells(link: &Link, (cell, overhead): (u32, i32), spacing: Duration) -> Sizing {
    let stored = i64::from(link.frame()) + i64::from(overhead);
    let cost = u64::try_from(stored)
        .unwrap_or(0)
        .div_ceil(cell.max(1).into())
        .max(1);
    let counted = Counted {
        scheme: "cbfc",
        title: format!("Ultra Ethernet credits of {cell} B"),
        cell: cell.into(),
        cost,
        cost_words: format!("ceil((F + {overhead}) / {cell})"),
        spacing,
        most: MOST_CREDITS,
        untold: 0,
    };
    counted.sizing(link)
}

/// InfiniBand's credits, updates as soon as the way back is free.
pub(super) fn infiniband(link: &Link) -> Sizing {
    blocks(link, Duration::ZERO)
}

/// The same with this spacing of updates.
pub(super) fn blocks(link: &Link, spacing: Duration) -> Sizing {
    let counted = Counted {
        scheme: "infiniband",
        title: "InfiniBand credits, blocks of 64 B".into(),
        cell: BLOCK,
        cost: u64::from(link.frame()).div_ceil(BLOCK),
        cost_words: "ceil(F / 64)".into(),
        spacing,
        most: MOST_BLOCKS,
        untold: 0,
    };
    counted.sizing(link)
}

/// Credits that come back in whole grains of so many: what is left of one is not told.
pub(super) fn grains(link: &Link, cell: u32, grain: u32) -> Sizing {
    let cost = link.frame().div_ceil(cell.max(1)).max(1);
    let counted = Counted {
        scheme: "grains",
        title: format!("credits of {cell} B in grains of {grain}"),
        cell: cell.into(),
        cost: cost.into(),
        cost_words: format!("ceil(F / {cell})"),
        spacing: Duration::ZERO,
        most: MOST_CREDITS,
        untold: u64::from(grain - gcd(grain, cost)),
    };
    counted.sizing(link)
}

struct Counted {
    scheme: &'static str,
    title: String,
    cell: u64,
    cost: u64,
    cost_words: String,
    spacing: Duration,
    /// Most credits that the width of its counters allows.
    most: u64,
    /// Credits that may be free without being told.
    untold: u64,
}

impl Counted {
    fn sizing(self, link: &Link) -> Sizing {
        let frame = link.wire(link.frame());
        let waits = match self.spacing <= frame {
            true => Duration::ZERO,
            false => self.spacing,
        };
        let round = Duration(link.away().0 + frame.0 + waits.0);
        let credits = self.cost * frames_within(round, frame) + self.untold;
        let bytes = Some(credits * self.cell).filter(|_| credits <= self.most);
        let note = match bytes {
            Some(_) => format!(
                "`limit = {credits}` of `flow_control.kind = \"{}\"`",
                self.scheme
            ),
            None => format!(
                "out of reach: {} credits are the most that its counters tell apart, good for {} \
                 of this link",
                grouped(self.most),
                share(self.most / self.cost.max(1) * frame.0, round.0)
            ),
        };
        let untold = (self.untold > 0).then(|| {
            let meaning = "free, and in no whole grain: g - gcd(g, cost)";
            Term::count("u", self.untold, meaning)
        });
        let mut sizing = Sizing {
            scheme: self.scheme,
            title: self.title,
            no_loss: Some(0),
            full_rate: bytes,
            both: bytes,
            terms: Vec::from([
                Term::count(
                    "L",
                    credits,
                    match self.untold {
                        0 => format!("credits of {} B: cost ceil(D / f)", self.cell),
                        _ => format!("credits of {} B: cost ceil(D / f) + u", self.cell),
                    },
                ),
                Term::count(
                    "cost",
                    self.cost,
                    format!("credits a frame: {}", self.cost_words),
                ),
                Term::bytes("F", link.frame().into(), "largest frame of the class"),
                Term::time(
                    "f",
                    frame,
                    "its time on the wire, with 20 B of preamble and gap",
                ),
                Term::time("D", round, "the loop: 2 p + f + s"),
                Term::time("p", link.delay, "cable, one way"),
                Term::time("s", waits, "spacing of updates, where longer than a frame"),
            ]),
            note,
        };
        sizing
            .terms
            .extend(untold.into_iter().chain(link.latency()));
        sizing
    }
}

/// A share in percent, with one decimal.
fn share(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1_000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}
