//! Lanes: frames of a queue that are held back together, and apart from others of their class.
//!
//! Where nothing asks for more, a class is one lane, and its queue is that. Where stations can be
//! stopped one by one, or each flow or station has credit of its own, the queue is sorted: what is
//! held back never waits in front of what is not, and the frames of a lane stay in order.
//!
//! A lane with credit has a number: that of its account at the far end, and of its credit.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{BitSet, BuildError, Channels};

use crate::classes::routes::{Tables, mix};
use crate::classes::shape::{Has, LANES, may};
use crate::classes::{Classes, FrameFlow};
use crate::hop::unit::{Fifo, NONE, Unit, Units};
use crate::spec::frames::{EthernetSpec, FlowSpec, Owner};

/// The frames of a queue that one owner has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lane {
    /// A station, a way (see [`Unit::way`]), or what ways are hashed to.
    pub owner: u32,
    /// Where its frames go; of ways that share it, the first.
    pub destination: u32,
    pub chain: Fifo,
    pub bytes: u64,
    /// What holds it back: bits of [`Lane::STOPPED`] and so on.
    held: u8,
}

impl Lane {
    /// Its station is stopped.
    pub const STOPPED: u8 = 1;
    /// Its first frame lacks credit.
    pub const SHUT: u8 = 2;

    #[inline]
    pub fn is(&self, bit: u8) -> bool {
        self.held & bit != 0
    }
}

/// A queue by lanes; a queue that is not sorted has none.
#[derive(Clone, Debug)]
pub(crate) struct Lanes {
    /// Whose they are.
    pub by: Owner,
    /// Sorted by owner; those that ways share, by the first of these.
    pub lanes: Vec<Lane>,
    /// Where ways share lanes: the place of the lane of each, sorted.
    ways: Vec<(u32, u32)>,
    /// Number of the first, of those that follow each other; [`NONE`] without credit.
    pub first: u32,
    /// Bytes in stopped lanes.
    pub blocked_bytes: u64,
    /// Lanes that lack credit.
    pub shut: u32,
    /// Those with a frame that may go.
    ready: BitSet,
    /// The lane after the one that went last.
    turn: usize,
}

impl Lanes {
    fn new(by: Owner, owners: &[(u32, u32)]) -> Lanes {
        let lane = |(owner, destination): &(u32, u32)| Lane {
            owner: *owner,
            destination: *destination,
            chain: Fifo::EMPTY,
            bytes: 0,
            held: 0,
        };
        Lanes {
            by,
            lanes: owners.iter().map(lane).collect(),
            ways: Vec::new(),
            first: NONE,
            blocked_bytes: 0,
            shut: 0,
            ready: BitSet::new(owners.len()),
            turn: 0,
        }
    }

    /// The same of ways and their stations, in order, of which several may share a lane: these are
    /// in the order of the first way of each.
    fn shared(by: Owner, owners: &[(u32, u32)], number_of: impl Fn(u32) -> u32) -> Lanes {
        let (mut places, mut firsts, mut ways) = (BTreeMap::new(), Vec::new(), Vec::new());
        for (way, to) in owners {
            let number = number_of(*way);
            let place = *places.entry(number).or_insert_with(|| {
                firsts.push((number, *to));
                firsts.len() as u32 - 1
            });
            ways.push((*way, place));
        }
        Lanes {
            ways,
            ..Lanes::new(by, &firsts)
        }
    }

    /// The place of the lane of an owner, if any of its frames crosses here.
    #[inline]
    pub fn find(&self, owner: u32) -> Option<usize> {
        let place = self.lanes.binary_search_by_key(&owner, |lane| lane.owner);
        place.ok()
    }

    /// The place of the lane of a frame.
    #[inline]
    pub fn place_of(&self, frame: &Unit, flows: &[FrameFlow]) -> usize {
        let owner = match self.by {
            Owner::Flow => frame.way(),
            Owner::Hash(_) => return self.place_of_way(frame.way()),
            Owner::Destination | Owner::Class => {
                let flow = &flows[frame.flow() as usize];
                flow.ends(frame.is_forward()).1
            }
        };
        match self.find(owner) {
            Some(place) => place,
            None => unreachable!("a frame is where no way of its flow leads"),
        }
    }

    /// The place of the lane that a way shares.
    #[inline(never)]
    fn place_of_way(&self, way: u32) -> usize {
        match self.shared_by(way) {
            Some(place) => place,
            None => unreachable!("a frame is where no way of its flow leads"),
        }
    }

    fn shared_by(&self, way: u32) -> Option<usize> {
        let at = self.ways.binary_search_by_key(&way, |own| own.0).ok()?;
        Some(self.ways[at].1 as usize)
    }

