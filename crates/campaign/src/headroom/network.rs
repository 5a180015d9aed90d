//! Random networks with stops: small, many classes and sizes, slow ways back, low thresholds.

use std::collections::BTreeMap;
use std::fmt::Write;

use backwater_scenario::headroom::{Need, Place};

use crate::random::Random;

/// Rates of links, Mbps.
const RATES: [u64; 7] = [10, 100, 1_000, 3_000, 7_700, 10_000, 100_000];
/// Payloads of datagrams.
const PAYLOADS: [u64; 7] = [1, 64, 200, 700, 1_000, 1_400, 1_472];
/// Frame of the largest payload with preamble and gap, bits.
const FRAME_BITS: u64 = 1_542 * 8;

/// One direction of a link.
struct Way {
    mbps: u64,
    delay_ps: u64,
}

struct Link {
    ends: [String; 2],
    ways: [Way; 2],
    /// Flow control of its own.
    control: String,
}

struct Flow {
    from: String,
    to: String,
    class: u64,
    payload: u64,
    traffic: String,
}

/// A network.
pub struct Net {
    /// Scheme and detection, in words.
    pub kind: String,
    hosts: Vec<String>,
    switches: Vec<String>,
    links: Vec<Link>,
    flows: Vec<Flow>,
    /// Everything else.
    rest: String,
    mbps: u64,
    /// Each queue can be given a limit of its own.
    has_limits: bool,
}

/// Where an input stops and resumes.
fn thresholds(random: &mut Random) -> (u64, u64) {
    let xoff = [1, 64, 500, 1_518, 3_100, 9_000][random.below(6)];
    let xon = match random.chance(50) {
        true => xoff,
        false => random.between(1, xoff),
    };
    (xoff, xon)
}

impl Link {
    /// Stops of its own, credit, or nothing, at some.
    fn draw(&mut self, random: &mut Random) {
        let kind = match random.below(10) {
            0..=4 => return,
            5 | 6 => "pause",
            7 => "pfc",
            8 => "n23",
            _ => "none",
        };
        let (xoff, xon) = thresholds(random);
        let stops = match kind {
            "pause" | "pfc" => format!(", xoff = \"{xoff} B\", xon = \"{xon} B\""),
            _ => String::new(),
        };
        self.control = format!("flow_control = {{ kind = \"{kind}\"{stops} }}\n");
    }
}

impl Net {
    pub fn draw(random: &mut Random) -> Net {
        let mbps = *random.pick(&RATES).unwrap_or(&RATES[0]);
        let mut net = Net {
            kind: String::new(),
            hosts: Vec::new(),
            switches: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
            rest: String::new(),
            mbps,
            has_limits: false,
        };
        net.join(random);
        let classes = match random.chance(40) {
            true => 1,
            false => random.between(2, 5),
        };
        net.send(random, classes);
        net.control(random, classes);
        net
    }

    /// One to three switches in a line, with two to six hosts.
    fn join(&mut self, random: &mut Random) {
        let switches = [1, 1, 2, 3][random.below(4)];
        self.switches = (0..switches).map(|number| format!("S{number}")).collect();
        let is_one_rate = random.chance(50);
        let way = |mbps: u64, random: &mut Random| {
            let slower = match is_one_rate {
                true => 1,
                false => [1, 1, 1, 2, 10, 100][random.below(6)],
            };
            let frame_ps = FRAME_BITS * 1_000_000 / mbps;
            Way {
                mbps: (mbps / slower).max(1),
                delay_ps: match random.chance(60) {
                    true => 1,
                    false => random.between(1, 3 * frame_ps),
                },
            }
        };
        for pair in self.switches.windows(2) {
            let ways = [way(self.mbps, random), way(self.mbps, random)];
            self.links.push(Link {
                ends: [pair[0].clone(), pair[1].clone()],
                ways,
                control: String::new(),
            });
        }
        let hosts = random.between(2, 6).max(switches as u64);
        for number in 0..hosts {
            let name = format!("H{number}");
            let switch = match self.switches.get(number as usize) {
                Some(own) => own.clone(),
                None => self.switches[random.below(switches)].clone(),
            };
            let ways = [way(self.mbps, random), way(self.mbps, random)];
            self.links.push(Link {
                ends: [name.clone(), switch],
                ways,
                control: String::new(),
            });
            self.hosts.push(name);
        }
    }

    /// One or two hosts to which most send, and others; more than the links carry.
    fn send(&mut self, random: &mut Random, classes: u64) {
        let flows = random.between(2, 2 * self.hosts.len() as u64);
        let hot: Vec<usize> = (0..random.between(1, 2))
            .map(|_| random.below(self.hosts.len()))
            .collect();
        let is_one_size = random.chance(40);
        let payload = *random.pick(&PAYLOADS).unwrap_or(&1);
        for _ in 0..flows {
            let from = random.below(self.hosts.len());
            let to = match random.chance(75) {
                true => hot[random.below(hot.len())],
                false => random.below(self.hosts.len()),
            };
            if from == to {
                continue;
            }
            let payload = match is_one_size {
                true => payload,
                false => *random.pick(&PAYLOADS).unwrap_or(&1),
            };
            // Of the wire, of which headers take a part.
            let share = random.between(10, 130) * payload / (payload + 66);
            let rate = (self.mbps * 10 * share).max(100);
            let traffic = match random.below(10) {
                0 => "tcp".to_owned(),
                1..=3 => "kind = \"greedy\"".to_owned(),
                4 | 5 => format!("kind = \"poisson\", rate = \"{rate} kbps\""),
                _ => format!("kind = \"constant\", rate = \"{rate} kbps\""),
            };
            self.flows.push(Flow {
                from: self.hosts[from].clone(),
                to: self.hosts[to].clone(),
                class: random.between(0, classes - 1),
                payload,
                traffic,
            });
        }
    }

