//! Promises checked while a run goes on, from what a probe is told.
//!
//! The audit keeps books of its own: which frames are inside, what each queue holds and in which
//! order, which gates are closed. Checked are: each frame is delivered or dropped once; the
//! engine's count of a queue is that of the books and within its limit; a channel sends one frame
//! at a time; what is stopped does not start, and what is not stopped does not wait behind what
//! is; strict priority; stops and resumes alternate; control frames are never dropped; no channel
//! is idle with something that may go.

use alloc::collections::{BTreeSet, VecDeque};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use kernel::{Rate, Time};

use super::{Cause, FrameView, Gate, Probe};
use crate::Network;
use crate::outcome::Violation;
use crate::spec::{
    ChannelSpec, EthernetSpec, NodeSpec, Order, WIRE_OVERHEAD_BYTES, WatchdogAction,
};

/// Violations kept word for word.
const KEPT: usize = 100;

/// Watches a run and notes what should not be.
#[derive(Clone, Debug)]
pub struct Audit {
    ports: Vec<Port>,
    /// Data frames inside, by flow and number.
    inside: BTreeSet<(u32, u64)>,
    /// Channels to look at when the instant is over.
    touched: BTreeSet<u32>,
    checks: u64,
    violations: Vec<Violation>,
    violations_total: u64,
}

/// What stands in front of a channel.
#[derive(Clone, Debug)]
struct Port {
    rate: Rate,
    is_strict: bool,
    /// A watchdog there may send in spite of a stop.
    may_force: bool,
    busy_until: Time,
    closed: BTreeSet<Gate>,
    queues: Vec<Queue>,
}

#[derive(Clone, Debug)]
struct Queue {
    limit_bytes: Option<u64>,
    bytes: u64,
    waiting: VecDeque<Waiting>,
    /// The frame being sent, bytes.
    sending: u64,
}

#[derive(Clone, Copy, Debug)]
struct Waiting {
    flow: u32,
    number: u64,
    destination: u32,
    bytes: u32,
}

impl Audit {
    /// An audit of a run of `spec`.
    pub fn new(spec: &EthernetSpec) -> Audit {
        let ports = spec.links.iter().flat_map(|link| {
            let node = |id: u32| spec.nodes.get(id as usize);
            [
                Port::new(&link.forward, node(link.a)),
                Port::new(&link.backward, node(link.b)),
            ]
        });
        Audit {
            ports: ports.collect(),
            inside: BTreeSet::new(),
            touched: BTreeSet::new(),
            checks: 0,
            violations: Vec::new(),
            violations_total: 0,
        }
    }

    /// Promises checked so far.
    pub fn checks(&self) -> u64 {
        self.checks
    }

    /// Promises broken: the first of them, and how many in all.
    pub fn violations(&self) -> (&[Violation], u64) {
        (&self.violations, self.violations_total)
    }

    fn check(&mut self, holds: bool, at: Time, channel: u32, what: impl FnOnce() -> String) {
        self.checks += 1;
        if holds {
            return;
        }
        self.violations_total += 1;
        if self.violations.len() < KEPT {
            let what = what();
            self.violations.push(Violation { at, channel, what });
        }
    }

    fn queue(&mut self, channel: u32, class: u8) -> &mut Queue {
        &mut self.ports[channel as usize].queues[usize::from(class)]
    }

    /// A data frame starts: it was next, and may go.
    fn start_data(&mut self, at: Time, channel: u32, frame: &FrameView) {
        let port = &mut self.ports[channel as usize];
        let is_next = |waiting: &Waiting| (waiting.flow, waiting.number) == key(frame);
        let queue = &port.queues[usize::from(frame.class)];
        let place = queue.waiting.iter().position(is_next);
        let mut passed = queue.waiting.iter().take(place.unwrap_or(0));
        let all_stopped = passed.all(|waiting| port.is_stopped(frame.class, waiting.destination));
        let may_go = port.may_force || !port.is_stopped(frame.class, frame.destination);
        let is_highest = !port.is_strict || !port.is_ready_above(frame.class);
        let is_first = all_stopped || port.may_force;
        if let Some(place) = place {
            let queue = &mut port.queues[usize::from(frame.class)];
            queue.waiting.remove(place);
            queue.sending = u64::from(frame.bytes);
        }
        let name = || format!("frame {} of flow {}", frame.number, frame.flow);
        self.check(place.is_some(), at, channel, || {
            format!("{} starts and did not wait", name())
        });
        self.check(may_go, at, channel, || {
            format!("{} starts though it is stopped", name())
        });
        self.check(is_first, at, channel, || {
            format!("{} passes one that is not stopped", name())
        });
        self.check(is_highest, at, channel, || {
            format!("{} goes before a higher class", name())
        });
    }
}

fn key(frame: &FrameView) -> (u32, u64) {
    (frame.flow, frame.number)
}

impl Port {
    fn new(channel: &ChannelSpec, node: Option<&NodeSpec>) -> Port {
        let watchdog = node.and_then(|node| node.watchdog);
        let queue = |limit_bytes: Option<u64>| Queue {
            limit_bytes,
            bytes: 0,
            waiting: VecDeque::new(),
            sending: 0,
        };
        let limits = channel.queues.iter().map(|queue| queue.limit_bytes);
        Port {
            rate: channel.rate,
            is_strict: channel.order == Order::StrictPriority,
            may_force: watchdog.is_some_and(|dog| dog.action == WatchdogAction::Forward),
            busy_until: Time::ZERO,
            closed: BTreeSet::new(),
            queues: limits.map(queue).collect(),
        }
    }

