//! Units (cells, frames, packets, control) in an index-based pool, and queues threaded through it.

use alloc::vec::Vec;

use backwater_kernel::Time;

use crate::hop::kind::{ControlKind, UnitKind};
use crate::hop::load::Loads;
pub(crate) use crate::hop::load::NONE;
use crate::scheduler::Packet;
use backwater_ends::control::RmCell;

/// One unit somewhere in the network: what queues and wires touch, half a cache line.
///
/// A frame is *routed*: it belongs to no leg, and three fields have another meaning for it.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub(crate) struct Unit {
    /// When it arrived at the node it is in; on the wire, when it will.
    pub arrived: Time,
    /// Next in the queue it stands in, or behind it on the wire.
    pub next: u32,
    /// Leg it waits for, crosses or controls. Routed: see [`Unit::way`].
    pub leg: u32,
    /// Position in its flow, from 0. Routed: see [`Unit::hop`].
    pub number: u32,
    /// Bytes on the wire; of a frame without preamble and gap.
    pub bytes: u32,
    /// Its copy in common memory, if several branches share it. Routed: see [`Unit::account`].
    pub shared: u32,
    pub kind: UnitKind,
    /// Class of a frame.
    pub class: u8,
    /// Congestion it met or may tell of, and who waits for its start: [`MARKED`] and so on.
    pub marks: u8,
    /// It won't arrive: the wire loses it, or its CRC will fail.
    pub is_lost: bool,
}

/// A unit met congestion (EFCI of cells, CE of frames).
pub(crate) const MARKED: u8 = 1;
/// A frame may be marked (ECN).
pub(crate) const ECT: u8 = 2;
/// Its port asks for the next frame of its way as it starts.
pub(crate) const PULLED: u8 = 4;
/// Switches write into it what they see.
pub(crate) const TELEMETRY: u8 = 8;

impl Unit {
    /// A unit of data as its source makes it.
    #[inline]
    pub fn data(now: Time, number: u32, bytes: u32) -> Unit {
        Unit {
            arrived: now,
            next: NONE,
            leg: NONE,
            number,
            bytes,
            shared: NONE,
            kind: UnitKind::Data,
            class: 0,
            marks: 0,
            is_lost: false,
        }
    }

    /// A control unit of `leg`.
    pub fn control(kind: ControlKind, leg: u32, bytes: u32) -> Unit {
        Unit {
            leg,
            kind: UnitKind::Control(kind),
            ..Unit::data(Time::ZERO, 0, bytes)
        }
    }

    /// It met congestion.
    #[inline]
    pub fn is_marked(&self) -> bool {
        self.marks & MARKED != 0
    }
}

/// Every unit of a run; freed places are used again.
#[derive(Default)]
pub(crate) struct Units {
    units: Vec<Unit>,
    /// By place, of data: when its source offered it, in ps. Of control: its value.
    stamps: Vec<u64>,
    free: u32,
    live: u32,
    /// What frames carry, which only their ends read; by place, as long as needed.
    pub loads: Loads,
    /// Ranks, where ports give any; by place, as long as needed.
    ranks: Vec<u64>,
    /// The unit each one found before it in its queue, where a pool may push it out; by place,
    /// as long as needed.
    before: Vec<u32>,
    /// Places in the queue by joining, where a queue has several chains; by place, as long as
    /// needed.
    orders: Vec<u32>,
    /// What RM cells say; by place, as long as needed.
    rm_cells: Vec<RmCell>,
}

impl Units {
    pub fn new() -> Units {
        Units {
            free: NONE,
            ..Units::default()
        }
    }

    /// A unit of data born, or of control with the value, `stamp`.
    #[inline(always)]
    pub fn insert(&mut self, unit: Unit, stamp: u64) -> u32 {
        self.live += 1;
        let place = self.free;
        let Some(slot) = self.units.get_mut(place as usize) else {
            return self.insert_anew(unit, stamp);
        };
        self.free = slot.next;
        *slot = unit;
        self.stamps[place as usize] = stamp;
        place
    }

    /// No place is free.
    #[cold]
    #[inline(never)]
    fn insert_anew(&mut self, unit: Unit, stamp: u64) -> u32 {
        self.units.push(unit);
        self.stamps.push(stamp);
        (self.units.len() - 1) as u32
    }

