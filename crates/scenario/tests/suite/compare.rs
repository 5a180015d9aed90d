//! Comparisons become scenarios that can run, and say what is wrong with them.

use std::collections::BTreeSet;

use backwater_kernel::Duration;
use backwater_scenario::compare::{ComparedTraffic, Comparison, Part, Scheme, Unit, is_comparison};
use backwater_scenario::{Engine, Limits, Set, Source};

const SHIPPED: [&str; 4] = [
    "parking-lot",
    "speed-mismatch",
    "request-response",
    "controls-and-gates",
];

fn shipped(name: &str) -> Source {
    let path = format!(
        "{}/../../scenarios/compare/{name}.toml",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(&path).expect(&path);
    Source::new(format!("{name}.toml"), text)
}

fn scheme(name: &str) -> Scheme {
    Scheme::of_name(name).expect(name)
}

fn read(name: &str) -> Comparison {
    Comparison::read(&shipped(name), &[]).unwrap_or_else(|wrong| panic!("{name}: {wrong}"))
}

/// The mistakes of a comparison after a change of its text.
fn mistakes(name: &str, from: &str, to: &str) -> String {
    let source = shipped(name);
    assert!(source.text.contains(from), "{from}");
    let text = source.text.replacen(from, to, 1);
    let wrong = Comparison::read(&Source::new(source.name, text), &[]);
    wrong.expect_err("a mistake").render(false)
}

/// With a jitter each seed draws the starts anew, and all schemes have the same.
#[test]
fn starts_are_drawn_by_the_seed_and_the_same_under_every_scheme() {
    let jitter = Set::new("run.start_jitter=2 ms").expect("a key and a value");
    // The last has a jitter of its own.
    for name in &SHIPPED[..3] {
        let plain = read(name);
        let comparison = Comparison::read(&shipped(name), std::slice::from_ref(&jitter));
        let comparison = comparison.unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let starts = |scheme, seed| {
            let text = comparison.text(scheme, seed);
            let words = text.split("start = \"").skip(1);
            let words = words.filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()));
            words.collect::<Vec<String>>()
        };
        let frames = starts(scheme("none"), 1);
        assert_eq!(frames, starts(scheme("pfc"), 1), "{name}");
        let circuits = starts(scheme("n23"), 1);
        assert_eq!(circuits, starts(scheme("abr"), 1), "{name}");
        assert!(
            circuits.iter().all(|start| frames.contains(start)),
            "{name}"
        );
        assert_ne!(frames, starts(scheme("none"), 2), "{name}");
        assert_eq!(comparison.drawn(3).bursts().len(), plain.bursts().len());
        for (late, soon) in comparison.drawn(3).bursts().iter().zip(plain.bursts()) {
            assert!((soon.0..=soon.0 + Duration(2_000_000_000)).contains(&late.0));
        }
        for scheme in Scheme::every() {
            let scenario = comparison.scenario(scheme, 2, &Limits::default());
            scenario.unwrap_or_else(|wrong| panic!("{name}, {}: {wrong}", scheme.name()));
        }
    }
}

#[test]
fn shipped_comparisons_give_sound_scenarios_for_every_scheme() {
    for name in SHIPPED {
        assert!(is_comparison(&shipped(name)));
        let comparison = read(name);
        for scheme in Scheme::every() {
            let scenario = comparison.scenario(scheme, 7, &Limits::default());
            let scenario = scenario.unwrap_or_else(|wrong| {
                let text = comparison.text(scheme, 7);
                panic!("{name}, {}: {wrong}\n{text}", scheme.name())
            });
            assert_eq!(scenario.seed, 7);
            assert!(
                scenario.warnings.is_empty(),
                "{name}, {}: {}",
                scheme.name(),
                scenario.warnings
            );
        }
    }
}

#[test]
fn every_flow_of_a_scenario_has_a_role() {
    for name in SHIPPED {
        let comparison = read(name);
        for scheme in Scheme::every() {
            let scenario = comparison.scenario(scheme, 1, &Limits::default());
            let names: Vec<String> = match scenario.expect("sound").engine {
                Engine::Packet(packet) => {
                    packet.network.flows.into_iter().map(|f| f.name).collect()
                }
                Engine::Ethernet(frames) => {
                    frames.network.flows.into_iter().map(|f| f.name).collect()
                }
                Engine::Flit(_) => panic!("no comparison is about flits"),
            };
            let roles = comparison.roles(scheme);
            let mut seen = BTreeSet::new();
            for flow in &names {
                let role = roles.get(flow).unwrap_or_else(|| panic!("{flow}"));
                seen.insert(role.flow);
            }
            assert_eq!(
                seen.len(),
                comparison.flows.len(),
                "{name} {}",
                scheme.name()
            );
        }
    }
}

