//! Random networks: a frame lost in a lossless class breaks a promise, unless the file gave it up.

use backwater_kernel::{Purpose, Rings, Stream};
use backwater_net::frames::Simulation;
use backwater_net::frames::spec::{EthernetSpec, NodeKind};
use backwater_net::outcome::Outcome;

use crate::ethernet::try_read;

/// Networks tried.
const SEEDS: u64 = 60;

struct Dice(Stream);

impl Dice {
    fn of<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.0.below(words.len() as u64) as usize]
    }
}

/// A file that does not opt out; not all are sound.
fn file(seed: u64) -> String {
    let mut dice = Dice(Stream::new(seed, 0, Purpose::Traffic));
    let topology = dice.of(&[
        "kind = \"star\"\nhosts_per_switch = 6",
        "kind = \"line\"\nswitches = 3\nhosts_per_switch = 3",
        "kind = \"leaf-spine\"\nleaves = 2\nhosts_per_switch = 3\nspines = 2",
    ]);
    let trunk = dice.of(&["", "rate = \"10 Gbps\", delay = \"10 us\""]);
    let kind = dice.of(&["pause", "pfc", "pfc", "destination"]);
    let classes = dice.of(&["", "classes = [0]\n", "classes = [1, 2]\n"]);
    let high = dice.of(&["", "xoff = \"95 %\"\n", "xoff = \"60 %\"\nxon = \"20 %\"\n"]);
    let more = dice.of(&[
        "",
        "",
        "quanta = 400\n",
        "quanta = 65535\n",
        "notify = \"all\"\n",
    ]);
    let place = dice.of(&[
        "",
        "[buffer]\nper_queue = \"50 kB\"\n",
        "[buffer]\nmark_above = \"9 kB\"\n",
    ]);
    let load = dice.of(&["200 Mbps", "600 Mbps", "950 Mbps"]);
    let bytes = dice.of(&["1 B", "400 B", "1472 B"]);
    let inputs = match kind {
        "pfc" => dice.of(&["", "detect = \"inputs\"\n"]),
        _ => "",
    };
    let credit = match inputs {
        "" => "",
        _ => dice.of(&["", "flow_control = { kind = \"n23\" }"]),
    };
    let trunk: Vec<&str> = [trunk, credit]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect();
    let trunk = trunk.join(", ");
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\nseed = {seed}\n\
         [topology]\n{topology}\ntrunk = {{ {trunk} }}\n\
         [link]\nrate = \"1 Gbps\"\n[switch]\nclasses = 3\n{place}\
         [flow_control]\nkind = \"{kind}\"\n{classes}{high}{more}{inputs}\
         [[patterns]]\nname = \"a\"\nkind = \"all-to-one\"\nto = \"{to}\"\nclass = {class}\n\
         payload = \"{bytes}\"\ntraffic = {{ kind = \"poisson\", rate = \"{load}\" }}\n\
         [[patterns]]\nname = \"b\"\nkind = \"permutation\"\nclass = 1\n\
         payload = \"700 B\"\ntraffic = {{ kind = \"poisson\", rate = \"100 Mbps\" }}\n",
        to = "H1_1",
        class = dice.0.below(3),
    )
}

fn run(spec: &EthernetSpec) -> Outcome {
    let engine = Simulation::<Rings>::new(spec);
    let mut engine = engine.expect("what is sound runs");
    engine.run_until(spec.stop_at);
    engine.outcome()
}

/// Frames lost in lossless classes.
fn lost(spec: &EthernetSpec, outcome: &Outcome) -> u64 {
    let lossless = spec.nodes.iter().find_map(|node| match &node.kind {
        NodeKind::Switch(switch) => switch.stops.common.map(|rules| rules.classes),
        NodeKind::Station { .. } => None,
    });
    let lossless = lossless.unwrap_or(0);
    let queues = outcome
        .channels
        .iter()
        .flat_map(|channel| (0..8).zip(&channel.by_class.queues));
    let own = queues.filter(|(class, _)| lossless & 1 << class != 0);
    own.map(|(_, queue)| queue.drops.total()).sum()
}

/// The same network with hardly any room above the thresholds: what `check` would have refused.
fn cut(mut spec: EthernetSpec) -> EthernetSpec {
    for link in &mut spec.links {
        for side in &mut link.channels {
            for queue in side.queues.iter_mut().filter(|q| q.limit_bytes.is_some()) {
                queue.limit_bytes = Some(queue.high_bytes.min(20_000) + 1_600);
                queue.high_bytes = queue.high_bytes.min(20_000);
                queue.low_bytes = queue.low_bytes.min(queue.high_bytes);
            }
            for input in &mut side.inputs {
                input.limit_bytes = input
                    .limit_bytes
                    .map(|_| input.high_bytes.saturating_add(600));
            }
        }
    }
    spec
}

#[test]
fn what_is_lost_in_a_lossless_class_breaks_a_promise() {
    let (mut sound, mut losing, mut credited) = (0, 0, 0);
    for seed in 0..SEEDS {
        let text = file(seed);
        let Ok(scenario) = try_read(&text, &[]) else {
            continue;
        };
        sound += 1;
        credited += u32::from(text.contains("n23"));
        let ethernet = scenario.ethernet().expect("for Ethernet");
        let spec = &ethernet.network;
        assert!(ethernet.given_up.is_empty(), "{text}");
        let outcome = run(spec);
        assert_eq!(lost(spec, &outcome), 0, "`check` calls it sound: {text}");
        assert_eq!(outcome.violations.total(), 0, "{text}");
        // The control: without room frames are lost, and each is told.
        let small = cut(spec.clone());
        let outcome = run(&small);
        assert_eq!(lost(&small, &outcome), outcome.violations.total(), "{text}");
        losing += u32::from(outcome.violations.total() > 0);
        // And nobody is told where the promise is given up.
        let meant = text.replace(
            "[flow_control]\n",
            "[flow_control]\nheadroom = \"unchecked\"\n",
        );
        let meant = try_read(&meant, &[]).expect("only a warning");
        let given_up = cut(meant.ethernet().expect("for Ethernet").network.clone());
        let told = run(&given_up);
        assert_eq!(lost(&given_up, &told), lost(&small, &outcome), "{text}");
        assert_eq!(told.violations.total(), 0, "{text}");
    }
    assert!(sound > 20, "only {sound} are sound");
    assert!(credited > 3, "only {credited} have credit beside stops");
    assert!(losing > 5, "only {losing} lose frames without room");
}
