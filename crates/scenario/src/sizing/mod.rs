//! How many bytes of buffer one link needs, by scheme: for no loss, and for the full rate.
//!
//! | Part | What stands here |
//! |---|---|
//! | `pfc` | stops: headroom above XOFF, and what must lie below XON |
//! | `published` | the form by which switches that run SONiC are set up |
//! | `n23` | Kung's credit, by frames of a class |
//! | `counted` | credits that are counted in cells: Ultra Ethernet's CBFC, InfiniBand, grains |
//! | `links` | the same for each link of a file, under the scheme that it uses |
//!
//! A scheme more is a file here and a line in [`all`]. Each gives its bytes together with every
//! term that they are made of, so that a reader can work them out again. A line here may touch
//! `language` and the headroom of `frames`, so that both say the same bytes.

mod counted;
mod links;
mod n23;
mod pfc;
mod published;
#[cfg(test)]
mod tests;

use backwater_kernel::words::grouped;
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::{FRAME_LEAST_BYTES, FRAME_OVERHEAD_BYTES, TAG_BYTES};

use crate::frames::headroom;
use crate::frames::stops;
use crate::language::units::{self, Fault};

pub use links::{LinkNeed, Verdict, of_links};

/// One link between two switches, and the frames that cross it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Of the way of the data,
    pub rate: Rate,
    /// and of the way back.
    pub back: Rate,
    /// One way.
    pub delay: Duration,
    /// Latencies of the nodes at both ends, and what the way back takes longer.
    pub nodes: Duration,
    /// Largest IP packet of the port, bytes: what may be ahead of a control frame.
    pub mtu: u32,
    /// Largest IP packet of the lossless class, bytes.
    pub lossless_mtu: u32,
    /// Smallest frame of the lossless class, bytes; all are of the largest size where absent.
    pub least: Option<u32>,
    /// Frames carry a VLAN tag.
    pub is_tagged: bool,
    /// From the last bit of a stop to its effect.
    pub response: Duration,
}

impl Link {
    /// Largest frame of the lossless class, bytes.
    pub fn frame(&self) -> u32 {
        self.around(self.lossless_mtu)
    }

    /// Largest frame of any class, bytes.
    pub fn largest(&self) -> u32 {
        self.around(self.mtu.max(self.lossless_mtu))
    }

    /// Time that IEEE 802.3 allows for the answer to a stop, where it has a limit for this rate.
    pub fn allowed(&self) -> Option<Duration> {
        allowed(self.rate)
    }

    fn around(&self, packet: u32) -> u32 {
        let tag = if self.is_tagged { TAG_BYTES } else { 0 };
        packet
            .saturating_add(FRAME_OVERHEAD_BYTES + tag)
            .max(FRAME_LEAST_BYTES)
    }

    /// Time on the wire, preamble and gap included.
    fn wire(&self, frame: u32) -> Duration {
        headroom::wire_time(self.rate, frame)
    }

    /// Time on the wire of the way back, preamble and gap included.
    fn wire_back(&self, frame: u32) -> Duration {
        headroom::wire_time(self.back, frame)
    }

    /// Time of a control frame.
    fn control(&self) -> Duration {
        self.wire_back(FRAME_LEAST_BYTES)
    }

    /// Time on the way, there and back.
    fn away(&self) -> Duration {
        Duration(2 * self.delay.0 + self.nodes.0)
    }

    /// Latencies as a term, where there are some.
    fn latency(&self) -> Option<Term> {
        let meaning = "latencies of the nodes, and what the way back takes longer: to be added";
        (self.nodes.0 > 0).then(|| Term::time("l", self.nodes, meaning))
    }
}

/// What only some schemes ask for.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Settings {
    /// Frames freed between two credit frames of N23.
    pub n2: u32,
    /// Cells of CBFC, bytes.
    pub cell: u32,
    /// Bytes that CBFC adds to each frame before it counts cells; below zero, takes away.
    pub overhead: i32,
    /// Bytes of line time between two updates of CBFC.
    pub spacing: u32,
    /// The switch chip, for the published form; left out where absent.
    pub chip: Option<Chip>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            n2: 10,
            cell: 64,
            overhead: -4,
            spacing: 6_400,
            chip: None,
        }
    }
}

/// What the published form knows of a switch chip.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Chip {
    /// Generation, 1 to 6.
    pub generation: u32,
    /// Cells of its memory, bytes.
    pub cell: u32,
    /// Share of small packets, 0 to 1.
    pub small: f64,
}

/// Bytes that a link needs under one scheme.
#[derive(Clone, PartialEq, Debug)]
pub struct Sizing {
    /// The word of the scheme.
    pub scheme: &'static str,
    /// What it is, in a few words.
    pub title: String,
    /// Bytes without which frames may be lost; 0 where no buffer is too small.
    pub no_loss: Option<u64>,
    /// Bytes without which the link may idle although there is something to send.
    pub full_rate: Option<u64>,
    /// Bytes for both.
    pub both: Option<u64>,
    /// What the figures are made of, and how.
    pub terms: Vec<Term>,
    /// What to know before it is used.
    pub note: String,
}

/// A symbol of a formula and its value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Term {
    /// As the formula has it.
    pub symbol: &'static str,
    /// With its unit.
    pub value: String,
    /// What it is, or how it is worked out.
    pub meaning: String,
}

