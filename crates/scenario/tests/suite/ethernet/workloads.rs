//! Flows that begin while the run goes on.

mod groups;
mod trunks;

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use backwater_net::frames::spec::FlowSpec;
use backwater_scenario::parse_with;

use super::*;

const FABRIC: &str = r#"
engine = "ethernet"
[run]
duration = "100 ms"
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_switch = 4
[link]
rate = "10 Gbps"
delay = "1 us"
"#;

const POISSON: &str = r#"
[[workloads]]
name = "w"
kind = "poisson"
load = 0.4
size = "20 kB"
"#;

const INCAST: &str = r#"
[[workloads]]
name = "w"
kind = "incast"
load = 0.02
senders = 5
size = "20 kB"
"#;

fn spec(workload: &str, more: &str) -> EthernetSpec {
    read(&format!("{FABRIC}{workload}{more}"))
}

/// When a flow begins, and its bytes.
fn sent(flow: &FlowSpec) -> (Time, u64) {
    match flow.traffic {
        TrafficSpec::Infinite {
            start,
            bytes: Some(bytes),
        } => (start, bytes),
        _ => panic!("{flow:?}"),
    }
}

fn starts(spec: &EthernetSpec) -> Vec<u64> {
    spec.flows.iter().map(|flow| sent(flow).0.ps()).collect()
}

/// 16 hosts offer 0.4 x 10 Gbps for 0.1 s in flows of 160,000 bits: 40,000 flows.
#[test]
fn poisson_flows_offer_their_load() {
    let spec = spec(POISSON, "");
    let count = spec.flows.len() as f64;
    assert!((count / 40_000.0 - 1.0).abs() < 0.02, "{count}");
    let starts = starts(&spec);
    assert!(starts.is_sorted() && starts.iter().all(|at| *at < 100_000_000_000));
    assert_eq!(
        (spec.flows[0].name.as_str(), spec.flows[1].name.as_str()),
        ("w[1]", "w[2]")
    );
    for host in 0..16 {
        let from = spec.flows.iter().filter(|flow| flow.source == host).count();
        let to = spec
            .flows
            .iter()
            .filter(|flow| flow.destination == host)
            .count();
        assert!(
            (2_250..2_750).contains(&from) && (2_250..2_750).contains(&to),
            "{from} {to}"
        );
    }
    assert!(
        spec.flows
            .iter()
            .all(|flow| flow.source != flow.destination)
    );
    assert!(spec.flows.iter().all(|flow| sent(flow).1 == 20_000));
}

/// Gaps of one host: exponential, so that their deviation is their mean, 40 us.
#[test]
fn gaps_are_exponential() {
    let spec = spec(POISSON, "from = [\"H1_1\"]\nto = [\"H2_1\", \"H3_1\"]\n");
    let starts = starts(&spec);
    let gaps = starts.windows(2).map(|pair| (pair[1] - pair[0]) as f64);
    let gaps: Vec<f64> = gaps.collect();
    let count = gaps.len() as f64;
    let mean = gaps.iter().sum::<f64>() / count;
    let deviation = (gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / count).sqrt();
    assert!((mean / 40e6 - 1.0).abs() < 0.05, "{mean}");
    assert!((deviation / mean - 1.0).abs() < 0.05, "{deviation}");
    let to: BTreeSet<u32> = spec.flows.iter().map(|flow| flow.destination).collect();
    assert_eq!(to.len(), 2);
}

/// 5 x 160,000 bits in 0.02 x 160 Gbps: every 250 us, 400 times.
#[test]
fn an_incast_begins_at_one_instant() {
    let spec = spec(INCAST, "");
    let groups: Vec<&[FlowSpec]> = spec.flows.chunks(5).collect();
    assert!((340..460).contains(&groups.len()), "{}", groups.len());
    let mut receivers = BTreeSet::new();
    for group in groups {
        let first = &group[0];
        let senders: BTreeSet<u32> = group.iter().map(|flow| flow.source).collect();
        assert_eq!(senders.len(), 5);
        assert!(!senders.contains(&first.destination));
        assert!(group.iter().all(|flow| sent(flow) == sent(first)));
        assert!(
            group
                .iter()
                .all(|flow| flow.destination == first.destination)
        );
        receivers.insert(first.destination);
    }
    assert_eq!(receivers.len(), 16);
}

