//! Headroom: room above the XOFF threshold for what comes before a stop takes effect.
//!
//! A queue that has just passed its XOFF threshold sends stops to its inputs. From the end of the
//! frame that passed it, or was on the wire then, until the stop takes effect at the other end of
//! input `i`, that end may start more frames, and completes the last of them:
//!
//! ```text
//! H_i = F + M + F      M: most bytes of frames sent, before the last starts, in less than
//!                      T_i = w_i + q_i + t_xoff + 2p + r
//!
//! one size:       M = F (ceil(T_i / t(F)) - 1)      t(F): time of F + 20 bytes on the wire
//! several sizes:  M < C_i T_i / 8 - 20 n            n frames, as few as that takes
//! ```
//!
//! | Symbol | Here |
//! |---|---|
//! | `C_i` | [`Stop::rate`] |
//! | `F` | the largest of [`Stop::sizes`]; 20 bytes of preamble and gap on the wire |
//! | `w_i` | [`Stop::ahead`]: the frame that has just started on the reverse channel |
//! | `q_i` | [`Stop::queued`]: control frames that wait there already |
//! | `t_xoff` | [`Stop::control`]: the stop itself |
//! | `2p` | [`Stop::away`]: propagation both ways, latencies of both nodes |
//! | `r` | [`Stop::response`] |
//!
//! The queue itself goes on sending meanwhile, if nothing can stop or delay it: no other class, no
//! control frame, no shaping. Second frames of the inputs arrive a whole frame's time after the
//! threshold was passed, and by then a port as fast as its inputs has sent one; [`sent_meanwhile`]
//! counts that. Without it, five inputs at 100 Mbps with frames of 1518 bytes would need 15,180
//! bytes; with it 14,402 when files end with a frame of 778, and a queue of 50 kB can have its
//! threshold at 70 %. Where all last frames are smaller, the port may not have sent one, and each
//! input has brought so much less.
//!
//! docs/ethernet.md has the whole argument: what is assumed, and why it is enough.

use backwater_kernel::time::PS_PER_SECOND;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::WIRE_OVERHEAD_BYTES;

use super::stops::limit;

/// One input and the stop that goes to its other end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stop {
    /// Of the channel frames come over.
    pub rate: Rate,
    /// Of frames that may come.
    pub sizes: Sizes,
    /// Longest time the reverse channel may be busy with a frame, of data or control, that has
    /// started when the stop is made.
    pub ahead: Duration,
    /// Time of the control frames that may wait there before the stop.
    pub queued: Duration,
    /// Time of the stop itself.
    pub control: Duration,
    /// Propagation of the stop and of data, with the latencies of both nodes.
    pub away: Duration,
    /// From the stop's last bit to its effect.
    pub response: Duration,
}

impl Stop {
    /// From the making of the stop to its effect, and from the sender's last bit to its arrival.
    pub fn span(&self) -> Duration {
        let parts = [
            self.ahead,
            self.queued,
            self.control,
            self.away,
            self.response,
        ];
        let sum = parts
            .iter()
            .fold(0_u64, |sum, own| sum.saturating_add(own.0));
        Duration(sum)
    }

    /// Bytes on the wire that pass before the stop takes effect, with a bit to spare; none where it
    /// does at once.
    fn wire_bytes(&self) -> Option<u64> {
        let a_byte = 8 * u128::from(PS_PER_SECOND);
        let mut span = u128::from(self.span().0);
        // Times are whole picoseconds: where a byte takes none, each frame may be shorter by half.
        if !a_byte.is_multiple_of(u128::from(self.rate.0.max(1))) {
            let least = wire_time(self.rate, self.sizes.least).0.max(1);
            span += (span / u128::from(least) + 2) / 2;
        }
        let bytes = (u128::from(self.rate.0) * span)
            .div_ceil(a_byte)
            .checked_sub(1)?;
        Some(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// Most frames that come where all are as large as the largest, the one that passes the
    /// threshold included.
    pub fn frames(&self) -> u64 {
        let each = self.frame_time().0.max(1);
        self.span().0.div_ceil(each).saturating_add(1)
    }

    /// Most bytes that come.
    pub fn bytes(&self) -> u64 {
        let full = self.frames().saturating_mul(self.sizes.largest.into());
        full.saturating_add(self.left_over())
    }

    /// Bytes that smaller frames bring more than largest ones alone.
    pub fn left_over(&self) -> u64 {
        let overhead = u64::from(WIRE_OVERHEAD_BYTES);
        let [largest, least] = [self.sizes.largest, self.sizes.least].map(u64::from);
        let Some(bytes) = self.wire_bytes().filter(|_| least < largest) else {
            return 0;
        };
        let whole = self.frames().saturating_sub(2);
        let rest = bytes.saturating_sub(whole.saturating_mul(largest + overhead));
        // One frame more than largest ones, if there is room for so many of the least.
        match bytes >= (whole + 1).saturating_mul(least + overhead) {
            true => rest.saturating_sub(overhead),
            false => 0,
        }
    }

    /// Time of a frame on the wire.
    pub fn frame_time(&self) -> Duration {
        wire_time(self.rate, self.sizes.largest)
    }

    /// When it takes effect, and why not before.
    pub fn words(&self) -> String {
        let ns = |span: Duration| format!("{} ns", span.0.div_ceil(1_000));
        let parts = [
            (self.ahead, "behind a frame that has started"),
            (self.queued, "behind other control frames"),
            (self.control, "of its own"),
            (self.away, "on the link there and back"),
        ];
        let parts = parts.iter().filter(|(span, _)| span.0 > 0);
        let parts: Vec<String> = parts
            .map(|(span, what)| format!("{} {what}", ns(*span)))
            .collect();
        let allowed = limit(self.rate).filter(|limit| self.response < *limit);
        let allowed = allowed.map_or(String::new(), |limit| {
            format!(" (`response`; IEEE 802.3 allows {})", ns(limit))
        });
        format!(
            "the slowest stop takes {}: {}, {} of response{allowed}",
            ns(self.span()),
            parts.join(", "),
            ns(self.response)
        )
    }
}

/// Time of a frame on the wire, preamble and gap included.
pub fn wire_time(rate: Rate, frame_bytes: u32) -> Duration {
    rate.serialization(u64::from(frame_bytes) + u64::from(WIRE_OVERHEAD_BYTES))
}

/// Sizes of the frames in a queue, bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sizes {
    /// The largest of all.
    pub largest: u32,
    /// The largest below that; 0 if all are of one size.
    pub second: u32,
    /// The least of all.
    pub least: u32,
}

impl Sizes {
    /// Frames from a least to a largest size, and of no size between.
    pub fn two(largest: u32, least: u32) -> Sizes {
        Sizes {
            largest,
            second: if least < largest { least } else { 0 },
            least,
        }
    }

