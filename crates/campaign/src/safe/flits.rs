//! Deadlock of packets in flits: of what `check` does not warn, nothing ever waits in a cycle.
//! Small buffers, long packets and high loads, in every topology and under every rule of routing.

use std::fmt::Write;
use std::io;

use backwater_flit::Simulation;
use backwater_flit::spec::FabricSpec;
use backwater_kernel::Stop;
use backwater_scenario::{Limits, Severity, Source, parse_with};

use super::{Files, SCENARIO, judge, name};
use crate::random::Random;
use crate::trial::{Options, Trial};

/// In the table of campaigns.
pub const KIND: &str = "flits";
/// Runs of each network, each from a seed of its own.
const SEEDS: u64 = 3;
/// Draws until one network is sound.
const DRAWS: usize = 40;
/// The file of a network that follows no rule.
const GRAPH: &str = "network.edges";
/// Patterns that any network has room for, and those of a number of terminals of some form.
const ANYWHERE: [&str; 6] = [
    "uniform",
    "uniform",
    "uniform",
    "permutation",
    "tornado",
    "neighbour",
];
const BITS: [&str; 4] = ["bit-complement", "bit-reverse", "shuffle", "transpose"];

/// One network; its files.
pub fn attempt(options: &Options, trial: &mut Trial, number: u64) -> Option<Files> {
    let mut random = Random::of(options.seed, &name(KIND), number);
    for _ in 0..DRAWS {
        let (network, graph) = draw(&mut random);
        let (mut is_warned, mut has_closed) = (false, false);
        let mut text = String::new();
        for _ in 0..SEEDS {
            // A permutation is drawn from the seed, so each seed has a verdict of its own.
            text = network.replace("SEED", &random.below(1 << 20).to_string());
            let Ok((spec, warned)) = read(&text, &graph) else {
                text.clear();
                break;
            };
            match closes(&spec) {
                Ok(true) => {
                    (is_warned, has_closed) = (warned, true);
                    break;
                }
                Ok(false) => is_warned |= warned,
                Err(error) => trial.find(format!("it does not run: {error}")),
            }
        }
        // Too many terminals for the pattern, say: not what is looked for here.
        if text.is_empty() {
            continue;
        }
        judge(trial, is_warned, has_closed);
        return Some(vec![(SCENARIO, text), (GRAPH, graph)]);
    }
    trial.count("none drawn");
    None
}

/// The network of a scenario; is it warned that it may deadlock?
fn read(text: &str, graph: &str) -> Result<(FabricSpec, bool), String> {
    let source = Source::new(SCENARIO, text);
    let load = |_: &std::path::Path| io::Result::Ok(graph.to_owned());
    let found =
        parse_with(&source, &[], &Limits::default(), &load).map_err(|said| said.render(false))?;
    // That other traffic may deadlock is a note, no warning.
    let is_warned = found.warnings.iter().any(|one| {
        one.severity == Severity::Warning && ["deadlock", "not-checked"].contains(&one.code)
    });
    let network = found.fabric().ok_or("not for flits")?.clone();
    Ok((network, is_warned))
}

/// Does it come to a standstill, or do some packets wait for each other at its end?
fn closes(spec: &FabricSpec) -> Result<bool, String> {
    let mut simulation = Simulation::new(spec).map_err(|error| error.to_string())?;
    simulation.run();
    let has_stopped = simulation.outcome().stop == Stop::Standstill;
    Ok(has_stopped || !simulation.deadlocked().is_empty())
}

/// What the network is like, as far as routers and traffic must know.
struct Ground {
    /// The tables `[topology]` and `[routing]`.
    text: String,
    terminals: usize,
    /// VCs that each group of classes needs.
    vcs: u64,
}

/// A scenario, whose seed is yet to be put in, and the file that it may name.
fn draw(random: &mut Random) -> (String, String) {
    let mut graph = String::new();
    let ground = match random.below(16) {
        0..=2 => grid("mesh", random),
        3..=5 => grid("torus", random),
        6..=8 => ring(random),
        9 => butterfly("fly", &["destination-tag", "table"], random),
        10 => butterfly(
            "fat-tree",
            &[
                "nearest-common-ancestor",
                "nearest-common-ancestor-random",
                "table",
            ],
            random,
        ),
        11 => full(random),
        _ => any(&mut graph, random),
    };
    // Little warm-up: what is measured is not looked at.
    let mut text = String::from(
        "engine = \"flit\"\n[run]\nwarm_up = \"10 cycles\"\nmeasure = \"3000 cycles\"\n\
         drain = 0\nstall = \"300 cycles\"\nseed = SEED\n",
    );
    text += &ground.text;
    let is_long = random.chance(80);
    let longest = random.between(if is_long { 4 } else { 1 }, 16);
    let classes = random.pick(&[0, 0, 1, 2, 3]).copied().unwrap_or(0);
    let groups = random.between(1, u64::max(1, classes));
    router(&ground, groups, longest, random, &mut text);
    traffic(&ground, longest, random, &mut text);
    if random.chance(20) {
        requests(longest, groups, random, &mut text);
    } else {
        for class in 0..classes {
            let _ = writeln!(
                text,
                "[[classes]]\nname = \"c{class}\"\nvc_group = {}\nshare = \"{} %\"",
                class % groups,
                random.between(10, 90)
            );
            if random.chance(50) {
                let pattern = pattern(ground.terminals, random);
                let _ = writeln!(text, "pattern = {pattern}");
            }
            if random.chance(50) {
                let _ = writeln!(text, "flits = {}", random.between(1, longest));
            }
        }
    }
    (text, graph)
}

