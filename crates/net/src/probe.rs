//! Looking without touching.
//!
//! A probe is told what happens and may read the network; it gets `&` only, so that a run is the
//! same with and without it. The engine is compiled for each probe: what a probe does not listen
//! to costs nothing.

mod audit;
mod ports;
mod recorder;
mod recovery;
mod trace;

pub use audit::{Audit, Coverage};
pub use ports::{PathWaits, Ports, PortsSpec};
pub use recorder::Recorder;
pub use recovery::Recovery;
pub use trace::{Passage, TraceEntry, TraceProbe};

use backwater_kernel::{Duration, Rate, Time};

pub use crate::hop::kind::{ControlKind, UnitKind};
pub use crate::marking::RateInterval;
pub use backwater_ends::control::ForwardCell;

use crate::network::Network;
use crate::outcome::LossCause;

/// A unit starts on a channel, or takes effect at its far end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// When.
    pub at: Time,
    /// Channel.
    pub channel: u32,
    /// Flow it belongs to.
    pub flow: u32,
    /// Leg it belongs to (for control units: the leg they control).
    pub leg: u32,
    /// Data or which control unit.
    pub kind: UnitKind,
    /// See [`UnitKind`].
    pub value: u64,
    /// Bytes on the wire.
    pub bytes: u32,
}

/// Something that watches a run.
#[allow(unused_variables)]
pub trait Probe {
    /// A unit starts on its channel.
    #[inline]
    fn on_start(&mut self, crossing: Crossing) {}
    /// A unit took effect at the far end of its channel.
    #[inline]
    fn on_arrival(&mut self, crossing: Crossing) {}
    /// A unit was lost on the wire or dropped: in a queue (the crossing names the channel and leg
    /// it waited for), at the far end of its channel, or at its source (then its first leg).
    #[inline]
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {}
    /// A unit joined the queue of `leg` at a port that serves by rank (a stamp, a finish time).
    #[inline]
    fn on_rank(&mut self, at: Time, leg: u32, number: u32, rank: u64) {}
    /// VirtualClock checked the flow of `leg`: its clock is `ahead` of real time (negative if
    /// behind), its threshold is `threshold`; more than that is an alarm.
    #[inline]
    fn on_check(&mut self, at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {}
    /// The receiver's buffer of `leg` holds `fill` units.
    #[inline]
    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {}
    /// The sender's credit of `leg` is `credit`; `renewed` by a credit unit, or spent.
    #[inline]
    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {}
    /// `waiting` units wait at the sender's end of `leg`: one has joined or left.
    #[inline]
    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {}
    /// `node` holds `stored` data units.
    #[inline]
    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {}
    /// A unit that came over `leg` at `arrived` leaves the node.
    #[inline]
    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {}
    /// A data unit that joined the queue of `leg` at `joined` has started; told right after its
    /// [`Probe::on_start`].
    #[inline]
    fn on_leave(&mut self, at: Time, leg: u32, joined: Time) {}
    /// A unit of `bytes`, born at `born`, was delivered over `leg`.
    #[inline]
    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {}
    /// ACR of an ABR flow changed from `old`.
    #[inline]
    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, old: Rate) {}
    /// The source of an ABR flow sends a forward RM cell in rate.
    #[inline]
    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {}
    /// A backward RM cell with explicit rate `er` reached the source of `flow`, whose ACR is
    /// `acr` now.
    #[inline]
    fn on_backward(&mut self, at: Time, flow: u32, er: Rate, acr: Rate) {}
    /// `waiting` ABR cells wait at a port that tells rates: one has joined or left.
    #[inline]
    fn on_rate_queue(&mut self, at: Time, channel: u32, waiting: u32) {}
    /// A port that tells rates ended a measuring interval.
    #[inline]
    fn on_interval(&mut self, at: Time, channel: u32, interval: RateInterval) {}
    /// Everything of this instant has happened.
    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {}
    /// The run is over; `at` is the last instant at which something happened.
    #[inline]
    fn on_end(&mut self, at: Time, network: &Network) {}
}

impl Probe for () {}

