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
    let (frame, bytes) = (link.wire(link.frame()), u64::from(link.frame()));
    let (ahead, control) = (link.wire(link.largest()), link.control());
    let round = Duration(frame.0 + 2 * link.delay.0 + control.0 + ahead.0);
    let n3 = frames_within(round, frame);
    let buffer = (u64::from(settings.n2) + n3).saturating_mul(bytes);
    Sizing {
        scheme: "n23",
        title: format!(
            "credit for each frame, returned every {} frames",
            settings.n2
        ),
        no_loss: Some(0),
        full_rate: Some(buffer),
        both: Some(buffer),
        terms: Vec::from([
            Term::bytes("W", buffer, "(N2 + N3) F"),
            Term::count(
                "N2",
                settings.n2.into(),
                "frames freed between two credit frames",
            ),
            Term::count("N3", n3, "ceil(D / t)"),
            Term::bytes("F", bytes, "largest frame of the class"),
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
    }
}
