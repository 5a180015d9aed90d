//! What comes out of files for the flit engine that are right.

use std::io;
use std::path::Path;

use backwater_flit::series::Measure;
use backwater_flit::spec::{
    Allocator, Arbiter, FabricSpec, Injection, LaneChoice, Pattern, Release, RoutingSpec, Shape,
    Size, Sources, Switch, TraceEntry, WarmUp,
};
use backwater_scenario::{Diagnostics, Limits, Scenario, Set, Severity, Source, parse, parse_with};

const EVERYTHING: &str = include_str!("../files/flit.toml");

fn load(path: &Path) -> io::Result<String> {
    let text = match path.to_str() {
        Some("nets/chain.anynet") => "router 0 node 0 router 1 5\nrouter 1 node 1\n",
        Some("nets/ring.edges") => "a -> b\nb -> c\nc -> a 3\n",
        Some("nets/dag.edges") => "a -> b\nb -> c\na -> c\nterminal c\n",
        Some("nets/demand.csv") => "# who wants what\n0, 1\n2.5, 0\n",
        Some("nets/named.csv") => {
            "# of a tool\nFlits, destination,source,cycle\n4,1,0,0\n2,0,1,9\n"
        }
        Some("nets/bare.csv") => "0,0,1,4\n9,1,0,2\n",
        Some("nets/trace.csv") => "cycle,source,destination,flits\n0,0,1,4\n9,1,0,2 # late\n",
        _ => return Err(io::Error::other("no such file")),
    };
    Ok(text.into())
}

fn try_read(text: &str, sets: &[&str], limits: Limits) -> Result<Scenario, Diagnostics> {
    let sets = sets.iter().map(|set| Set::new(set).expect("key=value"));
    let sets: Vec<Set> = sets.collect();
    parse_with(&Source::new("nets/test.toml", text), &sets, &limits, &load)
}

fn read(text: &str, sets: &[&str]) -> FabricSpec {
    let scenario = try_read(text, sets, Limits::default()).expect("no mistakes");
    scenario.fabric().expect("for the flit engine").clone()
}

