//! Headroom: what may be on the wire, or start, before a stop acts.

use super::{codes, try_read};

/// A host, a switch and another host; what H1 sends is stopped at the queue to H7.
const ONE_INPUT: &str = r#"
engine = "ethernet"
[run]
duration = "100 us"
[link]
rate = "10 Gbps"
delay = "1 ps"
[network]
hosts = ["H1", "H7"]
switches = ["S2"]
[[links]]
between = ["H1", "S2"]
[[links]]
between = ["H7", "S2"]
backward = { limit = "LIMIT B" }
[flow_control]
kind = "pfc"
detect = "outputs"
notify = "NOTIFY"
classes = [1]
xoff = "64 B"
xon = "64 B"
[[flows]]
name = "f1"
from = "H1"
to = "H7"
class = 1
payload = "64 B"
transport = "udp"
traffic = { kind = "constant", rate = "3 Gbps" }
[buffer]
per_queue = "1 MB"
"#;

fn one_input(notify: &str, limit: u64) -> String {
    ONE_INPUT
        .replace("NOTIFY", notify)
        .replace("LIMIT", &limit.to_string())
}

/// Three frames of 110 bytes come: a resume may be on the way back as the stop is made. One leaves
/// meanwhile, unless the stop goes to H7 as well, ahead of it.
#[test]
fn control_that_crosses_the_port_holds_up_what_would_leave() {
    for (notify, needs) in [("all", 330), ("others", 220), ("contributing", 220)] {
        assert_eq!(codes(&one_input(notify, 64 + needs)), [""; 0], "{notify}");
        let less = one_input(notify, 64 + needs - 1);
        assert_eq!(codes(&less), ["headroom"], "{notify}");
    }
}

/// Two ports that may be congested: each has the host behind the other stopped.
const TWO_PORTS: &str = r#"
engine = "ethernet"
[run]
duration = "100 us"
[link]
rate = "1 Gbps"
delay = "0 s"
[network]
hosts = ["a", "b", "c", "A", "B"]
switches = ["S"]
[buffer]
per_queue = "LIMIT B"
[flow_control]
kind = "pfc"
classes = [0]
xoff = "1000 B"
xon = "900 B"
[[flows]]
name = "f"
from = ["a", "b", "c"]
to = "A"
transport = "udp"
traffic = { kind = "constant", rate = "40 Mbps" }
"#;
const ANOTHER: &str = r#"
[[flows]]
name = "d"
from = "a"
to = "B"
transport = "udp"
traffic = { kind = "constant", rate = "40 Mbps" }
"#;

#[test]
fn a_stop_to_the_host_behind_the_port_goes_first() {
    let text = |more: &str, room: u64| {
        let limit = (1_000 + room).to_string();
        TWO_PORTS.replace("LIMIT", &limit) + more
    };
    for (more, needs) in [("", 5 * 1_518), (ANOTHER, 6 * 1_518)] {
        assert_eq!(codes(&text(more, needs)), [""; 0]);
        assert_eq!(codes(&text(more, needs - 1)), ["headroom"]);
    }
}

/// Each class, or destination, that can be stopped may have its frame ahead; and the account of the
/// scenario has every term.
#[test]
fn control_frames_that_wait_are_counted_by_what_they_can_say() {
    let of = |kind: &str, classes: &str| {
        let text = TWO_PORTS.replace("\"pfc\"", &format!("\"{kind}\"")) + ANOTHER;
        let text = text
            .replace("LIMIT", "1000000")
            .replace("classes = [0]", classes);
        let scenario = try_read(&text, &[]).unwrap_or_else(|_| panic!("it is sound"));
        let account = &scenario.ethernet().expect("for Ethernet").headroom;
        let own = account
            .iter()
            .find(|need| need.brought[0].inputs.len() == 3);
        let own = own.expect("the queue to A");
        let stop = own.brought[0].stop;
        assert_eq!(stop.response.0, 0);
        assert_eq!(stop.ahead, stop.control, "a resume that has started");
        (stop.queued.0 / stop.control.0, own.needs())
    };
    assert_eq!(of("pfc", "classes = [0]"), (0, 9_108));
    assert_eq!(of("pause", ""), (0, 9_108));
    assert_eq!(of("destination", ""), (1, 9_108));
}

/// The verdict says which response time it assumes, and what the standard allows.
#[test]
fn the_response_that_is_assumed_is_told() {
    let told = |more: &str| {
        let text = one_input("all", 100) + more;
        try_read(&text, &[]).expect_err("too little").render(false)
    };
    assert!(told("").contains("0 ns of response (`response`; IEEE 802.3 allows 3431 ns)"));
    let given = told("[host]\nresponse = \"ieee\"\n");
    assert!(given.contains("3431 ns of response\n"), "{given}");
}

/// A queue pair from H to D over X; its answers come back over Y.
const TWO_WAYS: &str = r#"
engine = "ethernet"
[run]
duration = "100 us"
[link]
rate = "10 Gbps"
delay = "1 us"
[network]
hosts = ["H", "D"]
switches = ["S", "X", "Y", "T"]
[[links]]
between = ["H", "S"]
[[links]]
between = ["S", "X"]
[[links]]
between = ["S", "Y"]
[[links]]
between = ["X", "T"]
[[links]]
between = ["Y", "T"]
[[links]]
between = ["D", "T"]
[[routes]]
node = "S"
to = "D"
via = "X"
[[routes]]
node = "T"
to = "H"
via = "Y"
[flow_control]
kind = "pfc"
classes = [3, 6]
[buffer]
per_input = "1 MB"
ROCC
[roce]
control = "CONTROL"
ack_class = 6
cnp_class = 6
[[flows]]
name = "f"
from = "H"
to = "D"
class = 3
transport = "roce"
"#;

/// Where switches state rates, one may have started ahead of the stop, though no answer goes that
/// way; and answers in a class of their own are stopped in it.
#[test]
fn rates_and_answers_of_queue_pairs_are_counted() {
    let of = |rocc: &str, control: &str| {
        let text = TWO_WAYS.replace("ROCC", rocc).replace("CONTROL", control);
        let scenario = try_read(&text, &[]).unwrap_or_else(|_| panic!("it is sound"));
        let ethernet = scenario.ethernet().expect("for Ethernet");
        let mut ahead = Vec::new();
        let mut answered = 0;
        for need in &ethernet.headroom {
            let bytes = |time: u64| time / 800 - 20;
            let all = need.brought.iter();
            ahead.extend(
                all.map(|own| bytes(own.stop.ahead.0))
                    .filter(|_| need.class == 3),
            );
            answered += usize::from(need.class == 6);
        }
        (ahead.into_iter().min(), answered)
    };
    // A control frame of 64 B, a rate of 74 B; three inputs on the way there and three back.
    assert_eq!(of("", "none"), (Some(64), 6));
    assert_eq!(of("rocc = {}", "rocc"), (Some(74), 6));
}
