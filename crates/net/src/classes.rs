//! What a network of frames has beside `network`: queues by class, stops, shared memory, ways.
//! A line here may touch `hop`, `scheduler` and `spec`, not the run: that is for `frames`.
//! The next is a file for what one thing keeps, with the rules on that alone.

pub(crate) mod account;
pub(crate) mod credits;
pub(crate) mod drain;
pub(crate) mod lanes;
pub(crate) mod members;
pub(crate) mod queue;
pub(crate) mod requests;
pub mod routes;
pub(crate) mod run;
pub(crate) mod seldom;
pub(crate) mod shape;
pub(crate) mod shared;
pub(crate) mod stop;
pub(crate) mod stuck;
pub(crate) mod trees;

use alloc::boxed::Box;
use alloc::vec::Vec;

use backwater_ends::outcome::Alone;
use backwater_ends::stations::{Setup, Stations};
use backwater_kernel::{Duration, Stream, Time};

use crate::marking::rocc::CongestionPoint;
use crate::probe::Gate;
use crate::spec::frames::{BackPressureSpec, ClassBits, StopsSpec, StormSpec, WatchdogSpec};
use account::{Account, AccountTimes};
use credits::Credits;
use drain::Drain;
use lanes::Lanes;
use members::Members;
use queue::{Queue, QueueCounts};
use requests::{Asked, Requests};
use routes::Routes;
use routes::spreading::Spreading;
use seldom::Seldom;
use shape::{Has, may};
use shared::Shared;
use stop::Gates;

/// Of a network without flows.
fn no_stations() -> Stations {
    let all = Setup {
        seed: 0,
        is_measuring: true,
        keeps_order: true,
    };
    Stations::new(all, core::iter::empty())
}

/// The part of a network in which units are routed, and share queues by class.
pub(crate) struct Classes {
    /// Classes of every port: queues of channel `c` start at `c * count`. None where no unit is
    /// routed.
    pub count: usize,
    pub queues: Vec<Queue>,
    pub counts: Vec<QueueCounts>,
    /// The same queues by lanes; empty unless some are sorted.
    pub lanes: Vec<Lanes>,
    /// By number above those of the queues, the queue that a lane stands in.
    pub lane_queues: Vec<u32>,
    pub gates: Vec<Gates>,
    /// What each channel has been used to ask for.
    pub asked: Seldom<Asked>,
    /// What each queue asks for.
    pub requests: Seldom<Requests>,
    /// What came over each channel and class and has not left the node it enters.
    pub accounts: Vec<Account>,
    pub account_times: Vec<AccountTimes>,
    pub credits: Credits,
    /// Ports in front of stations that take frames at their own pace, by channel.
    pub drains: Vec<Drain>,
    pub nodes: Vec<Node>,
    /// Flows that have a row; those with larger numbers have a slot. If all have, no number is
    /// larger.
    pub rows: u32,
    pub members: Members,
    /// By place, as all that is of flows.
    pub flows: Vec<FrameFlow>,
    pub losses: Vec<Losses>,
    /// By flow, how long a transfer takes that has the network to itself, if that is known.
    pub alone: Vec<Option<Duration>>,
    /// Of flows whose messages wait for others, by number: what one takes of each size.
    pub messages_alone: Vec<(u32, Vec<Alone>)>,
    /// By flow, what became of the frames for each of several stations; empty where no flow has
    /// several.
    pub received: Vec<Vec<Received>>,
    pub routes: Routes,
    /// What nodes remember of the ports they chose.
    pub spreading: Spreading,
    /// By way, at its place: how many of its frames went round the ports of their station, where
    /// some do.
    pub turns: Option<Vec<u64>>,
    pub stations: Stations,
    /// Flows whose control stands still while their class is stopped at its port.
    pub freezing: Vec<u32>,
    /// By channel, bytes sent on the wire; empty where no packet has room for that.
    pub telemetry: Vec<u64>,
    /// Random marks, by queue with marks; empty where none has any.
    pub marking: Vec<Option<Stream>>,
    /// Who states rates, by queue; empty where nobody does.
    pub points: Vec<Option<Box<CongestionPoint>>>,
    /// By slot.
    pub slots: Vec<Slot>,
    /// Control frames each channel has sent.
    pub control_sent: Vec<u64>,
    /// Their bytes, as long as they are on the wire.
    pub control_bytes: Vec<u64>,
    /// Those of them that were lost on the wire.
    pub control_lost: Vec<u64>,
}

impl Classes {
    /// The place of the queue of a class in front of a channel.
    #[inline]
    pub(crate) fn queue(&self, channel: u32, class: u8) -> usize {
        channel as usize * self.count + class as usize
    }

    /// The same, where a network may have several classes, or has one.
    #[inline(always)]
    pub(crate) fn queue_in<const HAS: Has>(&self, channel: u32, class: u8) -> usize {
        match may(HAS, shape::CLASSES) {
            true => self.queue(channel, class),
            false => channel as usize,
        }
    }

    /// Of a network in which no unit is routed.
    pub fn none() -> Classes {
        Classes {
            count: 0,
            queues: Vec::new(),
            counts: Vec::new(),
            lanes: Vec::new(),
            lane_queues: Vec::new(),
            gates: Vec::new(),
            asked: Seldom::default(),
            requests: Seldom::default(),
            accounts: Vec::new(),
            account_times: Vec::new(),
            credits: Credits::default(),
            drains: Vec::new(),
            nodes: Vec::new(),
            rows: u32::MAX,
            members: Members::default(),
            flows: Vec::new(),
            losses: Vec::new(),
            alone: Vec::new(),
            messages_alone: Vec::new(),
            received: Vec::new(),
            routes: Routes::none(),
            spreading: Spreading::default(),
            turns: None,
            stations: no_stations(),
            freezing: Vec::new(),
            telemetry: Vec::new(),
            marking: Vec::new(),
            points: Vec::new(),
            slots: Vec::new(),
            control_sent: Vec::new(),
            control_bytes: Vec::new(),
            control_lost: Vec::new(),
        }
    }