    fn is_stopped(&self, class: u8, destination: u32) -> bool {
        let gates = [
            Gate::Port,
            Gate::Class(class),
            Gate::Destination(class, destination),
        ];
        !self.closed.is_empty() && gates.iter().any(|gate| self.closed.contains(gate))
    }

    /// A frame of a higher class waits and may go.
    fn is_ready_above(&self, class: u8) -> bool {
        let above = (0..).zip(&self.queues).skip(usize::from(class) + 1);
        let mut waiting = above.flat_map(|(class, queue)| {
            let waiting = queue.waiting.iter();
            waiting.map(move |waiting| (class, waiting.destination))
        });
        waiting.any(|(class, destination)| !self.is_stopped(class, destination))
    }
}

impl Probe for Audit {
    fn on_created(&mut self, at: Time, channel: u32, frame: &FrameView) {
        let is_new = self.inside.insert(key(frame));
        self.check(is_new, at, channel, || {
            format!(
                "frame {} of flow {} is made twice",
                frame.number, frame.flow
            )
        });
    }

    fn on_joined(&mut self, at: Time, channel: u32, frame: &FrameView, queue_bytes: u64) {
        self.touched.insert(channel);
        let queue = self.queue(channel, frame.class);
        queue.bytes += u64::from(frame.bytes);
        queue.waiting.push_back(Waiting {
            flow: frame.flow,
            number: frame.number,
            destination: frame.destination,
            bytes: frame.bytes,
        });
        let (held, limit) = (queue.bytes, queue.limit_bytes);
        self.check(held == queue_bytes, at, channel, || {
            format!(
                "the queue of class {} holds {held}, not {queue_bytes} bytes",
                frame.class
            )
        });
        self.check(limit.is_none_or(|limit| held <= limit), at, channel, || {
            format!(
                "the queue of class {} holds {held} bytes, past its limit",
                frame.class
            )
        });
    }

    fn on_start(&mut self, at: Time, channel: u32, frame: &FrameView) {
        self.touched.insert(channel);
        let port = &mut self.ports[channel as usize];
        let is_free = at >= port.busy_until;
        let bytes = u64::from(frame.bytes) + u64::from(WIRE_OVERHEAD_BYTES);
        port.busy_until = at + port.rate.serialization(bytes);
        self.check(is_free, at, channel, || "two frames at a time".into());
        if !frame.is_control() {
            self.start_data(at, channel, frame);
        }
    }

    fn on_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        self.touched.insert(channel);
        let queue = self.queue(channel, class);
        queue.bytes = queue.bytes.saturating_sub(queue.sending);
        queue.sending = 0;
        let held = queue.bytes;
        self.check(held == queue_bytes, at, channel, || {
            format!("the queue of class {class} holds {held}, not {queue_bytes} bytes")
        });
    }

    fn on_drop(&mut self, at: Time, channel: u32, frame: &FrameView, cause: Cause) {
        self.touched.insert(channel);
        let (is_control, was_inside) = (frame.is_control(), self.inside.remove(&key(frame)));
        self.check(!is_control && was_inside, at, channel, || {
            format!(
                "frame {} of flow {} is dropped and was not there",
                frame.number, frame.flow
            )
        });
        if cause == Cause::Watchdog {
            // It waited, or had just come.
            let queue = self.queue(channel, frame.class);
            let is_it = |waiting: &Waiting| (waiting.flow, waiting.number) == key(frame);
            if let Some(place) = queue.waiting.iter().position(is_it)
                && let Some(waiting) = queue.waiting.remove(place)
            {
                queue.bytes -= u64::from(waiting.bytes);
            }
        }
    }

    fn on_delivered(&mut self, at: Time, frame: &FrameView) {
        let was_inside = self.inside.remove(&key(frame));
        self.check(was_inside, at, 0, || {
            format!(
                "frame {} of flow {} arrives and was not there",
                frame.number, frame.flow
            )
        });
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        self.touched.insert(channel);
        let closed = &mut self.ports[channel as usize].closed;
        let alternates = match is_stopped {
            true => closed.insert(gate),
            false => closed.remove(&gate),
        };
        self.check(alternates, at, channel, || {
            format!("{gate:?} is told twice that it is stopped: {is_stopped}")
        });
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        let touched = core::mem::take(&mut self.touched);
        for &channel in &touched {
            let works = network.is_busy(channel) || !network.may_send(channel);
            self.check(works, at, channel, || {
                "idle with something that may go".into()
            });
            for class in 0..network.classes() {
                let (held, own) = (
                    network.queue_bytes(channel, class),
                    self.held(channel, class),
                );
                self.check(held == own, at, channel, || {
                    format!("the queue of class {class} holds {own}, not {held} bytes")
                });
            }
        }
        let (inside, own) = (network.frames_inside() as usize, self.inside.len());
        // Control frames are inside too, and nobody told of their making.
        self.check(inside >= own, at, 0, || {
            format!("{own} data frames are inside, the engine has {inside} frames")
        });
    }
}

impl Audit {
    fn held(&self, channel: u32, class: u8) -> u64 {
        self.ports[channel as usize].queues[usize::from(class)].bytes
    }
}