    /// What a way is hashed to, where ways share lanes.
    pub fn number_of_way(&self, way: u32) -> Option<u32> {
        Some(self.lanes[self.shared_by(way)?].owner)
    }

    /// Does each lane have credit of its own?
    #[inline]
    pub fn has_credit(&self) -> bool {
        self.first != NONE
    }

    /// May a lane have frames of several ways to several stations?
    pub fn is_shared(&self) -> bool {
        self.by.hash_lanes().is_some()
    }

    /// The numbers of those with credit.
    pub fn numbers(&self) -> core::ops::Range<u32> {
        match self.has_credit() {
            true => self.first..self.first + self.lanes.len() as u32,
            false => 0..0,
        }
    }

    /// May any of its frames go?
    #[inline]
    pub fn is_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// A frame joins a lane; is it the first there?
    pub fn push(&mut self, place: usize, units: &mut Units, id: u32) -> bool {
        let bytes = u64::from(units.get(id).bytes);
        let lane = &mut self.lanes[place];
        lane.chain.push(units, id);
        lane.bytes += bytes;
        if lane.is(Lane::STOPPED) {
            self.blocked_bytes += bytes;
        }
        self.renew(place);
        self.lanes[place].chain.len == 1
    }

    /// The lane whose frame goes next. Where stations may be stopped, that is the frame that joined
    /// first; lanes of flows go in turns, each its own or shared.
    pub fn next(&self, units: &Units) -> Option<usize> {
        if self.by.goes_in_turns() {
            return self.ready.next_cyclic(self.turn);
        }
        let mut from = 0;
        let ready = core::iter::from_fn(|| {
            let place = self.ready.next_from(from)?;
            from = place + 1;
            Some(place)
        });
        ready.min_by_key(|place| units.order(self.lanes[*place].chain.head))
    }

    /// Takes the frame that goes next.
    pub fn take(&mut self, units: &Units) -> Option<u32> {
        let place = self.next(units)?;
        let lane = &mut self.lanes[place];
        let id = lane.chain.take(units)?;
        lane.bytes -= u64::from(units.get(id).bytes);
        self.turn = place + 1;
        self.renew(place);
        Some(id)
    }

    /// A lane is held back, or not any more; was it the other way?
    pub fn hold(&mut self, place: usize, bit: u8, is_on: bool) -> bool {
        let lane = &mut self.lanes[place];
        if lane.is(bit) == is_on {
            return false;
        }
        lane.held ^= bit;
        match (bit, is_on) {
            (Lane::STOPPED, true) => self.blocked_bytes += lane.bytes,
            (Lane::STOPPED, false) => self.blocked_bytes -= lane.bytes,
            (_, true) => self.shut += 1,
            (_, false) => self.shut -= 1,
        }
        self.renew(place);
        true
    }

    /// Nothing waits any more.
    pub fn empty(&mut self) {
        for lane in &mut self.lanes {
            (lane.chain, lane.bytes) = (Fifo::EMPTY, 0);
        }
        self.blocked_bytes = 0;
        self.ready.clear();
    }

    fn renew(&mut self, place: usize) {
        let lane = &self.lanes[place];
        match lane.chain.len > 0 && lane.held == 0 {
            true => self.ready.insert(place),
            false => self.ready.remove(place),
        }
    }
}

impl Classes {
    /// The lanes of a queue that is sorted.
    #[inline]
    pub(crate) fn sorted(&self, queue: usize) -> Option<&Lanes> {
        self.lanes.get(queue).filter(|own| own.by != Owner::Class)
    }

    #[inline]
    pub(crate) fn sorted_mut(&mut self, queue: usize) -> Option<&mut Lanes> {
        let lanes = self.lanes.get_mut(queue);
        lanes.filter(|own| own.by != Owner::Class)
    }

    /// The number of the lane in which a frame crosses a channel, which is the one of the account
    /// that holds it behind.
    #[inline]
    pub(crate) fn lane(&self, channel: u32, frame: &Unit) -> u32 {
        let queue = self.queue(channel, frame.class);
        match self.lanes.get(queue) {
            Some(own) if own.has_credit() => own.first + own.place_of(frame, &self.flows) as u32,
            _ => queue as u32,
        }
    }

    /// The same, where a network may have lanes, or has none.
    #[inline(always)]
    pub(crate) fn lane_in<const HAS: Has>(&self, channel: u32, frame: &Unit) -> u32 {
        match may(HAS, LANES) {
            true => self.lane(channel, frame),
            false => self.queue_in::<HAS>(channel, frame.class) as u32,
        }
    }

