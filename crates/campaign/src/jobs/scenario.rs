//! A random scenario of ranks and of flows that wait.

use std::fmt::Write;

use crate::random::Random;

/// All kinds, and whether they go on in chunks.
const KINDS: [(&str, bool); 10] = [
    ("ring-all-reduce", true),
    ("ring-reduce-scatter", true),
    ("ring-all-gather", true),
    ("halving-doubling-all-reduce", false),
    ("tree-all-reduce", false),
    ("double-tree-all-reduce", true),
    ("tree-broadcast", false),
    ("pairwise-all-to-all", false),
    ("all-to-all", false),
    ("pipeline", false),
];

/// Its text; with a circle, its flows never begin.
pub fn text(random: &mut Random, has_circle: bool) -> String {
    let (top, hosts) = topology(random);
    let mut text = format!(
        "engine = \"ethernet\"\n\n[run]\nduration = \"2 s\"\nseed = {}\n\n{top}\n\
         [flow_control]\nkind = \"pfc\"\nclasses = [0]\nxoff = \"500 kB\"\nxon = \"400 kB\"\n\n\
         [buffer]\nper_queue = \"2 MB\"\n\n",
        random.below(1_000),
    );
    for number in 0..random.between(u64::from(!has_circle), 2) {
        collective(random, &hosts, number, &mut text);
    }
    if random.chance(60) {
        job(random, &hosts, &mut text);
    }
    if random.chance(60) || has_circle {
        graph(random, &hosts, &mut text);
    }
    if has_circle {
        circle(random, &hosts, &mut text);
    }
    text
}

/// A network, and its hosts.
fn topology(random: &mut Random) -> (String, Vec<String>) {
    let link = format!(
        "[link]\nrate = \"100 Gbps\"\nmtu = {}\ndelay = \"{} ns\"\n",
        random.word(&["1500", "4140"]),
        random.between(0, 1_000),
    );
    let each = random.between(2, 6);
    let leaves = random.between(1, 3);
    let kind = match leaves {
        1 => "kind = \"star\"\n".to_string(),
        _ => format!("kind = \"leaf-spine\"\nleaves = {leaves}\nspines = 2\n"),
    };
    let top = format!("[topology]\n{kind}hosts_per_switch = {each}\n\n{link}");
    let name = |at: u64| format!("H{}_{}", at / each + 1, at % each + 1);
    (top, (0..leaves * each).map(name).collect())
}

/// Some hosts in some order, so many at least.
fn ranks(random: &mut Random, hosts: &[String], least: u64) -> Vec<String> {
    let mut hosts = hosts.to_vec();
    random.shuffle(&mut hosts);
    let count = random.between(least, hosts.len() as u64);
    hosts.truncate(count as usize);
    hosts
}

/// How an operation is cut, for so many ranks.
fn cut(random: &mut Random, ranks: usize, has_chunks: bool) -> Vec<String> {
    let mut keys = Vec::new();
    if random.chance(40) {
        keys.push(format!("channels = {}", random.between(1, 4)));
    }
    if has_chunks && random.chance(50) {
        keys.push(format!("chunk = \"{} B\"", random.between(200, 9_000)));
    }
    match random.below(3) {
        0 if ranks.is_multiple_of(2) => {
            keys.push("order = \"rails\"".into());
            keys.push("ranks_per_node = 2".into());
        }
        1 => keys.push("order = \"rotated\"".into()),
        _ => {}
    }
    keys
}

fn transport(random: &mut Random) -> String {
    let word = random.word(&["tcp", "roce", "udp"]);
    format!("transport = \"{word}\"")
}

fn collective(random: &mut Random, hosts: &[String], number: u64, text: &mut String) {
    let ranks = ranks(random, hosts, 2);
    let (kind, has_chunks) = KINDS[random.below(KINDS.len())];
    let mut keys = vec![
        format!("name = \"operation-{number}\""),
        format!("kind = \"{kind}\""),
        format!("ranks = {ranks:?}"),
        format!("size = \"{} B\"", random.between(200, 40_000)),
        format!("times = {}", random.between(1, 3)),
        transport(random),
    ];
    keys.extend(cut(random, ranks.len(), has_chunks));
    if random.chance(40) {
        keys.push(format!("think = \"{} ns\"", random.between(1, 20_000)));
    }
    let _ = writeln!(text, "[[collectives]]\n{}\n", keys.join("\n"));
}

