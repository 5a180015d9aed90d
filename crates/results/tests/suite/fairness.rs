//! Fair shares beside what runs of each engine got.

use crate::sample;

use backwater_flit::spec::Injection;
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::{Spread, TrafficSpec as EthernetTraffic};
use backwater_net::outcome::{Outcome, SessionAnswer, SessionOutcome};
use backwater_net::spec::{
    FlowControlSpec, FlowSpec, LegSpec, LinkSpec, NetworkSpec, RequestsSpec, SchedulerSpec,
    SinkSpec, Span, TrafficSpec,
};
use backwater_results::{Cell, Findings, Table, terminal_summary};

/// Kung 1993, Figure 17, made of the sample's parts: A, B - S1 - S2 - E, F with C and D at S2.
fn figure_17() -> NetworkSpec {
    let mut spec = sample::spec();
    let (link, leg): (LinkSpec, LegSpec) = (spec.links[0].clone(), spec.flows[0].legs[0].clone());
    let flow: FlowSpec = spec.flows[0].clone();
    let host = spec.nodes[0].clone();
    let switch = spec.nodes[2].clone();
    // A B C D E F are 0 to 5, S1 and S2 are 6 and 7.
    spec.nodes = vec![host; 6];
    spec.nodes.extend([switch.clone(), switch]);
    for (node, name) in spec
        .nodes
        .iter_mut()
        .zip(["A", "B", "C", "D", "E", "F", "S1", "S2"])
    {
        node.name = name.into();
    }
    let ends = [(0, 6), (1, 6), (6, 7), (2, 7), (3, 7), (7, 4), (7, 5)];
    spec.links = ends
        .map(|(a, b)| LinkSpec {
            ends: [a, b],
            ..link.clone()
        })
        .to_vec();
    let ways: [(u32, &[u32]); 4] = [
        (0, &[0, 4, 12]),
        (1, &[2, 4, 10]),
        (2, &[6, 12]),
        (3, &[8, 12]),
    ];
    spec.flows = (1..)
        .zip(ways)
        .map(|(number, (source, channels))| FlowSpec {
            name: format!("VC{number}"),
            source,
            legs: (0..)
                .zip(channels)
                .map(|(at, channel): (u32, _)| LegSpec {
                    channel: *channel,
                    parent: at.checked_sub(1),
                    ..leg.clone()
                })
                .collect(),
            ..flow.clone()
        })
        .collect();
    spec.stop_at = Time(20_000_000_000);
    spec.warm_up = Time(5_000_000_000);
    spec
}

fn simulated(spec: &NetworkSpec) -> Outcome {
    let mut simulation = Simulation::<Rings>::new(spec).unwrap();
    simulation.run();
    simulation.outcome()
}

fn fairness(spec: &NetworkSpec, outcome: &Outcome) -> Table {
    let tables = Findings::new(spec, outcome.clone(), sample::CELL)
        .tables()
        .to_vec();
    let table = tables.iter().find(|table| table.name == "fairness");
    table.expect("a table of fairness").clone()
}

fn number(table: &Table, row: usize, column: &str) -> f64 {
    let index = table.columns.iter().position(|c| c.key() == column);
    match table.rows[row][index.expect(column)] {
        Cell::Float { value, .. } => value,
        ref other => panic!("{column}: {other:?}"),
    }
}

fn shares(table: &Table) -> Vec<f64> {
    (0..table.rows.len())
        .map(|row| number(table, row, "max_min_share_mbps"))
        .collect()
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!(
            (a - b).abs() < 1e-6 * b.abs().max(1.0),
            "{found:?}, not {expected:?}"
        );
    }
}

#[test]
fn credit_gives_figure_17_its_shares() {
    let spec = figure_17();
    let outcome = simulated(&spec);
    let table = fairness(&spec, &outcome);
    let third = 622.0 / 3.0;
    close(&shares(&table), &[third, 2.0 * third, third, third]);
    for row in 0..4 {
        let ratio = number(&table, row, "ratio");
        assert!((ratio - 1.0).abs() < 0.01, "{ratio} of VC{}", row + 1);
    }
    let summary = sample::summary(&sample::info(), &spec, &outcome, None);
    let jain = |name: &str| summary[name].as_f64().unwrap();
    assert!(jain("jain_ratios") > 0.9999);
    // 1, 2, 1, 1: 25 / (4 x 7).
    assert!((jain("jain_rates") - 25.0 / 28.0).abs() < 0.001);
    let text = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    assert!(
        text.contains("\nflow    Mbps  max-min  ratio\nVC1   "),
        "{text}"
    );
}

#[test]
fn without_flow_control_figure_17_is_not_fair() {
    let mut spec = figure_17();
    for flow in &mut spec.flows {
        for leg in &mut flow.legs {
            leg.flow_control = FlowControlSpec::None;
        }
    }
    let table = fairness(&spec, &simulated(&spec));
    // VC1 and VC2 halve the middle link, and some of VC1 is dropped behind it.
    let ratio = number(&table, 1, "ratio");
    assert!((ratio - 0.75).abs() < 0.01, "{ratio} of VC2");
}

