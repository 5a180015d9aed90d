//! What a run found.

use alloc::vec;
use alloc::vec::Vec;

use crate::fabric::Fabric;
use crate::lane::NONE;
use crate::outcome::{FabricOutcome, Stop};
use crate::probe::Probe;
use crate::simulation::Simulation;
use crate::source::Entrance;

impl<P: Probe> Simulation<P> {
    /// What was found so far.
    pub fn outcome(&self) -> FabricOutcome {
        let fabric = &self.fabric;
        let mut outcome = FabricOutcome {
            cycles: fabric.now,
            stop: match self.stop {
                Stop::Running => Stop::Interrupted,
                stop => stop,
            },
            trace_hash: self.trace_hash,
            flit_hops: fabric.flit_hops,
            created_total: fabric.created,
            delivered_total: fabric.delivered,
            queued_total: fabric.created - fabric.injected,
            inside_total: fabric.injected - fabric.delivered,
            deadlock: self.deadlock.clone(),
            ..FabricOutcome::default()
        };
        self.meter.fill(&mut outcome);
        self.fill_utilization(&mut outcome);
        self.fill_queues(&mut outcome);
        outcome
    }

    fn fill_utilization(&self, outcome: &mut FabricOutcome) {
        let fabric = &self.fabric;
        let cycles = outcome.window.max(1) as f64;
        let flits = fabric.counted.as_ref();
        let (channels, lanes) = flits.map_or_else(|| fabric.counts_now(), Clone::clone);
        let outs = fabric.layout.out_of.iter();
        outcome.utilization = outs
            .map(|out| f64::from(channels[*out as usize]) / cycles)
            .collect();
        let all = outcome.utilization.len().max(1) as f64;
        let used = usize::from(self.spec.router.lanes);
        outcome.lane_utilization = lanes[..used]
            .iter()
            .map(|flits| *flits as f64 / cycles / all)
            .collect();
    }

    fn fill_queues(&self, outcome: &mut FabricOutcome) {
        let queued = queued_flits(&self.fabric, &self.entrance, outcome.terminals.len());
        for (terminal, flits) in outcome.terminals.iter_mut().zip(queued) {
            terminal.queued = flits;
        }
    }
}

/// Flits at the source of each terminal: of packets in its queue and of those that are leaving.
pub(crate) fn queued_flits(fabric: &Fabric, entrance: &Entrance, terminals: usize) -> Vec<u64> {
    let mut queued = vec![0_u64; terminals];
    for (terminal, flits) in queued.iter_mut().enumerate() {
        for index in 0..fabric.layout.stride() {
            let lane = fabric.source_lane(terminal as u32, index);
            let mut id = fabric.front[lane as usize];
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

impl Fabric {
    /// The window begins.
    pub(crate) fn restart_counters(&mut self) {
        for channel in &mut self.out_channels {
            channel.flits = 0;
        }
        self.lane_flits = [0; 32];
        self.counted = None;
    }

    /// The window has ended.
    pub(crate) fn freeze_counters(&mut self) {
        self.counted = Some(self.counts_now());
    }

    fn counts_now(&self) -> crate::fabric::Counts {
        let flits = self.out_channels.iter().map(|channel| channel.flits);
        (flits.collect(), self.lane_flits)
    }
}
