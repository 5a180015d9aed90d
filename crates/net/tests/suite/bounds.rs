//! Delay bounds: on paper, and against what random runs do.

use crate::common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::bound::{Bound, NoBound, accounts, bounds};
use backwater_net::outcome::Outcome;
use backwater_net::spec::*;
use common::chain::{Kind, chain};

const CLOCK: VirtualClockSpec = VirtualClockSpec {
    stamp: Stamp::AuxVc,
    resync: Resync::IdleLink,
    threshold: None,
    alarm_bytes: None,
};

fn clock(stamp: Stamp, resync: Resync) -> SchedulerSpec {
    SchedulerSpec::VirtualClock(VirtualClockSpec {
        stamp,
        resync,
        ..CLOCK
    })
}

/// What a run showed against the bounds of `promised`.
#[derive(Default)]
struct Verdict {
    flows: usize,
    late: usize,
    worst: f64,
}

impl Verdict {
    fn add(&mut self, promised: &[Result<Bound, NoBound>], outcome: &Outcome) {
        for (bound, flow) in promised.iter().zip(&outcome.flows) {
            let (Ok(bound), true) = (bound, flow.delay.count > 0) else {
                continue;
            };
            self.flows += 1;
            self.late += (flow.delay.max > bound.delay.ps()) as usize;
            let share = flow.delay.max as f64 / bound.delay.ps() as f64;
            self.worst = self.worst.max(share);
        }
    }
}

/// Runs random chains under `scheduler`, with the bounds of `promised`.
fn judge(
    seeds: std::ops::Range<u64>,
    kind: Kind,
    promised: SchedulerSpec,
    change: impl Fn(&mut NetworkSpec),
) -> Verdict {
    let mut verdict = Verdict::default();
    for seed in seeds {
        let spec = chain(seed, kind);
        let known = bounds(&chain(
            seed,
            Kind {
                scheduler: promised,
                ..kind
            },
        ));
        let mut changed = spec.clone();
        change(&mut changed);
        verdict.add(&known, &common::run(&changed));
    }
    verdict
}

fn kind(scheduler: SchedulerSpec) -> Kind {
    Kind {
        scheduler,
        datagrams: true,
        misbehavers: true,
    }
}

fn keeps(scheduler: SchedulerSpec, seeds: std::ops::Range<u64>, least_flows: usize) -> f64 {
    let verdict = judge(seeds, kind(scheduler), scheduler, |_| {});
    assert!(verdict.flows >= least_flows, "{} flows", verdict.flows);
    assert_eq!(verdict.late, 0, "{scheduler:?}: worst {}", verdict.worst);
    verdict.worst
}

#[test]
fn virtual_clock_keeps_its_bound() {
    let worst = keeps(clock(Stamp::AuxVc, Resync::IdleLink), 0..400, 500);
    assert!(worst > 0.9, "the bound is loose: {worst}");
    keeps(clock(Stamp::AuxVc, Resync::None), 400..800, 500);
}

#[test]
fn fair_queues_keep_their_bounds() {
    keeps(SchedulerSpec::Wfq, 1000..1250, 500);
    keeps(SchedulerSpec::Wf2qPlus, 2000..2250, 500);
    keeps(SchedulerSpec::Scfq, 3000..3250, 500);
}

/// By rate, by deadline and of the slowest of several ways.
#[test]
fn the_terms_of_a_bound_add_up_to_it() {
    let mut known = 0;
    for scheduler in [SchedulerSpec::Wfq, SchedulerSpec::Scfq, SchedulerSpec::Edf] {
        for seed in 4000..4040 {
            let honest = Kind {
                misbehavers: false,
                ..kind(scheduler)
            };
            let spec = chain(seed, honest);
            for (account, flow) in accounts(&spec).into_iter().zip(&spec.flows) {
                let Ok(account) = account else { continue };
                let sum = account
                    .parts
                    .iter()
                    .map(|part| part.sum().ps())
                    .sum::<u64>();
                assert_eq!(account.burst.ps() + sum, account.bound.delay.ps());
                let is_on_way = |channel| flow.legs.iter().any(|leg| leg.channel == channel);
                assert!(account.parts.iter().all(|part| is_on_way(part.channel)));
                let has_burst = account.burst > Duration::ZERO;
                assert_eq!(
                    has_burst,
                    scheduler != SchedulerSpec::Edf || account.bound.servers == 0
                );
                known += 1;
            }
        }
    }
    assert!(known > 100, "{known} bounds");
}

