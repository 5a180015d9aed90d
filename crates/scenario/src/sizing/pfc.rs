//! Stops (PFC, PAUSE): room above XOFF for what comes before a stop takes effect, and bytes below
//! XON that keep the port busy until a resume has brought new frames.
//!
//! ```text
//! headroom = F + F ceil(T / t)        T = w + c + 2p + r
//! XON      = F ceil(T' / t) + 1       T' = T + t
//! ```
//!
//! The first is the account that `check` makes ([`headroom::Stop`](Stop)), for one input and one
//! class. The second: a resume is made when a last bit leaves and less than XON is left; the port
//! goes on with the next frame at once. The resume waits for the frame that has just started on
//! the way back (w), takes its own time (c), comes (p) and acts (r); the first new frame starts
//! then, arrives (p), and is there with its last bit (t). So many frames must be left; of one size
//! fewer, the port idles.

use backwater_kernel::Duration;
use backwater_kernel::words::grouped;
use backwater_net::frames::spec::FRAME_LEAST_BYTES;

use super::{Link, Sizing, Term, frames_within, nanoseconds};
use crate::frames::headroom::{Sizes, Stop};

/// With the response that was asked for.
pub(super) fn stops(link: &Link) -> Sizing {
    let title = match link.response {
        Duration::ZERO => "stops obeyed at once".into(),
        response => format!("stops obeyed within {} ns", nanoseconds(response)),
    };
    sizing("pfc", title, link)
}

/// With the longest response that IEEE 802.3 allows at this rate.
pub(super) fn by_the_standard(link: &Link, allowed: Duration) -> Sizing {
    let title = format!(
        "stops obeyed as late as IEEE 802.3 allows, {} ns",
        nanoseconds(allowed)
    );
    sizing(
        "pfc-ieee",
        title,
        &Link {
            response: allowed,
            ..*link
        },
    )
}

fn sizing(scheme: &'static str, title: String, link: &Link) -> Sizing {
    let (stop, frame) = (stop(link), u64::from(link.frame()));
    let (above, below) = (stop.bytes(), below_xon(link));
    let time = stop.frame_time();
    let control = link.control();
    let first = Duration(stop.span().0.saturating_add(time.0));
    let frames = stop.frames();
    let mut above_terms = format!("headroom above XOFF: F + F ceil(T / t), {frames} frames");
    if stop.left_over() > 0 {
        above_terms += &format!(
            ", and {} B more in smaller ones of {} B",
            grouped(stop.left_over()),
            stop.sizes.least
        );
    }
    let terms = Vec::from([
        Term::bytes("H", above, above_terms),
        Term::bytes(
            "X",
            below,
            format!(
                "least XON: F ceil(T' / t) + 1, more than {} frames",
                frames_within(first, time)
            ),
        ),
        Term::bytes("F", frame, "largest frame of the class"),
        Term::time(
            "t",
            time,
            "its time on the wire, with 20 B of preamble and gap",
        ),
        Term::time("T", stop.span(), "until a stop acts: w + c + 2 p + r"),
        Term::time("T'", first, "until a resume has brought a frame: T + t"),
        Term::time("w", stop.ahead, ahead(link)),
        Term::time("c", control, "the control frame itself, 84 B on the wire"),
        Term::time("p", link.delay, "cable, one way"),
        Term::time("r", link.response, "from its last bit to its effect"),
    ]);
    let terms = terms.into_iter().chain(link.latency()).collect();
    Sizing {
        scheme,
        title,
        no_loss: Some(above),
        full_rate: Some(below),
        both: Some(above.saturating_add(below)),
        terms,
        note: "for one input and one class; `check` accounts for a whole network".into(),
    }
}

/// What is ahead of a control frame on the way back.
pub(super) fn ahead(link: &Link) -> String {
    format!(
        "a frame of {} B that has just started on the way back",
        grouped(link.largest().into())
    )
}

/// The stop as `check` accounts for it.
pub(super) fn stop(link: &Link) -> Stop {
    let frame = link.frame();
    Stop {
        rate: link.rate,
        sizes: match link.least {
            None => Sizes::two(frame, frame),
            Some(least) => Sizes::any(frame, least.clamp(FRAME_LEAST_BYTES, frame)),
        },
        ahead: link.wire_back(link.largest()),
        queued: Duration::ZERO,
        control: link.control(),
        away: link.away(),
        response: link.response,
        cell_bytes: 1,
    }
}

/// More than the bytes that leave until a resume has brought a new frame.
pub(super) fn below_xon(link: &Link) -> u64 {
    let stop = stop(link);
    let span = Duration(stop.span().0.saturating_add(stop.frame_time().0));
    let frames = frames_within(span, stop.frame_time());
    frames.saturating_mul(link.frame().into()).saturating_add(1)
}
