//! What is said of collective operations and of jobs, against closed forms on a star.

use backwater_ends::spec::collectives::{
    Collective, CollectiveSpec, JobSpec, Lane, Operation, PhaseSpec, Schedule, lanes, program,
};
use backwater_ends::spec::{AckEvery, RoceSpec};
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::{
    ChannelSpec, EthernetSpec, FlowSpec, TrafficSpec, TransportSpec,
};
use backwater_results::{
    Cell, Findings, Report, RunInfo, Table, page, run_report, terminal_summary,
};

const US: u64 = 1_000_000;
const MS: u64 = 1_000_000_000;
const LINE: Rate = Rate(100_000_000_000);

/// Bytes of a full packet on the wire: 1,000 of payload, 62 of headers, 20 between frames.
const WIRE_BYTES: f64 = 1_082.0;

fn channel() -> ChannelSpec {
    ChannelSpec::new(LINE, Duration(US), 1, 1 << 30)
}

/// Hosts around a switch, 1 us away from it.
fn star(hosts: u32) -> EthernetSpec {
    let mut spec = EthernetSpec::new(Time(1_000 * MS));
    for host in 0..hosts {
        spec.station(&format!("H{host}"));
    }
    let switch = spec.switch("S", None);
    for host in 0..hosts {
        spec.link([host, switch], channel());
    }
    spec
}

/// The flows of some lanes between these hosts; the number of the first.
fn add(spec: &mut EthernetSpec, name: &str, hosts: &[u32], lanes: Vec<Lane>) -> u32 {
    let first = spec.flows.len() as u32;
    for (number, lane) in (1..).zip(lanes) {
        spec.flows.push(FlowSpec {
            name: format!("{name}[{number}]"),
            source: hosts[lane.from as usize],
            destination: hosts[lane.to as usize],
            others: Vec::new(),
            class: 0,
            is_tagged: false,
            transport: TransportSpec::Roce(RoceSpec {
                mtu_bytes: 1_000,
                acks: AckEvery::Message,
                ..RoceSpec::plain(LINE)
            }),
            traffic: TrafficSpec::Messages(lane.list),
        });
    }
    first
}

/// Adds an operation of all hosts of a star.
fn operation(spec: &mut EthernetSpec, kind: Collective, (ranks, bytes): (u32, u64), times: u32) {
    let operation = Operation::whole(kind, bytes);
    let hosts: Vec<u32> = (0..ranks).collect();
    let start = (Time::ZERO, spec.flows.len() as u32);
    let (lanes, steps) = lanes(operation, ranks, (times, Duration::ZERO), start).unwrap();
    let first = add(spec, kind.name(), &hosts, lanes);
    spec.rules.collectives.push(CollectiveSpec {
        name: kind.name().into(),
        operation,
        hosts,
        ranks,
        times,
        steps,
        flows: first..spec.flows.len() as u32,
    });
}

/// Adds a job with one all-reduce of all its hosts in each iteration.
fn job(spec: &mut EthernetSpec, name: &str, hosts: &[u32], (iterations, phase): (u32, PhaseSpec)) {
    let (ranks, first) = (hosts.len() as u32, spec.flows.len() as u32);
    let phases = [phase];
    let (lanes, parts) = program((ranks, Time::ZERO, first), &phases, iterations).unwrap();
    add(spec, name, hosts, lanes);
    let operation = phases[0].operation.unwrap();
    let collectives = spec.rules.collectives.len() as u32;
    spec.rules.collectives.push(CollectiveSpec {
        name: format!("{name} all"),
        operation,
        hosts: hosts.to_vec(),
        ranks,
        times: iterations * phases[0].times,
        steps: parts[0].1,
        flows: parts[0].0.clone(),
    });
    spec.rules.jobs.push(JobSpec {
        name: name.into(),
        hosts: hosts.to_vec(),
        start: Time::ZERO,
        iterations,
        phases: phases.into(),
        flows: first..spec.flows.len() as u32,
        collectives: collectives..collectives + 1,
    });
}

fn phase(ranks: u32, (compute, beside): (u64, u64), bytes: u64) -> PhaseSpec {
    PhaseSpec {
        compute: Duration(compute),
        beside: Duration(beside),
        operation: Some(Operation::whole(Collective::RingAllReduce, bytes)),
        groups: vec![(0..ranks).collect()],
        times: 1,
        schedule: Schedule::Forward,
    }
}

fn findings(spec: &EthernetSpec) -> Findings<'_, EthernetSpec> {
    let mut run = Simulation::<Rings>::new(spec).expect("it is sound");
    run.run();
    Findings::new(spec, run.outcome(), Duration::ZERO)
}

