//! Networks and flows from files of other simulators and libraries.

use std::io;
use std::path::Path;

use backwater_net::frames::spec::EthernetSpec;
use backwater_scenario::{Diagnostics, Limits, Scenario, Source, parse_with};

/// Hosts 0 to 2, switches 3 and 4, two links between those.
const SMALL: &str = "5 2 5\n3 4\n0 3 100Gbps 1us 0\n1 3 100Gbps 1us 0.25\n2 4 25Gbps 500ns 0\n\
                     3 4 400Gbps 2us 0\n3 4 400Gbps 2us 0\n";
const HEAD: &str = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\n";
const FILE: &str = "[topology]\nkind = \"file\"\nfile = \"net\"\n";
const LIST: &str = "[[workloads]]\nname = \"w\"\nkind = \"list\"\nfile = \"flows\"\n";

/// With these files in the folder of the scenario.
fn with(text: &str, files: &[(&str, &str)]) -> Result<Scenario, Diagnostics> {
    let load = |path: &Path| {
        let named = files.iter().find(|(name, _)| path == Path::new(name));
        let text = named.map(|(_, text)| (*text).to_owned());
        text.ok_or_else(|| io::Error::other("no such file"))
    };
    let source = Source::new("test.toml", text);
    parse_with(&source, &[], &Limits::default(), &load)
}

fn spec(text: &str, files: &[(&str, &str)]) -> EthernetSpec {
    let read = with(text, files).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    let found = read.ethernet().expect("frames");
    found.network.clone()
}

fn refused(text: &str, files: &[(&str, &str)], wanted: &[&str]) {
    let told = match with(text, files) {
        Ok(_) => panic!("it is read: {text}"),
        Err(wrong) => wrong.render(false),
    };
    for part in wanted {
        assert!(told.contains(part), "no `{part}` in {told}");
    }
}

/// The same network, written out in the scenario.
const WRITTEN: &str = "[network]\nhosts = [\"H0\", \"H1\", \"H2\"]\nswitches = [\"S3\", \"S4\"]\n\
    [[links]]\nbetween = [\"H0\", \"S3\"]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n\
    [[links]]\nbetween = [\"H1\", \"S3\"]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n\
    data_loss = 0.25\n\
    [[links]]\nbetween = [\"H2\", \"S4\"]\nrate = \"25 Gbps\"\ndelay = \"500 ns\"\n\
    [[links]]\nbetween = [\"S3\", \"S4\"]\nparallel = 2\nrate = \"400 Gbps\"\ndelay = \"2 us\"\n";

const FLOW: &str = "[[flows]]\nname = \"f\"\nfrom = \"H1\"\nto = \"H2\"\ntransport = \"udp\"\n";

#[test]
fn a_file_is_the_network_that_is_written_out() {
    let of_file = |net: &str| spec(&format!("{HEAD}{FILE}{FLOW}"), &[("net", net)]);
    let written = spec(&format!("{HEAD}{WRITTEN}{FLOW}"), &[]);
    assert_eq!(of_file(SMALL), written);
    assert_eq!(of_file(&SMALL.replace('\n', "\r\n")), written);
    assert_ne!(of_file(&SMALL.replace("25Gbps", "26Gbps")), written);
}

#[test]
fn what_the_scenario_says_goes_before_the_file() {
    let changed = "[topology.trunk]\nrate = \"200 Gbps\"\n\
                   [[links]]\nbetween = [\"H1\", \"S3\"]\ndata_loss = 0.0\n";
    let own = spec(&format!("{HEAD}{FILE}{changed}{FLOW}"), &[("net", SMALL)]);
    let said = |link: usize| {
        let channel = &own.links[link].channels[0];
        (channel.rate.0 / 1_000_000_000, channel.errors.data_loss)
    };
    assert_eq!(
        (0..5).map(said).collect::<Vec<_>>(),
        [(100, 0.0), (100, 0.0), (25, 0.0), (200, 0.0), (200, 0.0)]
    );
}

/// Flow files know hosts by the numbers of their nodes, here 0, 2 and 3.
#[test]
fn flow_files_go_by_the_numbers_of_nodes() {
    let net = "4 1 3\n1\n0 1 1Gbps 1us 0\n2 1 1Gbps 1us 0\n3 1 1Gbps 1us 0\n";
    let text = format!("{HEAD}{FILE}{LIST}");
    let flows = |list: &str| {
        let flows = spec(&text, &[("net", net), ("flows", list)]).flows;
        let ends = flows.iter().map(|flow| (flow.source, flow.destination));
        ends.collect::<Vec<_>>()
    };
    assert_eq!(
        flows("2\n2 3 0 100 5 0\n0 2 0 100 5 0.0001\n"),
        [(2, 3), (0, 2)]
    );
    let wrong = [("net", net), ("flows", "1\n0 1 0 100 5 0\n")];
    refused(&text, &wrong, &["node 1 is no host", "in line 2"]);
    let wrong = [("net", net), ("flows", "1\n0 4 0 100 5 0\n")];
    refused(&text, &wrong, &["node 4 is no host", "in line 2"]);
}