#[test]
fn credit_units_are_background_on_the_way_back() {
    let mut spec = figure_17();
    // A flow from S2's side to A meets the credit units of VC1 on S1 -> A: one in ten.
    let mut back = spec.flows[0].clone();
    back.name = "back".into();
    back.source = 2;
    for (leg, channel) in back.legs.iter_mut().zip([6, 5, 1]) {
        leg.channel = channel;
    }
    spec.flows.push(back);
    let found = shares(&fairness(&spec, &sample_outcome(5)));
    // The way back ends at S1 -> A, where VC1 has 1 credit unit in 10; C -> S2 is shared with
    // VC3, which has its third of S2 -> F.
    let vc1 = found[0];
    let middle = 622.0 - (found[0] + found[1]) / 10.0;
    let last = 622.0 - vc1 / 10.0;
    let first = 622.0 - found[2];
    close(&found[4..], &[middle.min(last).min(first)]);
    assert!(found[4] < 622.0 - 622.0 / 3.0 + 1e-6);
}

/// The made-up outcome with so many flows.
fn sample_outcome(flows: usize) -> Outcome {
    let mut outcome = sample::outcome();
    let more = outcome.flows[0].clone();
    outcome.flows.resize(flows, more);
    outcome
}

#[test]
fn closed_loops_count_with_what_they_take() {
    let mut spec = figure_17();
    let requests = RequestsSpec {
        start: Time::ZERO,
        requests: 1,
        request_units: 16,
        response_units: 16,
        inter_request: Span::Fixed(Duration(0)),
        inter_cycle: Span::Fixed(Duration(0)),
        service: Span::Fixed(Duration(0)),
        cycles: None,
    };
    spec.flows[3].traffic = TrafficSpec::Requests(requests);
    let mut outcome = sample_outcome(4);
    // 22 Mbps of requests.
    let seconds = outcome.ended_at.since(spec.warm_up).seconds();
    outcome.flows[3].delivered_bytes = (22e6 * seconds / 8.0) as u64;
    let table = fairness(&spec, &outcome);
    assert_eq!(table.rows[3][2], Cell::Empty);
    assert_eq!(table.keys().last().map(String::as_str), Some("remark"));
    assert_eq!(table.rows[3].last(), Some(&"closed loop".into()));
    assert!((number(&table, 0, "max_min_share_mbps") - 300.0).abs() < 0.001);
    let summary = sample::summary(&sample::info(), &spec, &outcome, None);
    assert!(summary["fairness"][3]["max_min_share_mbps"].is_null());
}

#[test]
fn demands_follow_from_traffic_sinks_and_sessions() {
    let mut spec = figure_17();
    let outcome = sample_outcome(4);
    let share = |spec: &NetworkSpec, row| shares(&fairness(spec, &outcome))[row];
    let mbps = |bps: u64| Rate(bps * 1_000_000).tick(53);
    spec.flows[0].traffic = TrafficSpec::Poisson {
        start: Time::ZERO,
        mean_interval: mbps(100),
        min_interval: Duration(0),
        total: None,
    };
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 0.01, "{found}, not {expected}");
    };
    near(share(&spec, 0), 100.0);
    near(share(&spec, 1), 522.0);
    // 200 Mbps for a quarter of the time.
    spec.flows[0].traffic = TrafficSpec::OnOff {
        start: Time::ZERO,
        on: Span::Fixed(Duration(1_000_000)),
        off: Span::Exponential(Duration(3_000_000)),
        on_interval: mbps(200),
        off_interval: None,
    };
    near(share(&spec, 0), 50.0);
    // A train of 10, a gap after each, and a pause as long as ten more.
    spec.flows[0].traffic = TrafficSpec::Trains {
        start: Time::ZERO,
        mean_units: 10.0,
        gap: mbps(60),
        mean_pause: mbps(60) * 10,
        total: None,
    };
    near(share(&spec, 0), 30.0);
    spec.flows[0].sink = SinkSpec::Limited { interval: mbps(20) };
    near(share(&spec, 0), 20.0);
    let mut refused = outcome.clone();
    refused.flows[0].session = Some(SessionOutcome {
        asked_at: Some(Time(0)),
        answered_at: Some(Time(1)),
        answer: SessionAnswer::Refused {
            channel: 4,
            missing: Rate(1),
        },
        closed_at: None,
    });
    refused.flows[0].delivered_bytes = 0;
    let table = fairness(&spec, &refused);
    assert_eq!(table.rows[0].last(), Some(&"refused".into()));
    near(number(&table, 1, "max_min_share_mbps"), 622.0);
}

#[test]
fn ports_in_order_of_arrival_know_no_priorities() {
    let mut spec = figure_17();
    for flow in &mut spec.flows[1..] {
        flow.priority = 2;
    }
    let outcome = sample_outcome(4);
    let first = shares(&fairness(&spec, &outcome));
    close(&first, &[0.0, 622.0, 311.0, 311.0]);
    for link in &mut spec.links {
        link.channels[0].scheduler = SchedulerSpec::Fifo;
    }
    let table = fairness(&spec, &outcome);
    close(&shares(&table)[..1], &[622.0 / 3.0]);
    assert!(
        table.caption.contains("priorities do not count"),
        "{}",
        table.caption
    );
}