    /// [`Self::queue_of`] likewise, without the place.
    #[inline(always)]
    pub(crate) fn account_in<const HAS: Has>(&self, lane: u32) -> usize {
        match may(HAS, LANES) {
            true => self.queue_of(lane).0,
            false => lane as usize,
        }
    }

    /// The queue that a lane stands in, and the lane's place there, if the queue is sorted.
    #[inline]
    pub(crate) fn queue_of(&self, lane: u32) -> (usize, Option<usize>) {
        match (lane as usize).checked_sub(self.queues.len()) {
            None => (lane as usize, None),
            Some(extra) => {
                let queue = self.lane_queues[extra] as usize;
                (queue, Some((lane - self.lanes[queue].first) as usize))
            }
        }
    }
}

/// The number of the lane, of so many, that frames of a way have on a channel: a hash as ways are
/// chosen by, of other words, so that flows of one hop share a lane as often as any others do.
pub fn hashed(seed: u64, channel: u32, way: u32, lanes: u32) -> u32 {
    let hash = mix(&[seed, way.into(), channel.into(), u64::MAX]);
    (hash % u64::from(lanes.max(1))) as u32
}

/// Whose lanes each queue has.
fn owners(spec: &EthernetSpec, stops_stations: bool) -> Vec<Owner> {
    let mut all = Vec::new();
    for channel in spec.channels() {
        for class in 0..channel.queues.len() {
            let credit = channel.credits.get(class).copied().flatten();
            all.push(match credit.map(|credit| credit.owner) {
                None | Some(Owner::Class) if stops_stations => Owner::Destination,
                by => by.unwrap_or_default(),
            });
        }
    }
    all
}

/// Ways that frames of a flow take: nothing comes back for datagrams.
fn ways(flow: &FlowSpec) -> u32 {
    match flow.transport.is_connection() {
        false => 1,
        true => 2,
    }
}

/// How many lanes with credit of their own each queue has, by channel and class: none where a class
/// is one lane.
///
/// # Errors
/// If a flow has no way.
pub fn count(spec: &EthernetSpec) -> Result<Vec<u32>, BuildError> {
    let lanes = build(spec, false)?;
    Ok(lanes.iter().map(|own| own.lanes.len() as u32).collect())
}

/// The lanes of all queues, none where no queue is sorted.
pub(crate) fn build(spec: &EthernetSpec, stops_stations: bool) -> Result<Vec<Lanes>, BuildError> {
    let by = owners(spec, stops_stations);
    if by.iter().all(|by| *by == Owner::Class) {
        return Ok(Vec::new());
    }
    let tables = Tables::new(spec)?;
    let classes = spec.links.channel(0).queues.len();
    let mut of_queues: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); by.len()];
    for (flow, id) in spec.flows.iter().zip(0_u32..) {
        for way in 2 * id..2 * id + ways(flow) {
            let to = match way % 2 {
                0 => flow.address(id),
                _ => flow.source,
            };
            for channel in tables.crossed(spec, way)? {
                for class in flow.classes() {
                    let queue = channel as usize * classes + usize::from(class);
                    let owner = match by[queue] {
                        Owner::Class => continue,
                        Owner::Destination => to,
                        Owner::Flow | Owner::Hash(_) => way,
                    };
                    of_queues[queue].insert(owner, to);
                }
            }
        }
    }
    let lanes = (0..).zip(by).zip(of_queues).map(|((queue, by), owners)| {
        let owners: Vec<(u32, u32)> = owners.into_iter().collect();
        match by.hash_lanes() {
            Some(lanes) => {
                let channel = queue / classes as u32;
                Lanes::shared(by, &owners, |way| hashed(spec.seed, channel, way, lanes))
            }
            None => Lanes::new(by, &owners),
        }
    });
    Ok(lanes.collect())
}

/// Numbers the lanes with credit of their own, above those of the queues; their queues, in order.
pub(crate) fn number(spec: &EthernetSpec, lanes: &mut [Lanes]) -> Vec<u32> {
    let credits = spec.channels().flat_map(|channel| {
        let classes = 0..channel.queues.len();
        classes.map(|class| channel.credits.get(class).copied().flatten())
    });
    let (first, mut queues) = (lanes.len(), Vec::new());
    for (credit, (own, queue)) in credits.zip(lanes.iter_mut().zip(0_u32..)) {
        if credit.is_some_and(|credit| credit.owner != Owner::Class) {
            own.first = (first + queues.len()) as u32;
            queues.extend(own.lanes.iter().map(|_| queue));
        }
    }
    queues
}

#[cfg(test)]
mod tests;
