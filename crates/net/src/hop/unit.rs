//! Units (cells, frames, packets, control) in an index-based pool, and queues threaded through it.

use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::hop::kind::{ControlKind, UnitKind};
use crate::scheduler::Packet;
use backwater_ends::control::RmCell;

/// No unit, no leg, no shared copy.
pub(crate) const NONE: u32 = u32::MAX;

/// One unit somewhere in the network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    /// Data: when its source offered it, in ps. Control: its value.
    pub stamp: u64,
    /// When it arrived at the node it is in; on the wire, when it will.
    pub arrived: Time,
    /// Next in the queue it stands in, or behind it on the wire.
    pub next: u32,
    /// Leg it waits for, crosses or controls.
    pub leg: u32,
    /// Position in its flow, from 0.
    pub number: u32,
    /// Bytes on the wire.
    pub bytes: u32,
    /// Its copy in common memory, if several branches share it.
    pub shared: u32,
    pub kind: UnitKind,
    /// It won't arrive: the wire loses it, or its CRC will fail.
    pub is_lost: bool,
    /// It met congestion (EFCI).
    pub is_marked: bool,
}

impl Unit {
    /// A unit of data as its source makes it.
    #[inline]
    pub fn data(born: Time, number: u32, bytes: u32) -> Unit {
        Unit {
            stamp: born.ps(),
            arrived: born,
            next: NONE,
            leg: NONE,
            number,
            bytes,
            shared: NONE,
            kind: UnitKind::Data,
            is_lost: false,
            is_marked: false,
        }
    }

    /// A control unit of `leg`.
    pub fn control(kind: ControlKind, leg: u32, value: u64, bytes: u32) -> Unit {
        Unit {
            stamp: value,
            leg,
            kind: UnitKind::Control(kind),
            ..Unit::data(Time::ZERO, 0, bytes)
        }
    }

    /// When the source offered this unit of data.
    #[inline]
    pub fn born(&self) -> Time {
        Time(self.stamp)
    }
}

/// Every unit of a run; freed places are used again.
#[derive(Default)]
pub(crate) struct Units {
    units: Vec<Unit>,
    free: u32,
    live: u32,
    /// Ranks, where ports give any; by place, as long as needed.
    ranks: Vec<u64>,
    /// The unit each one found before it in its queue, where a pool may push it out; by place,
    /// as long as needed.
    before: Vec<u32>,
    /// What RM cells say; by place, as long as needed.
    rm_cells: Vec<RmCell>,
}

impl Units {
    pub fn new() -> Units {
        Units {
            units: Vec::new(),
            free: NONE,
            live: 0,
            ranks: Vec::new(),
            before: Vec::new(),
            rm_cells: Vec::new(),
        }
    }

    #[inline]
    pub fn insert(&mut self, unit: Unit) -> u32 {
        self.live += 1;
        if self.free == NONE {
            self.units.push(unit);
            return (self.units.len() - 1) as u32;
        }
        let place = self.free;
        let slot = &mut self.units[place as usize];
        self.free = slot.next;
        *slot = unit;
        place
    }

    #[inline]
    pub fn remove(&mut self, place: u32) {
        self.units[place as usize].next = self.free;
        self.free = place;
        self.live -= 1;
    }

    /// There is or was a unit at this place.
    pub fn has(&self, place: u32) -> bool {
        (place as usize) < self.units.len()
    }

    #[inline]
    pub fn get(&self, place: u32) -> &Unit {
        &self.units[place as usize]
    }

    #[inline]
    pub fn get_mut(&mut self, place: u32) -> &mut Unit {
        &mut self.units[place as usize]
    }
}

impl Units {
    /// The port where the unit waits gave it this rank.
    #[inline]
    pub fn set_rank(&mut self, place: u32, rank: u64) {
        if self.ranks.len() <= place as usize {
            self.ranks.resize(self.units.capacity(), 0);
        }
        self.ranks[place as usize] = rank;
    }

    /// A unit with a rank, as its port sees it.
    #[inline]
    pub fn packet(&self, place: u32) -> Packet {
        let unit = self.get(place);
        Packet {
            rank: self.rank(place),
            came: unit.arrived,
            bytes: unit.bytes,
        }
    }

    /// The unit at `place` is an RM cell that says this.
    pub fn set_rm(&mut self, place: u32, cell: RmCell) {
        if self.rm_cells.len() <= place as usize {
            self.rm_cells
                .resize(self.units.capacity(), RmCell::default());
        }
        self.rm_cells[place as usize] = cell;
    }

    /// What the RM cell at `place` says.
    pub fn rm(&self, place: u32) -> RmCell {
        self.rm_cells[place as usize]
    }

    /// The unit at `place` found `before` at the end of its queue.
    pub fn set_before(&mut self, place: u32, before: u32) {
        if self.before.len() <= place as usize {
            self.before.resize(self.units.capacity(), NONE);
        }
        self.before[place as usize] = before;
    }

    /// The unit that was before this one, if it was noted; it may have gone since.
    pub fn before(&self, place: u32) -> u32 {
        self.before.get(place as usize).copied().unwrap_or(NONE)
    }

