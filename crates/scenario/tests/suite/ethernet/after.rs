//! Flows that begin when others were received or sent.

use std::path::Path;

use backwater_kernel::{Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::{EthernetSpec, Happened};
use backwater_scenario::{Limits, Source, parse_with};

use super::{codes, read, told};

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

/// The same lines as a list of a workload.
fn listed(lines: &str, more: &str) -> Result<EthernetSpec, String> {
    listed_over("roce", lines, more)
}

fn listed_over(transport: &str, lines: &str, more: &str) -> Result<EthernetSpec, String> {
    let list = format!(
        "\n[[workloads]]\nname = \"w\"\nkind = \"list\"\nfile = \"flows.csv\"\n\
         transport = \"{transport}\"\n"
    );
    let source = Source::new("test.toml", format!("{HEAD}{list}{more}"));
    let load = |_: &Path| Ok(lines.to_owned());
    let read = parse_with(&source, &[], &Limits::default(), &load);
    let read = read.map_err(|mistakes| mistakes.render(false))?;
    Ok(told(&read).0.clone())
}

/// What waits for what is said by the `id` of lines, in any order, or by their numbers; the run is
/// that of `[[flows]]` which say the same.
#[test]
fn lines_of_a_list_wait_for_others() {
    let wanted = ends(&read(&file(&[
        flow("A", ["H1_1", "H1_2"], ""),
        flow("B", ["H1_2", "H1_3"], "after = \"A\""),
        flow("C", ["H1_1", "H1_3"], "after = \"A\""),
        flow("D", ["H1_3", "H1_1"], "after = [\"B\", \"C\"]"),
        flow("E", ["H1_3", "H1_4"], ""),
    ])));
    let named = "id, start, from, to, size, after\na, 0 s, H1_1, H1_2, 1 MB,\n\
                 b, , H1_2, H1_3, 1 MB, received:a\nc, 0 s, H1_1, H1_3, 1 MB, sent:a\n\
                 d,, H1_3, H1_1, 1 MB, c b\n, 0 s, H1_3, H1_4, 1 MB,\n";
    let numbered = "start, from, to, size, after\n0 s, H1_1, H1_2, 1 MB,\n\
                    , H1_2, H1_3, 1 MB, 1\n, H1_1, H1_3, 1 MB, 1 1\n\
                    , H1_3, H1_1, 1 MB, 2 received:3\n0 s, H1_3, H1_4, 1 MB,\n";
    let later = named.replace("d,, H1_3, H1_1, 1 MB, c b\n", "") + "d,, H1_3, H1_1, 1 MB, c b\n";
    for lines in [named, numbered, &later] {
        let spec = listed(lines, "").unwrap_or_else(|told| panic!("{told}"));
        let mut found = ends(&spec);
        found.sort_by(f64::total_cmp);
        let mut wanted = wanted.clone();
        wanted.sort_by(f64::total_cmp);
        assert_eq!(found, wanted, "{lines}");
    }
    // Negative control: where one waits for less, that shows.
    let less = listed(&named.replace("c b", ""), "");
    assert!(less.is_err(), "a line that waits for none needs a start");
    let less = listed(
        &named.replace("d,, H1_3, H1_1, 1 MB, c b", "d, 0 s, H1_3, H1_1, 1 MB,"),
        "",
    );
    assert_ne!(ends(&less.expect("it is right")), wanted);
}

/// Each of a chain begins when the one before it came: times add up to the picosecond. An
/// acknowledgement, of a queue pair, goes first: 86 B on the wire.
#[test]
fn a_chain_of_lines_takes_the_sum() {
    let line = |number: u32| {
        let (from, to) = (number % 4 + 1, (number + 1) % 4 + 1);
        let after = if number == 0 {
            String::new()
        } else {
            number.to_string()
        };
        format!("0 s, H1_{from}, H1_{to}, 1 MB, {after}\n")
    };
    let lines: String = (0..8).map(line).collect();
    let head = "start, from, to, size, after\n";
    for (transport, ack_ps) in [("udp", 0), ("roce", 86 * 8 * 10)] {
        let run = |lines: &str| {
            let spec = listed_over(transport, &format!("{head}{lines}"), "");
            let ends = ends(&spec.unwrap_or_else(|told| panic!("{told}")));
            let mut ends: Vec<u64> = ends.iter().map(|us| (us * 1e6).round() as u64).collect();
            ends.sort_unstable();
            ends
        };
        let (chain, alone) = (run(&lines), run(&line(0))[0]);
        for (times, end) in (1..).zip(chain) {
            assert_eq!(end, times * alone + (times - 1) * ack_ps, "{transport}");
        }
    }
}

#[test]
fn lines_that_can_not_begin_are_told() {
    let head = "id, start, from, to, size, after\n";
    let refused = |lines: &str, more: &str| {
        listed(&format!("{head}{lines}"), more).expect_err("a line is wrong")
    };
    let a = "a, 0 s, H1_1, H1_2, 1 MB,\n";
    for (lines, more, what) in [
        (
            "b, 0 s, H1_2, H1_3, 1 MB, x\n",
            "",
            "no line has the id `x`, in line 3",
        ),
        (
            "a, 0 s, H1_2, H1_3, 1 MB, a\n",
            "",
            "two lines have the id `a`, in line 3",
        ),
        (
            "b, 0 s, H1_3, H1_4, 1 MB, a\n",
            "",
            "its host `H1_3` does not see `a`, which neither begins nor ends there, in line 3",
        ),
        (
            "b, 0 s, H1_2, H1_3, 1 MB, sent:a\n",
            "",
            "`a` is received by its host `H1_2`, not sent, in line 3",
        ),
        (
            "b, 0 s, H1_1, H1_3, 1 MB, received:a\n",
            "",
            "`a` is sent by its host `H1_1`, not received, in line 3",
        ),
        (
            "b, 1 us, H1_2, H1_3, 1 MB, a\n",
            "start = \"1 us\"\n",
            "`a` does not begin between `start` and `stop`, in line 3",
        ),
        (
            "b, , H1_2, H1_3, 1 MB, c\nc, , H1_3, H1_2, 1 MB, b\n",
            "",
            "each waits for the next: b, c, b",
        ),
        (
            "b, , H1_2, H1_3, 1 MB, b\n",
            "",
            "`b` waits for itself, in line 3",
        ),
        (
            "b, , H1_2, H1_3, 1 MB,\n",
            "",
            "neither `start` nor `after` says when it begins, in line 3",
        ),
        (
            "b, , H1_2, H1_3, 1 MB, a\n",
            "rows = \"group\"\n",
            "`id`: flows that wait for others need a row each, in line 1",
        ),
    ] {
        let told = refused(&format!("{a}{lines}"), more);
        assert!(told.contains(what), "{lines}: {told}");
    }
}
