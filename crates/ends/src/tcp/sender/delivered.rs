//! What a sender tells a control that goes by delivery, and the turns of one that is paced.
//!
//! Both are there for the controls that want them only: others keep no records.

use alloc::boxed::Box;

use backwater_kernel::{Rate, Time};

use super::Sender;
use crate::control::{Control, Offered};
use crate::spec::{Recovery, TcpSpec};
use crate::tcp::Segment;
use crate::tcp::delivery::{Deliveries, Standing};
use crate::tcp::pacing::Pacer;

/// What a sender has beside the rest where its control needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// How fast what is sent is delivered, for a control that goes by that.
    deliveries: Option<Box<Deliveries>>,
    /// Turns, where segments are spaced.
    pacer: Option<Box<Pacer>>,
}

impl Extras {
    /// As the flavour asks for.
    pub(super) fn new(spec: &TcpSpec) -> Extras {
        Extras {
            deliveries: spec.congestion.goes_by_delivery().then(Box::default),
            pacer: spec.is_paced().then(Box::default),
        }
    }

    /// What is drawn in this connection follows from `key`.
    pub(crate) fn draw_from(&mut self, key: u64) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.draw_from(key);
        }
    }

    /// A new connection.
    pub(super) fn forget(&mut self) {
        if let Some(deliveries) = &mut self.deliveries {
            deliveries.forget();
        }
        if let Some(pacer) = &mut self.pacer {
            **pacer = Pacer::default();
        }
    }

    /// The turn of the next segment, if that is later than now.
    #[inline]
    pub(super) fn later_turn(&self, now: Time) -> Option<Time> {
        let turn = self.pacer.as_ref()?.turn();
        (turn > now).then_some(turn)
    }
}

impl Sender {
    /// Before an acknowledgement is taken: where the sender stands, if its control goes by that.
    #[inline]
    pub(super) fn standing(&self, spec: &TcpSpec) -> Option<Standing> {
        self.extras.deliveries.as_ref()?;
        Some(Standing {
            acked: self.una + self.scoreboard.bytes(),
            flight: self.flight(spec),
        })
    }

    /// Bytes thought to be in the network.
    fn flight(&self, spec: &TcpSpec) -> u64 {
        if self.is_recovering && spec.recovery == Recovery::Sack {
            let (mss, threshold) = (u64::from(spec.mss_bytes), spec.duplicate_threshold);
            let board = &self.scoreboard;
            return board.pipe(self.una, self.max, self.high_rxt, threshold, mss);
        }
        let end = self.scoreboard.skip(self.next.max(self.una));
        end - self.una - self.scoreboard.bytes_below(end)
    }

    /// An acknowledgement was taken, which found the sender as `before`: its control hears what
    /// that delivered and lost.
    pub(super) fn tell_delivery(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        before: Standing,
        segment: &Segment,
    ) {
        let Some(after) = self.standing(spec) else {
            return;
        };
        let blocks = usize::from(segment.sack_blocks).min(segment.sack.len());
        let blocks = &segment.sack[..blocks];
        let is_repairing = self.is_recovering || self.una < self.guard;
        let free_at = self.extras.pacer.as_ref().map_or(now, |pacer| pacer.turn());
        let Some(deliveries) = &mut self.extras.deliveries else {
            return;
        };
        if let Some(mut sample) = deliveries.on_ack(now, (before, after), self.una, blocks) {
            sample.is_repairing = is_repairing;
            sample.free_at = free_at;
            self.control.on_sample(now, &sample);
        }
    }

    /// The retransmission timer runs out: nothing is in flight any more.
    pub(super) fn tell_time_out(&mut self, spec: &TcpSpec) {
        if let Some(Standing { flight, .. }) = self.standing(spec)
            && let Some(deliveries) = &mut self.extras.deliveries
        {
            deliveries.on_time_out(flight);
        }
    }

    /// The application is about to hand over more.
    pub(crate) fn tell_offered(&mut self, now: Time, spec: &TcpSpec) {
        let is_short = self.end - self.max < u64::from(spec.mss_bytes);
        let Some(Standing { flight, .. }) = self.standing(spec) else {
            return;
        };
        if !is_short || flight >= self.control.window() {
            return;
        }
        if let Some(deliveries) = &mut self.extras.deliveries {
            deliveries.on_limited(flight);
        }
        if flight == 0 {
            let nothing = Offered {
                units: 0,
                limit: None,
            };
            self.control.on_offered(now, nothing);
        }
    }

    /// Bytes `seq` to `stop` go; called before positions move.
    #[inline]
    pub(super) fn tell_sent(&mut self, now: Time, spec: &TcpSpec, (seq, stop): (u64, u64)) {
        if let Some(Standing { flight, .. }) = self.standing(spec)
            && let Some(deliveries) = &mut self.extras.deliveries
        {
            deliveries.on_sent(now, (seq, stop), flight);
        }
        if self.extras.pacer.is_some() {
            let rate = self.pace(spec);
            if let (Some(pacer), Some(rate)) = (&mut self.extras.pacer, rate) {
                pacer.on_sent(now, (stop - seq) as u32, rate);
            }
        }
    }

    /// The rate at which segments are spaced: what the control says, else the window in a round
    /// trip, twice that in the first half of slow start and 6/5 of it thereafter. `None`: not yet.
    fn pace(&self, spec: &TcpSpec) -> Option<Rate> {
        if let Some(rate) = self.control.pacing() {
            return Some(rate);
        }
        let (window, threshold) = (self.control.window(), self.control.threshold());
        let tenths = if window < threshold / 2 { 20 } else { 12 };
        self.rtt.rate_of(&spec.timer, u128::from(window) * tenths / 10)
    }
}
