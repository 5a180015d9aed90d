//! Series of several channels of the packet engine.

use backwater_scenario::{Source, parse};

const FILE: &str = r#"
[run]
duration = "2000 cells"

[link]
rate = "155 Mbps"
delay = "5 cells"

[flow_control]
kind = "n23"
n3 = 20

[network]
hosts = ["A", "B"]
switches = ["S1", "S2"]

[[links]]
between = ["A", "S1"]

[[links]]
between = ["S1", "S2"]

[[links]]
between = ["S2", "B"]

[[flows]]
name = "f"
from = "A"
to = "B"
traffic = { kind = "greedy" }
"#;

fn names(series: &str) -> Result<Vec<String>, String> {
    let text = format!("{FILE}\n[[series]]\nname = \"x\"\nwindow = \"100 cells\"\n{series}\n");
    let scenario = parse(&Source::new("x.toml", text), &[]);
    let scenario = scenario.map_err(|mistakes| mistakes.to_string())?;
    let series = scenario.packet().expect("cells").series.iter();
    Ok(series.map(|one| one.name.clone()).collect())
}

#[test]
fn a_wildcard_stands_for_the_channels_that_have_it() {
    for (series, wanted) in [
        (
            "measure = \"fill\"\nflow = \"f\"\non = \"A->S1\"",
            &["x"][..],
        ),
        (
            "measure = \"fill\"\nflow = \"f\"\non = \"all\"",
            &["x (A->S1)", "x (S1->S2)", "x (S2->B)"],
        ),
        (
            "measure = \"throughput\"\non = \"S1->*\"",
            &["x (S1->A)", "x (S1->S2)"],
        ),
        (
            "measure = \"credit\"\nflow = \"f\"\non = \"*->S2\"",
            &["x (S1->S2)"],
        ),
        (
            "measure = \"delay\"\nflow = \"f\"\non = \"*->*\"",
            &["x (S2->B)"],
        ),
        (
            "measure = \"rate\"\non = \"*->S2\"",
            &["x (S1->S2)", "x (B->S2)"],
        ),
        ("measure = \"stopped\"\non = \"S1->S2\"", &["x"]),
        ("measure = \"buffer\"\non = \"S2\"", &["x"]),
        ("measure = \"buffer\"\non = \"all\"", &["x (S1)", "x (S2)"]),
    ] {
        assert_eq!(names(series).expect(series), wanted, "{series}");
    }
}

#[test]
fn a_name_of_several_flows_stands_for_each() {
    let more = "[[flows]]\nname = \"g\"\nfrom = \"A\"\nto = \"B\"\ncount = 2\n\
                traffic = { kind = \"greedy\" }\n\
                [[flows]]\nname = \"back\"\nfrom = \"B\"\nto = \"A\"\n\
                traffic = { kind = \"greedy\" }\n";
    for (series, wanted) in [
        (
            "measure = \"throughput\"\nflow = \"g\"\non = \"S1->S2\"",
            &["x (g[1])", "x (g[2])"][..],
        ),
        (
            "measure = \"fill\"\nflow = \"g\"\non = \"*->S2\"",
            &["x (g[1])", "x (g[2])"],
        ),
        (
            "measure = \"credit\"\nflow = \"g\"\non = \"all\"",
            &[
                "x (g[1], A->S1)",
                "x (g[1], S1->S2)",
                "x (g[1], S2->B)",
                "x (g[2], A->S1)",
                "x (g[2], S1->S2)",
                "x (g[2], S2->B)",
            ],
        ),
        (
            "measure = \"queue\"\nflow = \"all\"\non = \"S1->S2\"",
            &["x (f)", "x (g[1])", "x (g[2])"],
        ),
        (
            "measure = \"control-throughput\"\nflow = \"all\"\non = \"S2->S1\"",
            &["x (f)", "x (g[1])", "x (g[2])", "x (back)"],
        ),
    ] {
        let found = names(&format!("{series}\n{more}"));
        assert_eq!(found.expect(series), wanted, "{series}");
    }
    for (series, wanted) in [
        (
            "measure = \"queue\"\nflow = \"g\"\non = \"B->S2\"",
            "`g[1]` does not cross",
        ),
        (
            "measure = \"queue\"\nflow = \"h\"\non = \"S1->S2\"",
            "there is no flow `h`",
        ),
        (
            "measure = \"allowed-rate\"\nflow = \"g\"",
            "only sources of kind `abr`",
        ),
        (
            "measure = \"queue\"\nflow = \"g\"\non = \"S1->C\"",
            "no node `C`",
        ),
    ] {
        let error = names(&format!("{series}\n{more}")).expect_err(series);
        assert!(error.contains(wanted), "{series}: {error}");
    }
    let many = more.replace("count = 2", "count = 70");
    let series = "measure = \"queue\"\nflow = \"g\"\non = \"S1->S2\"";
    let error = names(&format!("{series}\n{many}")).expect_err("70 flows");
    assert!(error.contains("70 series of one measure"), "{error}");
}

