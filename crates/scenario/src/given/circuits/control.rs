//! Flow control on links.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate};
use backwater_net::spec::{self, CreditRule};

use crate::language::kinds::{OrShare, OrWord};
use crate::language::source::At;
use crate::language::typed::Placed;

/// Flow control of every flow on every link. A flow's own `flow_control` is merged over it, and
/// an entry of its `on_links` over both.
#[table("[flow_control]", layered, selected_by(kind), at_most_one(n3, target))]
pub(crate) struct FlowControl {
    /// How a link keeps its receiver from overflowing.
    #[key(default = "\"none\"")]
    pub kind: Placed<Option<ControlKind>>,
    /// Cells the receiver frees between two credit cells. Credit takes 1/(N2+1) of the link
    /// back.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" }, default = "10")]
    #[key(cite = "Kung 1993, sections 4.2 and 4.4")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub n2: Placed<Option<u32>>,
    /// Buffer zone that keeps a flow at its target bandwidth over a round trip.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" }, otherwise = "from `target`")]
    #[key(cite = "Kung 1993, section 4.3, equation 3")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub n3: Placed<Option<u32>>,
    /// Bandwidth the flow shall reach: sets N3 = ceil(D * bandwidth / unit) on each link, D
    /// being the control loop of that link. A rate, a share of the link's rate, or `full`.
    #[key(is = RateOrShare { word: "full" }, otherwise = "`full`, unless `n3` is given")]
    #[key(cite = "Kung 1993, section 4.3, equation 3")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub target: Placed<Option<OrWord<OrShare<Rate>>>>,
    /// Zone that holds what is under way and no credit cell can know of.
    #[key(is = Whole { min: 0, max: 1 << 30, unit: "cells" })]
    #[key(otherwise = "n123: ceil(D * link rate / unit); n123+: N2 + ceil(D * target / unit)")]
    #[key(cite = "Kung 1993, section 3", only("n123", "n123+"))]
    pub n1: Placed<Option<u32>>,
    /// Span over which the sender counts E, the cells it has sent. Must be the control loop
    /// of the link: shorter overflows the buffer, longer is slow and may stall.
    #[key(is = Or("exact", Time { min_ps: 1 }), default = "\"exact\"")]
    #[key(cite = "Kung 1993, section 4.3, equation 1", only("n23", "n123+"))]
    pub window: Placed<Option<OrWord<Duration>>>,
    /// When a credit cell's value is taken from the buffer.
    #[key(
        default = "\"start\"",
        only("n23", "n123", "n123+", "relative", "cumulative")
    )]
    pub bind: Placed<Option<Bind>>,
    /// Send a credit cell every time this many cells were freed, if that is sooner than N2; the
    /// buffer stays.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" })]
    #[key(otherwise = "no redundant credit cells")]
    #[key(cite = "Kung 1993, section 4.5")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub redundant_every: Placed<Option<u32>>,
    /// Also send a credit cell when none was sent for this long.
    #[key(is = Time { min_ps: 1 }, otherwise = "never", cite = "Kung 1993, section 4.5")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub refresh_every: Placed<Option<Duration>>,
    /// Ask for credit after this long without any while data waits (Sender-Request-Credit).
    #[key(is = Time { min_ps: 1 }, otherwise = "never", cite = "Kung 1993, section 4.5")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub request_after: Placed<Option<Duration>>,
    /// The sender states its counter once in this many data cells, which repairs the credit after
    /// losses.
    #[key(is = Whole { min: 1, max: 1 << 30, unit: "cells" }, otherwise = "never")]
    #[key(only("cumulative"))]
    pub resync_every: Placed<Option<u32>>,
    /// Size of a credit cell on the wire; of requests for credit and statements of the counter
    /// too.
    #[key(is = Size { min: 1, max: 1 << 20 }, otherwise = "that of the flow's data units")]
    #[key(only("n23", "n123", "n123+", "relative", "cumulative"))]
    pub message: Placed<Option<u64>>,
    /// Memory of the receiving node for this flow.
    #[key(is = Or("unlimited", Whole { min: 1, max: 1 << 30, unit: "cells" }))]
    #[key(otherwise = "N1 + N2 + N3 with credits, `unlimited` without")]
    pub buffer: Placed<Option<OrWord<u32>>>,
    /// What happens to a cell that finds it full.
    #[key(default = "\"drop\"")]
    pub overflow: Placed<Option<Overflow>>,
}

