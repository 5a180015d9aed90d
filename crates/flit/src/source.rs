//! Packets are born, wait at their sources and get ready to enter.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Event, EventQueue, Phase, Purpose, Stream, Time, Wheel};

use crate::fabric::Fabric;
use crate::lane::{FRESH, NONE};
use crate::meter::Delivered;
use crate::packet::Packet;
use crate::route::{NOWHERE, Way};
use crate::spec::{FabricSpec, RoutingSpec, Sources};
use crate::tally::Tally;
use crate::traffic::{Born, Generator, Reaction};

/// Where packets come from.
pub(crate) struct Entrance {
    generator: Generator,
    /// The next birth of each process.
    births: Wheel,
    /// Births that something delivered has provoked.
    reactions: BTreeMap<u64, Vec<Reaction>>,
    /// By source: the draws of its packets for routing; empty where routing draws nothing.
    draws: Vec<Stream>,
    /// By terminal, for a queue that all its lanes share: first and last packet.
    pub(crate) shared: Vec<(u32, u32)>,
    sources_each: u32,
    classes: Vec<ClassRule>,
    /// Scratch: processes due in this cycle.
    due: Vec<u32>,
}

/// What a packet gets from its class.
struct ClassRule {
    urgency: u64,
    group: u8,
}

impl Entrance {
    pub fn new(spec: &FabricSpec, generator: Generator) -> Entrance {
        let lanes = u32::from(spec.router.lanes);
        let terminals = spec.graph.inject.len() as u32;
        let sources_each = if spec.sources == Sources::PerLane {
            lanes
        } else {
            1
        };
        let draws = match spec.routing {
            RoutingSpec::DestinationTag | RoutingSpec::DimensionOrder | RoutingSpec::Table => 0,
            _ => terminals * sources_each,
        };
        let shared = if spec.sources == Sources::Shared {
            terminals
        } else {
            0
        };
        Entrance {
            births: Wheel::default(),
            reactions: BTreeMap::new(),
            draws: (0..draws)
                .map(|source| Stream::new(spec.seed, u64::from(source), Purpose::Routing))
                .collect(),
            shared: vec![(NONE, NONE); shared as usize],
            sources_each,
            classes: spec
                .classes
                .iter()
                .map(|class| ClassRule {
                    urgency: u64::from(255 - class.priority) << 56
                        | u64::from(class.deadline.unwrap_or(0)),
                    group: class.lane_group,
                })
                .collect(),
            due: Vec::new(),
            generator,
        }
    }

    fn schedule(&mut self, process: u32, cycle: u64) {
        self.births
            .push(Event::new(Time(cycle), Phase::Inject, process, 0));
    }

    /// The next cycle in which something is born, if nothing moves before.
    pub fn next_birth(&mut self) -> Option<u64> {
        let birth = self.births.next_time().map(|time| time.0);
        let reaction = self.reactions.keys().next().copied();
        birth.into_iter().chain(reaction).min()
    }

    /// The same without a look ahead: the first that is known, of all that are.
    pub fn first_birth(&self) -> Option<u64> {
        let mut birth = self.reactions.keys().next().copied();
        self.births.look(&mut |event| {
            let at = event.time().0;
            birth = Some(birth.map_or(at, |first| first.min(at)));
        });
        birth
    }

    /// All births of this cycle.
    pub fn bear(&mut self, fabric: &mut Fabric, meter: &mut impl Tally) {
        let now = fabric.now;
        let mut due = core::mem::take(&mut self.due);
        due.clear();
        self.births
            .take_instant(Time(now), |event| due.push(event.entity()));
        due.sort_unstable();
        let classes = self.classes.len() as u32;
        for &process in &due {
            loop {
                let (born, next) = self.generator.born(process, now);
                self.add(process / classes, born, fabric, meter);
                match next {
                    Some(next) if next <= now => {}
                    Some(next) => break self.schedule(process, next),
                    None => break,
                }
            }
        }
        self.due = due;
        while let Some(entry) = self.reactions.first_entry() {
            if *entry.key() > now {
                break;
            }
            for reaction in entry.remove() {
                let source = reaction.at_terminal * self.sources_each + reaction.source_lane;
                self.add(source, reaction.born, fabric, meter);
            }
        }
        self.fill_lanes(fabric, meter);
    }