#[test]
fn bursts_are_cut_as_the_engines_need_them() {
    let comparison = read("speed-mismatch");
    // 400, 900, 1400 and 1900 ms of 2400.
    let ComparedTraffic::Bursts { count, bytes, .. } = comparison.flows[0].traffic else {
        panic!("the first flow sends bursts");
    };
    assert_eq!((count, bytes), (4, 200_000));
    assert_eq!(Unit::Cell.count(bytes), 4167);
    assert_eq!(Unit::Frame.count(bytes), 136);
    let frames = comparison.roles(scheme("none"));
    assert_eq!(frames["bursts[4]"].part, Part::Burst(3));
    assert!(!frames.contains_key("bursts[5]"));
    let cells = comparison.roles(scheme("n23"));
    assert_eq!(cells["bursts"].part, Part::Forward);
    let bursts = comparison.bursts();
    let first = bursts[0];
    assert_eq!(first.0.ps(), 400_000_000_000);
    // 1.6 Mbit at 100 Mbps.
    assert_eq!(first.1.since(first.0).ps(), 16_000_000_000);
}

#[test]
fn only_frames_under_reno_have_a_window_and_only_messages_go_over_tcp_without() {
    let comparison = read("request-response");
    let transports = |scheme: Scheme| {
        let text = comparison.text(scheme, 1);
        let count = |word: &str| text.matches(&format!("transport = \"{word}\"")).count();
        (count("tcp"), count("udp"))
    };
    assert_eq!(transports(scheme("reno")), (5, 0));
    assert_eq!(transports(scheme("dctcp")), (5, 0));
    assert_eq!(transports(scheme("pause")), (4, 1));
    // 128,000 B are 88 segments.
    let pause = comparison.text(scheme("pause"), 1);
    assert_eq!(pause.matches("initial_window = 88,").count(), 4);
    assert!(
        !comparison
            .text(scheme("reno"), 1)
            .contains("initial_window")
    );
}

#[test]
fn marks_begin_at_a_seventh_of_what_the_path_holds_within_limits() {
    let marked = |sets: &[&str]| {
        let sets: Vec<Set> = sets
            .iter()
            .map(|set| Set::new(set).expect("a set"))
            .collect();
        let comparison = Comparison::read(&shipped("parking-lot"), &sets).expect("sound");
        let text = comparison.text(scheme("dctcp"), 1);
        let line = text.lines().find(|line| line.starts_with("mark_above"));
        line.expect("queues mark").to_string()
    };
    // Ten full frames, where the path holds less than seventy.
    assert_eq!(marked(&[]), "mark_above = \"15180 B\"");
    // 622 Mbps for six links of 500 us and six times 1,538 bytes; a seventh.
    assert_eq!(
        marked(&["link.delay=\"500 us\""]),
        "mark_above = \"34639 B\""
    );
    assert_eq!(
        marked(&["schemes.dctcp.mark_above=\"30 kB\""]),
        "mark_above = \"30000 B\""
    );
    let reno = read("parking-lot").text(scheme("reno"), 1);
    assert!(!reno.contains("mark_above"), "{reno}");
}

#[test]
fn thresholds_leave_room_and_a_buffer_too_small_is_told() {
    let wrong = mistakes("parking-lot", "buffer = \"500 kB\"", "buffer = \"20 kB\"");
    assert!(wrong.contains("small-buffer"), "{wrong}");
    assert!(wrong.contains("parking-lot.toml:22:10"), "{wrong}");
    let set = Set::new("schemes.pfc.xoff=30 kB").expect("a key and a value");
    let comparison = Comparison::read(&shipped("parking-lot"), &[set]).expect("sound");
    let text = comparison.text(scheme("pfc"), 1);
    assert!(text.contains("xoff = \"30 kB\""), "{text}");
    assert!(text.contains("xon = \"26250 B\""), "{text}");
}