    /// When the source offered the unit of data at `place`.
    #[inline]
    pub fn born(&self, place: u32) -> Time {
        Time(self.stamps[place as usize])
    }

    /// The unit of data at `place` is born only now.
    #[inline]
    pub fn set_born(&mut self, place: u32, born: Time) {
        self.stamps[place as usize] = born.ps();
    }

    /// What the control unit at `place` says.
    #[inline]
    pub fn value(&self, place: u32) -> u64 {
        self.stamps[place as usize]
    }

    /// Units in queues and on wires.
    #[inline]
    pub fn live(&self) -> u32 {
        self.live
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

    /// The unit at `place` joined its queue as number `order`.
    pub fn set_order(&mut self, place: u32, order: u32) {
        if self.orders.len() <= place as usize {
            self.orders.resize(self.units.capacity(), 0);
        }
        self.orders[place as usize] = order;
    }

    /// As which number it joined.
    pub fn order(&self, place: u32) -> u32 {
        self.orders[place as usize]
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
        if let Some(last) = self.append(place) {
            units.get_mut(last).next = place;
        }
    }

    /// Joins the unit at its end. Neither is told: the last one before it, which this gives back,
    /// is to lead to it, and it to none.
    #[inline]
    pub fn append(&mut self, place: u32) -> Option<u32> {
        let last = self.tail;
        self.tail = place;
        self.len += 1;
        if self.len == 1 {
            self.head = place;
            return None;
        }
        Some(last)
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

    /// The first unit; [`NONE`] if there is none.
    #[inline]
    pub fn first(&self) -> u32 {
        match self.len {
            0 => NONE,
            _ => self.head,
        }
    }

    /// Takes the first unit, if there is one.
    #[inline]
    pub fn take(&mut self, units: &Units) -> Option<u32> {
        (self.len > 0).then(|| self.pop(units))
    }

    /// Takes the first unit, which is there; and gives it back, found once.
    #[inline(always)]
    pub fn take_first<'a>(&mut self, units: &'a mut Units) -> (u32, &'a mut Unit) {
        let place = self.head;
        let unit = units.get_mut(place);
        self.head = unit.next;
        self.len -= 1;
        (place, unit)
    }

    /// The places of all units, first to last.
    pub fn places(&self, units: &Units) -> impl Iterator<Item = u32> {
        let mut next = self.head;
        (0..self.len).map(move |_| {
            let place = next;
            next = units.get(place).next;
            place
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
    /// The account that holds a frame.
    account: u32,
    /// When the last bit of the branches that have started it leaves.
    sent_until: Time,
}

impl SharedCopies {
    /// A copy that `branches` branches will send.
    pub fn insert(&mut self, branches: u32) -> u32 {
        self.insert_frame(branches, NONE)
    }

    /// The same of a frame that `account` holds.
    pub fn insert_frame(&mut self, branches: u32, account: u32) -> u32 {
        let copy = SharedCopy {
            branches_left: branches,
            account,
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

    /// The account that holds the frame.
    pub fn account(&self, place: u32) -> u32 {
        self.copies[place as usize].account
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
        let places = [0, 1, 2].map(|number| units.insert(Unit::data(Time::ZERO, number, 53), 0));
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
    fn a_unit_is_half_a_cache_line() {
        assert_eq!(size_of::<Unit>(), 32);
    }

    #[test]
    fn the_last_unit_is_taken_with_and_without_a_hint() {
        for hint in [1, 0, 2, NONE] {
            let (mut units, mut queue, [first, second, third]) = three();
            assert_eq!(queue.pop_last(&mut units, hint), third);
            assert_eq!(numbers(&units, &queue), [0, 1]);
            let other = units.insert(Unit::data(Time::ZERO, 7, 53), 0);
            queue.push(&mut units, other);
            assert_eq!(numbers(&units, &queue), [0, 1, 7]);
            assert_eq!(queue.pop_last(&mut units, second), other);
            assert_eq!(queue.pop_last(&mut units, first), second);
            assert_eq!(queue.pop_last(&mut units, NONE), first);
            assert_eq!(queue.len, 0);
        }
    }
}
