//! Whatever compiles it, with or without optimisation, a run is the same run.
//!
//! `golden/trace_hashes.txt` holds one line for each scenario below. After a change that is meant
//! to change runs: `BACKWATER_BLESS=1 cargo test -p backwater-net --test suite trace_hashes`.

use crate::common;

use std::path::Path;

use backwater_kernel::{Heap, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::spec::*;
use common::*;

const GOLDEN: &str = "tests/golden/trace_hashes.txt";

fn with_errors(mut net: Net, errors: ErrorSpec) -> Net {
    for link in &mut net.spec.links {
        link.channels[0].errors = errors;
        link.channels[1].errors = errors;
    }
    net
}

fn under(mut net: Net, rule: CreditRule, n1: u32, request: bool) -> Net {
    let after = request.then_some(cells(400));
    for leg in net.spec.flows.iter_mut().flat_map(|flow| &mut flow.legs) {
        if let FlowControlSpec::Credit(credit) = &mut leg.flow_control {
            (credit.rule, credit.n1, credit.request_after) = (rule, n1, after);
            credit.resync_every = (rule == CreditRule::Cumulative).then_some(20);
            leg.buffer.limit_units = Some(n1 + credit.n2 + credit.n3);
        }
    }
    net
}

fn everything_lost_a_little() -> ErrorSpec {
    ErrorSpec {
        data_loss: 0.01,
        control_loss: 0.05,
        control_corruption: 0.001,
        from: at(500),
    }
}

/// Poisson and exponential on-off sources, priorities, stalling sinks, one multicast circuit.
fn mixed() -> Net {
    let mut net = figure_17(Timing::StoreAndForward, at(10_000));
    let flows = &mut net.spec.flows;
    flows[0].traffic = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: halves(5),
        min_interval: backwater_kernel::Duration::ZERO,
        total: None,
    };
    flows[1].traffic = TrafficSpec::OnOff {
        start: at(7),
        on: Span::Exponential(cells(50)),
        off: Span::Exponential(cells(50)),
        on_interval: cells(1),
        off_interval: None,
    };
    for flow in [0, 2, 3] {
        flows[flow].priority = 1;
    }
    flows[2].sink = SinkSpec::Stalling {
        interval: halves(3),
        run: Span::Exponential(cells(200)),
        stall: Span::Exponential(cells(100)),
    };
    // VC1 goes to E as well, from the second switch on.
    let mut branch = flows[0].legs[2].clone();
    branch.channel = flows[1].legs[2].channel;
    flows[0].legs.push(branch);
    net
}

/// Figure 5 of Kalyanaraman et al. 1998, with a link that fails.
fn five_sources(uili: UiliSpec) -> Net {
    let mut net = mixed();
    net.spec = figure_5::figure_5(figure_5::abr(uili, Rate(figure_5::MBPS)));
    net.spec.outages.push(OutageSpec {
        channel: 10,
        from: Time(250 * figure_5::MS),
        until: Time(260 * figure_5::MS),
    });
    net
}

fn aimd() -> Net {
    let mut net = conversation(10, 20_000);
    net.spec.links[1].channels[0].rate.0 /= 2;
    net.spec.flows[0].source_control = SourceControlSpec::Aimd {
        initial_units: 4,
        maximum_units: 1000,
        increase_units: 1.0,
        decrease: 0.5,
        timeout: cells(400),
    };
    net.spec.flows[0].legs[0].buffer = BufferSpec {
        limit_units: Some(20),
        overflow: Overflow::Drop,
    };
    net
}

fn file_server() -> Net {
    let mut net = conversation(4, 100_000);
    net.spec.flows[0].traffic = TrafficSpec::Client(ClientSpec {
        start: Time::ZERO,
        request_units: 3,
        lookups: 2,
        lookup_units: 3,
        file_median_bytes: 6000,
        file_sigma: 1.5,
        block_bytes: 8192,
        header_bytes: 160,
        payload_bytes: 48,
        outstanding: 4,
        lookup_service: Span::Exponential(cells(440)),
        read_service: Span::Exponential(cells(2200)),
        think: Span::Exponential(cells(440)),
    });
    net.spec.flows[1].traffic = TrafficSpec::Server;
    net
}

/// Reserved, misbehaving and datagram flows over several switches whose pools push out.
fn served(scheduler: SchedulerSpec) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(1));
    net.spec = chain::chain(
        11,
        chain::Kind {
            scheduler,
            datagrams: true,
            misbehavers: true,
        },
    );
    net.spec.stop_at = Time(2_000_000_000_000);
    let pool = PoolSpec {
        limit_units: Some(25),
        limit_bytes: None,
        when_full: WhenFull::PushOut,
        hold: Hold::End,
        alpha: None,
    };
    for node in &mut net.spec.nodes {
        node.pool = (node.kind == NodeKind::Switch).then_some(pool);
    }
    net
}

