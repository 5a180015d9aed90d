//! What is looked at in the network as a whole.

use backwater_kernel::Duration;
use backwater_net::frames::spec::{ChannelSpec, Detect, MemorySpec, TransportSpec};
use backwater_scenario::{Limits, Source, needed_bytes, parse_within};

use crate::ethernet::{ONE_SWITCH, codes, read, switch, told, try_read};

/// A file in `scenarios/ethernet`.
pub(super) fn shipped(name: &str) -> String {
    let path = format!(
        "{}/../../scenarios/ethernet/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).expect("readable")
}

#[test]
fn shipped_scenarios_say_what_they_mean() {
    for (name, expected) in [
        ("incast", vec![]),
        ("shared-memory", vec![]),
        ("dctcp", vec![]),
        ("tree-deadlock", vec!["deadlock"]),
        ("tree-others", vec![]),
        ("ring-deadlock", vec!["deadlock", "overload"]),
        ("ring-destination", vec!["deadlock", "overload"]),
        ("storm", vec![]),
        ("storm-watchdog", vec![]),
    ] {
        let text = shipped(name);
        match try_read(&text, &[]) {
            Err(mistakes) => panic!("{name}: {}", mistakes.render(false)),
            Ok(scenario) => println!("{name}: {}", scenario.warnings.render(false)),
        }
        assert_eq!(codes(&text), expected, "{name}");
        let first = try_read(&text, &[]).expect("no mistakes");
        let again = try_read(&first.resolved, &[]).expect("no mistakes");
        assert_eq!(told(&first), told(&again), "{name}");
    }
}

/// `n` hosts merge at one rate; the paper's Figure 3.
fn merging(n: u32, mbps: u32, mss: u32, limit: &str, high: &str, notify: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"20 s\"\n\
         [network]\nhosts = [\"S{{1..{n}}}\", \"D\"]\nswitches = [\"A\"]\n\
         [link]\nrate = \"{mbps} Mbps\"\n[buffer]\nper_queue = \"{limit}\"\n\
         [flow_control]\nkind = \"pause\"\nnotify = \"{notify}\"\nxoff = \"{high}\"\n\
         xon = \"60 %\"\n[tcp]\npreset = \"bsd\"\nmss = \"{mss} B\"\n\
         [[flows]]\nname = \"f\"\nfrom = \"S{{1..{n}}}\"\nto = \"D\"\n\
         traffic = {{ kind = \"files\", size = \"100 kB\", \
         think = {{ mean = \"10 ms\", law = \"uniform\" }} }}\n"
    )
}

#[test]
fn the_papers_buffers_are_large_enough_for_five_hosts() {
    for notify in ["all", "others", "contributing"] {
        for n in [2, 5] {
            let text = merging(n, 10, 1_024, "70 kB", "80 %", notify);
            assert_eq!(codes(&text), [""; 0], "{n} hosts, {notify}");
        }
        let eight = merging(8, 10, 1_024, "70 kB", "80 %", notify);
        assert_eq!(codes(&eight), ["headroom"], "{notify}");
        let meant = eight.replace("xon = ", "headroom = \"unchecked\"\nxon = ");
        assert!(
            try_read(&meant, &[]).is_ok(),
            "a warning where the loss is meant"
        );
        assert_eq!(codes(&meant), ["headroom"]);
    }
}

#[test]
fn fifty_kilobytes_need_a_lower_threshold() {
    let at = |high, notify| merging(5, 100, 1_460, "50 kB", high, notify);
    // Stops to the host behind the port, which queues of acknowledgements may ask for, hold up the
    // frame that would leave meanwhile: 15,180 B instead of 14,402 B.
    for notify in ["others", "all"] {
        assert_eq!(codes(&at("69 %", notify)), [""; 0]);
        assert_eq!(codes(&at("70 %", notify)), ["headroom"]);
        assert_eq!(codes(&at("80 %", notify)), ["headroom"]);
    }
}

