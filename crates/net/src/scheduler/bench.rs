//! A port by itself, without a network around it: to measure what a discipline costs, and to
//! replay small cases.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Duration, Rate, Time};

use crate::scheduler::{Choice, Packet, Port, Ranked, Seat, Share};
use crate::spec::SchedulerSpec;

/// No unit.
const NONE: u32 = u32::MAX;

/// One port with a queue for each flow, all in one priority group. Every unit may leave.
pub struct LonePort {
    ranked: Ranked,
    rate: Rate,
    last_bytes: u32,
    last_serialization: Duration,
    free_at: Time,
    in_service: u64,
    queues: Vec<Queue>,
    units: Vec<Unit>,
    free: u32,
}

/// First and last unit.
#[derive(Clone, Copy)]
struct Queue {
    first: u32,
    last: u32,
}

#[derive(Clone, Copy)]
struct Unit {
    packet: Packet,
    next: u32,
}

/// A unit that leaves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Departure {
    /// The flow, by its place in the list of rates.
    pub flow: u32,
    /// Size in bytes.
    pub bytes: u32,
    /// First bit out.
    pub start: Time,
    /// Last bit out.
    pub end: Time,
}

impl LonePort {
    /// A port of `rate` where flow `i` reserves `reserved[i]` (0 bps: nothing) and sends units
    /// of up to `unit_bytes`. `spec` may be anything but round robin, which takes no notice of
    /// units.
    pub fn new(spec: &SchedulerSpec, rate: Rate, reserved: &[Rate], unit_bytes: u32) -> LonePort {
        let share = |&rate: &Rate| Share {
            rate,
            unit_bytes,
            check_every: 0,
            offset: Duration::ZERO,
            deadline: rate.tick(unit_bytes as u64),
            tolerance: Duration::ZERO,
            ingress: NONE,
        };
        let seats = reserved.iter().map(share).zip(0..);
        let seats: Vec<(u32, Share)> = seats.map(|(share, seat)| (seat, share)).collect();
        let empty = Queue {
            first: NONE,
            last: NONE,
        };
        LonePort {
            ranked: Ranked::new(spec, rate, vec![seats], false),
            rate,
            last_bytes: unit_bytes,
            last_serialization: rate.serialization(unit_bytes as u64),
            free_at: Time::ZERO,
            in_service: 0,
            queues: vec![empty; reserved.len()],
            units: Vec::new(),
            free: NONE,
        }
    }

    /// When the unit in transmission has left.
    pub fn free_at(&self) -> Time {
        self.free_at
    }

    /// A unit of `flow` comes; its rank, or `None` if it is refused. Time must not go back.
    #[inline]
    pub fn arrive(&mut self, now: Time, flow: u32, bytes: u32) -> Option<u64> {
        let port = self.port(now);
        let place = Seat::new(0, flow);
        let admitted = self.ranked.on_arrival(&port, place, bytes)?;
        let packet = Packet {
            rank: admitted.rank,
            came: now,
            bytes,
        };
        let unit = self.store(Unit { packet, next: NONE });
        let queue = &mut self.queues[flow as usize];
        if queue.first == NONE {
            queue.first = unit;
            self.ranked.ready(now, place, packet);
        } else {
            self.units[queue.last as usize].next = unit;
        }
        queue.last = unit;
        Some(packet.rank)
    }

    /// The unit that the discipline chooses leaves, if the wire is free and any may.
    #[inline]
    pub fn serve(&mut self, now: Time) -> Option<Departure> {
        if self.free_at > now {
            return None;
        }
        let Choice::Leg(flow) = self.ranked.choose(now) else {
            return None;
        };
        let place = Seat::new(0, flow);
        let queue = &mut self.queues[flow as usize];
        let first = queue.first;
        let Unit { packet, next } = self.units[first as usize];
        queue.first = next;
        self.units[first as usize].next = self.free;
        self.free = first;
        self.in_service = packet.rank;
        let head = self.units.get(next as usize).map(|unit| unit.packet);
        self.ranked.on_start(now, place, packet, head);
        if head.is_none() {
            self.ranked.not_ready(place);
        }
        self.free_at = now + self.serialization(packet.bytes);
        Some(Departure {
            flow,
            bytes: packet.bytes,
            start: now,
            end: self.free_at,
        })
    }

    /// Time on the wire; most units have the size of the one before.
    #[inline]
    fn serialization(&mut self, bytes: u32) -> Duration {
        if bytes != self.last_bytes {
            self.last_bytes = bytes;
            self.last_serialization = self.rate.serialization(bytes as u64);
        }
        self.last_serialization
    }

    #[inline]
    fn port(&self, now: Time) -> Port {
        let wire_is_free = self.free_at <= now;
        Port {
            now,
            wire_is_free,
            is_idle: wire_is_free && self.ranked.is_empty(),
            in_service: (!wire_is_free).then_some(self.in_service),
        }
    }

    #[inline]
    fn store(&mut self, unit: Unit) -> u32 {
        let place = self.free;
        match self.units.get_mut(place as usize) {
            Some(slot) => {
                self.free = slot.next;
                *slot = unit;
                place
            }
            None => {
                self.units.push(unit);
                (self.units.len() - 1) as u32
            }
        }
    }
}
