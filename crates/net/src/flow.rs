//! A circuit's flow, and what it may have: sessions, shaping, a warning, a sink, TCP over cells.
//! A line here may touch the flow's own state; `steps` and `signal` alone touch the run.
//! The next is a file, or a folder with its `steps`, and a field of [`CircuitFlow`] or `Network`.

mod alarm;
pub(crate) mod cell_tcp;
pub(crate) mod conversation;
pub(crate) mod session;
pub(crate) mod shaping;
pub(crate) mod sink;

use alloc::boxed::Box;

use backwater_ends::application::units::{ENDLESS, Traffic};
use backwater_ends::control::{Control, Offered, SourceControl};
use backwater_kernel::{Collected, Delays, Time};

use crate::flow::shaping::Shaping;
use crate::hop::kind::UnitKind;
use crate::outcome::Drops;

/// State of one flow.
pub(crate) struct CircuitFlow {
    /// Its first legs, in the table of children: where they stand and how many there are; more
    /// than one if the source itself branches.
    pub first_root: u32,
    pub roots: u32,
    /// Destinations.
    pub leaves: u32,
    pub unit_bytes: u32,
    pub next_number: u32,
    pub traffic: Traffic,
    pub control: SourceControl,
    /// The earliest event that will ask for a slot, and the earliest of its timer;
    /// [`Time::MAX`] if there is none.
    pub slot_at: Time,
    pub timer_at: Time,
    /// Units the application wants to send and has not handed to the port.
    pub backlog: u64,
    /// The port pulls: a unit is made when the queue at the port runs empty.
    pub is_pulled: bool,
    /// Sizes, envelope, policer, spacing; absent where units only meet source control.
    pub shaping: Option<Box<Shaping>>,
    pub delivery: Delivery,
    pub partner: u32,
    /// In-order destination (go-back-N): the unit it expects.
    pub expected: u32,
    /// The data cell delivered last met congestion.
    pub efci: bool,
    pub counts: FlowCounts,
}

impl CircuitFlow {
    /// An RM cell of this flow is lost.
    pub fn count_lost_rm(&mut self, kind: UnitKind) {
        let Some(counted) = self.control.counted() else {
            return;
        };
        match kind {
            UnitKind::ForwardRm => counted.forward.lost += 1,
            _ => counted.backward.lost += 1,
        }
    }

    /// Source control hears of `units` that the application offers; they are in the backlog.
    #[inline]
    pub fn announce(&mut self, now: Time, units: u64) {
        let offered = Offered {
            units: if self.backlog == ENDLESS { 0 } else { units },
            limit: self.traffic.limit(),
        };
        self.control.on_offered(now, offered);
    }

    /// If source control sends units again: goes on where it stands.
    #[inline]
    pub fn follow(&mut self) {
        let Some(position) = self.control.position() else {
            return;
        };
        self.next_number = position.next;
        if let Some(shaping) = &mut self.shaping {
            shaping.forget_before(position.base);
        }
    }
}

/// What a delivered unit sets off at its destination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Delivery {
    /// Nothing.
    Plain,
    /// The partner flow carries an acknowledgement back.
    Acknowledge,
    /// It is an acknowledgement for the partner's source.
    Feedback,
    /// It is part of a request to the server that sends on the partner flow.
    Request,
    /// It is part of a response to the client that sends on the partner flow.
    Response,
    /// It is a cell of a TCP connection's frame.
    Frame,
}

/// What is counted of a flow.
#[derive(Default)]
pub(crate) struct FlowCounts {
    pub offered: u64,
    pub delivered: u64,
    pub delivered_before_warm_up: u64,
    pub delivered_bytes: u64,
    pub delivered_bytes_before_warm_up: u64,
    pub accepted: u64,
    pub accepted_before_warm_up: u64,
    pub lost: u64,
    pub lost_before_warm_up: u64,
    pub drops: Drops,
    pub retransmitted: u64,
    pub backlog_max: u64,
    /// Warnings that reached the source.
    pub alarms: u64,
    /// After the warm-up; made with the first sample.
    pub delay: Option<Box<Delays>>,
    pub responses: Option<Box<Collected>>,
}

/// Responses of a flow whose times are kept one by one, at most.
const KEPT: usize = 4_096;

/// A response to what was asked for then, after the warm-up.
pub(crate) fn record_response(all: &mut Option<Box<Collected>>, issued: Time, now: Time) {
    let all = all.get_or_insert_with(|| Box::new(Collected::new(KEPT)));
    all.record(now.since(issued).ps());
}

/// One more, after the warm-up; the first makes room for all.
#[inline]
pub(crate) fn record(delays: &mut Option<Box<Delays>>, from: Time, to: Time) {
    delays.get_or_insert_default().record(to.since(from).ps());
}
