//! The same traffic under other disciplines.

use super::seen::{Sets, sets};

/// A way to serve ports, and who is dropped when a pool is full.
#[derive(Clone, Copy)]
pub struct Discipline {
    pub name: &'static str,
    scheduler: &'static str,
    when_full: &'static str,
    policer: &'static str,
}

const fn plain(name: &'static str, scheduler: &'static str) -> Discipline {
    Discipline {
        name,
        scheduler,
        when_full: "push-out",
        policer: "",
    }
}

const fn tail_drop(name: &'static str, scheduler: &'static str) -> Discipline {
    Discipline {
        when_full: "tail-drop",
        ..plain(name, scheduler)
    }
}

pub const VIRTUAL_CLOCK: Discipline = plain("VirtualClock", "virtual-clock");
pub const FIFO: Discipline = tail_drop("FIFO", "fifo");
pub const WFQ: Discipline = plain("WFQ", "wfq");
pub const ROUND_ROBIN: Discipline = plain("round robin", "round-robin");
pub const WF2Q_PLUS: Discipline = plain("WF2Q+", "wf2q+");
pub const SCFQ: Discipline = plain("SCFQ", "scfq");
pub const SFQ: Discipline = plain("SFQ", "sfq");
pub const DRR: Discipline = plain("DRR", "drr");
/// A full pool drops the last packet of its longest queue.
pub const FIFO_PUSH_OUT: Discipline = plain("FIFO, drops from the longest queue", "fifo");
/// Leaky buckets at the edge: of a second's worth, and of a whole AI as honest flows may need it.
pub const LEAKY_SHALLOW: Discipline = Discipline {
    policer: "2500 B",
    ..tail_drop("leaky bucket of 10 packets, FIFO", "fifo")
};
pub const LEAKY_DEEP: Discipline = Discipline {
    policer: "12500 B",
    ..tail_drop("leaky bucket of 50 packets, FIFO", "fifo")
};

/// Every discipline that needs no more than the traffic has.
pub const ALL: [Discipline; 8] = [
    VIRTUAL_CLOCK,
    FIFO,
    ROUND_ROBIN,
    WFQ,
    WF2Q_PLUS,
    SCFQ,
    SFQ,
    DRR,
];

impl Discipline {
    /// What it changes of a scenario.
    pub fn sets(&self) -> Sets {
        let mut all = sets([
            ("scheduler", format!("{{ kind = \"{}\" }}", self.scheduler)),
            ("buffer.shared.when_full", self.when_full.into()),
        ]);
        if !self.policer.is_empty() {
            let bucket = format!("{{ kind = \"bucket\", burst = \"{}\" }}", self.policer);
            all.push(("flows.*.policer".into(), bucket));
        }
        all
    }
}