    /// A packet joins the queue of its source.
    fn add(&mut self, source: u32, born: Born, fabric: &mut Fabric, meter: &mut impl Tally) {
        let terminal = source / self.sources_each;
        let id = self.packet(source, born, fabric, meter);
        if let Some((first, last)) = self.shared.get_mut(terminal as usize) {
            match *last {
                NONE => *first = id,
                last => fabric.packets.get_mut(last).next = id,
            }
            *last = id;
            // Its lanes look for work once all births of the cycle are known.
            fabric.vacated.push(fabric.source_lane(terminal, 0));
            return;
        }
        let lane = fabric.source_lane(terminal, source % self.sources_each);
        match fabric.input[lane as usize].last {
            NONE => fabric.start_source(lane, id),
            last => fabric.packets.get_mut(last).next = id,
        }
        fabric.input[lane as usize].last = id;
    }

    fn packet(
        &mut self,
        source: u32,
        born: Born,
        fabric: &mut Fabric,
        meter: &mut impl Tally,
    ) -> u32 {
        let terminal = source / self.sources_each;
        let rule = &self.classes[born.class as usize];
        let mut way = Way {
            destination: born.destination,
            via: NOWHERE,
            plan: 0,
            group: rule.group,
        };
        let draw = self.draws.get_mut(source as usize);
        fabric
            .routing
            .depart(&mut way, draw.map_or(0, Stream::next_u64));
        meter.born(fabric.now, terminal, born.class, born.length);
        fabric.created += u64::from(born.length);
        let id = fabric.packets.add(Packet {
            birth: fabric.now,
            entered: 0,
            key: rule.urgency.saturating_add(fabric.now),
            source: terminal,
            way,
            next: NONE,
            length: born.length,
            hops: 0,
            flight: 0,
            class: born.class,
        });
        if fabric.watch.is_some() {
            fabric.watch_birth(id);
        }
        id
    }

    /// Source lanes whose packet has left take the next one.
    fn fill_lanes(&mut self, fabric: &mut Fabric, meter: &mut impl Tally) {
        let mut vacated = core::mem::take(&mut fabric.vacated);
        vacated.sort_unstable();
        vacated.dedup();
        for &lane in &vacated {
            let terminal = fabric.channel(lane) - fabric.layout.sources;
            if self.shared.is_empty() {
                self.fill_lane(lane, terminal, fabric, meter);
            } else {
                self.fill_shared(terminal, fabric, meter);
            }
        }
        vacated.clear();
        fabric.vacated = vacated;
    }

    /// The next packet of a source with a queue of its own.
    fn fill_lane(&mut self, lane: u32, terminal: u32, fabric: &mut Fabric, meter: &mut impl Tally) {
        match fabric.input[lane as usize].front {
            NONE => {
                let index = lane & (fabric.layout.stride() - 1);
                let source = terminal * self.sources_each + index;
                if let Some(born) = self.generator.pull(source) {
                    let id = self.packet(source, born, fabric, meter);
                    fabric.start_source(lane, id);
                    fabric.input[lane as usize].last = id;
                }
            }
            id if fabric.input[lane as usize].left == 0 => {
                fabric.start_source(lane, id);
            }
            _ => {}
        }
    }

    /// Vacant lanes of a terminal take packets off its queue.
    fn fill_shared(&mut self, terminal: u32, fabric: &mut Fabric, meter: &mut impl Tally) {
        let (mut first, mut last) = self.shared[terminal as usize];
        let lanes = fabric.layout.all_lanes;
        let mut vacant = fabric.vacant_source_lanes(terminal) & lanes;
        while vacant != 0 {
            if first == NONE {
                let Some(born) = self.generator.pull(terminal) else {
                    break;
                };
                first = self.packet(terminal, born, fabric, meter);
                last = first;
            }
            let lane = fabric.source_lane(terminal, vacant.trailing_zeros());
            vacant &= vacant - 1;
            let id = first;
            first = core::mem::replace(&mut fabric.packets.get_mut(id).next, NONE);
            if first == NONE {
                last = NONE;
            }
            fabric.input[lane as usize].front = id;
            fabric.start_source(lane, id);
        }
        self.shared[terminal as usize] = (first, last);
    }

