//! Workloads whose flows have no row: what is told as the run goes on is what rows would be.

use super::*;

const GROUP: &str = "rows = \"group\"\n";

/// What the engine is told, one after the other.
fn told_of(scenario: &Scenario, group: usize) -> Vec<(u64, u32, u32, u64)> {
    let group = &told(scenario).0.rules.arrivals[group];
    let mut arrivals = group.arrivals.make();
    let mut all = Vec::new();
    while let Some(own) = arrivals.next().expect("as it was checked") {
        assert_eq!(own.kind, 0, "all hosts are alike");
        all.push((own.at.ps(), own.source, own.destination, own.bytes));
    }
    assert_eq!(group.count as usize, all.len());
    all
}

#[test]
fn a_law_tells_the_flows_that_would_have_rows() {
    for (law, bursts) in [(POISSON, false), (INCAST, true)] {
        let rows = try_read(&format!("{FABRIC}{law}"), &[]).expect("it is right");
        let group = try_read(&format!("{FABRIC}{law}{GROUP}"), &[]).expect("it is right");
        let wanted = flows_of(&rows);
        assert!(wanted.len() > 300, "{}", wanted.len());
        assert_eq!(told_of(&group, 0), wanted);
        assert_eq!(told_of(&group, 0), wanted, "told again from the start");
        let together = wanted.windows(2).any(|two| two[0].0 == two[1].0);
        assert_eq!(together, bursts);
        assert!(told(&group).0.flows.is_empty());
        let kind = &told(&group).0.rules.arrivals[0].kinds[0];
        // A handshake has measured the path, which the engine finds as a flow begins.
        let mut of_row = told(&rows).0.flows[0].transport.clone();
        if let TransportSpec::Tcp(tcp) = &mut of_row {
            assert!(tcp.handshake_rtt > Some(Duration::ZERO));
            tcp.handshake_rtt = Some(Duration::ZERO);
        }
        assert_eq!(kind.transport, of_row);
    }
}

/// Flows of one instant are in the order of their rows, whatever that of the lines.
#[test]
fn a_list_tells_the_flows_that_would_have_rows() {
    let text = "start, from, to, size\n0 s,H1_1,H4_4,1 B # one\n12.5 us, H1_3, H2_1, 20 kB\n\
                12.5 us, H1_2, H2_1, 20 kB\n\n20 us, H1_3, H2_1, 3 kB\n200 ms, H1_1, H1_2, 1 kB\n";
    let hpcc = "4\n0 15 3 100 1 0\n2 4 3 100 20000 0.0000125\n1 4 3 100 20000 0.0000125\n\
                2 4 3 100 3000 0.00002\nno flow\n";
    for (text, more) in [
        (text, ""),
        (text, "start = \"1 us\"\n"),
        (text, "stop = \"20 us\"\n"),
        (hpcc, ""),
    ] {
        let rows = listed(text, more).expect("it is right");
        let group = listed(text, &format!("{more}{GROUP}")).expect("it is right");
        assert_eq!(told_of(&group, 0), flows_of(&rows), "{more}");
    }
}

#[test]
fn lines_that_are_wrong_are_told_by_number() {
    for (text, line, what) in [
        (
            "1 us, H1_1, H1_2, 1 B\n0 us, H1_1, H1_2, 1 B\n",
            2,
            "before the flow above",
        ),
        (
            "0 s, H1_1, H1_2, 1 B\n\n1 us, H1_1, H9_9, 1 B\n",
            3,
            "no host is called `H9_9`",
        ),
        ("0 s, H1_1, H1_1, 1 B\n", 1, "sends to itself"),
        ("0 s, H1_1, H1_2\n", 1, "3 columns"),
        ("start, from, to\n", 1, "`size` is missing"),
        (
            "2\n0 15 3 100 1 0\n2 4 3 100 20000 0.1 1 4\n",
            3,
            "8 numbers",
        ),
    ] {
        let mistakes = listed(text, GROUP).expect_err(text);
        let told = mistakes.render(false);
        assert!(told.contains(what), "{told}");
        assert!(told.contains(&format!("in line {line}")), "{told}");
        assert!(told.contains("leave `rows` out"), "{told}");
    }
}

#[test]
fn what_needs_rows_says_so() {
    let jitter = POISSON.to_owned() + GROUP;
    let text = FABRIC.replace("\"100 ms\"", "\"100 ms\"\nstart_jitter = \"1 us\"");
    let mistakes = try_read(&format!("{text}{jitter}"), &[]).expect_err("jitter");
    assert!(mistakes.iter().any(|one| one.code == "needs-rows"));
    let swift =
        format!("{FABRIC}{POISSON}{GROUP}transport = \"roce\"\n[roce]\ncontrol = \"swift\"\n");
    let mistakes = try_read(&swift, &[]).expect_err("swift");
    assert!(mistakes.iter().any(|one| one.code == "needs-rows"));
    let none = listed("200 ms, H1_1, H1_2, 1 kB\n", GROUP).expect("it is right");
    assert!(none.warnings.iter().any(|one| one.code == "never-starts"));
}

/// What a host is asked to send is told as of rows.
#[test]
fn too_much_is_told_of_groups_as_of_rows() {
    let warns = |load: &str, rows: &str| {
        let law = POISSON.replace("0.4", load);
        let read = try_read(&format!("{FABRIC}{law}{rows}"), &[]).expect("it is right");
        read.warnings.iter().any(|one| one.code == "overload")
    };
    for load in ["0.4", "1.2"] {
        assert_eq!(warns(load, GROUP), warns(load, ""), "{load}");
    }
    assert!(warns("1.2", GROUP));
}
