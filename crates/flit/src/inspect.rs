//! A network between two cycles, as whoever steps through a run sees it: what every buffer and wire
//! holds, what each packet waits for, and what happens next.
//!
//! It is read from the state of the run, which does not change and keeps nothing for it.

use alloc::vec;
use alloc::vec::Vec;

use crate::Simulation;
use crate::deadlock::packets_in;
use crate::fabric::Fabric;
use crate::lane::{FRESH, NONE};
use crate::probe::{Network, Probe, Tag};
use crate::source::Entrance;

/// A network between two cycles.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Inspection {
    /// The cycle that comes next: everything before it has happened.
    pub cycle: u64,
    /// Buffers of all VCs by channel (those between routers, then injection), then the lanes of
    /// sources by terminal.
    pub buffers: Vec<Buffer>,
    /// Flits on wires, in the order of arrival.
    pub flights: Vec<Flight>,
    /// Packets whose tails are on their way to their terminals: the cycle at whose end they are
    /// complete.
    pub ending: Vec<(u64, Tag)>,
    /// Packets that wait in a queue that all lanes of a terminal share, by terminal.
    pub shared: Vec<Vec<Tag>>,
    /// Flits of packets that are not complete that have gone through the switch towards their
    /// terminals.
    pub at_terminals: u64,
    /// Flits of packets born, that have left their sources, and delivered.
    pub flits: [u64; 3],
    /// The next cycle in which a packet is born, if nothing moves before.
    pub next_birth: Option<u64>,
}

/// Where flits stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the buffer of a VC at the far end of a channel.
    Buffer {
        /// Channel, and the VC of it.
        vc: Vc,
    },
    /// At a terminal, ready to leave.
    Source {
        /// Terminal.
        terminal: u32,
        /// Which of its lanes.
        lane: u8,
    },
}

/// A channel and a VC of it.
pub type Vc = (u32, u8);

/// A buffer, and the credit of its sender.
#[derive(Clone, PartialEq, Debug)]
pub struct Buffer {
    /// Where it is.
    pub place: Place,
    /// Packets, the front first, and how many flits of each are here.
    pub packets: Vec<(Tag, u16)>,
    /// Flits of the front packet that have still to leave.
    pub left: u16,
    /// Why the front packet does not go on.
    pub wait: Wait,
    /// Buffers that have to move before it can: places in [`Inspection::buffers`].
    pub waits_for: Vec<usize>,
    /// Free places that the sender knows of; of sources none.
    pub credits: u16,
    /// Places; of sources none.
    pub depth: u16,
    /// Flits that the switch has sent and that wait for the channel.
    pub switched: u16,
    /// Flits on the wire.
    pub on_wire: u16,
    /// Cycles at whose ends the sender learns of a free place.
    pub back: Vec<u64>,
    /// The packet that sends into it, and the buffer where its next flit is.
    pub holder: Option<(Tag, usize)>,
}

impl Buffer {
    /// Flits in it.
    pub fn flits(&self) -> u64 {
        self.packets
            .iter()
            .map(|(_, flits)| u64::from(*flits))
            .sum()
    }
}

/// What the front packet of a buffer waits for.
#[derive(Clone, PartialEq, Debug)]
pub enum Wait {
    /// There is none.
    Empty,
    /// Its header is routed, or is given a VC, until this cycle begins.
    Routing(u64),
    /// It has a VC and credit, and competes for the switch and the channel.
    Turn(Vc),
    /// Its next flit has not come.
    Flit(Vc),
    /// There is no credit for its VC.
    Credit(Vc),
    /// It has no VC, and one of these is free: it asks for it.
    Ask(Vec<Vc>),
    /// It has no VC: others hold all of these, or they have too little room for all of it.
    Lane(Vec<Vc>),
}

/// A flit on a wire.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Flight {
    /// Channel and VC.
    pub vc: Vc,
    /// The cycle at whose end it joins the buffer.
    pub arrives: u64,
    /// Its packet, of a header.
    pub header: Option<Tag>,
}