#[test]
fn deadlines_that_fit_are_kept() {
    // Deadlines are known to be kept only where nobody misbehaves.
    let honest = Kind {
        misbehavers: false,
        ..kind(SchedulerSpec::Edf)
    };
    let verdict = judge(4000..4300, honest, SchedulerSpec::Edf, |_| {});
    assert!(verdict.flows >= 100, "{} flows", verdict.flows);
    assert_eq!(verdict.late, 0, "worst {}", verdict.worst);
}

/// What the bound of VirtualClock says, under something else.
fn breaks(scheduler: SchedulerSpec, change: impl Fn(&mut NetworkSpec)) -> usize {
    let auxvc = clock(Stamp::AuxVc, Resync::None);
    judge(0..100, kind(scheduler), auxvc, change).late
}

#[test]
fn other_rules_break_the_bound_of_virtual_clock() {
    assert!(breaks(SchedulerSpec::Fifo, |_| {}) > 30);
    assert!(breaks(clock(Stamp::VirtualClock, Resync::None), |_| {}) > 0);
}

#[test]
fn the_literal_resynchronisation_breaks_the_bound() {
    let literal = clock(Stamp::AuxVc, Resync::Literal);
    let auxvc = clock(Stamp::AuxVc, Resync::None);
    let verdict = judge(0..400, kind(literal), auxvc, |_| {});
    assert!(verdict.late > 0, "worst {}", verdict.worst);
}

#[test]
fn overbooking_breaks_the_bound() {
    // Each flow once more: what fitted is booked twice.
    let twice = |spec: &mut NetworkSpec| {
        let mut more = spec.flows.clone();
        more.iter_mut().for_each(|flow| flow.name.push('x'));
        spec.flows.extend(more);
    };
    assert!(breaks(clock(Stamp::AuxVc, Resync::None), twice) > 30);
}

#[test]
fn the_formula_on_one_server() {
    let spec = two_flows(clock(Stamp::AuxVc, Resync::IdleLink));
    // sigma / rho: 4 units of 250 bytes at 2 Mbps, 1 ms each. The port that both share may be
    // busy with a unit of 1000 bytes at 8 Mbps for 1 ms. Then one unit on the last link, 0.25 ms,
    // one on the first, 0.25 ms, and 3 times 1 us on the way.
    let ps = |us: u64| Duration(us * 1_000_000);
    let known = bounds(&spec);
    let found = known[0].expect("it is bounded");
    assert_eq!(found.burst, ps(4000));
    assert_eq!(found.servers, 1);
    assert_eq!(found.delay, ps(4000 + 1000 + 250 + 250 + 3));
    assert_eq!(known[1], Err(NoBound::NoReservation));
}

#[test]
fn a_server_more_adds_a_unit_at_the_reserved_rate() {
    let one = bounds(&two_flows(clock(Stamp::AuxVc, Resync::None)))[0].expect("bounded");
    let mut spec = two_flows(clock(Stamp::AuxVc, Resync::None));
    spec.links[2].channels[0].scheduler = SchedulerSpec::Scfq;
    let mixed = bounds(&spec)[0].expect("both are guaranteed-rate servers");
    // SCFQ waits for a unit of each other flow: the same unit of 1 ms here.
    assert_eq!(mixed, one);
}

#[test]
fn reasons_name_the_channel() {
    let shared = 4;
    let mut spec = two_flows(SchedulerSpec::Fifo);
    assert_eq!(
        bounds(&spec)[0],
        Err(NoBound::Discipline { channel: shared })
    );
    spec = two_flows(clock(Stamp::AuxVc, Resync::Literal));
    assert_eq!(
        bounds(&spec)[0],
        Err(NoBound::Discipline { channel: shared })
    );
    spec = two_flows(clock(Stamp::AuxVc, Resync::None));
    spec.flows[1].reserve = Some(ReserveSpec {
        rate: Rate(7_000_000),
        ..spec.flows[0].reserve.expect("it reserves")
    });
    let reserved = Rate(9_000_000);
    let channel = shared;
    assert_eq!(
        bounds(&spec)[0],
        Err(NoBound::Overbooked { channel, reserved })
    );
    spec = two_flows(clock(Stamp::AuxVc, Resync::None));
    spec.flows[0].envelope = None;
    assert_eq!(bounds(&spec)[0], Err(NoBound::Bursts));
    let words = NoBound::Discipline { channel }.words(|_| "S1->S2".into());
    assert_eq!(words, "S1->S2 gives no guarantee to one flow");
}

