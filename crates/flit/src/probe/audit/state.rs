//! The engine's own counters against the books: of what has moved after every cycle, of all there
//! is now and then.

use alloc::format;
use alloc::vec::Vec;

use super::Notes;
use super::books::{Books, Move};
use super::ledger::{Hop, LaneBook, Visit};
use crate::fabric::{Fabric, OutputQueues};
use crate::lane::{FRESH, InLane, NONE};
use crate::layout::BLOCK;
use crate::probe::Network;
use crate::source::queued_flits;

/// What the engine has under way, counted one by one.
#[derive(Debug, Default)]
pub struct Scan {
    /// By input lane: flits that will join it.
    flits: Vec<u32>,
    /// By output lane: credits that will come, and flits in the channel's small buffer.
    credits: Vec<u32>,
    buffered: Vec<u32>,
    /// By seat channel: seats that a packet holds.
    held: Vec<u8>,
    /// By output lane: a header has got it and can't use it yet.
    granted: Vec<bool>,
}

impl Scan {
    /// Counts anew.
    pub fn take(&mut self, fabric: &Fabric) {
        for (counts, size) in [
            (&mut self.flits, fabric.input.len()),
            (&mut self.credits, fabric.output.len()),
            (&mut self.buffered, fabric.output.len()),
        ] {
            counts.clear();
            counts.resize(size, 0);
        }
        for lane in fabric.arrivals.slots().iter().flatten() {
            self.flits[*lane as usize] += 1;
        }
        for (lane, _) in fabric.headers.slots().iter().flatten() {
            self.flits[*lane as usize] += 1;
        }
        for lane in fabric.credits.slots().iter().flatten() {
            self.credits[*lane as usize] += 1;
        }
        for flit in fabric.queues.iter().flat_map(OutputQueues::flits) {
            self.buffered[flit.into as usize] += 1;
        }
        self.granted.clear();
        self.granted.resize(fabric.output.len(), false);
        for (_, output) in fabric.granted.slots().iter().flatten() {
            self.granted[*output as usize] = true;
        }
        self.held.clear();
        self.held.resize(fabric.held.len(), 0);
        for (lane, state) in fabric.input.iter().enumerate() {
            if state.link != fabric.layout.no_out() {
                let seat = fabric.seat(lane as u32, state.link);
                self.held[fabric.channel(seat) as usize] += 1;
            }
        }
    }
}

/// Numbers of a lane in the engine.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// At its sending end.
    output: u32,
    /// At its receiving end, unless it leads to a terminal.
    input: u32,
}

/// Those of all lanes, by place.
pub fn ends(books: &Books, network: &Network<'_>) -> Vec<Ends> {
    let channels = 0..books.plan.channels.len() as u32;
    let lanes = channels.flat_map(|channel| {
        let lanes = 0..books.plan.lanes as u8;
        lanes.map(move |lane| View::new(books, network, channel, lane))
    });
    let ends = lanes.map(|view| Ends {
        output: view.output,
        input: view.input,
    });
    ends.collect()
}

/// Of each flit that has moved in this cycle: what the lane it has left stores, and the credits
/// that are left for the lane it has gone into. Then the engine's totals.
pub fn check_moves(books: &mut Books, ends: &[Ends], network: &Network<'_>, notes: &mut Notes) {
    let (fabric, next) = (network.fabric, network.cycle + 1);
    let lanes = books.plan.lanes;
    let name = |place: u32| (place as usize / lanes, place as usize % lanes);
    books.settle(next);
    for &Move { from, into } in &books.moves {
        if from != NONE {
            let lane = &fabric.input[ends[from as usize].input as usize];
            let stored = u64::from(lane.count[0]) + u64::from(lane.count[1]);
            let should = u64::from(books.lanes[from as usize].here);
            notes.require(stored == should, || {
                let (channel, index) = name(from);
                format!("channel {channel}, VC {index}: {stored} flits stored, should be {should}")
            });
        }
        let credits = fabric.output[ends[into as usize].output as usize].credits;
        let should = books.lanes[into as usize].credits;
        notes.require(credits == should, || {
            let (channel, index) = name(into);
            format!("channel {channel}, VC {index}: {credits} credits, should be {should}")
        });
    }
    books.moves.clear();
    check_totals(books, fabric, notes);
}

/// All lanes and all totals.
pub fn check(books: &Books, network: &Network<'_>, scan: &Scan, notes: &mut Notes) {
    let fabric = network.fabric;
    for channel in 0..books.plan.channels.len() as u32 {
        for lane in 0..books.plan.lanes as u8 {
            let view = View::new(books, network, channel, lane);
            view.check_sender(scan.granted[view.output as usize], notes);
            if !view.books.plan.ejects(channel as usize) {
                view.check_room(scan, notes);
                view.check_front(notes);
            }
        }
    }
    let terminals = fabric.layout.sources..fabric.layout.ins;
    for lane in terminals.start << fabric.layout.shift..terminals.end << fabric.layout.shift {
        check_pair(fabric, lane, notes);
    }
    check_held(fabric, scan, notes);
    check_inside(books, fabric, notes);
}

