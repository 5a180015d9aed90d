//! Flows, one by one or by rule, and what to record of them.

use backwater_derive::{table, word};
use backwater_kernel::{Duration, Time};

use super::control::{FlowOverride, LinkOverride};
use super::policing::{Envelope, OnAlarm, Policer};
use super::service::{Reserve, Session};
use super::source::SourceControl;
use super::tcp::CellTcpOverride;
use super::traffic::{Sink, Traffic};
use crate::given::Named;
use crate::given::topology::PatternsKind;
use crate::language::typed::{Chosen, Placed};

/// A flow (a virtual circuit) from a host to one or more others.
#[table("[[flows]]")]
pub(crate) struct Flows {
    /// Its name in reports and references.
    #[key(is = Name)]
    pub name: Placed<String>,
    /// Host it starts at.
    #[key(is = Reference("host"))]
    pub from: Placed<String>,
    /// Host it goes to, or a list: multicast.
    #[key(is = References("host"))]
    pub to: Placed<Vec<Named>>,
    /// The nodes it passes, first and last included (not for multicast).
    #[key(is = ReferenceList("node"))]
    #[key(otherwise = "the shortest, ties decided by the order of links in the file")]
    pub path: Placed<Vec<Named>>,
    /// Repeats the flow as `name[1]`, `name[2]`, ..; `{i}` in names it uses is the number.
    #[key(is = Whole { min: 1, max: 1_000_000, unit: "flows" })]
    #[key(otherwise = "one flow, without a number in its name")]
    pub count: Placed<Option<u64>>,
    #[key(flatten)]
    pub settings: FlowSettings,
    /// What it changes on single links.
    #[key(otherwise = "nothing")]
    pub on_links: Vec<Placed<LinkOverride>>,
}

/// What flows have, named or made by rule.
#[table(part, at_most_one(unit_bytes, sizes))]
pub(crate) struct FlowSettings {
    /// Group for service at every port; the largest is served first, as in 802.1Q. Inside a group,
    /// as the scheduler says.
    #[key(is = Whole { min: 0, max: 255, unit: "" }, default = "0")]
    pub priority: Placed<u8>,
    /// Size of this flow's units on the wire.
    #[key(is = Whole { min: 1, max: 1 << 20, unit: "bytes" })]
    #[key(otherwise = "`unit.bytes`, or the largest of `sizes`")]
    pub unit_bytes: Placed<Option<u32>>,
    /// Sizes of its units, drawn at random for each.
    #[key(otherwise = "all have `unit_bytes`")]
    pub sizes: Placed<Vec<Placed<Sizes>>>,
    /// What the application wants to send.
    #[key(default = "{ kind = \"greedy\" }")]
    pub traffic: Placed<Chosen<Traffic>>,
    /// What carries it. Over TCP go `greedy` and `requests`; amounts are bytes of payload.
    #[key(default = "\"none\"")]
    pub transport: Placed<Transport>,
    /// What this flow changes of `[tcp]`.
    #[key(otherwise = "nothing")]
    pub tcp: Placed<Option<CellTcpOverride>>,
    /// When the source may send it, end to end.
    #[key(default = "{ kind = \"none\" }")]
    pub source_control: Placed<Chosen<SourceControl>>,
    /// How the destinations consume.
    #[key(default = "{ kind = \"unlimited\" }")]
    pub sink: Placed<Chosen<Sink>>,
    /// The flow that carries the answers (acknowledgements, responses) back.
    #[key(is = Reference("flow"), otherwise = "none")]
    pub partner: Placed<Option<String>>,
    /// What goes the other way on an ABR circuit; the flow `<name> back` is made for it.
    #[key(otherwise = "`silent`")]
    pub back: Placed<Option<Chosen<Traffic>>>,
    /// What this flow changes of `[flow_control]`.
    #[key(otherwise = "nothing")]
    pub flow_control: Placed<Option<FlowOverride>>,
    /// What it reserves at every port on its way.
    #[key(otherwise = "nothing: its units are datagrams")]
    pub reserve: Placed<Option<Reserve>>,
    /// What the source holds itself to.
    #[key(otherwise = "nothing")]
    pub envelope: Placed<Option<Envelope>>,
    /// What the edge of the network holds it to.
    #[key(otherwise = "nothing")]
    pub policer: Placed<Option<Policer>>,
    /// What its source makes of a warning.
    #[key(default = "{ kind = \"ignore\" }")]
    pub on_alarm: OnAlarm,
    /// Set-up and tear-down while the network runs.
    #[key(otherwise = "it is there from the start to the end")]
    pub session: Placed<Option<Session>>,
}