#[test]
fn a_connection_matrix_is_the_list_that_says_the_same() {
    let star = format!(
        "{HEAD}{}{}",
        "[topology]\nkind = \"star\"\nhosts_per_switch = 3\n",
        format_args!("{LIST}transport = \"roce\"\n")
    );
    let matrix = "Nodes 3\nConnections 4\nTriggers 2\n0->1 id 7 start 2 size 5000 \
                  recv_done_trigger 1 send_done_trigger 2\n1->2 id 8 trigger 1 size 6000\n\
                  0->2 id 9 trigger 2 size 7000\n2->0 start 0 size 8000\n\
                  trigger id 1 oneshot\ntrigger id 2 barrier count 1\n";
    let columns = "id, start, from, to, size, after\n7, 2 us, H1_1, H1_2, 5 kB,\n\
                   8, , H1_2, H1_3, 6 kB, received:7\n9, , H1_1, H1_3, 7 kB, sent:7\n\
                   10, 0 s, H1_3, H1_1, 8 kB,\n";
    let in_us = format!("{star}start_unit = \"us\"\n");
    let of_matrix = spec(&in_us, &[("flows", matrix)]);
    assert_eq!(of_matrix, spec(&star, &[("flows", columns)]));
    let in_ps = format!("{star}start_unit = \"ps\"\n");
    assert_ne!(of_matrix, spec(&in_ps, &[("flows", matrix)]));
    let asked = ["in line 4", "picoseconds", "microseconds", "start_unit"];
    refused(&star, &[("flows", matrix)], &asked);
    // Host 2 does not see what host 0 has sent.
    let blind = matrix.replace("1->2 id 8 trigger 1", "2->1 id 8 trigger 1");
    refused(
        &in_us,
        &[("flows", &blind)],
        &["does not see `7`", "in line 5"],
    );
    let grouped = format!("{in_us}rows = \"group\"\n");
    let whole = [
        "a matrix with triggers is read as a whole",
        "leave `rows` out",
    ];
    refused(&grouped, &[("flows", matrix)], &whole);
}

/// Line by line as the run goes on: the same flows.
#[test]
fn a_connection_matrix_may_have_one_row() {
    let star = format!("{HEAD}[topology]\nkind = \"star\"\nhosts_per_switch = 3\n{LIST}");
    let text = format!("{star}rows = \"group\"\nstart_unit = \"us\"\n");
    let matrix = "Nodes 3\nConnections 3\n0->1 start 1 size 5000\n# later\n\
                  1->2 start 2.5 size 6000\n0->2 start 2.5 size 7000\n";
    let columns = "1 us, H1_1, H1_2, 5 kB\n2.5 us, H1_2, H1_3, 6 kB\n2.5 us, H1_1, H1_3, 7 kB\n";
    let told = |text: &str, list: &str| {
        let spec = spec(text, &[("flows", list)]);
        let group = &spec.rules.arrivals[0];
        assert_eq!(group.count, 3);
        let mut flows = group.arrivals.make();
        let mut all = Vec::new();
        while let Some(flow) = flows.next().expect("a flow") {
            all.push((flow.at.ps(), flow.source, flow.destination, flow.bytes));
        }
        all
    };
    let plain = format!("{star}rows = \"group\"\n");
    assert_eq!(told(&text, matrix), told(&plain, columns));
    let bare = matrix.split_once("0->1").expect("a flow").1;
    assert_eq!(told(&text, &format!("0->1{bare}")), told(&plain, columns));
    refused(
        &plain,
        &[("flows", matrix)],
        &["nothing says in which unit", "in line 3"],
    );
    let short = matrix.replace("Connections 3", "Connections 4");
    refused(
        &text,
        &[("flows", &short)],
        &["4 connections by this line, 3 in the file"],
    );
}