fn table<'a>(found: &'a Findings<'_, EthernetSpec>, name: &str) -> &'a Table {
    let mut tables = found.tables().iter();
    tables
        .find(|table| table.name == name)
        .expect("it has rows")
}

/// A number of a row.
fn number(table: &Table, row: usize, key: &str) -> f64 {
    let column = table.keys().iter().position(|own| own == key);
    match &table.rows[row][column.expect("there is such a column")] {
        Cell::Float { value, .. } => *value,
        Cell::Int(count) => *count as f64,
        other => panic!("{key}: {other:?}"),
    }
}

fn sum(table: &Table, key: &str) -> f64 {
    (0..table.rows.len())
        .map(|row| number(table, row, key))
        .sum()
}

fn is_near(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 0.001 * wanted
}

/// Of a step in which each message has so many bytes, ms.
fn step_ms(bytes: f64) -> f64 {
    ((bytes / 1_000.0 + 1.0) * WIRE_BYTES * 8.0 / 100_000.0 + 2.0) / 1e3
}

#[test]
fn times_and_bandwidths_are_those_of_the_closed_form() {
    let halves = [2.0, 4.0, 8.0].map(|part| 2.0 * step_ms(16e6 / part));
    let cases = [
        (Collective::RingAllReduce, 14.0 * step_ms(2e6), 1.75, 14),
        (Collective::RingReduceScatter, 7.0 * step_ms(2e6), 0.875, 7),
        (
            Collective::HalvingDoublingAllReduce,
            halves.iter().sum(),
            1.75,
            6,
        ),
        (Collective::PairwiseAllToAll, 7.0 * step_ms(2e6), 0.875, 7),
        (Collective::TreeAllReduce, 6.0 * step_ms(16e6), 1.75, 6),
        (Collective::TreeBroadcast, 3.0 * step_ms(16e6), 1.0, 3),
    ];
    for (kind, wanted_ms, factor, steps) in cases {
        let mut spec = star(8);
        operation(&mut spec, kind, (8, 16_000_000), 1);
        let found = findings(&spec);
        let own = table(&found, "collectives");
        let time_ms = number(own, 0, "time_mean_ms");
        assert!(
            is_near(time_ms, wanted_ms),
            "{kind:?}: {time_ms} {wanted_ms}"
        );
        assert!(is_near(number(own, 0, "idle_ms"), wanted_ms), "{kind:?}");
        let algorithm_mbps = 16e6 * 8.0 / wanted_ms / 1e3;
        assert!(
            is_near(number(own, 0, "algbw_mbps"), algorithm_mbps),
            "{kind:?}"
        );
        assert!(
            is_near(number(own, 0, "busbw_mbps"), algorithm_mbps * factor),
            "{kind:?}"
        );
        let all = table(&found, "steps");
        assert_eq!(all.rows.len(), steps, "{kind:?}");
        let sent: u64 = spec.flows.iter().map(|flow| bytes_of(&flow.traffic)).sum();
        assert_eq!(sum(all, "sent_bytes") as u64, sent, "{kind:?}");
        // Steps of a tree overlap where one rank sends twice.
        let steps_ms = sum(all, "time_ms");
        assert!(
            (steps_ms / wanted_ms - 1.0).abs() < 0.01,
            "{kind:?}: {steps_ms}"
        );
        let path = table(&found, "critical path");
        let whole_us = sum(path, "waits_us") + sum(path, "takes_us");
        assert!(
            (whole_us / 1e3 - time_ms).abs() < 1e-6,
            "{kind:?}: {whole_us}"
        );
    }
}

fn bytes_of(traffic: &TrafficSpec) -> u64 {
    let list = traffic.messages().expect("they are messages");
    list.messages.iter().map(|own| own.bytes).sum()
}