fn codes(text: &str) -> Vec<&'static str> {
    match try_read(text, &[], Limits::default()) {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

fn small(topology: &str, more: &str) -> String {
    format!(
        "engine = \"flit\"\n[run]\nmeasure = 1000\n[topology]\n{topology}\n\
         [traffic]\nload = 0.1\n{more}\n"
    )
}

#[test]
fn a_short_file_gets_its_defaults() {
    let spec = read(&small("kind = \"mesh\"\nsides = [2, 3]", ""), &[]);
    assert_eq!(
        (spec.seed, spec.graph.routers, spec.graph.channels.len()),
        (1, 6, 14)
    );
    assert_eq!(spec.routing, RoutingSpec::DimensionOrder);
    assert_eq!((spec.router.lanes, spec.router.depth), (1, 4));
    assert_eq!(
        (spec.router.switch, spec.router.release),
        (Switch::Crossbar, Release::Drained)
    );
    assert_eq!((spec.router.header_delay, spec.router.credit_delay), (0, 1));
    assert_eq!(spec.router.allocation_delay, 0);
    assert_eq!(spec.router.lane_choice, LaneChoice::Lowest);
    assert_eq!(spec.router.channel_arbiter, Arbiter::RoundRobin);
    assert_eq!((spec.sources, spec.classes.len()), (Sources::One, 1));
    let class = &spec.classes[0];
    assert_eq!(class.injection, Injection::Bernoulli { load: 0.1 });
    assert_eq!((&class.size, class.lane_group), (&Size::Fixed(1), 0));
    assert_eq!(
        class.pattern,
        Pattern::Uniform {
            include_self: false
        }
    );
    assert_eq!(spec.measure.warm_up, WarmUp::Auto { most: 100_000 });
    assert_eq!((spec.measure.window, spec.measure.drain), (1000, 100_000));
}

#[test]
fn everything_is_read() {
    let spec = read(EVERYTHING, &[]);
    assert_eq!(spec.seed, 7);
    assert_eq!((spec.measure.drain, spec.measure.stall), (30_000, 5_000));
    let router = &spec.router;
    assert_eq!(
        (router.lanes, router.depth, router.cut_through),
        (8, 8, true)
    );
    let allocator = Allocator::Islip { iterations: 2 };
    let switch = Switch::Multiplexed {
        allocator,
        output_buffer: 4,
        speedup: 2,
    };
    assert_eq!((router.switch, router.release), (switch, Release::TailSent));
    assert_eq!(
        (router.channel_arbiter, router.lane_arbiter),
        (Arbiter::Earliest, Arbiter::Random)
    );
    assert_eq!(router.lane_choice, LaneChoice::RoundRobin);
    let delays = (
        router.header_delay,
        router.allocation_delay,
        router.pipeline_delay,
        router.credit_delay,
    );
    assert_eq!(delays, (1, 3, 1, 2));
    assert_eq!(spec.graph.channels[0].latency, 2);
    let [bursts, even, ask, answer] = spec.classes.as_slice() else {
        panic!("{} classes", spec.classes.len());
    };
    let injection = Injection::OnOff {
        load: 0.1,
        peak: 0.9,
        burst: 200.0,
    };
    assert_eq!(bursts.injection, injection);
    assert_eq!((bursts.priority, bursts.deadline), (2, Some(90)));
    let size = Size::Bimodal {
        short: 1,
        long: 8,
        long_per_million: 250_000,
    };
    assert_eq!(bursts.size, size);
    assert_eq!(even.size, Size::Weighted(vec![(1, 5), (2, 3), (8, 1)]));
    let pattern = Pattern::Hotspot {
        targets: vec![(5, 3), (9, 1)],
        share: 0.1,
    };
    assert_eq!(even.pattern, pattern);
    let requests = Injection::RequestReply {
        outstanding: 4,
        think: 10,
        reply_class: 3,
    };
    assert_eq!(
        (&ask.injection, &answer.injection),
        (&requests, &Injection::Replies)
    );
    assert_eq!((even.lane_group, answer.lane_group), (0, 1));
}

#[test]
fn the_resolved_scenario_means_the_same() {
    let short = small("kind = \"fly\"\nk = 2\nn = 3", "flits = 20");
    let file = small("kind = \"file\"\nfile = \"chain.anynet\"", "");
    for text in [EVERYTHING, &short, &file] {
        let first = try_read(text, &[], Limits::default()).expect("no mistakes");
        let again = try_read(&first.resolved, &[], Limits::default()).expect("no mistakes");
        assert_eq!(first.fabric(), again.fabric());
        assert_eq!(first.resolved, again.resolved, "resolving is idempotent");
    }
}

#[test]
fn topologies_choose_their_routing() {
    for (topology, routing, terminals) in [
        (
            "kind = \"fly\"\nk = 2\nn = 3",
            RoutingSpec::DestinationTag,
            8,
        ),
        (
            "kind = \"fat-tree\"\nk = 2\nn = 3",
            RoutingSpec::NearestCommonAncestor,
            8,
        ),
        (
            "kind = \"full\"\nrouters = 3\nterminals_per_router = 2",
            RoutingSpec::Table,
            6,
        ),
        ("kind = \"crossbar\"\nterminals = 5", RoutingSpec::Table, 5),
        (
            "kind = \"file\"\nfile = \"chain.anynet\"",
            RoutingSpec::Table,
            2,
        ),
    ] {
        let spec = read(&small(topology, ""), &[]);
        assert_eq!(
            (spec.routing, spec.graph.inject.len()),
            (routing, terminals),
            "{topology}"
        );
    }
    let torus = small("kind = \"torus\"\nsides = [4]", "[router]\nvcs = 2");
    assert_eq!(read(&torus, &[]).routing, RoutingSpec::Dateline);
}

#[test]
fn sets_reach_tables_written_short() {
    let text = small("kind = \"mesh\"\nsides = [2, 2]", "pattern = \"uniform\"");
    let sets = [
        "traffic.load=40 %",
        "traffic.pattern=transpose",
        "traffic.flits=7",
    ];
    let class = read(&text, &sets).classes.remove(0);
    assert_eq!(class.injection, Injection::Bernoulli { load: 0.4 });
    assert_eq!(
        (class.pattern, class.size),
        (Pattern::Transpose, Size::Fixed(7))
    );
    let spec = read(
        EVERYTHING,
        &["classes.even.load=0.3", "traffic.pattern.share=0.5"],
    );
    assert_eq!(
        spec.classes[1].injection,
        Injection::Bernoulli { load: 0.3 }
    );
    assert!(matches!(
        spec.classes[1].pattern,
        Pattern::Hotspot { share: 0.5, .. }
    ));
}

#[test]
fn cycles_are_read_with_and_without_their_unit() {
    let text = small("kind = \"crossbar\"\nterminals = 2", "");
    for (written, cycles) in [
        ("700", 700),
        ("7_00 cycles", 700),
        ("1 cycle", 1),
        ("7e2 cycles", 700),
    ] {
        let spec = read(&text, &[&format!("run.measure={written}")]);
        assert_eq!(spec.measure.window, cycles, "{written}");
    }
    for wrong in [
        "0",
        "-1 cycles",
        "1.5",
        "1.5 cycles",
        "7 ms",
        "1e30 cycles",
        "cycles",
    ] {
        let set = format!("run.measure={wrong}");
        assert!(
            try_read(&text, &[&set], Limits::default()).is_err(),
            "{wrong}"
        );
    }
}

#[test]
fn files_are_read_from_the_folder_of_the_scenario() {
    let ring = "kind = \"file\"\nfile = \"ring.edges\"\nterminals_per_router = 2\nlatency = 4";
    let scenario = try_read(&small(ring, ""), &[], Limits::default()).expect("no mistakes");
    let graph = &scenario.fabric().expect("for the flit engine").graph;
    assert_eq!(
        (&graph.shape, graph.routers, graph.inject.len()),
        (&Shape::Irregular, 3, 6)
    );
    let latencies: Vec<u16> = graph
        .channels
        .iter()
        .map(|channel| channel.latency)
        .collect();
    assert_eq!(
        (latencies, graph.names.join("")),
        (vec![4, 4, 3], "abc".into())
    );
    assert_eq!(
        scenario.files,
        [Source::new("ring.edges", "a -> b\nb -> c\nc -> a 3\n")]
    );
    let two = "kind = \"crossbar\"\nterminals = 2";
    let matrix = small(
        two,
        "pattern = { kind = \"matrix\", file = \"demand.csv\" }",
    );
    let rows = vec![vec![0.0, 1.0], vec![2.5, 0.0]];
    assert_eq!(read(&matrix, &[]).classes[0].pattern, Pattern::Matrix(rows));
    let trace = small(
        two,
        "injection = { kind = \"trace\", file = \"trace.csv\" }",
    );
    let trace = trace.replace("load = 0.1\n", "");
    let entry = |cycle, source, destination, length| TraceEntry {
        cycle,
        source,
        destination,
        length,
    };
    let list = vec![entry(0, 0, 1, 4), entry(9, 1, 0, 2)];
    // Columns go by the names of a heading.
    for file in ["trace.csv", "named.csv", "bare.csv"] {
        let spec = read(&trace.replace("trace.csv", file), &[]);
        assert_eq!(spec.classes[0].injection, Injection::Trace(list.clone()));
    }
    // A trace is measured from its beginning.
    assert_eq!(read(&trace, &[]).measure.warm_up, WarmUp::Cycles(0));
    let auto = read(&trace, &["run.warm_up=\"auto\""]);
    assert_eq!(auto.measure.warm_up, WarmUp::Auto { most: 100_000 });
    assert_eq!(codes(&matrix.replace("demand", "nothing")), ["no-file"]);
}

#[test]
fn warnings_name_rings_that_may_deadlock() {
    let ring = |more: &str| small("kind = \"torus\"\nsides = [4]", more);
    assert_eq!(
        codes(&ring("[routing]\nkind = \"unrestricted\"")),
        ["deadlock"]
    );
    assert!(codes(&ring("[router]\nvcs = 2")).is_empty());
    assert_eq!(
        codes(&small("kind = \"file\"\nfile = \"ring.edges\"", "")),
        ["deadlock"]
    );
    assert!(codes(&small("kind = \"file\"\nfile = \"chain.anynet\"", "")).is_empty());
}

#[test]
fn credit_at_once_needs_channels_without_cycles() {
    let codes = |topology: &str| codes(&small(topology, "[router]\ncredit_delay = 0"));
    assert!(codes("kind = \"fly\"\nk = 2\nn = 3").is_empty());
    assert!(codes("kind = \"crossbar\"\nterminals = 4").is_empty());
    assert!(codes("kind = \"mesh\"\nsides = [1]\nterminals_per_router = 2").is_empty());
    for cyclic in [
        "kind = \"mesh\"\nsides = [2]",
        "kind = \"fat-tree\"\nk = 2\nn = 2",
        "kind = \"full\"\nrouters = 3",
        "kind = \"file\"\nfile = \"ring.edges\"",
    ] {
        assert!(codes(cyclic).contains(&"bad-credit"), "{cyclic}");
    }
    // Only one terminal, which can't send to itself: but no cycle.
    assert_eq!(
        codes("kind = \"file\"\nfile = \"dag.edges\""),
        ["bad-pattern"]
    );
}

#[test]
fn memory_is_checked_before_the_network_is_made() {
    let text = small(
        "kind = \"mesh\"\nsides = [4096, 4096]",
        "[router]\nvcs = 32",
    );
    let limits = |memory| Limits {
        memory_bytes: Some(memory),
    };
    let mistakes = try_read(&text, &[], limits(1 << 30)).expect_err("80 GB");
    assert_eq!(
        mistakes.iter().map(|d| d.code).collect::<Vec<_>>(),
        ["out-of-memory"]
    );
    let small = small("kind = \"mesh\"\nsides = [8, 8]", "");
    assert!(try_read(&small, &[], limits(1 << 20)).is_ok());
    assert!(try_read(&small, &[], limits(10_000)).is_err());
}

#[test]
fn series_name_channels_by_number_or_by_name() {
    let series = |text: &str| {
        let text = format!(
            "engine = \"flit\"\n[run]\nmeasure = \"5000 cycles\"\n[topology]\nkind = \"mesh\"\n\
             sides = [3]\n[traffic]\nload = 0.1\n[[series]]\nname = \"x\"\n{text}\n"
        );
        let scenario = parse(&Source::new("x.toml", text), &[]);
        scenario.map(|scenario| scenario.cycle_series)
    };
    let of = |text: &str| {
        let found = series(text).map_err(|mistakes| mistakes.to_string());
        found.expect(text).remove(0)
    };
    let load = |text: &str| of(&format!("measure = \"load\"\n{text}")).measure;
    // Channels in the order of the routers they leave: 0->1, 1->.., 1->.., 2->1.
    assert_eq!(load("on = \"0->1\""), Measure::Load(vec![0]));
    assert_eq!(
        load("on = \"router 2 -> router 1\""),
        Measure::Load(vec![3])
    );
    assert_eq!(load(""), Measure::Load(vec![0, 1, 2, 3]));
    let queue = of("measure = \"queue\"\nwindow = \"10 cycles\"");
    assert_eq!((queue.measure, queue.window), (Measure::Queue, 10));
    assert_eq!(of("measure = \"accepted\"").window, 1_000);
}

#[test]
fn a_series_of_too_many_windows_is_refused() {
    let text = "engine = \"flit\"\n[run]\nmeasure = 1000000000\n[topology]\nkind = \"mesh\"\n\
                sides = [3]\n[traffic]\nload = 0.1\n[[series]]\nname = \"x\"\n\
                measure = \"queue\"\nwindow = 10\n";
    let error = parse(&Source::new("x.toml", text), &[]).map(drop);
    let error = error.expect_err("100 million windows").to_string();
    assert!(error.contains("too many windows"), "{error}");
    assert!(error.contains("window = \"954 cycles\""), "{error}");
}

/// Loads are summed where they come from and where they go.
#[test]
fn terminals_are_asked_for_their_own_sums() {
    let codes = |classes: &str| -> Vec<&'static str> {
        let text = format!(
            "engine = \"flit\"\n[run]\nmeasure = 1000\n[topology]\nkind = \"mesh\"\n\
             sides = [2, 2]\n[router]\nvcs = 4\n[traffic]\nflits = 1\n{classes}"
        );
        let read = parse(&Source::new("a.toml", &text), &[]).expect("it is right");
        read.warnings.iter().map(|one| one.code).collect()
    };
    let class = |name: &str, load: f64, pattern: &str| {
        format!("[[classes]]\nname = {name:?}\nload = {load}\npattern = {pattern}\n")
    };
    let matrix = |from: usize, to: usize| {
        let rows = (0..4).map(|row| (0..4).map(move |column| (row, column) == (from, to)));
        let rows: Vec<Vec<u8>> = rows.map(|row| row.map(u8::from).collect()).collect();
        format!("{{ kind = \"matrix\", rows = {rows:?} }}")
    };
    let two = |a: (usize, usize), b: (usize, usize)| {
        codes(&(class("a", 0.7, &matrix(a.0, a.1)) + &class("b", 0.7, &matrix(b.0, b.1))))
    };
    assert_eq!(two((0, 1), (1, 3)), [""; 0]);
    assert_eq!(two((0, 1), (0, 3)), ["overload"], "one sends both");
    assert_eq!(two((0, 3), (1, 3)), ["overload"], "one gets both");
    let hot = "{ kind = \"hotspot\", targets = [1], share = 0.4 }";
    assert_eq!(codes(&class("a", 0.4, hot)), [""; 0]);
    assert_eq!(codes(&class("a", 0.6, hot)), ["overload"]);
    let far = "\"bit-complement\"";
    assert_eq!(codes(&class("a", 0.9, far)), [""; 0]);
    // What waits at its source comes to nobody.
    assert_eq!(
        codes(&(class("a", 0.9, far) + &class("b", 0.2, far))),
        ["overload"]
    );
    let greedy = "[[classes]]\nname = \"g\"\ninjection = \"greedy\"\n";
    assert_eq!(codes(&(class("a", 0.9, far) + greedy)), [""; 0]);
}

/// A ring that would deadlock if others sent too: only a note.
#[test]
fn deadlock_is_a_matter_of_what_is_sent() {
    let told = |pattern: &str| -> Vec<(Severity, &'static str)> {
        let text = format!(
            "engine = \"flit\"\n[run]\nmeasure = 1000\n[topology]\nkind = \"torus\"\n\
             sides = [6]\n[routing]\nkind = \"unrestricted\"\n[traffic]\nload = 0.1\n\
             pattern = {pattern}\n"
        );
        let read = parse(&Source::new("a.toml", &text), &[]).expect("it is right");
        read.warnings
            .iter()
            .map(|one| (one.severity, one.code))
            .collect()
    };
    let warned = [(Severity::Warning, "deadlock")];
    let noted = [(Severity::Note, "deadlock")];
    assert_eq!(told("\"uniform\""), warned);
    assert_eq!(told("\"tornado\""), warned, "two on, all around");
    assert_eq!(told("\"neighbour\""), noted);
    let hot = |share: &str| format!("{{ kind = \"hotspot\", targets = [0], share = {share} }}");
    assert_eq!(told(&hot("1.0")), noted);
    assert_eq!(told(&hot("0.5")), warned);
}
