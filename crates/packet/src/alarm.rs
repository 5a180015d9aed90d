//! What a source makes of a warning that its flow runs too fast.

use kernel::EventQueue;

use crate::probe::Probe;
use crate::simulation::Simulation;

impl<Q: EventQueue, P: Probe> Simulation<Q, P> {
    /// A warning reached the source of `flow_id`.
    #[allow(dead_code, reason = "ports that warn call it")]
    pub(crate) fn on_alarm(&mut self, flow_id: u32) {
        self.network.flows[flow_id as usize].counts.alarms += 1;
    }
}