/// A rank that computes before its first message delays the end by that, and is on the path; one
/// that is late by less than others have to wait for anyway delays nothing.
#[test]
fn a_slow_rank_delays_the_end_by_what_the_path_says() {
    let run = |kind: Collective, slow: usize, slow_us: u64| {
        let mut spec = star(4);
        operation(&mut spec, kind, (4, 4_000_000), 1);
        if let TrafficSpec::Messages(list) = &mut spec.flows[slow].traffic {
            let last = list.messages.last_mut().expect("it has some");
            last.think = Duration(slow_us * US);
        }
        let found = findings(&spec);
        let path = table(&found, "critical path");
        let own = table(&found, "collectives");
        (number(own, 0, "time_mean_ms"), sum(path, "waits_us"))
    };
    let (least_ms, _) = run(Collective::RingAllReduce, 2, 0);
    let (slow_ms, waits_us) = run(Collective::RingAllReduce, 2, 300);
    assert!(
        (slow_ms - least_ms - 0.3).abs() < 1e-3,
        "{slow_ms} {least_ms}"
    );
    assert!((waits_us - 300.0).abs() < 1.0, "{waits_us}");
    // The leaf of a tree that has nothing to send on: its parent's next message is what counts.
    let (least_ms, _) = run(Collective::TreeBroadcast, 2, 0);
    let (slow_ms, waits_us) = run(Collective::TreeBroadcast, 2, 40);
    assert!(
        (slow_ms - least_ms - waits_us / 1e3).abs() < 1e-2,
        "{slow_ms} {least_ms} {waits_us}"
    );
}

/// A hundred iterations of computing and an all-reduce, alone: what an idle network takes.
#[test]
fn a_job_alone_takes_what_an_idle_network_takes() {
    let mut spec = star(8);
    let hosts: Vec<u32> = (0..8).collect();
    job(&mut spec, "A", &hosts, (100, phase(8, (MS, 0), 800_000)));
    let found = findings(&spec);
    let own = table(&found, "jobs");
    let wanted_ms = 100.0 * (1.0 + 14.0 * step_ms(1e5));
    assert!(is_near(number(own, 0, "jct_ms"), wanted_ms), "{wanted_ms}");
    let over_idle = number(own, 0, "over_idle");
    assert!((1.0..1.002).contains(&over_idle), "{over_idle}");
    let roofline_ms = 100.0 * (1.0 + 1.75 * 800_000.0 * 8.0 / 100e9 * 1e3);
    assert!(is_near(number(own, 0, "roofline_ms"), roofline_ms));
    let exposed_ms = number(own, 0, "exposed_ms");
    assert!(is_near(exposed_ms, 14.0 * step_ms(1e5)), "{exposed_ms}");
    assert_eq!(number(own, 0, "done"), 100.0);
}

/// Stages of a pipeline do not compute for (p - 1) / (m + p - 1) of the time, in either order, and
/// an iteration takes m + p - 1 times what a microbatch takes there and back; messages go through
/// all stages once there and once back.
#[test]
fn pipelines_wait_for_their_first_and_last_microbatch() {
    let (there, back) = (3 * MS, 5 * MS);
    let hop_ms = ((1_000.0_f64 / 1_000.0 + 1.0) * WIRE_BYTES * 8.0 / 100_000.0 + 2.0) / 1e3;
    for (stages, batches) in [(2, 1), (4, 8), (4, 3), (8, 32)] {
        let took = |schedule: Schedule| {
            let mut spec = star(stages);
            let hosts: Vec<u32> = (0..stages).collect();
            let pipeline = PhaseSpec {
                operation: Some(Operation::whole(Collective::Pipeline, 1_000)),
                times: batches,
                schedule,
                ..phase(stages, (there, 0), 1_000)
            };
            job(&mut spec, "A", &hosts, (1, pipeline));
            let found = findings(&spec);
            let own = table(&found, "jobs");
            assert_eq!(number(own, 0, "done"), 1.0);
            let steps = number(table(&found, "collectives"), 0, "steps");
            assert_eq!(steps, 2.0 * f64::from(stages - 1));
            (number(own, 0, "jct_ms"), number(own, 0, "bubble_pct"))
        };
        let (p, m) = (f64::from(stages), f64::from(batches));
        let wanted_ms = (m + p - 1.0) * 8.0 + 2.0 * (p - 1.0) * hop_ms;
        for schedule in [
            Schedule::AllForward {
                backward: Duration(back),
            },
            Schedule::InTurn {
                backward: Duration(back),
            },
        ] {
            let (jct_ms, bubble) = took(schedule);
            let share = 100.0 * (p - 1.0) / (m + p - 1.0);
            assert!(
                is_near(jct_ms, wanted_ms),
                "{schedule:?} {jct_ms} {wanted_ms}"
            );
            assert!(
                (bubble - share).abs() < 0.2,
                "{schedule:?} {bubble} {share}"
            );
        }
    }
}

