//! What crosses from one shard to another.
//!
//! Both ends of a channel that crosses exist in both shards; at the end that isn't its own, a
//! shard has *shadow* lanes. A flit sent into one, or a place freed in one, is noted for the shard
//! that owns it. It may also be counted in the shadow, at once or later: nothing ever looks there,
//! since no packet holds a lane of a shadow. Only headers must not join it.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use crate::cut::Cut;
use crate::fabric::{Buffered, Fabric};
use crate::lane::{FRESH, NONE};
use crate::layout::{BLOCK, Layout};
use crate::lists::{HEAD, Passing, TAIL};
use crate::packet::{Packet, Pool};
use crate::spec::{Graph, Release};

/// The channel doesn't cross.
const HERE: u8 = u8::MAX;

/// What one shard has to tell another of a cycle.
#[derive(Debug, Default)]
pub struct Mail {
    /// Lanes that flits other than headers join, and how many cycles from now.
    flits: Vec<(u32, u16)>,
    /// The same for headers.
    headers: Vec<(u32, u16, Packet)>,
    /// Output lanes with a place more.
    credits: Vec<u32>,
    /// Output lanes whose buffer a tail has left.
    releases: Vec<u32>,
    pub(crate) note: Note,
}

/// What every shard tells every other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Note {
    /// A flit moved.
    pub moved: bool,
    /// Flits that left their sources less flits delivered; wraps.
    pub inside: u64,
    /// Flits born less flits delivered; wraps.
    pub missing: u64,
    /// Nothing is here, and nothing is born before this cycle; 0 if something is.
    pub idle_until: u64,
}

impl Note {
    /// What is true of both.
    pub fn join(&mut self, other: Note) {
        self.moved |= other.moved;
        self.inside = self.inside.wrapping_add(other.inside);
        self.missing = self.missing.wrapping_add(other.missing);
        self.idle_until = self.idle_until.min(other.idle_until);
    }
}

/// Where other shards begin.
#[derive(Debug)]
pub(crate) struct Border {
    /// By output channel: the shard at its other end, or [`HERE`].
    peer: Vec<u8>,
    /// Output channels of the routers at the border, ascending, and some between them.
    strips: Vec<Range<u32>>,
    /// By shard.
    pub(crate) mails: Vec<Mail>,
    /// Packets whose tails have left for other shards.
    gone: Vec<u32>,
}

impl Border {
    pub(crate) fn new(graph: &Graph, layout: &Layout, cut: &Cut, shard: usize) -> Border {
        let mut peer = vec![HERE; layout.outs as usize + 1];
        let mut is_border = vec![false; graph.routers as usize];
        for (index, channel) in graph.channels.iter().enumerate() {
            let out = layout.out_of[index];
            let (from, to) = (cut.owner_out(out), cut.owner_in(layout.target[index]));
            if from == to {
                continue;
            }
            if let (true, Some(other)) = (from == Some(shard), to) {
                peer[out as usize] = other as u8;
                is_border[channel.from as usize] = true;
            } else if let (true, Some(other)) = (to == Some(shard), from) {
                peer[out as usize] = other as u8;
                is_border[channel.to as usize] = true;
            }
        }
        Border {
            peer,
            strips: strips(graph, layout, &is_border),
            mails: (0..cut.parts).map(|_| Mail::default()).collect(),
            gone: Vec::new(),
        }
    }

    /// Does an output channel lead to another shard?
    pub(crate) fn is_far(&self, out: u32) -> bool {
        self.peer[out as usize] != HERE
    }

    /// The mail to the shard at the other end of a channel that crosses.
    #[inline]
    fn mail(&mut self, out: u32) -> Option<&mut Mail> {
        self.mails.get_mut(usize::from(self.peer[out as usize]))
    }

    #[inline]
    fn flit(&mut self, out: u32, lane: u32, flight: u16) {
        if let Some(mail) = self.mail(out) {
            mail.flits.push((lane, flight - 1));
        }
    }

    fn header(&mut self, out: u32, lane: u32, flight: u16, packet: &Packet) {
        let mut packet = Packet {
            next: NONE,
            ..*packet
        };
        packet.cross(flight);
        if let Some(mail) = self.mail(out) {
            mail.headers.push((lane, flight - 1, packet));
        }
    }

    /// A place is free in an output lane of this channel.
    #[inline]
    pub(crate) fn credit(&mut self, out: u32, lane: u32) {
        if let Some(mail) = self.mail(out) {
            mail.credits.push(lane);
        }
    }

    /// A tail has left the buffer of an output lane of this channel.
    pub(crate) fn release(&mut self, out: u32, lane: u32) {
        if let Some(mail) = self.mail(out) {
            mail.releases.push(lane);
        }
    }

    /// All mails say so.
    pub(crate) fn seal(&mut self, note: Note) {
        for mail in &mut self.mails {
            mail.note = note;
        }
    }

    /// Packets that have left are no longer here.
    pub(crate) fn forget_gone(&mut self, packets: &mut Pool) {
        for id in self.gone.drain(..) {
            packets.remove(id);
        }
    }
}

