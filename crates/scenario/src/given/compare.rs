//! A comparison of schemes on one network.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::given::frames::flow_control::{Notify, XOFF};
use crate::given::frames::rate_control::{self, Dcqcn, Hpcc, Swift, Timely};
use crate::given::frames::rates;
use crate::given::frames::roce::Recovery as Lost;
use crate::given::frames::switch::Ecn;
use crate::given::usual::{Usual, usual};
use crate::given::{Heading, Named};
use crate::language::kinds::{OrShare, OrWord};
use crate::language::typed::{Chosen, Placed};

pub(crate) mod programs;

/// Windows over a run where `run.window` is not given.
pub(crate) const WINDOWS: Usual<u64> = usual!(400);
/// Least window of TCP where `schemes.reno.window` is not given.
pub(crate) const LEAST_WINDOW: Usual<u64> = usual!(64 KiB);
/// Least threshold of marks where it is not given, in full frames.
pub(crate) const LEAST_MARKS: Usual<u64> = usual!(10);
/// Least averaging interval of ERICA where it is not given, in cells of the slowest link.
pub(crate) const LEAST_INTERVAL: Usual<u64> = usual!(100);
/// The same in frames, where these are the units.
pub(crate) const LEAST_FRAMES: Usual<u64> = usual!(10);
/// XON of a queue or an input, where it is not given, as a part of its XOFF.
pub(crate) const XON: Usual<(u64, u64)> = usual!(7 / 8);
/// Threshold of marks where it is not given, as a part of what the longest path holds.
pub(crate) const MARKS: Usual<(u64, u64)> = usual!(1 / 7);
/// The same at most, as a part of the buffer.
pub(crate) const MOST_MARKS: Usual<(u64, u64)> = usual!(1 / 2);
/// Initial cell rate where it is not given, as a part of the rate of the source's link.
pub(crate) const ICR: Usual<(u64, u64)> = usual!(1 / 10);
/// Marks of `dcqcn` where they are not given, from and to: kB for each Gbps of the fastest link.
pub(crate) const ECN_KB: [u64; 2] = [4, 16];
/// The same at least, in full frames.
pub(crate) const LEAST_ECN: Usual<u64> = usual!(10);
/// Probability of marks just below the upper of these.
pub(crate) const ECN_PROBABILITY: f64 = 0.2;
/// Least rate of a queue pair where neither that nor a profile is given: so many would fill the
/// slowest link.
pub(crate) const LEAST_RATE: Usual<u64> = usual!(100);
/// Window of TCP where it is not given, in what the longest path and a port hold.
pub(crate) const PATHS: Usual<u64> = usual!(2);

/// What the key `kind` says in a comparison and in no scenario.
pub(crate) const MARK: &str = "comparison";

/// What stands at the top of a file for `backwater compare`, and the tables it may have.
#[table("comparison")]
#[allow(
    dead_code,
    reason = "what marks a comparison is read before the file is"
)]
pub(crate) struct ComparisonFile {
    /// Tells a comparison from a scenario.
    pub kind: Kind,
    #[key(flatten)]
    pub heading: Heading,
    /// How long to run.
    pub run: Run,
    /// Nodes by name.
    pub network: Placed<Network>,
    /// What every link has.
    pub link: Placed<Link>,
    /// What every switch has.
    #[key(default = "{}")]
    pub switch: Switch,
    /// Which unit leaves a port of a switch next.
    #[key(default = "{}")]
    pub scheduler: Scheduler,
    /// Links, one table each.
    pub links: Vec<Placed<OwnLink>>,
    /// Flows, one table each.
    #[key(otherwise = "none besides those of `[[collectives]]` and `[[jobs]]`")]
    pub flows: Placed<Vec<Placed<Flow>>>,
    /// Collective operations of hosts, under schemes of frames.
    #[key(otherwise = "none")]
    pub collectives: Placed<Vec<Placed<programs::Collectives>>>,
    /// Jobs of hosts that compute and communicate, under schemes of frames.
    #[key(otherwise = "none")]
    pub jobs: Placed<Vec<Placed<programs::Jobs>>>,
    /// Settings of the schemes.
    #[key(default = "{}")]
    pub schemes: Schemes,
}

