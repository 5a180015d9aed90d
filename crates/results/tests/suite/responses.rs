//! Responses over circuits: how long they took, and how long alone.

use backwater_ends::TcpSpec;
use backwater_kernel::{Duration, Rate, Rings, Time};
use backwater_net::Simulation;
use backwater_net::outcome::Outcome;
use backwater_net::spec::{
    CellApplication, CellTcpSpec, ChannelSpec, FlowControlSpec, FlowSpec, NetworkSpec, NodeKind,
    RequestsSpec, Span, TrafficSpec,
};
use backwater_results::{Cell, Findings, RunInfo, Table, terminal_summary};

const US: u64 = 1_000_000;
const CELL: Duration = Duration(681_672);

/// Clients at A ask a server at B by a switch: so many of them, at the same instant. A cell of 53
/// bytes takes 10 us.
fn network(clients: u32) -> NetworkSpec {
    let mut spec = NetworkSpec::new(Time(10_000 * US));
    let a = spec.node("A", NodeKind::Host);
    let switch = spec.node("S", NodeKind::Switch);
    let b = spec.node("B", NodeKind::Host);
    let channel = ChannelSpec::new(Rate(42_400_000), Duration(5 * US));
    let into = spec.link([a, switch], channel.clone());
    let out = spec.link([switch, b], channel);
    let none = FlowControlSpec::None;
    for client in 0..clients {
        let path = [(into, none), (out, none)];
        let mut asks = FlowSpec::new(&format!("ask[{client}]"), a, &path);
        asks.partner = Some(2 * client + 1);
        asks.traffic = TrafficSpec::Requests(RequestsSpec {
            start: Time::ZERO,
            requests: 1,
            request_units: 1,
            response_units: 4,
            inter_request: Span::Fixed(Duration::ZERO),
            inter_cycle: Span::Fixed(Duration(100 * US)),
            service: Span::Fixed(Duration(20 * US)),
            cycles: None,
        });
        let path = [(out ^ 1, none), (into ^ 1, none)];
        let mut answers = FlowSpec::new(&format!("answer[{client}]"), b, &path);
        answers.traffic = TrafficSpec::Server;
        spec.flows.extend([asks, answers]);
    }
    spec
}

fn simulated(spec: &NetworkSpec) -> Outcome {
    let mut simulation = Simulation::<Rings>::new(spec).expect("sound");
    simulation.run();
    simulation.outcome()
}

fn value(table: &Table, row: usize, column: &str) -> Option<f64> {
    let at = table.columns.iter().position(|one| one.name == column);
    match table.rows[row][at.expect("it has this column")] {
        Cell::Float { value, .. } => Some(value),
        Cell::Int(count) => Some(count as f64),
        Cell::Text(_) | Cell::Empty => None,
    }
}

/// Two hops of 15 us there, 20 us of service, two hops and three cells more back: 110 us.
#[test]
fn slowdown_is_the_time_over_that_on_an_idle_network() {
    for (clients, slow) in [(1, false), (3, true)] {
        let spec = network(clients);
        let outcome = simulated(&spec);
        let tables = Findings::new(&spec, outcome.clone(), CELL)
            .tables()
            .to_vec();
        let found = tables.iter().find(|one| one.name == "transfers");
        let table = found.expect("clients are answered");
        assert_eq!(table.rows.len(), clients as usize);
        for row in 0..table.rows.len() {
            assert_eq!(value(table, row, "FCT alone"), Some(0.11));
            let mean = value(table, row, "FCT mean").expect("it has one");
            let slowdown = value(table, row, "slowdown mean").expect("it has one");
            assert!((slowdown - mean / 0.11).abs() < 1e-9);
            assert!(slowdown >= 1.0);
        }
        let worst = (0..table.rows.len()).filter_map(|row| value(table, row, "slowdown max"));
        assert_eq!(worst.fold(0.0, f64::max) > 1.0, slow, "{clients}");
        let words = terminal_summary(
            &RunInfo::default(),
            &Findings::new(&spec, outcome.clone(), Duration::ZERO),
        );
        // Of several clients some have asked and are not answered yet.
        let mean = if slow {
            "responses: mean >= 1"
        } else {
            "responses: mean 1"
        };
        assert!(words.contains(mean), "{words}");
        assert_eq!(words.contains("slowdown mean 1\n"), !slow, "{words}");
    }
}

/// A group whose responses are alike has one time alone, one whose are not has none.
#[test]
fn a_group_has_a_slowdown_where_all_are_alike() {
    let mut spec = network(3);
    let of_group = |spec: &NetworkSpec| {
        let tables = Findings::new(spec, simulated(spec), CELL).flow_tables("answer");
        let tables = tables.expect("it is there");
        let table = tables.iter().find(|one| one.name == "transfers");
        value(table.expect("they answer"), 0, "slowdown mean")
    };
    assert!(of_group(&spec).is_some_and(|slowdown| slowdown > 1.0));
    if let TrafficSpec::Requests(requests) = &mut spec.flows[2].traffic {
        requests.response_units = 9;
    }
    assert_eq!(of_group(&spec), None);
}

/// Over TCP the way back of requests has the payload of responses as its goodput.
#[test]
fn responses_over_tcp_have_a_goodput() {
    let mut spec = network(1);
    spec.flows[0].traffic = TrafficSpec::Tcp(CellTcpSpec {
        start: Time::ZERO,
        tcp: TcpSpec::bsd(),
        application: CellApplication::Requests {
            request_bytes: 300,
            response_bytes: 600,
            service: Span::Fixed(Duration(20 * US)),
            think: Span::Fixed(Duration(100 * US)),
            count: None,
        },
        overhead_bytes: 56,
        payload_bytes: 48,
    });
    spec.flows[1].traffic = TrafficSpec::TcpBack;
    let found = Findings::new(&spec, simulated(&spec), CELL);
    let table = found.tables().iter().find(|one| one.name == "flows");
    let goodput = |row| value(table.expect("of flows"), row, "goodput").expect("it has one");
    assert!(goodput(0) > 1.0);
    assert!((goodput(1) / goodput(0) - 2.0).abs() < 0.1);
}
