//! Topologies and flows by rule.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Channels;
use backwater_net::spec::NodeKind;
use backwater_scenario::{Diagnostics, PacketScenario, Scenario, Set, Source, parse};

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

fn packet(scenario: &Scenario) -> &PacketScenario {
    scenario.packet().expect("a scenario of the packet engine")
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

fn generated(topology: &str, pattern: &str) -> Scenario {
    read(&format!(
        "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
         [topology]\n{topology}\n[flow_control]\nkind = \"n23\"\n\
         [[patterns]]\nname = \"bg\"\n{pattern}\n"
    ))
}

#[test]
fn topologies_have_their_sizes() {
    let size = |topology: &str| {
        let scenario = generated(topology, "kind = \"permutation\"");
        let network = &packet(&scenario).network;
        let switches = network
            .nodes
            .iter()
            .filter(|n| n.kind == NodeKind::Switch)
            .count();
        (
            switches,
            network.nodes.len() - switches,
            network.links.len(),
        )
    };
    assert_eq!(
        size("kind = \"line\"\nswitches = 5\nhosts_per_switch = 4"),
        (5, 20, 24)
    );
    assert_eq!(
        size("kind = \"ring\"\nswitches = 5\nhosts_per_switch = 4"),
        (5, 20, 25)
    );
    assert_eq!(size("kind = \"star\"\nhosts_per_switch = 4"), (1, 4, 4));
    assert_eq!(size("kind = \"mesh\"\nsides = [3, 4]"), (12, 12, 17 + 12));
    assert_eq!(
        size("kind = \"mesh\"\nsides = [2, 3, 4]"),
        (24, 24, 46 + 24)
    );
    // Rows of two have no room for another link.
    assert_eq!(size("kind = \"torus\"\nsides = [2, 4]"), (8, 8, 4 + 8 + 8));
    assert_eq!(
        size("kind = \"leaf-spine\"\nleaves = 3\nspines = 2\nhosts_per_switch = 4"),
        (5, 12, 6 + 12)
    );
    assert_eq!(size("kind = \"fat-tree\"\nports = 4"), (20, 16, 48));
    let dragonfly = "kind = \"dragonfly\"\ngroups = 9\nswitches_per_group = 4\n\
                     global_links = 2\nhosts_per_switch = 2";
    assert_eq!(size(dragonfly), (36, 72, 9 * 6 + 36 + 72));
    let plus = "kind = \"dragonfly+\"\ngroups = 5\nleaves_per_group = 3\nspines_per_group = 2\n\
                global_links = 2\nhosts_per_switch = 4";
    assert_eq!(size(plus), (25, 60, 5 * 6 + 10 + 60));
    let rails = "kind = \"rail-optimised\"\nservers = 5\nrails = 4\nservers_per_leaf = 2\n\
                 spines = 3";
    assert_eq!(size(rails), (12 + 3, 20, 12 * 3 + 20));
    assert_eq!(
        size("kind = \"tree\"\nlevels = 3\nfanout = 2\nhosts_per_switch = 2"),
        (7, 8, 14)
    );
}

/// Each switch of a torus has a link both ways along each dimension, and names say where it is.
#[test]
fn a_torus_closes_each_dimension() {
    let scenario = generated("kind = \"torus\"\nsides = [3, 4]", "kind = \"all-to-all\"");
    let network = &packet(&scenario).network;
    assert_eq!(network.flows.len(), 12 * 11);
    let name = |node: u32| network.nodes[node as usize].name.as_str();
    let around = |wanted: &str| {
        let ends = network
            .links
            .iter()
            .flat_map(|l| [(l.ends[0], l.ends[1]), (l.ends[1], l.ends[0])]);
        let joined = ends
            .filter(|(a, _)| name(*a) == wanted)
            .map(|(_, b)| name(b));
        let mut joined: Vec<&str> = joined.collect();
        joined.sort_unstable();
        joined.join(" ")
    };
    assert_eq!(around("S1_1"), "H1_1_1 S1_2 S1_4 S2_1 S3_1");
    assert_eq!(around("S3_4"), "H3_4_1 S1_4 S2_4 S3_1 S3_3");
}

/// The names at both ends of each link.
fn joined(scenario: &Scenario) -> Vec<(&str, &str)> {
    let network = &packet(scenario).network;
    let name = |node: u32| network.nodes[node as usize].name.as_str();
    let links = network.links.iter();
    links.map(|l| (name(l.ends[0]), name(l.ends[1]))).collect()
}

/// The group that a switch of a dragonfly is in; `None` for hosts and spines that no group has.
fn group(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(['S', 'L'])?.split('_').next()?;
    digits.parse().ok()
}

/// How the groups of a dragonfly are joined: links of each pair, and of each switch.
fn global(links: &[(&str, &str)]) -> (BTreeMap<(u32, u32), u32>, BTreeMap<String, u32>) {
    let (mut pairs, mut switches) = (BTreeMap::new(), BTreeMap::new());
    for (a, b) in links {
        let (Some(first), Some(second)) = (group(a), group(b)) else {
            continue;
        };
        if first != second {
            let pair = (first.min(second), first.max(second));
            *pairs.entry(pair).or_insert(0) += 1;
            for end in [a, b] {
                *switches.entry((*end).to_owned()).or_insert(0) += 1;
            }
        }
    }
    (pairs, switches)
}

/// Whatever the numbers: each two groups are joined by as many links as there are ports for, no
/// switch has more than its links, and no two switches are joined twice.
#[test]
fn groups_of_a_dragonfly_are_joined_alike() {
    let mut seen = 0;
    for (inside, each) in [
        (1, 1),
        (1, 3),
        (2, 1),
        (2, 2),
        (3, 2),
        (4, 2),
        (3, 4),
        (5, 3),
    ] {
        for groups in each + 1..=inside * each + 1 {
            for plus in [false, true] {
                let shape = if plus {
                    format!(
                        "kind = \"dragonfly+\"\nleaves_per_group = 2\nspines_per_group = {inside}"
                    )
                } else {
                    format!("kind = \"dragonfly\"\nswitches_per_group = {inside}")
                };
                let rest = format!("\ngroups = {groups}\nglobal_links = {each}");
                let scenario = generated(&(shape + &rest), "kind = \"neighbour\"");
                let links = joined(&scenario);
                let (pairs, switches) = global(&links);
                let place = format!("{groups} groups of {inside} with {each}, plus {plus}");
                let most = inside * each / (groups - 1);
                assert_eq!(pairs.len() as u32, groups * (groups - 1) / 2, "{place}");
                assert!(
                    pairs.values().all(|count| *count == most),
                    "{place}: {pairs:?}"
                );
                assert!(switches.values().all(|count| *count <= each), "{place}");
                let ends = links
                    .iter()
                    .map(|(a, b)| if a < b { (a, b) } else { (b, a) });
                let distinct: BTreeSet<_> = ends.collect();
                assert_eq!(distinct.len(), links.len(), "{place}: joined twice");
                seen += 1;
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

/// One group more than that, or one less, is refused with the numbers that go.
#[test]
fn groups_that_cannot_all_be_joined_are_refused() {
    for groups in [2, 10] {
        let text = format!(
            "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\n[flow_control]\nkind = \
             \"n23\"\n[topology]\nkind = \"dragonfly\"\ngroups = {groups}\n\
             switches_per_group = 4\nglobal_links = 2"
        );
        let mistakes = try_read(&text, &[]).expect_err("refused").to_string();
        assert!(mistakes.contains("take 3 to 9 groups"), "{mistakes}");
    }
}

/// Interfaces of one rail share the leaf of their unit; the last unit has what is left.
#[test]
fn rails_share_leaves() {
    let scenario = generated(
        "kind = \"rail-optimised\"\nservers = 5\nrails = 2\nservers_per_leaf = 2\nspines = 1",
        "kind = \"all-to-all\"",
    );
    let mut links = joined(&scenario);
    links.retain(|(a, _)| a.starts_with('H'));
    links.sort_unstable_by_key(|(host, leaf)| (*leaf, *host));
    let wanted = [
        ("H1_1", "L1_1"),
        ("H2_1", "L1_1"),
        ("H1_2", "L1_2"),
        ("H2_2", "L1_2"),
        ("H3_1", "L2_1"),
        ("H4_1", "L2_1"),
        ("H3_2", "L2_2"),
        ("H4_2", "L2_2"),
        ("H5_1", "L3_1"),
        ("H5_2", "L3_2"),
    ];
    assert_eq!(links, wanted);
}

#[test]
fn trunks_and_single_links_override() {
    let scenario = generated(
        "kind = \"line\"\nswitches = 3\ntrunk = { rate = \"10 Gbps\" }\n\
         [[links]]\nbetween = [\"S3\", \"S2\"]\ndelay = \"9 us\"",
        "kind = \"neighbour\"",
    );
    let links = &packet(&scenario).network.links;
    assert_eq!(
        (links[0].channels[0].rate.0, links[1].channels[0].rate.0),
        (10_000_000_000, 1_000_000_000)
    );
    assert_eq!(
        (
            links[0].channels[0].delay.ps(),
            links[1].channels[0].delay.ps()
        ),
        (1_000_000, 9_000_000)
    );
    assert_eq!(links.len(), 2 + 3, "overridden, not added");
}

#[test]
fn patterns_draw_what_they_say() {
    let line = "kind = \"line\"\nswitches = 3\nhosts_per_switch = 2";
    let ends = |pattern: &str| -> Vec<(String, String)> {
        let scenario = generated(line, pattern);
        (0..packet(&scenario).network.flows.len())
            .map(|flow| {
                let way = way(&scenario, flow);
                let from = way[0].split("->").next().unwrap_or_default().to_string();
                let to = way[way.len() - 1]
                    .split("->")
                    .nth(1)
                    .unwrap_or_default()
                    .to_string();
                (from, to)
            })
            .collect()
    };
    let permutation = ends("kind = \"permutation\"");
    let mut to: Vec<&String> = permutation.iter().map(|pair| &pair.1).collect();
    to.sort();
    assert_eq!(to, ["H1_1", "H1_2", "H2_1", "H2_2", "H3_1", "H3_2"]);
    assert!(permutation.iter().all(|(from, to)| from != to));
    let neighbours = ends("kind = \"neighbour\"");
    assert_eq!(neighbours[1], ("H1_2".into(), "H2_2".into()));
    assert_eq!(neighbours[5], ("H3_2".into(), "H1_2".into()));
    let one = ends("kind = \"all-to-one\"\nto = \"H2_1\"");
    assert!(one.len() == 5 && one.iter().all(|(from, to)| to == "H2_1" && from != to));
    let pairs = ends("kind = \"random-pairs\"\ncount = 600");
    assert_eq!(pairs.len(), 600);
    for from in ["H1_1", "H3_2"] {
        let share = pairs.iter().filter(|pair| pair.0 == from).count();
        assert!((60..140).contains(&share), "{from} sends {share} of 600");
    }
}

#[test]
fn patterns_depend_on_the_seed_alone() {
    let text = "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
                [topology]\nkind = \"ring\"\nswitches = 9\n[flow_control]\nkind = \"n23\"\n\
                [[patterns]]\nname = \"p\"\nkind = \"random-pairs\"\ncount = 50\n";
    let drawn = |seed: &str| {
        let scenario = try_read(text, &[seed]).expect("no mistakes");
        format!("{:?}", packet(&scenario).network.flows)
    };
    assert_eq!(drawn("run.seed=1"), drawn("run.seed=1"));
    assert_ne!(drawn("run.seed=1"), drawn("run.seed=2"));
}