#[test]
fn a_window_that_fills_its_interval_is_held_whatever_rounds() {
    let mut spec = two_flows(clock(Stamp::AuxVc, Resync::None));
    // 15 units of 1000 bytes in 40 ms are 3 Mbps; one takes 2.666... ms.
    let rule = EnvelopeRule::SlidingWindow {
        units: 15,
        interval: Duration(40_000_000_000),
    };
    let excess = Excess::Drop;
    spec.flows[0].unit_bytes = 1000;
    spec.flows[0].envelope = Some(EnvelopeSpec { rule, excess });
    let reserve = spec.flows[0].reserve.as_mut().expect("it reserves");
    reserve.rate = Rate(3_000_000);
    let bound = bounds(&spec)[0].expect("it is bounded");
    assert_eq!(bound.burst, Duration(15 * 2_666_666_667));
    let reserve = spec.flows[0].reserve.as_mut().expect("it reserves");
    reserve.rate = Rate(2_999_999);
    assert_eq!(bounds(&spec)[0], Err(NoBound::Bursts));
}

#[test]
fn a_policer_that_bunches_units_makes_the_burst_larger() {
    let mut spec = two_flows(clock(Stamp::AuxVc, Resync::None));
    let ms = |ms: u64| Duration(ms * 1_000_000_000);
    spec.stop_at = Time(1_000_000_000_000);
    // A unit a millisecond, as reserved; five pass in ten, the others wait for the next window.
    let flow = &mut spec.flows[0];
    flow.envelope = None;
    flow.traffic = TrafficSpec::Constant {
        start: Time::ZERO,
        interval: ms(1),
        random_phase: false,
        total: None,
    };
    let windows = |units| EnvelopeSpec {
        rule: EnvelopeRule::FixedWindow {
            units,
            interval: ms(10),
            phase: Some(ms(10)),
        },
        excess: Excess::Delay,
    };
    flow.policer = Some(windows(5));
    // The other flow brings four large units as each window begins.
    let reserve = flow.reserve.expect("it reserves");
    let rate = Rate(6_000_000);
    spec.flows[1].reserve = Some(ReserveSpec { rate, ..reserve });
    spec.flows[1].policer = Some(windows(4));
    for link in &mut spec.links[..2] {
        link.channels[0].rate = Rate(800_000_000);
    }
    let bound = bounds(&spec)[0].expect("it is bounded");
    assert_eq!(bound.burst, ms(10));
    let found = common::run(&spec).flows[0].delay.max;
    assert!(found <= bound.delay.ps(), "{found} ps");
    // With the spacing of the source, one unit of 1 ms, it would be broken.
    assert!(found > bound.delay.ps() - ms(9).ps(), "{found} ps");
}

/// A reserved flow of 250 bytes and a greedy datagram flow of 1000 bytes share S1->S2; before
/// and behind they are alone.
fn two_flows(scheduler: SchedulerSpec) -> NetworkSpec {
    let mut net = common::Net::new(Timing::StoreAndForward, Duration(1_000_000), Time(1 << 40));
    let hosts = ["A", "B", "C", "D"].map(|name| net.node(name, NodeKind::Host));
    let [s1, s2] = ["S1", "S2"].map(|name| net.node(name, NodeKind::Switch));
    let first = [hosts[0], hosts[1]].map(|host| net.link(host, s1));
    let trunk = net.link(s1, s2);
    let last = [hosts[2], hosts[3]].map(|host| net.link(s2, host));
    for index in 0..2 {
        let way = [first[index], trunk, last[index]];
        net.flow(hosts[index], &way, FlowControlSpec::None);
    }
    for link in &mut net.spec.links {
        for channel in &mut link.channels {
            channel.rate = Rate(8_000_000);
            channel.scheduler = scheduler;
        }
    }
    let (flow, units) = (&mut net.spec.flows[0], 4);
    flow.unit_bytes = 250;
    flow.reserve = Some(ReserveSpec {
        rate: Rate(2_000_000),
        interval: None,
        burst_bytes: None,
        offset: Duration::ZERO,
        deadline: None,
    });
    flow.envelope = Some(EnvelopeSpec {
        rule: EnvelopeRule::SlidingWindow {
            units,
            interval: Duration(4_000_000_000),
        },
        excess: Excess::Drop,
    });
    net.spec.flows[1].unit_bytes = 1000;
    net.spec
}
