//! Delay bounds of frames: no frame takes longer, under any scheduler that has bounds, through
//! switches that store and that cut through, to one host and to several, in phases in which frames
//! meet at one port.

use std::collections::BTreeMap;
use std::fmt::Write;

use backwater_kernel::Channels;
use backwater_net::bound::frames::bounds;
use backwater_net::frames::routes::Tables;
use backwater_net::frames::spec::{EthernetSpec, FlowSpec, TrafficSpec, TransportSpec};

use super::network::Network;
use super::{name, read, simulate};
use crate::random::Random;
use crate::trial::{Options, Trial};

/// In the table of campaigns.
pub const KIND: &str = "bounds";
/// All that have bounds.
const SCHEDULERS: [&str; 7] = [
    "strict-priority",
    "fifo",
    "drr",
    "wfq",
    "virtual-clock",
    "scfq",
    "sfq",
];
/// Payloads; two of three flows have one of the first two.
const PAYLOADS: [u64; 4] = [1_472, 1_472, 954, 100];
/// Starts of all flows that are tried in each network.
const PHASES: u64 = 16;
/// Draws until one network has a bound.
const DRAWS: usize = 20;
/// Frames meet at this instant.
const MEET_PS: u64 = 400_000_000;

/// One network; its text.
pub fn attempt(options: &Options, trial: &mut Trial, number: u64) -> Option<String> {
    let mut random = Random::of(options.seed, &name(KIND), number);
    for _ in 0..DRAWS {
        let text = draw(&mut random);
        let (mut network, _) = match read(&text) {
            Ok(read) => read,
            Err(said) => {
                trial.find(format!("refused: {said}"));
                return Some(text);
            }
        };
        let promised = bounds(&network);
        if promised.iter().all(Result::is_err) {
            continue;
        }
        let mut most = 0.0_f64;
        for phase in 0..PHASES {
            meet(&mut network, phase, &mut random);
            let outcome = match simulate(&network) {
                Ok(outcome) => outcome,
                Err(error) => {
                    trial.find(format!("it does not run: {error}"));
                    return Some(text);
                }
            };
            for (flow, promised) in outcome.flows.iter().zip(&promised) {
                let Ok(promised) = promised else { continue };
                let (seen, bound) = (flow.delay.max, promised.delay.ps());
                most = most.max(seen as f64 / bound as f64);
                if seen > bound {
                    let percent = 100 * seen / bound;
                    trial.find(format!("a frame took {percent} % of its delay bound"));
                    return Some(format!("{text}\n# starts: {:?}\n", starts(&network)));
                }
            }
        }
        trial.count("safe");
        for tenth in [9, 5] {
            if most >= f64::from(tenth) / 10.0 {
                trial.count(format!("{tenth}0 % of a bound reached"));
                break;
            }
        }
        return Some(text);
    }
    trial.count("no bound");
    None
}

/// All flows that cross one port start so that their frames come there together, or one right
/// behind the other, or with their first bits.
fn meet(network: &mut EthernetSpec, phase: u64, random: &mut Random) {
    let travel = travel(network);
    let ports: Vec<u32> = travel.iter().flatten().map(|(port, _)| *port).collect();
    let Some(port) = random.pick(&ports).copied() else {
        return;
    };
    network.seed = random.next();
    // Half of the time frames of one host come one right behind the other.
    let by_host = random.chance(50);
    let mut known = BTreeMap::new();
    for (flow, travel) in network.flows.iter_mut().zip(travel) {
        let crossing = travel.iter().find(|(own, _)| *own == port);
        let at = match crossing {
            Some((_, before_ps)) => {
                let frames = random.between(0, 3) * 12_304_000;
                let late = match random.below(4) {
                    0 => random.between(0, 12_304_000),
                    1 => 12_304_000 - 672_000 + random.between(0, 200_000),
                    2 => random.between(0, 3),
                    _ => 0,
                };
                let own = if phase == 0 { 0 } else { frames + late };
                let late = match by_host {
                    true => *known.entry(flow.source).or_insert(own),
                    false => own,
                };
                (MEET_PS + late).saturating_sub(*before_ps)
            }
            None => random.between(0, MEET_PS),
        };
        if let TrafficSpec::Constant { start, .. } = &mut flow.traffic {
            start.0 = at;
        }
    }
}