    /// Stops of every kind, thresholds of a few frames and less, response times.
    fn control(&mut self, random: &mut Random, classes: u64) {
        let kind = random.word(&["pfc", "pfc", "pfc", "pause", "destination"]);
        let is_destination = kind == "destination";
        let memory = match random.below(10) {
            _ if is_destination => "outputs",
            0..=4 => "outputs",
            5..=7 => "inputs",
            _ => "shared",
        };
        self.kind = format!("{kind}, {memory}");
        let (xoff, xon) = thresholds(random);
        let mut text = format!("[flow_control]\nkind = \"{kind}\"\n");
        if memory == "shared" {
            let alpha = random.word(&["1/8", "1", "4"]);
            text = format!("[buffer.shared]\nbytes = \"1 GB\"\nalpha = \"{alpha}\"\n{text}");
        } else {
            let _ = writeln!(text, "detect = \"{memory}\"");
            let _ = writeln!(text, "xoff = \"{xoff} B\"\nxon = \"{xon} B\"");
            let notify = random.word(&["others", "all", "contributing"]);
            if memory == "outputs" {
                let _ = writeln!(text, "notify = \"{notify}\"");
            }
            let per = if memory == "inputs" { "input" } else { "queue" };
            text = format!("[buffer]\nper_{per} = \"1 GB\"\n{text}");
        }
        if random.chance(20) {
            let _ = writeln!(text, "content = \"handover\"");
        }
        if memory == "inputs" && random.chance(60) {
            self.kind += ", of links";
            self.links.iter_mut().for_each(|link| link.draw(random));
        }
        if random.chance(25) && !is_destination {
            let first = random.between(0, classes - 1);
            let _ = writeln!(text, "classes = [{first}]");
        }
        if is_destination && random.chance(30) {
            let _ = writeln!(
                text,
                "blocked_share = {{ xoff = \"30 %\", xon = \"20 %\" }}"
            );
        }
        let frame_ns = FRAME_BITS * 1_000 / self.mbps;
        for node in ["switch", "host"] {
            let response = match random.chance(50) {
                true => 0,
                false => random.between(0, 2 * frame_ns),
            };
            let _ = writeln!(text, "[{node}]\nresponse = \"{response} ns\"");
            if node == "switch" {
                let word = random.word(&["store-and-forward", "store-and-forward", "cut-through"]);
                let latency = [0, 0, random.between(0, frame_ns)][random.below(3)];
                let _ = writeln!(text, "forwarding = \"{word}\"\nlatency = \"{latency} ns\"");
            }
        }
        let scheduler = random.word(&["strict-priority", "fifo", "drr", "wfq"]);
        let _ = writeln!(text, "[scheduler]\nkind = \"{scheduler}\"");
        self.has_limits = memory == "outputs" && classes == 1;
        self.rest = text;
    }

    /// Time of a full frame, ps.
    pub fn frame_ps(&self) -> u64 {
        FRAME_BITS * 1_000_000 / self.mbps
    }

    /// What the file can say of what each queue needs: limits by channel.
    pub fn limits(&self, account: &[Need]) -> BTreeMap<u32, u64> {
        let queues = account
            .iter()
            .filter(|need| self.has_limits && need.place == Place::Queue);
        queues
            .map(|need| (need.channel, need.xoff + need.needs()))
            .collect()
    }

    /// As a file, with these limits.
    pub fn text(&self, limits: &BTreeMap<u32, u64>) -> String {
        let list = |names: &[String]| format!("{names:?}");
        let mut text = format!(
            "engine = \"ethernet\"\n[run]\nduration = \"{} ns\"\n[link]\nrate = \"{} Mbps\"\n\
             [network]\nhosts = {}\nswitches = {}\n{}",
            self.frame_ps() * 4_000 / 1_000,
            self.mbps,
            list(&self.hosts),
            list(&self.switches),
            self.rest
        );
        for (number, link) in (0_u32..).zip(&self.links) {
            let _ = write!(
                text,
                "[[links]]\nbetween = {:?}\n{}",
                link.ends, link.control
            );
            for (word, side, way) in [
                ("forward", 0, &link.ways[0]),
                ("backward", 1, &link.ways[1]),
            ] {
                let limit = limits.get(&(2 * number + side));
                let limit = limit.map_or(String::new(), |limit| format!(", limit = \"{limit} B\""));
                let (mbps, delay) = (way.mbps, way.delay_ps);
                let _ = writeln!(
                    text,
                    "{word} = {{ rate = \"{mbps} Mbps\", delay = \"{delay} ps\"{limit} }}"
                );
            }
        }
        for (number, flow) in self.flows.iter().enumerate() {
            let (from, to, class) = (&flow.from, &flow.to, flow.class);
            let _ = writeln!(
                text,
                "[[flows]]\nname = \"f{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nclass = {class}"
            );
            let _ = match &*flow.traffic {
                "tcp" => writeln!(text, "traffic = {{ kind = \"greedy\" }}"),
                traffic => writeln!(
                    text,
                    "transport = \"udp\"\npayload = \"{} B\"\ntraffic = {{ {traffic} }}",
                    flow.payload
                ),
            };
        }
        text
    }
}