impl Term {
    fn bytes(symbol: &'static str, bytes: u64, meaning: impl Into<String>) -> Self {
        let value = format!("{} B", grouped(bytes));
        Self {
            symbol,
            value,
            meaning: meaning.into(),
        }
    }

    fn time(symbol: &'static str, span: Duration, meaning: impl Into<String>) -> Self {
        let value = format!("{} ns", nanoseconds(span));
        Self {
            symbol,
            value,
            meaning: meaning.into(),
        }
    }

    fn count(symbol: &'static str, count: u64, meaning: impl Into<String>) -> Self {
        let value = grouped(count);
        Self {
            symbol,
            value,
            meaning: meaning.into(),
        }
    }
}

/// A span in nanoseconds, to the picosecond.
pub fn nanoseconds(span: Duration) -> String {
    let (whole, rest) = (span.0 / 1_000, span.0 % 1_000);
    let digits = format!("{rest:03}");
    match digits.trim_end_matches('0') {
        "" => grouped(whole),
        rest => format!("{}.{rest}", grouped(whole)),
    }
}

/// Time that IEEE 802.3 allows for the answer to a stop, where it has a limit for this rate.
pub fn allowed(rate: Rate) -> Option<Duration> {
    stops::limit(rate)
}

/// What each scheme needs on this link, in the order of their words in [`SCHEMES`].
pub fn all(link: &Link, settings: &Settings) -> Vec<Sizing> {
    let mut all = Vec::from([pfc::stops(link)]);
    let slower = link.allowed().filter(|allowed| *allowed > link.response);
    all.extend(slower.map(|allowed| pfc::by_the_standard(link, allowed)));
    let published = settings
        .chip
        .as_ref()
        .and_then(|chip| published::form(link, chip));
    all.extend(published);
    all.extend([
        n23::credit(link, settings),
        counted::cbfc(link, settings),
        counted::infiniband(link),
    ]);
    all
}

/// The words of all schemes.
pub const SCHEMES: [&str; 6] = ["pfc", "pfc-ieee", "sonic", "n23", "cbfc", "infiniband"];

/// So many bytes in frames of one size that pass in a span, the last one begun counted whole.
fn frames_within(span: Duration, frame: Duration) -> u64 {
    span.0.div_ceil(frame.0.max(1))
}

/// Above it a control frame takes less than 100 ps: what is rounded would be more than 1 % of it.
const FASTEST_BPS: u64 = 84 * 8 * 10_000_000_000;

/// A rate such as `400G` or `400 Gbps`.
///
/// # Errors
/// Says what is wrong with the text.
pub fn rate(text: &str) -> Result<Rate, String> {
    let bps = match units::rate_bps(text) {
        Err(Fault::TooLarge) => u64::MAX,
        read => read.map_err(|fault| why(text, &fault, "`400 Gbps` or `400G`"))?,
    };
    match bps {
        0 => Err(format!("`{text}`: a rate above 0 is needed")),
        bps if bps > FASTEST_BPS => Err(format!(
            "`{text}`: at most 6720 Gbps: times are in whole picoseconds, and a frame of 84 B on \
             the wire would take less than 100 of them"
        )),
        bps => Ok(Rate(bps)),
    }
}

/// The delay of a length of cable, 5 ns a metre: `300m`, `2 km`.
///
/// # Errors
/// Says what is wrong with the text.
pub fn cable(text: &str) -> Result<Duration, String> {
    let delay = units::cable_ps(text).map_err(|fault| why(text, &fault, "`300 m` or `2 km`"))?;
    within(text, delay)
}

/// A span of time such as `1.5us`.
///
/// # Errors
/// Says what is wrong with the text.
pub fn span(text: &str) -> Result<Duration, String> {
    let span = units::clock_ps(text).map_err(|fault| why(text, &fault, "`100 ns` or `1.5 us`"))?;
    within(text, span)
}

/// Bytes: `9216`, `9216 B`, `9 KiB`.
///
/// # Errors
/// Says what is wrong with the text.
pub fn bytes(text: &str) -> Result<u64, String> {
    if let Ok(bytes) = text.parse() {
        return Ok(bytes);
    }
    units::size_bytes(text).map_err(|fault| why(text, &fault, "`9216` or `9216 B`"))
}

/// Spans of up to a second: what cables have, and sums of a few of them fit any counter.
fn within(text: &str, ps: u64) -> Result<Duration, String> {
    match ps <= LONGEST_PS {
        true => Ok(Duration(ps)),
        false => Err(format!(
            "`{text}`: more than a second one way; that is no cable"
        )),
    }
}

/// A second.
const LONGEST_PS: u64 = 1_000_000_000_000;

fn why(text: &str, fault: &Fault, examples: &str) -> String {
    let what = match fault {
        Fault::NoNumber => "does not begin with a number".into(),
        Fault::Negative => "is below zero".into(),
        Fault::NoUnit => "has no unit".into(),
        Fault::UnknownUnit(unit) => format!("has the unknown unit `{unit}`"),
        Fault::TooLarge => "is too large".into(),
        Fault::Broken => "is a fraction of what can't be divided".into(),
    };
    format!("`{text}` {what}; write {examples}")
}