/// How long each scheme runs, and from which seed.
#[table("[run]")]
pub(crate) struct Run {
    /// Every run ends after this long.
    #[key(is = Clock { min_ps: 1 })]
    pub duration: Placed<Duration>,
    /// Throughput, delay and overhead count from here on.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub warm_up: Placed<Duration>,
    /// Root of every random stream: the same seed gives the same run, bit for bit.
    #[key(is = Whole { min: 0, max: u64::MAX, unit: "" }, default = "1")]
    pub seed: u64,
    /// Each flow starts up to so much later than its `start` says, drawn evenly by the seed, under
    /// every scheme alike: what else draws nothing differs from seed to seed.
    #[key(is = Clock { min_ps: 1 }, otherwise = "none")]
    pub start_jitter: Placed<Option<Duration>>,
    /// Throughput and queues over time are means over windows of this length; recovery is
    /// measured to one of them.
    #[key(is = Clock { min_ps: 1 }, otherwise = "a {WINDOWS}th of the run")]
    pub window: Placed<Option<Duration>>,
}

/// The nodes by name; `[[links]]` joins them.
#[table("[network]")]
pub(crate) struct Network {
    /// Nodes where flows start and end; each has one link.
    #[key(is = Names)]
    pub hosts: Vec<Named>,
    /// Nodes that forward.
    #[key(is = Names)]
    pub switches: Vec<Named>,
}

/// What every link has, unless `[[links]]` says otherwise.
#[table("[link]", layered)]
pub(crate) struct Link {
    /// Line rate, each way.
    pub rate: Option<Rate>,
    /// Propagation, one way.
    #[key(is = Clock { min_ps: 1 })]
    pub delay: Option<Duration>,
}

/// What every switch has.
#[table("[switch]")]
pub(crate) struct Switch {
    /// Memory of each port: a switch has this times its ports, under every scheme. Each output
    /// queue or each input has it, or all of a switch share it, or its circuits have an equal
    /// part of it each: as the scheme needs it.
    #[key(is = Size { min: 1, max: 1 << 40 }, default = "\"500 kB\"")]
    pub buffer: Placed<u64>,
}

/// Which unit leaves a port of a switch next. At hosts, flows take turns.
#[table("[scheduler]")]
pub(crate) struct Scheduler {
    /// The discipline, under every scheme that can have it.
    #[key(default = "\"fifo\"")]
    pub kind: Order,
}

/// A full-duplex link between two nodes.
#[table("[[links]]")]
pub(crate) struct OwnLink {
    /// The two nodes it joins, by name.
    #[key(is = ReferenceList("node"))]
    pub between: Placed<Vec<Named>>,
    #[key(flatten, as_above)]
    pub link: Link,
}

/// One flow between two hosts.
#[table("[[flows]]")]
pub(crate) struct Flow {
    /// Its name in the tables.
    #[key(is = Name)]
    pub name: Placed<String>,
    /// Host that sends.
    #[key(is = Reference("host"))]
    pub from: Placed<String>,
    /// Host that receives.
    #[key(is = Reference("host"))]
    pub to: Placed<String>,
    /// Flows of one group are counted together. The recovery of the group `victim` is measured
    /// after each burst.
    #[key(is = Name, default = "\"all\"")]
    pub group: String,
    /// What the application sends.
    #[key(default = "{ kind = \"greedy\" }")]
    pub traffic: Traffic,
}

/// What the application sends.
#[table("flows.traffic")]
pub(crate) struct Traffic {
    #[key(flatten)]
    pub kind: Chosen<TrafficKind>,
    /// Nothing is sent before.
    #[key(is = Clock { min_ps: 0 }, default = "\"0 s\"")]
    pub start: Placed<Time>,
}

