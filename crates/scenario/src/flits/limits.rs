//! Does it fit into memory, and can the network carry it?

use backwater_flit::spec::{ClassSpec, Injection, Pattern};
use backwater_flit::traffic::loads::Loads;
use backwater_kernel::words::grouped;

use super::network::Plan;
use crate::Limits;
use crate::given::flits::FlitFile;
use crate::network::memory;
use crate::network::room::out_of_memory;
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

/// More flits a cycle than this are too many for a channel, which carries one.
const FULL: f64 = 1.0 + 1e-6;

/// Are terminals asked to send more than their channels carry, or to get more?
pub(crate) fn load(traffic: &At, loads: &Loads, mistakes: &mut Diagnostics) {
    if let Some(busy) = Busy::of(&loads.sent) {
        Diagnostic::warning(
            "overload",
            format!(
                "{} more than {} can",
                busy.who("send", "sends"),
                busy.pronoun()
            ),
        )
        .at(traffic, busy.most("in all"))
        .note(format!(
            "an injection channel carries 1; what is more waits at the source, packet by packet: \
             {} flits more in each 1,000 cycles",
            busy.surplus()
        ))
        .help("lower `load`, or use the injection `greedy` to find the most")
        .tell(mistakes);
    }
    if let Some(busy) = Busy::of(&loads.received) {
        Diagnostic::warning(
            "overload",
            format!(
                "{} more than {} can",
                busy.who("get", "gets"),
                busy.pronoun()
            ),
        )
        .at(traffic, busy.most("go there"))
        .note(format!(
            "an ejection channel carries 1; queues grow as long as the run lasts, by {} flits in \
             each 1,000 cycles",
            busy.surplus()
        ))
        .help("lower `load`, or send more of it elsewhere")
        .tell(mistakes);
    }
}

/// Terminals with more than a channel carries.
struct Busy {
    /// The first of those with most, and how much it has.
    terminal: usize,
    load: f64,
    count: usize,
    /// All that is too much, flits per cycle.
    surplus: f64,
}

impl Busy {
    fn of(loads: &[f64]) -> Option<Self> {
        let over = || {
            loads
                .iter()
                .copied()
                .enumerate()
                .filter(|(_, load)| *load > FULL)
        };
        let most = over().map(|(_, load)| load).fold(0.0, f64::max);
        let (terminal, load) = over().find(|(_, load)| *load >= most * (1.0 - 1e-9))?;
        Some(Self {
            terminal,
            load,
            count: over().count(),
            surplus: over().map(|(_, load)| load - 1.0).sum(),
        })
    }

    fn who(&self, many: &str, one: &str) -> String {
        match self.count {
            1 => format!("terminal {} {one}", self.terminal),
            several => format!("{several} terminals {many}"),
        }
    }

    fn pronoun(&self) -> &'static str {
        if self.count == 1 { "it" } else { "they" }
    }

    fn most(&self, what: &str) -> String {
        // As many digits as it takes to be more than 1.
        let written = |digits: usize| format!("{:.digits$}", self.load);
        let is_one = |text: &String| text.trim_end_matches(['0', '.']) == "1";
        let load = (3..=9).map(written).find(|text| !is_one(text));
        let load = load.unwrap_or_else(|| written(9));
        let flits = format!("{load} flits per cycle {what}");
        match self.count {
            1 => flits,
            _ => format!("{flits}, at terminal {}", self.terminal),
        }
    }

    fn surplus(&self) -> String {
        grouped((self.surplus * 1e3).round() as u64)
    }
}
