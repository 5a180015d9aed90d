//! What stands in front of a channel, as the books know it.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::vec::Vec;

use backwater_kernel::{Rate, Time};

use crate::classes::lanes::hashed;
use crate::probe::frames::{FrameView, Gate};
use crate::spec::frames::{ChannelSpec, NodeSpec, WatchdogAction};

/// What stands in front of a channel.
#[derive(Clone, Debug)]
pub struct Port {
    pub rate: Rate,
    pub is_strict: bool,
    /// A watchdog there may send in spite of a stop.
    pub may_force: bool,
    pub busy_until: Time,
    pub closed: Closed,
    pub queues: Vec<Queue>,
    /// Something has happened here in this instant, and to the queues of which classes.
    pub is_touched: bool,
    pub touched: u32,
}

/// The gates that are closed.
#[derive(Clone, Debug, Default)]
pub struct Closed {
    port: bool,
    /// A bit each.
    classes: u32,
    destinations: BTreeSet<(u8, u32)>,
    /// Flows, one way.
    ways: BTreeSet<(u8, u32)>,
    /// Of those that flows are hashed to, by number.
    lanes: BTreeSet<(u8, u32)>,
}

/// The frames of a class.
#[derive(Clone, Debug)]
pub struct Queue {
    pub limit_bytes: Option<u64>,
    pub bytes: u64,
    pub waiting: VecDeque<Waiting>,
    /// The frame being sent, bytes.
    pub sending: u64,
    /// Flows have lanes of their own, or share some, which go in turns.
    pub has_turns: bool,
    /// They share some: the seed of the run, the channel, and how many.
    shares: Option<(u64, u32, u32)>,
}

/// A frame that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    pub flow: u32,
    pub number: u64,
    pub destination: u32,
    /// Twice the flow, and one more for the way back.
    pub way: u32,
    /// Its way, or what that is hashed to.
    pub lane: u32,
    pub bytes: u32,
}

impl Port {
    /// What stands in front of a channel with this number, in a run with this seed.
    pub fn new((seed, id): (u64, u32), channel: &ChannelSpec, node: Option<&NodeSpec>) -> Port {
        let watchdog = node.and_then(|node| node.watchdog);
        let queue = |(class, limit_bytes): (usize, Option<u64>)| {
            let credit = channel.credits.get(class).copied().flatten();
            let owner = credit.map(|credit| credit.owner).unwrap_or_default();
            Queue {
                has_turns: owner.goes_in_turns(),
                shares: owner.hash_lanes().map(|lanes| (seed, id, lanes)),
                limit_bytes,
                bytes: 0,
                waiting: VecDeque::new(),
                sending: 0,
            }
        };
        let limits = channel.queues.iter().map(|queue| queue.limit_bytes);
        Port {
            rate: channel.rate,
            is_strict: channel.scheduler.is_strict(),
            may_force: watchdog.is_some_and(|dog| dog.action == WatchdogAction::Forward),
            busy_until: Time::ZERO,
            closed: Closed::default(),
            queues: limits.enumerate().map(queue).collect(),
            is_touched: false,
            touched: 0,
        }
    }

    /// A frame of a higher class waits and may go.
    pub fn is_ready_above(&self, class: u8) -> bool {
        let above = (0..).zip(&self.queues).skip(usize::from(class) + 1);
        let mut waiting = above.filter(|(_, queue)| !queue.waiting.is_empty());
        waiting.any(|(class, queue)| self.closed.lets_any(class, &queue.waiting))
    }
}

impl Closed {
    /// Closes or opens a gate; was it the other way?
    pub fn set(&mut self, gate: Gate, is_stopped: bool) -> bool {
        match gate {
            Gate::Port => core::mem::replace(&mut self.port, is_stopped) != is_stopped,
            Gate::Class(class) => {
                let bit = 1 << class;
                let before = self.classes & bit != 0;
                self.classes = self.classes & !bit | u32::from(is_stopped) << class;
                before != is_stopped
            }
            Gate::Destination(class, to) if is_stopped => self.destinations.insert((class, to)),
            Gate::Destination(class, to) => self.destinations.remove(&(class, to)),
            Gate::Flow(class, way) if is_stopped => self.ways.insert((class, way)),
            Gate::Flow(class, way) => self.ways.remove(&(class, way)),
            Gate::Lane(class, number) if is_stopped => self.lanes.insert((class, number)),
            Gate::Lane(class, number) => self.lanes.remove(&(class, number)),
        }
    }

    /// May a frame of the class not start?
    #[inline]
    pub fn is_stopped(&self, class: u8, frame: &Waiting) -> bool {
        let has = |set: &BTreeSet<(u8, u32)>, own| !set.is_empty() && set.contains(&(class, own));
        self.is_class_stopped(class)
            || has(&self.destinations, frame.destination)
            || has(&self.ways, frame.way)
            || has(&self.lanes, frame.lane)
    }

    #[inline]
    fn is_class_stopped(&self, class: u8) -> bool {
        self.port || self.classes >> class & 1 == 1
    }

    /// May one of these frames of the class start? Frames are looked at one by one only where
    /// parts of a class are held back.
    fn lets_any(&self, class: u8, waiting: &VecDeque<Waiting>) -> bool {
        let parts = [&self.destinations, &self.ways, &self.lanes];
        let has_parts = parts.iter().any(|part| !part.is_empty());
        if self.is_class_stopped(class) || !has_parts {
            return !self.is_class_stopped(class);
        }
        let mut waiting = waiting.iter();
        waiting.any(|waiting| !self.is_stopped(class, waiting))
    }
}

impl Waiting {
    fn new(frame: &FrameView, lane: u32) -> Waiting {
        Waiting {
            lane,
            flow: frame.flow,
            number: frame.number,
            destination: frame.destination,
            way: frame.way(),
            bytes: frame.bytes,
        }
    }

    #[inline]
    pub fn is(&self, frame: &FrameView) -> bool {
        (self.flow, self.number) == (frame.flow, frame.number)
    }
}

impl Queue {
    /// A frame as it waits here.
    pub fn seen(&self, frame: &FrameView) -> Waiting {
        let way = frame.way();
        let lane = self.shares.map_or(way, |(seed, channel, lanes)| {
            hashed(seed, channel, way, lanes)
        });
        Waiting::new(frame, lane)
    }

    /// Where this frame waits.
    #[inline]
    pub fn place(&self, frame: &FrameView) -> Option<usize> {
        match self.waiting.front() {
            Some(first) if first.is(frame) => Some(0),
            _ => self.waiting.iter().position(|waiting| waiting.is(frame)),
        }
    }
}