/// What the kind of flows.traffic sets.
#[table(part, by(kind, "The kind of source."))]
pub(crate) enum TrafficKind {
    /// Always has more to send.
    Greedy,
    /// Even gaps at a rate.
    Constant {
        /// Rate of payload.
        rate: Rate,
    },
    /// So many bytes at once, again and again or once.
    Bursts {
        /// Payload of each burst.
        #[key(is = Size { min: 1, max: 1 << 40 })]
        size: Placed<u64>,
        /// From the start of one burst to the start of the next.
        #[key(is = Clock { min_ps: 1 }, otherwise = "one burst in all")]
        every: Placed<Option<Duration>>,
    },
    /// Closed loop: a request, its response, a think time, the next request.
    Requests {
        /// Each request.
        #[key(is = Size { min: 1, max: 1 << 40 }, default = "\"100 B\"")]
        request: Placed<u64>,
        /// Each response.
        #[key(is = Size { min: 1, max: 1 << 40 })]
        response: Placed<u64>,
        /// Time between a response and the next request.
        #[key(is = ClockSpan { min_ps: 0 }, default = "{ mean = \"1 ms\" }")]
        think: Span,
    },
}

/// Which schemes, and settings of those that have any; all have defaults.
#[table("[schemes]")]
#[allow(
    dead_code,
    reason = "what the file gives of queue pairs is read key by key"
)]
pub(crate) struct Schemes {
    /// Only these: `n23`, `abr`, or `CONTROL+GATE` with one of the controls `udp`, `reno`, `cubic`,
    /// `dctcp`, `dcqcn`, `rocc`, `hpcc`, `timely`, `patched-timely`, `swift` and one of the gates
    /// `none`, `n23-class`, `cbfc`, `pause`, `destination`, `pfc`; `*` stands for each. A control
    /// alone has no gate, a gate alone is under datagrams. On the command line, `--only
    /// pfc,dcqcn+pfc` says the same.
    #[key(
        is = ReferenceList("scheme"),
        otherwise = "`none`, `reno`, `dctcp`, `n23`, `n23-class`, `cbfc`, `pause`, `destination`, \
                     `pfc`, `abr`"
    )]
    pub only: Placed<Option<Vec<Named>>>,
    /// End-to-end window: TCP Reno.
    #[key(default = "{}")]
    pub reno: Reno,
    /// End-to-end window cut by the share of marks: DCTCP.
    #[key(default = "{}")]
    pub dctcp: Dctcp,
    /// Credits for each circuit.
    #[key(default = "{}")]
    pub n23: N23,
    /// IEEE 802.3x PAUSE.
    #[key(default = "{}")]
    pub pause: Pause,
    /// Back-pressure by destination.
    #[key(default = "{}")]
    pub destination: Pause,
    /// IEEE 802.1Qbb, at the inputs.
    #[key(default = "{}")]
    pub pfc: Pfc,
    /// ERICA switches, ABR sources with the count-based use-it-or-lose-it policy.
    #[key(default = "{}")]
    pub abr: Abr,
    #[key(flatten)]
    pub pairs: Pairs,
}

/// Schemes of queue pairs. Their keys are written into the scenarios as the file has them.
#[table(part)]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct Pairs {
    /// What all queue pairs do, whoever computes their rate.
    #[key(default = "{}")]
    pub roce: RocePairs,
    /// Queue pairs under DCQCN.
    #[key(default = "{}")]
    pub dcqcn: DcqcnPairs,
    /// Queue pairs under RoCC.
    #[key(default = "{}")]
    pub rocc: RoccPairs,
    /// Queue pairs under HPCC.
    #[key(default = "{}")]
    pub hpcc: HpccPairs,
    /// Queue pairs under TIMELY, of `timely` and `patched-timely`.
    #[key(default = "{}")]
    pub timely: TimelyPairs,
    /// Queue pairs under Swift.
    #[key(default = "{}")]
    pub swift: SwiftPairs,
}

