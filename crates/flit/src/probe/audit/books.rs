//! Where every flit is, by what the probe is told alone.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use super::Notes;
use super::ledger::{ChannelBook, Due, Hop, LaneBook, PacketBook, Visit};
use super::plan::{Node, Plan};
use crate::lane::NONE;
use crate::probe::{Crossing, Tag};
use crate::spec::{FabricSpec, Release};

/// The books.
#[derive(Debug)]
pub struct Books {
    pub plan: Plan,
    /// By channel times lanes plus lane.
    pub lanes: Vec<LaneBook>,
    pub channels: Vec<ChannelBook>,
    /// By number.
    pub packets: Vec<PacketBook>,
    pub totals: Totals,
    /// Flits that have left a buffer in this cycle.
    pub moves: Vec<Move>,
    /// Packets born since the books were last asked.
    pub births: u64,
    /// Places that become free, and flits that come.
    credits: Due,
    flights: Due,
    /// What is due by the start of this cycle has been noted.
    settled: u64,
    /// By terminal: birth of the last packet whose header left.
    last_birth: Vec<u64>,
    /// By source, destination and class: place of the last packet delivered.
    last_entered: BTreeMap<(u32, u32, u8), u64>,
}

/// A flit left one lane, or its source, for another.
#[derive(Clone, Copy, Debug)]
pub struct Move {
    /// Place of the lane it left; [`NONE`] at its source.
    pub from: u32,
    /// Place of the lane it took a place of.
    pub into: u32,
}

/// Counts of flits, and of packets alive.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    pub created: u64,
    /// Left their sources.
    pub injected: u64,
    /// Went over the channels to their terminals.
    pub ejected: u64,
    /// Belong to packets that are complete.
    pub delivered: u64,
    pub packets: u64,
    /// Headers that have left sources.
    entered: u64,
}

impl Books {
    pub fn new(spec: &FabricSpec) -> Result<Books, BuildError> {
        let plan = Plan::new(spec)?;
        let lanes = plan.channels.len() * plan.lanes;
        Ok(Books {
            lanes: (0..lanes).map(|_| LaneBook::new(plan.depth)).collect(),
            channels: vec![ChannelBook::default(); plan.channels.len()],
            packets: Vec::new(),
            totals: Totals::default(),
            moves: Vec::new(),
            births: 0,
            credits: Due::new(plan.credit_delay),
            flights: Due::new(plan.flight_most),
            settled: 0,
            last_birth: vec![0; spec.graph.inject.len()],
            last_entered: BTreeMap::new(),
            plan,
        })
    }

    /// Index of a lane.
    pub fn place(&self, channel: u32, lane: u8) -> usize {
        channel as usize * self.plan.lanes + usize::from(lane)
    }

    /// The packet with this number.
    pub fn packet(&self, number: u32) -> Option<&PacketBook> {
        let book = self.packets.get(number as usize)?;
        book.is_alive.then_some(book)
    }

    pub fn terminals(&self) -> usize {
        self.last_birth.len()
    }

    /// Lanes that packets leave their sources by.
    pub fn source_lanes(&self) -> u64 {
        (self.last_birth.len() * self.plan.lanes) as u64
    }

    pub fn born(&mut self, tag: &Tag, notes: &mut Notes) {
        let index = tag.number as usize;
        if self.packets.len() <= index {
            self.packets.resize_with(index + 1, PacketBook::new);
        }
        let book = &mut self.packets[index];
        notes.require(!book.is_alive, || {
            format!("{tag} has the number of a packet alive")
        });
        book.begin(*tag);
        self.totals.created += u64::from(tag.length);
        self.totals.packets += 1;
        self.births += 1;
    }

    /// Notes what has come by the start of `cycle`.
    #[inline]
    pub fn settle(&mut self, cycle: u64) {
        if cycle <= self.settled {
            return;
        }
        self.settled = cycle;
        let lanes = &mut self.lanes;
        self.credits.take(cycle, |place| lanes[place].credit());
        self.flights.take(cycle, |place| lanes[place].arrive());
    }

