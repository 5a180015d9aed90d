//! Does it fit into memory, and can the network carry it?

use backwater_flit::spec::{ClassSpec, Injection, Pattern};
use backwater_kernel::words::grouped;

use super::network::Plan;
use crate::Limits;
use crate::checks::out_of_memory;
use crate::given::flit::FlitFile;
use crate::memory;
use crate::prelude::*;

/// Memory of a packet of a trace, as a spec and in the run.
const TRACED_BYTES: u64 = 64;
/// Memory of a weight of a matrix, as a spec and in the run.
const WEIGHT_BYTES: u64 = 24;

/// Does the network fit into memory? Asked before it is built.
pub(crate) fn fits(
    file: &FlitFile,
    plan: &Plan,
    classes: Option<&[ClassSpec]>,
    limits: &Limits,
    mistakes: &mut Diagnostics,
) -> bool {
    let (size, vcs) = (plan.size, *file.router.vcs);
    let channels = size
        .channels
        .saturating_add(size.terminals.saturating_mul(2));
    let demand = |class: &ClassSpec| match (&class.injection, &class.pattern) {
        (Injection::Trace(list), _) => TRACED_BYTES * list.len() as u64,
        (_, Pattern::Matrix(rows)) => {
            WEIGHT_BYTES * rows.iter().map(|row| row.len() as u64).sum::<u64>()
        }
        _ => 0,
    };
    let needed = memory::of_fabric(channels, vcs, size.terminals)
        + classes.unwrap_or(&[]).iter().map(demand).sum::<u64>();
    let Some(memory) = limits.memory_bytes.filter(|memory| needed > *memory) else {
        return true;
    };
    let place = (&file.topology.at, "the network is made here");
    let terminals = size.terminals;
    let what = format!("{channels} channels of {vcs} VCs and {terminals} terminals");
    out_of_memory(place, (needed, &what), memory)
        .help("make the network smaller, or use fewer VCs")
        .tell(mistakes);
    false
}

/// Loads of all classes together, at injection and at hot spots.
pub(crate) fn load(
    traffic: &At,
    classes: &[ClassSpec],
    terminals: u64,
    mistakes: &mut Diagnostics,
) {
    let total: f64 = classes.iter().filter_map(offered).sum();
    if total > 1.0 + 1e-9 {
        Diagnostic::warning("overload", "terminals send more than they can")
            .at(
                traffic,
                format!("{total:.3} flits per cycle and terminal in all"),
            )
            .note(format!(
                "an injection channel carries 1; what is more waits at the source, packet by \
                     packet: {} flits more in each 1,000 cycles",
                grouped(((total - 1.0) * 1e3 * terminals as f64).round() as u64)
            ))
            .help("lower `load`, or use the injection `greedy` to find the most")
            .tell(mistakes);
        return;
    }
    if let Some((terminal, load)) = hottest(classes, terminals)
        && load > 1.0 + 1e-9
    {
        Diagnostic::warning(
            "overload",
            format!("terminal {terminal} gets more than it can"),
        )
        .at(traffic, format!("{load:.3} flits per cycle go there"))
        .note(format!(
            "an ejection channel carries 1; queues grow as long as the run lasts, by {} \
                 flits in each 1,000 cycles",
            grouped(((load - 1.0) * 1e3).round() as u64)
        ))
        .help("lower `load` or the `share` of the hot spots")
        .tell(mistakes);
    }
}

fn offered(class: &ClassSpec) -> Option<f64> {
    match class.injection {
        Injection::Bernoulli { load }
        | Injection::Constant { load }
        | Injection::OnOff { load, .. } => Some(load),
        Injection::Saturation
        | Injection::RequestReply { .. }
        | Injection::Replies
        | Injection::Trace(_) => None,
    }
}

/// The hot spot that most flits go to, and how many each cycle.
fn hottest(classes: &[ClassSpec], terminals: u64) -> Option<(u32, f64)> {
    let mut spots: Vec<(u32, f64)> = Vec::new();
    let mut everywhere = 0.0;
    for class in classes {
        let Some(load) = offered(class) else {
            continue;
        };
        let Pattern::Hotspot { targets, share } = &class.pattern else {
            everywhere += load;
            continue;
        };
        everywhere += load * (1.0 - share);
        let all: f64 = targets.iter().map(|(_, weight)| f64::from(*weight)).sum();
        let part = load * share * terminals as f64 / all;
        spots.extend(
            targets
                .iter()
                .map(|(target, weight)| (*target, part * f64::from(*weight))),
        );
    }
    spots.sort_by_key(|(target, _)| *target);
    spots.dedup_by(|next, first| {
        let same = next.0 == first.0;
        first.1 += if same { next.1 } else { 0.0 };
        same
    });
    let most = spots.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some((most.0, most.1 + everywhere))
}