/// Many flows by rule, named `name[1]`, `name[2]`, ... Random ones depend on `run.seed`.
#[table("[[patterns]]")]
pub(crate) struct Patterns {
    /// What their names start with.
    #[key(is = Name)]
    pub name: Placed<String>,
    #[key(flatten)]
    pub kind: Chosen<PatternsKind>,
    /// Hosts that it is between, as though there were no others; `H1_*` stands for all those
    /// called so.
    #[key(is = References("host"), otherwise = "all")]
    pub from: Placed<Option<Vec<Named>>>,
    #[key(flatten)]
    pub settings: FlowSettings,
}

/// A size of units and how often it comes; the size of each unit is drawn at random.
#[table("flows.sizes")]
pub(crate) struct Sizes {
    /// Bytes on the wire.
    #[key(is = Size { min: 1, max: 1 << 20 })]
    pub bytes: Placed<u32>,
    /// Share of the units, against the sum of all shares of the flow.
    #[key(is = Decimal { min: 0.0, max: 1e6 })]
    pub share: Placed<f64>,
}

/// A time series to record, for the report's plots.
#[table("[[series]]")]
pub(crate) struct Series {
    /// Its name in the report.
    pub name: String,
    /// What is recorded.
    pub measure: Placed<SeriesMeasure>,
    /// Whose: a flow, or several: the name that they share, or `all`.
    #[key(is = Reference("flow"), otherwise = "all flows together")]
    pub flow: Placed<Option<String>>,
    /// Where: a channel, as `from->to`, or several: `S1->*`, `*->S1` or `all`. A buffer is of a
    /// switch, `S1` or `all`.
    #[key(
        is = Reference("channel"),
        otherwise = "the flow's first link, of `allowed-rate` and `source-rate`; else it is needed"
    )]
    pub on: Placed<Option<String>>,
    /// Average over windows of this length.
    #[key(is = Time { min_ps: 1 }, otherwise = "every change is recorded")]
    pub window: Option<Duration>,
    /// The recording starts here.
    #[key(is = Time { min_ps: 0 }, default = "\"0 s\"")]
    pub from: Placed<Time>,
    /// The recording ends here.
    #[key(is = Time { min_ps: 1 }, otherwise = "the end of the run")]
    pub until: Placed<Option<Time>>,
}

/// Words of `measure`: What is recorded.
#[word(of = backwater_net::spec::Measure)]
pub(crate) enum SeriesMeasure {
    /// Share of the channel's rate that data uses, leaving the sender.
    Throughput,
    /// Share of the channel's rate that data uses, reaching the receiver.
    Arrivals,
    /// Share of the channel's rate that control units use.
    ControlThroughput,
    /// What a channel sends: bits per second, control units included.
    Rate,
    /// Share of the time in which units wait for the channel and none of them has credit.
    Stopped,
    /// Data units started since the beginning.
    Forwarded,
    /// The sender's credit, of one flow.
    Credit,
    /// The receiver's buffer, in units.
    Fill,
    /// Units that wait at the sending port.
    Queue,
    /// Units in the memory of a switch, all flows.
    #[word(of = Stored)]
    Buffer,
    /// From the source's queue to delivery, of units delivered here.
    Delay,
    /// Time in the receiving node, from arrival to start on the next channel.
    Wait,
    /// ACR of an ABR flow.
    AllowedRate,
    /// Nrm cells in T of an ABR flow, as each of its forward RM cells finds it.
    SourceRate,
    /// ABR cells that wait at a port that tells rates.
    RateQueue,
    /// Load factor z of a port that tells rates, in each of its intervals.
    LoadFactor,
    /// Active circuits of a port that tells rates, in each of its intervals.
    ActiveCircuits,
    /// Fair share of a port that tells rates.
    FairShare,
}

/// Words of `transport`: What carries it.
#[word]
pub(crate) enum Transport {
    /// Nothing: the source's units go as they are.
    None,
    /// A TCP connection, as `[tcp]` says, its segments cut into cells (AAL 5). The flow back is
    /// made unless `partner` names one, a `silent` flow.
    Tcp,
}