impl<P: Probe> Simulation<P> {
    /// The network as the last cycle left it.
    pub fn inspect(&self) -> Inspection {
        let view = View::new(&self.fabric);
        let mut inspection = Inspection {
            cycle: self.fabric.now,
            buffers: view.buffers(),
            ..Inspection::default()
        };
        view.note_flights(&mut inspection);
        self.fabric.note_totals(&self.entrance, &mut inspection);
        inspection
    }
}

/// A fabric, and when headers go on.
struct View<'a> {
    fabric: &'a Fabric,
    /// By input lane: until when its header is routed or given a VC; 0 of all others.
    until: Vec<u64>,
}

impl<'a> View<'a> {
    fn new(fabric: &'a Fabric) -> View<'a> {
        let mut until = vec![0; fabric.input.len()];
        for (cycle, lanes) in fabric.ready.from(fabric.now) {
            lanes.iter().for_each(|lane| until[*lane as usize] = cycle);
        }
        for (cycle, lanes) in fabric.granted.from(fabric.now) {
            lanes.iter().for_each(|lane| until[lane.0 as usize] = cycle);
        }
        // What competes anew in every cycle does so in the next one too.
        for lane in fabric
            .ready
            .from(fabric.now)
            .take(1)
            .flat_map(|(_, lanes)| lanes)
        {
            until[*lane as usize] = 0;
        }
        View { fabric, until }
    }

    /// VCs of a channel.
    fn lanes(&self) -> u32 {
        self.fabric.layout.all_lanes.count_ones()
    }

    /// The place of an input lane in [`Inspection::buffers`].
    fn place(&self, lane: u32) -> usize {
        let fabric = self.fabric;
        let index = (lane & (fabric.layout.stride() - 1)) as usize;
        let of = fabric.in_channels[fabric.channel(lane) as usize].spec as usize;
        let channel = match fabric.is_source(lane) {
            // Sources stand behind all channels, of which those of injection are the last.
            true => of + self.terminals(),
            false => of,
        };
        channel * self.lanes() as usize + index
    }

    fn terminals(&self) -> usize {
        let targets = &self.fabric.layout.target;
        targets.iter().filter(|target| **target == NONE).count()
    }

    /// As specs number it.
    fn vc(&self, output: u32) -> Vc {
        let fabric = self.fabric;
        let channel = fabric.layout.spec_out[fabric.channel(output) as usize];
        (channel, (output & (fabric.layout.stride() - 1)) as u8)
    }

    fn buffers(&self) -> Vec<Buffer> {
        let fabric = self.fabric;
        let (layout, lanes) = (&fabric.layout, self.lanes());
        let mut buffers = Vec::new();
        for (channel, target) in (0..).zip(&layout.target) {
            if *target == NONE {
                continue;
            }
            let out = layout.out_of[channel as usize];
            for index in 0..lanes {
                let lane = (target << layout.shift) + index;
                let vc = (channel, index as u8);
                let mut buffer = self.buffer(lane, Place::Buffer { vc });
                self.add_sender((out << layout.shift) + index, &mut buffer);
                buffers.push(buffer);
            }
        }
        for terminal in 0..self.terminals() as u32 {
            for index in 0..lanes {
                let lane = fabric.source_lane(terminal, index);
                let place = Place::Source {
                    terminal,
                    lane: index as u8,
                };
                buffers.push(self.buffer(lane, place));
            }
        }
        buffers
    }

    fn buffer(&self, lane: u32, place: Place) -> Buffer {
        let state = &self.fabric.input[lane as usize];
        let (wait, waits_for) = self.wait(lane);
        Buffer {
            place,
            packets: self.packets(lane),
            left: match self.fabric.input[lane as usize].front {
                NONE => 0,
                _ => state.left & !FRESH,
            },
            wait,
            waits_for,
            credits: 0,
            depth: 0,
            switched: 0,
            on_wire: 0,
            back: Vec::new(),
            holder: None,
        }
    }

    fn tag(&self, id: u32) -> Tag {
        Tag::of(id, self.fabric.packets.get(id))
    }

    /// The packets of an input lane, and their flits here.
    fn packets(&self, lane: u32) -> Vec<(Tag, u16)> {
        let fabric = self.fabric;
        let [front, mut behind] = fabric.input[lane as usize].count;
        let is_source = fabric.is_source(lane);
        let mut packets = Vec::new();
        for (at, id) in packets_in(fabric, lane).enumerate() {
            let tag = self.tag(id);
            let flits = match at {
                // A packet at a source that has not begun is there as a whole.
                0 if is_source && fabric.input[lane as usize].left == 0 => tag.length,
                0 => front,
                _ if is_source => tag.length,
                _ => tag.length.min(behind),
            };
            if at > 0 {
                behind = behind.saturating_sub(flits);
            }
            packets.push((tag, flits));
        }
        packets
    }

    /// What the front packet of an input lane waits for, and which buffers have to move first.
    fn wait(&self, lane: u32) -> (Wait, Vec<usize>) {
        let fabric = self.fabric;
        if fabric.input[lane as usize].front == NONE {
            return (Wait::Empty, Vec::new());
        }
        let until = self.until[lane as usize];
        if until > 0 {
            return (Wait::Routing(until), Vec::new());
        }
        let link = fabric.input[lane as usize].link;
        if link == fabric.layout.no_out() {
            return self.wait_for_lane(lane);
        }
        let vc = self.vc(link);
        let ejects = fabric.ejects(fabric.channel(link));
        if fabric.input[lane as usize].count[0] == 0 {
            return (Wait::Flit(vc), Vec::new());
        }
        match !ejects && fabric.output[link as usize].credits == 0 {
            true => (Wait::Credit(vc), self.target(link).into_iter().collect()),
            false => (Wait::Turn(vc), Vec::new()),
        }
    }

    fn wait_for_lane(&self, lane: u32) -> (Wait, Vec<usize>) {
        let fabric = self.fabric;
        let wanted = match fabric.is_source(lane) {
            true => {
                let packet = fabric.packets.get(fabric.input[lane as usize].front);
                let out = fabric.layout.inject + fabric.channel(lane) - fabric.layout.sources;
                let lanes = fabric.routing.injection_lanes(&packet.way) & fabric.layout.all_lanes;
                let of_it = (0..32).filter(|index| lanes >> index & 1 == 1);
                of_it
                    .map(|index| (out << fabric.layout.shift) + index)
                    .collect()
            }
            false => fabric.allowed(lane),
        };
        let vcs = || wanted.iter().map(|output| self.vc(*output)).collect();
        let length = fabric.packets.get(fabric.input[lane as usize].front).length;
        if wanted.iter().any(|output| self.is_free(*output, length)) {
            return (Wait::Ask(vcs()), Vec::new());
        }
        let holder = |output: u32| {
            let link = fabric.output[output as usize].link;
            (link != fabric.layout.no_in()).then(|| self.place(link))
        };
        let first = |output: &u32| holder(*output).or_else(|| self.target(*output));
        let mut waits_for: Vec<usize> = wanted.iter().filter_map(first).collect();
        waits_for.dedup();
        (Wait::Lane(vcs()), waits_for)
    }

    /// May a packet of so many flits have this output lane?
    fn is_free(&self, output: u32, length: u16) -> bool {
        let fabric = self.fabric;
        let out = fabric.channel(output);
        let index = output & (fabric.layout.stride() - 1);
        let has_room = !fabric.cut_through
            || fabric.ejects(out)
            || fabric.output[output as usize].credits >= length;
        fabric.out_channels[out as usize].free >> index & 1 == 1 && has_room
    }

    /// The buffer that an output lane leads to, unless to a terminal.
    fn target(&self, output: u32) -> Option<usize> {
        let channel = &self.fabric.out_channels[self.fabric.channel(output) as usize];
        let index = output & (self.fabric.layout.stride() - 1);
        (channel.spend != 0).then(|| self.place(channel.target + index))
    }

    fn add_sender(&self, output: u32, own: &mut Buffer) {
        let fabric = self.fabric;
        let sender = &fabric.output[output as usize];
        (own.credits, own.depth) = (sender.credits, fabric.depth);
        if sender.link != fabric.layout.no_in() {
            let id = fabric.input[sender.link as usize].front;
            own.holder = (id != NONE).then(|| (self.tag(id), self.place(sender.link)));
        }
        if let Some(queues) = &fabric.queues {
            let flits = queues.of(fabric.channel(output) as usize);
            own.switched = flits.filter(|flit| flit.into == output).count() as u16;
        }
    }

    fn note_flights(&self, found: &mut Inspection) {
        let fabric = self.fabric;
        let now = fabric.now;
        let mut add = |lane: u32, arrives: u64, header: Option<Tag>| {
            let vc = self.vc(fabric.input[lane as usize].before);
            found.buffers[self.place(lane)].on_wire += 1;
            found.flights.push(Flight {
                vc,
                arrives,
                header,
            });
        };
        for (cycle, lanes) in fabric.arrivals.from(now) {
            lanes.iter().for_each(|lane| add(*lane, cycle, None));
        }
        for (cycle, headers) in fabric.headers.from(now) {
            let tag = |id: u32| Some(self.tag(id));
            headers
                .iter()
                .for_each(|(lane, id)| add(*lane, cycle, tag(*id)));
        }
        found
            .flights
            .sort_by_key(|flight| (flight.arrives, flight.vc));
        for (cycle, outputs) in fabric.credits.from(now) {
            for place in outputs.iter().filter_map(|output| self.target(*output)) {
                found.buffers[place].back.push(cycle);
            }
        }
        for (cycle, ids) in fabric.deliveries.from(now.wrapping_sub(1)) {
            let tags = ids.iter().map(|id| (cycle, self.tag(*id)));
            found.ending.extend(tags);
        }
    }
}

impl Network<'_> {
    /// Of each of [`Inspection::buffers`]: its front packet has no credit, or its header no VC.
    pub fn held(&self) -> impl Iterator<Item = bool> {
        let (fabric, layout) = (self.fabric, &self.fabric.layout);
        let channels = layout.target.iter().filter(|target| **target != NONE);
        let terminals = layout
            .target
            .iter()
            .filter(|target| **target == NONE)
            .count() as u32;
        let sources = (0..terminals).map(|terminal| layout.sources + terminal);
        let all = channels.copied().chain(sources);
        all.flat_map(move |channel| {
            (0..layout.all_lanes.count_ones())
                .map(move |index| fabric.is_held((channel << layout.shift) + index))
        })
    }
}