#[test]
fn a_graph_gets_hosts() {
    let graph = "{\"directed\": false, \"nodes\": [{\"id\": \"Bonn\"}, {\"id\": \"Kiel\"},\n\
                 {\"id\": \"Ulm\"}], \"edges\": [{\"source\": \"Bonn\", \"target\": \"Kiel\"},\n\
                 {\"source\": \"Kiel\", \"target\": \"Ulm\", \"rate\": \"10 Gbps\"},\n\
                 {\"source\": \"Ulm\", \"target\": \"Bonn\", \"dist\": 200}]}\n";
    let text = format!("{HEAD}{FILE}");
    let flow = "[[flows]]\nname = \"f\"\nfrom = \"H_Bonn_1\"\nto = \"H_Ulm_2\"\n";
    let own = spec(
        &format!("{text}hosts_per_node = 2\n{flow}"),
        &[("net", graph)],
    );
    let names: Vec<&str> = own.nodes.iter().map(|node| &*node.name).collect();
    let hosts = [
        "H_Bonn_1", "H_Bonn_2", "H_Kiel_1", "H_Kiel_2", "H_Ulm_1", "H_Ulm_2",
    ];
    assert_eq!(names, [&["Bonn", "Kiel", "Ulm"][..], &hosts].concat());
    let of = |link: usize| {
        (
            own.links[link].channels[1].rate.0,
            own.links[link].channels[1].delay.0,
        )
    };
    let usual = 500_000;
    assert_eq!(
        [of(0), of(1), of(2), of(3)],
        [
            (1_000_000_000, usual),
            (10_000_000_000, usual),
            (1_000_000_000, 1_000_000_000),
            (1_000_000_000, usual)
        ]
    );
    refused(
        &text,
        &[("net", graph)],
        &["none of its nodes is a host", "hosts_per_node = 1"],
    );
}

#[test]
fn switches_take_the_latency_of_the_file() {
    let topo = "Nodes 4\nTiers 2\nPodsize 4\nTier 0\nDownlink_speed_Gbps 100\nRadix_Down 2\n\
                Radix_Up 1\nDownlink_Latency_ns 1000\nSwitch_Latency_ns 300\nTier 1\n\
                Downlink_speed_Gbps 100\nRadix_Down 2\nDownlink_Latency_ns 1000\n";
    let flow = "[[flows]]\nname = \"f\"\nfrom = \"H0\"\nto = \"H3\"\n";
    let text = format!("{HEAD}{FILE}[switch]\nlatency = \"70 ns\"\n{flow}");
    let own = spec(&text, &[("net", topo)]);
    let latency = |name: &str| {
        let node = own.nodes.iter().find(|node| node.name == name);
        match &node.expect("it is there").kind {
            backwater_net::frames::spec::NodeKind::Switch(switch) => switch.latency.0,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        [latency("T0"), latency("T1"), latency("A0")],
        [300_000, 300_000, 70_000]
    );
}

/// Circuits read the same networks.
#[test]
fn circuits_have_networks_of_files() {
    let text = "engine = \"packet\"\n[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\n\
                delay = \"1 us\"\n[flow_control]\nkind = \"none\"\n[topology]\nkind = \"file\"\n\
                file = \"net\"\n[[flows]]\nname = \"f\"\nfrom = \"H0\"\nto = \"H2\"\n";
    let one = SMALL.replacen("5 2 5", "5 2 4", 1);
    let one = one
        .strip_suffix("3 4 400Gbps 2us 0\n")
        .expect("the second link");
    let read =
        with(text, &[("net", one)]).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)));
    let network = &read.packet().expect("circuits").network;
    let links = network.links.iter().map(|link| {
        let channel = &link.channels[0];
        (
            link.ends,
            channel.rate.0 / 1_000_000_000,
            channel.delay.0,
            channel.errors.data_loss,
        )
    });
    assert_eq!(
        links.collect::<Vec<_>>(),
        [
            ([0, 3], 100, 1_000_000, 0.0),
            ([1, 3], 100, 1_000_000, 0.25),
            ([2, 4], 25, 500_000, 0.0),
            ([3, 4], 400, 2_000_000, 0.0)
        ]
    );
    refused(
        text,
        &[("net", SMALL)],
        &["a second link between `S3` and `S4`", "in line 7"],
    );
}

#[test]
fn what_is_wrong_is_shown_with_its_line() {
    let text = format!("{HEAD}{FILE}");
    let wrong: [(&str, &[&str]); 6] = [
        ("", &["none of the forms"]),
        (
            "a b c\n",
            &["none of the forms", "HPCC", "htsim", "JSON", "GraphML"],
        ),
        ("1\n", &["none of the forms"]),
        ("3 1 1\n2\n0 3 1Gbps 1us 0\n", &["in line 3", "from 0 to 2"]),
        ("Nodes 4\nTiers 9\n", &["in line 2", "2 or 3 tiers"]),
        ("{\"nodes\": []}", &["no `edges`"]),
    ];
    for (net, parts) in wrong {
        refused(&text, &[("net", net)], parts);
    }
    refused(&text, &[], &["can't read `net`"]);
    for key in ["planes = 2", "host_links = 2"] {
        refused(
            &format!("{text}{key}\n"),
            &[("net", SMALL)],
            &["is of networks by rule"],
        );
    }
    let clash = "{\"nodes\": [{\"id\": \"H_A_1\"}, {\"id\": \"A\"}], \"edges\": [\n\
                 {\"source\": \"A\", \"target\": \"H_A_1\"}]}";
    let text = format!("{text}hosts_per_node = 1\n");
    refused(&text, &[("net", clash)], &["two nodes are called `H_A_1`"]);
}
