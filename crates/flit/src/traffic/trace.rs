//! Packets from a list.

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::BuildError;

use crate::spec::{ClassSpec, Injection, LENGTH_MAX, TraceEntry};

/// A packet of a list; its source is known by where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) cycle: u64,
    pub(crate) destination: u32,
    pub(crate) length: u16,
}

/// A trace, sorted by source; the packets of a terminal take its sources in turn.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    entries: Vec<Entry>,
    /// By source: the next entry, and where its entries end.
    parts: Vec<(usize, usize)>,
}

impl Trace {
    pub(crate) fn new(list: &[TraceEntry], terminals: u32, per: u32) -> Result<Trace, BuildError> {
        check(list, terminals)?;
        let mut turns = vec![0_u32; terminals as usize];
        let mut take_turn = |entry: &TraceEntry| {
            let turn = &mut turns[entry.source as usize];
            let source = entry.source as usize * per as usize + *turn as usize;
            *turn = (*turn + 1) % per;
            source
        };
        let sources: Vec<usize> = list.iter().map(&mut take_turn).collect();
        let mut parts = vec![(0, 0); terminals as usize * per as usize];
        sources.iter().for_each(|&source| parts[source].1 += 1);
        let mut start = 0;
        for part in &mut parts {
            let count = part.1;
            *part = (start, start);
            start += count;
        }
        let empty = Entry {
            cycle: 0,
            destination: 0,
            length: 0,
        };
        let mut entries = vec![empty; list.len()];
        for (entry, &source) in list.iter().zip(&sources) {
            let at = &mut parts[source].1;
            entries[*at] = Entry {
                cycle: entry.cycle,
                destination: entry.destination,
                length: entry.length,
            };
            *at += 1;
        }
        Ok(Trace { entries, parts })
    }

    /// Cycle of a source's next packet.
    pub(crate) fn due(&self, source: u32) -> Option<u64> {
        let (next, end) = self.parts[source as usize];
        self.entries[next..end].first().map(|entry| entry.cycle)
    }

    /// A source's next packet.
    pub(crate) fn take(&mut self, source: u32) -> Option<Entry> {
        let (next, end) = &mut self.parts[source as usize];
        let entry = self.entries[*next..*end].first().copied();
        *next += usize::from(entry.is_some());
        entry
    }
}

/// Last cycle in which a packet is born, if all are listed.
pub(crate) fn last_cycle(classes: &[ClassSpec]) -> Option<u64> {
    let mut last = None;
    for class in classes {
        let Injection::Trace(list) = &class.injection else {
            return None;
        };
        let end = list.last().map_or(0, |entry| entry.cycle);
        last = last.max(Some(end));
    }
    last
}

fn check(list: &[TraceEntry], terminals: u32) -> Result<(), BuildError> {
    let mut before = 0;
    for (at, entry) in (1..).zip(list) {
        let wrong = if entry.cycle < before {
            format!("cycle {} comes after cycle {before}", entry.cycle)
        } else if entry.source.max(entry.destination) >= terminals {
            let terminal = entry.source.max(entry.destination);
            format!("terminal {terminal}: terminals are 0 to {}", terminals - 1)
        } else if !(1..=LENGTH_MAX).contains(&entry.length) {
            format!("{} flits: 1 to {LENGTH_MAX}", entry.length)
        } else {
            before = entry.cycle;
            continue;
        };
        let at: u64 = at;
        return Err(BuildError(format!("packet {at} of the trace: {wrong}")));
    }
    Ok(())
}
