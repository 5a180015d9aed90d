//! A network between two instants: what waits where, what holds it up, what happens next.
//! A line here may read all of the state and change nothing; a run keeps nothing for it.
//! The next thing to be read is a field of [`Inspection`], filled in `circuits` or `frames`.
//!
//! It is read from the state of the run, which does not change and keeps nothing for it. Reading
//! takes a step for each channel, queue, unit and event.

mod circuits;
mod frames;
pub(crate) mod snapshot;
mod upcoming;
pub(crate) mod watched;

use alloc::vec::Vec;

use backwater_kernel::{EventQueue, Time};

use crate::Simulation;
use crate::hop::kind::UnitKind;
use crate::hop::unit::NONE;
use crate::network::Network;
use crate::probe::{FrameView, Gate, Probe};

pub use upcoming::{Due, Upcoming};

/// A network between two instants.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inspection {
    /// Everything up to this instant has happened.
    pub at: Time,
    /// By channel.
    pub ports: Vec<Port>,
    /// Queues in the order of channels: of circuits one for each leg; of frames one for each class,
    /// and for each host whose frames alone are stopped, where something waits, is stopped or has
    /// spent credit.
    pub queues: Vec<Queue>,
    /// By flow.
    pub sources: Vec<Source>,
    /// Units in the buffers of destinations that take them at their own pace.
    pub at_sinks: Vec<AtSink>,
    /// What happens next, in order; of what happens later, only that it does.
    pub upcoming: Vec<Upcoming>,
    /// Events that wait, those in `upcoming` included.
    pub events: usize,
}

/// The sending end of a channel, and the wire behind it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Port {
    /// It sends until then.
    pub busy_until: Option<Time>,
    /// Control units that wait, in order.
    pub controls: Vec<UnitKind>,
    /// What is on the wire, in the order of arrival.
    pub wire: Vec<OnWire>,
}

/// A unit: a cell or a frame, of data or of control.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Unit {
    /// Its flow; none of control frames.
    pub flow: Option<u32>,
    /// Position in its flow.
    pub number: u64,
    /// Bytes.
    pub bytes: u32,
    /// What it is.
    pub kind: UnitKind,
    /// What a control unit says.
    pub value: u64,
    /// When it came to the node where it waits; on a wire, when it started to be of use there.
    pub since: Time,
    /// When its source made it.
    pub born: Time,
    /// The channel over which it came; none at its source.
    pub input: Option<u32>,
    /// Of frames: all that can be seen.
    pub frame: Option<FrameView>,
}

/// A unit on a wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct OnWire {
    /// It.
    pub unit: Unit,
    /// When it takes effect at the far end.
    pub arrives: Time,
    /// It will not: the wire loses it.
    pub is_lost: bool,
}

/// Units that wait for one channel, in the order in which they go.
#[derive(Clone, PartialEq, Debug)]
pub struct Queue {
    /// Channel.
    pub channel: u32,
    /// Of circuits: the leg of the flow, and the flow.
    pub leg: Option<u32>,
    /// See `leg`.
    pub flow: Option<u32>,
    /// Class; 0 of circuits.
    pub class: u8,
    /// Only frames to this host, which are stopped apart from others.
    pub destination: Option<u32>,
    /// Only frames whose ways are hashed to this lane.
    pub lane: Option<u32>,
    /// They.
    pub units: Vec<Unit>,
    /// Why the first of them, or what may come, may not go.
    pub hold: Option<Hold>,
    /// Credit, where there is any.
    pub credit: Option<Credit>,
    /// Queues at the next node that have to move before this one may: places in
    /// [`Inspection::queues`]. Only of queues that are held up.
    pub waits_for: Vec<usize>,
}

impl Queue {
    /// Bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.units.iter().map(|unit| u64::from(unit.bytes)).sum()
    }
}

/// What keeps a queue from sending.
#[derive(Clone, PartialEq, Debug)]
pub enum Hold {
    /// The node behind the channel has stopped it.
    Stopped {
        /// What is stopped: the port, the class, or frames to one host.
        gate: Gate,
        /// Since when.
        since: Time,
        /// It ends by itself then.
        until: Option<Time>,
        /// Why the node there wants it.
        why: Why,
    },
    /// There is less credit than the next unit takes.
    NoCredit {
        /// Since when; a run of circuits does not keep that.
        since: Option<Time>,
    },
    /// The host behind the channel takes no more yet.
    SlowHost,
}

