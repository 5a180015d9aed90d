//! How wide the slots should be, and how many.

use crate::time::Time;

/// As much as one look may change the width (as a power of two), and the slots of one jump that
/// count: a long silence then widens the slots a little instead of ruining them.
const LARGEST_STEP: u32 = 6;
/// Instants below which nothing can be said.
const FEWEST_INSTANTS: u64 = 16;
/// Events between looks, at least.
const FEWEST_VISITS: u64 = 512;
/// Slots a wheel may have, powers of two.
const FEWEST_SLOTS: u128 = 128;
const MOST_SLOTS: u128 = 1 << 20;
/// The horizon, in mean delays of the events that wait.
const HORIZON: u128 = 6;
/// Slots per instant (as a power of two) where few events wait: nearly every slot then holds one
/// instant or none, which the processor guesses well, and the search passes 64 slots a step.
const FINEST: u32 = 3;
/// As many slots stay in the nearest cache; beyond that, fineness costs more than it gains.
const CACHED_SLOTS: u128 = 2048;

/// Watches the wheel turn. Its counts follow from the events alone, so the wheel's form does too.
pub struct Tuner {
    /// Slots to visit until the next look, of those visited by then since the count started.
    visits_left: u64,
    visits: u64,
    /// Events and instants beyond one for each visit, and instants visited again.
    more_events: u64,
    more_instants: u64,
    repeats: u64,
    /// Where the count of slots passed starts, and those that don't count.
    first_slot: u64,
    skipped: u64,
    last_late: Time,
}

impl Default for Tuner {
    fn default() -> Self {
        Tuner {
            visits_left: FEWEST_VISITS / 8,
            visits: FEWEST_VISITS / 8,
            more_events: 0,
            more_instants: 0,
            repeats: 0,
            first_slot: 0,
            skipped: 0,
            last_late: Time::MAX,
        }
    }
}

impl Tuner {
    /// The wheel turns to another slot; true when it is time to look.
    #[inline]
    pub fn visit(&mut self) -> bool {
        self.visits_left -= 1;
        self.is_due()
    }

    /// Is it time to look?
    pub fn is_due(&self) -> bool {
        self.visits_left == 0
    }

    /// Is the next visit the one before a look?
    #[inline]
    pub fn is_nearly_due(&self) -> bool {
        self.visits_left <= 1
    }

    /// The slot visited had more than one event: a crowd brings the next look nearer.
    #[inline]
    pub fn saw_more(&mut self, events: u64, instants: u64) {
        let nearer = events.min(self.visits_left - 1);
        self.visits_left -= nearer;
        self.visits -= nearer;
        self.more_events += events;
        self.more_instants += instants;
    }

    /// An event that came late into a crowded slot is taken out; true when it is time to look.
    pub fn saw_late(&mut self, at: Time) -> bool {
        self.repeats += u64::from(at == self.last_late);
        self.last_late = at;
        self.visit()
    }

    /// The wheel moved so many slots at once, past its horizon.
    pub fn jumped(&mut self, ahead: u64) {
        self.skipped += ahead.saturating_sub(1 << LARGEST_STEP);
    }

    /// Starts to count at `slot`.
    pub fn start(&mut self, slot: u64) {
        *self = Tuner {
            visits_left: self.visits_left,
            visits: self.visits_left,
            first_slot: slot,
            ..Tuner::default()
        };
    }

    /// The width (as a power of two of ps) and number of slots for `len` events, if they should
    /// change.
    ///
    /// A slot as wide as the mean time between instants holds about one. By Little's law an event
    /// waits for `len` times the mean time between events, on average.
    pub fn advise(
        &mut self,
        slot: u64,
        shift: u32,
        slots: usize,
        len: usize,
    ) -> Option<(u32, usize)> {
        let instants = self.visits + self.more_instants - self.repeats;
        let events = self.visits + self.more_events;
        let passed = slot - self.first_slot - self.skipped;
        self.visits_left = FEWEST_VISITS.max(len as u64 / 2 + slots as u64 / 8);
        if instants < FEWEST_INSTANTS {
            self.visits += self.visits_left;
            return None;
        }
        self.start(slot);
        let passed_ps = u128::from(passed) << shift;
        let instant_ps = passed_ps / u128::from(instants);
        let delay_ps = passed_ps.saturating_mul(len as u128) / u128::from(events);

        let horizon_ps = delay_ps.saturating_mul(HORIZON);
        let width_ps = 1_u128 << shift;
        let wanted_ps = (instant_ps >> FINEST)
            .max(horizon_ps / CACHED_SLOTS)
            .min(instant_ps)
            .max(horizon_ps / MOST_SLOTS);
        let fits = wanted_ps * 4 > width_ps * 3 && wanted_ps < width_ps * 3;
        let wanted_shift = if fits {
            shift
        } else {
            let wanted = wanted_ps.max(1).ilog2();
            wanted.clamp(
                shift.saturating_sub(LARGEST_STEP),
                (shift + LARGEST_STEP).min(63),
            )
        };
        let horizon_slots = horizon_ps >> wanted_shift;
        let wanted_slots = horizon_slots
            .clamp(FEWEST_SLOTS, MOST_SLOTS)
            .next_power_of_two() as usize;
        let enough = wanted_slots <= slots && wanted_slots * 8 > slots;
        let wanted_slots = if enough { slots } else { wanted_slots };
        (wanted_shift != shift || wanted_slots != slots).then_some((wanted_shift, wanted_slots))
    }
}
