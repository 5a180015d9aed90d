//! Promises checked while a run goes on, from what a probe is told.
//!
//! The audit keeps books of its own: which frames are inside, what each queue holds and in which
//! order, which gates are closed. Checked of every frame and gate, when it is told of them: each
//! frame is made once, and delivered or dropped once, or so for each of several stations; the
//! engine's count of a queue is that of the books and within its limit; a channel sends one frame
//! at a time; what is stopped does not
//! start, and what is not stopped does not wait behind what is; strict priority; stops and
//! resumes alternate; control frames are never dropped.
//!
//! At the end of every instant: of each channel that something happened at, that it is not idle
//! with something that may go, and its count of each queue that changed; and that no more data
//! frames are inside than the engine has. Now and then, and at the end of the run, the same of
//! all channels and all queues: once for as many looks as there are queues, where an instant
//! counts as one more; [`Coverage`] says how often it was.

mod inside;
mod port;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use backwater_kernel::{Place, Time};

use self::inside::Inside;
use self::port::{Port, Queue};
use super::{Frame, FrameView, Gate, LossCause, Probe};
use crate::network::Network;
use crate::probe::Checks;
use crate::spec::frames::{EthernetSpec, FlowSpec, wire_bytes};

/// Looks at channels for each queue there is, between two looks at all queues.
const LOOKS_A_QUEUE: u64 = 4;

/// Watches a run and notes what should not be.
#[derive(Clone, Debug)]
pub struct Audit {
    ports: Vec<Port>,
    /// Data frames inside.
    inside: Inside,
    /// By flow: its frames go to several stations.
    is_multicast: Vec<bool>,
    /// Channels to look at when the instant is over.
    touched: Vec<u32>,
    /// Queues there are.
    queues: u64,
    /// Channels looked at since all were.
    looks: u64,
    checks: Checks,
}

impl Audit {
    /// An audit of a run of `spec`.
    pub fn new(spec: &EthernetSpec) -> Audit {
        let ports = (0..).zip(&spec.links).flat_map(|(number, link)| {
            let node = |id: u32| spec.nodes.get(id as usize);
            [0, 1].map(|side| {
                let (id, from) = (2 * number + side as u32, node(link.ends[side]));
                Port::new((spec.seed, id), &link.channels[side], from)
            })
        });
        let ports: Vec<Port> = ports.collect();
        Audit {
            queues: ports.iter().map(|port| port.queues.len() as u64).sum(),
            ports,
            inside: Inside::new(spec.flows.len()),
            is_multicast: spec.flows.iter().map(FlowSpec::is_multicast).collect(),
            touched: Vec::new(),
            looks: 0,
            checks: Checks::default(),
        }
    }

    /// What it found.
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    #[inline(always)]
    fn check(&mut self, holds: bool, at: Time, channel: u32, what: impl FnOnce() -> String) {
        self.checks
            .require(holds, at, Place::Channel(channel), what);
    }

    /// A frame is gone, for the stations it was still for; was it inside for all of them?
    #[inline]
    fn leave(&mut self, frame: &FrameView) -> bool {
        let groups = &self.is_multicast;
        match groups.get(frame.flow as usize).copied().unwrap_or(false) {
            false => self.inside.remove(frame.flow, frame.number),
            true => self
                .inside
                .remove_copies(frame.flow, frame.number, frame.receivers),
        }
    }

    /// Something has happened in front of a channel.
    #[inline]
    fn touch(&mut self, channel: u32) -> &mut Port {
        let port = &mut self.ports[channel as usize];
        if !port.is_touched {
            port.is_touched = true;
            self.touched.push(channel);
        }
        port
    }

    /// The queue of a class has changed.
    #[inline]
    fn queue(&mut self, channel: u32, class: u8) -> &mut Queue {
        let port = self.touch(channel);
        port.touched |= 1 << class;
        &mut port.queues[usize::from(class)]
    }