/// Output channels of the routers at the border, in few pieces.
fn strips(graph: &Graph, layout: &Layout, is_border: &[bool]) -> Vec<Range<u32>> {
    let ejection = graph.channels.len() + graph.inject.len();
    let between = graph.channels.iter().map(|channel| channel.from);
    let outs = layout.out_of.iter();
    let routed = outs.clone().zip(between);
    let ejecting = outs.skip(ejection).zip(graph.eject.iter().copied());
    let mut marked: Vec<u32> = routed
        .chain(ejecting)
        .filter(|(_, router)| is_border[*router as usize])
        .map(|(out, _)| *out)
        .collect();
    marked.sort_unstable();
    let mut strips: Vec<Range<u32>> = Vec::new();
    for out in marked {
        match strips.last_mut() {
            Some(last) if out <= last.end + BLOCK => last.end = out + 1,
            _ => strips.push(out..out + 1),
        }
    }
    strips
}

impl Fabric {
    /// Of the flits chosen, notes those that cross and those that free a place of another shard,
    /// as far as moving them leaves no list of it: places that are told at `once`, flits that
    /// join a `near` buffer.
    #[inline(never)]
    pub(crate) fn note_chosen(&mut self, once: bool, near: bool) {
        let Some(mut border) = self.border.take() else {
            return;
        };
        let shift = self.layout.shift;
        let mask = self.layout.stride() - 1;
        // Injection comes first, whatever its number; it never crosses.
        let inject = self.layout.inject << shift;
        let routed = self.chosen.partition_point(|into| *into >= inject);
        let chosen = &self.chosen[routed..];
        for index in 0..border.strips.len() {
            let Range { start, end } = border.strips[index];
            let first = chosen.partition_point(|into| into >> shift < start);
            for &into in chosen[first..]
                .iter()
                .take_while(|into| **into >> shift < end)
            {
                let out = into >> shift;
                let lane = &self.input[self.output[into as usize].link as usize];
                if near && lane.left & FRESH == 0 {
                    let channel = &self.out_channels[out as usize];
                    border.flit(out, channel.target + (into & mask), channel.flight);
                }
                if once {
                    border.credit(lane.before >> shift, lane.before);
                }
            }
        }
        self.border = Some(border);
    }

    /// Notes what crosses of the things that moving flits have left on lists, and takes headers
    /// that do off theirs.
    #[inline(never)]
    pub(crate) fn cross(&mut self, lengths: [usize; 3]) {
        let Some(mut border) = self.border.take() else {
            return;
        };
        let shift = self.layout.shift;
        let [arrivals, credits, ends] = lengths;
        for &(lane, out) in &self.lists.arrivals[..arrivals] {
            border.flit(out, lane, self.out_channels[out as usize].flight);
        }
        for &lane in &self.lists.credits[..credits] {
            border.credit(lane >> shift, lane);
        }
        for index in 0..ends {
            let Passing { from, into, ends } = self.lists.ends[index];
            let is_far = border.is_far(into >> shift);
            let lane = self.input[from as usize];
            if ends & HEAD != 0 && is_far {
                self.header_crosses(&mut border, into, lane.front);
                self.lists.ends[index].ends = ends & TAIL;
            }
            if ends & TAIL != 0 {
                if self.release == Release::Drained {
                    border.release(lane.before >> shift, lane.before);
                }
                if is_far {
                    border.gone.push(lane.front);
                }
            }
        }
        self.border = Some(border);
    }

    fn header_crosses(&mut self, border: &mut Border, into: u32, id: u32) {
        let out = self.channel(into);
        let channel = self.out_channels[out as usize];
        let lane = channel.target + (into & (self.layout.stride() - 1));
        border.header(out, lane, channel.flight, self.packets.get(id));
    }

    /// A flit leaves the buffer between switch and channel for another shard.
    #[inline(never)]
    pub(crate) fn cross_from_buffer(&mut self, out: u32, lane: u32, flit: Buffered) {
        let Some(mut border) = self.border.take() else {
            return;
        };
        match flit.header {
            NONE => border.flit(out, lane, self.out_channels[out as usize].flight),
            id => self.header_crosses(&mut border, flit.into, id),
        }
        if flit.tail != NONE {
            border.gone.push(flit.tail);
        }
        self.border = Some(border);
    }

    /// What has crossed from another shard is on its way.
    pub(crate) fn take(&mut self, mail: &mut Mail) {
        let now = self.now;
        for (lane, ahead) in mail.flits.drain(..) {
            self.arrivals.at(now + u64::from(ahead)).push(lane);
        }
        for (lane, ahead, packet) in mail.headers.drain(..) {
            let id = self.packets.add(packet);
            self.headers.at(now + u64::from(ahead)).push((lane, id));
        }
        let arrival = now + self.credit_delay.saturating_sub(1);
        self.credits.at(arrival).append(&mut mail.credits);
        self.releases.at(arrival).append(&mut mail.releases);
    }
}
