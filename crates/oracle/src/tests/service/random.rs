//! Do random networks hold what they should?

use super::*;
use crate::{ServiceMix, random_service_spec};

const NETWORKS: u64 = 40;

fn specs(scheduler: SchedulerSpec) -> impl Iterator<Item = NetworkSpec> {
    (0..NETWORKS).map(move |seed| random_service_spec(seed, scheduler, ServiceMix::ALL))
}

#[test]
fn ranks_differ_between_disciplines() {
    let all = [
        SchedulerSpec::RoundRobin,
        SchedulerSpec::Fifo,
        SchedulerSpec::StrictPriority,
        VIRTUAL_CLOCK,
        virtual_clock(Stamp::AuxVc, Resync::IdleLink),
        virtual_clock(Stamp::AuxVc, Resync::Literal),
        virtual_clock(Stamp::VirtualClock, Resync::None),
        SchedulerSpec::Wfq,
        SchedulerSpec::Wf2qPlus,
        SchedulerSpec::Scfq,
        SchedulerSpec::Sfq,
        SchedulerSpec::Drr { quantum_bytes: 500 },
        SchedulerSpec::Edf,
        SchedulerSpec::Ats {
            max_residence: None,
        },
    ];
    let runs = all.map(|scheduler| specs(scheduler).map(|spec| run(&spec)).collect());
    let runs: [Vec<Report>; 14] = runs;
    for (one, left) in runs.iter().enumerate() {
        for (other, right) in runs.iter().enumerate().skip(one + 1) {
            let pairs = || left.iter().zip(right);
            let ranks = pairs().filter(|(a, b)| a.ranks != b.ranks).count();
            let both = (all[one], all[other]);
            assert!(ranks > 3, "{both:?}: {ranks}");
        }
    }
}

#[test]
fn there_are_checks_alarms_datagrams_and_credit() {
    let (mut checks, mut alarms, mut stamps, mut data, mut credits) = (0, 0, 0, 0, 0);
    for spec in specs(VIRTUAL_CLOCK) {
        let report = run(&spec);
        checks += report.checks.len();
        alarms += report.checks.iter().filter(|one| one.is_alarm()).count();
        stamps += report.ranks.len();
        data += report.starts.iter().filter(|start| !start.control).count();
        credits += report.starts.iter().filter(|start| start.control).count();
    }
    assert!(checks > 2000 && alarms > 500, "{checks}, {alarms}");
    assert!(data > 10_000 && credits > 300, "{data}, {credits}");
    // Some of what started never got a stamp, and by far not all.
    assert!(stamps > 10_000, "{stamps}");
}

#[test]
fn most_of_fluid_sharing_is_told_from_rounding() {
    for rates in [crate::Rates::Any, crate::Rates::Twelfths] {
        let (mut decided, mut all) = (0, 0);
        for seed in 0..NETWORKS {
            let mix = ServiceMix {
                rates,
                ..ServiceMix::ALL
            };
            let report = run(&random_service_spec(seed, SchedulerSpec::Wfq, mix));
            let until = report.close_call_ps.unwrap_or(u64::MAX);
            all += report.starts.len();
            let before = report.starts.iter().filter(|start| start.at_ps < until);
            decided += before.count();
        }
        assert!(decided * 4 > all, "{rates:?}: {decided} of {all}");
    }
}
