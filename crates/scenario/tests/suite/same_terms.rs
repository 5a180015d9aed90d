//! Every scheme of a comparison has the same units, order of service and memory: read from the
//! networks that are built, by other ways than the program's own account of them.

use backwater_kernel::Channels;
use backwater_net::frames::spec::{
    EthernetSpec, NodeKind as FrameNode, TransportSpec, WIRE_OVERHEAD_BYTES, largest_bytes,
};
use backwater_net::spec::{FlowControlSpec, NetworkSpec, NodeKind, SchedulerSpec};
use backwater_scenario::compare::{Comparison, Gate, Scheme};
use backwater_scenario::{Engine, Limits, Scenario, Set, Source};

/// A full frame on the wire, in memory, and its payload as a datagram.
const FRAME: [u64; 3] = [1538, 1518, 1472];
const BUFFER: u64 = 150_000;

/// Numbers without order, the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A tree of one to four switches, two to seven hosts, and flows of every kind among them.
fn random(seed: u64) -> String {
    let mut dice = Dice(seed);
    let (switches, hosts) = (1 + dice.below(4), 2 + dice.below(6));
    let names = |letter: &str, count: u64| {
        let names: Vec<String> = (0..count).map(|n| format!("\"{letter}{n}\"")).collect();
        names.join(", ")
    };
    let mut text = format!(
        "kind = \"comparison\"\n[run]\nduration = \"20 ms\"\n[network]\nhosts = [{}]\nswitches \
         = [{}]\n[link]\nrate = \"100 Mbps\"\ndelay = \"{} us\"\n[switch]\nbuffer = \"{BUFFER} \
         B\"\n",
        names("h", hosts),
        names("s", switches),
        1 + dice.below(50),
    );
    let mut link = |a: String, b: String, dice: &mut Dice| {
        let rate = ["", "rate = \"10 Mbps\"\n"][usize::from(dice.below(4) == 0)];
        text += &format!("[[links]]\nbetween = [\"{a}\", \"{b}\"]\n{rate}");
    };
    for switch in 1..switches {
        let above = dice.below(switch);
        link(format!("s{above}"), format!("s{switch}"), &mut dice);
    }
    for host in 0..hosts {
        let switch = dice.below(switches);
        link(format!("h{host}"), format!("s{switch}"), &mut dice);
    }
    for flow in 0..1 + dice.below(6) {
        let from = dice.below(hosts);
        let to = (from + 1 + dice.below(hosts - 1)) % hosts;
        let traffic = [
            "kind = \"greedy\"",
            "kind = \"constant\", rate = \"3 Mbps\"",
            "kind = \"bursts\", size = \"5 kB\", every = \"11 ms\"",
            "kind = \"requests\", response = \"20 kB\"",
        ][dice.below(4) as usize];
        text += &format!(
            "[[flows]]\nname = \"f{flow}\"\nfrom = \"h{from}\"\nto = \"h{to}\"\ntraffic = {{ \
             {traffic} }}\n"
        );
    }
    text
}

fn scheme(name: &str) -> Scheme {
    Scheme::of_name(name).expect(name)
}

fn read(text: &str, sets: &[&str]) -> Comparison {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("a set"))
        .collect();
    let found = Comparison::read(&Source::new("random.toml", text), &sets);
    found.unwrap_or_else(|wrong| panic!("{}\n{text}", wrong.render(false)))
}

/// What a switch has: ports, bytes of memory, parts that it is cut into, whether it serves in
/// order of arrival.
#[derive(Debug)]
struct Has {
    ports: u64,
    bytes: u64,
    parts: u64,
    is_fifo: bool,
}

fn of_circuits(spec: &NetworkSpec) -> Vec<Has> {
    let mut all = Vec::new();
    for (id, node) in (0..).zip(&spec.nodes) {
        if node.kind != NodeKind::Switch {
            continue;
        }
        let mut has = Has {
            ports: 0,
            bytes: 0,
            parts: 0,
            is_fifo: true,
        };
        for channel in spec.links.channels() {
            if spec.links.ends(channel).0 == id {
                has.ports += 1;
                has.is_fifo &= spec.links.channel(channel).scheduler == SchedulerSpec::Fifo;
            }
        }
        for leg in spec.flows.iter().flat_map(|flow| &flow.legs) {
            if let FlowControlSpec::Credit(credit) = leg.flow_control
                && spec.links.ends(leg.channel).1 == id
            {
                has.bytes += u64::from(credit.n2 + credit.n3) * FRAME[1];
                has.parts += 1;
            }
        }
        if let Some(pool) = node.pool {
            let bytes = pool.limit_bytes.expect("a limit");
            has.bytes += bytes / FRAME[0] * FRAME[1];
            has.parts += 1;
        }
        all.push(has);
    }
    all
}