#[test]
fn flows_begin_between_start_and_stop() {
    for kind in [POISSON, INCAST] {
        let spec = spec(kind, "start = \"20 ms\"\nstop = \"30 ms\"\n");
        let starts = starts(&spec);
        assert!(
            starts
                .iter()
                .all(|at| (20_000_000_000..30_000_000_000).contains(at))
        );
        assert!(starts.len() > 100, "{}", starts.len());
    }
}

/// What one workload draws does not depend on another; each seed draws anew.
#[test]
fn each_workload_has_its_own_numbers() {
    let both = spec(POISSON, &INCAST.replace("\"w\"", "\"incast\""));
    let alone = spec(POISSON, "");
    assert_eq!(both.flows[..alone.flows.len()], alone.flows[..]);
    let other = try_read(&format!("{FABRIC}{POISSON}"), &["run.seed=2"]).expect("it is right");
    assert_ne!(told(&other).0.flows, alone.flows);
    let twins = spec(POISSON, &POISSON.replace("\"w\"", "\"v\""));
    let [first, second] = ["w[1]", "v[1]"].map(|name| {
        let flow = twins.flows.iter().find(|flow| flow.name == name);
        sent(flow.expect("it is there"))
    });
    assert_ne!(first, second);
}

const LIST: &str = "[[workloads]]\nname = \"w\"\nkind = \"list\"\nfile = \"flows.txt\"\n";

/// With this in the file that the workload names.
fn listed(file: &str, more: &str) -> Result<Scenario, Diagnostics> {
    let load = |path: &Path| match path.to_str() {
        Some("flows.txt") => Ok(file.to_owned()),
        _ => Err(io::Error::other("no such file")),
    };
    let source = Source::new("test.toml", format!("{FABRIC}{LIST}{more}"));
    parse_with(&source, &[], &Limits::default(), &load)
}

/// Start, hosts and bytes of each flow.
fn flows_of(scenario: &Scenario) -> Vec<(u64, u32, u32, u64)> {
    let flows = told(scenario).0.flows.iter();
    let told = flows.map(|flow| {
        let (start, bytes) = sent(flow);
        (start.ps(), flow.source, flow.destination, bytes)
    });
    told.collect()
}

/// In the order in which they begin, whatever that of the lines. Hosts are nodes 0 to 15 here.
#[test]
fn flows_are_listed_in_a_file() {
    let text = "start, from, to, size\n# the second first\n12.5 us, H1_2, H2_1, 20 kB\n\
                0 s,H1_1,H4_4,1 B\n200 ms, H1_1, H1_2, 1 kB\n";
    let listed_flows = |more: &str| flows_of(&listed(text, more).expect("it is right"));
    let host = |name: usize| {
        let spec = spec(POISSON, "");
        let hosts = (0_u32..).zip(&spec.nodes);
        let mut hosts = hosts.filter(|(_, node)| matches!(node.kind, NodeKind::Station { .. }));
        hosts.nth(name).expect("a host").0
    };
    let wanted = [
        (0, host(0), host(15), 1),
        (12_500_000, host(1), host(4), 20_000),
    ];
    assert_eq!(listed_flows(""), wanted);
    assert_eq!(listed_flows("start = \"1 us\"\n"), wanted[1..]);
    let hpcc = "2\n1 4 3 100 20000 0.0000125\n0 15 3 100 1 0\n";
    assert_eq!(flows_of(&listed(hpcc, "").expect("it is right")), wanted);
}