    /// What flows did has been told: their ends, ways and counts make room.
    pub fn forget_flows(&mut self) {
        self.stations = no_stations();
        self.routes = Routes::none();
        (self.flows, self.losses) = (Vec::new(), Vec::new());
    }

    /// The number of the next frame of a way, of a flow at its place, where some go round the ports
    /// of their stations.
    #[inline(always)]
    pub fn turn(&mut self, way: u32) -> Option<u64> {
        let turn = self.turns.as_mut()?.get_mut(way as usize)?;
        *turn += 1;
        Some(*turn - 1)
    }

    /// A flow begins at a place.
    pub fn restart_turns(&mut self, place: u32) {
        if let Some(turns) = &mut self.turns {
            let ways = 2 * place as usize;
            turns.resize(turns.len().max(ways + 2), 0);
            turns[ways..ways + 2].fill(0);
        }
    }

    /// What messages of a flow take, each size of them.
    pub fn alone_of(&self, flow: u32) -> Vec<Alone> {
        let at = self.messages_alone.binary_search_by_key(&flow, |own| own.0);
        at.map_or_else(|_| Vec::new(), |at| self.messages_alone[at].1.clone())
    }
}

/// A node. What every frame touches comes first.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Node {
    pub bytes: u64,
    pub most_bytes: u64,
    /// Classes under back-pressure, a bit each.
    pub lossless: ClassBits,
    pub is_switch: bool,
    /// Inputs are counted.
    pub counts_inputs: bool,
    /// Inputs are where congestion is seen.
    pub detects_inputs: bool,
    /// The time of the last arrival matters.
    pub has_time_out: bool,
    pub shared: Option<Box<Shared>>,
    pub watchdog: Option<WatchdogSpec>,
    pub storm: Option<StormSpec>,
    pub stops: StopsSpec,
    /// Channels that leave it, in order.
    pub leaving: Vec<u32>,
    pub time_outs: u64,
    /// Classes of which it promises to lose nothing, a bit each.
    pub promised: ClassBits,
}

impl Node {
    /// Queues of a class are where congestion is seen.
    #[inline]
    pub fn detects_queues(&self, class: u8) -> bool {
        self.lossless & 1 << class != 0 && !self.detects_inputs
    }

    /// It stops frames by where they go.
    pub fn stops_stations(&self) -> bool {
        let mut rules = self.stops.all();
        rules.any(BackPressureSpec::is_by_destination)
    }

    /// What is stopped for what came over an input in a class: inputs know no destinations.
    pub fn gate_of(&self, input: u32, class: u8) -> Option<Gate> {
        let rules = self.stops.at_input(input)?;
        Some(match rules.is_of_port() {
            true => Gate::Port,
            false => Gate::Class(class),
        })
    }
}

/// A place among the channels, by the node they enter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Slot {
    pub channel: u32,
    /// The switch that it enters; [`crate::hop::unit::NONE`] before a station.
    pub switch: u32,
}

/// How long the frame that a channel is sending has been under way.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Underway {
    pub data_ps: u64,
    pub control_ps: u64,
    /// Of that frame.
    pub class: u8,
}

/// A flow, as ports and wires see it.
#[derive(Clone, Debug, Default)]
#[repr(align(64))]
pub(crate) struct FrameFlow {
    pub source: u32,
    /// A station, or a group of them.
    pub destination: u32,
    pub created: u64,
    pub created_bytes: u64,
    pub delivered: u64,
    pub delivered_bytes: u64,
    /// The event that is in the queue for each of its ends, the source first.
    pub armed: [Time; 2],
    /// Of a pulled flow: frames of each way that wait in their port.
    pub in_port: [u16; 2],
    pub class: u8,
    /// Class of what switches tell its sources.
    pub message_class: u8,
    /// Bits of [`FrameFlow::TAGGED`] and so on.
    pub bits: u8,
}

impl FrameFlow {
    pub const TAGGED: u8 = 1;
    pub const RTP: u8 = 2;
    pub const ECT: u8 = 4;
    pub const PULLED: u8 = 8;
    pub const MULTICAST: u8 = 16;
    /// Only one of its ends is simulated here.
    pub const DIVIDED: u8 = 32;
    /// Switches state rates to its sources.
    pub const HEARS_RATES: u8 = 64;
    /// It has no row.
    pub const MEMBER: u8 = 128;

    /// Where its frames start and where they end, one way or the other.
    #[inline]
    pub fn ends(&self, is_forward: bool) -> (u32, u32) {
        match is_forward {
            true => (self.source, self.destination),
            false => (self.destination, self.source),
        }
    }

    #[inline]
    pub fn is(&self, bit: u8) -> bool {
        self.bits & bit != 0
    }
}

/// What is seldom counted of a flow.
#[derive(Clone, Debug, Default)]
pub(crate) struct Losses {
    pub dropped: u64,
    /// Those that were cut off trimmed frames among them.
    pub dropped_bytes: u64,
    pub dropped_before: u64,
    pub marked: u64,
    pub trimmed: u64,
}

/// Frames of a flow for one of several stations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Received {
    pub delivered: u64,
    pub dropped: u64,
}
