//! Flows that begin when others were received or sent.

use backwater_kernel::{Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::{EthernetSpec, Happened};

use super::{codes, read};

const HEAD: &str = r#"
engine = "ethernet"

[run]
duration = "10 ms"

[topology]
kind = "star"
hosts_per_switch = 4

[link]
rate = "100 Gbps"
delay = "1 us"

[buffer]
per_queue = "10 MB"

[roce]
mtu = "1000 B"
ack_every = "message"
"#;

fn flow(name: &str, ends: [&str; 2], more: &str) -> String {
    let [from, to] = ends;
    format!(
        "\n[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"roce\"\n\
         traffic = {{ kind = \"greedy\", total = \"1 MB\" }}\n{more}\n"
    )
}

fn file(flows: &[String]) -> String {
    HEAD.to_owned() + &flows.concat()
}

/// What the only message of a flow waits for.
fn after(spec: &EthernetSpec, flow: usize) -> Vec<Happened> {
    let list = spec.flows[flow]
        .traffic
        .messages()
        .expect("it waits, or is waited for");
    assert_eq!(
        (list.messages.len(), list.messages[0].bytes),
        (1, 1_000_000)
    );
    list.messages[0].after.clone()
}

/// When each flow was complete.
fn ends(spec: &EthernetSpec) -> Vec<f64> {
    let mut run = Simulation::<Rings>::new(spec).expect("it is sound");
    run.run();
    let outcome = run.outcome();
    let last = outcome.flows.iter().map(|flow| flow.ends.last_transfer);
    last.map(|at: Time| at.ps() as f64 / 1e6).collect()
}

/// Received at its host, or sent from it; both where it waits for several.
#[test]
fn flows_wait_for_what_their_host_sees() {
    let text = file(&[
        flow("A", ["H1_1", "H1_2"], ""),
        flow("B", ["H1_2", "H1_3"], "after = \"A\""),
        flow("C", ["H1_1", "H1_3"], "after = \"A\""),
        flow("D", ["H1_3", "H1_1"], "after = [\"B\", \"C\"]"),
        flow("E", ["H1_3", "H1_4"], ""),
    ]);
    let spec = read(&text);
    let received = |flow| Happened::Received { flow, message: 0 };
    assert_eq!(after(&spec, 0), []);
    assert_eq!(after(&spec, 1), [received(0)]);
    assert_eq!(
        after(&spec, 2),
        [Happened::Sent {
            flow: 0,
            message: 0
        }]
    );
    assert_eq!(after(&spec, 3), [received(1), received(2)]);
    assert!(spec.flows[4].traffic.messages().is_none());
    // 1,001 packets of 1,082 B on the wire, and two wires of 1 us, one after another; B and C share
    // the link to their host.
    let one_us = 1_001.0 * 1_082.0 * 8.0 / 100_000.0 + 2.0;
    let ends = ends(&spec);
    for (end_us, wanted_us) in ends
        .iter()
        .zip([1.0, 3.0, 3.0, 4.0].map(|times| times * one_us))
    {
        assert!(
            (end_us / wanted_us - 1.0).abs() < 0.03,
            "{end_us} {wanted_us}"
        );
    }
}

/// The name of many stands for those of them that a host sees.
#[test]
fn many_are_waited_for_as_one() {
    let text = file(&[
        flow("in", ["H1_{1..3}", "H1_4"], ""),
        flow("out", ["H1_4", "H1_{1..3}"], "after = \"in\""),
        flow("back", ["H1_{1..3}", "H1_4"], "after = \"out\""),
        flow("last", ["H1_4", "H1_1"], "after = \"back[2]\""),
    ])
    .replace("\"H1_{1..3}\"", "[\"H1_1\", \"H1_2\", \"H1_3\"]");
    let spec = read(&text);
    let received = |flow| Happened::Received { flow, message: 0 };
    for out in 3..6 {
        assert_eq!(after(&spec, out), [0, 1, 2].map(received));
    }
    for back in 6..9 {
        assert_eq!(after(&spec, back), [received(back as u32 - 3)]);
    }
    assert_eq!(after(&spec, 9), [received(7)]);
}

#[test]
fn flows_that_never_begin_are_named() {
    let own = file(&[flow("A", ["H1_1", "H1_2"], "after = \"A\"")]);
    assert_eq!(codes(&own), ["bad-after"]);
    let circle = file(&[
        flow("A", ["H1_1", "H1_2"], "after = \"B\""),
        flow("B", ["H1_1", "H1_3"], "after = \"A\""),
    ]);
    assert_eq!(codes(&circle), ["bad-after"]);
    let free = circle.replacen("after = \"B\"", "", 1);
    assert_eq!(codes(&free), [""; 0]);
}