#[test]
fn shared_memory_gets_the_headroom_its_links_need() {
    let scenario = try_read(&shipped("shared-memory"), &[]).expect("no mistakes");
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    let MemorySpec::Shared(shared) = &switch(spec).memory else {
        panic!("no shared memory");
    };
    // 300 m of cable and 2.5 us of latency and response: 5.5 us at 400 Gbps, and frames.
    assert!(
        (275_000..400_000).contains(&shared.share.headroom_bytes),
        "{shared:?}"
    );
    assert!(
        shared.pools[0].headroom_bytes >= 12 * shared.share.headroom_bytes,
        "{shared:?}"
    );
    let pressure = switch(spec).stops.common.expect("PFC");
    assert_eq!(
        (pressure.detect, pressure.classes),
        (Detect::Inputs, 0b1000)
    );
}

#[test]
fn memory_is_checked_before_a_run() {
    let source = Source::new("test.toml", ONE_SWITCH);
    let within = |bytes| {
        let limits = Limits {
            memory_bytes: Some(bytes),
        };
        parse_within(&source, &[], &limits)
    };
    assert!(within(1 << 20).is_ok());
    let mistakes = within(1_000).expect_err("too little");
    assert_eq!(mistakes.iter().next().expect("one").code, "out-of-memory");
}

/// A connection holds no more than it has to send, however wide its window.
#[test]
fn flows_of_few_bytes_take_little_memory() {
    let text = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n\
                [topology]\nkind = \"star\"\nhosts_per_switch = 8\n\
                [link]\nrate = \"10 Gbps\"\ndelay = \"1 us\"\n\
                [tcp]\nwindow = \"100 MB\"\n\
                [[patterns]]\nname = \"p\"\nkind = \"random-pairs\"\ncount = 1000\n\
                traffic = { kind = \"greedy\", total = \"1 kB\" }\n";
    let needed = |text: &str| {
        let scenario = try_read(text, &[]).expect("it is right");
        needed_bytes(&scenario.engine)
    };
    let (few, endless) = (
        needed(text),
        needed(&text.replace(", total = \"1 kB\"", "")),
    );
    assert!((20_000_000..30_000_000).contains(&few), "{few}");
    assert!(endless > 4_000_000_000, "{endless}");
}

/// Frames that wait for each other: what a scheme and a way of telling make possible.
#[test]
fn circles_depend_on_who_is_told_and_of_what() {
    let tree = shipped("tree-deadlock");
    for (notify, kind, expected) in [
        ("all", "pause", vec!["deadlock"]),
        ("all", "pfc", vec!["deadlock"]),
        ("all", "destination", vec![]),
        ("others", "pause", vec![]),
        ("contributing", "pause", vec![]),
    ] {
        let text = tree.replace("\"all\"", &format!("\"{notify}\""));
        let text = text.replace("\"pause\"", &format!("\"{kind}\""));
        assert_eq!(codes(&text), expected, "{notify}, {kind}");
    }
    // With windows that fit below the threshold nothing ever stops.
    assert_eq!(codes(&tree.replace("count = 3", "count = 1")), [""; 0]);
    let ring = shipped("ring-deadlock");
    for notify in ["others", "contributing"] {
        let text = ring.replace("\"pause\"", &format!("\"pause\"\nnotify = \"{notify}\""));
        assert_eq!(codes(&text), ["deadlock", "overload"], "{notify}");
    }
}

/// A full segment fills the MTU that the file gives, whatever the preset; what the file says of
/// it goes first, and is warned of where it is far smaller.
#[test]
fn segments_follow_the_mtu() {
    let mss = |text: &str| match &read(text).flows[0].transport {
        TransportSpec::Tcp(tcp) => tcp.mss_bytes,
        TransportSpec::Roce(_) | TransportSpec::Udp { .. } => 0,
    };
    // Headroom of large frames is another matter.
    let text = ONE_SWITCH.replace("\"pause\"", "\"none\"");
    let modern = text.replace("[[flows]]", "[tcp]\npreset = \"modern\"\n[[flows]]");
    let jumbo = modern.replace("[link]", "[link]\nmtu = 9000");
    assert_eq!((mss(&modern), mss(&jumbo)), (1_460, 8_960));
    assert_eq!(mss(&text.replace("[link]", "[link]\nmtu = 1500")), 1_460);
    assert_eq!(codes(&jumbo), [""; 0]);
    for (given, code) in [(1_460, &["small-segments"][..]), (8_000, &[])] {
        let text = jumbo.replace("[tcp]", &format!("[tcp]\nmss = \"{given} B\""));
        assert_eq!((mss(&text), codes(&text).as_slice()), (given, code));
    }
}

