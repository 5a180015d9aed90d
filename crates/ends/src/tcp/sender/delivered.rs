//! What a sender tells a control that goes by delivery, and the turns of one that is paced.
//!
//! Both are there for the controls that want them only: others keep no records.

use alloc::boxed::Box;

use backwater_kernel::{Rate, Time};

use super::Sender;
use crate::control::{Ack, CongestionControl, Control, Offered};
use crate::spec::{BurstSpec, Recovery, TcpSpec};
use crate::tcp::Segment;
use crate::tcp::burst::{self, Burst, Room};
use crate::tcp::delivery::{Deliveries, Standing};
use crate::tcp::pacing::Pacer;

/// What a sender has beside the rest where its control needs it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extras {
    /// How fast what is sent is delivered, for a control that goes by that.
    deliveries: Option<Box<Deliveries>>,
    /// Turns, where segments are spaced.
    pacer: Option<Box<Pacer>>,
    /// What is handed down at once, where that is more than a segment.
    burst: Option<Box<Burst>>,
}

impl Extras {
    /// As the flavour asks for.
    pub(super) fn new(spec: &TcpSpec) -> Extras {
        let has_burst = spec.burst.is_some();
        let by_delivery = spec.congestion.goes_by_delivery() || has_burst;
        Extras {
            deliveries: by_delivery.then(Box::default),
            pacer: spec.is_paced().then(Box::default),
            burst: has_burst.then(Box::default),
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

    /// Segments go as soon as the window has room, one by one.
    #[inline]
    pub(super) fn are_plain(&self) -> bool {
        self.pacer.is_none() && self.burst.is_none()
    }

    /// New data was acknowledged: the control hears of it. What stays together as it goes is
    /// acknowledged at once and counts segment by segment (RFC 3465, as hosts with offload do).
    #[inline]
    pub(super) fn acknowledge(
        &self,
        control: &mut CongestionControl,
        now: Time,
        spec: &TcpSpec,
        news: Ack,
    ) {
        match &self.burst {
            None => control.on_ack(now, &news),
            Some(burst) => by_segment(control, now, spec, news, burst.is_limited()),
        }
    }
}

/// The news of a burst, segment by segment; where the window limits, all of it counts as used.
fn by_segment(
    control: &mut CongestionControl,
    now: Time,
    spec: &TcpSpec,
    mut news: Ack,
    is_limited: bool,
) {
    let mut left = news.news_bytes;
    while left > 0 {
        let bytes = left.min(spec.mss_bytes.into());
        left -= bytes;
        let window = if is_limited { control.window() } else { 0 };
        let part = Ack {
            expected: news.expected.saturating_sub(left),
            news_bytes: bytes,
            flight_bytes: news.flight_bytes.max(window),
            ..news
        };
        control.on_ack(now, &part);
        news.rtt = None;
    }
}

impl Sender {
    /// Before an acknowledgement is taken: where the sender stands, if its control goes by that.
    #[inline]
    pub(crate) fn standing(&self, spec: &TcpSpec) -> Option<Standing> {
        self.extras.deliveries.as_ref()?;
        Some(Standing {
            acked: self.una + self.scoreboard.bytes(),
            flight: self.flight(spec),
            losses: self.by_time.as_ref().map(|by| by.losses()),
        })
    }

    /// What was sent before a loss was seen is not all acknowledged.
    fn is_repairing(&self) -> bool {
        let is_timed_out = match &self.by_time {
            Some(by) => by.is_timed_out(),
            None => self.una < self.guard,
        };
        self.is_recovering || is_timed_out
    }

    /// Bytes thought to be in the network.
    fn flight(&self, spec: &TcpSpec) -> u64 {
        if let Some(by) = &self.by_time {
            return by.flight_bytes();
        }
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
    #[inline]
    pub(crate) fn tell_delivery(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        before: Option<Standing>,
        segment: &Segment,
    ) {
        if let (Some(before), Some(after)) = (before, self.standing(spec)) {
            self.tell(now, (before, after), segment);
        }
    }

    fn tell(&mut self, now: Time, standings: (Standing, Standing), segment: &Segment) {
        let blocks = usize::from(segment.sack_blocks).min(segment.sack.len());
        let blocks = &segment.sack[..blocks];
        let is_repairing = self.is_repairing();
        let free_at = self.extras.pacer.as_ref().map_or(now, |pacer| pacer.turn());
        let Some(deliveries) = &mut self.extras.deliveries else {
            return;
        };
        if let Some(mut sample) = deliveries.on_ack(now, standings, self.una, blocks) {
            sample.is_repairing = is_repairing;
            sample.free_at = free_at;
            self.control.on_sample(now, &sample);
        }
    }

    /// The retransmission timer ran out, which found the sender as `before`.
    pub(crate) fn tell_given_up(&mut self, spec: &TcpSpec, before: Option<Standing>) {
        if let (Some(before), Some(after)) = (before, self.standing(spec))
            && let Some(deliveries) = &mut self.extras.deliveries
        {
            deliveries.on_given_up(before.flight.saturating_sub(after.flight));
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

    /// May the next segment go now, and how many bytes? If not yet, `slot_at` says when.
    #[inline]
    pub(crate) fn turn(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        (seq, bytes): (u64, u32),
    ) -> Option<u32> {
        self.slot_at = Time::MAX;
        let bytes = match self.extras.are_plain() {
            true => bytes,
            false => self.spaced(now, spec, (seq, bytes))?,
        };
        self.may_send(now).then_some(bytes)
    }

    /// How many bytes go now of the segment that is next, where segments are spaced or go in
    /// bursts; if none, `slot_at` says when.
    fn spaced(&mut self, now: Time, spec: &TcpSpec, (seq, bytes): (u64, u32)) -> Option<u32> {
        let left = (self.extras.burst.as_deref()).and_then(|burst| burst.left(now, bytes.into()));
        let turn = self.extras.pacer.as_ref().map_or(now, |pacer| pacer.turn());
        if turn > now && left.is_none() {
            self.slot_at = turn;
            return None;
        }
        let Some(limits) = spec.burst else {
            return Some(bytes);
        };
        let room = self.room(spec, seq);
        let size = match left {
            Some(left) => left,
            None => self.begin_burst(now, spec, &limits, (seq, room))?,
        };
        // What goes again goes segment by segment.
        let whole = (seq >= self.max).then(|| burst::whole(&limits, size, room));
        let whole = whole.flatten();
        Some(whole.map_or(bytes, |whole| whole as u32))
    }

    /// How much a burst is that may begin now; if none may, the next acknowledgement asks again.
    fn begin_burst(
        &mut self,
        now: Time,
        spec: &TcpSpec,
        limits: &BurstSpec,
        (seq, room): (u64, Room),
    ) -> Option<u64> {
        let mss = u64::from(spec.mss_bytes);
        let least_rtt = (self.extras.deliveries.as_ref()).map(|known| known.least_rtt());
        let size = burst::size(limits, mss, self.pace(spec), least_rtt.unwrap_or_default());
        let burst = self.extras.burst.as_deref_mut()?;
        burst.limits(room);
        if seq >= self.max
            && !self.is_recovering
            && burst::defers(room, size, now.since(self.last_sent))
        {
            return None;
        }
        burst.begin(now, size);
        Some(size)
    }

    /// What may be sent from `seq` on: new data, or what is missing there.
    fn room(&self, spec: &TcpSpec, seq: u64) -> Room {
        let window = self.control.window();
        let by_window = window.saturating_sub(self.flight(spec));
        let by_peer = (self.una + u64::from(self.peer_window)).saturating_sub(seq);
        let stop = match seq < self.max {
            true => self.scoreboard.next_start(seq).unwrap_or(self.max),
            false => self.end,
        };
        let there_is = stop - seq;
        let bytes = by_window.min(by_peer).min(there_is);
        Room {
            mss: spec.mss_bytes.into(),
            bytes,
            has_more: bytes < there_is,
            window: window.min(self.peer_window.into()),
        }
    }

    /// So many bytes from `seq` on go; called before positions move.
    #[inline]
    pub(crate) fn tell_sent(&mut self, now: Time, spec: &TcpSpec, (seq, bytes): (u64, u32)) {
        let stop = seq + u64::from(bytes);
        if let Some(Standing { flight, .. }) = self.standing(spec)
            && let Some(deliveries) = &mut self.extras.deliveries
        {
            deliveries.on_sent(now, (seq, stop), flight);
        }
        if let Some(burst) = &mut self.extras.burst {
            burst.take(bytes.into());
        }
        if self.extras.pacer.is_some() {
            let rate = self.pace(spec);
            if let (Some(pacer), Some(rate)) = (&mut self.extras.pacer, rate) {
                pacer.on_sent(now, bytes, rate);
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
        self.rtt
            .rate_of(&spec.timer, u128::from(window) * tenths / 10)
    }
}
