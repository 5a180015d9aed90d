//! Who computes the rate of a queue pair, and from what.

use backwater_derive::{table, word};
use backwater_ends::spec::rates;
use backwater_kernel::{Duration, Rate};

use crate::language::kinds::OrWord;
use crate::language::typed::Placed;

/// Who computes the rate of a queue pair, and from what. A word alone stands for `{ kind = .. }`.
#[table("roce.control", by(kind, "The scheme."))]
pub(crate) enum RateControl {
    /// Nobody: line rate, whatever the network says.
    None,
    /// From single marks that the destination tells of: a cut for a mark, recovery by timers.
    #[word(cite = "Zhu and others 2015")]
    Dcqcn(Box<Dcqcn>),
    /// From what every switch writes on the packets: bytes sent, bytes queued, its rate.
    #[word(cite = "Li and others 2019")]
    Hpcc(Box<Hpcc>),
    /// From how the round-trip time changes.
    #[word(cite = "Mittal and others 2015; Zhu and others 2016 (patched)")]
    Timely(Box<Timely>),
    /// A window, from the delay of acknowledgements against a target.
    #[word(cite = "Kumar and others 2020")]
    Swift(Box<Swift>),
    /// A window, from marks and delay of each acknowledgement: Ultra Ethernet's senders.
    #[word(cite = "Ultra Ethernet 1.0, as its public simulator has it")]
    Nscc(Box<Nscc>),
    /// From rates that switches state: the source obeys.
    #[word(cite = "Taheri and others 2020")]
    Rocc(Rocc),
}

/// DCQCN: a named set of values, and what differs from it.
#[table(part)]
pub(crate) struct Dcqcn {
    /// The set of values it starts from. `backwater explain dcqcn` prints all side by side.
    #[key(default = "\"artifact\"")]
    pub profile: DcqcnProfile,
    /// What a notification does: it cuts at once, or sets flags that timers look at.
    #[key(otherwise = "as the profile says")]
    pub form: Option<Form>,
    /// How the destination tells of marks.
    #[key(otherwise = "as the profile says")]
    pub np: Option<Np>,
    /// With np = window and tick: so often at most.
    #[key(is = Clock { min_ps: 1 }, otherwise = "as the profile says; 50 us where it says `ack`")]
    pub cnp_interval: Placed<Option<Duration>>,
    /// g: weight of the new in alpha, the estimate of how much is marked.
    #[key(is = Ratio { max: 1 }, otherwise = "as the profile says")]
    pub g: Option<(u32, u32)>,
    /// Alpha at the first notification.
    #[key(is = Portion, otherwise = "as the profile says")]
    pub initial_alpha: Option<f64>,
    /// Paper form: without a notification for so long alpha falls. NIC form: it is updated so
    /// often.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "as the profile says")]
    pub alpha_interval: Option<Duration>,
    /// NIC form: so often it is looked for a notification that cuts.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "as the profile says")]
    pub decrease_interval: Placed<Option<Duration>>,
    /// The rate recovers so often.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "as the profile says")]
    pub increase_interval: Option<Duration>,
    /// It recovers each time so many bytes were sent, too.
    #[key(is = Or("off", Size { min: 64, max: 1 << 40 }), otherwise = "as the profile says")]
    pub byte_counter: Option<OrWord<u64>>,
    /// F: stages of fast recovery, in which the rate goes half way back to its target.
    #[key(is = Whole { min: 1, max: 1_000, unit: "stages" }, otherwise = "as the profile says")]
    pub stages: Option<u32>,
    /// R_AI: what additive increase adds to the target.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub additive: Option<Rate>,
    /// R_HAI: what hyper increase adds.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub hyper: Option<Rate>,
    /// No cut goes below.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub least: Placed<Option<Rate>>,
    /// The first notification keeps this share of line rate, before it cuts; 0 keeps all.
    #[key(is = Portion, otherwise = "as the profile says")]
    pub rate_on_first_cnp: Option<f64>,
    /// When a cut takes back the target of recovery, too.
    #[key(otherwise = "as the profile says")]
    pub clamp: Option<Clamp>,
    /// The most that one cut takes.
    #[key(is = Portion, otherwise = "as the profile says")]
    pub largest_cut: Option<f64>,
    /// Paper form: the alpha that a notification cuts by has that notification in it.
    #[key(otherwise = "as the profile says")]
    pub alpha_first: Placed<Option<bool>>,
    /// Back at line rate there is no limiter, and nothing is remembered.
    #[key(otherwise = "as the profile says")]
    pub release: Option<bool>,
    /// A new rate changes the wait of the packet that is next by now.
    #[key(otherwise = "as the profile says")]
    pub rescale: Option<bool>,
    /// Timers stand still while the network stops the source.
    #[key(default = "false")]
    pub freeze_when_paused: bool,
}