impl Fabric {
    /// Does the front packet of an input lane lack credit, or its header a VC?
    fn is_held(&self, lane: u32) -> bool {
        let (state, link) = (&self.input[lane as usize], self.input[lane as usize].link);
        if self.input[lane as usize].front == NONE {
            return false;
        }
        match link == self.layout.no_out() {
            true => state.left & FRESH != 0,
            false => {
                let is_dry = self.output[link as usize].credits == 0;
                is_dry && state.count[0] > 0 && !self.ejects(self.channel(link))
            }
        }
    }

    fn note_totals(&self, entrance: &Entrance, found: &mut Inspection) {
        found.flits = [self.created, self.injected, self.delivered];
        found.next_birth = entrance.first_birth();
        let tag = |id: u32| Tag::of(id, self.packets.get(id));
        for (first, _) in &entrance.shared {
            let mut tags = Vec::new();
            let mut id = *first;
            while id != NONE {
                tags.push(tag(id));
                id = self.packets.get(id).next;
            }
            found.shared.push(tags);
        }
        found.at_terminals = self.flits_at_terminals();
    }

    /// See [`Inspection::at_terminals`].
    fn flits_at_terminals(&self) -> u64 {
        let mut flits: u64 = 0;
        for id in self.deliveries.slots().iter().flatten() {
            flits += u64::from(self.packets.get(*id).length);
        }
        let lanes = 0..self.layout.sources << self.layout.shift;
        for lane in lanes.filter(|lane| self.input[*lane as usize].front != NONE) {
            let link = self.input[lane as usize].link;
            if link != self.layout.no_out() && self.ejects(self.channel(link)) {
                let length = self.packets.get(self.input[lane as usize].front).length;
                flits += u64::from(length - (self.input[lane as usize].left & !FRESH));
            }
        }
        // A tail in the small buffer before a channel stands for its packet.
        for flit in self.queues.iter().flat_map(|queues| queues.flits()) {
            if flit.tail != NONE && self.ejects(self.channel(flit.into)) {
                flits += u64::from(self.packets.get(flit.tail).length);
            }
        }
        flits
    }
}
