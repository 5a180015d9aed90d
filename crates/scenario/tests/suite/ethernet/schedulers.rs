//! Classes under schedulers: what files say of them, and that classes get what they reserve.

use backwater_kernel::{Duration, Rate, Rings};
use backwater_net::frames::Simulation;
use backwater_net::frames::probe::Audit;
use backwater_net::frames::spec::{EthernetSpec, ReserveSpec, SchedulerSpec};

use crate::ethernet::{codes, read};

/// Three lossless classes fill the port of `D`; classes 0, 1, 2 reserve 10, 20, 60 % of it.
fn filled(kind: &str) -> String {
    let class = |(class, percent): (u32, u32)| {
        format!(
            "[[classes]]\nclass = {class}\nreserve = {{ rate = \"{percent} %\" }}\n\
             [[flows]]\nname = \"f{class}\"\nfrom = \"H{class}\"\nto = \"D\"\n\
             class = {class}\ntransport = \"udp\"\n"
        )
    };
    let classes: String = [(0, 10), (1, 20), (2, 60)].into_iter().map(class).collect();
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"60 ms\"\nwarm_up = \"20 ms\"\n\
         [network]\nhosts = [\"H{{0..2}}\", \"D\"]\nswitches = [\"S\"]\n\
         [link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
         [scheduler]\nkind = \"{kind}\"\n\
         [flow_control]\nkind = \"pfc\"\nclasses = [0, 1, 2]\n{classes}"
    )
}

/// Goodput of the flows, Mbps, in a run that breaks no promise.
fn goodput(spec: &EthernetSpec) -> Vec<f64> {
    let audit = Audit::new(spec);
    let mut simulation =
        Simulation::<Rings, Audit>::with_probe(spec, audit).expect("a sound network");
    simulation.run();
    let outcome = simulation.outcome();
    assert_eq!(outcome.violations.total(), 0, "{:?}", outcome.violations);
    assert!(outcome.flows.iter().all(|flow| flow.lost_total == 0));
    let flows = outcome.flows.iter();
    let bits = flows.map(|flow| flow.ends.goodput_bytes as f64 * 8.0);
    bits.map(|bits| bits / 40e-3 / 1e6).collect()
}

#[test]
fn lossless_classes_get_what_they_reserve() {
    // 1,472 of 1,538 bytes are payload.
    let whole = 1_000.0 * 1_472.0 / 1_538.0;
    for kind in ["wf2q+", "scfq", "sfq", "virtual-clock", "wfq"] {
        let found = goodput(&read(&filled(kind)));
        for (found, part) in found.iter().zip([1.0, 2.0, 6.0]) {
            let share = whole * part / 9.0;
            // WFQ follows a fluid server that knows nothing of stops and of control frames.
            let tolerance = if kind == "wfq" { 0.05 } else { 0.01 };
            assert!(
                (found / share - 1.0).abs() < tolerance,
                "{kind}: {found} of {share}"
            );
        }
    }
    // Shaping leaves free what nobody reserves.
    let found = goodput(&read(&filled("ats")));
    for (found, part) in found.iter().zip([0.1, 0.2, 0.6]) {
        assert!((found / (whole * part) - 1.0).abs() < 0.01, "ats: {found}");
    }
    // The control: by turns all have the same, and by priority one has all.
    let found = goodput(&read(&filled("round-robin")));
    assert!(
        found
            .iter()
            .all(|one| (one / (whole / 3.0) - 1.0).abs() < 0.01)
    );
    let found = goodput(&read(&filled("strict-priority")));
    assert!(found[2] > 0.99 * whole && found[0] == 0.0, "{found:?}");
}

#[test]
fn what_classes_have_reaches_every_port() {
    let text = filled("edf").replace(
        "reserve = { rate = \"20 %\" }",
        "priority = 2\nreserve = { rate = \"30 Mbps\", deadline = \"1 ms\", burst = \"2 kB\" }",
    );
    let text = text + "[[links]]\nbetween = [\"H0\", \"S\"]\nrate = \"100 Mbps\"\n";
    let spec = read(&text);
    for link in &spec.links {
        for channel in &link.channels {
            assert_eq!(channel.scheduler, SchedulerSpec::Edf);
            let reserves: Vec<Option<ReserveSpec>> =
                channel.queues.iter().map(|queue| queue.reserve).collect();
            let rates = reserves.iter().flatten().map(|reserve| reserve.rate);
            let rates: Vec<Rate> = rates.collect();
            let of_port = |percent: u64| Rate(channel.rate.0 / 100 * percent);
            assert_eq!(rates, [of_port(10), Rate(30_000_000), of_port(60)]);
            let own = reserves[1].expect("class 1 reserves");
            assert_eq!(own.deadline, Some(Duration(1_000_000_000)));
            assert_eq!(own.burst_bytes, Some(2_000));
            let priorities: Vec<u8> = channel.queues.iter().map(|queue| queue.priority).collect();
            assert_eq!(priorities, [0, 2, 0]);
        }
    }
}

