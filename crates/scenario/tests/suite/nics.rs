//! Hosts with several links: who is joined to whom, what channels are called, and which rule and
//! rail stand in the network.

use backwater_kernel::{Channels, channel_name};
use backwater_net::frames::spec::{EthernetSpec, NicRule, TransportSpec};
use backwater_scenario::{Source, parse};

fn network(text: &str) -> EthernetSpec {
    let head = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n";
    let scenario = parse(&Source::new("test.toml", format!("{head}{text}")), &[]);
    let scenario = scenario.expect("no mistakes");
    scenario.ethernet().expect("of frames").network.clone()
}

/// The channels that leave a node, by name.
fn leaving(network: &EthernetSpec, node: &str) -> Vec<String> {
    let name = |node: u32| network.nodes[node as usize].name.as_str();
    let numbers = network.links.numbers();
    let all = network.links.channels().map(|channel| {
        let (from, to) = network.links.ends(channel);
        (
            name(from),
            channel_name(name(from), name(to), numbers[channel as usize / 2]),
        )
    });
    all.filter(|(from, _)| *from == node)
        .map(|(_, name)| name)
        .collect()
}

fn made(topology: &str) -> EthernetSpec {
    let flow = "[[patterns]]\nname = \"p\"\nkind = \"permutation\"\n";
    network(&format!(
        "[topology]\n{topology}\n[link]\nrate = \"10 Gbps\"\n{flow}"
    ))
}

#[test]
fn pairs_of_leaves_share_their_hosts() {
    let spec =
        made("kind = \"leaf-spine\"\nleaves = 4\nspines = 2\nhosts_per_switch = 2\nhost_links = 2");
    assert_eq!(leaving(&spec, "H1_1"), ["H1_1->L1", "H1_1->L2"]);
    assert_eq!(leaving(&spec, "H2_2"), ["H2_2->L1", "H2_2->L2"]);
    assert_eq!(leaving(&spec, "H4_1"), ["H4_1->L3", "H4_1->L4"]);
    assert_eq!((spec.nodes.len(), spec.links.len()), (8 + 6, 2 * 8 + 8));
}

#[test]
fn planes_are_networks_of_their_own() {
    let spec = made(
        "kind = \"leaf-spine\"\nleaves = 2\nspines = 3\nhosts_per_switch = 1\nplanes = 2\n\
         host_links = 2",
    );
    let wanted = ["H1_1->P1_L1", "H1_1->P1_L2", "H1_1->P2_L1", "H1_1->P2_L2"];
    assert_eq!(leaving(&spec, "H1_1"), wanted);
    let wanted = [
        "P2_L1->H1_1",
        "P2_L1->H2_1",
        "P2_L1->P2_S1",
        "P2_L1->P2_S2",
        "P2_L1->P2_S3",
    ];
    assert_eq!(leaving(&spec, "P2_L1"), wanted);
}

#[test]
fn a_server_has_a_link_to_each_rail() {
    let spec = made(
        "kind = \"rail-optimised\"\nservers = 11\nrails = 3\nservers_per_leaf = 4\nspines = 2\n\
         hosts = \"servers\"",
    );
    assert_eq!(
        leaving(&spec, "H10"),
        ["H10->L3_1", "H10->L3_2", "H10->L3_3"]
    );
    let names = spec.nodes.iter().take(11).map(|node| node.name.as_str());
    assert_eq!(names.collect::<Vec<_>>()[8..], ["H9", "H10", "H11"]);
}

const TWO: &str = "[network]\nhosts = [\"A\", \"B\", \"C\"]\nswitches = [\"S\", \"T\"]\n\
    [link]\nrate = \"10 Gbps\"\n\
    [[links]]\nbetween = [\"A\", \"S\"]\nparallel = 3\n\
    [[links]]\nbetween = [\"S\", \"A\"]\nnumber = 2\nrate = \"1 Gbps\"\n\
    [[links]]\nbetween = [\"B\", \"T\"]\nparallel = 2\n\
    [[links]]\nbetween = [\"C\", \"T\"]\n[[links]]\nbetween = [\"S\", \"T\"]\nparallel = 2\n";

#[test]
fn links_beside_each_other_have_numbers() {
    let flow = "[[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n\
                [[series]]\nname = \"q\"\nmeasure = \"queue\"\non = \"S->T#2\"\n\
                [[routes]]\nnode = \"S\"\nto = \"B\"\nvia = \"T\"\n";
    let spec = network(&format!("{TWO}{flow}"));
    assert_eq!(leaving(&spec, "A"), ["A->S", "A->S#2", "A->S#3"]);
    let rates = spec
        .links
        .iter()
        .take(3)
        .map(|link| link.channels[0].rate.0 / 1_000_000_000);
    assert_eq!(rates.collect::<Vec<_>>(), [10, 1, 10]);
    // All links between the two.
    assert_eq!(spec.rules.routes[0].channels.len(), 2);
}

#[test]
fn flows_of_a_host_take_rails_in_turn() {
    let flow = |name: &str, from: &str, more: &str| {
        format!("[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"C\"\n{more}")
    };
    let flows = [
        flow("a", "A", ""),
        flow("b", "A", ""),
        flow("c", "B", ""),
        flow("d", "A", "rail = 9\n"),
        flow("e", "A", ""),
    ];
    let rules = "[host]\nnic = \"rail\"\n[[nodes]]\nname = \"B\"\nnic = \"hash\"\n";
    let spec = network(&format!("{TWO}{rules}{}", flows.concat()));
    assert_eq!(spec.rules.rails, [0, 1, 0, 8, 2]);
    let rules = (0..3).map(|node| spec.rules.nic(node));
    // The third has one link.
    assert_eq!(
        rules.collect::<Vec<_>>(),
        [NicRule::Rail, NicRule::Hash, NicRule::Hash]
    );
}

#[test]
fn a_queue_pair_that_goes_round_all_links_has_their_rate() {
    let flow = "[[flows]]\nname = \"f\"\nfrom = \"B\"\nto = \"C\"\ntransport = \"roce\"\n";
    for (rule, wanted) in [("hash", 10), ("rail", 10), ("spread", 20)] {
        let spec = network(&format!("{TWO}[host]\nnic = \"{rule}\"\n{flow}"));
        let TransportSpec::Roce(roce) = &spec.flows[0].transport else {
            panic!("a queue pair");
        };
        assert_eq!(roce.line.0, wanted * 1_000_000_000, "{rule}");
    }
}

#[test]
fn hosts_forward_all_or_some() {
    let text = |more: &str| {
        format!(
            "[network]\nhosts = [\"A\", \"B\", \"C\"]\n[link]\nrate = \"10 Gbps\"\n\
             [[links]]\nbetween = [\"A\", \"B\"]\n[[links]]\nbetween = [\"B\", \"C\"]\n\
             [[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"C\"\ntransport = \"udp\"\n\
             traffic = {{ kind = \"greedy\" }}\n{more}"
        )
    };
    let forwarders = |more: &str| network(&text(more)).rules.forwarders;
    assert_eq!(
        forwarders("[[nodes]]\nname = \"B\"\nforwards = true\n"),
        [1]
    );
    assert_eq!(forwarders("[host]\nforwards = true\n"), [0, 1, 2]);
    let but = "[host]\nforwards = true\n[[nodes]]\nname = \"C\"\nforwards = false\n";
    assert_eq!(forwarders(but), [0, 1]);
}