#[test]
fn a_buffer_is_of_a_switch() {
    for (series, wanted) in [
        ("on = \"S1->S2\"", "not of a channel"),
        ("on = \"A\"", "`A` is a host"),
        ("on = \"C\"", "no node `C`"),
        ("", "`on` is missing"),
        ("on = \"S1\"\nflow = \"f\"", "not of a flow"),
    ] {
        let error = names(&format!("measure = \"buffer\"\n{series}")).expect_err(series);
        assert!(error.contains(wanted), "{series}: {error}");
    }
}

#[test]
fn a_wildcard_of_nothing_says_why() {
    for (series, wanted) in [
        (
            "measure = \"fill\"\nflow = \"f\"\non = \"B->*\"",
            "does not cross",
        ),
        ("measure = \"queue\"\non = \"C->*\"", "no node `C`"),
        ("measure = \"rate-queue\"\non = \"all\"", "signals no rates"),
    ] {
        let error = names(series).expect_err(series);
        assert!(error.contains(wanted), "{series}: {error}");
    }
    let hosts: Vec<String> = (0..70).map(|host| format!("\"H{host}\"")).collect();
    let links = (0..70).map(|host| format!("[[links]]\nbetween = [\"H{host}\", \"S1\"]\n"));
    let links: String = links.collect();
    let text = FILE.replace(
        "[\"A\", \"B\"]",
        &format!("[\"A\", \"B\", {}]", hosts.join(", ")),
    );
    let text = format!(
        "{text}\n{links}\n[[series]]\nname = \"x\"\nmeasure = \"throughput\"\non = \"S1->*\"\n\
         window = \"100 cells\"\n"
    );
    let error = parse(&Source::new("x.toml", text), &[]).map(drop);
    let error = error.expect_err("72 channels").to_string();
    assert!(error.contains("72 series of one measure"), "{error}");
}

/// A star of frames with eight hosts, and what sends there: who to whom, by name.
fn frames(flows: &str) -> Result<Vec<String>, String> {
    let head = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[topology]\nkind = \"star\"\n\
                hosts_per_switch = 8\n[link]\nrate = \"10 Gbps\"\ndelay = \"1 us\"\n";
    let scenario = parse(&Source::new("x.toml", format!("{head}{flows}")), &[]);
    let scenario = scenario.map_err(|mistakes| mistakes.to_string())?;
    let network = &scenario.ethernet().expect("frames").network;
    let name = |host: u32| network.nodes[host as usize].name.as_str();
    let flows = network.flows.iter();
    Ok(flows
        .map(|flow| {
            let others = flow.others.iter().map(|other| format!("+{}", name(*other)));
            let to = name(flow.destination).to_owned() + &others.collect::<String>();
            format!("{}>{to}", name(flow.source)).replace("H1_", "")
        })
        .collect())
}