fn disciplines() -> Vec<(&'static str, Net)> {
    let clock = |stamp, resync| {
        SchedulerSpec::VirtualClock(VirtualClockSpec {
            stamp,
            resync,
            threshold: None,
            alarm_bytes: Some(64),
        })
    };
    let quantum_bytes = 500;
    let max_residence = None;
    let disciplines = [
        ("round-robin", SchedulerSpec::RoundRobin),
        ("fifo", SchedulerSpec::Fifo),
        ("virtual-clock", clock(Stamp::AuxVc, Resync::IdleLink)),
        (
            "virtual-clock-literal",
            clock(Stamp::AuxVc, Resync::Literal),
        ),
        (
            "virtual-clock-stamps",
            clock(Stamp::VirtualClock, Resync::None),
        ),
        ("wfq", SchedulerSpec::Wfq),
        ("wf2q+", SchedulerSpec::Wf2qPlus),
        ("scfq", SchedulerSpec::Scfq),
        ("sfq", SchedulerSpec::Sfq),
        ("drr", SchedulerSpec::Drr { quantum_bytes }),
        ("edf", SchedulerSpec::Edf),
        ("ats", SchedulerSpec::Ats { max_residence }),
    ];
    let net = |(name, scheduler)| (name, served(scheduler));
    disciplines.map(net).into()
}

fn scenarios() -> Vec<(&'static str, Net)> {
    let mut scenarios = credit_scenarios();
    scenarios.extend(disciplines());
    scenarios
}

fn credit_scenarios() -> Vec<(&'static str, Net)> {
    let figure_17 = |timing| figure_17(timing, at(10_000));
    let lossy = || with_errors(figure_14(at(20_000)), everything_lost_a_little());
    vec![
        ("figure-9", figure_9(one_in_three(), at(10_000))),
        ("figure-12", figure_9(greedy(), at(10_000))),
        ("figure-14", figure_14(at(10_000))),
        (
            "figure-17-store-and-forward",
            figure_17(Timing::StoreAndForward),
        ),
        ("figure-17-cut-through", figure_17(Timing::CutThrough)),
        ("figure-20", figure_20(10, 155, at(10_000))),
        ("abr-count-based", five_sources(figure_5::count())),
        ("abr-no-policy", five_sources(UiliSpec::None)),
        ("mixed-traffic-multicast", mixed()),
        ("lossy-n23", under(lossy(), CreditRule::N23, 0, true)),
        (
            "lossy-relative",
            under(lossy(), CreditRule::Relative, 0, true),
        ),
        (
            "lossy-cumulative",
            under(lossy(), CreditRule::Cumulative, 0, true),
        ),
        ("lossy-n123", under(lossy(), CreditRule::N123, 157, true)),
        (
            "n123-plus",
            under(figure_14(at(10_000)), CreditRule::N123Plus, 80, false),
        ),
        ("aimd-with-drops", aimd()),
        ("file-server", file_server()),
    ]
}

fn line<Q: backwater_kernel::EventQueue>(name: &str, net: &Net) -> String {
    let mut simulation = Simulation::<Q>::new(&net.spec).expect("it is sound");
    simulation.run();
    let found = simulation.outcome();
    format!(
        "{name:<28} {:016x} {:>8} events {:>8} unit-hops {:>8} delivered",
        found.trace_hash,
        found.events,
        found.unit_hops,
        found
            .flows
            .iter()
            .map(|flow| flow.delivered_total)
            .sum::<u64>()
    )
}

#[test]
fn runs_are_those_of_the_golden_table() {
    let lines: Vec<String> = scenarios()
        .iter()
        .map(|(name, net)| line::<Rings>(name, net))
        .collect();
    let found = lines.join("\n") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(GOLDEN);
    if std::env::var_os("BACKWATER_BLESS").is_some() {
        std::fs::write(&path, &found).expect("the table can be written");
    }
    let golden = std::fs::read_to_string(&path).expect("the table can be read");
    for (found, golden) in found.lines().zip(golden.lines()) {
        assert_eq!(found, golden, "found against golden");
    }
    assert_eq!(found.lines().count(), golden.lines().count());
}

#[test]
fn the_heap_gives_the_same_lines() {
    for (name, net) in scenarios() {
        assert_eq!(line::<Heap>(name, &net), line::<Rings>(name, &net));
    }
}

#[test]
fn every_scenario_is_a_run_of_its_own() {
    let mut hashes: Vec<String> = scenarios()
        .iter()
        .map(|(_, net)| line::<Rings>("", net))
        .collect();
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), scenarios().len());
}