fn of_frames(spec: &EthernetSpec, scheme: Scheme) -> Vec<Has> {
    let mut all = Vec::new();
    for (id, node) in (0..).zip(&spec.nodes) {
        if !matches!(node.kind, FrameNode::Switch(_)) {
            continue;
        }
        let mut has = Has {
            ports: 0,
            bytes: 0,
            parts: 0,
            is_fifo: true,
        };
        for channel in spec.links.channels() {
            let own = spec.links.channel(channel);
            let (from, to) = spec.links.ends(channel);
            if from == id {
                has.ports += 1;
                has.is_fifo &= own.queues.len() == 1;
            }
            let bytes = match scheme {
                Scheme::Frames(_, Gate::Pfc) if to == id => own.inputs[0].limit_bytes,
                Scheme::Frames(_, Gate::N23Class | Gate::Cbfc) if to == id => {
                    own.credits[0].map(|credit| u64::from(credit.units() * credit.unit_bytes))
                }
                Scheme::Frames(_, Gate::Pfc | Gate::N23Class | Gate::Cbfc) => continue,
                _ if from == id => own.queues[0].limit_bytes,
                _ => continue,
            };
            has.bytes += bytes.unwrap_or(u64::MAX / 100);
            has.parts += 1;
        }
        all.push(has);
    }
    all
}

/// What is not as under every other scheme.
fn broken(scheme: Scheme, scenario: &Scenario, buffer: u64) -> Option<String> {
    let (unit, switches) = match &scenario.engine {
        Engine::Packet(packet) => {
            let sizes = packet.network.flows.iter().map(|flow| flow.unit_bytes);
            let size = u64::from(sizes.max().unwrap_or(0));
            (size, of_circuits(&packet.network))
        }
        Engine::Ethernet(frames) => {
            let spec = &frames.network;
            let size = largest_bytes(spec)[0] + WIRE_OVERHEAD_BYTES;
            let payloads = spec.flows.iter().filter_map(|flow| match flow.transport {
                TransportSpec::Udp { payload_bytes, .. } => Some(u64::from(payload_bytes)),
                TransportSpec::Tcp(_) | TransportSpec::Roce(_) => None,
            });
            if payloads.into_iter().any(|payload| payload != FRAME[2]) {
                return Some("payload".into());
            }
            (u64::from(size), of_frames(spec, scheme))
        }
        Engine::Flit(_) => return Some("flits".into()),
    };
    if unit != FRAME[0] {
        return Some(format!("a unit of {unit} B"));
    }
    for switch in switches {
        let total = buffer * switch.ports;
        // What is left of each part is less than a unit.
        let least = total.saturating_sub((switch.parts + 1) * FRAME[1]);
        if switch.parts > 0 && !(least..=total).contains(&switch.bytes) {
            return Some(format!("{switch:?} of {total} B"));
        }
        if !switch.is_fifo {
            return Some(format!("order of {switch:?}"));
        }
    }
    None
}