    /// The rank of a unit that was given one.
    #[inline]
    pub fn rank(&self, place: u32) -> u64 {
        self.ranks[place as usize]
    }
}

/// A first-in first-out queue of units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fifo {
    pub head: u32,
    pub tail: u32,
    pub len: u32,
}

impl Fifo {
    pub const EMPTY: Fifo = Fifo {
        head: NONE,
        tail: NONE,
        len: 0,
    };

    #[inline]
    pub fn push(&mut self, units: &mut Units, place: u32) {
        units.get_mut(place).next = NONE;
        if self.len == 0 {
            self.head = place;
        } else {
            units.get_mut(self.tail).next = place;
        }
        self.tail = place;
        self.len += 1;
    }

    /// Puts the unit before the first with a larger rank.
    pub fn insert_by_rank(&mut self, units: &mut Units, place: u32) {
        let rank = units.rank(place);
        if self.len == 0 || units.rank(self.tail) <= rank {
            return self.push(units, place);
        }
        self.len += 1;
        if units.rank(self.head) > rank {
            units.get_mut(place).next = self.head;
            self.head = place;
            return;
        }
        let mut before = self.head;
        while units.rank(units.get(before).next) <= rank {
            before = units.get(before).next;
        }
        units.get_mut(place).next = units.get(before).next;
        units.get_mut(before).next = place;
    }

    /// Takes the last unit; the queue must not be empty. `hint` is the unit before it, if that
    /// has not changed since it was noted; without it the queue is walked.
    pub fn pop_last(&mut self, units: &mut Units, hint: u32) -> u32 {
        let last = self.tail;
        self.len -= 1;
        if self.len == 0 {
            return last;
        }
        let leads_here = |place: u32| units.get(place).next == last;
        let mut before = hint;
        if !units.has(hint) || !leads_here(hint) {
            before = self.head;
            while !leads_here(before) {
                before = units.get(before).next;
            }
        }
        // What a hint is checked by must not outlive the unit that is gone.
        units.get_mut(before).next = NONE;
        self.tail = before;
        last
    }

    /// Every unit, first to last.
    pub fn iter<'a>(&self, units: &'a Units) -> impl Iterator<Item = &'a Unit> {
        let mut next = self.head;
        (0..self.len).map(move |_| {
            let unit = units.get(next);
            next = unit.next;
            unit
        })
    }

    /// Takes the first unit; the queue must not be empty.
    #[inline]
    pub fn pop(&mut self, units: &Units) -> u32 {
        let place = self.head;
        self.head = units.get(place).next;
        self.len -= 1;
        place
    }
}

/// Copies in common memory that several branches still have to send.
#[derive(Default)]
pub(crate) struct SharedCopies {
    copies: Vec<SharedCopy>,
    free: Vec<u32>,
}

struct SharedCopy {
    branches_left: u32,
    /// When the last bit of the branches that have started it leaves.
    sent_until: Time,
}

impl SharedCopies {
    /// A copy that `branches` branches will send.
    pub fn insert(&mut self, branches: u32) -> u32 {
        let copy = SharedCopy {
            branches_left: branches,
            sent_until: Time::ZERO,
        };
        match self.free.pop() {
            Some(place) => {
                self.copies[place as usize] = copy;
                place
            }
            None => {
                self.copies.push(copy);
                (self.copies.len() - 1) as u32
            }
        }
    }

    /// One branch has sent it, or will not, and is done with it at `until`. When it was the
    /// last: the instant at which all of them are done.
    pub fn sent_by_one(&mut self, place: u32, until: Time) -> Option<Time> {
        let copy = &mut self.copies[place as usize];
        copy.branches_left -= 1;
        copy.sent_until = copy.sent_until.max(until);
        if copy.branches_left > 0 {
            return None;
        }
        self.free.push(place);
        Some(copy.sent_until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> (Units, Fifo, [u32; 3]) {
        let mut units = Units::new();
        let places = [0, 1, 2].map(|number| units.insert(Unit::data(Time::ZERO, number, 53)));
        let mut queue = Fifo::EMPTY;
        for place in places {
            queue.push(&mut units, place);
        }
        (units, queue, places)
    }

    fn numbers(units: &Units, queue: &Fifo) -> Vec<u32> {
        queue.iter(units).map(|unit| unit.number).collect()
    }

    #[test]
    fn a_unit_is_forty_bytes() {
        assert_eq!(size_of::<Unit>(), 40);
    }

    #[test]
    fn the_last_unit_is_taken_with_and_without_a_hint() {
        for hint in [1, 0, 2, NONE] {
            let (mut units, mut queue, [first, second, third]) = three();
            assert_eq!(queue.pop_last(&mut units, hint), third);
            assert_eq!(numbers(&units, &queue), [0, 1]);
            let other = units.insert(Unit::data(Time::ZERO, 7, 53));
            queue.push(&mut units, other);
            assert_eq!(numbers(&units, &queue), [0, 1, 7]);
            assert_eq!(queue.pop_last(&mut units, second), other);
            assert_eq!(queue.pop_last(&mut units, first), second);
            assert_eq!(queue.pop_last(&mut units, NONE), first);
            assert_eq!(queue.len, 0);
        }
    }
}
