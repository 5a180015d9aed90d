//! What a run found.

use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::{Counts, Fabric, OutputQueues};
use crate::lane::{FRESH, NONE};
use crate::outcome::FabricOutcome;
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::source::queued_flits;

impl<P: Probe> Simulation<P> {
    /// What was found so far.
    pub fn outcome(&self) -> FabricOutcome {
        let fabric = &self.fabric;
        let deadlock = self.deadlock.as_ref();
        let mut outcome = FabricOutcome {
            cycles: fabric.now,
            stop: self.stop.unwrap_or_default(),
            trace_hash: self.trace_hash,
            flit_hops: fabric.flit_hops,
            created_total: fabric.created,
            delivered_total: fabric.delivered,
            queued_total: fabric.created - fabric.injected,
            inside_total: fabric.injected - fabric.delivered,
            standstill: deadlock.map(|deadlock| deadlock.standstill.clone()),
            stuck_packets: deadlock.map_or(0, |deadlock| deadlock.packets),
            ..FabricOutcome::default()
        };
        self.meter.fill(&mut outcome);
        self.fill_utilization(&mut outcome);
        self.fill_queues(&mut outcome);
        outcome
    }

    /// Nothing before the window.
    fn fill_utilization(&self, outcome: &mut FabricOutcome) {
        let fabric = &self.fabric;
        let lanes = usize::from(self.spec.router.lanes);
        outcome.utilization = vec![0.0; fabric.layout.out_of.len()];
        outcome.lane_utilization = vec![0.0; lanes];
        if outcome.window == 0 {
            return;
        }
        let counts = fabric.counted.clone();
        let counts = counts.unwrap_or_else(|| fabric.counts_since(&fabric.counted_before));
        let cycles = outcome.window as f64;
        for (share, out) in outcome.utilization.iter_mut().zip(&fabric.layout.out_of) {
            *share = counts.channels[*out as usize] as f64 / cycles;
        }
        let all = fabric.layout.out_of.len().max(1) as f64;
        for (share, flits) in outcome.lane_utilization.iter_mut().zip(counts.lanes) {
            *share = flits as f64 / cycles / all;
        }
    }

    fn fill_queues(&self, outcome: &mut FabricOutcome) {
        let queued = queued_flits(&self.fabric, &self.entrance, outcome.terminals.len());
        for (terminal, flits) in outcome.terminals.iter_mut().zip(queued) {
            terminal.queued = flits;
        }
    }
}

impl Fabric {
    /// The window begins.
    pub(crate) fn restart_counters(&mut self) {
        self.crossed_before = self.crossed(self);
        self.clear_counters();
        self.counted = None;
        self.counted_before = self.counts_under_way();
    }

    /// Nothing has crossed yet, in the window.
    pub(crate) fn clear_counters(&mut self) {
        self.out_channels
            .iter_mut()
            .for_each(|channel| channel.flits = 0);
        self.lane_flits = [0; 32];
    }

    /// The window has ended.
    pub(crate) fn freeze_counters(&mut self) {
        self.counted = Some(self.counts_since(&self.counted_before));
    }

    /// Flits that have crossed each output channel since the start. `whole` knows what had when
    /// the counters began anew: the network itself, or that of which this is a part.
    pub(crate) fn crossed(&self, whole: &Fabric) -> Vec<u64> {
        let mut crossed = self.counts_since(&whole.counted_before).channels;
        for (count, before) in crossed.iter_mut().zip(&whole.crossed_before) {
            *count += before;
        }
        crossed
    }

    /// Flits since the window began. Whole packets are counted when their tails cross; so what
    /// has crossed of those under way is added now, and what had at the beginning is taken off.
    fn counts_since(&self, start: &Counts) -> Counts {
        let mut counts = self.counts_under_way();
        for (count, channel) in counts.channels.iter_mut().zip(&self.out_channels) {
            *count += channel.flits;
        }
        for (count, before) in counts.channels.iter_mut().zip(&start.channels) {
            *count = count.saturating_sub(*before);
        }
        for (index, count) in counts.lanes.iter_mut().enumerate() {
            *count += self.lane_flits[index];
            *count = count.saturating_sub(start.lanes[index]);
        }
        counts
    }

    /// Flits that have crossed of packets whose tails have not.
    fn counts_under_way(&self) -> Counts {
        let mut counts = Counts {
            channels: vec![0; self.out_channels.len()],
            lanes: [0; 32],
        };
        for (lane, sender) in self.output.iter().enumerate() {
            let from = sender.link as usize;
            if sender.link == self.layout.no_in() || self.input[from].front == NONE {
                continue;
            }
            let left = self.input[from].left & !FRESH;
            let crossed = self.packets.get(self.input[from].front).length - left;
            let lane = lane as u32;
            counts.channels[self.channel(lane) as usize] += u64::from(crossed);
            counts.lanes[self.index(lane)] += u64::from(crossed);
        }
        self.take_off_buffered(&mut counts);
        counts
    }

    /// What the switch has sent and the channel has not.
    fn take_off_buffered(&self, counts: &mut Counts) {
        let queued = self.queues.iter().flat_map(OutputQueues::flits);
        for flit in queued {
            let (channel, lane) = (self.channel(flit.into) as usize, self.index(flit.into));
            if flit.tail != NONE {
                let length = u64::from(self.packets.get(flit.tail).length);
                counts.channels[channel] += length;
                counts.lanes[lane] += length;
            }
        }
        let queued = self.queues.iter().flat_map(OutputQueues::flits);
        for flit in queued {
            counts.channels[self.channel(flit.into) as usize] -= 1;
            counts.lanes[self.index(flit.into)] -= 1;
        }
    }

    /// Index of a lane in its channel.
    fn index(&self, lane: u32) -> usize {
        (lane & (self.layout.stride() - 1)) as usize % 32
    }
}
