//! What comes out of files that are right.

use backwater_kernel::Channels;
use backwater_net::spec::{
    CreditRule, CreditSpec, FlowControlSpec, Measure, NetworkSpec, Overflow, SinkSpec, Span,
    Subject, TrafficSpec,
};
use backwater_scenario::{
    Diagnostics, Limits, PacketScenario, Scenario, Set, Source, parse, parse_within,
};

const CELL_PS: u64 = 681_672;

fn try_read(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("key=value"))
        .collect();
    parse(&Source::new("test.toml", text), &sets)
}

fn read(text: &str) -> Scenario {
    try_read(text, &[]).expect("no mistakes")
}

fn read_file(name: &str) -> Scenario {
    let path = format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"));
    read(&std::fs::read_to_string(path).expect("readable"))
}

/// One flow over one switch, 10 cells each way.
fn simple(flow_control: &str, flow: &str) -> String {
    format!(
        "[run]\nduration = \"1 ms\"\n[link]\nrate = \"622 Mbps\"\ndelay = \"10 cells\"\n\
         [network]\nhosts = [\"A\", \"B\", \"C\"]\nswitches = [\"S\"]\n\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"S\", \"B\"]\n\
         [[links]]\nbetween = [\"C\", \"S\"]\n\
         [flow_control]\n{flow_control}\n\
         [[flows]]\nname = \"VC1\"\nfrom = \"A\"\nto = \"B\"\n{flow}\n"
    )
}

fn credit(network: &NetworkSpec, flow: usize, leg: usize) -> CreditSpec {
    match network.flows[flow].legs[leg].flow_control {
        FlowControlSpec::Credit(credit) => credit,
        FlowControlSpec::None => panic!("no credit"),
    }
}