/// `H1_*` and ranges name hosts wherever hosts are listed; a name with `*` leaves out the host at
/// the other end.
#[test]
fn names_of_hosts_may_stand_for_many() {
    let flow = |from: &str, to: &str| {
        frames(&format!(
            "[[flows]]\nname = \"f\"\nfrom = {from}\nto = {to}\n"
        ))
        .expect("hosts")
    };
    assert_eq!(
        flow("\"H1_*\"", "\"H1_8\""),
        flow("\"H1_{1..7}\"", "\"H1_8\"")
    );
    assert_eq!(flow("\"*\"", "\"H1_1\"").len(), 7);
    assert_eq!(
        flow("\"H1_1\"", "[\"*_2\", \"H*3\", \"H1_1*\"]"),
        ["1>2", "1>3"]
    );
    assert_eq!(flow("\"H{1..1}_{2..3}\"", "\"H1_1\""), ["2>1", "3>1"]);
    assert_eq!(
        flow("\"H1_1\"", "\"*\"\nmulticast = true"),
        ["1>2+3+4+5+6+7+8"]
    );
    for wrong in ["\"H2_*\"", "\"*x*\"", "\"H1_*_\""] {
        let text = format!("[[flows]]\nname = \"f\"\nfrom = {wrong}\nto = \"H1_1\"\n");
        let told = frames(&text).expect_err("there are none");
        assert!(told.contains("no host is called like"), "{told}");
        assert!(told.contains("1 error"), "{told}");
    }
    let twice = "[[flows]]\nname = \"f\"\nfrom = \"H{1..2}_{3..1}\"\nto = \"H1_1\"\n";
    let told = frames(twice).expect_err("no range");
    assert!(told.contains("1 error"), "nothing follows from it: {told}");
}

#[test]
fn a_pattern_may_be_among_some_hosts() {
    let pattern = |keys: &str| frames(&format!("[[patterns]]\nname = \"p\"\n{keys}\n"));
    let to_one = pattern("kind = \"all-to-one\"\nfrom = \"H1_{2..4}\"\nto = \"H1_8\"");
    assert_eq!(to_one.expect("hosts"), ["2>8", "3>8", "4>8"]);
    let to_one = pattern("kind = \"all-to-one\"\nfrom = [\"*_2\", \"H1_8\"]\nto = \"H1_8\"");
    assert_eq!(to_one.expect("hosts"), ["2>8"]);
    let all = pattern("kind = \"all-to-all\"\nfrom = [\"H1_1\", \"H1_5\"]");
    assert_eq!(all.expect("hosts"), ["1>5", "5>1"]);
    for kind in ["permutation", "random-pairs\"\ncount = 20 # \""] {
        let some = pattern(&format!("kind = \"{kind}\"\nfrom = \"H1_{{1..3}}\""));
        let some = some.expect("hosts");
        let is_among = |end: &str| ["1", "2", "3"].contains(&end);
        let ends = some.iter().flat_map(|flow| flow.split('>'));
        assert!(
            ends.into_iter().all(is_among) && some.len() >= 3,
            "{some:?}"
        );
    }
    for keys in [
        "kind = \"permutation\"\nfrom = \"H1_1\"",
        "kind = \"all-to-one\"\nfrom = \"H1_1\"\nto = \"H1_1\"",
    ] {
        let told = pattern(keys).expect_err("nobody to send to");
        assert!(told.contains("name more in `from`"), "{told}");
    }
}

/// Cells too: a list of destinations, and patterns.
#[test]
fn circuits_name_hosts_likewise() {
    let text = FILE.replace("to = \"B\"", "to = \"*\"")
        + "\n[[patterns]]\nname = \"p\"\nkind = \
        \"all-to-one\"\nfrom = \"A*\"\nto = \"B\"\n";
    let scenario = parse(&Source::new("x.toml", text), &[]);
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let flows = &scenario.packet().expect("cells").network.flows;
    let names: Vec<&str> = flows.iter().map(|flow| flow.name.as_str()).collect();
    assert_eq!(names, ["f", "p[1]"]);
}