    /// Frames of any size from a least to a largest one.
    pub fn any(largest: u32, least: u32) -> Sizes {
        Sizes {
            second: if least < largest { largest - 1 } else { 0 },
            ..Sizes::two(largest, least)
        }
    }

    /// Those of others, too.
    pub fn add(&mut self, other: Sizes) {
        let all = [self.largest, self.second, other.largest, other.second];
        let largest = self.largest.max(other.largest);
        let smaller = all.into_iter().filter(|bytes| *bytes < largest);
        *self = Sizes {
            largest,
            second: smaller.max().unwrap_or(0),
            least: self.least.min(other.least),
        };
    }
}

/// Inputs that bring the same.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Brought {
    /// Channels, in ascending order.
    pub inputs: Vec<u32>,
    /// What each of them brings before its stop takes effect.
    pub stop: Stop,
    /// Stops that each of them needs: one for each destination where those are stopped.
    pub times: u64,
}

impl Brought {
    /// Most bytes that come over one of them.
    pub fn bytes(&self) -> u64 {
        self.stop.bytes().saturating_mul(self.times)
    }
}

/// Where headroom is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In an output queue, for all inputs that feed it.
    Queue,
    /// In the counter of an input.
    Input,
    /// In shared memory, for one input.
    Shared,
    /// In shared memory, for all inputs of a switch together.
    Pool,
}

impl Place {
    /// What messages call it.
    pub const fn word(self) -> &'static str {
        match self {
            Place::Queue => "queue",
            Place::Input => "input",
            Place::Shared => "shared memory",
            Place::Pool => "pool",
        }
    }
}

/// The account of one place: what it needs above the threshold at which it stops, what it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Need {
    /// Which headroom it is.
    pub place: Place,
    /// The channel behind the queue, or into the input; of a pool, one into its switch.
    pub channel: u32,
    /// Of which class; of a pool, the highest of those that share it.
    pub class: u8,
    /// What comes before stops take effect.
    pub brought: Vec<Brought>,
    /// Bytes that surely leave meanwhile.
    pub leaves: u64,
    /// Bytes that it holds in all.
    pub limit: u64,
    /// Bytes above which it stops.
    pub xoff: u64,
}

impl Need {
    /// One input more.
    pub(crate) fn add(&mut self, input: u32, stop: Stop, times: u64) {
        let mut all = self.brought.iter_mut();
        match all.find(|own| (own.stop, own.times) == (stop, times)) {
            Some(own) => own.inputs.push(input),
            None => self.brought.push(Brought {
                inputs: Vec::from([input]),
                stop,
                times,
            }),
        }
    }

    /// Bytes that are needed.
    pub fn needs(&self) -> u64 {
        let all = self.brought.iter();
        let all = all.map(|own| own.bytes().saturating_mul(own.inputs.len() as u64));
        let sum = all.fold(0_u64, u64::saturating_add);
        sum.saturating_sub(self.leaves)
    }

    /// Bytes that are there.
    pub const fn has(&self) -> u64 {
        self.limit.saturating_sub(self.xoff)
    }

    /// Bytes that are missing.
    pub fn missing(&self) -> u64 {
        self.needs().saturating_sub(self.has())
    }
}

/// Bytes that a port which nothing stops is sure to have sent before second frames of its inputs
/// have arrived, or that those are less than assumed: one frame, the least of its queue, if it is
/// fast enough, or what all second frames miss if none is a largest one.
pub fn sent_meanwhile(rate: Rate, sizes: Sizes, brought: &[Brought]) -> u64 {
    let soonest = brought.iter().map(|own| own.stop.frame_time()).min();
    let inputs: usize = brought.iter().map(|own| own.inputs.len()).sum();
    let missed = match sizes.second {
        0 => u64::MAX,
        second => u64::from(sizes.largest - second).saturating_mul(inputs as u64),
    };
    match soonest {
        Some(soonest) if wire_time(rate, sizes.largest) <= soonest => {
            missed.min(sizes.least.into())
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests;