    /// A data frame starts: it was next, and may go.
    fn start_data(&mut self, at: Time, channel: u32, frame: &FrameView) {
        let port = &mut self.ports[channel as usize];
        let closed = &port.closed;
        let queue = &port.queues[usize::from(frame.class)];
        let place = queue.place(frame);
        let mut passed = queue.waiting.iter().take(place.unwrap_or(0));
        let own = queue.seen(frame);
        let all_stopped = passed.all(|waiting| match queue.has_turns {
            true => waiting.lane != own.lane,
            false => closed.is_stopped(frame.class, waiting),
        });
        let may_go = port.may_force || !closed.is_stopped(frame.class, &own);
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

impl Probe for Audit {
    fn on_frame_created(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let groups = &self.is_multicast;
        let is_new = match groups.get(frame.flow as usize).copied().unwrap_or(false) {
            false => self.inside.insert(frame.flow, frame.number),
            true => self
                .inside
                .insert_copies(frame.flow, frame.number, frame.receivers),
        };
        self.check(is_new, at, channel, || {
            format!(
                "frame {} of flow {} is made twice",
                frame.number, frame.flow
            )
        });
    }

    fn on_frame_joined(&mut self, at: Time, channel: u32, frame: &Frame<'_>, queue_bytes: u64) {
        let frame = frame.view();
        let queue = self.queue(channel, frame.class);
        queue.bytes += u64::from(frame.bytes);
        queue.waiting.push_back(queue.seen(frame));
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

    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        let frame = frame.view();
        let port = self.touch(channel);
        let is_free = at >= port.busy_until;
        let bytes = u64::from(wire_bytes(frame.bytes));
        port.busy_until = at + port.rate.serialization(bytes);
        self.check(is_free, at, channel, || "two frames at a time".into());
        if !frame.is_control() {
            self.start_data(at, channel, frame);
        }
    }

    fn on_frame_sent(&mut self, at: Time, channel: u32, class: u8, queue_bytes: u64) {
        let queue = self.queue(channel, class);
        queue.bytes = queue.bytes.saturating_sub(queue.sending);
        queue.sending = 0;
        let held = queue.bytes;
        self.check(held == queue_bytes, at, channel, || {
            format!("the queue of class {class} holds {held}, not {queue_bytes} bytes")
        });
    }

    fn on_frame_dropped(&mut self, at: Time, channel: u32, frame: &Frame<'_>, cause: LossCause) {
        let frame = frame.view();
        match frame.is_control() {
            // It was lost on the wire.
            true if cause == LossCause::Wire => return,
            true => {
                self.touch(channel);
            }
            false => {
                self.queue(channel, frame.class);
            }
        }
        let (is_control, was_inside) = (frame.is_control(), self.leave(frame));
        self.check(!is_control && was_inside, at, channel, || {
            format!(
                "frame {} of flow {} is dropped and was not there",
                frame.number, frame.flow
            )
        });
        if cause == LossCause::Watchdog {
            // It waited, or had just come.
            let queue = self.queue(channel, frame.class);
            if let Some(place) = queue.place(frame)
                && let Some(waiting) = queue.waiting.remove(place)
            {
                queue.bytes -= u64::from(waiting.bytes);
            }
        }
    }

    fn on_frame_delivered(&mut self, at: Time, frame: &Frame<'_>) {
        let frame = frame.view();
        let was_inside = self.leave(frame);
        self.check(was_inside, at, 0, || {
            format!(
                "frame {} of flow {} arrives and was not there",
                frame.number, frame.flow
            )
        });
    }

    fn on_gate(&mut self, at: Time, channel: u32, gate: Gate, is_stopped: bool) {
        let alternates = self.touch(channel).closed.set(gate, is_stopped);
        self.check(alternates, at, channel, || {
            format!("{gate:?} is told twice that it is stopped: {is_stopped}")
        });
    }

    fn after_instant(&mut self, at: Time, network: &Network) {
        let mut touched = core::mem::take(&mut self.touched);
        self.looks += 1 + touched.len() as u64;
        for channel in touched.drain(..) {
            let port = &mut self.ports[channel as usize];
            port.is_touched = false;
            let classes = core::mem::take(&mut port.touched);
            self.check_channel(at, channel, classes, network);
        }
        self.touched = touched;
        self.checks.end_instant();
        let (inside, own) = (network.frames_inside() as usize, self.inside.len());
        // Control frames are inside too, and nobody told of their making.
        self.check(inside >= own, at, 0, || {
            format!("{own} data frames are inside, the engine has {inside} frames")
        });
        if self.looks >= LOOKS_A_QUEUE * self.queues {
            self.check_all(at, network);
        }
    }

    fn on_end(&mut self, at: Time, network: &Network) {
        if self.looks > 0 {
            self.check_all(at, network);
        }
    }
}

impl Audit {
    /// It is not idle with something that may go; the queues of these classes hold what they
    /// should.
    #[inline]
    fn check_channel(&mut self, at: Time, channel: u32, classes: u32, network: &Network) {
        let works = network.is_busy(channel) || !network.may_send(channel, at);
        self.check(works, at, channel, || {
            "idle with something that may go".into()
        });
        let mut rest = classes;
        while rest != 0 {
            let class = rest.trailing_zeros() as u8;
            rest &= rest - 1;
            let held = network.queue_bytes(channel, class);
            let own = self.ports[channel as usize].queues[usize::from(class)].bytes;
            self.check(held == own, at, channel, || {
                format!("the queue of class {class} holds {own}, not {held} bytes")
            });
        }
    }

    /// All channels and all queues.
    fn check_all(&mut self, at: Time, network: &Network) {
        self.checks.compare();
        self.looks = 0;
        let classes = u32::MAX >> (32 - network.classes());
        for channel in 0..network.channels() {
            self.check_channel(at, channel, classes, network);
        }
    }
}
