//! The networks of Kung 1993, Figures 9 to 20.

use backwater_kernel::Time;
use backwater_net::spec::*;

use super::{Net, at, cells, halves};

/// Figures 9 to 13: one circuit from A over S to B with N3 = 51.
pub fn figure_9(traffic: TrafficSpec, stop_at: Time) -> Net {
    let mut net = Net::new(Timing::CutThrough, halves(155), stop_at);
    let (a, s) = (
        net.node("A", NodeKind::Host),
        net.node("S", NodeKind::Switch),
    );
    let b = net.node("B", NodeKind::Host);
    let (first, second) = (net.link(a, s), net.link(s, b));
    let control = net.n23(10, 51);
    let flow = net.flow(a, &[first, second], control);
    net.spec.flows[flow].traffic = traffic;
    net
}

/// A unit every third cell time.
pub fn one_in_three() -> TrafficSpec {
    TrafficSpec::Constant {
        start: Time::ZERO,
        interval: cells(3),
        random_phase: false,
        total: None,
    }
}

/// Figures 12, 14, 17, 20: always something to send.
pub fn greedy() -> TrafficSpec {
    TrafficSpec::Greedy {
        start: Time::ZERO,
        total: None,
    }
}

/// Figure 14: three greedy circuits share an output; N3 = 155, 113, 63.
pub fn figure_14(stop_at: Time) -> Net {
    let mut net = Net::new(Timing::StoreAndForward, halves(155), stop_at);
    let [a, b, c, f] = ["A", "B", "C", "F"].map(|name| net.node(name, NodeKind::Host));
    let s = net.node("S", NodeKind::Switch);
    let entries = [a, b, c].map(|host| net.link(host, s));
    let out = net.link(s, f);
    for ((host, entry), n3) in [a, b, c].into_iter().zip(entries).zip([155, 113, 63]) {
        let control = net.n23(10, n3);
        net.flow(host, &[entry, out], control);
    }
    net
}

/// Figure 20: a greedy circuit each way over one link.
pub fn figure_20(n2: u32, n3: u32, stop_at: Time) -> Net {
    let mut net = Net::new(Timing::CutThrough, halves(155), stop_at);
    let (a, b) = (net.node("A", NodeKind::Host), net.node("B", NodeKind::Host));
    let link = net.link(a, b);
    let control = net.n23(n2, n3);
    net.flow(a, &[link], control);
    net.flow(b, &[link + 1], control);
    net
}

/// Two hosts and a switch between them, a flow from A to B and its partner back.
pub fn conversation(delay_cells: u64, stop_cells: u64) -> Net {
    let mut net = Net::new(Timing::CutThrough, cells(delay_cells), at(stop_cells));
    let (a, s) = (
        net.node("A", NodeKind::Host),
        net.node("S", NodeKind::Switch),
    );
    let b = net.node("B", NodeKind::Host);
    let (first, second) = (net.link(a, s), net.link(s, b));
    let forth = net.flow(a, &[first, second], FlowControlSpec::None);
    let back = net.flow(b, &[second + 1, first + 1], FlowControlSpec::None);
    net.spec.flows[forth].partner = Some(back as u32);
    net.spec.flows[back].traffic = TrafficSpec::Silent;
    net
}

/// Figure 17: two switches, four greedy circuits.
pub fn figure_17(timing: Timing, stop_at: Time) -> Net {
    let mut net = Net::new(timing, halves(155), stop_at);
    let [a, b, c, d, e, f] = ["A", "B", "C", "D", "E", "F"].map(|n| net.node(n, NodeKind::Host));
    let s1 = net.node("S1", NodeKind::Switch);
    let s2 = net.node("S2", NodeKind::Switch);
    let a_s1 = net.link(a, s1);
    let b_s1 = net.link(b, s1);
    let s1_s2 = net.link(s1, s2);
    let c_s2 = net.link(c, s2);
    let d_s2 = net.link(d, s2);
    let s2_e = net.link(s2, e);
    let s2_f = net.link(s2, f);
    let control = net.n23(10, 155);
    net.flow(a, &[a_s1, s1_s2, s2_f], control);
    net.flow(b, &[b_s1, s1_s2, s2_e], control);
    net.flow(c, &[c_s2, s2_f], control);
    net.flow(d, &[d_s2, s2_f], control);
    net
}