    /// Adds the flits of packets in shared queues, by terminal.
    pub fn add_queued(&self, fabric: &Fabric, queued: &mut [u64]) {
        for (terminal, (first, _)) in self.shared.iter().enumerate() {
            let mut id = *first;
            while id != NONE {
                let packet = fabric.packets.get(id);
                queued[terminal] += u64::from(packet.length);
                id = packet.next;
            }
        }
    }

    /// A packet is complete at its destination.
    pub fn delivered(&mut self, packet: &Packet, now: u64, meter: &mut impl Tally) {
        meter.delivered(&Delivered {
            source: packet.source,
            destination: packet.way.destination,
            class: packet.class,
            length: packet.length,
            birth: packet.birth,
            entered: packet.entered,
            hops: u32::from(packet.hops),
            flight: packet.flight,
            now,
        });
        let (from, to) = (packet.source, packet.way.destination);
        if let Some(reaction) = self.generator.arrived(packet.class, from, to, now) {
            let cycle = reaction.cycle.max(now);
            self.reactions.entry(cycle).or_default().push(reaction);
        }
    }

    /// Every source of these terminals looks for its first packet.
    pub fn wake(&mut self, fabric: &mut Fabric, is_mine: impl Fn(u32) -> bool) {
        let classes = self.classes.len() as u32;
        for process in 0..self.generator.processes() {
            if is_mine(process / classes / self.sources_each)
                && let Some(cycle) = self.generator.first(process)
            {
                self.schedule(process, cycle);
            }
        }
        if !self.generator.pulls() {
            return;
        }
        let terminals = fabric.layout.ins - fabric.layout.sources;
        let each = if self.shared.is_empty() {
            self.sources_each
        } else {
            1
        };
        for terminal in 0..terminals {
            for index in 0..each {
                let lane = fabric.source_lane(terminal, index);
                if fabric.in_channels[fabric.channel(lane) as usize].spec != NONE
                    && is_mine(terminal)
                {
                    fabric.vacated.push(lane);
                }
            }
        }
    }
}

impl Fabric {
    /// A source lane of a terminal.
    pub(crate) fn source_lane(&self, terminal: u32, index: u32) -> u32 {
        ((self.layout.sources + terminal) << self.layout.shift) + index
    }

    /// Source lanes of a terminal without a packet, a bit each.
    fn vacant_source_lanes(&self, terminal: u32) -> u32 {
        let first = self.source_lane(terminal, 0);
        let vacant =
            |index: u32| u32::from(self.input[(first + index) as usize].front == NONE) << index;
        (0..self.layout.stride()).map(vacant).sum()
    }

    /// A packet is at the front of a source lane: its header competes from this cycle on.
    fn start_source(&mut self, lane: u32, id: u32) {
        let packet = *self.packets.get(id);
        self.input[lane as usize].front = id;
        let state = &mut self.input[lane as usize];
        state.count = [packet.length, 0];
        state.left = packet.length | FRESH;
        self.note_key(lane, packet.key);
        let terminal = self.channel(lane) - self.layout.sources;
        let lanes = self.routing.injection_lanes(&packet.way) & self.layout.all_lanes;
        self.wait(lane, self.layout.inject + terminal, lanes);
    }
}

/// Flits at the source of each terminal: of packets in its queue and of those that are leaving.
pub(crate) fn queued_flits(fabric: &Fabric, entrance: &Entrance, terminals: usize) -> Vec<u64> {
    let mut queued = vec![0_u64; terminals];
    for (terminal, flits) in queued.iter_mut().enumerate() {
        for index in 0..fabric.layout.stride() {
            let lane = fabric.source_lane(terminal as u32, index);
            let mut id = fabric.input[lane as usize].front;
            if id != NONE {
                *flits += u64::from(fabric.input[lane as usize].count[0]);
                if fabric.input[lane as usize].left == 0 {
                    *flits += u64::from(fabric.packets.get(id).length);
                }
                id = fabric.packets.get(id).next;
            }
            while id != NONE {
                *flits += u64::from(fabric.packets.get(id).length);
                id = fabric.packets.get(id).next;
            }
        }
    }
    entrance.add_queued(fabric, &mut queued);
    queued
}