fn starts(network: &EthernetSpec) -> Vec<u64> {
    let flows = network.flows.iter();
    let start = |traffic: &TrafficSpec| match traffic {
        TrafficSpec::Constant { start, .. } => start.0,
        _ => 0,
    };
    flows.map(|flow| start(&flow.traffic)).collect()
}

/// Of each flow its ports, and about how long its frames take to them.
fn travel(network: &EthernetSpec) -> Vec<Vec<(u32, u64)>> {
    let Ok(tables) = Tables::new(network) else {
        return vec![Vec::new(); network.flows.len()];
    };
    let of = |(number, flow): (u32, &FlowSpec)| {
        let payload = match flow.transport {
            TransportSpec::Udp { payload_bytes, .. } => payload_bytes,
            TransportSpec::Tcp(_) | TransportSpec::Roce(_) => 0,
        };
        let bytes = u64::from(payload) + 66;
        let paths = match flow.is_multicast() {
            true => tables.paths(network, number).unwrap_or_default(),
            false => {
                let mut path = Vec::new();
                let _ = tables.follow(network, 2 * number, &mut path);
                vec![path]
            }
        };
        let mut ports = Vec::new();
        for path in paths {
            let mut before_ps = 0;
            for port in path {
                ports.push((port, before_ps));
                let channel = network.links.channel(port);
                before_ps += channel.rate.serialization(bytes).ps() + channel.delay.ps();
            }
        }
        ports
    };
    (0..).zip(&network.flows).map(of).collect()
}

fn draw(random: &mut Random) -> String {
    let network = Network::draw(random, 20);
    let scheduler = random.word(&SCHEDULERS);
    let forwarding = random.word(&["store-and-forward", "cut-through", "cut-through"]);
    let mut text = String::from("engine = \"ethernet\"\n[run]\nduration = \"3 ms\"\n");
    let has_fast = random.chance(70);
    let rates = |random: &mut Random| match random.below(4) {
        0 if has_fast => "rate = \"10 Gbps\"\n".to_owned(),
        1 if random.chance(30) => format!("rate = \"{} Mbps\"\n", random.between(300, 990)),
        _ => String::new(),
    };
    text += &network.text("rate = \"1 Gbps\"\ndelay = \"0 s\"", || rates(random));
    let _ = writeln!(
        text,
        "[switch]\nforwarding = \"{forwarding}\"\nlatency = \"{} ns\"\n[buffer]\n\
         per_queue = \"4 MB\"\n[scheduler]\nkind = \"{scheduler}\"",
        random.word(&["0", "0", "500"])
    );
    let one_size = random.chance(40);
    let classes = random.between(1, 3) as usize;
    for number in 0..random.between(2, 10) {
        let [from, to] = network.pair(random);
        let mut to = vec![to];
        if random.chance(50) {
            for _ in 0..random.between(1, 2) {
                let more = random.below(network.hosts.len());
                if more != from && !to.contains(&more) {
                    to.push(more);
                }
            }
        }
        let is_multicast = to.len() > 1;
        let to: Vec<String> = to.iter().map(|host| format!("H{}", host + 1)).collect();
        let payload = match one_size {
            true => PAYLOADS[0],
            false => random.pick(&PAYLOADS).copied().unwrap_or(PAYLOADS[0]),
        };
        let mbps = random.spread(1, 200);
        let _ = writeln!(
            text,
            "[[flows]]\nname = \"f{number}\"\nfrom = \"H{}\"\nto = {to:?}\nclass = {}\n\
             payload = \"{payload} B\"\n\
             traffic = {{ kind = \"constant\", rate = \"{mbps} Mbps\" }}\n{}",
            from + 1,
            random.below(classes),
            match is_multicast {
                true => "multicast = true",
                false => "transport = \"udp\"",
            }
        );
    }
    text
}
