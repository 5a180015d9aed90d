//! Headroom at its limit: random networks whose queues and inputs have exactly what `check` asks
//! for, run in several phases. They lose nothing; with one byte less they are refused, and a part
//! of them is seen to lose.

mod network;

use std::collections::BTreeMap;
use std::fs;

use backwater_kernel::{Channels, Rings, Time};
use backwater_net::Simulation;
use backwater_net::frames::spec::{EthernetSpec, MemorySpec, NodeKind, TrafficSpec};
use backwater_scenario::headroom::{Need, Place};
use backwater_scenario::{Engine, EthernetScenario, Limits, Source, parse_within};

use crate::random::Random;
use crate::trial::{self, Options, Summary, Trial};
use network::Net;

/// Networks.
const USUAL: u64 = 300;
/// Starts of all flows that are tried in each.
const PHASES: u64 = 4;
/// Draws until one network is sound but for its headroom.
const DRAWS: usize = 20;
/// Frames and control frames of a run, more or less.
const HOPS: u64 = 3_000;
const NAME: &str = "headroom";

/// All networks.
pub fn run(options: &Options) -> Vec<Summary> {
    Vec::from([trial::run(NAME, USUAL, options, |number| {
        attempt(options, number)
    })])
}

fn attempt(options: &Options, number: u64) -> Trial {
    let mut random = Random::of(options.seed, NAME, number);
    let mut trial = Trial::default();
    for _ in 0..DRAWS {
        let net = Net::draw(&mut random);
        match read(&net.text(&BTreeMap::new())) {
            Ok(scenario) if !scenario.headroom.is_empty() => {
                examine(options, number, &net, scenario, &mut random, &mut trial);
                return trial;
            }
            Ok(_) => {}
            Err(said) if said.contains("error[") => {}
            Err(said) => trial.find(said),
        }
    }
    trial.count("none drawn");
    trial
}

fn read(text: &str) -> Result<EthernetScenario, String> {
    let source = Source::new("headroom.toml", text);
    let read = parse_within(&source, &[], &Limits::default());
    match read.map_err(|mistakes| mistakes.render(false))?.engine {
        Engine::Ethernet(scenario) => Ok(*scenario),
        _ => Err("another engine".into()),
    }
}

fn examine(
    options: &Options,
    number: u64,
    net: &Net,
    scenario: EthernetScenario,
    random: &mut Random,
    trial: &mut Trial,
) {
    ask(net, &scenario.headroom, trial);
    let phases: Vec<EthernetSpec> = (0..PHASES)
        .map(|_| phase(&scenario.network, net, random))
        .collect();
    let loses = |less: &dyn Fn(&Need) -> u64| {
        let mut runs = phases.iter().map(|spec| {
            let mut spec = spec.clone();
            give(&scenario.headroom, &mut spec, less);
            drops(&spec)
        });
        runs.find_map(|found| found)
    };
    trial.seen.push(net.kind.clone());
    if let Some(said) = loses(&|_| 0) {
        let folder = trial::folder(options, NAME, number);
        let text = net.text(&net.limits(&scenario.headroom));
        let _ = fs::write(folder.join("scenario.toml"), text);
        let kind = &net.kind;
        trial.find(format!(
            "lost at the limit of what is needed ({kind}): {said}"
        ));
        return;
    }
    trial.count(if loses(&|_| 1).is_some() {
        "one byte less loses"
    } else if loses(&frame).is_some() {
        "one frame less loses"
    } else if loses(&|need| 2 * frame(need)).is_some() {
        "two frames less lose"
    } else {
        "not seen to lose"
    });
}

/// The largest frame that comes to a place.
fn frame(need: &Need) -> u64 {
    let sizes = need.brought.iter().map(|own| own.stop.sizes.largest);
    sizes.max().unwrap_or(0).into()
}