/// What one flow changes of `[flow_control]`, on all its links.
#[table("flows.flow_control")]
pub(crate) struct FlowOverride {
    #[key(flatten, as_above)]
    pub control: FlowControl,
}

/// What one flow changes of its flow control on one link.
#[table("flows.on_links")]
pub(crate) struct LinkOverride {
    /// The channel, as `from->to`.
    #[key(is = Reference("channel"))]
    pub link: Placed<String>,
    #[key(flatten, as_above)]
    pub control: FlowControl,
}

/// Words of `kind`: How a link keeps its receiver from overflowing.
#[word]
pub(crate) enum ControlKind {
    /// No flow control: a cell may always cross.
    None,
    /// Absolute credit: the credit cell carries N2 + N3 - fill, the sender subtracts E, what it
    /// sent during the last control loop. Buffer N2 + N3.
    #[word(cite = "Kung 1993, section 4.3")]
    N23,
    /// Absolute credit without E: a zone N1 holds what is under way at the link's rate. Buffer N1
    /// + N2 + N3.
    #[word(cite = "Kung 1993, section 3")]
    N123,
    /// As n123, with N1 bounded by the bandwidth of the circuit instead of the link's. Buffer N1
    /// + N2 + N3.
    #[word(name = "n123+", cite = "Kung 1993, section 3")]
    N123Plus,
    /// Additive credit: the credit cell carries the cells freed, the sender adds them. A lost
    /// credit cell is lost for ever. Buffer N2 + N3.
    Relative,
    /// Cumulative credit: the credit cell carries all cells freed since the start; the sender's
    /// credit is N2 + N3 - (sent - freed). Buffer N2 + N3.
    #[word(cite = "Kung, Blackwell and Chapman 1994 (SIGCOMM)")]
    Cumulative,
}

impl ControlKind {
    /// The credit scheme that the engine is told; `None` for no control.
    pub(crate) fn rule(self) -> Option<CreditRule> {
        match self {
            Self::None => None,
            Self::N23 => Some(CreditRule::N23),
            Self::N123 => Some(CreditRule::N123),
            Self::N123Plus => Some(CreditRule::N123Plus),
            Self::Relative => Some(CreditRule::Relative),
            Self::Cumulative => Some(CreditRule::Cumulative),
        }
    }
}

/// Words of `bind`: When a credit cell's value is taken from the buffer.
#[word(of = spec::Bind)]
pub(crate) enum Bind {
    /// When the credit cell starts on the wire (safe).
    Start,
    /// When it is triggered; it may wait and be out of date (unsafe).
    Trigger,
}

/// Words of `overflow`: What happens to a cell that finds it full.
#[word(of = spec::Overflow)]
pub(crate) enum Overflow {
    /// It is dropped; on a link with credits that is a violation.
    Drop,
    /// It is kept and counted, to measure by how much the buffer is too small.
    Keep,
}

impl FlowControl {
    /// Does the author say that buffers may overfill?
    pub(crate) fn keeps(&self) -> bool {
        *self.overflow == Some(Overflow::Keep)
    }

    /// Bytes of a credit cell, where they are not those of a data unit.
    pub(crate) fn message_bytes(&self) -> Option<u32> {
        self.message.map(|bytes| bytes as u32)
    }

    /// What sets N3: `n3` and `target` replace each other.
    pub(crate) fn zone3(&self) -> Option<(&'static str, &At)> {
        match (*self.n3, *self.target) {
            (Some(_), _) => Some(("n3", &self.n3.at)),
            (None, Some(_)) => Some(("target", &self.target.at)),
            (None, None) => None,
        }
    }
}
