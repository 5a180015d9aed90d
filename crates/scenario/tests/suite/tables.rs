//! The language as data: what programs that write scenarios hold themselves to.

use backwater_scenario::reference::tables::{Names, comparison, roots, sections_below, units};
use backwater_scenario::{Source, parse};

#[test]
fn every_section_can_be_reached_and_its_keys_make_sense() {
    let mut keys = 0;
    for (engine, root) in roots() {
        for section in sections_below(root) {
            assert!(!section.keys.is_empty(), "{engine}: {}", section.name);
            keys += section.keys.len();
            for key in section.keys {
                assert_eq!(
                    section.key(key.name).map(|found| found.name),
                    Some(key.name)
                );
                let words = section.selector.and_then(|by| section.key(by.key));
                let Some(words) = words.and_then(|key| key.kind.choices()) else {
                    continue;
                };
                let known = |word: &str| words.iter().any(|choice| choice.name == word);
                assert!(key.only.iter().all(|word| known(word)), "{}", key.name);
            }
        }
    }
    assert!(keys > 300, "{keys}");
    assert_eq!(comparison().name, "comparison");
    assert!(units().contains(&"Mbps") && units().contains(&"km"));
}

#[test]
fn a_scenario_names_its_parts() {
    let read = |text: &str| Names::of(&parse(&Source::new("a.toml", text), &[]).expect("good"));
    let packet = read(include_str!("../files/everything.toml"));
    assert_eq!(packet.hosts, ["A", "B", "C"]);
    assert!(packet.channels.contains(&"S1->S2".into()));
    assert!(packet.channels.contains(&"S2->S1".into()));
    assert!(packet.flows.contains(&"many[2]".into()));
    let ethernet = read(include_str!("../files/ethernet.toml"));
    assert_eq!((ethernet.hosts.len(), ethernet.nodes.len()), (6, 8));
    let flit = read(include_str!("../files/flit.toml"));
    assert_eq!((flit.terminals, flit.classes.len()), (16, 4));
}
