//! What is sent, and classes of packets.

use backwater_derive::{table, word};

use crate::language::typed::{Chosen, Placed};

/// What is sent. With `[[classes]]` it is what every class has unless it says otherwise.
#[table("[traffic]")]
pub(crate) struct Traffic {
    /// How packets enter at a terminal.
    #[key(default = "\"one\"")]
    pub sources: Sources,
    #[key(flatten)]
    pub demand: Demand,
}

/// What a class of packets may say for itself.
#[table(part, layered)]
pub(crate) struct Demand {
    /// Where packets go; a word alone stands for `{ kind = .. }`.
    #[key(short = "kind", default = "\"uniform\"")]
    pub pattern: Placed<Option<Chosen<Pattern>>>,
    /// When packets are born; a word alone stands for `{ kind = .. }`.
    #[key(short = "kind", default = "\"bernoulli\"")]
    pub injection: Option<Chosen<Injection>>,
    /// Offered load, in flits per cycle and terminal.
    #[key(is = Portion, otherwise = "none: `bernoulli`, `constant` and `on-off` need it")]
    pub load: Placed<Option<f64>>,
    /// How long packets are; a number alone is the length of all.
    #[key(short = "length", default = "1")]
    pub flits: Option<Chosen<Flits>>,
}

/// A class of packets: what differs from `[traffic]`, and how routers treat it. What stands here
/// replaces the whole of what stands there.
#[table("[[classes]]", at_most_one(load, share))]
pub(crate) struct Class {
    /// Its name in reports and references.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten, as_above)]
    pub demand: Demand,
    /// Its load as a share of `traffic.load`.
    #[key(is = Portion, otherwise = "all of it")]
    pub share: Placed<Option<f64>>,
    /// The largest is served first by the arbiter `earliest`.
    #[key(is = Whole { min: 0, max: 255, unit: "" }, default = "0")]
    pub priority: u8,
    /// Cycles from birth within which packets should arrive; late ones are counted, and
    /// `earliest` sorts by it.
    #[key(is = Cycles { min: 1, max: 4_294_967_295 }, otherwise = "none")]
    pub deadline: Option<u32>,
    /// Group of VCs: classes of different groups never share a VC. Groups are numbered from 0
    /// without gaps and get equal parts of the VCs, or parts that differ by one.
    #[key(is = Whole { min: 0, max: 31, unit: "" }, default = "0")]
    pub vc_group: Placed<u8>,
}

/// Where packets go. Bits are those of the terminal's number.
#[table("traffic.pattern", by(kind, "The rule."))]
pub(crate) enum Pattern {
    /// Every terminal is equally likely.
    Uniform {
        /// May a terminal send to itself?
        #[key(default = "\"excluded\"")]
        itself: Itself,
    },
    /// All bits inverted.
    BitComplement,
    /// Bits in reverse order.
    BitReverse,
    /// Bits rotated left by one.
    Shuffle,
    /// The two halves of the bits exchanged: x and y of a square.
    Transpose,
    /// Nearly half the way around in each dimension.
    Tornado,
    /// The next one in each dimension.
    Neighbour,
    /// Some terminals get more than others.
    Hotspot {
        /// The terminals that get more.
        #[key(is = Wholes(Whole { min: 0, max: 16_777_215, unit: "" }))]
        targets: Placed<Vec<u32>>,
        /// Weight of each target among them.
        #[key(is = Wholes(Whole { min: 0, max: 1_000_000, unit: "" }), otherwise = "all the same")]
        weights: Placed<Option<Vec<u32>>>,
        /// Share of the packets that go to `targets`; the rest goes everywhere, uniformly.
        #[key(is = Portion)]
        share: f64,
    },
    /// Each terminal sends to one and gets from one, drawn from the seed; it may be itself.
    Permutation,
    /// By a weight for each source and destination.
    #[table(exactly_one(rows, file))]
    Matrix {
        /// For each source a row with the weight of each destination; with a row of zeros it sends
        /// nothing.
        #[key(is = Rows, otherwise = "from `file`")]
        rows: Placed<Option<Vec<Vec<f64>>>>,
        /// CSV file with a row for each source.
        #[key(is = Path, otherwise = "from `rows`")]
        file: Placed<Option<String>>,
    },
}

/// When packets are born.
#[table("traffic.injection", by(kind, "The rule."))]
pub(crate) enum Injection {
    /// Each cycle a packet with the same probability, as `load` says.
    Bernoulli,
    /// Evenly spaced, as `load` says, with a random phase for each source.
    Constant,
    /// Bursts of geometric length, pauses between them; `load` is the mean.
    OnOff {
        /// Load during a burst, at least `load`.
        #[key(is = Portion, default = "1.0")]
        peak: Placed<f64>,
        /// Mean length of a burst.
        #[key(is = Cycles { min: 1, max: 1_000_000_000 })]
        burst: u64,
    },
    /// Always one more packet than the network takes.
    Greedy,
    /// A closed loop: a limited number of requests of each terminal unanswered.
    Requests {
        /// Requests of a terminal that may be unanswered.
        #[key(is = Whole { min: 1, max: 65_535, unit: "requests" }, default = "1")]
        outstanding: u32,
        /// Cycles from a response to the next request.
        #[key(is = Cycles { min: 0, max: 4_294_967_295 }, default = "\"0 cycles\"")]
        think: u32,
        /// The class of the responses; its own injection is `responses`.
        #[key(is = Reference("class"))]
        responses: Placed<String>,
    },
    /// Nothing of its own: answers the requests of another class.
    Responses,
    /// The packets of a file at their cycles.
    Trace {
        /// CSV file with the columns cycle, source, destination, flits, or those four in the
        /// order of its heading, sorted by cycle.
        #[key(is = Path)]
        file: Placed<String>,
    },
}

/// How long packets are, in flits.
#[table("traffic.flits", by(kind, "The rule.", default = "\"fixed\""))]
pub(crate) enum Flits {
    /// All the same.
    Fixed {
        /// Flits of every packet.
        #[key(is = Whole { min: 1, max: 16_384, unit: "flits" })]
        length: u16,
    },
    /// Short or long.
    Bimodal {
        /// Flits of a short packet.
        #[key(is = Whole { min: 1, max: 16_384, unit: "flits" })]
        short: u16,
        /// Flits of a long packet.
        #[key(is = Whole { min: 1, max: 16_384, unit: "flits" })]
        long: u16,
        /// Share of the packets that are long, to a millionth.
        #[key(is = Portion)]
        long_share: f64,
    },
    /// One of several lengths, by weight.
    Weighted {
        /// Lengths that packets may have.
        #[key(is = Wholes(Whole { min: 1, max: 16_384, unit: "flits" }))]
        lengths: Placed<Vec<u16>>,
        /// Weight of each length.
        #[key(is = Wholes(Whole { min: 0, max: 1_000_000, unit: "" }))]
        weights: Placed<Vec<u32>>,
    },
}

/// Words of `itself`: May a terminal send to itself?
#[word]
pub(crate) enum Itself {
    /// Only to others.
    Excluded,
    /// Also to itself, through its router.
    Included,
}

/// Words of `sources`: How packets enter at a terminal.
#[word(of = backwater_flit::spec::Sources)]
pub(crate) enum Sources {
    /// One source: packets enter one after another, each on one VC.
    One,
    /// One queue; its packets take whatever VCs are free, side by side.
    Shared,
    /// An independent source for each VC, each with an equal part of the load.
    #[word(cite = "Dally 1992", of = PerLane)]
    PerVc,
}