/// One word turns back-pressure off, whatever else the table says.
#[test]
fn flow_control_none_turns_the_rest_off() {
    let text = ONE_SWITCH.replace(
        "kind = \"pause\"",
        "kind = \"pause\"\nclasses = [0]\nxoff = \"60 %\"\nxon = \"50 %\"\n\
         headroom = \"unchecked\"",
    );
    assert!(switch(&read(&text)).stops.common.is_some());
    let off = try_read(&text, &["flow_control.kind=\"none\""]).expect("no error");
    let found: Vec<&str> = off.warnings.iter().map(|one| one.code).collect();
    assert_eq!(found, ["set-aside"]);
    let in_file = text.replace("kind = \"pause\"", "kind = \"none\"");
    assert_eq!(codes(&in_file), ["ignored"]);
    let spec = &off.ethernet().expect("for Ethernet").network;
    assert_eq!(switch(spec).stops.common, None);
}

/// Of two keys that say the same, the one in the nearest table holds, and of the rest each.
#[test]
fn the_nearest_table_says_what_a_queue_does() {
    let spec = read(
        "engine = \"ethernet\"\n[run]\nduration = \"1 s\"\n[topology]\nkind = \"line\"\n\
         switches = 2\nhosts_per_switch = 1\n\
         trunk = { cable = \"2 km\", mark_above = \"30 kB\", \
         scheduler = { kind = \"drr\", quantum = \"3 kB\" } }\n\
         [link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
         [buffer]\nper_queue = \"80 kB\"\nmark_above = \"10 kB\"\n\
         [scheduler]\nkind = \"drr\"\nquantum = \"2 kB\"\n\
         [[classes]]\nclass = 1\necn = { min = \"20 kB\", max = \"40 kB\" }\n\
         [[links]]\nbetween = [\"S2\", \"S1\"]\nlimit = \"90 kB\"\n\
         forward = { ecn = { min = \"50 kB\", max = \"60 kB\" } }\n\
         [[flows]]\nname = \"f\"\nfrom = \"H1_1\"\nto = \"H2_1\"\nclass = 1\n",
    );
    let held = |channel: &ChannelSpec, class: usize| {
        let queue = &channel.queues[class];
        let ecn = queue.ecn.expect("it marks");
        let kilobytes = [queue.limit_bytes.expect("a limit"), ecn.low_bytes];
        (
            kilobytes.map(|bytes| bytes / 1_000),
            queue.quantum_bytes,
            channel.delay,
        )
    };
    let (near, far) = (Duration(1_000_000), Duration(10_000_000));
    let host = &spec.links[0].channels[1];
    assert_eq!(held(host, 0), ([80, 10], 2_000, near), "as the buffer");
    assert_eq!(held(host, 1), ([80, 20], 2_000, near), "as the class");
    let trunk = &spec.links[2];
    assert_eq!(
        held(&trunk.channels[0], 1),
        ([90, 30], 3_000, far),
        "as trunks"
    );
    assert_eq!(
        held(&trunk.channels[1], 1),
        ([90, 50], 3_000, far),
        "one way"
    );
}

/// Paths of a flow from each of 3,456 hosts, all of them, and not in vain.
#[test]
fn headroom_of_a_large_fat_tree_is_checked() {
    let path = "/../../scenarios/bench/fat-tree-1024.toml";
    let text = std::fs::read_to_string(format!("{}{path}", env!("CARGO_MANIFEST_DIR")));
    let text = text.expect("readable").replace("ports = 16", "ports = 24");
    assert_eq!(codes(&text), [""; 0]);
    let late = text.replace("xoff = \"24 %\"", "xoff = \"80 %\"");
    let found = try_read(&late, &[]).expect_err("too little headroom");
    assert!(found.render(false).starts_with("error[headroom]"));
}
