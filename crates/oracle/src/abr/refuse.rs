//! What this implementation doesn't know.

use backwater_kernel::Time;
use backwater_net::spec::{
    FlowControlSpec, NetworkSpec, SchedulerSpec, SinkSpec, SourceControlSpec, TrafficSpec,
};

use super::traffic;
use crate::check::{self, Problem};

/// Is there anything in `spec` that it can't run?
pub(super) fn refuse(spec: &NetworkSpec) -> Result<(), Problem> {
    let no = |what: String| Err(Problem::Unsupported(what));
    if spec.stop_at == Time::MAX {
        return no("a run without end".into());
    }
    for (index, channel) in check::channels(spec).iter().enumerate() {
        let errors = channel.errors;
        if errors.data_loss + errors.control_loss + errors.control_corruption > 0.0 {
            return no(format!("channel {index}: errors"));
        }
        let is_known = matches!(
            channel.scheduler,
            SchedulerSpec::Fifo | SchedulerSpec::RoundRobin | SchedulerSpec::StrictPriority
        );
        if !is_known {
            return no(format!("channel {index}: {:?}", channel.scheduler));
        }
    }
    for (index, flow) in spec.flows.iter().enumerate() {
        let mut legs = flow.legs.iter().enumerate();
        let is_path = legs.all(|(place, leg)| {
            let follows = leg.parent.map_or(0, |parent| parent as usize + 1) == place;
            let limit = leg.buffer.limit_units.is_none();
            follows && limit && leg.flow_control == FlowControlSpec::None
        });
        let is_known = matches!(
            flow.source_control,
            SourceControlSpec::None | SourceControlSpec::Abr(_)
        );
        let requests = match &flow.traffic {
            TrafficSpec::Requests(requests) => traffic::is_fixed(requests),
            _ => true,
        };
        let edges = flow.envelope.is_none() && flow.policer.is_none() && flow.session.is_none();
        let sizes = flow.sizes.is_empty() && flow.sink == SinkSpec::Infinite;
        if !(is_path && is_known && requests && edges && sizes) {
            return no(format!("flow {index}"));
        }
    }
    Ok(())
}
