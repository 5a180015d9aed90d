//! First in, first out; strict priority; earliest deadline first; what ports push out by rank is
//! tested beside `scheduler/ranked.rs`.

use crate::common;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::*;
use common::*;

/// A host whose port serves by `scheduler`. Each flow sends three units, 1 ps apart, from its
/// start on; it has a priority and, for EDF, a deadline.
fn order(scheduler: SchedulerSpec, flows: &[(Time, u8, Option<Duration>)]) -> String {
    let mut net = Net::new(Timing::StoreAndForward, cells(1), at(100));
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    net.spec.links[0].channels[0].scheduler = scheduler;
    for (start, priority, deadline) in flows {
        let flow = net.flow(a, &[link], FlowControlSpec::None);
        let flow = &mut net.spec.flows[flow];
        flow.priority = *priority;
        flow.traffic = TrafficSpec::Constant {
            start: *start,
            interval: Duration(1),
            random_phase: false,
            total: Some(3),
        };
        flow.reserve = deadline.map(|deadline| ReserveSpec {
            rate: Rate(RATE.0 / 10),
            interval: None,
            burst_bytes: None,
            offset: Duration::ZERO,
            deadline: Some(deadline),
        });
    }
    observe(&net.spec).0.order(0)
}

const NOW: Time = Time::ZERO;

#[test]
fn fifo_serves_in_order_of_arrival_whatever_the_priority() {
    let later = Time(1);
    let flows = [(later, 3, None), (NOW, 0, None)];
    assert_eq!(order(SchedulerSpec::Fifo, &flows), "BABABA");
    // At one instant in the order of flows.
    let flows = [(NOW, 0, None), (NOW, 3, None)];
    assert_eq!(order(SchedulerSpec::Fifo, &flows), "ABABAB");
}

#[test]
fn strict_priority_serves_the_largest_first_and_each_group_in_order_of_arrival() {
    let flows = [(NOW, 2, None), (Time(1), 7, None), (NOW, 7, None)];
    // A starts alone with C at 0: C first. Then all of C and B by arrival, then A.
    assert_eq!(order(SchedulerSpec::StrictPriority, &flows), "CBCBCBAAA");
    let flows = [(NOW, 0, None), (at(1), 1, None)];
    assert_eq!(order(SchedulerSpec::StrictPriority, &flows), "ABBBAA");
}

#[test]
fn the_earliest_deadline_goes_first_in_its_group() {
    let deadline = |cells: u64| Some(halves(2 * cells));
    let flows = [(NOW, 0, deadline(20)), (NOW, 0, deadline(10))];
    assert_eq!(order(SchedulerSpec::Edf, &flows), "BBBAAA");
    let early = at(0) + halves(1);
    let flows = [
        (early, 0, deadline(20)),
        (early + halves(2), 0, deadline(2)),
        (NOW, 0, None),
    ];
    // The datagram that came first is on the wire when A comes, A's first when B comes. Then
    // B's deadlines are earlier; the other datagrams wait for all.
    assert_eq!(order(SchedulerSpec::Edf, &flows), "CABBBAACC");
    let flows = [(NOW, 0, deadline(1)), (NOW, 1, deadline(50))];
    assert_eq!(order(SchedulerSpec::Edf, &flows), "BBBAAA", "groups first");
}