/// At most so many flows as the first line says; what stands behind them is not looked at. Fewer
/// are taken too, whether the file or words end them, and told.
#[test]
fn flow_files_of_hpcc_read_as_hpcc_reads_them() {
    let warned = |text: &str| {
        let scenario = listed(text, "").unwrap_or_else(|e| panic!("{text}: {}", e.render(false)));
        let codes: Vec<_> = scenario.warnings.iter().map(|it| it.code).collect();
        (flows_of(&scenario).len(), codes)
    };
    let flow = "1 4 3 100 20000 0.00001\n";
    let words = "\nFirst line: # of flows\nsrc0 dst0 3 dst_port0 size0 start_time0\n...\n";
    let three = flow.repeat(3);
    assert_eq!(warned(&format!("2\n{three}{words}")), (2, vec![]));
    assert_eq!(warned(&format!("2 \r\n{three}")), (2, vec![]));
    assert_eq!(warned(&format!("3\n{three}{words}")), (3, vec![]));
    assert_eq!(warned(&format!("2\n{flow}{flow}not a flow\n")), (2, vec![]));
    // 3 written over the first digit of 27.
    assert_eq!(warned(&format!("37\n{three}")), (3, vec!["bad-file"]));
    assert_eq!(
        warned(&format!("37\n{three}{words}")),
        (3, vec!["bad-file"])
    );
    // What ends the list before that is named.
    let wrong = listed(&format!("3\n{flow}-{flow}{flow}"), "").expect("one is there");
    let told = wrong.warnings.render(false);
    assert!(
        told.contains("those before line 3, `-1 4 3 100 20000 0.00001`, are taken"),
        "{told}"
    );
    // Later simulators leave the port out.
    assert_eq!(warned("1\n1 4 3 20000 0.00001\n"), (1, vec![]));
    // Its program takes number after number, wherever lines end.
    let halves = "4\n1 4 3 100 20000 0.00001 1 4 3 100\n20000 0.00001\n";
    for text in [
        format!("2\n{}", flow.repeat(2).replacen('\n', " ", 1)),
        format!("2\n{}", flow.repeat(2).replace(' ', "\n")),
        "2\n1 4 3 20000 0.00001 1 4 3 20000 0.00001\n".into(),
        halves.replacen('4', "2", 1),
    ] {
        assert_eq!(warned(&text), (2, vec![]), "{text}");
    }
    assert_eq!(warned(halves), (2, vec!["bad-file"]));
    // A last line that was cut off is not one of those: its 20000 would be a start.
    let cut = format!("4\n{three}1 4 3 100 20000");
    let error = listed(&cut, "")
        .expect_err("a flow is cut off")
        .render(false);
    assert!(
        error.contains("in line 5") && error.contains("5 numbers, 6 in a flow"),
        "{error}"
    );
}

/// A file of points has as many columns in all lines.
#[test]
fn columns_of_a_file_of_points_do_not_change() {
    let read = |points: &str| {
        let points = points.to_owned();
        let load = move |_: &std::path::Path| Ok(points.clone());
        let text = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[topology]\n\
                    kind = \"star\"\nhosts_per_switch = 4\n[link]\nrate = \"10 Gbps\"\n\
                    delay = \"1 us\"\n[[workloads]]\nname = \"w\"\n\
                    kind = \"poisson\"\nload = 0.5\ncdf_file = \"p.txt\"\n";
        let source = Source::new("x.toml", text);
        let read = parse_with(&source, &[], &Limits::default(), &load);
        read.map_err(|mistakes| mistakes.render(false))
    };
    assert!(read("100 1 50\n1000 2 100\n").is_ok());
    assert!(read("100 50\n1000 100\n").is_ok());
    for mixed in ["100 50\n1000 2 100\n", "100 1 50\n500 2 70\n1000 100\n"] {
        let told = read(mixed).expect_err("columns change");
        assert!(told.contains("in the first line, in line"), "{told}");
    }
}

/// A mark of byte order, columns in the order of a heading, cells in quotes.
#[test]
fn a_list_of_flows_comes_as_spreadsheets_write_it() {
    let plain = "start, from, to, size\n12.5 us, H1_2, H2_1, 20 kB\n";
    let wanted = flows_of(&listed(plain, "").expect("it is right"));
    for text in [
        "\u{feff}start,from,to,size\r\n12.5 us,H1_2,H2_1,20 kB\r\n",
        "\u{feff}12.5 us,H1_2,H2_1,20 kB\n",
        "size,to,Start,FROM\n20 kB,H2_1,12.5 us,H1_2\n",
        "\"from\",\"to\",\"size\",\"start\"\n\"H1_2\",\"H2_1\",\"20 kB\",\"12.5 us\"\n",
        "\u{feff}1\n1 4 3 100 20000 0.0000125\n",
    ] {
        let found = listed(text, "").unwrap_or_else(|e| panic!("{text}: {}", e.render(false)));
        assert_eq!(flows_of(&found), wanted, "{text}");
    }
}

