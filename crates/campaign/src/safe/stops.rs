//! Deadlock of stopped queues and of queues without credit: what `check` does not warn of never
//! closes a circle.

use std::fmt::Write;

use backwater_net::frames::spec::{EthernetSpec, TrafficSpec};

use super::network::Network;
use super::{judge, name, read, simulate};
use crate::random::Random;
use crate::trial::{Options, Trial};

/// What holds frames back.
pub const KINDS: [&str; 5] = ["pause", "pfc", "destination", "credit", "windows"];
/// Starts of all flows that are tried in each network.
const PHASES: u64 = 2;
/// Draws until one network is sound.
const DRAWS: usize = 40;

/// One network; its text.
pub fn attempt(options: &Options, kind: &str, trial: &mut Trial, number: u64) -> Option<String> {
    let mut random = Random::of(options.seed, &name(kind), number);
    for _ in 0..DRAWS {
        let text = draw(kind, &mut random);
        let (mut network, codes) = match read(&text) {
            Ok(read) => read,
            // Too little headroom, say: not what is looked for here.
            Err(_) => continue,
        };
        let is_warned = codes
            .iter()
            .any(|code| ["deadlock", "not-checked"].contains(code));
        let mut has_closed = false;
        for phase in 0..PHASES {
            start(&mut network, phase, &mut random);
            match simulate(&network) {
                Ok(outcome) => has_closed |= outcome.standstill.is_some_and(|one| one.is_circle),
                Err(error) => trial.find(format!("it does not run: {error}")),
            }
            if has_closed {
                break;
            }
        }
        judge(trial, is_warned, has_closed);
        return Some(text);
    }
    trial.count("none drawn");
    None
}

/// At first all at once; then each at any of a few instants, so that queues fill in any order.
fn start(network: &mut EthernetSpec, phase: u64, random: &mut Random) {
    network.seed = random.next();
    for flow in &mut network.flows {
        let at = match phase {
            0 => 0,
            _ => random.between(0, 40) * 50_000_000 * phase,
        };
        match &mut flow.traffic {
            TrafficSpec::Infinite { start, .. } | TrafficSpec::Constant { start, .. } => {
                start.0 = at;
            }
            _ => {}
        }
    }
}

fn draw(kind: &str, random: &mut Random) -> String {
    let network = Network::draw(
        random,
        if kind == "credit" || kind == "windows" {
            70
        } else {
            40
        },
    );
    let mut text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"{} ms\"\nstall = \"2 ms\"\n",
        if kind == "windows" { 40 } else { 8 }
    );
    let mixed = if random.chance(25) { 30 } else { 0 };
    text += &network.text("rate = \"1 Gbps\"", || match random.chance(mixed) {
        true => "rate = \"2.5 Gbps\"\n".into(),
        false => String::new(),
    });
    if random.chance(30) {
        text += "[switch]\nforwarding = \"cut-through\"\n";
    }
    match kind {
        "credit" => credit(random, &mut text),
        "windows" => windows(&network, random, &mut text),
        _ => stops(kind, random, &mut text),
    }
    flows(kind, &network, random, &mut text);
    text
}

fn stops(kind: &str, random: &mut Random, text: &mut String) {
    let xoff = random.between(8, 24);
    if kind != "destination" && random.chance(15) {
        let kb = 100 * random.between(2, 8);
        let alpha = random.word(&["1/8", "1/2", "1"]);
        let _ = writeln!(
            text,
            "[buffer]\n\
             shared = {{ bytes = \"{kb} kB\", reserve = \"2 kB\", alpha = \"{alpha}\" }}\n\
             [flow_control]\nkind = \"{kind}\""
        );
        return;
    }
    let _ = writeln!(text, "[buffer]\nper_queue = \"{} kB\"", xoff + 120);
    let _ = writeln!(
        text,
        "[flow_control]\nkind = \"{kind}\"\nxoff = \"{xoff} kB\""
    );
    let _ = writeln!(text, "xon = \"{} kB\"", random.between(3, xoff - 3));
    if kind != "destination" && random.chance(20) {
        *text += "detect = \"inputs\"\n";
    } else {
        let notify = random.word(&["all", "others", "contributing"]);
        let _ = writeln!(text, "notify = \"{notify}\"");
    }
    match kind {
        "pfc" => {
            let classes = random.word(&["[0]", "[0, 1]", "[0, 1, 2]"]);
            let _ = writeln!(text, "classes = {classes}");
        }
        "destination" => match random.below(4) {
            0 => *text += "choose = \"random\"\nheadroom = \"unchecked\"\n",
            1 => *text += "blocked_share = { xoff = \"5 %\", xon = \"3 %\" }\n",
            _ => {}
        },
        _ => {}
    }
}

