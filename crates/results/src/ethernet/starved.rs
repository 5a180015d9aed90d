//! Flows of frames that got next to nothing, and what stood in their way.

use backwater_kernel::words::counted;
use backwater_net::frames::spec::{EthernetSpec, SchedulerSpec, Span, TrafficSpec};

use super::Frames;
use crate::events::starved::{Endless, Starving};
use crate::starved::others;

impl Starving for EthernetSpec {
    fn endless(&self, flow: u32) -> Option<Endless> {
        let flow = self.flows.get(flow as usize)?;
        let (start, file) = match &flow.traffic {
            TrafficSpec::Infinite { start, bytes: None } => (*start, None),
            TrafficSpec::Files {
                start,
                bytes,
                think: Span::Fixed(think) | Span::Uniform(think) | Span::Exponential(think),
                count: None,
            } => (*start, Some((*bytes, *think))),
            _ => return None,
        };
        Some(Endless { start, file })
    }

    fn held_up(run: &Frames<'_>, flow: usize, mut waits: String) -> String {
        let time_outs = run.outcome.flows[flow].ends.tcp.time_outs;
        if time_outs > 0 {
            waits += &format!(", {}", counted(time_outs, "time-out"));
        }
        let Some(own) = run.network.flows.get(flow) else {
            return waits;
        };
        let flows = run.network.flows.iter();
        let urgent = flows.filter(|other| other.class > own.class);
        let mut ports = run.network.links.iter().flat_map(|link| &link.channels);
        let is_strict = ports.any(|port| port.scheduler == SchedulerSpec::StrictPriority);
        match urgent.count() {
            count @ 1.. if is_strict => format!(
                "{waits}; {} of a class above {}, and the highest class goes first here",
                others(count, "is", "are"),
                own.class
            ),
            _ => waits,
        }
    }
}
