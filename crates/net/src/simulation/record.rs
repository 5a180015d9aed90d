//! What happens in a run that may repeat itself: noted as it happens.

use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Duration, EventQueue, Time, TraceSum};

use crate::hop::unit::NONE;
use crate::probe::Probe;
use crate::simulation::Simulation;

/// Delays that are recorded; a period with more of them is not leapt over.
const MOST_DELAYS: u64 = 1 << 27;

/// What happens in a period.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Once the period is known: so often it is to come again, each time so much later.
    pub again: Option<(u64, Duration)>,
    /// Starts of those times, as the trace hash has them.
    pub hash: TraceSum,
    /// Delays by flow, and how many of all.
    pub samples: Vec<Vec<u64>>,
    delays: u64,
    /// The order of some arrivals at one instant mattered: that depends on the time.
    pub is_tied: bool,
}

impl Record {
    /// Of a period that is to come again.
    pub fn again(times: u64, period: Duration, flows: usize) -> Record {
        Record {
            again: Some((times, period)),
            samples: vec![Vec::new(); flows],
            ..Record::default()
        }
    }

    /// There is more of it than can be kept.
    pub fn is_full(&self) -> bool {
        self.delays > MOST_DELAYS
    }

    /// A start at this instant is one at each later time.
    fn start(&mut self, now: Time, bytes: u32, place: u64) {
        let (times, period) = self.again.unwrap_or_default();
        let mark = u64::from(bytes) << 48;
        let (mut hash, mut at) = (self.hash, now.0);
        for _ in 0..times {
            at += period.ps();
            hash.add(at ^ mark, place);
        }
        self.hash = hash;
    }
}

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A frame starts.
    #[inline]
    pub(crate) fn note_start(&mut self, bytes: u32, place: u64) {
        if let Some(record) = &mut self.record {
            record.start(self.now, bytes, place);
        }
    }

    /// A frame has come to the destination of its flow.
    #[inline]
    pub(crate) fn note_delay(&mut self, place: u32, born: Time) {
        if let Some(record) = &mut self.record
            && record.again.is_some()
        {
            record.delays += 1;
            if !record.is_full() {
                record.samples[place as usize].push(self.now.since(born).ps());
            }
        }
    }

    /// Several frames come to one switch at one instant, in an order that depends on the time:
    /// could another order lead to anything else?
    pub(crate) fn note_tie(&mut self) {
        let crowd = &self.by_class.crowd;
        if self.record.is_none() || crowd.len() < 2 {
            return;
        }
        let (network, classes) = (&self.network, &self.network.classes);
        let mut nexts = Vec::new();
        let mut is_tied = false;
        for (_, channel) in crowd {
            let channel = &network.channels[*channel as usize];
            let node = &classes.nodes[channel.to as usize];
            let first = channel.wire.first();
            if first == NONE {
                continue;
            }
            let frame = network.units.get(first);
            let next = classes.routes.channel(frame);
            if frame.is_control() || next as usize >= network.channels.len() {
                is_tied = true;
                break;
            }
            // Who fills a memory first, or a queue to its threshold, is told to stop.
            let queue = &classes.queues[classes.queue(next, frame.class)];
            let is_above = queue.bytes + u64::from(frame.bytes) > queue.high_bytes;
            let tells = node.lossless != 0 && !node.detects_inputs;
            is_tied |= node.shared.is_some() || tells && is_above;
            nexts.push(next);
        }
        nexts.sort_unstable();
        is_tied |= nexts.windows(2).any(|two| two[0] == two[1]);
        if let Some(record) = &mut self.record {
            record.is_tied |= is_tied;
        }
    }
}