impl<A: Probe, B: Probe> Probe for (A, B) {
    #[inline]
    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, old: Rate) {
        self.0.on_rate(at, flow, acr, old);
        self.1.on_rate(at, flow, acr, old);
    }
    #[inline]
    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {
        self.0.on_forward(at, flow, cell);
        self.1.on_forward(at, flow, cell);
    }
    #[inline]
    fn on_backward(&mut self, at: Time, flow: u32, er: Rate, acr: Rate) {
        self.0.on_backward(at, flow, er, acr);
        self.1.on_backward(at, flow, er, acr);
    }
    #[inline]
    fn on_rate_queue(&mut self, at: Time, channel: u32, waiting: u32) {
        self.0.on_rate_queue(at, channel, waiting);
        self.1.on_rate_queue(at, channel, waiting);
    }
    #[inline]
    fn on_interval(&mut self, at: Time, channel: u32, interval: RateInterval) {
        self.0.on_interval(at, channel, interval);
        self.1.on_interval(at, channel, interval);
    }
    #[inline]
    fn on_start(&mut self, crossing: Crossing) {
        self.0.on_start(crossing);
        self.1.on_start(crossing);
    }
    #[inline]
    fn on_arrival(&mut self, crossing: Crossing) {
        self.0.on_arrival(crossing);
        self.1.on_arrival(crossing);
    }
    #[inline]
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {
        self.0.on_loss(crossing, cause);
        self.1.on_loss(crossing, cause);
    }
    #[inline]
    fn on_rank(&mut self, at: Time, leg: u32, number: u32, rank: u64) {
        self.0.on_rank(at, leg, number, rank);
        self.1.on_rank(at, leg, number, rank);
    }
    #[inline]
    fn on_check(&mut self, at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        self.0.on_check(at, leg, ahead_ps, threshold);
        self.1.on_check(at, leg, ahead_ps, threshold);
    }
    #[inline]
    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {
        self.0.on_fill(at, leg, fill);
        self.1.on_fill(at, leg, fill);
    }
    #[inline]
    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {
        self.0.on_credit(at, leg, credit, renewed);
        self.1.on_credit(at, leg, credit, renewed);
    }
    #[inline]
    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        self.0.on_queue(at, leg, waiting);
        self.1.on_queue(at, leg, waiting);
    }
    #[inline]
    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        self.0.on_stored(at, node, stored);
        self.1.on_stored(at, node, stored);
    }
    #[inline]
    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {
        self.0.on_wait(at, leg, arrived);
        self.1.on_wait(at, leg, arrived);
    }
    #[inline]
    fn on_leave(&mut self, at: Time, leg: u32, joined: Time) {
        self.0.on_leave(at, leg, joined);
        self.1.on_leave(at, leg, joined);
    }
    #[inline]
    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {
        self.0.on_delivered(at, leg, born, bytes);
        self.1.on_delivered(at, leg, born, bytes);
    }
    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {
        self.0.after_instant(at, network);
        self.1.after_instant(at, network);
    }
    #[inline]
    fn on_end(&mut self, at: Time, network: &Network) {
        self.0.on_end(at, network);
        self.1.on_end(at, network);
    }
}

/// A probe that is there or not, as the caller decides while the program runs.
impl<P: Probe> Probe for Option<P> {
    #[inline]
    fn on_rate(&mut self, at: Time, flow: u32, acr: Rate, old: Rate) {
        if let Some(probe) = self {
            probe.on_rate(at, flow, acr, old);
        }
    }
    #[inline]
    fn on_forward(&mut self, at: Time, flow: u32, cell: ForwardCell) {
        if let Some(probe) = self {
            probe.on_forward(at, flow, cell);
        }
    }
    #[inline]
    fn on_backward(&mut self, at: Time, flow: u32, er: Rate, acr: Rate) {
        if let Some(probe) = self {
            probe.on_backward(at, flow, er, acr);
        }
    }
    #[inline]
    fn on_rate_queue(&mut self, at: Time, channel: u32, waiting: u32) {
        if let Some(probe) = self {
            probe.on_rate_queue(at, channel, waiting);
        }
    }
    #[inline]
    fn on_interval(&mut self, at: Time, channel: u32, interval: RateInterval) {
        if let Some(probe) = self {
            probe.on_interval(at, channel, interval);
        }
    }
    #[inline]
    fn on_start(&mut self, crossing: Crossing) {
        if let Some(probe) = self {
            probe.on_start(crossing);
        }
    }
    #[inline]
    fn on_arrival(&mut self, crossing: Crossing) {
        if let Some(probe) = self {
            probe.on_arrival(crossing);
        }
    }
    #[inline]
    fn on_loss(&mut self, crossing: Crossing, cause: LossCause) {
        if let Some(probe) = self {
            probe.on_loss(crossing, cause);
        }
    }
    #[inline]
    fn on_rank(&mut self, at: Time, leg: u32, number: u32, rank: u64) {
        if let Some(probe) = self {
            probe.on_rank(at, leg, number, rank);
        }
    }
    #[inline]
    fn on_check(&mut self, at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        if let Some(probe) = self {
            probe.on_check(at, leg, ahead_ps, threshold);
        }
    }
    #[inline]
    fn on_fill(&mut self, at: Time, leg: u32, fill: u32) {
        if let Some(probe) = self {
            probe.on_fill(at, leg, fill);
        }
    }
    #[inline]
    fn on_credit(&mut self, at: Time, leg: u32, credit: i64, renewed: bool) {
        if let Some(probe) = self {
            probe.on_credit(at, leg, credit, renewed);
        }
    }
    #[inline]
    fn on_queue(&mut self, at: Time, leg: u32, waiting: u32) {
        if let Some(probe) = self {
            probe.on_queue(at, leg, waiting);
        }
    }
    #[inline]
    fn on_stored(&mut self, at: Time, node: u32, stored: u64) {
        if let Some(probe) = self {
            probe.on_stored(at, node, stored);
        }
    }
    #[inline]
    fn on_wait(&mut self, at: Time, leg: u32, arrived: Time) {
        if let Some(probe) = self {
            probe.on_wait(at, leg, arrived);
        }
    }
    #[inline]
    fn on_leave(&mut self, at: Time, leg: u32, joined: Time) {
        if let Some(probe) = self {
            probe.on_leave(at, leg, joined);
        }
    }
    #[inline]
    fn on_delivered(&mut self, at: Time, leg: u32, born: Time, bytes: u32) {
        if let Some(probe) = self {
            probe.on_delivered(at, leg, born, bytes);
        }
    }
    #[inline]
    fn after_instant(&mut self, at: Time, network: &Network) {
        if let Some(probe) = self {
            probe.after_instant(at, network);
        }
    }
}
