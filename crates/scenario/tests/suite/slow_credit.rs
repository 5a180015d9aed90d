//! Circuits that credit makes slow: what is told of them is what runs.

use backwater_kernel::Rings;
use backwater_net::Simulation;
use backwater_scenario::{Scenario, Source, parse};

/// One greedy circuit over one switch, with so many cells of delay on each link.
fn one(control: &str, delay: u32, more: &str) -> String {
    format!(
        "[run]\nduration = \"20000 cells\"\nwarm_up = \"10000 cells\"\n\
         [link]\nrate = \"622 Mbps\"\ndelay = \"{delay} cells\"\n\
         [network]\nhosts = [\"A\", \"B\", \"F\"]\nswitches = [\"S\"]\n\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"B\", \"S\"]\n\
         [[links]]\nbetween = [\"S\", \"F\"]\n[flow_control]\n{control}\n\
         [[flows]]\nname = \"VC\"\nfrom = \"A\"\nto = \"F\"\n{more}"
    )
}

fn read(text: &str) -> Scenario {
    parse(&Source::new("test.toml", text), &[]).unwrap_or_else(|m| panic!("{}", m.render(false)))
}

/// What `check` says the first flow gets, per cent of its link.
fn told(scenario: &Scenario) -> Option<f64> {
    let said = scenario.warnings.iter().find(|one| one.code == "slow")?;
    let (_, after) = said.notes.first()?.split_once(" gets at most ")?;
    after.split(' ').next()?.parse().ok()
}

/// What it gets.
fn found(scenario: &Scenario) -> f64 {
    let network = &scenario.packet().expect("circuits").network;
    let mut simulation = Simulation::<Rings>::new(network).expect("sound");
    while simulation.run_some(network.stop_at, 10_000).is_none() {}
    100.0 * simulation.outcome().channels[0].data_share
}

/// Every rule, small zones, redundant credit, limits of N1: told as it runs, or nothing where the
/// circuit gets what there is.
#[test]
fn the_share_that_is_told_is_the_one_that_runs() {
    let zones = [
        ("n23", "n2 = 10\nn3 = 1"),
        ("n23", "n2 = 10\nn3 = 0"),
        ("n23", "n2 = 10\nn3 = 5\nredundant_every = 3"),
        ("relative", "n2 = 7\nn3 = 30"),
        ("cumulative", "n2 = 1\nn3 = 3"),
        ("n123", "n2 = 10\nn3 = 0"),
        ("n123", "n2 = 10\nn3 = 1"),
        ("n123", "n2 = 4\nn3 = 2"),
        ("n123", "n2 = 10\nn3 = 9"),
        ("n123", "n2 = 10\nn3 = 0\nredundant_every = 4"),
        ("n123+", "n2 = 10\nn3 = 9"),
        ("n123+", "n2 = 10\nn3 = 9\nn1 = 30"),
        ("n123+", "n2 = 10\nn3 = 0\nn1 = 40"),
        ("n123+", "n2 = 10\nn3 = 25\nn1 = 20"),
    ];
    let mut count = 0;
    for (kind, zones) in zones {
        for delay in [20, 200, 365] {
            let scenario = read(&one(&format!("kind = \"{kind}\"\n{zones}"), delay, ""));
            let (told, found) = (told(&scenario), found(&scenario));
            let near = match told {
                Some(told) => (told - found).abs() <= 0.1 + 0.05 * found,
                None => found > 88.0,
            };
            assert!(near, "{kind}, {zones}, {delay}: {found} for {told:?}");
            count += usize::from(told.is_some());
        }
    }
    assert!(count >= 30, "{count}");
}

/// Greedy circuits from as many hosts to one, each with so many cells of delay on its links; they
/// start so many cells apart.
fn several(control: &str, flows: u32, delay: u32, apart: u32) -> String {
    let flow = |at: u32| {
        format!(
            "[[flows]]\nname = \"a{at}\"\nfrom = \"H1_{at}\"\nto = \"H1_{}\"\n\
             traffic = {{ kind = \"greedy\", start = \"{} cells\" }}\n",
            flows + 1,
            at * apart
        )
    };
    format!(
        "[run]\nduration = \"60000 cells\"\nwarm_up = \"30000 cells\"\n\
         [link]\nrate = \"155.52 Mbps\"\ndelay = \"{delay} cells\"\n\
         [topology]\nkind = \"star\"\nhosts_per_switch = {}\n[flow_control]\n{control}\n{}",
        flows + 1,
        (1..=flows).map(flow).collect::<String>()
    )
}