fn codes(result: Result<Scenario, Diagnostics>) -> Vec<&'static str> {
    match result {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

fn packet(scenario: &Scenario) -> &PacketScenario {
    scenario.packet().expect("a scenario of the packet engine")
}

fn network_of(text: &str) -> NetworkSpec {
    packet(&read(text)).network.clone()
}

fn way(scenario: &Scenario, flow: usize) -> Vec<String> {
    let network = &packet(scenario).network;
    let name = |channel: u32| {
        let (from, to) = network.links.ends(channel);
        format!(
            "{}->{}",
            network.nodes[from as usize].name, network.nodes[to as usize].name
        )
    };
    network.flows[flow]
        .legs
        .iter()
        .map(|leg| name(leg.channel))
        .collect()
}

#[test]
fn the_paper_s_two_switches() {
    let scenario = read_file("two_switches.toml");
    let network = &packet(&scenario).network;
    assert_eq!(
        (
            network.nodes.len(),
            network.links.len(),
            network.flows.len()
        ),
        (8, 7, 4)
    );
    assert_eq!(packet(&scenario).cell.ps(), CELL_PS);
    assert_eq!(
        network.links[0].channels[0].delay.ps(),
        52_829_580,
        "77.5 cells"
    );
    assert_eq!(network.stop_at.ps(), 20_000 * CELL_PS);
    assert_eq!(way(&scenario, 0), ["A->S1", "S1->S2", "S2->F"]);
    let credit = credit(network, 0, 1);
    assert_eq!(
        (credit.rule, credit.n1, credit.n2, credit.n3),
        (CreditRule::N23, 0, 10, 155)
    );
    assert_eq!(
        credit.window.ps(),
        157 * CELL_PS,
        "store and forward: 2 * 77.5 + 2"
    );
    assert_eq!(network.flows[0].legs[1].buffer.limit_units, Some(165));
    let series = &packet(&scenario).series[0];
    assert_eq!(
        (series.measure, series.of),
        (Measure::Throughput, Subject::leg(Some(0), 4))
    );
    assert!(scenario.warnings.is_empty(), "{}", scenario.warnings);
}

#[test]
fn the_resolved_scenario_means_the_same() {
    for name in [
        "two_switches.toml",
        "everything.toml",
        "generated.toml",
        "service.toml",
        "abr.toml",
    ] {
        let first = read_file(name);
        let again = read(&first.resolved);
        assert_eq!(
            format!("{:?}", packet(&first).network),
            format!("{:?}", packet(&again).network),
            "{name}"
        );
        assert_eq!(packet(&first).series, packet(&again).series, "{name}");
        assert_eq!(packet(&first).measure, packet(&again).measure, "{name}");
        assert_eq!(
            first.resolved, again.resolved,
            "{name}: resolving is idempotent"
        );
    }
}

#[test]
fn resolving_writes_out_what_was_set() {
    let text = simple("kind = \"n23\"", "");
    let plain = read(&text);
    let set = try_read(&text, &["run.seed=9", "link.rate=155 Mbps"]).expect("no mistakes");
    assert_eq!(set.seed, 9);
    assert!(set.resolved.contains("seed = 9") && set.resolved.contains("\"155 Mbps\""));
    assert_ne!(
        packet(&plain).cell,
        packet(&set).cell,
        "the cell time follows the rate"
    );
}

#[test]
fn sets_reach_into_lists() {
    let text = simple("kind = \"n23\"", "");
    let sets = [
        "flows.VC1.priority=3",
        "links.S-B.delay=\"1 us\"",
        "flows.0.flow_control.n3=7",
    ];
    let scenario = try_read(&text, &sets).expect("no mistakes");
    assert_eq!(packet(&scenario).network.flows[0].priority, 3);
    assert_eq!(
        packet(&scenario).network.links[1].channels[0].delay.ps(),
        1_000_000
    );
    assert_eq!(credit(&packet(&scenario).network, 0, 0).n3, 7);
}

#[test]
fn wrong_sets_are_shown_as_given() {
    let text = simple("", "");
    for (set, part) in [
        ("flows.VC2.priority=1", "VC1"),
        ("run.sed=1", "did you mean `seed`?"),
        ("run.duration=5", "needs a unit"),
        ("title.x=1", "nothing called `x`"),
    ] {
        let text = format!("title = \"t\"\n{text}");
        let shown = try_read(&text, &[set]).expect_err(set).render(false);
        assert!(
            shown.contains("--set:1:") && shown.contains(part),
            "{shown}"
        );
    }
    assert!(Set::new("run.seed").is_err() && Set::new("=1").is_err());
}

#[test]
fn targets_follow_equation_3() {
    let n3 = |control: &str| {
        credit(
            &network_of(&simple(&format!("kind = \"n23\"\n{control}"), "")),
            0,
            0,
        )
        .n3
    };
    // D = 22 cells.
    assert_eq!(n3(""), 22);
    assert_eq!(n3("target = \"full\""), 22);
    assert_eq!(n3("target = \"50 %\""), 11);
    assert_eq!(n3("target = \"51 %\""), 12);
    assert_eq!(n3("target = \"311 Mbps\""), 11);
    assert_eq!(n3("target = \"1 bps\""), 1);
    assert_eq!(n3("n3 = 5"), 5);
}

#[test]
fn zones_of_the_other_schemes() {
    let zones = |control: &str| {
        let scenario = read(&simple(control, ""));
        let leg = &packet(&scenario).network.flows[0].legs[0];
        let credit = credit(&packet(&scenario).network, 0, 0);
        (credit.n1, credit.n2, credit.n3, leg.buffer.limit_units)
    };
    assert_eq!(zones("kind = \"n123\"\nn3 = 5"), (22, 10, 5, Some(37)));
    assert_eq!(zones("kind = \"n123+\"\nn3 = 5"), (15, 10, 5, Some(30)));
    assert_eq!(
        zones("kind = \"n123+\"\ntarget = \"50 %\""),
        (21, 10, 11, Some(42))
    );
    assert_eq!(zones("kind = \"relative\"\nn3 = 5"), (0, 10, 5, Some(15)));
    assert_eq!(zones("kind = \"cumulative\"\nn3 = 5"), (0, 10, 5, Some(15)));
    let none = read(&simple("", ""));
    assert_eq!(
        packet(&none).network.flows[0].legs[0].flow_control,
        FlowControlSpec::None
    );
    assert_eq!(
        packet(&none).network.flows[0].legs[0].buffer.limit_units,
        None
    );
}

#[test]
fn overrides_merge_from_file_to_flow_to_link() {
    let flow = "flow_control = { target = \"50 %\" }\non_links = [{ link = \"S->B\", n3 = 3 }]";
    let network = network_of(&simple("kind = \"n23\"\nn2 = 4\nn3 = 9", flow));
    assert_eq!(
        (credit(&network, 0, 0).n2, credit(&network, 0, 0).n3),
        (4, 11)
    );
    assert_eq!(
        (credit(&network, 0, 1).n2, credit(&network, 0, 1).n3),
        (4, 3)
    );
}

#[test]
fn windows_against_the_loop() {
    let with = |window: &str, more: &str| {
        let control = format!("kind = \"n23\"\nn3 = 22\nwindow = \"{window}\"\n{more}");
        codes(try_read(&simple(&control, ""), &[]))
    };
    assert!(with("22 cells", "").is_empty());
    assert_eq!(with("21.99 cells", ""), ["window-too-short"]);
    assert_eq!(with("23 cells", ""), ["window-too-long"]);
    let refused = |window: &str, more: &str| {
        let control = format!("kind = \"n23\"\nn3 = 22\nwindow = \"{window}\"\n{more}");
        try_read(&simple(&control, ""), &[]).is_err()
    };
    // N3 = 22: it lives while the window is at most 22 cells too long.
    assert!(refused("20 cells", "") && !refused("20 cells", "overflow = \"keep\""));
    assert!(!refused("44 cells", "") && refused("44.5 cells", ""));
    assert!(!refused("51 cells", "request_after = \"400 cells\""));
    assert!(!refused("51 cells", "redundant_every = 2"));
}

#[test]
fn buffers_may_be_too_small_only_on_purpose() {
    let small = "kind = \"n23\"\nn3 = 22\nbuffer = 31";
    assert_eq!(
        codes(try_read(&simple(small, ""), &[])),
        ["buffer-too-small"]
    );
    let keep = read(&simple(&format!("{small}\noverflow = \"keep\""), ""));
    assert_eq!(
        packet(&keep).network.flows[0].legs[0].buffer.overflow,
        Overflow::Keep
    );
    assert_eq!(keep.warnings.iter().count(), 1);
    let unlimited = read(&simple("kind = \"n23\"\nbuffer = \"unlimited\"", ""));
    assert_eq!(
        packet(&unlimited).network.flows[0].legs[0]
            .buffer
            .limit_units,
        None
    );
}

#[test]
fn loads_become_gaps() {
    let traffic = |traffic: &str| {
        let flow = format!("traffic = {{ {traffic} }}");
        network_of(&simple("kind = \"n23\"", &flow)).flows[0]
            .traffic
            .clone()
    };
    let gap = |spec: TrafficSpec| match spec {
        TrafficSpec::Constant { interval, .. } => interval.ps(),
        TrafficSpec::Poisson { mean_interval, .. } => mean_interval.ps(),
        other => panic!("{other:?}"),
    };
    assert_eq!(
        gap(traffic("kind = \"constant\", load = \"50 %\"")),
        2 * CELL_PS
    );
    assert_eq!(
        gap(traffic("kind = \"constant\", load = 0.25")),
        4 * CELL_PS
    );
    assert_eq!(
        gap(traffic("kind = \"poisson\", rate = \"311 Mbps\"")),
        1_363_344
    );
    assert_eq!(
        gap(traffic("kind = \"constant\", interval = \"3 cells\"")),
        3 * CELL_PS
    );
    let bursts = traffic("kind = \"on-off\", on = { mean = \"1 us\" }, off = \"2 us\"");
    let TrafficSpec::OnOff {
        on,
        off,
        on_interval,
        off_interval,
        ..
    } = bursts
    else {
        panic!("{bursts:?}");
    };
    assert!(matches!(on, Span::Exponential(mean) if mean.ps() == 1_000_000));
    assert!(matches!(off, Span::Fixed(length) if length.ps() == 2_000_000));
    assert_eq!((on_interval.ps(), off_interval), (CELL_PS, None));
    let sink = read(&simple(
        "",
        "sink = { kind = \"limited\", load = \"20 %\" }",
    ));
    let SinkSpec::Limited { interval } = packet(&sink).network.flows[0].sink else {
        panic!("no limit");
    };
    assert_eq!(interval.ps(), 5 * CELL_PS);
}

#[test]
fn multicast_is_a_tree_with_parents_first() {
    let scenario = read(&simple("", "").replace("to = \"B\"", "to = [\"B\", \"C\"]"));
    assert_eq!(way(&scenario, 0), ["A->S", "S->B", "S->C"]);
    let parents: Vec<_> = packet(&scenario).network.flows[0]
        .legs
        .iter()
        .map(|leg| leg.parent)
        .collect();
    assert_eq!(parents, [None, Some(0), Some(0)]);
}

/// Two ways of two hops, the upper one first in the file.
const DIAMOND: &str = "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
    [network]\nhosts = [\"A\", \"B\"]\nswitches = [\"L\", \"D\", \"U\", \"R\"]\n\
    [[links]]\nbetween = [\"A\", \"L\"]\n[[links]]\nbetween = [\"L\", \"U\"]\n\
    [[links]]\nbetween = [\"L\", \"D\"]\n[[links]]\nbetween = [\"D\", \"R\"]\n\
    [[links]]\nbetween = [\"U\", \"R\"]\n[[links]]\nbetween = [\"R\", \"B\"]\n\
    [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n";

#[test]
fn ties_fall_to_the_first_link_and_paths_overrule_them() {
    assert_eq!(way(&read(DIAMOND), 0), ["A->L", "L->U", "U->R", "R->B"]);
    let path = format!("{DIAMOND}path = [\"A\", \"L\", \"D\", \"R\", \"B\"]\n");
    assert_eq!(way(&read(&path), 0), ["A->L", "L->D", "D->R", "R->B"]);
}

#[test]
fn counted_flows_carry_their_number() {
    let flow = "count = 3\npartner = \"back[{i}]\"\nsource_control = { kind = \"window\", \
                cells = 5 }\n[[flows]]\nname = \"back\"\nfrom = \"B\"\nto = \"A\"\ncount = 3\n\
                traffic = { kind = \"silent\" }";
    let network = network_of(&simple("kind = \"n23\"", flow));
    let names: Vec<&str> = network
        .flows
        .iter()
        .map(|flow| flow.name.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "VC1[1]", "VC1[2]", "VC1[3]", "back[1]", "back[2]", "back[3]"
        ]
    );
    assert_eq!(network.flows[1].partner, Some(4));
}

#[test]
fn memory_is_checked_when_it_is_known() {
    let source = Source::new("test.toml", simple("kind = \"n23\"", "count = 1000"));
    let with = |memory_bytes| parse_within(&source, &[], &Limits { memory_bytes });
    assert!(with(None).is_ok() && with(Some(10_000_000)).is_ok());
    assert_eq!(codes(with(Some(100_000))), ["out-of-memory"]);
    // 1.5 times the rate of the last link, for a day.
    let greedy = simple("", "").replace("1 ms", "86400 s")
        + "[[flows]]\nname = \"x\"\nfrom = \"C\"\nto = \"B\"\n";
    let source = Source::new("test.toml", greedy);
    let limits = Limits {
        memory_bytes: Some(1_000_000_000),
    };
    let found = codes(parse_within(&source, &[], &limits));
    assert!(
        found.contains(&"out-of-memory") && found.contains(&"overload"),
        "{found:?}"
    );
}

#[test]
fn overload_is_a_warning_only_where_nothing_holds_it_back() {
    let second = "[[flows]]\nname = \"x\"\nfrom = \"C\"\nto = \"B\"\n";
    assert_eq!(
        codes(try_read(&(simple("", "") + second), &[])),
        ["overload"]
    );
    assert!(codes(try_read(&simple("", ""), &[])).is_empty());
    assert!(codes(try_read(&(simple("kind = \"n23\"", "") + second), &[])).is_empty());
    assert!(codes(try_read(&(simple("buffer = 50", "") + second), &[])).is_empty());
}

/// What a host is asked for is summed, under control too; what is greedy asks for what there is.
#[test]
fn a_host_is_asked_for_no_more_than_its_link() {
    let flow = |name: &str, sent: &str| {
        format!("[[flows]]\nname = {name:?}\nfrom = \"C\"\nto = \"B\"\ntraffic = {{ {sent} }}\n")
    };
    let poisson = |load: &str| format!("kind = \"poisson\", load = {load}");
    let two = |load: &str| flow("x", &poisson(load)) + &flow("y", &poisson(load));
    let told = |more: String| codes(try_read(&(simple("kind = \"n23\"", "") + &more), &[]));
    assert!(told(two("0.45")).is_empty());
    assert_eq!(told(two("0.6")), ["overload"]);
    assert!(told(flow("x", &poisson("0.9")) + &flow("y", "kind = \"greedy\"")).is_empty());
}

#[test]
fn without_a_zone_for_the_round_trip_a_flow_need_not_crawl() {
    let tight = |sets: &[&str]| {
        codes(try_read(
            &simple("kind = \"n23\"\nn2 = 1\nn3 = 0", ""),
            sets,
        ))
    };
    assert_eq!(tight(&[]), ["slow"]);
    let short = ["link.delay=1 ps", "link.timing=cut-through"];
    assert!(tight(&short).is_empty());
}