fn grid(kind: &str, random: &mut Random) -> Ground {
    let sides = random.word(&[
        "4", "5", "2, 2", "3, 3", "4, 4", "4, 4", "4, 3", "2, 5", "2, 2, 2",
    ]);
    let routers: usize = sides.split(", ").flat_map(str::parse::<usize>).product();
    let rule = match kind {
        "mesh" => random.word(&["dimension-order", "o1turn", "valiant", "minimal-adaptive"]),
        _ => random.word(&[
            "dateline",
            "unrestricted",
            "unrestricted",
            "valiant",
            "minimal-adaptive",
            "minimal-adaptive",
        ]),
    };
    let rule = if random.chance(15) { "table" } else { rule };
    let each = random.between(1, if routers > 8 { 1 } else { 2 }) as usize;
    let text = format!(
        "[topology]\nkind = \"{kind}\"\nsides = [{sides}]\nterminals_per_router = {each}\n\
         latency = {}\n[routing]\nkind = \"{rule}\"\n",
        random.between(1, 3)
    );
    let vcs = match (rule, kind) {
        ("dateline" | "o1turn", _) | ("valiant" | "minimal-adaptive", "mesh") => 2,
        ("minimal-adaptive", _) => 3,
        ("valiant", _) => 4,
        _ => 1,
    };
    Ground {
        text,
        terminals: routers * each,
        vcs,
    }
}

fn ring(random: &mut Random) -> Ground {
    let terminals = random.between(4, 12) as usize;
    let rule = random.word(&[
        "dateline",
        "unrestricted",
        "unrestricted",
        "minimal-adaptive",
    ]);
    let text = format!(
        "[topology]\nkind = \"torus\"\nsides = [{terminals}]\n[routing]\nkind = \"{rule}\"\n"
    );
    let vcs = match rule {
        "dateline" => 2,
        "minimal-adaptive" => 3,
        _ => 1,
    };
    Ground {
        text,
        terminals,
        vcs,
    }
}

fn butterfly(kind: &str, rules: &[&str], random: &mut Random) -> Ground {
    let (k, n) = random
        .pick(&[(2, 2), (2, 3), (2, 4), (3, 2), (4, 2)])
        .copied()
        .unwrap_or((2, 2));
    let rule = random.word(rules);
    Ground {
        text: format!(
            "[topology]\nkind = \"{kind}\"\nk = {k}\nn = {n}\n[routing]\nkind = \"{rule}\"\n"
        ),
        terminals: usize::pow(k, n),
        vcs: 1,
    }
}

fn full(random: &mut Random) -> Ground {
    let routers = random.between(4, 8);
    let each = random.between(1, 2);
    Ground {
        text: format!(
            "[topology]\nkind = \"full\"\nrouters = {routers}\nterminals_per_router = {each}\n"
        ),
        terminals: (routers * each) as usize,
        vcs: 1,
    }
}

/// A tree, a ring in one direction, or either with more channels, all of them one way.
fn any(graph: &mut String, random: &mut Random) -> Ground {
    let routers = random.between(4, 8) as usize;
    let mut channels: Vec<[usize; 2]> = match random.chance(50) {
        true => (0..routers).map(|at| [at, (at + 1) % routers]).collect(),
        false => (1..routers)
            .map(|at| [random.below(at), at])
            .flat_map(|[a, b]| [[a, b], [b, a]])
            .collect(),
    };
    for _ in 0..random.below(2 * routers) {
        let channel = [(); 2].map(|()| random.below(routers));
        if channel[0] != channel[1] && !channels.contains(&channel) {
            channels.push(channel);
        }
    }
    for [from, to] in channels {
        let _ = writeln!(graph, "{from} -> {to} {}", random.between(1, 3));
    }
    let mut homes: Vec<usize> = (0..routers).collect();
    if random.chance(50) {
        random.shuffle(&mut homes);
        homes.truncate(random.between(4, routers as u64) as usize);
        for home in &homes {
            let _ = writeln!(graph, "terminal {home}");
        }
    }
    Ground {
        text: format!("[topology]\nkind = \"file\"\nfile = \"{GRAPH}\"\nformat = \"edges\"\n"),
        terminals: homes.len(),
        vcs: 1,
    }
}