/// The least that one of them gets, of its equal share.
fn least(scenario: &Scenario) -> f64 {
    let network = &scenario.packet().expect("circuits").network;
    let mut simulation = Simulation::<Rings>::new(network).expect("sound");
    while simulation.run_some(network.stop_at, 10_000).is_none() {}
    let outcome = simulation.outcome();
    let delivered = outcome.flows.iter().map(|flow| flow.delivered_bytes);
    let all = network.stop_at.since(network.warm_up).seconds() * 155.52e6 / 8.0;
    delivered.min().unwrap_or(0) as f64 * outcome.flows.len() as f64 / all
}

/// The value behind `NAME = ` in a help.
fn proposed(help: &str, name: &str) -> Option<u32> {
    let (_, after) = help.split_once(&format!("{name} = "))?;
    after.split(' ').next()?.parse().ok()
}

/// Credit that takes nothing off stays small where cells of several circuits wait for each other:
/// told where one gets less than half of its share, never where it gets all, and what is proposed
/// gives it all.
#[test]
fn circuits_that_meet_are_told_what_they_get() {
    let (mut told, mut silent) = (0, 0);
    for (flows, delay, apart) in [(2, 20, 0), (2, 100, 7), (3, 100, 0), (6, 20, 3), (1, 50, 0)] {
        for (n2, n3) in [(1, 0), (2, 1), (10, 1), (5, 4), (2, 16), (1, 202)] {
            for (kind, n1) in [("n123", None), ("n123+", None), ("n123+", Some(60))] {
                let control = |n1: Option<u32>, n3: u32| {
                    let n1 = n1.map_or(String::new(), |n1| format!("\nn1 = {n1}"));
                    format!("kind = \"{kind}\"\nn2 = {n2}\nn3 = {n3}{n1}")
                };
                let read = |n1, n3| read(&several(&control(n1, n3), flows, delay, apart));
                let scenario = read(n1, n3);
                let got = least(&scenario);
                let place = format!("{flows} flows, {delay} cells, {kind}, {n1:?}, {n2}, {n3}");
                let slow = |scenario: &Scenario| {
                    let all = scenario.warnings.iter();
                    let mut slow = all.filter(|one| one.code == "slow");
                    slow.next().map(|one| one.help.join(" "))
                };
                match slow(&scenario) {
                    None => assert!(got >= 0.5, "{place}: {got}, and nothing is said"),
                    Some(help) => {
                        assert!(got < 0.95, "{place}: {got}, and it is called slow");
                        told += 1;
                        let (own, zone) = (proposed(&help, "N1"), proposed(&help, "N3"));
                        assert!(own.or(zone).is_some(), "{place}: {help}");
                        let cured = read(own.or(n1), zone.unwrap_or(n3));
                        let got = least(&cured);
                        assert!(got >= 0.95, "{place}: {help}: {got}");
                        assert_eq!(slow(&cured), None, "{place}: {help}");
                        continue;
                    }
                }
                silent += 1;
            }
        }
    }
    assert!(told >= 30 && silent >= 15, "{told} told, {silent} not");
}

/// So it is where one circuit goes on over a slower link.
#[test]
fn a_slower_link_behind_keeps_credit_small() {
    let text = |n3: u32| {
        one(&format!("kind = \"n123\"\nn2 = 2\nn3 = {n3}"), 100, "").replace(
            "between = [\"S\", \"F\"]",
            "between = [\"S\", \"F\"]\nrate = \"155 Mbps\"",
        )
    };
    let share = |scenario: &Scenario| found(scenario) * 622.0 / 155.0 / 100.0;
    let small = read(&text(1));
    assert!(share(&small) < 0.5, "{}", share(&small));
    let slow = small.warnings.iter().find(|one| one.code == "slow");
    let zone = slow.and_then(|one| proposed(&one.help.join(" "), "N3"));
    let cured = read(&text(zone.expect("a value")));
    assert!(share(&cured) > 0.95 && cured.warnings.is_empty());
}

/// What others or the flow itself hold back is not slow for its credit.
#[test]
fn credit_is_held_against_what_there_is_for_the_flow() {
    let n23 =
        |zones: &str, more: &str| told(&read(&one(&format!("kind = \"n23\"\n{zones}"), 20, more)));
    let other = "[[flows]]\nname = \"other\"\nfrom = \"B\"\nto = \"F\"\n";
    let third = "traffic = { kind = \"constant\", rate = \"200 Mbps\" }\n";
    // 20 cells of a loop of 42: 39 % by the law.
    let small = "n2 = 10\nn3 = 10";
    assert!(n23(small, "").is_some());
    assert!(n23(small, other).is_some(), "half is there for it");
    let two = other.replace("other", "second") + other;
    assert_eq!(n23(small, &two), None, "a third is");
    assert_eq!(n23(small, third), None);
    assert!(n23("n2 = 10\nn3 = 1", third).is_some());
    let window = "source_control = { kind = \"window\", cells = 20 }\npartner = \"back\"\n\
                  [[flows]]\nname = \"back\"\nfrom = \"F\"\nto = \"A\"\n\
                  traffic = { kind = \"silent\" }\n";
    assert_eq!(n23(small, window), None, "its window allows less");
    // Made for a target, it is as large as was asked for.
    assert_eq!(n23("n2 = 10\ntarget = \"30 %\"", ""), None);
    assert_eq!(n23("n2 = 10", ""), None);
}

