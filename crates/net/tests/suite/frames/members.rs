//! Flows without rows: slots that pass from flow to flow, and lists that are not what they said.

use std::vec::IntoIter;

use backwater_kernel::{Place, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::*;
use backwater_net::outcome::Outcome;

use crate::frames::common::*;

/// Flows from a list in memory, and what becomes of it at its end.
struct Listed(IntoIter<Arrival>, Option<String>);

impl Arrivals for Listed {
    fn next(&mut self) -> Result<Option<Arrival>, String> {
        match (self.0.next(), self.1.take()) {
            (None, Some(what)) => Err(what),
            (next, what) => {
                self.1 = what;
                Ok(next)
            }
        }
    }
}

/// Two hosts behind a switch, 100 Mbps and 0.5 us each; a flow to make others like.
fn pair() -> (Net, FlowSpec) {
    let mut net = Net::new(1, None);
    let (a, switch, b) = (net.station("A"), net.switch("S"), net.station("B"));
    net.link(a, switch, 100);
    net.link(switch, b, 100);
    net.spec.warm_up = Time::ZERO;
    (net, FlowSpec::udp("list", a, b))
}

/// One datagram of 982 bytes: 1,028 with all headers, 1,048 on the wire, 83.84 us a hop.
fn arrival(kind: &FlowSpec, at: u64) -> Arrival {
    Arrival {
        at: Time(at),
        source: kind.source,
        destination: kind.destination,
        bytes: 982,
        kind: 0,
    }
}

fn run(
    net: &Net,
    kind: FlowSpec,
    all: Vec<Arrival>,
    count: u32,
    end: Option<&str>,
) -> (Outcome, usize) {
    let mut spec = net.spec.clone();
    let end = end.map(String::from);
    spec.rules.arrivals = vec![ArrivalSpec {
        name: "list".into(),
        count,
        active: 1,
        kinds: vec![kind],
        arrivals: ArrivalRecipe::new(move || {
            Box::new(Listed(all.clone().into_iter(), end.clone()))
        }),
    }];
    let mut simulation = Simulation::<Rings>::new(&spec).expect("it is sound");
    simulation.run();
    (simulation.outcome(), simulation.network().slots())
}

/// A flow a millisecond: one is active, and the next has its slot before it begins.
#[test]
fn slots_pass_from_flow_to_flow() {
    let (net, kind) = pair();
    let all: Vec<Arrival> = (0..1_000).map(|at| arrival(&kind, at * MS)).collect();
    let (outcome, slots) = run(&net, kind, all, 1_000, None);
    assert_eq!(slots, 2);
    let [bin] = &outcome.members[..] else {
        panic!("one size")
    };
    assert_eq!(
        (bin.flows, bin.least_bytes, bin.most_bytes),
        (1_000, 982, 982)
    );
    let ends = &bin.found.ends;
    assert_eq!((ends.transfers_begun, ends.transfers_total), (1_000, 1_000));
    let took = Some((2 * (83_840_000 + US / 2)) as f64);
    let times = &ends.transfer_time;
    assert_eq!(
        (times.count(), times.min(), times.max()),
        (1_000, took, took)
    );
    let slowdown = &bin.found.slowdown;
    assert_eq!(
        (slowdown.count(), slowdown.min(), slowdown.max()),
        (1_000, Some(1.0), Some(1.0))
    );
    assert_eq!(
        (outcome.balance().offered, outcome.balance().delivered),
        (1_000, 1_000)
    );
    assert_eq!(outcome.violations.total(), 0);
}

/// All at once: a slot each, and the last waits for all others.
#[test]
fn as_many_slots_as_flows_at_once() {
    let (net, kind) = pair();
    let all = vec![arrival(&kind, MS); 50];
    let (outcome, slots) = run(&net, kind, all, 50, None);
    assert_eq!(slots, 50);
    let times = &outcome.members[0].found.ends.transfer_time;
    assert_eq!(times.min(), Some((2 * (83_840_000 + US / 2)) as f64));
    assert_eq!(times.max(), Some((51 * 83_840_000 + US) as f64));
}

/// A run that ends before its flows do counts them with their age.
#[test]
fn what_has_not_ended_is_open() {
    let (mut net, kind) = pair();
    net.spec.stop_at = Time(2 * MS);
    let all = vec![arrival(&kind, MS); 50];
    let (outcome, _) = run(&net, kind, all, 50, None);
    let found = &outcome.members[0].found;
    // Those whose last bit was in 1 ms later.
    assert_eq!(
        (
            found.ends.transfer_time.count(),
            found.ends.transfer_time.open()
        ),
        (10, 40)
    );
    assert_eq!(found.ends.transfer_time.oldest(), Some(MS as f64));
    assert_eq!(
        found.inside_total + found.delivered_total,
        found.offered_total
    );
    assert_eq!(outcome.violations.total(), 0);
}

/// No more begin where a list is not what it said, and the run says why.
#[test]
fn a_list_that_has_changed_is_a_violation() {
    let (net, kind) = pair();
    let one = |at: u64| arrival(&kind, at * MS);
    let nobody = Arrival {
        destination: 9,
        ..one(3)
    };
    let unlike = Arrival { kind: 1, ..one(3) };
    for (all, count, end, what, flows) in [
        (vec![one(1), one(2)], 2, Some("is gone"), "is gone", 2),
        (
            vec![one(1), one(2), one(3)],
            2,
            None,
            "more flows than it said",
            2,
        ),
        (vec![one(2), one(1)], 2, None, "not in order of time", 1),
        (vec![one(1), nobody], 2, None, "what is not there", 1),
        (vec![one(1), unlike], 2, None, "what is not there", 1),
    ] {
        let (outcome, _) = run(&net, kind.clone(), all, count, end);
        let [violation] = outcome.violations.kept() else {
            panic!("{what}: {:?}", outcome.violations)
        };
        assert_eq!(violation.place, Place::Network);
        assert!(violation.what.contains(what), "{}", violation.what);
        assert!(violation.what.contains("`list`"), "{}", violation.what);
        assert_eq!(
            outcome.members[0].found.ends.transfers_total, flows,
            "{what}"
        );
    }
}

#[test]
fn what_is_made_for_each_flow_before_the_run_is_refused() {
    let (net, kind) = pair();
    let refused = |change: fn(&mut EthernetSpec, &mut FlowSpec)| {
        let (mut spec, mut kind) = (net.spec.clone(), kind.clone());
        change(&mut spec, &mut kind);
        spec.rules.arrivals = vec![ArrivalSpec {
            name: "list".into(),
            count: 1,
            active: 1,
            kinds: vec![kind],
            arrivals: ArrivalRecipe::new(|| Box::new(Listed(Vec::new().into_iter(), None))),
        }];
        verify(&spec).is_err()
    };
    assert!(!refused(|_, _| {}));
    assert!(refused(|_, kind| kind.others.push(kind.source)));
    assert!(refused(|_, kind| kind.class = 1));
    assert!(refused(|spec, _| {
        for node in &mut spec.nodes {
            if let NodeKind::Switch(switch) = &mut node.kind {
                let select = Select::Destination(Choose::AllFound);
                switch.stops = Some(BackPressureSpec { select, ..simple() }).into();
            }
        }
    }));
}