fn job(random: &mut Random, hosts: &[String], text: &mut String) {
    let pairs = hosts.len() / 2 * 2;
    let mut ranks = ranks(random, &hosts[..pairs], 2);
    ranks.truncate(ranks.len() / 2 * 2);
    // One direction has two ranks, and the data direction what is left.
    let (side, across) = match random.below(3) {
        0 => ("tensor = 2", "tensor"),
        1 => ("pipeline = 2", "pipeline"),
        _ => ("expert = 2", "expert"),
    };
    let mut phases = Vec::new();
    for number in 0..random.between(1, 3) {
        let (kind, has_chunks) = match across {
            "pipeline" if number == 0 => ("pipeline", false),
            _ => KINDS[random.below(6)],
        };
        let mut keys = vec![
            format!("kind = \"{kind}\""),
            format!("size = \"{} B\"", random.between(200, 20_000)),
            format!("compute = \"{} ns\"", random.between(0, 30_000)),
            format!("across = \"{}\"", if number == 0 { across } else { "all" }),
            format!("times = {}", random.between(1, 4)),
        ];
        if kind == "pipeline" {
            keys.push(format!(
                "schedule = \"{}\"",
                random.word(&["gpipe", "1f1b"])
            ));
        } else {
            keys.extend(cut(random, 2, has_chunks));
            keys.push(format!("overlap = \"{} %\"", random.between(0, 100)));
        }
        phases.push(format!("    {{ {} }},", keys.join(", ")));
    }
    // All ranks send something.
    phases.push("    { kind = \"ring-all-reduce\", size = \"5 kB\", across = \"all\" },".into());
    let _ = writeln!(
        text,
        "[[jobs]]\nname = \"job\"\nranks = {ranks:?}\niterations = {}\n{side}\n{}\n\
         phases = [\n{}\n]\n",
        random.between(1, 4),
        transport(random),
        phases.join("\n"),
    );
}

/// A flow with a number of bytes.
fn flow(random: &mut Random, name: &str, ends: (&str, &str), after: &[String], text: &mut String) {
    let (from, to) = ends;
    let after = match after.is_empty() {
        true => String::new(),
        false => format!("after = {after:?}\n"),
    };
    let _ = writeln!(
        text,
        "[[flows]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{after}{}\n\
         traffic = {{ kind = \"greedy\", total = \"{} B\" }}\n",
        transport(random),
        random.between(1, 30_000),
    );
}

/// Flows each of which may wait for some before it that its host sees.
fn graph(random: &mut Random, hosts: &[String], text: &mut String) {
    let mut all: Vec<(String, String, String)> = Vec::new();
    for number in 0..random.between(2, 10) {
        let from = hosts[random.below(hosts.len())].clone();
        let others: Vec<&String> = hosts.iter().filter(|host| **host != from).collect();
        let to = others[random.below(others.len())].clone();
        let seen = all.iter().filter(|own| own.1 == from || own.2 == from);
        let seen: Vec<String> = seen.map(|own| own.0.clone()).collect();
        let after: Vec<String> = seen.into_iter().filter(|_| random.chance(50)).collect();
        let name = format!("flow-{number}");
        flow(random, &name, (&from, &to), &after, text);
        all.push((name, from, to));
    }
}

/// Flows from host to host and back to the first, each of which waits for the one before.
fn circle(random: &mut Random, hosts: &[String], text: &mut String) {
    let count = random.between(2, hosts.len() as u64) as usize;
    for at in 0..count {
        let ends = (hosts[at].as_str(), hosts[(at + 1) % count].as_str());
        let before = [format!("circle-{}", (at + count - 1) % count)];
        flow(random, &format!("circle-{at}"), ends, &before, text);
    }
}