/// Links behind those of hosts are summed, too, and numbers that are told differ.
#[test]
fn links_between_switches_are_asked_for_no_more_than_they_carry() {
    let told = |rates: [&str; 2], control: &str, trunk: &str| {
        let flow = |name: &str, from: &str, to: &str, rate: &str| {
            format!(
                "[[flows]]\nname = {name:?}\nfrom = {from:?}\nto = {to:?}\n\
                 traffic = {{ kind = \"constant\", rate = {rate:?} }}\n"
            )
        };
        let links = [["A", "S"], ["B", "S"], ["T", "C"], ["T", "D"]];
        let links = links.map(|ends| format!("[[links]]\nbetween = {ends:?}\n"));
        let text = format!(
            "[run]\nduration = \"1 ms\"\n[link]\nrate = \"100 Mbps\"\ndelay = \"1 us\"\n\
             [network]\nhosts = [\"A\", \"B\", \"C\", \"D\"]\nswitches = [\"S\", \"T\"]\n{}\
             [[links]]\nbetween = [\"S\", \"T\"]\n{trunk}\n[flow_control]\n{control}\n",
            links.concat()
        );
        let text = text + &flow("a", "A", "C", rates[0]) + &flow("b", "B", "D", rates[1]);
        let scenario = read(&text);
        scenario
            .warnings
            .iter()
            .for_each(|one| assert_eq!(one.code, "overload"));
        match scenario.warnings.is_empty() {
            true => String::new(),
            false => scenario.warnings.render(false),
        }
    };
    let credit = "kind = \"n23\"";
    assert_eq!(told(["50 Mbps", "50 Mbps"], credit, ""), "");
    let over = told(["50 Mbps", "50.02 Mbps"], credit, "");
    assert!(
        over.contains("`S->T` is asked to carry more than it can"),
        "{over}"
    );
    assert!(over.contains("100.02 Mbps are to cross"), "{over}");
    assert!(over.contains("it carries 100.00 Mbps"), "{over}");
    assert_eq!(
        told(["50 Mbps", "50.02 Mbps"], credit, "rate = \"200 Mbps\""),
        ""
    );
    // Without control its queue grows, and nothing is said twice.
    let free = told(["50 Mbps", "50.02 Mbps"], "kind = \"none\"", "");
    assert!(
        free.contains("grows without end") && !free.contains("is asked"),
        "{free}"
    );
    assert!(
        free.contains("offer 100.02 Mbps, it carries 100.00 Mbps"),
        "{free}"
    );
    // A host that can't send it is told of, not the links behind it.
    let host = told(["130 Mbps", "10 Mbps"], credit, "");
    assert!(host.contains("a host is asked"), "{host}");
}

/// To a link comes no more over the one before it than that one carries.
#[test]
fn a_link_that_is_full_does_not_fill_the_next_one() {
    let told = |control: &str, [trunk, last]: [&str; 2]| {
        let hosts = ["A", "B", "C"];
        let links = hosts.map(|host| format!("[[links]]\nbetween = [{host:?}, \"S\"]\n"));
        let flow = |host: &str| {
            format!(
                "[[flows]]\nname = \"f{host}\"\nfrom = {host:?}\nto = \"F\"\n\
                 traffic = {{ kind = \"constant\", rate = \"60 Mbps\" }}\n"
            )
        };
        let text = format!(
            "[run]\nduration = \"1 ms\"\n[link]\nrate = \"100 Mbps\"\ndelay = \"1 us\"\n\
             [network]\nhosts = [\"A\", \"B\", \"C\", \"F\"]\nswitches = [\"S\", \"T\"]\n{}\
             [[links]]\nbetween = [\"S\", \"T\"]\nrate = {trunk:?}\n\
             [[links]]\nbetween = [\"T\", \"F\"]\nrate = {last:?}\n\
             [flow_control]\nkind = {control:?}\n{}",
            links.concat(),
            hosts.map(flow).concat()
        );
        let scenario = read(&text);
        let all = scenario
            .warnings
            .iter()
            .filter(|one| one.code == "overload");
        let named = |port: &str| {
            let said = scenario.warnings.render(false);
            usize::from(said.contains(&format!("`{port}`")))
        };
        (all.count(), named("S->T"), named("T->F"))
    };
    for control in ["n23", "none"] {
        assert_eq!(
            told(control, ["100 Mbps", "110 Mbps"]),
            (1, 1, 0),
            "{control}"
        );
        assert_eq!(
            told(control, ["200 Mbps", "110 Mbps"]),
            (1, 0, 1),
            "{control}"
        );
    }
}
