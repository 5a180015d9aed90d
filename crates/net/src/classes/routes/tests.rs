use super::*;
use crate::frames::testing;
use crate::spec::frames::LinkSpec;

/// Nodes by kind, `true` for a switch, and links by their ends.
fn network(switches: &[bool], links: &[[u32; 2]]) -> EthernetSpec {
    let mut spec = testing::spec(None);
    let [station, switch] = [0, 1].map(|node| spec.nodes[node].clone());
    let channel = spec.links[0].channels[0].clone();
    let node = |is_switch: &bool| match is_switch {
        true => switch.clone(),
        false => station.clone(),
    };
    spec.nodes = switches.iter().map(node).collect();
    let link = |ends: &[u32; 2]| LinkSpec::symmetric(*ends, channel.clone());
    spec.links = links.iter().map(link).collect();
    spec.flows = Vec::new();
    spec
}

/// The same with a search from each station.
fn searched(spec: &EthernetSpec) -> Tables {
    let mut tables = Tables::new(spec).expect("a sound network");
    let leaving = Leaving::new(spec);
    tables.entries.fill((0, 0));
    for station in stations(&tables) {
        tables.add_shortest(spec, &leaving, station);
    }
    tables
}

fn stations(tables: &Tables) -> Vec<u32> {
    let all = 0..tables.nodes as u32;
    all.filter(|node| tables.place[*node as usize] != NONE)
        .collect()
}

fn assert_same(found: &Tables, wanted: &Tables) {
    for station in stations(wanted) {
        for node in 0..wanted.nodes as u32 {
            let [found, wanted] = [found, wanted].map(|tables| tables.next_hops(node, station));
            assert_eq!(found, wanted, "from node {node} to station {station}");
        }
    }
}

/// Two spines, two leaves with three stations and one with a station; one that no link joins.
fn leaf_spine() -> EthernetSpec {
    let links = [
        [0, 2],
        [0, 3],
        [0, 4],
        [1, 2],
        [1, 3],
        [4, 1],
        [2, 5],
        [6, 2],
        [2, 7],
        [3, 8],
        [9, 3],
        [3, 10],
        [4, 11],
    ];
    let switches = [[true; 5].as_slice(), &[false; 8]].concat();
    network(&switches, &links)
}

#[test]
fn stations_on_one_switch_are_reached_as_by_a_search_from_each() {
    let spec = leaf_spine();
    let found = Tables::new(&spec).expect("a sound network");
    assert_same(&found, &searched(&spec));
    // Both spines from another leaf, nothing to the one without a link.
    assert_eq!(found.next_hops(3, 6), [3, 9]);
    assert_eq!(found.next_hops(2, 6), [15]);
    assert_eq!(found.next_hops(5, 12), []);
}

#[test]
fn stations_side_by_side_or_on_two_links_are_searched_for() {
    // Two stations joined to each other; one with two links to its switch, one with two switches.
    let switches = [false, false, true, true, false, false, false];
    let links = [[0, 1], [2, 3], [2, 4], [4, 2], [2, 5], [5, 3], [6, 2]];
    let spec = network(&switches, &links);
    assert_same(&Tables::new(&spec).expect("sound"), &searched(&spec));
}

/// Negative control.
#[test]
#[should_panic(expected = "from node 2 to station 6")]
fn a_last_hop_of_another_station_is_found_out() {
    let spec = leaf_spine();
    let mut found = Tables::new(&spec).expect("a sound network");
    let [wrong, right] = [5, 6].map(|station| found.entry(2, station));
    found.entries[right] = found.entries[wrong];
    assert_same(&found, &searched(&spec));
}