#[test]
fn a_list_of_flows_says_which_line_is_wrong() {
    for (text, what) in [
        (
            "0 s, H1_1, H1_2\n",
            "3 columns, not start, from, to, size, in line 1",
        ),
        (
            "# none\n0 s, H1_1, X, 1 kB\n",
            "no host is called `X`, in line 2",
        ),
        ("0 s, H1_1, L1, 1 kB\n", "no host is called `L1`, in line 1"),
        (
            "0, H1_1, H1_2, 1 kB\n",
            "`0` is no time, such as `12.5 us`, in line 1",
        ),
        (
            "0 s, H1_1, H1_2, 0 B\n",
            "`0 B` is no size, such as `20 kB`, in line 1",
        ),
        (
            "0 s, H1_1, H1_1, 1 B\n",
            "a host sends to itself, in line 1",
        ),
        (
            "1\n0 16 3 100 1 0\n",
            "no host has the number `16`: they are 0 to 15, in line 2",
        ),
        ("1\n0 1 3 100\n", "4 numbers, 6 in a flow, in line 2"),
        (
            "start, from, to\n0 s, H1_1, H1_2\n",
            "the column `size` is missing, in line 1",
        ),
        (
            "start, from, to, bytes\n0 s, H1_1, H1_2, 1 kB\n",
            "no column is called `bytes`, in line 1",
        ),
        (
            "H1_1, H1_2, 1 kB\n",
            "3 columns, not start, from, to, size, in line 1",
        ),
    ] {
        let mistakes = listed(text, "").expect_err(text).render(false);
        assert!(mistakes.contains(what), "{text}: {mistakes}");
    }
    let none = listed("0\n", "").expect("it is right");
    assert_eq!(
        none.warnings.iter().next().map(|it| it.code),
        Some("never-starts")
    );
}

#[test]
fn sizes_come_from_a_file_or_from_points() {
    let load = |path: &Path| match path.to_str() {
        Some("sizes.txt") => Ok("# bytes, share\n0 0\n1000 0.5\n\n2000, 1\n".to_owned()),
        // As ns-2 has them, in units of 500 bytes; as a spreadsheet has them.
        Some("sizes.tcl") => Ok("0 1 0\n2 1 0.5 \n4 1 1\n".to_owned()),
        Some("sizes.csv") => Ok("\u{feff}size,cdf\r\n1000,50\r\n2000,100\r\n".to_owned()),
        Some("jump.txt") => Ok("700 0\n700 0.5\n2000 0.5\n2000 1\n".to_owned()),
        _ => Err(io::Error::other("no such file")),
    };
    let text = |sizes: &str| format!("{FABRIC}{}", POISSON.replace("size = \"20 kB\"", sizes));
    let flows = |sizes: &str| {
        let source = Source::new("test.toml", text(sizes));
        let scenario = parse_with(&source, &[], &Limits::default(), &load);
        let scenario = scenario.unwrap_or_else(|mistakes| panic!("{}", mistakes.render(false)));
        told(&scenario).0.flows.clone()
    };
    let by_file = flows("cdf_file = \"sizes.txt\"");
    assert_eq!(by_file, flows("cdf = [[1000, 50], [2000, 100]]"));
    assert_eq!(by_file, flows("cdf_file = \"sizes.csv\""));
    let counted = flows("cdf_file = \"sizes.tcl\"\ncdf_unit = \"500 B\"");
    assert!(counted.iter().all(|flow| sent(flow).1.is_multiple_of(500)));
    let two = flows("cdf_file = \"jump.txt\"");
    assert!(two.iter().all(|flow| [700, 2_000].contains(&sent(flow).1)));
    let bytes: Vec<u64> = by_file.iter().map(|flow| sent(flow).1).collect();
    assert!(bytes.iter().all(|bytes| (1..=2_000).contains(bytes)));
    let small = bytes.iter().filter(|bytes| **bytes <= 1_000).count() as f64;
    assert!((small / bytes.len() as f64 - 0.5).abs() < 0.01);
    // 0.4 x 160 Gbps for 0.1 s, over 8 x 1,711,250 bits: 467.
    let count = flows("sizes = \"web-search\"").len();
    assert!((400..535).contains(&count), "{count}");
}

/// What is resolved reads as the same flows; so does a class of its own, over UDP.
#[test]
fn a_resolved_workload_is_the_same() {
    let more = "class = 2\ntransport = \"udp\"\npayload = \"1000 B\"\n";
    let scenario = try_read(&format!("{FABRIC}{POISSON}{more}"), &[]).expect("it is right");
    let again = try_read(&scenario.resolved, &[]).expect("it is right again");
    assert_eq!(told(&scenario), told(&again));
    let flow = &told(&scenario).0.flows[0];
    assert_eq!(flow.class, 2);
    assert!(matches!(
        flow.transport,
        TransportSpec::Udp {
            payload_bytes: 1_000,
            ..
        }
    ));
}

/// Links between switches that carry all that hosts can send.
fn wide(more: &str) -> String {
    FABRIC.replace("spines = 2", "spines = 4") + more
}

