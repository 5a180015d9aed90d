//! Jobs of hosts that compute and communicate, such as training.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Time};

use super::collectives::{CollectivesKind, Cutting};
use super::flows::FlowSettings;
use crate::given::Named;
use crate::language::typed::Placed;

/// A job of some hosts, the ranks: in each iteration they compute and communicate, phase after
/// phase. Each pair of ranks that exchanges something in a phase has a flow: `name[1]`, ..
#[table("[[jobs]]")]
pub(crate) struct Jobs {
    /// What the names of its flows start with.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    pub work: Work,
    #[key(flatten)]
    pub settings: FlowSettings,
}

/// What the ranks do, whoever carries their messages.
#[table(part)]
pub(crate) struct Work {
    /// Hosts, in the order of their ranks. Ranks count through the tensor parallel ones first,
    /// then expert, data and pipeline.
    #[key(is = References("host"), otherwise = "all")]
    pub ranks: Placed<Option<Vec<Named>>>,
    /// How often all phases are done.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "iterations" }, default = "1")]
    pub iterations: Placed<u32>,
    /// Ranks that have each layer together (tensor parallel).
    #[key(is = Whole { min: 1, max: 65_536, unit: "ranks" }, default = "1")]
    pub tensor: Placed<u32>,
    /// Ranks over which experts are spread (expert parallel).
    #[key(is = Whole { min: 1, max: 65_536, unit: "ranks" }, default = "1")]
    pub expert: Placed<u32>,
    /// Stages of layers (pipeline parallel).
    #[key(is = Whole { min: 1, max: 65_536, unit: "ranks" }, default = "1")]
    pub pipeline: Placed<u32>,
    /// Ranks that each have a part of the data (data parallel).
    #[key(
        is = Whole { min: 1, max: 65_536, unit: "ranks" },
        otherwise = "as many as the other sizes leave"
    )]
    pub data: Placed<Option<u32>>,
    /// No rank begins before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
    /// What is done in each iteration, one after another.
    pub phases: Placed<Vec<Placed<Phases>>>,
}

/// A phase of an iteration: all ranks compute, then those of each group do a collective operation.
/// A rank is through when both are over.
#[table("jobs.phases")]
pub(crate) struct Phases {
    /// Each rank computes so long.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub compute: Placed<Duration>,
    /// So much of it may go on beside the operation, which begins that much sooner.
    #[key(is = Portion, default = "0")]
    pub overlap: Placed<f64>,
    /// What is done, and how. In a pipeline each rank computes when it has received, and then sends
    /// on.
    #[key(otherwise = "nothing: the ranks compute")]
    pub kind: Placed<Option<CollectivesKind>>,
    /// Bytes that each rank has, as of `[[collectives]]`.
    #[key(is = Size { min: 1, max: 1 << 50 }, otherwise = "none: without `kind`")]
    pub size: Placed<Option<u64>>,
    #[key(flatten)]
    pub cutting: Cutting,
    /// Which ranks are a group.
    #[key(default = "\"data\"")]
    pub across: Placed<Across>,
    /// So many times, such as layers or microbatches.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "times" }, default = "1")]
    pub times: Placed<u32>,
    /// Of a pipeline: whether microbatches come back, and when.
    #[key(otherwise = "forward")]
    pub schedule: Placed<Option<Schedule>>,
    /// With a schedule that comes back: each rank computes so long on the way back.
    #[key(is = Clock { min_ps: 0 }, otherwise = "twice `compute`")]
    pub backward: Placed<Option<Duration>>,
}

/// Words of `schedule`: In which order stages compute microbatches.
#[word]
pub(crate) enum Schedule {
    /// They go forward alone.
    Forward,
    /// All go forward, then all come back.
    #[word(cite = "Huang et al. 2019 (GPipe)")]
    Gpipe,
    /// When the first has come back, one forward and one back in turn: no stage keeps more than
    /// there are stages from it on.
    #[word(
        name = "1f1b",
        cite = "Narayanan et al. 2019 (PipeDream), 2021 (Megatron-LM)"
    )]
    OneForwardOneBackward,
}

/// Words of `across`: Which ranks do something together.
#[word]
pub(crate) enum Across {
    /// Ranks that have a layer together.
    Tensor,
    /// Ranks over which experts are spread.
    Expert,
    /// Ranks that have parts of the data.
    Data,
    /// Ranks that have stages of layers.
    Pipeline,
    /// All ranks of the job.
    All,
}