/// HPCC: a named set of values, and what differs from it.
#[table(part)]
pub(crate) struct Hpcc {
    /// The set of values it starts from.
    #[key(default = "\"artifact\"")]
    pub profile: HpccProfile,
    /// T: the round trip of an empty network.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "that of the flow's path")]
    pub base_rtt: Option<Duration>,
    /// eta: the use of the busiest link that is aimed at.
    #[key(is = Portion, default = "0.95")]
    pub target_use: Placed<f64>,
    /// Round trips of additive increase before the rate follows what was measured.
    #[key(is = Whole { min: 0, max: 1_000, unit: "round trips" })]
    #[key(otherwise = "as the profile says")]
    pub max_stage: Option<u32>,
    /// R_AI: what an increase adds.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub additive: Option<Rate>,
    /// With profile = paper: flows on one link for which R_AI leaves room.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "flows" }, otherwise = "10")]
    pub flows: Placed<Option<u32>>,
    /// No rate below.
    #[key(is = Rate, default = "\"1 Gbps\"")]
    pub least: Rate,
    /// Acknowledgements within a round trip change the rate in use, too.
    #[key(default = "true")]
    pub fast_react: bool,
    /// A rate for each hop, of which the least is used.
    #[key(default = "false")]
    pub per_hop: bool,
    /// How exact what switches write is.
    #[key(default = "\"exact\"")]
    pub counters: Counters,
    /// U, the smoothed use, starts here.
    #[key(is = Decimal { min: 0.0, max: 100.0 }, default = "1.0")]
    pub initial_use: f64,
    /// A new rate changes the wait of the packet that is next by now.
    #[key(default = "true")]
    pub rescale: bool,
}

/// TIMELY: a named set of values, and what differs from it.
#[table(part)]
pub(crate) struct Timely {
    /// The set of values it starts from.
    #[key(default = "\"artifact\"")]
    pub profile: TimelyProfile,
    /// Weight of the new difference of round-trip times.
    #[key(is = Portion, default = "0.875")]
    pub weight: f64,
    /// beta: what a decrease takes.
    #[key(is = Portion, default = "0.8")]
    pub beta: f64,
    /// T_low: below, the rate rises.
    #[key(is = Clock { min_ps: 1_000 }, default = "\"50 us\"")]
    pub t_low: Placed<Duration>,
    /// T_high: above, the rate falls by the distance.
    #[key(is = Clock { min_ps: 1_000 }, default = "\"500 us\"")]
    pub t_high: Duration,
    /// minRTT: what differences are divided by.
    #[key(is = Clock { min_ps: 1_000 }, default = "\"20 us\"")]
    pub min_rtt: Duration,
    /// What an increase adds.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub additive: Option<Rate>,
    /// What an increase adds after `hyper_after` in a row.
    #[key(is = Rate, otherwise = "five times `additive`")]
    pub hyper: Option<Rate>,
    /// Increases in a row before that.
    #[key(is = Whole { min: 0, max: 1_000, unit: "increases" }, default = "5")]
    pub hyper_after: u32,
    /// Bytes for which there is one sample of the round-trip time; or one a round trip.
    #[key(is = Or("round-trip", Size { min: 64, max: 1 << 30 }), otherwise = "as the profile says")]
    pub segment: Option<OrWord<u64>>,
    /// No rate below.
    #[key(is = Rate, otherwise = "as the profile says")]
    pub least: Option<Rate>,
    /// With profile = patched: beta of the distance from `reference`.
    #[key(is = Portion, otherwise = "0.008")]
    pub patched_beta: Placed<Option<f64>>,
    /// With profile = patched: the round-trip time that is aimed at.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "`t_low`")]
    pub reference: Placed<Option<Duration>>,
    /// A new rate changes the wait of the packet that is next by now.
    #[key(default = "false")]
    pub rescale: bool,
}

/// Swift's keys. Windows are in packets.
#[table(part)]
pub(crate) struct Swift {
    /// The target's base.
    #[key(is = Clock { min_ps: 1_000 }, default = "\"20 us\"")]
    pub base: Duration,
    /// What each hop of the path adds to the target.
    #[key(is = Clock { min_ps: 0 }, otherwise = "`base` / 6.55")]
    pub per_hop: Option<Duration>,
    /// What a small window adds to the target, at most.
    #[key(is = Clock { min_ps: 0 }, otherwise = "five times `base`")]
    pub range: Option<Duration>,
    /// The window, in packets, for which all of `range` is added.
    #[key(is = Decimal { min: 0.001, max: 1e6 }, default = "0.1")]
    pub range_from: Placed<f64>,
    /// The window, in packets, from which on nothing is added.
    #[key(is = Decimal { min: 0.001, max: 1e6 }, default = "100.0")]
    pub range_to: f64,
    /// ai: packets added in a round trip.
    #[key(is = Decimal { min: 1e-6, max: 1e6 }, default = "1.0")]
    pub ai: f64,
    /// beta: what a decrease takes, of the share of delay above the target.
    #[key(is = Portion, default = "0.8")]
    pub beta: f64,
    /// max_mdf: no decrease takes more.
    #[key(is = Portion, default = "0.5")]
    pub max_mdf: f64,
    /// First window, in packets.
    #[key(is = Decimal { min: 0.001, max: 1e6 }, default = "12.0")]
    pub initial_window: f64,
    /// No window below, in packets.
    #[key(is = Decimal { min: 0.001, max: 1e6 }, default = "0.01")]
    pub min_window: Placed<f64>,
    /// No window above, in packets.
    #[key(is = Decimal { min: 0.001, max: 1e9 }, default = "65536.0")]
    pub max_window: f64,
}