#[test]
fn more_than_thirty_flows_are_summed_up() {
    let mut spec = figure_17();
    let flow = spec.flows[2].clone();
    spec.flows.resize(40, flow);
    for (number, flow) in spec.flows.iter_mut().enumerate() {
        flow.name = format!("circuit {number}");
    }
    let outcome = sample_outcome(40);
    let text = terminal_summary(
        &sample::info(),
        &Findings::new(&spec, outcome.clone(), sample::CELL),
    );
    assert!(text.contains("max-min share: 40 flows got "), "{text}");
    assert!(!text.contains("max-min  ratio"));
    assert_eq!(fairness(&spec, &outcome).rows.len(), 40);
}

#[test]
fn ethernet_shares_are_payload_and_leave_out_what_is_spread() {
    let (mut spec, outcome) = (sample::ethernet::spec(), sample::ethernet::outcome());
    let table = |spec: &_| {
        let tables = Findings::new(spec, outcome.clone(), Duration::ZERO)
            .tables()
            .to_vec();
        tables.into_iter().find(|table| table.name == "fairness")
    };
    let found = table(&spec).expect("shares");
    assert_eq!(found.rows.len(), spec.flows.len());
    let (wire, payload) = (
        number(&found, 0, "wire_share_mbps"),
        number(&found, 0, "max_min_share_mbps"),
    );
    assert!(
        wire > payload && wire < payload * 1.1,
        "{wire} and {payload}"
    );
    for flow in &mut spec.flows {
        flow.traffic = EthernetTraffic::Requests {
            start: Time::ZERO,
            request_bytes: 1,
            response_bytes: 1,
            service: Span::Fixed(Duration(0)),
            think: Span::Fixed(Duration(0)),
            count: None,
        };
    }
    assert!(table(&spec).is_none(), "closed loops have no share");
    // A second link between two nodes of the way: frames that are spread take both.
    let mut spread = sample::ethernet::spec();
    let twins: Vec<_> = spread.links.clone();
    spread.links.extend(twins);
    spread.rules.spread = Spread::Frames;
    let text = terminal_summary(
        &sample::ethernet::info(),
        &Findings::new(&spread, outcome.clone(), Duration::ZERO),
    );
    assert!(!text.contains("max-min"), "{text}");
    spread.rules.spread = Spread::Flows;
    let text = terminal_summary(
        &sample::ethernet::info(),
        &Findings::new(&spread, outcome.clone(), Duration::ZERO),
    );
    assert!(text.contains("max-min"), "{text}");
}

#[test]
fn sources_of_a_fabric_have_an_index_and_shares() {
    let (info, outcome) = (sample::info(), sample::fabric::outcome());
    let mut spec = sample::fabric::spec();
    let text = terminal_summary(&info, &sample::fabric::found(&spec, &outcome));
    assert!(text.contains("fairness  Jain's index "), "{text}");
    assert!(text.contains("no max-min shares: several classes"));
    assert!(sample::fabric::summary(&info, &spec, &outcome)["jain_rates"].is_null());
    // Uniform traffic wants 0.3 of everyone and fits; the sample made up 0.25 to 0.45.
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Bernoulli { load: 0.3 };
    let text = terminal_summary(&info, &sample::fabric::found(&spec, &outcome));
    for must in [
        "max-min   sources got 0.833 (terminal 1) to 1.500 (terminal 0) of their shares; ",
        "source       flits/cycle  max-min  ratio",
        "terminal 15       0.4500   0.3000  1.500",
    ] {
        assert!(text.contains(must), "no {must:?} in\n{text}");
    }
    let tables = sample::fabric::found(&spec, &outcome).tables().to_vec();
    let table = tables.iter().find(|table| table.name == "fairness");
    let table = table.expect("a table of fairness");
    assert_eq!(table.rows.len(), 16);
    assert_eq!(number(table, 15, "max_min_share_flits_per_cycle"), 0.3);
    assert_eq!(table.rows[3][4], "its demand".into());
    let value = sample::fabric::summary(&info, &spec, &outcome);
    assert_eq!(value["fairness"][1]["max_min_share_flits_per_cycle"], 0.3);
    assert!(value["max_min_left_out"].is_null());
}

#[test]
fn many_sources_of_a_fabric_get_a_line() {
    let (info, mut outcome) = (sample::info(), sample::fabric::outcome());
    let mut spec = sample::fabric::spec_on(sample::fabric::torus(6));
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Bernoulli { load: 0.2 };
    outcome.utilization = vec![0.1; 36 * 6];
    outcome.utilization[36 * 4 + 7] = 0.2;
    outcome.terminals = vec![Default::default(); 36];
    let text = terminal_summary(&info, &sample::fabric::found(&spec, &outcome));
    let must = "got 0.500 (terminal 0) to 1.000 (terminal 7) of their shares";
    assert!(text.contains(must), "{text}");
    assert!(!text.contains("flits/cycle  max-min"), "{text}");
}
