//! What workloads bring to links between switches.

use std::path::Path;

use backwater_scenario::{Limits, Source, parse_with};

use super::codes;

/// Four switches of four hosts each below two, all links of 10 Gbps.
const FABRIC: &str = "engine = \"ethernet\"\n[run]\nduration = \"20 ms\"\n[link]\n\
                      rate = \"10 Gbps\"\ndelay = \"1 us\"\n[topology]\nkind = \"leaf-spine\"\n\
                      leaves = 4\nspines = 2\nhosts_per_switch = 4\n";

/// Of 1,538 bytes on the wire 1,472 are payload.
const UDP: &str = "size = \"14720 B\"\ntransport = \"udp\"\npayload = \"1472 B\"\n";

fn workload(kind: &str, load: &str) -> String {
    format!("{FABRIC}[[workloads]]\nname = \"w\"\nkind = \"{kind}\"\nload = {load}\n{UDP}")
}

/// A switch sends 4 x 12 / 15 of what a host offers to others, half of it over each link: 59.8 % of
/// a host's rate fill them.
#[test]
fn drawn_workloads_count_between_switches() {
    assert_eq!(codes(&workload("poisson", "0.59")), [""; 0]);
    assert_eq!(codes(&workload("poisson", "0.61")), ["overload"]);
    let incast = |load: &str| workload("incast", load) + "senders = 4\n";
    assert_eq!(codes(&incast("0.59")), [""; 0]);
    assert_eq!(codes(&incast("0.61")), ["overload"]);
    // All of it crosses: 47.9 %. What stays at the switch does not.
    let hosts = |switch: u32| {
        let all = (1..=4).map(|host| format!("\"H{switch}_{host}\""));
        format!("[{}]", all.collect::<Vec<_>>().join(", "))
    };
    let pair = |load: &str, to: u32| {
        workload("poisson", load) + &format!("from = {}\nto = {}\n", hosts(1), hosts(to))
    };
    assert_eq!(codes(&pair("0.47", 2)), [""; 0]);
    assert_eq!(codes(&pair("0.49", 2)), ["overload"]);
    assert_eq!(codes(&pair("0.9", 1)), [""; 0]);
    // With acknowledgements, which go the other way; more switches above carry more.
    let tcp = |load: &str| workload("poisson", load).replace(UDP, "size = \"20 kB\"\n");
    assert_eq!(codes(&tcp("0.5")), [""; 0]);
    assert_eq!(codes(&tcp("0.65")), ["overload"]);
    let four = tcp("0.9").replace("spines = 2", "spines = 4");
    assert_eq!(codes(&four), [""; 0]);
}

/// It counts beside flows at a rate of their own, and while both last.
#[test]
fn workloads_and_flows_are_summed() {
    let flow = "[[flows]]\nname = \"a\"\nfrom = \"H1_1\"\nto = \"H2_1\"\n\
                traffic = { kind = \"constant\", rate = \"4 Gbps\" }\n";
    let one = |spines: u32, more: &str| {
        let text = workload("poisson", "0.24") + more + flow;
        text.replace("spines = 2", &format!("spines = {spines}"))
    };
    assert_eq!(codes(&one(1, "")), ["overload"], "8.0 and 4.2 Gbps on one");
    assert_eq!(codes(&one(2, "")), [""; 0]);
    let early =
        one(1, "stop = \"5 ms\"\n").replace("\"constant\"", "\"constant\", start = \"6 ms\"");
    assert_eq!(codes(&early), [""; 0], "one after the other");
}

/// Listed flows go the ways they have.
#[test]
fn listed_workloads_count_between_switches() {
    let told = |gap_us: u32| {
        let line = |at: u32| {
            let from = at % 4 + 1;
            format!("{} us, H1_{from}, H2_{from}, 14720 B\n", at * gap_us)
        };
        let list: String = (0..400).map(line).collect();
        let text = workload("list", "0").replace("load = 0\n", "file = \"flows.csv\"\n");
        let text = text
            .replace("size = \"14720 B\"\n", "")
            .replace("spines = 2", "spines = 1")
            .replace("20 ms", "4.5 ms");
        let load = |_: &Path| Ok(list.clone());
        let source = Source::new("test.toml", text);
        let scenario = parse_with(&source, &[], &Limits::default(), &load)
            .unwrap_or_else(|m| panic!("{}", m.render(false)));
        scenario.warnings.iter().any(|one| one.code == "overload")
    };
    // 123,040 bits on the wire each time.
    assert!(told(11));
    assert!(!told(14));
}