fn router(ground: &Ground, groups: u64, longest: u64, random: &mut Random, text: &mut String) {
    let least = ground.vcs * groups;
    let vcs = random.between(least, least.max(4));
    // A whole packet must fit in a buffer where it is asked for.
    let is_cut = random.chance(15);
    let depth = match is_cut {
        true => longest + random.below(3) as u64,
        false => random.between(1, 4),
    };
    let _ = writeln!(text, "[router]\nvcs = {vcs}\ndepth = {depth}");
    if is_cut {
        *text += "forwarding = \"cut-through\"\n";
    }
    if random.chance(35) {
        *text += "release = \"tail-sent\"\n";
    }
    if random.chance(40) {
        let allocator = random.word(&["separable-input-first", "separable-output-first", "islip"]);
        let _ = writeln!(
            text,
            "switch = \"multiplexed\"\nallocator = \"{allocator}\""
        );
        if random.chance(40) {
            let speedup = random.between(1, 2);
            let _ = writeln!(text, "output_buffer = 2\nspeedup = {speedup}");
        }
    }
    for key in ["arbiter", "vc_arbiter"] {
        let word = random.word(&["random", "round-robin", "earliest"]);
        let _ = writeln!(text, "{key} = \"{word}\"");
    }
    let choice = random.word(&["lowest", "round-robin"]);
    let _ = writeln!(text, "vc_choice = \"{choice}\"");
    for key in ["header_delay", "allocation_delay", "pipeline_delay"] {
        if random.chance(20) {
            let _ = writeln!(text, "{key} = {}", random.between(1, 3));
        }
    }
    let _ = writeln!(text, "credit_delay = {}", random.between(1, 3));
}

fn traffic(ground: &Ground, longest: u64, random: &mut Random, text: &mut String) {
    let pattern = pattern(ground.terminals, random);
    let sources = random.word(&["one", "shared", "per-vc"]);
    let injection = random.word(&["bernoulli", "bernoulli", "constant", "greedy"]);
    let _ = writeln!(
        text,
        "[traffic]\nsources = \"{sources}\"\npattern = {pattern}\ninjection = \"{injection}\"\n\
         load = \"{} %\"",
        random.between(40, 100)
    );
    let _ = match random.chance(70) {
        true => writeln!(text, "flits = {longest}"),
        false => writeln!(
            text,
            "flits = {{ kind = \"bimodal\", short = 1, long = {longest}, long_share = \"60 %\" }}"
        ),
    };
}

fn pattern(terminals: usize, random: &mut Random) -> String {
    match random.below(8) {
        0 => {
            let targets = [(); 2].map(|()| random.below(terminals));
            let share = random.between(20, 100);
            format!("{{ kind = \"hotspot\", targets = {targets:?}, share = \"{share} %\" }}")
        }
        1..=2 => {
            let each = random.between(1, 3);
            let mut rows = vec![vec![0; terminals]; terminals];
            for row in &mut rows {
                for _ in 0..each {
                    row[random.below(terminals)] = random.between(0, 3);
                }
            }
            format!("{{ kind = \"matrix\", rows = {rows:?} }}")
        }
        3 => format!("\"{}\"", random.word(&BITS)),
        _ => format!("\"{}\"", random.word(&ANYWHERE)),
    }
}

/// Requests that are answered, by the same VCs or by others.
fn requests(longest: u64, groups: u64, random: &mut Random, text: &mut String) {
    let outstanding = random.between(1, 16);
    let [ask, answer] = [(); 2].map(|()| random.between(1, longest));
    let _ = writeln!(
        text,
        "[[classes]]\nname = \"asks\"\nflits = {ask}\ninjection = {{ kind = \"requests\", \
         outstanding = {outstanding}, responses = \"answers\" }}\n\
         [[classes]]\nname = \"answers\"\ninjection = \"responses\"\nflits = {answer}\n\
         vc_group = {}",
        (groups - 1).min(1)
    );
}

#[cfg(test)]
mod tests {
    use backwater_flit::spec::RoutingSpec;

    use super::*;

    /// Eight routers, one terminal each.
    const RING: &str = "engine = \"flit\"\n[run]\nwarm_up = \"10 cycles\"\n\
        measure = \"3000 cycles\"\ndrain = 0\nstall = \"300 cycles\"\n\
        [topology]\nkind = \"torus\"\nsides = [8]\n[traffic]\nload = 0.6\nflits = 8\n";

    /// The search can fail: a ring whose dateline is taken away after the verdict is a finding.
    #[test]
    fn a_ring_without_a_dateline_is_seen_to_deadlock() {
        let unsafe_ring = format!("{RING}[routing]\nkind = \"unrestricted\"\n");
        let (spec, is_warned) = read(&unsafe_ring, "").expect("a ring");
        assert!(is_warned && closes(&spec).expect("a run"));

        let safe_ring = format!("{RING}[router]\nvcs = 2\n[routing]\nkind = \"dateline\"\n");
        let (mut spec, is_warned) = read(&safe_ring, "").expect("a ring");
        assert!(!is_warned && !closes(&spec).expect("a run"));

        spec.routing = RoutingSpec::Unrestricted;
        spec.router.lanes = 1;
        let mut trial = Trial::default();
        judge(&mut trial, is_warned, closes(&spec).expect("a run"));
        assert_eq!(trial.findings.len(), 1);
    }
}