fn credit(random: &mut Random, text: &mut String) {
    let kind = random.word(&["n23", "n123+", "relative", "cumulative"]);
    let unit = random.word(&[
        "",
        "unit = \"64 B\"\n",
        "unit = \"256 B\"\n",
        "unit = \"1518 B\"\n",
    ]);
    let _ = write!(
        text,
        "[flow_control]\nkind = \"{kind}\"\nclasses = [0]\n{unit}"
    );
    let _ = writeln!(
        text,
        "n2 = {}\nn3 = {}",
        random.spread(1, 16),
        random.spread(3, 60)
    );
}

/// Thresholds near what windows bring, time-outs that are short, and hosts that stop for a while.
fn windows(network: &Network, random: &mut Random, text: &mut String) {
    let xoff = random.between(8, 60);
    let _ = writeln!(text, "[buffer]\nper_queue = \"{} kB\"", xoff + 120);
    let _ = writeln!(
        text,
        "[flow_control]\nkind = \"pfc\"\nclasses = [0]\nxoff = \"{xoff} kB\""
    );
    let _ = writeln!(text, "xon = \"{} kB\"", random.between(3, xoff - 3));
    let rto = random.word(&["1 ms", "1 ms", "5 ms", "100 ms"]);
    let recovery = random.word(&["reno", "new-reno", "sack", "tahoe"]);
    let _ = writeln!(text, "[tcp]\nmin_rto = \"{rto}\"\ninitial_rto = \"{rto}\"");
    let _ = writeln!(text, "recovery = \"{recovery}\"");
    let _ = writeln!(
        text,
        "window = \"{} B\"\ninitial_window = 2",
        1_460 * random.between(2, 5)
    );
    for host in 1..=network.hosts.len() {
        if random.chance(50) {
            let until = random.between(3, 40);
            let _ = writeln!(
                text,
                "[[nodes]]\nname = \"H{host}\"\nstorm = {{ from = \"1 ms\", \
                 until = \"{until} ms\", classes = [0], quanta = 2000 }}"
            );
        }
    }
}

fn flows(kind: &str, network: &Network, random: &mut Random, text: &mut String) {
    // Small segments in windows that small zones may or may not hold, beside few datagrams.
    let tcp = if random.chance(60) { 100 } else { 60 };
    let largest = random.pick(&[100, 300, 1_460]).copied().unwrap_or(1_460);
    for number in 0..random.between(3, 12) {
        let [from, to] = network.pair(random).map(|host| host + 1);
        let class = if kind == "pfc" { random.below(3) } else { 0 };
        let _ = writeln!(
            text,
            "[[flows]]\nname = \"f{number}\"\nfrom = \"H{from}\"\nto = \"H{to}\"\nclass = {class}"
        );
        *text += &match kind {
            "windows" => format!("count = {}\n", random.between(1, 6)),
            "credit" if random.chance(tcp) => {
                let (mss, segments) = (random.between(40, largest), random.between(1, 16));
                format!(
                    "tcp = {{ mss = \"{mss} B\", window = \"{} B\" }}\n",
                    mss * segments
                )
            }
            _ => {
                let payload = random.word(&["100 B", "700 B", "1472 B"]);
                let mbps = random.between(300, 1_200);
                let traffic = match random.chance(60) {
                    true => "traffic = { kind = \"greedy\" }".into(),
                    false => format!("traffic = {{ kind = \"constant\", rate = \"{mbps} Mbps\" }}"),
                };
                format!("transport = \"udp\"\npayload = \"{payload}\"\n{traffic}\n")
            }
        };
    }
}
