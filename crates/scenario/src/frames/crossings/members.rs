//! What flows without a row may put on channels.

use backwater_kernel::Time;
use backwater_net::frames::spec::{FRAME_LEAST_BYTES, FlowSpec, TrafficSpec};

use super::{Demand, Load, loads};
use crate::frames::flows::Flows;
use crate::frames::headroom::Sizes;
use crate::prelude::*;

/// Where it is said where a flow goes.
pub(super) fn target<'a>(flows: &'a Flows<'_>, flow: usize) -> &'a At {
    match flow.checked_sub(flows.tables.len()) {
        None => flows.tables[flow].to,
        Some(group) => flows.groups[group].table.to,
    }
}

/// Of flows without a row: as much at once as may be, in frames of any size.
pub(super) fn add(flows: &Flows<'_>, all: &mut Vec<Demand>) {
    for (flow, group) in (flows.specs.len()..).zip(&flows.groups) {
        for kind in &group.spec.kinds {
            let endless = FlowSpec {
                traffic: TrafficSpec::Infinite {
                    start: Time::ZERO,
                    bytes: None,
                },
                ..kind.clone()
            };
            for (is_forward, class, load) in loads(&endless) {
                let load = Load {
                    sizes: Sizes::any(load.sizes.largest, FRAME_LEAST_BYTES),
                    most: u64::MAX,
                    most_frames: u64::MAX,
                    ..load
                };
                all.extend(group.pairs.iter().map(|(source, destination)| {
                    let (from, to) = match is_forward {
                        true => (*source, *destination),
                        false => (*destination, *source),
                    };
                    Demand {
                        to,
                        class,
                        from,
                        flow,
                        load: Load { last: to, ..load },
                    }
                }));
            }
        }
    }
}
