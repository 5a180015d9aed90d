//! The engine's own counters against the books, after every cycle.

use alloc::format;
use alloc::vec::Vec;

use super::Notes;
use super::books::Books;
use crate::fabric::{Fabric, OutputQueues};
use crate::finish::queued_flits;
use crate::lane::{FRESH, NONE};
use crate::layout::BLOCK;
use crate::probe::Network;

/// What the engine has under way, counted one by one.
#[derive(Debug, Default)]
pub struct Scan {
    /// By input lane: flits that will join it.
    flits: Vec<u64>,
    /// By output lane: credits that will come, and flits in the channel's small buffer.
    credits: Vec<u64>,
    buffered: Vec<u64>,
    /// By seat channel: seats that a packet holds.
    held: Vec<u8>,
    /// Output lanes that headers have got and can't use yet.
    granted: Vec<u32>,
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
        let granted = fabric.granted.slots().iter().flatten();
        self.granted.extend(granted.map(|(_, output)| *output));
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

/// All lanes and all totals.
pub fn check(books: &Books, network: &Network<'_>, scan: &Scan, notes: &mut Notes) {
    let fabric = network.fabric;
    for channel in 0..books.plan.channels.len() {
        for lane in 0..books.plan.lanes {
            let view = View::new(books, fabric, channel, lane);
            view.check_sender(scan, notes);
            if !books.plan.ejects(channel) {
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
    check_totals(books, fabric, notes);
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

fn check_totals(books: &Books, fabric: &Fabric, notes: &mut Notes) {
    let totals = books.totals;
    let in_lanes = books
        .lanes
        .iter()
        .map(|lane| lane.flits.len() as u64 + lane.buffered);
    let inside = in_lanes.sum::<u64>() + totals.ejected - totals.delivered;
    let (created, injected) = (fabric.created, fabric.injected);
    let (delivered, packets) = (fabric.delivered, fabric.packets.len() as u64);
    let same = (created, injected, delivered, packets)
        == (
            totals.created,
            totals.injected,
            totals.delivered,
            totals.packets,
        );
    notes.require(same && injected == delivered + inside, || {
        format!(
            "the engine counts {created} flits born, {injected} sent, {delivered} delivered and \
             {packets} packets; there are {totals:?}, {inside} flits inside"
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
            "input lane {lane} has output lane {into}, which {} has",
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
    fn new(books: &'a Books, fabric: &'a Fabric, channel: usize, index: usize) -> View<'a> {
        let layout = &fabric.layout;
        let lane = |channel: u32| match channel {
            NONE => NONE,
            channel => (channel << layout.shift) + index as u32,
        };
        View {
            books,
            fabric,
            channel,
            index,
            next: fabric.now + 1,
            output: lane(layout.out_of[channel]),
            input: lane(layout.target[channel]),
        }
    }

    fn require(
        &self,
        notes: &mut Notes,
        holds: bool,
        what: impl FnOnce() -> alloc::string::String,
    ) {
        let (channel, index) = (self.channel, self.index);
        notes.require(holds, || {
            format!("channel {channel}, lane {index}: {}", what())
        });
    }

    /// It is free, or a packet has it, or its last packet is on its way out.
    fn check_sender(&self, scan: &Scan, notes: &mut Notes) {
        let fabric = self.fabric;
        let out = fabric.channel(self.output) as usize;
        let is_free = fabric.allocation[out].free >> self.index & 1 == 1;
        let sender = fabric.output[self.output as usize].link;
        let book = &self.books.lanes[self.books.place(self.channel as u32, self.index as u8)];
        let nobody = sender == fabric.layout.no_in();
        let is_granted = scan.granted.contains(&self.output);
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
            format!("packet number {open:?} is on its way into it, but nobody has it")
        });
    }

    /// Credits, credits and flits under way, and flits stored fill it exactly.
    fn check_room(&self, scan: &Scan, notes: &mut Notes) {
        let (input, output) = (self.input as usize, self.output as usize);
        let book = &self.books.lanes[self.books.place(self.channel as u32, self.index as u8)];
        let count = self.fabric.input[input].count;
        let credits = u64::from(self.fabric.output[output].credits);
        let stored = u64::from(count[0]) + u64::from(count[1]);
        let (returning, buffered) = (scan.credits[output], scan.buffered[output]);
        let coming = scan.flits[input];
        let depth = self.books.plan.depth;
        let sum = credits + returning + buffered + coming + stored;
        self.require(notes, sum == depth, || {
            format!(
                "{credits} credits, {returning} coming, {buffered} flits buffered, {coming} \
                 under way, {stored} stored: not {depth} in all"
            )
        });
        let should = (
            book.credits(self.next),
            book.stored(self.next),
            book.buffered,
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
        let book = &self.books.lanes[self.books.place(self.channel as u32, self.index as u8)];
        let should = book.front(self.next);
        let front = match fabric.front[self.input as usize] {
            NONE => None,
            number => Some(number),
        };
        self.require(notes, front == should, || {
            format!("packet number {front:?} is its first, should be {should:?}")
        });
        check_pair(fabric, self.input, notes);
        let Some(packet) = should.and_then(|number| self.books.packet(number)) else {
            return;
        };
        let here = |hop: &super::ledger::Hop| {
            (hop.channel as usize, usize::from(hop.lane)) == (self.channel, self.index)
        };
        // The last, if its way leads here twice; then the first is behind its tail.
        let Some(hop) = packet.hops.iter().rposition(here) else {
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
            let out = fabric.layout.out_of[next.channel as usize];
            let into = (out << fabric.layout.shift) + u32::from(next.lane);
            self.require(notes, state.link == into, || {
                format!("its first packet goes on by {}, not by {into}", state.link)
            });
        }
    }
}