    /// The packet at the front of a lane: its header is not under way any more.
    #[inline]
    pub fn front(&self, lane: &LaneBook) -> Option<Visit> {
        let first = lane.first?;
        let has_left = || {
            let packet = self.packets.get(first.packet as usize);
            packet.is_some_and(|packet| packet.gone(first.hop() + 1) > 0)
        };
        (lane.here > 0 || has_left()).then_some(first)
    }

    /// A packet is complete.
    pub fn delivered(&mut self, cycle: u64, tag: &Tag, notes: &mut Notes) {
        let is_alive = self.packet(tag.number).is_some_and(|book| book.tag == *tag);
        if !notes.require(is_alive, || format!("{tag} is delivered, but not alive")) {
            return;
        }
        let book = &mut self.packets[tag.number as usize];
        book.is_alive = false;
        let whole = book.hops.iter().all(|hop| hop.flits == tag.length);
        let (due, entered) = (book.due, book.entered);
        notes.require(whole && due == Some(cycle), || {
            let tail = due.map_or("still under way".into(), |due| {
                format!("due in cycle {due}")
            });
            format!("{tag} is delivered with its tail {tail}; whole on all hops: {whole}")
        });
        self.totals.delivered += u64::from(tag.length);
        self.totals.packets -= 1;
        let is_ordered = self.plan.classes.get(usize::from(tag.class));
        if is_ordered.is_some_and(|class| class.is_ordered) {
            let ends = (tag.source, tag.destination, tag.class);
            let last = self.last_entered.insert(ends, entered);
            notes.require(last.is_none_or(|last| last < entered), || {
                format!("{tag} is delivered after one that entered later")
            });
        }
    }

    /// A flit goes into the small buffer of its channel.
    pub fn switched(&mut self, crossing: &Crossing, notes: &mut Notes) {
        self.settle(crossing.cycle);
        if !self.is_known(crossing, notes) {
            return;
        }
        let channel = crossing.channel as usize;
        let buffered = self.plan.is_buffered(channel);
        notes.require(buffered, || {
            format!("channel {channel} has no small buffer")
        });
        if !buffered || !self.leave(crossing, notes) {
            return;
        }
        let place = self.place(crossing.channel, crossing.lane);
        let lane = &mut self.lanes[place];
        lane.buffered = lane.buffered.saturating_add(1);
        let buffer = &mut self.channels[channel].buffer;
        buffer.push_back(*crossing);
        let (held, places) = (buffer.len(), self.plan.buffer);
        notes.require(held <= places, || {
            format!("{held} flits in the small buffer of channel {channel}, which has {places}")
        });
    }

    /// A flit crosses a channel.
    pub fn crossed(&mut self, crossing: &Crossing, notes: &mut Notes) {
        self.settle(crossing.cycle);
        if !self.is_known(crossing, notes) {
            return;
        }
        let channel = crossing.channel as usize;
        let book = &mut self.channels[channel];
        notes.require(book.free_from <= crossing.cycle, || {
            format!("channel {channel} carries two flits in a cycle")
        });
        book.free_from = crossing.cycle + 1;
        if self.plan.is_buffered(channel) {
            let first = book.buffer.pop_front();
            let cycle = crossing.cycle;
            let fits = first.is_some_and(|first| {
                first.cycle < cycle && Crossing { cycle, ..first } == *crossing
            });
            let place = self.place(crossing.channel, crossing.lane);
            let buffered = &mut self.lanes[place].buffered;
            *buffered = buffered.saturating_sub(1);
            notes.require(fits, || {
                format!("{crossing}, but first in its small buffer is {first:?}")
            });
        } else if !self.leave(crossing, notes) {
            return;
        }
        self.set_out(crossing, notes);
    }