/// A stop for each host lets as many times as much come as there are hosts.
#[test]
fn thresholds_of_stops_by_host_leave_room_for_each() {
    let links = [["A", "S"], ["B", "S"], ["S", "T"], ["T", "C"], ["T", "D"]];
    let links = links.map(|[a, b]| format!("[[links]]\nbetween = [\"{a}\", \"{b}\"]\n"));
    let flows = [["A", "C"], ["B", "C"], ["B", "D"]];
    let flows = flows.map(|[from, to]| {
        format!("[[flows]]\nname = \"{from}{to}\"\nfrom = \"{from}\"\nto = \"{to}\"\n")
    });
    let text = format!(
        "kind = \"comparison\"\n[run]\nduration = \"100 ms\"\n\
         [network]\nhosts = [\"A\", \"B\", \"C\", \"D\"]\nswitches = [\"S\", \"T\"]\n\
         [link]\nrate = \"155.52 Mbps\"\ndelay = \"500 us\"\n\
         [switch]\nbuffer = \"300 kB\"\n{}{}",
        links.concat(),
        flows.concat()
    );
    let comparison = Comparison::read(&Source::new("x.toml", text), &[]).expect("sound");
    for name in [
        "pause",
        "destination",
        "hpcc+destination",
        "reno+destination",
    ] {
        let scheme = scheme(name);
        let scenario = comparison.scenario(scheme, 1, &Limits::default());
        if let Err(wrong) = scenario {
            panic!("{}", wrong.render(false));
        }
    }
}

#[test]
fn mistakes_name_their_line_and_what_was_meant() {
    let wrong = mistakes("parking-lot", "to = \"F\"", "to = \"FF\"");
    assert!(wrong.contains("no host `FF`"), "{wrong}");
    assert!(wrong.contains("parking-lot.toml:48:6"), "{wrong}");
    let wrong = mistakes("parking-lot", "group = \"two", "grop = \"two");
    assert!(wrong.contains("did you mean `group`"), "{wrong}");
    let wrong = mistakes("parking-lot", "\"A\", \"B\",", "\"A\", \"Z\", \"B\",");
    assert!(wrong.contains("`Z` must have one link"), "{wrong}");
    let wrong = mistakes("speed-mismatch", "every = \"500 ms\"", "every = \"16 ms\"");
    assert!(wrong.contains("not over when the next begins"), "{wrong}");
    let wrong = mistakes(
        "speed-mismatch",
        "warm_up = \"200 ms\"",
        "warm_up = \"3 s\"",
    );
    assert!(wrong.contains("the warm-up takes the whole run"), "{wrong}");
    let wrong = mistakes("parking-lot", "name = \"B\"", "name = \"A\"");
    assert!(wrong.contains("two flows are called `A`"), "{wrong}");
    let text = "kind = \"comparison\"\n[run]\nduration = 5\n";
    let wrong = Comparison::read(&Source::new("x.toml", text), &[]).expect_err("no unit");
    assert!(wrong.render(false).contains("x.toml:3:12"), "{wrong}");
}

#[test]
fn a_scenario_is_no_comparison() {
    let source = Source::new("x.toml", "engine = \"ethernet\"\n");
    assert!(!is_comparison(&source));
    assert!(Comparison::read(&source, &[]).is_err());
}

#[test]
fn without_any_line_it_can_run_or_says_what_is_missing() {
    let source = shipped("speed-mismatch");
    let lines: Vec<&str> = source.text.lines().collect();
    let (mut sound, mut refused) = (0, 0);
    for left_out in 0..lines.len() {
        let mut kept = lines.clone();
        kept.remove(left_out);
        let text = kept.join("\n");
        match Comparison::read(&Source::new("x.toml", text), &[]) {
            Ok(comparison) => {
                for name in ["none", "n23", "dcqcn+pfc"] {
                    let scheme = scheme(name);
                    let scenario = comparison.scenario(scheme, 1, &Limits::default());
                    if let Err(wrong) = scenario {
                        panic!("without line {}: {}", left_out + 1, wrong.render(false));
                    }
                }
                sound += 1;
            }
            Err(wrong) => {
                let said = wrong.render(false);
                assert!(said.contains("error"), "line {}: {said}", left_out + 1);
                refused += 1;
            }
        }
    }
    assert!(
        sound > 10 && refused > 10,
        "{sound} sound, {refused} refused"
    );
}

#[test]
fn keys_of_comparisons_are_explained() {
    let text = backwater_scenario::explain("schemes.abr.icr").expect("a key");
    assert!(
        text.contains("1/10 of the rate of the source's link"),
        "{text}"
    );
    let text = backwater_scenario::explain("run.window").expect("a key");
    assert!(text.contains("[run] (comparison)"), "{text}");
}