#[test]
fn what_no_scheduler_uses_and_what_is_too_much_is_told() {
    let found = |kind: &str, from: &str, to: &str| codes(&filled(kind).replace(from, to));
    assert!(found("wfq", "", "").is_empty());
    assert_eq!(found("drr", "", ""), ["unused"; 3]);
    // One mistake is told alone.
    assert_eq!(found("cbs", "", ""), ["unknown-word"]);
    assert_eq!(found("wfq", "60 %", "80 %"), ["over-reserved"]);
    let bare = filled("wfq").replace("reserve = ", "# ");
    assert_eq!(codes(&bare), ["nothing-reserved"]);
    let small = "rate = \"60 %\", burst = \"500 B\"";
    assert_eq!(found("ats", "rate = \"60 %\"", small), ["burst-too-small"]);
    let urgent = "class = 2\npriority = 1\nreserve";
    assert_eq!(found("fifo", "class = 2\nreserve", urgent).len(), 4);
}

/// A and B fill a queue of 20 kB to D, whose port alone serves by `kind`; B starts late.
fn shaped(kind: &str, xoff_bytes: u32, late_us: u32) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"2 ms\"\n\
         [network]\nhosts = [\"A\", \"B\", \"D\"]\nswitches = [\"s\"]\n\
         [link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n[buffer]\nper_queue = \"20 kB\"\n\
         [[links]]\nbetween = [\"s\", \"D\"]\n\
         forward = {{ scheduler = {{ kind = \"{kind}\" }} }}\n\
         [flow_control]\nkind = \"pfc\"\nclasses = [0]\nxoff = \"{xoff_bytes} B\"\nxon = \"8 kB\"\n\
         [[classes]]\nclass = 0\nreserve = {{ rate = \"10 %\" }}\n\
         [[flows]]\nname = \"a\"\nfrom = \"A\"\nto = \"D\"\ntransport = \"udp\"\n\
         [[flows]]\nname = \"b\"\nfrom = \"B\"\nto = \"D\"\ntransport = \"udp\"\n\
         traffic = {{ kind = \"greedy\", start = \"{late_us} us\" }}\n"
    )
}

/// Four frames may come after the threshold. A port that sends has sent one of them meanwhile; one
/// that shapes may not have.
#[test]
fn a_port_that_shapes_needs_room_for_every_frame() {
    let (four, three) = (20_000 - 4 * 1_518, 20_000 - 3 * 1_518);
    assert_eq!(codes(&shaped("ats", three, 0)), ["headroom"]);
    assert_eq!(codes(&shaped("ats", four + 1, 0)), ["headroom"]);
    assert!(codes(&shaped("wfq", three, 0)).is_empty());
    let dropped = |text: &str| {
        let mut simulation: Simulation<Rings> =
            Simulation::new(&read(text)).expect("a sound network");
        simulation.run();
        let flows = simulation.outcome().flows;
        flows.iter().map(|flow| flow.lost_total).sum::<u64>()
    };
    for late_us in 0..13 {
        assert_eq!(dropped(&shaped("ats", four, late_us)), 0, "{late_us} us");
        assert_eq!(dropped(&shaped("wfq", three, late_us)), 0, "{late_us} us");
    }
    // The control: with room for three only, some frame is lost.
    let unchecked = |late_us| {
        shaped("ats", three - 200, late_us)
            .replace("kind = \"pfc\"", "kind = \"pfc\"\nheadroom = \"unchecked\"")
    };
    assert!((0..13).any(|late_us| dropped(&unchecked(late_us)) > 0));
}

/// A class that nobody asked to hold is not held, alone or beside one that is.
#[test]
fn what_reserves_nothing_is_not_shaped() {
    let text = |kind: &str, more: &str| {
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"20 ms\"\nwarm_up = \"2 ms\"\n\
             [network]\nhosts = [\"A\", \"B\", \"D\"]\nswitches = [\"s\"]\n\
             [link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n[scheduler]\nkind = \"{kind}\"\n{more}\
             [[flows]]\nname = \"camera\"\nfrom = \"A\"\nto = \"D\"\nclass = 5\n\
             transport = \"udp\"\ntraffic = {{ kind = \"constant\", rate = \"300 Mbps\" }}\n\
             [[flows]]\nname = \"other\"\nfrom = \"B\"\nto = \"D\"\nclass = 2\n\
             transport = \"udp\"\ntraffic = {{ kind = \"constant\", rate = \"200 Mbps\" }}\n"
        )
    };
    let rates = |text: &str| {
        let mut simulation: Simulation<Rings> =
            Simulation::new(&read(text)).expect("a sound network");
        simulation.run();
        let flows = simulation.outcome().flows;
        let bytes = flows.iter().map(|flow| flow.ends.goodput_bytes);
        bytes
            .map(|bytes| (bytes as f64 * 8.0 / 18e-3 / 1e6).round())
            .collect::<Vec<f64>>()
    };
    let reserve = "[[classes]]\nclass = 2\nreserve = { rate = \"100 Mbps\" }\n";
    let near = |found: &[f64], wanted: [f64; 2]| {
        let each = found.iter().zip(wanted);
        assert!(
            each.clone().all(|(one, other)| (one - other).abs() < 4.0),
            "{found:?}"
        );
    };
    assert_eq!(codes(&text("ats", "")), ["nothing-reserved"]);
    near(&rates(&text("ats", "")), [300.0, 200.0]);
    // What reserves is held: 100 Mbps of frames are 94 of payload or so.
    near(&rates(&text("ats", reserve)), [300.0, 96.0]);
    near(&rates(&text("wfq", "")), [300.0, 200.0]);
}
