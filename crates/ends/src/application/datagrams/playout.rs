//! What a viewer sees: datagrams against their deadline, and whole pictures.

use alloc::collections::VecDeque;

use backwater_kernel::{Duration, Time};

/// A datagram whose deadline had not passed when the last one was sent.
#[derive(Clone, Copy, Debug)]
struct Pending {
    born_ps: u64,
    came_in_time: bool,
}

/// The last datagram of a picture under way.
#[derive(Clone, Copy, Debug)]
struct Picture {
    number: u64,
    began_ps: u64,
}

/// The receiver of a video.
pub(super) struct Playout {
    deadline: Duration,
    keeps_order: bool,
    /// Datagrams with consecutive numbers, the last one sent at the end.
    pending: VecDeque<Pending>,
    /// Number of the first of them.
    first_pending: u64,
    /// Of those that are no longer pending.
    due: u64,
    late: u64,
    pictures: VecDeque<Picture>,
}

impl Playout {
    /// `keeps_order`: what was sent before a datagram that came, and has not come, never will.
    pub fn new(deadline: Duration, keeps_order: bool) -> Playout {
        Playout {
            deadline,
            keeps_order,
            pending: VecDeque::new(),
            first_pending: 0,
            due: 0,
            late: 0,
            pictures: VecDeque::new(),
        }
    }

    /// A datagram is sent; the last of the picture that began at `picture_ps`, if any. From the
    /// first that is measured on all are.
    pub fn on_sent(&mut self, now: Time, number: u64, picture_ps: Option<u64>, is_measured: bool) {
        if let Some(began_ps) = picture_ps {
            self.pictures.push_back(Picture { number, began_ps });
        }
        if !is_measured {
            return;
        }
        while let Some(first) = self.pending.front()
            && self.has_passed(first, now)
        {
            self.due += 1;
            self.late += u64::from(!first.came_in_time);
            self.pending.pop_front();
            self.first_pending += 1;
        }
        if self.pending.is_empty() {
            self.first_pending = number;
        }
        self.pending.push_back(Pending {
            born_ps: now.ps(),
            came_in_time: false,
        });
    }

    /// A datagram came; it may complete a picture, whose beginning is returned.
    pub fn on_arrival(&mut self, now: Time, number: u64) -> Option<u64> {
        if let Some(at) = number.checked_sub(self.first_pending)
            && let Some(pending) = self.pending.get_mut(at as usize)
        {
            let took_ps = now.ps() - pending.born_ps;
            pending.came_in_time |= took_ps <= self.deadline.ps();
        }
        let at = self
            .pictures
            .binary_search_by_key(&number, |picture| picture.number)
            .ok()?;
        let began_ps = self.pictures[at].began_ps;
        if self.keeps_order {
            self.pictures.drain(..=at);
        } else {
            self.pictures.remove(at);
        }
        Some(began_ps)
    }

    /// Measured datagrams whose deadline has passed, and those of them that did not come in time.
    pub fn due_and_late(&self, now: Time) -> (u64, u64) {
        let passed = self.pending.iter();
        let passed = passed.take_while(|pending| self.has_passed(pending, now));
        passed.fold((self.due, self.late), |(due, late), pending| {
            (due + 1, late + u64::from(!pending.came_in_time))
        })
    }

    fn has_passed(&self, pending: &Pending, now: Time) -> bool {
        now.ps() - pending.born_ps > self.deadline.ps()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_by_hand() {
        let mut playout = Playout::new(Duration(10), true);
        playout.on_sent(Time(0), 0, None, false);
        for (at, number) in [(5, 1), (6, 2), (7, 3), (8, 4)] {
            playout.on_sent(Time(at), number, None, true);
        }
        playout.on_arrival(Time(9), 0); // not measured
        playout.on_arrival(Time(15), 1); // at its deadline: in time
        playout.on_arrival(Time(17), 2); // a picosecond late
        assert_eq!(playout.due_and_late(Time(15)), (0, 0));
        assert_eq!(playout.due_and_late(Time(16)), (1, 0));
        assert_eq!(playout.due_and_late(Time(17)), (2, 1));
        playout.on_arrival(Time(18), 4); // 3 is lost
        assert_eq!(playout.due_and_late(Time(18)), (3, 2));
        playout.on_sent(Time(40), 5, None, true);
        assert_eq!(playout.due_and_late(Time(40)), (4, 2));
        playout.on_arrival(Time(41), 2); // long settled
        playout.on_arrival(Time(41), 5);
        assert_eq!(playout.due_and_late(Time(60)), (5, 2));
    }

    #[test]
    fn pictures_end_with_their_last_datagram() {
        for keeps_order in [true, false] {
            let mut playout = Playout::new(Duration(10), keeps_order);
            playout.on_sent(Time(1), 0, None, true);
            playout.on_sent(Time(2), 1, Some(1), true);
            playout.on_sent(Time(3), 2, Some(3), true);
            assert_eq!(playout.on_arrival(Time(4), 0), None);
            assert_eq!(playout.on_arrival(Time(5), 2), Some(3));
            let overtaken = (!keeps_order).then_some(1);
            assert_eq!(playout.on_arrival(Time(6), 1), overtaken);
            assert_eq!(playout.on_arrival(Time(7), 1), None);
        }
    }
}