/// Frame by frame over a path, store and forward: when the last bit is at the end, ps.
fn carried(rates_bps: &[u64], delay_ps: u64, mut payload: u64) -> u64 {
    let mut free_at = vec![0; rates_bps.len()];
    let mut end = 0;
    while payload > 0 {
        let part = payload.min(1472);
        payload -= part;
        let bits = ((part + 46).max(64) + 20) * 8;
        let mut at = 0;
        for (rate, free_at) in rates_bps.iter().zip(&mut free_at) {
            let start = at.max(*free_at);
            *free_at = start + bits * 1_000_000_000_000 / rate;
            at = *free_at + delay_ps;
        }
        end = at;
    }
    end
}

#[test]
fn a_message_alone_takes_what_its_frames_take_one_by_one() {
    for (name, delay_us) in [("speed-mismatch", 5), ("request-response", 50)] {
        let comparison = read(name);
        let mut messages = 0;
        for flow in &comparison.flows {
            let rates: Vec<u64> = (flow.path.iter())
                .map(|channel| comparison.rates[*channel as usize].0)
                .collect();
            let one_way = |payload| carried(&rates, delay_us * 1_000_000, payload);
            let expected = match flow.traffic {
                ComparedTraffic::Bursts { bytes, .. } => one_way(bytes),
                ComparedTraffic::Requests {
                    request, response, ..
                } => one_way(request) + one_way(response),
                _ => {
                    assert_eq!(comparison.alone(flow), None);
                    continue;
                }
            };
            messages += 1;
            let found = comparison.alone(flow).expect("a message").ps();
            assert_eq!(found, expected, "{name}, {}", flow.name);
        }
        assert!(messages > 0);
    }
}

/// What the file gives of a control stands in its scenario, and of no other.
#[test]
fn keys_of_queue_pairs_are_those_of_their_scenarios() {
    let sets = [
        "schemes.dcqcn.profile=paper",
        "schemes.dcqcn.ecn={ min = \"5 kB\", max = \"200 kB\", probability = 0.01 }",
        "schemes.rocc.reference=30 kB",
        "schemes.rocc.recovery=1 ms",
        "schemes.timely.patched_beta=0.01",
        "schemes.timely.t_low=40 us",
        "schemes.roce.recovery=selective",
    ];
    let sets = sets.map(|set| Set::new(set).expect("a set"));
    let comparison = Comparison::read(&shipped("parking-lot"), &sets).expect("sound");
    let lines = |name: &str| {
        let text = comparison.text(scheme(name), 1);
        let keys = ["ecn = ", "rocc = ", "control = ", "recovery = "];
        let lines = text
            .lines()
            .filter(|line| keys.iter().any(|key| line.starts_with(key)));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        lines("dcqcn+pfc"),
        "ecn = { min = \"5 kB\", max = \"200 kB\", probability = 0.01 }\n\
         control = { kind = \"dcqcn\", profile = \"paper\" }\nrecovery = \"selective\""
    );
    assert_eq!(
        lines("rocc"),
        "rocc = { reference = \"30 kB\" }\n\
         control = { kind = \"rocc\", recovery = \"1 ms\" }\nrecovery = \"selective\""
    );
    assert_eq!(
        lines("timely+cbfc"),
        "control = { kind = \"timely\", least = \"6220 kbps\", t_low = \"40 us\" }\n\
         recovery = \"selective\""
    );
    assert_eq!(
        lines("patched-timely"),
        "control = { kind = \"timely\", profile = \"patched\", least = \"6220 kbps\", \
         patched_beta = 0.01, t_low = \"40 us\" }\nrecovery = \"selective\""
    );
    for scheme in Scheme::every() {
        let scenario = comparison.scenario(scheme, 1, &Limits::default());
        scenario.unwrap_or_else(|wrong| panic!("{scheme}: {}", wrong.render(false)));
    }
}

/// Messages of queue pairs are theirs; what has no closed loop stays UDP, as under TCP.
#[test]
fn queue_pairs_carry_all_but_constant_rates() {
    let comparison = read("request-response");
    for scheme in Scheme::chosen("hpcc+*") {
        let text = comparison.text(scheme, 1);
        let count = |word: &str| text.matches(&format!("transport = \"{word}\"")).count();
        assert_eq!((count("roce"), count("tcp"), count("udp")), (5, 0, 0));
        assert!(!text.contains("initial_window"), "{text}");
    }
}
