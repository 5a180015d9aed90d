//! What crosses channels that no shortest way tells apart, against the same network where each
//! channel is followed for itself.

use backwater_scenario::{Engine, headroom::Need};

use super::try_read;

/// A network with its rule, a switch with its last host, and its hosts.
struct Fabric {
    rule: &'static str,
    last: (&'static str, &'static str),
    hosts: Vec<String>,
}

fn fabrics() -> [Fabric; 2] {
    let edges = (1..=4).flat_map(|pod| [1, 2].map(|edge| format!("{pod}_{edge}")));
    let hosts = |places: Vec<String>, each: u32| {
        let all = places.into_iter();
        let all = all.flat_map(|place| (1..=each).map(move |n| format!("H{place}_{n}")));
        all.collect()
    };
    [
        Fabric {
            rule: "kind = \"fat-tree\"\nports = 4",
            last: ("E4_2", "H4_2_2"),
            hosts: hosts(edges.collect(), 2),
        },
        Fabric {
            rule: "kind = \"leaf-spine\"\nleaves = 3\nspines = 3\nhosts_per_switch = 3",
            last: ("L3", "H3_3"),
            hosts: hosts((1..=3).map(|leaf: u32| leaf.to_string()).collect(), 3),
        },
    ]
}

const CONTROLS: [&str; 3] = [
    "[buffer]\nper_queue = \"4 MB\"\n[flow_control]\nkind = \"pfc\"\n\
     xoff = \"20 %\"\nxon = \"10 %\"\nnotify = \"contributing\"\n",
    "[buffer]\nper_queue = \"4 MB\"\n[flow_control]\nkind = \"pfc\"\n\
     xoff = \"20 %\"\nxon = \"10 %\"\nnotify = \"others\"\n",
    "[buffer]\nper_input = \"1 MB\"\n[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\n\
     xoff = \"20 %\"\nxon = \"10 %\"\n",
];

/// Flows between hosts other than the last, of several sizes of frames.
fn text(fabric: &Fabric, control: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut draw = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below
    };
    let mut text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[topology]\n{}\n\
         [link]\nrate = \"10 Gbps\"\ndelay = \"1 us\"\n{control}",
        fabric.rule
    );
    let hosts = fabric.hosts.len() - 1;
    for flow in 0..3 + draw(8) {
        let from = draw(hosts);
        let to = (from + 1 + draw(hosts - 1)) % hosts;
        let (from, to) = (&fabric.hosts[from], &fabric.hosts[to]);
        let payload = 100 + 300 * draw(5);
        text += &format!(
            "[[flows]]\nname = \"f{flow}\"\nfrom = \"{from}\"\nto = \"{to}\"\ntransport = \"udp\"\n\
             payload = \"{payload} B\"\ntraffic = {{ kind = \"greedy\" }}\n"
        );
    }
    text
}

/// The account of headroom, and which warnings there are.
fn looked_at(text: &str) -> (Vec<Need>, Vec<&'static str>) {
    let found = match try_read(text, &[]) {
        Ok(found) => found,
        Err(mistakes) => panic!("{}\n{text}", mistakes.render(false)),
    };
    let Engine::Ethernet(scenario) = found.engine else {
        panic!("not of frames");
    };
    let codes = found.warnings.iter().map(|one| one.code);
    (scenario.headroom, codes.collect())
}

#[test]
fn bundles_and_single_channels_give_one_account() {
    for fabric in fabrics() {
        for (control, seed) in CONTROLS
            .iter()
            .zip(0..)
            .flat_map(|(c, at)| (0..12).map(move |seed: u64| (c, 100 * at + seed)))
        {
            let text = text(&fabric, control, seed);
            let (switch, host) = fabric.last;
            // Ways that the file gives are followed channel by channel; this one changes none.
            let given =
                format!("[[routes]]\nnode = \"{switch}\"\nto = \"{host}\"\nvia = \"{host}\"\n");
            let (bundled, single) = (looked_at(&text), looked_at(&(text.clone() + &given)));
            assert!(!bundled.0.is_empty(), "{text}");
            assert_eq!(bundled, single, "{text}");
        }
    }
}

/// Negative control: other flows have another account.
#[test]
fn other_flows_have_another_account() {
    for fabric in fabrics() {
        let [one, other] = [1, 2].map(|seed| looked_at(&text(&fabric, CONTROLS[0], seed)));
        assert_ne!(one.0, other.0);
    }
}