/// Flits born, delivered, waiting and inside, with every queue walked along.
pub fn check_queues(books: &Books, network: &Network<'_>, notes: &mut Notes) {
    let totals = books.totals;
    let queued = queued_flits(network.fabric, network.entrance, books.terminals());
    let queued: u64 = queued.iter().sum();
    notes.require(totals.created == totals.injected + queued, || {
        format!(
            "{} flits born, but {} left their sources and {queued} wait there",
            totals.created, totals.injected
        )
    });
}

/// What the engine counts, and what the books do.
fn check_totals(books: &Books, fabric: &Fabric, notes: &mut Notes) {
    let totals = books.totals;
    let (created, injected) = (fabric.created, fabric.injected);
    let (delivered, packets) = (fabric.delivered, fabric.packets.len() as u64);
    let same = (created, injected, delivered, packets)
        == (
            totals.created,
            totals.injected,
            totals.delivered,
            totals.packets,
        );
    notes.require(same, || {
        format!(
            "the engine counts {created} flits born, {injected} sent, {delivered} delivered and \
             {packets} packets; there are {totals:?}"
        )
    });
}

/// Flits that left their sources are delivered, in a lane or on the last channel.
fn check_inside(books: &Books, fabric: &Fabric, notes: &mut Notes) {
    check_totals(books, fabric, notes);
    let totals = books.totals;
    let in_lanes = books
        .lanes
        .iter()
        .map(|lane| lane.flits() + u64::from(lane.buffered));
    let inside = in_lanes.sum::<u64>() + totals.ejected - totals.delivered;
    let (injected, delivered) = (fabric.injected, fabric.delivered);
    notes.require(injected == delivered + inside, || {
        format!(
            "the engine counts {injected} flits sent and {delivered} delivered; {inside} are inside"
        )
    });
}

/// How many seats of each channel are held, and the bit of each channel with any.
fn check_held(fabric: &Fabric, scan: &Scan, notes: &mut Notes) {
    let channels = 0..scan.held.len();
    let miscounted = |channel: &usize| scan.held[*channel] != fabric.held[*channel];
    let wrong = channels.clone().find(miscounted);
    notes.require(wrong.is_none(), || {
        format!("seats of seat channel {wrong:?} are held, but not as many as counted")
    });
    let bit = |channel: usize| {
        let block = fabric.active[channel / BLOCK as usize];
        block >> (channel % BLOCK as usize) & 1 == 1
    };
    let hidden = |channel: &usize| bit(*channel) != (scan.held[*channel] > 0);
    let wrong = channels.clone().find(hidden);
    notes.require(wrong.is_none(), || {
        format!("whether a seat of seat channel {wrong:?} is held isn't what its bit says")
    });
}

/// An input lane whose front packet has an output lane: both know it, and the two bits of their
/// seat say whether there is a flit and room for it, in a block that is not skipped.
fn check_pair(fabric: &Fabric, lane: u32, notes: &mut Notes) {
    let state = fabric.input[lane as usize];
    let into = state.link;
    if into == fabric.layout.no_out() {
        return;
    }
    let output = fabric.output[into as usize];
    let seat = fabric.seat(lane, into);
    let bits = fabric.words[fabric.channel(seat) as usize] >> (seat & (fabric.layout.stride() - 1));
    let (has_flit, has_room) = (bits & 1 == 1, bits >> 32 & 1 == 1);
    let should = (state.count[0] > 0, output.credits > 0);
    notes.require(output.link == lane, || {
        format!(
            "input VC {lane} has output VC {into}, which {} has",
            output.link
        )
    });
    notes.require((has_flit, has_room) == should, || {
        format!("seat {seat}: flit and room are {should:?}, its bits say {has_flit} {has_room}")
    });
    let block = fabric.channel(seat) / BLOCK;
    let is_seen = fabric.summary[(block >> 6) as usize] >> (block & 63) & 1 == 1;
    notes.require(is_seen, || {
        format!("block {block} has a seat held, but is skipped")
    });
}

/// One lane in the books and in the engine.
struct View<'a> {
    books: &'a Books,
    book: &'a LaneBook,
    fabric: &'a Fabric,
    channel: usize,
    index: usize,
    /// The next cycle.
    next: u64,
    /// Its number at the sending end, and at the receiving end unless it leads to a terminal.
    output: u32,
    input: u32,
}