/// Communication beside computing costs what is longer of the two.
#[test]
fn computing_hides_communication() {
    let took_ms = |parts: (u64, u64)| {
        let mut spec = star(4);
        job(
            &mut spec,
            "A",
            &[0, 1, 2, 3],
            (10, phase(4, parts, 4_000_000)),
        );
        let found = findings(&spec);
        let own = table(&found, "jobs");
        (number(own, 0, "jct_ms"), number(own, 0, "exposed_ms"))
    };
    let ring_ms = 6.0 * step_ms(1e6);
    for (parts, wanted_ms) in [
        ((MS, 0), 1.0 + ring_ms),
        ((MS / 2, MS / 2), 0.5 + ring_ms),
        ((MS / 10, 9 * MS / 10), 1.0),
        ((0, MS), 1.0),
    ] {
        let (jct_ms, exposed_ms) = took_ms(parts);
        assert!(
            is_near(jct_ms, 10.0 * wanted_ms),
            "{parts:?}: {jct_ms} {wanted_ms}"
        );
        assert!(
            (exposed_ms - (wanted_ms - 1.0)).abs() < 1e-3,
            "{parts:?}: {exposed_ms}"
        );
    }
}

/// Two jobs whose rings cross one link share it: each communicates at half the rate.
#[test]
fn jobs_on_one_link_share_it() {
    let run = |jobs: &[[u32; 2]]| {
        let mut spec = EthernetSpec::new(Time(1_000 * MS));
        for host in 0..4 {
            spec.station(&format!("H{host}"));
        }
        let (a, b) = (spec.switch("A", None), spec.switch("B", None));
        for (host, switch) in [(0, a), (1, a), (2, b), (3, b)] {
            spec.link([host, switch], channel());
        }
        spec.link([a, b], channel());
        for (name, hosts) in ["A", "B"].iter().zip(jobs) {
            job(&mut spec, name, hosts, (10, phase(2, (MS, 0), 16_000_000)));
        }
        let found = findings(&spec);
        let own = table(&found, "jobs");
        let rows = 0..own.rows.len();
        rows.map(|row| (number(own, row, "jct_ms"), number(own, row, "over_idle")))
            .collect::<Vec<_>>()
    };
    let alone = run(&[[0, 2]]);
    let exchange_ms = alone[0].0 / 10.0 - 1.0;
    for (jct_ms, over_idle) in run(&[[0, 2], [1, 3]]) {
        let wanted_ms = 10.0 * (1.0 + 2.0 * exchange_ms);
        assert!(
            (jct_ms / wanted_ms - 1.0).abs() < 0.02,
            "{jct_ms} {wanted_ms}"
        );
        assert!(
            (over_idle - jct_ms / alone[0].0).abs() < 0.002,
            "{over_idle}"
        );
    }
}

/// What the terminal says, and a row for each rank in the report, the path among its curves.
#[test]
fn a_report_draws_ranks_over_time() {
    let mut spec = star(4);
    operation(&mut spec, Collective::RingAllReduce, (4, 4_000_000), 3);
    job(
        &mut spec,
        "A",
        &[0, 1, 2, 3],
        (2, phase(4, (MS, MS), 4_000_000)),
    );
    let found = findings(&spec);
    let info = RunInfo::default();
    let told = terminal_summary(&info, &found);
    let line = "\nA: JCT ";
    assert!(
        told.contains(line) && told.contains("\nring-all-reduce (ring-all-reduce): mean "),
        "{told}"
    );
    let report: Report = run_report(&info, &found, &[]);
    let html = page(&report);
    for part in [
        "\"spans\"",
        "critical path",
        "Iteration ",
        "Steps of ring-all-reduce by rank",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

/// Two trees in datagrams, before queues that hold less than what comes at once: the message that
/// lost one is named with its ranks. Where queues hold all, nothing is.
#[test]
fn a_message_that_never_comes_is_named_with_its_ranks() {
    let told = |limit_bytes: u64| {
        let mut spec = star(4);
        for link in &mut spec.links {
            for channel in link.channels.iter_mut().flat_map(|own| &mut own.queues) {
                channel.limit_bytes = Some(limit_bytes);
            }
        }
        let kind = Collective::DoubleTreeAllReduce;
        operation(&mut spec, kind, (4, 1_000_000), 1);
        for flow in &mut spec.flows {
            flow.transport = TransportSpec::Udp {
                payload_bytes: 1_000,
                has_rtp: false,
                is_ect: false,
            };
        }
        terminal_summary(&RunInfo::default(), &findings(&spec))
    };
    let lost = told(20_000);
    assert!(
        lost.contains("stuck: message ") && lost.contains(" from rank ") && lost.contains(" (H"),
        "{lost}"
    );
    assert!(!told(1 << 30).contains("stuck"));
}
