//! How wide the slots should be, and how many.

use crate::time::Time;

/// As much as one look may change the width (as a power of two), and the slots of one jump that
/// count: a long silence then widens the slots a little instead of ruining them.
const LARGEST_STEP: u32 = 6;
/// Instants below which nothing can be said.
const FEWEST_INSTANTS: u64 = 16;
/// Slots turned between looks, at least.
const FEWEST_VISITS: u64 = 512;
/// Slots the wheel may have (a power of two).
const FEWEST_SLOTS: u64 = 128;
const MOST_SLOTS: u64 = 1 << 18;
/// The horizon, in mean delays of the events that wait.
const HORIZON: u128 = 8;

/// Watches the wheel turn. Its counts follow from the events alone, so the wheel's form does too.
pub struct Tuner {
    /// Until the next look.
    visits_left: u64,
    slots_passed: u64,
    events: u64,
    instants: u64,
    last_late: Time,
}

impl Default for Tuner {
    fn default() -> Self {
        Tuner {
            visits_left: FEWEST_VISITS / 8,
            slots_passed: 0,
            events: 0,
            instants: 0,
            last_late: Time::MAX,
        }
    }
}

impl Tuner {
    /// The wheel moved `ahead` slots on to a slot of so many events at so many instants.
    #[inline]
    pub fn saw(&mut self, ahead: u64, events: usize, instants: u64) {
        self.visits_left = self.visits_left.saturating_sub(1);
        self.slots_passed += ahead.min(1 << LARGEST_STEP);
        self.events += events as u64;
        self.instants += instants;
    }

    /// An event that came late into a crowded slot was taken out; true when it is time to look.
    pub fn saw_late(&mut self, at: Time) -> bool {
        self.visits_left = self.visits_left.saturating_sub(1);
        self.events += 1;
        self.instants += u64::from(at != self.last_late);
        self.last_late = at;
        self.is_due()
    }

    /// Is it time to look?
    #[inline]
    pub fn is_due(&self) -> bool {
        self.visits_left == 0
    }

    /// The width (as a power of two of ps) and number of slots for `len` events, if they should
    /// change.
    ///
    /// Slots as wide as the mean time between instants hold about one; by Little's law the
    /// events that wait are `len` times the time between events ahead, on average.
    pub fn advise(&mut self, shift: u32, slots: usize, len: usize) -> Option<(u32, usize)> {
        self.visits_left = FEWEST_VISITS.max(len as u64 / 2 + slots as u64 / 8);
        if self.instants < FEWEST_INSTANTS {
            return None;
        }
        let passed_ps = u128::from(self.slots_passed) << shift;
        let between_ps = passed_ps / u128::from(self.instants);
        let delay_ps = passed_ps.saturating_mul(len as u128) / u128::from(self.events);
        (self.slots_passed, self.events, self.instants) = (0, 0, 0);

        let width_ps = 1_u128 << shift;
        let fits = between_ps * 4 > width_ps * 3 && between_ps < width_ps * 3;
        let wanted_shift = if fits {
            shift
        } else {
            let wanted = between_ps.max(1).ilog2();
            wanted.clamp(
                shift.saturating_sub(LARGEST_STEP),
                (shift + LARGEST_STEP).min(63),
            )
        };
        let horizon_slots = delay_ps.saturating_mul(HORIZON) >> wanted_shift;
        let wanted_slots = horizon_slots
            .clamp(u128::from(FEWEST_SLOTS), u128::from(MOST_SLOTS))
            .next_power_of_two() as usize;
        let enough = wanted_slots <= slots && wanted_slots * 8 > slots;
        let wanted_slots = if enough { slots } else { wanted_slots };
        (wanted_shift != shift || wanted_slots != slots).then_some((wanted_shift, wanted_slots))
    }
}
