//! Flows that begin while the run goes on, each with its own size.

use backwater_derive::{table, word};
use backwater_kernel::Time;

use super::flows::FlowSettings;
use crate::given::Named;
use crate::language::typed::{Chosen, Placed};
use crate::language::units::Decimal;

/// Flows that begin while the run goes on, drawn by `run.seed` or listed: `name[1]`, `name[2]`, ..
/// in the order in which they begin. Each sends bytes of its own and is done.
#[table("[[workloads]]")]
pub(crate) struct Workloads {
    /// What their names start with.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    pub kind: Chosen<WorkloadsKind>,
    /// No flow begins before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
    /// No flow begins from then on.
    #[key(is = Clock { min_ps: 1 }, otherwise = "the end of the run")]
    pub stop: Placed<Option<Time>>,
    /// What has a row of its own in results: each flow, or only all of them together.
    #[key(default = "\"flows\"")]
    pub rows: Placed<Rows>,
    #[key(flatten)]
    pub settings: FlowSettings,
}

/// Words of `rows`: What has a row of its own in results.
#[word]
pub(crate) enum Rows {
    /// Each flow. All are made before the run, and take memory as long as it lasts.
    Flows,
    /// All together. A flow takes memory from its start to its end, and what it did is counted in
    /// distributions by size. The file of a list is read as the run goes on, in order of time.
    Group,
}

/// What the kind of [[workloads]] sets.
#[table(part, by(kind, "When flows begin, and between which hosts."))]
pub(crate) enum WorkloadsKind {
    /// Every host of `from` opens flows at exponential gaps, each to a host of `to` drawn at
    /// random.
    Poisson {
        /// Payload offered, as a share of the rates of the first links of `from`: sets the mean
        /// gap.
        #[key(is = Share)]
        load: Placed<Decimal>,
        #[key(flatten)]
        sizes: FlowSizes,
        #[key(flatten)]
        between: Between,
    },
    /// At exponential gaps a host of `to`, drawn at random, gets a flow from each of so many hosts
    /// of `from`, all at the same instant.
    #[word(cite = "Li et al. 2019 (HPCC), section 5.1")]
    Incast {
        load: Placed<Decimal>,
        /// How many flows begin at once.
        #[key(is = Whole { min: 1, max: 1_000_000, unit: "hosts" })]
        senders: Placed<u32>,
        #[key(flatten)]
        sizes: FlowSizes,
        #[key(flatten)]
        between: Between,
    },
    /// Flows one by one, from a file.
    List {
        /// A line for each: when it begins, its two hosts and its payload, such as
        /// `12.5 us, H1_1, H2_3, 20 kB`, in the order of a heading if there is one, which may have
        /// two columns more, `id` and `after`: the ids of lines that it waits for. Or a flow file
        /// of the HPCC simulator, or a connection matrix of htsim.
        #[key(is = Path)]
        file: Placed<String>,
        /// What starts of a connection matrix count, where they are not all 0: picoseconds as in
        /// uet-htsim, or microseconds as in csg-htsim.
        #[key(otherwise = "none: a file that needs it is refused")]
        start_unit: Placed<Option<StartUnit>>,
    },
}

/// Words of `start_unit`: What starts of a connection matrix count.
#[word(of = backwater_formats::StartUnit)]
pub(crate) enum StartUnit {
    /// Picoseconds.
    Ps,
    /// Microseconds.
    Us,
}

/// The hosts of a workload.
#[table(part)]
pub(crate) struct Between {
    /// Hosts that send.
    #[key(is = References("host"), otherwise = "all")]
    pub from: Placed<Option<Vec<Named>>>,
    /// Hosts that receive.
    #[key(is = References("host"), otherwise = "all")]
    pub to: Placed<Option<Vec<Named>>>,
}

/// How many bytes a flow sends: one of the four.
#[table(part, exactly_one(size, sizes, cdf, cdf_file))]
pub(crate) struct FlowSizes {
    /// Payload of every flow.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "drawn")]
    pub size: Placed<Option<u64>>,
    /// A distribution of flow sizes as measured: payload, drawn for each flow.
    #[key(otherwise = "as `size`, `cdf` or `cdf_file` say")]
    pub sizes: Placed<Option<Measured>>,
    /// A distribution of flow sizes by points: bytes, and the percentage of flows that are no
    /// larger, or the fraction. Evenly between two points; two of one size are a jump.
    #[key(is = Rows, otherwise = "as `size`, `sizes` or `cdf_file` say")]
    pub cdf: Placed<Option<Vec<Vec<f64>>>>,
    /// A distribution of flow sizes from a file, a line for each point: bytes and the percentage,
    /// or the fraction; of three columns the first and the last.
    #[key(is = Path, otherwise = "as `size`, `sizes` or `cdf` say")]
    pub cdf_file: Placed<Option<String>>,
    /// What the sizes of `cdf` and `cdf_file` count: bytes, or packets of so many.
    #[key(is = Size { min: 1, max: 1 << 20 }, default = "\"1 B\"")]
    pub cdf_unit: Placed<u64>,
}

/// Words of `sizes`: A distribution of flow sizes as measured.
#[word]
pub(crate) enum Measured {
    /// Web search: mean 1.71 MB, half the flows below 73 kB.
    #[word(cite = "Alizadeh et al. 2010 (DCTCP), figure 4")]
    WebSearch,
    /// Data mining: mean 12.7 MB, half the flows below 1.1 kB.
    #[word(cite = "Greenberg et al. 2009 (VL2), figure 2")]
    DataMining,
    /// Hadoop at Facebook: mean 120 kB, half the flows up to 700 B.
    #[word(cite = "Roy et al. 2015; Li et al. 2019 (HPCC)")]
    Hadoop,
}
