//! Which lanes belong to which group of packets and class of routing.

use alloc::format;

use backwater_kernel::BuildError;

use super::describe;
use crate::spec::{LANES_MAX, RoutingSpec};

const SETS: usize = LANES_MAX as usize;

/// Sets of lanes, a bit each.
#[derive(Clone, Debug)]
pub(super) struct LaneSets {
    classes: u8,
    /// By group times `classes` plus class.
    class: [u32; SETS],
    /// By group.
    group: [u32; SETS],
}

impl LaneSets {
    /// Equal blocks, group by group; the first `escapes` classes of a group, if any, have a lane
    /// each and the last class has the rest.
    pub(super) fn new(
        routing: RoutingSpec,
        lanes: u8,
        groups: u8,
        escapes: u8,
        classes: u8,
    ) -> Result<LaneSets, BuildError> {
        let needed = u16::from(groups) * u16::from(classes);
        if groups == 0 || lanes > LANES_MAX || u16::from(lanes) < needed {
            let (what, _) = describe(routing);
            return Err(BuildError(format!(
                "{lanes} VCs for {what} and {groups} groups of packets: allowed are 1 or more \
                 groups and {classes} VCs for each, at most {LANES_MAX} VCs in all"
            )));
        }
        let mut sets = LaneSets {
            classes,
            class: [0; SETS],
            group: [0; SETS],
        };
        for group in 0..groups {
            let all = block(lanes, groups.into(), group.into());
            sets.group[usize::from(group)] = all;
            for class in 0..classes {
                let index = u16::from(group) * u16::from(classes) + u16::from(class);
                let lowest = all.trailing_zeros();
                sets.class[usize::from(index)] = match class {
                    _ if escapes == 0 => block(lanes, needed, index),
                    class if class < escapes => 1 << (lowest + u32::from(class)),
                    _ => all & (u32::MAX << (lowest + u32::from(escapes))),
                };
            }
        }
        Ok(sets)
    }

    pub(super) fn class(&self, group: u8, class: u8) -> u32 {
        let index = usize::from(group) * usize::from(self.classes) + usize::from(class);
        self.class[index % SETS]
    }

    pub(super) fn group(&self, group: u8) -> u32 {
        self.group[usize::from(group) % SETS]
    }
}

/// The lanes of a block when `lanes` are cut into so many.
fn block(lanes: u8, blocks: u16, index: u16) -> u32 {
    let start = u16::from(lanes) * index / blocks;
    let end = u16::from(lanes) * (index + 1) / blocks;
    // Both are at most 32.
    (((1u64 << end) - 1) & !((1u64 << start) - 1)) as u32
}