fn shipped(name: &str) -> String {
    let folder = format!("{}/../../scenarios/compare", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(format!("{folder}/{name}.toml")).expect("a shipped comparison")
}

#[test]
fn shipped_comparisons_give_all_schemes_the_same_terms() {
    for (name, buffer) in [
        ("parking-lot", 500_000),
        ("speed-mismatch", 100_000),
        ("request-response", 200_000),
    ] {
        let comparison = read(&shipped(name), &[]);
        for scheme in Scheme::every() {
            let scenario = comparison.scenario(scheme, 1, &Limits::default());
            let wrong = broken(scheme, &scenario.expect("sound"), buffer);
            assert_eq!(wrong, None, "{name}, {}", scheme.name());
        }
    }
}

#[test]
fn random_comparisons_give_all_schemes_the_same_terms() {
    for seed in 0..60 {
        let text = random(seed);
        let comparison = read(&text, &[]);
        for scheme in Scheme::every() {
            let scenario = comparison.scenario(scheme, 1, &Limits::default());
            let scenario = scenario.unwrap_or_else(|wrong| {
                panic!("seed {seed}, {}: {}", scheme.name(), wrong.render(false))
            });
            let wrong = broken(scheme, &scenario, BUFFER);
            assert_eq!(wrong, None, "seed {seed}, {}\n{text}", scheme.name());
        }
    }
}

/// Negative controls: a unit, an order, a memory of its own is found.
#[test]
fn other_terms_are_found() {
    let comparison = |set: &str| read(&shipped("parking-lot"), &[set]);
    let under = |scheme: Scheme, set: &str, buffer: u64| {
        let scenario = comparison(set).scenario(scheme, 1, &Limits::default());
        broken(scheme, &scenario.expect("sound"), buffer).is_some()
    };
    assert!(under(scheme("n23"), "schemes.n23.unit=cell", 500_000));
    assert!(under(scheme("abr"), "scheduler.kind=round-robin", 500_000));
    assert!(!under(scheme("pfc"), "scheduler.kind=round-robin", 500_000));
    for scheme in Scheme::every() {
        let name = scheme.name();
        assert!(under(scheme, "switch.buffer=400 kB", 500_000), "{name}");
    }
    // Zones that the loop needs are less than the memory, and never more.
    assert!(under(scheme("n23"), "schemes.n23.target=full", 500_000));
    assert!(!under(scheme("n23"), "schemes.n23.target=1 Tbps", 500_000));
}

#[test]
fn circuits_share_the_memory_of_a_switch_evenly() {
    let comparison = read(&shipped("parking-lot"), &[]);
    let text = comparison.text(scheme("n23"), 1);
    // S1: 3 ports of 500 kB for A and B, 494 frames of 1,518 B each, ten of them N2. S2: 5 ports
    // for A to D, 411.
    assert!(text.contains("{ link = \"A->S1\", n3 = 484 }"), "{text}");
    assert!(text.contains("{ link = \"S1->S2\", n3 = 401 }"), "{text}");
    assert!(text.contains("message = \"84 B\""), "{text}");
    let loops = read(&shipped("parking-lot"), &["schemes.n23.target=full"]);
    let text = loops.text(scheme("n23"), 1);
    // 1,538 and 84 B at 622 Mbps and 50 us twice are 120.9 us: 6.1 frames.
    assert!(text.contains("{ link = \"A->S1\", n3 = 7 }"), "{text}");
}

#[test]
fn a_memory_too_small_for_a_scheme_is_an_error_only_where_it_is_wanted() {
    let with = |buffer: &str, only: &str| {
        let sets = [buffer, only].map(|set| Set::new(set).expect("a set"));
        let source = Source::new("x.toml", shipped("parking-lot"));
        Comparison::read(&source, &sets).map(|found| found.schemes)
    };
    let wrong = with(
        "switch.buffer=16 kB",
        "schemes.only=[\"n23\", \"n23-class\"]",
    );
    let wrong = wrong
        .expect_err("ten frames and one for each circuit")
        .render(false);
    assert!(wrong.contains("too small for `n23-class`"), "{wrong}");
    assert!(
        wrong.contains("set `buffer` of `[switch]` to 16896 B or more"),
        "{wrong}"
    );
    let fits = with("switch.buffer=17 kB", "schemes.only=[\"none\", \"reno\"]");
    assert_eq!(
        fits.expect("queues need no more"),
        [scheme("none"), scheme("reno")]
    );
    let unknown = with("switch.buffer=17 kB", "schemes.only=[\"paus\"]");
    let unknown = unknown.expect_err("no such scheme").render(false);
    assert!(unknown.contains("did you mean `pause`"), "{unknown}");
    // What is asked for does for every switch: S2 has the most circuits for its ports.
    let small = with("switch.buffer=10 kB", "schemes.only=[\"n23\"]");
    let small = small.expect_err("eleven frames a circuit").render(false);
    assert!(small.contains("`S2` has 5 ports and 4 circuits"), "{small}");
    assert!(small.contains("to 13359 B or more"), "{small}");
    let one_less = |bytes: &str| with(bytes, "schemes.only=[\"n23\"]").is_err();
    assert!(one_less("switch.buffer=13358 B") && !one_less("switch.buffer=13359 B"));
    let nothing = with("switch.buffer=17 kB", "schemes.only=[]");
    assert!(
        nothing
            .expect_err("no scheme")
            .render(false)
            .contains("nothing is compared")
    );
}
