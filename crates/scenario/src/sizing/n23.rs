//! Kung's credit over a link, a unit for each frame of the class: no buffer loses anything, since
//! nothing starts without a place; what it is for is the full rate.
//!
//! ```text
//! W = (N2 + N3) F        N3 = ceil(D / t)        D = t + 2p + c + w
//! ```
//!
//! The loop D runs from the start of a frame until credit that knows of it has come back; the
//! credit frame may have to wait for a frame that has just started.

use backwater_kernel::Duration;

use super::{Link, Settings, Sizing, Term, frames_within, pfc};

/// The buffer of a class.
pub(super) fn credit(link: &Link, settings: &Settings) -> Sizing {
    zones(link, settings.n2, link.frame())
}

/// The same with credit in units of so many bytes: a frame costs k of them.
pub(super) fn zones(link: &Link, n2: u32, unit: u32) -> Sizing {
    let frame = link.wire(link.frame());
    let cost = u64::from(link.frame().div_ceil(unit.max(1)));
    let (ahead, control) = (link.wire_back(link.largest()), link.control());
    let round = Duration(frame.0 + link.away().0 + control.0 + ahead.0);
    let frames = frames_within(round, frame);
    let n3 = frames.saturating_mul(cost);
    let n3_words = match cost {
        1 => "ceil(D / t)".into(),
        cost => format!("{cost} units a frame: {cost} ceil(D / t)"),
    };
    let buffer = (u64::from(n2) + n3).saturating_mul(unit.into());
    let of = if cost == 1 { "frames" } else { "units" };
    let mut sizing = Sizing {
        scheme: "n23",
        title: format!(
            "credit for each {}, returned every {n2} {of}",
            if cost == 1 { "frame" } else { "unit" }
        ),
        no_loss: Some(0),
        full_rate: Some(buffer),
        both: Some(buffer),
        terms: Vec::from([
            Term::bytes(
                "W",
                buffer,
                match cost {
                    1 => "(N2 + N3) F".into(),
                    _ => format!("(N2 + N3) units of {unit} B"),
                },
            ),
            Term::count(
                "N2",
                n2.into(),
                format!("{of} freed between two credit frames"),
            ),
            Term::count("N3", n3, n3_words),
            Term::bytes("F", link.frame().into(), "largest frame of the class"),
            Term::time(
                "t",
                frame,
                "its time on the wire, with 20 B of preamble and gap",
            ),
            Term::time("D", round, "the loop: t + 2 p + c + w"),
            Term::time("w", ahead, pfc::ahead(link)),
            Term::time("c", control, "the credit frame itself, 84 B on the wire"),
            Term::time("p", link.delay, "cable, one way"),
        ]),
        note: "smaller buffers drop nothing, they are slower".into(),
    };
    sizing.terms.extend(link.latency());
    sizing
}