    /// Does the crossing speak of things that there are?
    #[inline]
    fn is_known(&self, crossing: &Crossing, notes: &mut Notes) -> bool {
        let tag = &crossing.packet;
        let book = self.packet(tag.number);
        let class = self.plan.classes.get(usize::from(tag.class));
        let lane = u32::from(crossing.lane);
        let known = (crossing.channel as usize) < self.plan.channels.len()
            && usize::from(crossing.lane) < self.plan.lanes
            && crossing.flit < tag.length
            && book.is_some_and(|book| book.tag == *tag)
            && class.is_some();
        notes.require(known, || format!("{crossing}: no such VC, flit or packet"))
            && notes.require(
                class.is_some_and(|class| class.lanes >> lane & 1 == 1),
                || format!("{crossing}, which is no VC for its class"),
            )
    }

    /// A flit leaves its source or the lane it is in, and takes a place behind its channel.
    #[inline]
    fn leave(&mut self, crossing: &Crossing, notes: &mut Notes) -> bool {
        let &Crossing { flit, .. } = crossing;
        let Some(hop) = self.hop(crossing, notes) else {
            return false;
        };
        let book = &mut self.packets[crossing.packet.number as usize];
        let next = book.hops[hop].flits;
        notes.require(next == flit, || {
            format!("{crossing}, where flit {next} comes next")
        });
        book.hops[hop].flits = flit + 1;
        let before = hop.checked_sub(1).map(|before| book.hops[before]);
        let into = self.place(crossing.channel, crossing.lane);
        let from = match before {
            None => {
                self.enter(crossing, notes);
                NONE
            }
            Some(before) => {
                let from = self.place(before.channel, before.lane);
                self.take_out(before, from, crossing, notes);
                from as u32
            }
        };
        self.take_place(crossing, into, hop, notes);
        self.moves.push(Move {
            from,
            into: into as u32,
        });
        true
    }

    /// Which lane of its packet's way a flit goes into: a header into a new one, others into
    /// that which their packet has open, or else into any where it has been.
    #[inline]
    fn hop(&mut self, crossing: &Crossing, notes: &mut Notes) -> Option<usize> {
        let &Crossing { channel, lane, .. } = crossing;
        let number = crossing.packet.number;
        let open = self.lanes[self.place(channel, lane)].open;
        let hops = &mut self.packets[number as usize].hops;
        let hop = match open {
            _ if crossing.flit == 0 => {
                hops.push(Hop {
                    channel,
                    lane,
                    flits: 0,
                });
                Some(hops.len() - 1)
            }
            Some(visit)
                if visit.packet == number
                    && hops
                        .get(visit.hop())
                        .is_some_and(|hop| hop.is_at(channel, lane)) =>
            {
                Some(visit.hop())
            }
            _ => hops.iter().position(|hop| hop.is_at(channel, lane)),
        };
        notes.require(hop.is_some(), || {
            format!("{crossing}, where it does not follow its header")
        });
        hop
    }

    /// A flit leaves its source.
    #[inline]
    fn enter(&mut self, crossing: &Crossing, notes: &mut Notes) {
        let tag = crossing.packet;
        let from = self.plan.channels[crossing.channel as usize].from;
        notes.require(from == Node::Terminal(tag.source), || {
            format!("{crossing}, which does not begin at its source")
        });
        self.totals.injected += 1;
        if crossing.flit > 0 {
            return;
        }
        self.totals.entered += 1;
        self.packets[tag.number as usize].entered = self.totals.entered;
        if let Some(last) = self.last_birth.get_mut(tag.source as usize) {
            let before = core::mem::replace(last, tag.birth);
            notes.require(!self.plan.in_turn || before <= tag.birth, || {
                format!("{tag} enters after one born in cycle {before}")
            });
        }
    }