/// `check` takes exactly what it asks for, and refuses a byte less.
fn ask(net: &Net, account: &[Need], trial: &mut Trial) {
    let exact = net.limits(account);
    let Some((channel, limit)) = exact.iter().next() else {
        return;
    };
    if let Err(said) = read(&net.text(&exact)) {
        trial.find(format!("what `check` asks for is refused: {said}"));
    }
    let mut less = exact.clone();
    less.insert(*channel, limit - 1);
    match read(&net.text(&less)) {
        Err(said) if said.contains("1 B are missing") => trial.count("a byte less is refused"),
        Err(said) => trial.find(format!("a byte less is refused in other words: {said}")),
        Ok(_) => trial.find("a byte less is accepted"),
    }
}

/// The same network with other starts.
fn phase(network: &EthernetSpec, net: &Net, random: &mut Random) -> EthernetSpec {
    let mut spec = network.clone();
    spec.seed = random.next();
    let frame_ps = net.frame_ps();
    for flow in &mut spec.flows {
        let start = match &mut flow.traffic {
            TrafficSpec::Constant { start, .. }
            | TrafficSpec::Poisson { start, .. }
            | TrafficSpec::Infinite { start, .. } => start,
            _ => continue,
        };
        // In step with others as often as not.
        let steps = random.below(5) as u64 * frame_ps / 2;
        let apart = if random.chance(50) {
            random.between(0, frame_ps)
        } else {
            0
        };
        *start = Time(1 + steps + apart);
    }
    spec
}

/// Gives every place what it needs, but for so much.
fn give(account: &[Need], spec: &mut EthernetSpec, less: &dyn Fn(&Need) -> u64) {
    for need in account {
        let bytes = need.needs().saturating_sub(less(need));
        let class = usize::from(need.class);
        let limit = Some(need.xoff.saturating_add(bytes));
        let to = spec.links.ends(need.channel).1;
        let channel = spec.links.channel_mut(need.channel);
        match need.place {
            Place::Queue => channel.queues[class].limit_bytes = limit,
            Place::Input => channel.inputs[class].limit_bytes = limit,
            Place::Shared => share(need, spec, to, less(need)),
            // As large as the file leaves it: the headroom of all inputs.
            Place::Pool => {}
        }
    }
}

/// All inputs of a switch have the headroom of the one that needs most, and little to share.
fn share(need: &Need, spec: &mut EthernetSpec, node: u32, less: u64) {
    let NodeKind::Switch(switch) = &mut spec.nodes[node as usize].kind else {
        return;
    };
    if let MemorySpec::Shared(shared) = &mut switch.memory {
        shared.share.headroom_bytes = need.limit.saturating_sub(less);
        let little = u64::from(need.brought[0].stop.sizes.largest) * 2;
        let inputs = spec
            .links
            .iter()
            .filter(|link| link.ends.contains(&node))
            .count() as u64;
        let classes = spec.links[0].channels[0].queues.len() as u64;
        let reserves = shared.share.reserve_bytes * inputs * classes;
        let pool = &mut shared.pools[0];
        pool.bytes = pool.headroom_bytes + reserves + little;
    }
}

/// What is lost, if anything.
fn drops(spec: &EthernetSpec) -> Option<String> {
    let mut simulation = match Simulation::<Rings>::new(spec) {
        Ok(simulation) => simulation,
        Err(error) => return Some(format!("not built: {error}")),
    };
    // A host may make many more frames than its link takes.
    let is_short =
        |run: &Simulation<Rings>| run.unit_hops() < HOPS && run.events_handled() < 4 * HOPS;
    while is_short(&simulation) && simulation.run_some(spec.stop_at, 500).is_none() {}
    let outcome = simulation.outcome();
    let first = outcome.violations.kept().first()?;
    Some(format!("at {} ps: {}", first.at.ps(), first.what))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Some networks at the limit; and that less than that is found out.
    #[test]
    fn what_is_asked_for_is_enough_and_less_is_not() {
        let options = trial::for_test(12, "");
        let summary = &run(&options)[0];
        assert_eq!(summary.findings, []);
        let lost: u64 = summary
            .outcomes
            .iter()
            .filter(|(name, _)| name.contains("less lose"))
            .map(|(_, count)| count)
            .sum();
        assert!(lost > 0, "{:?}", summary.outcomes);
    }
}