/// What all queue pairs do. Their packets are as large as full frames.
#[table("schemes.roce")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct RocePairs {
    /// What follows a packet that is missing.
    #[key(otherwise = "\"go-back-n\"")]
    pub recovery: Option<Lost>,
    /// Nothing acknowledged for so long: it sends again from there.
    #[key(is = Clock { min_ps: 1 }, otherwise = "67.1 ms (4.096 us times 2^14)")]
    pub timeout: Placed<Option<Duration>>,
}

/// DCQCN. `least` is a hundredth of the slowest link where neither it nor `profile` is given.
#[table("schemes.dcqcn")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct DcqcnPairs {
    /// Marks of queues.
    #[key(
        otherwise = "from 4 kB, and all from 16 kB, for each Gbps of the fastest link, a fifth \
                       just below that, at least {LEAST_ECN} full frames, at most an eighth of the \
                       buffer; as a packet leaves"
    )]
    pub ecn: Placed<Option<Ecn>>,
    #[key(flatten)]
    pub keys: Dcqcn,
}

/// RoCC: what queues of switches state, and what sources do without a message.
#[table("schemes.rocc")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct RoccPairs {
    #[key(flatten)]
    pub source: rate_control::Rocc,
    #[key(flatten)]
    pub queues: rates::Rocc,
}

/// HPCC. `least` is a hundredth of the slowest link where neither it nor `profile` is given.
#[table("schemes.hpcc")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct HpccPairs {
    #[key(flatten)]
    pub keys: Hpcc,
}

/// TIMELY. `profile` is of `timely` alone, `patched_beta` and `reference` of `patched-timely`.
/// `least` is a hundredth of the slowest link where neither it nor `profile` is given.
#[table("schemes.timely")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct TimelyPairs {
    #[key(flatten)]
    pub keys: Timely,
}

/// Swift.
#[table("schemes.swift")]
#[allow(dead_code, reason = "what the file gives is read key by key")]
pub(crate) struct SwiftPairs {
    #[key(flatten)]
    pub keys: Swift,
}

/// TCP Reno. CUBIC has its settings. Datagrams under a gate use it too where a message has to be
/// whole, with a first window as large as the message.
#[table("schemes.reno")]
pub(crate) struct Reno {
    /// How losses are repaired.
    #[key(default = "\"new-reno\"")]
    pub recovery: Recovery,
    /// The receiver's window.
    #[key(
        is = Size { min: 1460, max: 1 << 30 },
        otherwise = "{PATHS} times what the longest path and the buffer of a port hold, at least \
                     {LEAST_WINDOW}, \
                     so that losses tell when to stop"
    )]
    pub window: Option<u64>,
    /// Least retransmission time-out.
    #[key(is = Clock { min_ps: 1 }, default = "\"200 ms\"")]
    pub min_rto: Duration,
}

/// DCTCP. Window, recovery and time-outs are those of `schemes.reno`.
#[table("schemes.dctcp")]
pub(crate) struct Dctcp {
    /// K: what joins a queue that holds more than this is marked.
    #[key(
        is = Size { min: 1, max: 1 << 30 },
        otherwise = "{MARKS} of what the longest path holds, at least {LEAST_MARKS} full frames, \
                     at most {MOST_MARKS} of the buffer",
        cite = "RFC 8257, section 3.1"
    )]
    pub mark_above: Option<u64>,
}