    /// A flit leaves a lane.
    #[inline]
    fn take_out(&mut self, hop: Hop, from: usize, crossing: &Crossing, notes: &mut Notes) {
        let (cycle, channel) = (crossing.cycle, hop.channel as usize);
        let course = self.plan.channels[channel];
        notes.require(
            self.plan.channels[crossing.channel as usize].from == course.to,
            || format!("{crossing}, which does not begin where channel {channel} ends"),
        );
        let lane = &mut self.lanes[from];
        let number = crossing.packet.number;
        let first = lane.first.map(|visit| visit.packet);
        let is_there = crossing.flit < hop.flits && lane.flits() > 0;
        notes.require(is_there && first == Some(number), || {
            format!(
                "{crossing}, but is not first of channel {channel}, VC {}",
                hop.lane
            )
        });
        if !is_there {
            return;
        }
        // One that is reported for a cycle gone by can't be told from one that has arrived since.
        let has_come = lane.here > 0 && self.settled <= cycle;
        notes.require(has_come, || {
            let due = self.flights.first(from);
            match due.unwrap_or(self.settled).saturating_sub(course.flight) {
                left if left == cycle => format!("{crossing}, its second hop in this cycle"),
                left => format!("{crossing}, after it left for channel {channel} in cycle {left}"),
            }
        });
        match lane.here {
            0 => lane.coming -= 1,
            _ => lane.here -= 1,
        }
        lane.returning = lane.returning.saturating_add(1);
        let counts_from = cycle + self.plan.credit_delay;
        if counts_from <= self.settled {
            lane.credit();
        } else {
            self.credits.push(counts_from, from);
        }
        if crossing.flit + 1 == crossing.packet.length {
            lane.pass(crossing.packet.number);
            if self.plan.release == Release::Drained {
                lane.free_from = cycle + self.plan.credit_delay.max(1);
            }
        }
        let left = &mut self.channels[channel].left;
        *left = (cycle, if left.0 == cycle { left.1 + 1 } else { 1 });
        let (count, most) = (left.1, self.plan.input_most);
        notes.require(count <= most, || {
            format!("{count} flits leave the VCs of channel {channel} in a cycle; {most} may")
        });
    }

    /// A flit takes a place in the lane it goes to.
    #[inline]
    fn take_place(&mut self, crossing: &Crossing, into: usize, hop: usize, notes: &mut Notes) {
        let &Crossing { cycle, flit, .. } = crossing;
        let (number, length) = (crossing.packet.number, crossing.packet.length);
        let ejects = self.plan.ejects(crossing.channel as usize);
        let lane = &mut self.lanes[into];
        let open = lane.open;
        if flit == 0 {
            notes.require(open.is_none() && lane.free_from <= cycle, || {
                format!("{crossing}, while another packet has the VC")
            });
            lane.open = Some(Visit::new(number, hop));
            lane.free_from = u64::MAX;
        } else {
            notes.require(open.is_some_and(|open| open.packet == number), || {
                format!("{crossing}, between the flits of another packet")
            });
        }
        if flit + 1 == length {
            lane.open = None;
            if self.plan.release == Release::TailSent {
                lane.free_from = cycle + 1;
            }
        }
        if !ejects {
            let room = lane.spend();
            notes.require(room, || format!("{crossing}, without a credit"));
        }
    }

    /// A flit is on its way over a channel.
    #[inline]
    fn set_out(&mut self, crossing: &Crossing, notes: &mut Notes) {
        let &Crossing { flit, packet, .. } = crossing;
        let course = self.plan.channels[crossing.channel as usize];
        let from = crossing.cycle + course.flight;
        let place = self.place(crossing.channel, crossing.lane);
        let lane = &mut self.lanes[place];
        let Node::Terminal(terminal) = course.to else {
            lane.coming = lane.coming.saturating_add(1);
            self.flights.push(from, place);
            if flit == 0 {
                // A header on its way is in the last lane it has gone into.
                let hops = self.packets[packet.number as usize].hops.len();
                lane.begin(Visit::new(packet.number, hops.saturating_sub(1)));
            }
            return;
        };
        notes.require(terminal == packet.destination, || {
            format!("{crossing}, which ends at terminal {terminal}")
        });
        self.totals.ejected += 1;
        if flit + 1 == packet.length {
            if self.plan.release == Release::Drained {
                lane.free_from = from;
            }
            self.packets[packet.number as usize].due = Some(from);
        }
    }
}
