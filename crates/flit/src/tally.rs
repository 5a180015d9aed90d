//! Who is told of births and deliveries.

use alloc::vec::Vec;

use crate::meter::{Delivered, Meter};

/// Takes note of births and deliveries.
pub(crate) trait Tally {
    /// A packet was born.
    fn born(&mut self, now: u64, terminal: u32, class: u8, length: u16);
    /// A packet has arrived.
    fn delivered(&mut self, packet: &Delivered);
}

impl Tally for Meter {
    #[inline]
    fn born(&mut self, now: u64, terminal: u32, class: u8, length: u16) {
        Meter::born(self, now, terminal, class, length);
    }

    #[inline]
    fn delivered(&mut self, packet: &Delivered) {
        Meter::delivered(self, packet);
    }
}

/// Writes down what a part of a network has to tell.
#[derive(Debug, Default)]
pub(crate) struct Log {
    births: Vec<Birth>,
    /// In order of cycle, then of destination.
    deliveries: Vec<Delivered>,
}

#[derive(Clone, Copy, Debug)]
struct Birth {
    now: u64,
    terminal: u32,
    length: u16,
    class: u8,
}

impl Tally for Log {
    fn born(&mut self, now: u64, terminal: u32, class: u8, length: u16) {
        self.births.push(Birth {
            now,
            terminal,
            length,
            class,
        });
    }

    fn delivered(&mut self, packet: &Delivered) {
        self.deliveries.push(*packet);
    }
}

impl Log {
    /// Tells what the logs of all parts hold in the order in which a whole network tells it, and
    /// empties them. Births are only counted, so their order does not matter.
    pub fn read_together<'a>(logs: impl Iterator<Item = &'a mut Log>, meter: &mut Meter) {
        let mut deliveries = Vec::new();
        for log in logs {
            for birth in log.births.drain(..) {
                meter.born(birth.now, birth.terminal, birth.class, birth.length);
            }
            deliveries.push((0, core::mem::take(&mut log.deliveries)));
        }
        loop {
            let next = |(at, list): &(usize, Vec<Delivered>)| {
                let packet = list.get(*at)?;
                Some((packet.now, packet.destination))
            };
            let first = (0..deliveries.len())
                .filter_map(|part| Some((next(&deliveries[part])?, part)))
                .min();
            let Some((_, part)) = first else {
                break;
            };
            let (at, list) = &mut deliveries[part];
            meter.delivered(&list[*at]);
            *at += 1;
        }
    }
}
