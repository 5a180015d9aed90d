//! Channels and the queues in front of them.

use backwater_kernel::{Survey, Time};

use crate::hop::unit::{Fifo, NONE, Unit, Units};
use crate::outcome::Drops;
use crate::scheduler::Seat;
use crate::spec::frames::EcnSpec;

/// A queue of one class in front of a channel. Two cache lines.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Queue {
    /// Frames that wait (unless they are sorted by lanes).
    pub chain: Fifo,
    /// Frames that wait.
    pub frames: u32,
    /// Number of the next frame that joins, where they are sorted.
    pub order: u32,
    /// Bytes of those that wait and of the one being sent.
    pub bytes: u64,
    pub limit_bytes: u64,
    pub high_bytes: u64,
    pub low_bytes: u64,
    /// Bytes over time: `bytes * now + this` (mod 2^128) is the integral.
    area: u128,
    pub is_congested: bool,
    /// Its frames may be marked as they join.
    pub marks: bool,
    /// Something is done to its frames as they leave.
    pub acts_on_leave: bool,
    /// Which share of a shared memory its port and class has.
    pub share: u16,
    /// Where a scheduler serves classes: its seat there,
    pub place: Seat,
    /// and the frame it knows as the one that goes next; [`NONE`] if it knows of none.
    pub offered: u32,
    pub joined: u64,
    pub sent: u64,
    pub sent_bytes: u64,
    pub most_bytes: u64,
}

/// What is seldom counted of a queue.
#[derive(Clone, Debug, Default)]
pub(crate) struct QueueCounts {
    pub congestions: u64,
    pub marked: u64,
    pub drops: Drops,
    pub watchdog_trips: u64,
    /// Frames that found it full and were trimmed.
    pub trimmed: u64,
    pub ecn: Option<EcnSpec>,
    /// Class of the headers of those.
    pub trim: Option<u8>,
}

impl QueueCounts {
    /// For a run that repeats itself.
    pub fn survey_queue_counts(&mut self, survey: &mut Survey) {
        let QueueCounts {
            congestions,
            marked,
            drops,
            watchdog_trips,
            trimmed,
            ecn: _,
            trim: _,
        } = self;
        survey.adds(congestions);
        survey.adds(marked);
        drops.survey_drops(survey);
        survey.adds(watchdog_trips);
        survey.adds(trimmed);
    }
}

impl Queue {
    pub fn new() -> Queue {
        Queue {
            chain: Fifo::EMPTY,
            frames: 0,
            order: 0,
            bytes: 0,
            limit_bytes: u64::MAX,
            high_bytes: u64::MAX,
            low_bytes: 0,
            area: 0,
            is_congested: false,
            marks: false,
            acts_on_leave: false,
            share: 0,
            place: Seat::default(),
            offered: NONE,
            joined: 0,
            sent: 0,
            sent_bytes: 0,
            most_bytes: 0,
        }
    }

    /// A frame joins: it counts from now on.
    #[inline]
    pub fn add(&mut self, now: Time, bytes: u64) {
        self.area = self
            .area
            .wrapping_sub(u128::from(now.0) * u128::from(bytes));
        self.bytes += bytes;
        self.joined += 1;
        self.most_bytes = self.most_bytes.max(self.bytes);
    }

    /// A frame has left.
    #[inline]
    pub fn sub(&mut self, now: Time, bytes: u64) {
        self.area = self
            .area
            .wrapping_add(u128::from(now.0) * u128::from(bytes));
        self.bytes -= bytes;
    }

    /// Forgets what was before `at`, the end of the warm-up.
    pub fn restart(&mut self, at: Time) {
        self.area = (u128::from(at.0) * u128::from(self.bytes)).wrapping_neg();
        self.sent = 0;
        self.sent_bytes = 0;
    }

    /// Mean bytes from `since` (the start or the last restart) to `now`.
    pub fn mean_bytes(&self, since: Time, now: Time) -> f64 {
        let area = (u128::from(now.0) * u128::from(self.bytes)).wrapping_add(self.area);
        area as f64 / now.since(since).0.max(1) as f64
    }

    /// All that it keeps but its frames, for a run that repeats itself.
    pub fn survey_queue(&mut self, survey: &mut Survey) {
        let Queue {
            chain: _,
            frames,
            order: _,
            bytes,
            limit_bytes: _,
            high_bytes: _,
            low_bytes: _,
            area,
            is_congested,
            marks: _,
            acts_on_leave: _,
            share: _,
            place: _,
            offered: _,
            joined,
            sent,
            sent_bytes,
            most_bytes: _,
        } = self;
        survey.fixed(u64::from(*frames));
        survey.fixed(*bytes);
        survey.flag(*is_congested);
        survey.adds_wide(area);
        survey.adds(joined);
        survey.adds(sent);
        survey.adds(sent_bytes);
    }

    /// Joins the chain; the caller has counted it, and it leads to no other.
    #[inline(always)]
    pub fn push(&mut self, units: &mut Units, id: u32) {
        debug_assert_eq!(units.get(id).next, NONE);
        self.frames += 1;
        if let Some(last) = self.chain.append(id) {
            units.get_mut(last).next = id;
        }
    }

    /// Takes out its first frame, which is there.
    #[inline(always)]
    pub fn take<'a>(&mut self, units: &'a mut Units) -> (u32, &'a mut Unit) {
        self.frames -= 1;
        self.chain.take_first(units)
    }
}
