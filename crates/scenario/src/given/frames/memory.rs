//! Memory that all queues of a switch share, and what differs in it.

use backwater_derive::table;

use crate::given::Named;
use crate::language::typed::Placed;

/// A memory with dynamic thresholds. A frame counts at its input port and class: first in the
/// reserve there, then in the shared part, then (lossless classes) in the headroom there. An
/// input is stopped when it holds more than alpha times what is free of the shared part.
#[table("buffer.shared")]
pub(crate) struct Shared {
    /// All of it, reserves and headroom included.
    #[key(is = Size { min: 1, max: 1 << 50 }, cite = "Choudhury, Hahne 1998")]
    pub bytes: Placed<u64>,
    /// Headroom of all inputs together. Less than enough for all at once is how switches are sold:
    /// `check` says for how many at once it is enough.
    #[key(is = Size { min: 0, max: 1 << 50 }, otherwise = "enough for all inputs at once")]
    pub pool: Placed<Option<u64>>,
    /// Bytes of a cell: a frame takes whole cells of the memory.
    #[key(is = Whole { min: 1, max: 65_536, unit: "bytes" }, otherwise = "bytes count as they are")]
    pub cell: Option<u32>,
    #[key(flatten)]
    pub share: Share,
}

/// What each input port and class may have, and the output queue there.
#[table(part, layered)]
#[derive(Default)]
pub(crate) struct Share {
    /// Reserve of each input port and class.
    #[key(is = Size { min: 0, max: 1 << 50 }, default = "\"0 B\"")]
    pub reserve: Option<u64>,
    /// Headroom of each input port and lossless class.
    #[key(is = Size { min: 0, max: 1 << 50 }, otherwise = "what the links need")]
    pub headroom: Placed<Option<u64>>,
    /// An input may hold this many times what is free.
    #[key(is = Ratio { max: 65536 }, default = "\"1/8\"")]
    pub alpha: Option<(u32, u32)>,
    /// An output queue of a class without flow control may hold this many times what is free.
    #[key(is = Ratio { max: 65536 }, default = "\"1/8\"")]
    pub output_alpha: Option<(u32, u32)>,
    /// An input is resumed when it holds so much less than its threshold.
    #[key(is = Size { min: 0, max: 1 << 50 }, default = "\"3 kB\"")]
    pub resume_offset: Option<u64>,
    /// It is resumed, too, when it holds no more than this, its reserve included.
    #[key(is = Size { min: 0, max: 1 << 50 }, default = "\"0 B\"")]
    pub resume_floor: Option<u64>,
}

/// What differs in the shared memory of some switches, ports and classes. Where two tables speak of
/// one, the later holds.
#[table("[[memory]]")]
pub(crate) struct Memory {
    /// Switches by name, or a list; `*` stands for any letters.
    #[key(is = References("node"), otherwise = "all")]
    pub nodes: Placed<Vec<Named>>,
    /// Their ports, by the node at the other end, or a list.
    #[key(is = References("node"), otherwise = "all")]
    pub ports: Placed<Vec<Named>>,
    /// Classes.
    #[key(is = Wholes(Whole { min: 0, max: 31, unit: "" }), otherwise = "all")]
    pub classes: Placed<Option<Vec<u8>>>,
    /// All memory of each of these switches.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "as `[buffer.shared]` says")]
    pub bytes: Placed<Option<u64>>,
    /// Headroom of all inputs of each of these switches together.
    #[key(is = Size { min: 0, max: 1 << 50 }, otherwise = "as `[buffer.shared]` says")]
    pub pool: Placed<Option<u64>>,
    /// Bytes of a cell there.
    #[key(is = Whole { min: 1, max: 65_536, unit: "bytes" })]
    #[key(otherwise = "as `[buffer.shared]` says")]
    pub cell: Placed<Option<u32>>,
    /// These inputs count in a pool of `[[pools]]`, by its name.
    #[key(is = Name, otherwise = "in what `[[pools]]` leave")]
    pub in_pool: Placed<Option<String>>,
    #[key(flatten, as_above)]
    pub share: Share,
}

/// A part of the shared memory of switches with thresholds and headroom of its own. What is left
/// of the memory is for the inputs that no pool has.
#[table("[[pools]]")]
pub(crate) struct Pools {
    /// Its name; `in_pool` of `[[memory]]` says which inputs count in it.
    #[key(is = Name)]
    pub name: Placed<String>,
    /// All of it, reserves and headroom included.
    #[key(is = Size { min: 1, max: 1 << 50 })]
    pub bytes: Placed<u64>,
    /// Headroom of all its inputs together.
    #[key(is = Size { min: 0, max: 1 << 50 }, otherwise = "enough for all its inputs at once")]
    pub headroom: Placed<Option<u64>>,
}