/// NSCC's keys.
#[table(part)]
pub(crate) struct Nscc {
    /// Round trip of the flow's path in an empty network: what delay is counted from, and how large
    /// the window gets. Less, once an acknowledgement took less.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "as the path has it")]
    pub base_rtt: Option<Duration>,
    /// Round trip of the longest path of the network: gains and the target go by it.
    #[key(is = Clock { min_ps: 1_000 }, otherwise = "the longest of all flows under NSCC")]
    pub network_rtt: Option<Duration>,
    /// q: the queueing delay that is aimed at.
    #[key(
        is = Clock { min_ps: 1_000 },
        otherwise = "three quarters of `network_rtt` where switches trim, else all of it"
    )]
    pub target: Option<Duration>,
    /// gamma: what a decrease takes, of the share of delay above the target.
    #[key(is = Portion, default = "0.8")]
    pub gamma: f64,
    /// No decrease takes more.
    #[key(is = Portion, default = "0.5")]
    pub max_cut: f64,
    /// Weight of the new in the mean of delays.
    #[key(is = Portion, default = "0.0125")]
    pub weight: f64,
    /// The first window, and the largest, in round trips at line rate.
    #[key(is = Decimal { min: 0.01, max: 1e3 }, default = "1.5")]
    pub max_window: f64,
    /// The window takes what it has gained after so many packets, or a round trip.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "packets" }, default = "8")]
    pub adjust_every: u32,
    /// Quick adapt: after a period with a loss, or with late packets, in which little got through,
    /// the window is what got through.
    #[key(default = "true")]
    pub quick_adapt: bool,
}

/// RoCC's keys at the source.
#[table(part)]
pub(crate) struct Rocc {
    /// Without a message for so long the rate doubles.
    #[key(is = Clock { min_ps: 1_000 }, default = "\"200 us\"")]
    pub recovery: Duration,
}

/// Words of `profile` of DCQCN: The set of values it starts from.
#[word(of = rates::DcqcnProfile)]
pub(crate) enum DcqcnProfile {
    /// As printed, for 40 Gb/s.
    #[word(cite = "Zhu and others 2015")]
    Paper,
    /// The example of the simulator of that paper's authors.
    Ns3Rdma,
    /// What HPCC was compared with: increases grow with the port's rate.
    #[word(cite = "Li and others 2019")]
    Artifact,
    /// The other row of that program, nearer to the paper.
    ArtifactPaper,
    /// What NICs of a vendor do if nobody changes it.
    Firmware,
}

/// Words of `form`: What a notification does.
#[word(of = rates::DcqcnForm)]
pub(crate) enum Form {
    /// It cuts at once.
    Paper,
    /// It sets flags; timers look at them.
    Nic,
}

/// Words of `np`: How the destination tells of marks.
#[word]
pub(crate) enum Np {
    /// By a CNP at once, unless there was one within `cnp_interval`.
    Window,
    /// By a CNP at each tick of a timer after whose last tick something was marked.
    Tick,
    /// By a bit of the acknowledgement of each marked packet.
    Ack,
}

/// Words of `clamp`: When a cut takes back the target of recovery, too.
#[word(of = rates::Clamp)]
pub(crate) enum Clamp {
    /// Always.
    Always,
    /// After a stage of recovery: of a burst of cuts the first alone.
    AfterStage,
    /// After a stage of the byte counter.
    AfterBytes,
}

/// Words of `profile` of HPCC: The set of values it starts from.
#[word]
pub(crate) enum HpccProfile {
    /// As its authors run it: `max_stage` 0, an increase of 10 Mb/s for each 25 Gb/s.
    Artifact,
    /// As printed: `max_stage` 5, an increase that leaves room for `flows`.
    Paper,
}

/// Words of `counters`: How exact what switches write is.
#[word(of = rates::Counters)]
pub(crate) enum Counters {
    /// As it is.
    Exact,
    /// 24 bits of ns, 20 bits of 128 B sent and 17 bits of 80 B queued, bytes times the port's rate
    /// over 25 Gb/s.
    Narrow,
}

/// Words of `profile` of TIMELY: The set of values it starts from.
#[word]
pub(crate) enum TimelyProfile {
    /// As printed: a sample each 16 kB, increases of 10 Mb/s.
    #[word(cite = "Mittal and others 2015")]
    Paper,
    /// What HPCC was compared with: a sample a round trip, increases that grow with the port's
    /// rate.
    Artifact,
    /// With a fixed point: equal rates, and a queue that the number of flows decides.
    #[word(cite = "Zhu and others 2016")]
    Patched,
}
