//! What a port's discipline costs: one unit comes, one leaves.
//!
//! A port by itself, with more and more flows. First with about two units waiting per three
//! flows, which come at random: queues become empty and busy again. Then with every queue busy:
//! the flow that was served gets its next unit.

use backwater_kernel::stream::{Purpose, Stream};
use backwater_kernel::{Rate, Time};
use backwater_net::bench::LonePort;
use backwater_net::spec::{Resync, SchedulerSpec, Stamp, VirtualClockSpec};

use super::Clock;

/// Name of this part.
pub const NAME: &str = "stamp queues";

const FLOWS: [u32; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];
/// Units that come and leave in a run; each run goes on where the one before ended, and one more
/// comes first that does not count.
const UNITS: usize = 500_000;
/// Units of a run with at least `MANY` flows.
const UNITS_OF_MANY: usize = 200_000;
const MANY: u32 = 100_000;
const UNIT_BYTES: u32 = 1500;
const RATE: Rate = Rate(1_000_000_000_000);

const DISCIPLINES: [(&str, SchedulerSpec); 7] = [
    (
        "virtual-clock",
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp: Stamp::AuxVc,
            resync: Resync::IdleLink,
            threshold: None,
            alarm_bytes: None,
        }),
    ),
    ("fifo", SchedulerSpec::Fifo),
    ("wfq", SchedulerSpec::Wfq),
    ("wf2q+", SchedulerSpec::Wf2qPlus),
    ("scfq", SchedulerSpec::Scfq),
    ("sfq", SchedulerSpec::Sfq),
    (
        "drr",
        SchedulerSpec::Drr {
            quantum_bytes: UNIT_BYTES,
        },
    ),
];

/// Measures and prints.
pub fn bench(runs: u32) {
    for (what, all_busy) in [
        ("two units per three flows", false),
        ("all flows busy", true),
    ] {
        println!("\none unit comes and one leaves, {what}, ns:");
        print!("{:>10}", "flows");
        for (name, _) in DISCIPLINES {
            print!("{name:>15}");
        }
        println!();
        for flows in FLOWS {
            print!("{flows:>10}");
            for (_, spec) in DISCIPLINES {
                print!("{:>15.1}", cost_ns(&spec, flows, all_busy, runs));
            }
            println!();
        }
    }
}

/// What a unit costs in the cheapest run.
fn cost_ns(spec: &SchedulerSpec, flows: u32, all_busy: bool, runs: u32) -> f64 {
    let mut stream = Stream::new(1, flows as u64, Purpose::Pattern);
    let mut port = filled(spec, flows, all_busy, &mut stream);
    let units = if flows < MANY { UNITS } else { UNITS_OF_MANY };
    let mut run = || {
        let come: Vec<u32> = (0..units)
            .map(|_| stream.below(flows as u64) as u32)
            .collect();
        let clock = Clock::start();
        for flow in come {
            let left = port.serve(port.free_at());
            let next = match left {
                Some(unit) if all_busy => unit.flow,
                _ => flow,
            };
            port.arrive(port.free_at(), next, UNIT_BYTES);
        }
        clock.seconds() / units as f64 * 1e9
    };
    run();
    (0..runs.max(1))
        .map(|_| run())
        .fold(f64::INFINITY, f64::min)
}

/// A port where units wait.
fn filled(spec: &SchedulerSpec, flows: u32, all_busy: bool, stream: &mut Stream) -> LonePort {
    // From 1 to 2 times as much, all of it the whole port.
    let least = RATE.0 * 2 / 3 / flows as u64;
    let rates: Vec<Rate> = (0..flows)
        .map(|_| Rate(least + stream.below(least)))
        .collect();
    let mut port = LonePort::new(spec, RATE, &rates, UNIT_BYTES);
    for unit in 0..flows * 2 / if all_busy { 1 } else { 3 } {
        let flow = match all_busy {
            true => unit % flows,
            false => stream.below(flows as u64) as u32,
        };
        port.arrive(Time::ZERO, flow, UNIT_BYTES);
    }
    port
}