/// N23 credits, of `n23` (by circuit) and of `n23-class` (by link).
#[table("schemes.n23")]
pub(crate) struct N23 {
    /// What circuits carry under `n23`.
    #[key(default = "\"frame\"")]
    pub unit: Unit,
    /// Units freed between two credit units; under `n23-class` as many full frames.
    #[key(is = Whole { min: 1, max: 1 << 20, unit: "units" }, default = "10")]
    #[key(cite = "Kung 1993, section 4.2")]
    pub n2: u64,
    /// Bandwidth that a circuit (`n23`) or a link (`n23-class`) shall reach, `full` is that of the
    /// link: N3 is what keeps it over the loop, but no more than its part of the memory leaves.
    #[key(is = RateOrShare { word: "full" })]
    #[key(otherwise = "N3 is all that its part of the memory leaves")]
    #[key(cite = "Kung 1993, section 4.3, equation 3")]
    pub target: Option<OrWord<OrShare<Rate>>>,
}

/// Thresholds of `pause`; `schemes.destination` has the same keys.
#[table("schemes.pause")]
pub(crate) struct Pause {
    /// Congested when a queue holds more than this.
    #[key(is = Threshold, otherwise = "{XOFF}, or less where the links need more room above it")]
    pub xoff: Option<OrShare<u64>>,
    /// No longer congested when it holds less than this.
    #[key(is = Threshold, otherwise = "{XON} of `xoff`")]
    pub xon: Option<OrShare<u64>>,
    /// Who is stopped when a queue is congested.
    #[key(default = "\"others\"")]
    pub notify: Notify,
}

/// Thresholds of PFC, counted at the inputs.
#[table("schemes.pfc")]
pub(crate) struct Pfc {
    /// Congested when a queue holds more than this.
    #[key(is = Threshold, otherwise = "the buffer less the headroom that the longest link needs")]
    pub xoff: Option<OrShare<u64>>,
    /// No longer congested when it holds less than this.
    #[key(is = Threshold, otherwise = "{XON} of `xoff`")]
    pub xon: Option<OrShare<u64>>,
}

/// ERICA and the sources.
#[table("schemes.abr")]
pub(crate) struct Abr {
    /// What circuits carry; RM cells are as large.
    #[key(default = "\"frame\"")]
    pub unit: Unit,
    /// ERICA: share of what is left of the link that is given out.
    #[key(is = Portion, default = "0.9")]
    pub target: f64,
    /// ERICA: averaging interval.
    #[key(
        is = Clock { min_ps: 1 },
        otherwise = "the longest round trip when empty, at least {LEAST_INTERVAL} cells or \
                     {LEAST_FRAMES} frames of the slowest link"
    )]
    pub interval: Option<Duration>,
    /// Initial cell rate.
    #[key(otherwise = "{ICR} of the rate of the source's link")]
    pub icr: Option<Rate>,
    /// Count-based policy: ACR may exceed the source's rate by this.
    #[key(otherwise = "ICR")]
    pub headroom: Option<Rate>,
    /// Count-based policy: the most it takes from ACR at a time.
    #[key(is = Portion, default = "0.125")]
    pub tdf: f64,
}

/// Words of `recovery`: How losses are repaired.
#[word]
pub(crate) enum Recovery {
    /// Fast recovery ends with the first new acknowledgement.
    #[word(cite = "RFC 2581")]
    Reno,
    /// A partial acknowledgement provokes the next retransmission.
    #[word(cite = "RFC 6582")]
    NewReno,
}

/// Words of `unit`: What circuits carry.
#[word]
pub(crate) enum Unit {
    /// As much as full frames: 1,472 bytes of payload in 1,538 on the wire and 1,518 in memory.
    Frame,
    /// ATM cells: 48 bytes of payload in 53.
    Cell,
}

/// Words of `kind`: The discipline, under every scheme that can have it.
#[word]
pub(crate) enum Order {
    /// In order of arrival, whatever the flow: every scheme can have it.
    Fifo,
    /// One flow after another, a unit each. Circuits can have it (`n23`, `abr`); ports of frames
    /// know classes, of which there is one, and serve it in order of arrival.
    RoundRobin,
}

/// Words of `kind`: Tells a comparison from a scenario.
#[word]
pub(crate) enum Kind {
    /// One workload on one topology under many schemes.
    Comparison,
}