/// Why a node has its neighbour stopped.
#[derive(Clone, PartialEq, Debug)]
pub enum Why {
    /// It holds so many bytes that came over the channel in the class; above so many it asks for a
    /// stop (none where the threshold moves), below so many it takes it back.
    Input {
        /// What it holds.
        bytes: u64,
        /// Thresholds.
        high_low: Option<(u64, u64)>,
    },
    /// Queues of its: channel, class, bytes, and the threshold below which they take it back.
    Queues(Vec<(u32, u8, u64, u64)>),
    /// It is broken, and stops its neighbour for ever.
    Storm,
    /// It wants that no more: a resume is on its way.
    NoMore,
}

/// Credit over one channel, of a circuit or of a class.
#[derive(Clone, PartialEq, Debug)]
pub struct Credit {
    /// What the sender has.
    pub has: i64,
    /// What its next unit takes; 0 if nothing waits.
    pub needs: u32,
    /// Bytes that one of them stands for; 0 of circuits, where it is a unit.
    pub unit_bytes: u32,
    /// What the receiver has room for.
    pub room: u32,
    /// Credit spent on what is on the wire.
    pub forward: u64,
    /// Spent on what stands in the buffer at the far end.
    pub stored: u64,
    /// Freed there, and not told yet.
    pub untold: u32,
    /// So much freed provokes a credit unit.
    pub told_every: u32,
    /// A credit unit waits for the way back.
    pub waits: bool,
    /// Credit units on the way back: when they arrive, and what they say.
    pub back: Vec<(Time, u64)>,
    /// Control units lost so far.
    pub control_lost: u64,
    /// Data units lost or dropped there so far: credit was spent on them.
    pub data_lost: u64,
}

/// A source, above the queue at its port.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Source {
    /// The node where it is.
    pub node: u32,
    /// The node that it sends to: of several, the first.
    pub to: u32,
    /// Units that wait above the port; none where there is no end of them.
    pub backlog: Option<u64>,
    /// Units made so far.
    pub made: u64,
    /// Units delivered so far.
    pub delivered: u64,
    /// Units lost or dropped so far.
    pub lost: u64,
    /// Its window is full: so many units are not acknowledged.
    pub unacknowledged: Option<u32>,
    /// It makes its next unit when its queue at the port is empty.
    pub is_pulled: bool,
    /// Its next timer.
    pub timer: Option<Time>,
    /// Congestion window, bytes; 0 without TCP.
    pub window_bytes: u64,
    /// Of TCP: acknowledged, next to send.
    pub positions: Option<(u64, u64)>,
}

/// Units in the buffer of a destination.
#[derive(Clone, PartialEq, Debug)]
pub struct AtSink {
    /// The channel over which they came.
    pub channel: u32,
    /// Their flow.
    pub flow: u32,
    /// They.
    pub units: Vec<Unit>,
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// The network as it is: everything up to `at` has happened, and nothing is due before. Of what
    /// happens next, the first `most` events.
    pub fn inspect(&self, at: Time, most: usize) -> Inspection {
        let mut found = Inspection {
            at,
            ..Inspection::default()
        };
        let network = &self.network;
        match network.classes.count {
            0 => network.inspect_circuits(&mut found),
            _ => network.inspect_classes(&mut found),
        }
        self.inspect_events(most, &mut found);
        found
    }
}

impl Network {
    /// The ports, with what is on their wires as `unit` reads it.
    fn inspect_ports(&self, found: &mut Inspection, unit: impl Fn(u32, u32) -> Unit) {
        for (id, channel) in (0..).zip(&self.channels) {
            let on_wire = channel.wire.places(&self.units).map(|place| {
                let own = self.units.get(place);
                OnWire {
                    unit: unit(place, id),
                    arrives: own.arrived,
                    is_lost: own.is_lost,
                }
            });
            let busy = (channel.free_at > found.at).then_some(channel.free_at);
            found.ports.push(Port {
                busy_until: busy,
                controls: channel.controls().collect(),
                wire: on_wire.collect(),
            });
        }
    }

    /// The credit of a leg, but for what takes a look at wires.
    fn inspect_credit(&self, leg_id: u32) -> Option<Credit> {
        let leg = &self.legs[leg_id as usize];
        let (sender, receiver) = (&leg.sender, &leg.receiver);
        let link = self.credits.get(sender.control as usize)?;
        let counts = &self.counts[leg_id as usize];
        Some(Credit {
            has: sender.credit.into(),
            needs: 0,
            unit_bytes: 0,
            room: self.settings[link.settings as usize].buffer_units,
            forward: 0,
            stored: receiver.fill.value().into(),
            untold: receiver.unreported,
            told_every: receiver.report_every,
            waits: receiver.credit_waits,
            back: Vec::new(),
            control_lost: link.credits_lost.into(),
            data_lost: counts.lost + counts.dropped,
        })
    }
}

/// A number that may be none.
fn known(index: u32) -> Option<u32> {
    (index != NONE).then_some(index)
}