#[test]
fn what_can_not_be_offered_is_told() {
    let codes = |workload: &str, more: &str| codes(&wide(&format!("{workload}{more}")));
    let load = |load: &str| POISSON.replace("0.4", load);
    // 1,460 of 1,538 bytes on the wire are payload, and two segments bring an acknowledgement of
    // 84 bytes the other way.
    assert_eq!(codes(&load("0.92"), ""), [""; 0]);
    assert_eq!(codes(&load("0.935"), ""), ["overload"]);
    let udp = "transport = \"udp\"\n";
    assert_eq!(codes(&load("0.94"), udp), [""; 0]);
    assert_eq!(codes(&load("0.965"), udp), ["overload"]);
    assert_eq!(codes(&load("1e-7"), ""), ["never-starts"]);
    assert_eq!(codes(POISSON, "start = \"100 ms\"\n"), ["never-starts"]);
    assert_eq!(codes(&load("100"), ""), ["too-large"]);
    assert_eq!(
        codes(POISSON, "from = [\"H1_1\"]\nto = \"H1_1\"\n"),
        ["bad-pattern"]
    );
    assert_eq!(codes(POISSON, "from = []\n"), ["bad-flow"]);
    assert_eq!(codes(POISSON, "to = [\"H1_1\", \"H1_1\"]\n"), ["bad-flow"]);
    assert_eq!(codes(&INCAST.replace("= 5", "= 16"), ""), ["bad-pattern"]);
    assert_eq!(codes(&INCAST.replace("= 5", "= 15"), ""), [""; 0]);
}

/// Hosts are asked for what is on the wire: of all tables together, while they last, with headers
/// of frames of their size, at whichever end.
#[test]
fn links_are_asked_for_what_is_on_the_wire() {
    let codes = |more: &str| codes(&wide(more));
    let small = |load: &str| {
        let small = POISSON.replace("0.4", load).replace("20 kB", "64 B");
        format!("{small}transport = \"udp\"\nstop = \"200 us\"\n")
    };
    // 64 of 130 bytes on the wire.
    assert_eq!(codes(&small("0.48")), [""; 0]);
    assert_eq!(codes(&small("0.5")), ["overload"]);
    let two = |second: &str| {
        let w = |name: &str, more: &str| {
            POISSON
                .replace("\"w\"", &format!("{name:?}"))
                .replace("0.4", "0.6")
                + more
        };
        w("first", "stop = \"50 ms\"\n") + &w("second", second)
    };
    assert_eq!(codes(&two("")), ["overload"]);
    assert_eq!(
        codes(&two("start = \"50 ms\"\n")),
        [""; 0],
        "one after the other"
    );
    // Each sends little, one gets it all.
    let incast = |load: &str| {
        let from = "from = [\"H1_2\", \"H1_3\", \"H1_4\", \"H2_1\", \"H2_2\"]\nto = \"H1_1\"\n";
        INCAST.replace("0.02", load) + from
    };
    assert_eq!(codes(&incast("0.18")), [""; 0]);
    assert_eq!(codes(&incast("0.2")), ["overload"]);
    let flow = |name: &str, from: &str, to: &str, rate: &str| {
        format!(
            "[[flows]]\nname = {name:?}\nfrom = {from:?}\nto = {to:?}\n\
             traffic = {{ kind = \"constant\", rate = {rate:?} }}\n"
        )
    };
    let meet = |rate: &str| flow("a", "H1_1", "H2_1", rate) + &flow("b", "H1_2", "H2_1", rate);
    assert_eq!(codes(&meet("4.7 Gbps")), [""; 0]);
    assert_eq!(codes(&meet("5 Gbps")), ["overload"]);
    let part = |rate: &str| flow("a", "H1_1", "H2_1", rate) + &flow("b", "H1_1", "H2_2", rate);
    assert_eq!(codes(&part("4.7 Gbps")), [""; 0]);
    assert_eq!(codes(&part("5 Gbps")), ["overload"]);
    // What a host can't send does not come to the other: said once.
    assert_eq!(codes(&flow("a", "H1_1", "H2_1", "11 Gbps")), ["overload"]);
    let greedy = flow("a", "H1_1", "H2_1", "5 Gbps")
        + "[[flows]]\nname = \"g\"\nfrom = \"H1_1\"\nto = \"H2_1\"\n";
    assert_eq!(codes(&greedy), [""; 0], "what is greedy takes what is left");
}
