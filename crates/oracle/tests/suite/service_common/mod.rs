//! Runs of both engines, in the same words.

use backwater_kernel::{Duration, Time};
use backwater_net::probe::{Crossing, Probe, UnitKind};
use backwater_net::spec::{NetworkSpec, Resync, SchedulerSpec, Stamp, VirtualClockSpec};
use backwater_net::watched;
use backwater_oracle::{Check, Rank, Report, Start};

/// The engine ranks datagrams from here on; the slow engine gives them no rank.
const DATAGRAM: u64 = 1 << 63;

/// What the engine does, in the oracle's words.
#[derive(Default)]
pub struct Seen {
    pub starts: Vec<Start>,
    pub ranks: Vec<Rank>,
    pub checks: Vec<Check>,
}

impl Probe for Seen {
    fn on_start(&mut self, crossing: Crossing) {
        self.starts.push(Start {
            at_ps: crossing.at.ps(),
            channel: crossing.channel,
            flow: crossing.flow,
            control: crossing.kind != UnitKind::Data,
            number: crossing.value,
        });
    }

    fn on_rank(&mut self, at: Time, leg: u32, number: u32, rank: u64) {
        if rank >= DATAGRAM {
            return;
        }
        self.ranks.push(Rank {
            at_ps: at.ps(),
            leg,
            number: u64::from(number),
            rank_ps: rank,
        });
    }

    fn on_check(&mut self, at: Time, leg: u32, ahead_ps: i64, threshold: Duration) {
        self.checks.push(Check {
            at_ps: at.ps(),
            leg,
            ahead_ps,
            threshold_ps: threshold.ps(),
        });
    }
}

pub fn fast(spec: &NetworkSpec) -> Seen {
    let (mut seen, _) = watched(spec, Seen::default()).expect("a sound network");
    seen.starts
        .sort_by_key(|start| (start.at_ps, start.channel));
    seen.ranks.sort();
    seen.checks.sort();
    seen
}

pub fn slow(spec: &NetworkSpec) -> Report {
    backwater_oracle::run(spec).expect("the oracle can run it")
}

pub fn virtual_clock(stamp: Stamp, resync: Resync) -> SchedulerSpec {
    SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp,
        resync,
        threshold: None,
        alarm_bytes: None,
    })
}

/// What the slow engine does.
pub fn slow_seen(spec: &NetworkSpec) -> Seen {
    let report = slow(spec);
    Seen {
        starts: report.starts,
        ranks: report.ranks,
        checks: report.checks,
    }
}