impl<'a> View<'a> {
    fn new(books: &'a Books, network: &Network<'a>, channel: u32, lane: u8) -> View<'a> {
        let fabric = network.fabric;
        let layout = &fabric.layout;
        let index = u32::from(lane);
        let number = |channel: u32| match channel {
            NONE => NONE,
            channel => (channel << layout.shift) + index,
        };
        View {
            book: &books.lanes[books.place(channel, lane)],
            books,
            fabric,
            channel: channel as usize,
            index: usize::from(lane),
            next: network.cycle + 1,
            output: number(layout.out_of[channel as usize]),
            input: number(layout.target[channel as usize]),
        }
    }

    #[inline]
    fn require(
        &self,
        notes: &mut Notes,
        holds: bool,
        what: impl FnOnce() -> alloc::string::String,
    ) {
        let (channel, index) = (self.channel, self.index);
        notes.require(holds, || {
            format!("channel {channel}, VC {index}: {}", what())
        });
    }

    /// It is free, or a packet has it, or its last packet is on its way out.
    fn check_sender(&self, is_granted: bool, notes: &mut Notes) {
        let fabric = self.fabric;
        let out = fabric.channel(self.output) as usize;
        let is_free = fabric.out_channels[out].free >> self.index & 1 == 1;
        let sender = fabric.output[self.output as usize].link;
        let book = self.book;
        let nobody = sender == fabric.layout.no_in();
        let should = nobody && !is_granted && book.free_from <= self.next;
        self.require(notes, is_free == should, || {
            format!(
                "counts as free: {is_free}; has a sender: {}; free from cycle {} on",
                !nobody, book.free_from
            )
        });
        let link = fabric.input[sender as usize].link;
        self.require(notes, nobody || link == self.output, || {
            format!(
                "its sender {sender} sends into {link}, not into {}",
                self.output
            )
        });
        let open = book.open;
        self.require(notes, open.is_none() || !nobody, || {
            let open = open.map(|visit| visit.packet);
            format!("packet number {open:?} is on its way into it, but nobody has it")
        });
    }

    /// Credits, credits and flits under way, and flits stored fill it exactly.
    fn check_room(&self, scan: &Scan, notes: &mut Notes) {
        let (input, output) = (self.input as usize, self.output as usize);
        let book = self.book;
        let count = self.fabric.input[input].count;
        let credits = u64::from(self.fabric.output[output].credits);
        let stored = u64::from(count[0]) + u64::from(count[1]);
        let returning = u64::from(scan.credits[output]);
        let buffered = u64::from(scan.buffered[output]);
        let coming = u64::from(scan.flits[input]);
        let depth = u64::from(self.books.plan.depth);
        let sum = credits + returning + buffered + coming + stored;
        self.require(notes, sum == depth, || {
            format!(
                "{credits} credits, {returning} coming, {buffered} flits buffered, {coming} \
                 under way, {stored} stored: not {depth} in all"
            )
        });
        let should = (
            (u64::from(book.credits), u64::from(book.returning)),
            (u64::from(book.here), u64::from(book.coming)),
            u64::from(book.buffered),
        );
        let is = ((credits, returning), (stored, coming), buffered);
        self.require(notes, is == should, || {
            format!("credits, flits, flits buffered are {is:?}; should be {should:?}")
        });
    }

    /// The packet at its front, how much of it is left, and where it goes on.
    fn check_front(&self, notes: &mut Notes) {
        let fabric = self.fabric;
        let state = fabric.input[self.input as usize];
        let visit = self.books.front(self.book);
        let should = visit.map_or(NONE, |visit| visit.packet);
        let front = fabric.input[self.input as usize].front;
        self.require(notes, front == should, || {
            let name = |packet| (packet != NONE).then_some(packet);
            let (front, should) = (name(front), name(should));
            format!("packet number {front:?} is its first, should be {should:?}")
        });
        check_pair(fabric, self.input, notes);
        if let Some(visit) = visit {
            self.check_rest(visit, &state, notes);
        }
    }

    /// How much of its front packet is left, and where that goes on.
    #[inline]
    fn check_rest(&self, visit: Visit, state: &InLane, notes: &mut Notes) {
        let hop = visit.hop();
        let here = |hop: &Hop| hop.is_at(self.channel as u32, self.index as u8);
        let packet = self.books.packet(visit.packet);
        let Some(packet) = packet.filter(|packet| packet.hops.get(hop).is_some_and(here)) else {
            return;
        };
        let gone = packet.gone(hop + 1);
        let fresh = if gone == 0 { FRESH } else { 0 };
        let left = (packet.tag.length - gone) | fresh;
        self.require(notes, state.left == left, || {
            format!(
                "{} flits of its first packet are left, should be {left}",
                state.left
            )
        });
        if let Some(next) = packet.hops.get(hop + 1) {
            let out = self.fabric.layout.out_of[next.channel as usize];
            let into = (out << self.fabric.layout.shift) + u32::from(next.lane);
            self.require(notes, state.link == into, || {
                format!("its first packet goes on by {}, not by {into}", state.link)
            });
        }
    }
}
