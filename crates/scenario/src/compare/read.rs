//! From checked tables to a comparison.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Rate, Time};

use super::network::{Link, Network};
use super::unit::Unit;
use super::{ComparedFlow, ComparedTraffic, Comparison};
use super::{programs, settings};
use crate::given::compare::{ComparisonFile, OwnLink, Run, Traffic, TrafficKind, WINDOWS};
use crate::language::record::Record;
use crate::language::suggest;
use crate::language::tree::Node;
use crate::prelude::*;

/// Most bursts of a flow: each is a flow of its own where there are frames.
const MOST_BURSTS: u64 = 2_000;
/// Most of a message that TCP's first window can hold: 1000 segments of 1460 bytes.
const MOST_MESSAGE: u64 = 1_460_000;
/// Most windows over a run.
const MOST_WINDOWS: u64 = 1_000_000;

/// The comparison, unless something is missing; it may only be used if nothing is wrong.
pub(super) fn comparison(
    (root, tree): (&Record, &Node),
    mistakes: &mut Diagnostics,
) -> Option<Comparison> {
    let file: &Placed<ComparisonFile> = &root.typed();
    let duration = *file.run.duration.sure()?;
    let window = file
        .run
        .window
        .unwrap_or(Duration((duration.0 / WINDOWS.value).max(1)));
    times(&file.run, window, mistakes);
    let network = network(file, mistakes)?;
    // All that was drawn starts before the end.
    let jitter = file.run.start_jitter.unwrap_or_default();
    let latest = Duration(duration.0.saturating_sub(jitter.0));
    let flows = flows(file, &network, latest, mistakes)?;
    let programs = programs::read(file, tree, &flows, mistakes);
    let mut schemes = settings::schemes(&file.schemes, mistakes);
    let mut ways = flows.clone();
    if !programs.is_empty() {
        schemes = programs::of_frames(schemes, file, mistakes);
        ways.extend(programs::between_all(&network));
    }
    if mistakes.errors() > 0 {
        return None;
    }
    let settings = settings::settings(file, &network, &ways, (&schemes, root), mistakes);
    Some(Comparison {
        title: file.heading.title.clone(),
        about: file.heading.about.trim().into(),
        seed: file.run.seed,
        duration,
        warm_up: *file.run.warm_up,
        window,
        start_jitter: file.run.start_jitter.value,
        schemes,
        flows,
        programs,
        rates: network
            .links
            .iter()
            .flat_map(|link| [link.rate; 2])
            .collect(),
        file: String::new(),
        network,
        settings,
    })
}

fn times(run: &Run, window: Duration, mistakes: &mut Diagnostics) {
    let (duration, warm_up) = (*run.duration, *run.warm_up);
    if warm_up >= duration {
        Diagnostic::error("bad-time", "the warm-up takes the whole run")
            .at(&run.warm_up.at, "statistics start here")
            .at(&run.duration.at, "the run ends here")
            .help("make `duration` longer, or `warm_up` shorter")
            .tell(mistakes);
    }
    if window > Duration(duration.0 - warm_up.0.min(duration.0)) {
        Diagnostic::error("bad-time", "no window fits between warm-up and end")
            .at(&run.window.at, "longer than what is measured")
            .help("make `window` shorter")
            .tell(mistakes);
    } else if duration.0 / window.0.max(1) > MOST_WINDOWS {
        Diagnostic::error("bad-time", "there are too many windows")
            .at(&run.window.at, format!("more than {MOST_WINDOWS} in a run"))
            .help("make `window` longer")
            .tell(mistakes);
    }
}

fn network(file: &ComparisonFile, mistakes: &mut Diagnostics) -> Option<Network> {
    let names = file.network.sure()?;
    let (hosts, switches) = (&names.hosts, &names.switches);
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut nodes = Vec::new();
    for (name, at) in hosts.iter().chain(switches) {
        if numbers.insert(name, nodes.len()).is_some() {
            Diagnostic::error("duplicate-name", format!("two nodes are called `{name}`"))
                .at(at, "the second")
                .tell(mistakes);
        }
        nodes.push(name.clone());
    }
    let mut links = Vec::new();
    for given in &file.links {
        let Some([a, b]) = ends(given, &numbers, mistakes) else {
            continue;
        };
        let link = given.link.over(&file.link);
        links.push(Link {
            a,
            b,
            rate: link.rate?,
            delay: link.delay?,
        });
    }
    for (host, (name, at)) in hosts.iter().enumerate() {
        let own = links.iter().filter(|link| link.a == host || link.b == host);
        let own = own.count();
        if own != 1 && mistakes.errors() == 0 {
            Diagnostic::error("bad-link", format!("`{name}` must have one link"))
                .at(at, format!("it has {own}"))
                .note("in a comparison a host has one port, and forwards nothing")
                .tell(mistakes);
        }
    }
    Some(Network {
        nodes,
        hosts: hosts.len(),
        links,
    })
}

/// The nodes that a link joins.
fn ends(
    link: &OwnLink,
    numbers: &BTreeMap<&str, usize>,
    mistakes: &mut Diagnostics,
) -> Option<[usize; 2]> {
    let at = &link.between.at;
    let names = link.between.sure()?;
    let [a, b] = names.as_slice() else {
        Diagnostic::error("bad-link", "a link joins two nodes")
            .at(at, format!("these are {}", names.len()))
            .help("name the two nodes at its ends")
            .tell(mistakes);
        return None;
    };
    let node =
        |(name, at): &Named, mistakes: &mut Diagnostics| node(numbers, "node", name, at, mistakes);
    let (a, b) = (node(a, mistakes), node(b, mistakes));
    let (a, b) = (a?, b?);
    if a == b {
        Diagnostic::error("bad-link", "a link joins two different nodes")
            .at(at, "the same node twice")
            .tell(mistakes);
    }
    Some([a, b])
}

fn node(
    numbers: &BTreeMap<&str, usize>,
    what: &str,
    name: &str,
    at: &At,
    mistakes: &mut Diagnostics,
) -> Option<usize> {
    let found = numbers.get(name).copied();
    if found.is_none() {
        Diagnostic::error(
            "unknown-name",
            format!("there is no {what} `{}`", clip(name)),
        )
        .at(at, "not in `[network]`")
        .help_if(suggest::did_you_mean(name, numbers.keys().copied()))
        .note(format!(
            "nodes: {}",
            suggest::one_of(numbers.keys().copied())
        ))
        .tell(mistakes);
    }
    found
}

fn flows(
    file: &Placed<ComparisonFile>,
    network: &Network,
    duration: Duration,
    mistakes: &mut Diagnostics,
) -> Option<Vec<ComparedFlow>> {
    let hosts: BTreeMap<&str, usize> = network.nodes[..network.hosts]
        .iter()
        .enumerate()
        .map(|(number, name)| (name.as_str(), number))
        .collect();
    let mut flows: Vec<ComparedFlow> = Vec::new();
    for given in file.flows.iter() {
        let Some(name) = given.name.sure() else {
            continue;
        };
        if name.contains('[') || name.ends_with(" back") {
            Diagnostic::error("bad-name", format!("a flow can't be called `{name}`"))
                .at(&given.name.at, "a name of the scenarios' own")
                .note("`NAME[1]` is a burst of `NAME`, `NAME back` what comes back")
                .tell(mistakes);
        }
        if flows.iter().any(|flow| flow.name == *name) {
            Diagnostic::error("duplicate-name", format!("two flows are called `{name}`"))
                .at(&given.name.at, "the second")
                .tell(mistakes);
        }
        let mut host = |end: &Placed<String>| node(&hosts, "host", end.sure()?, &end.at, mistakes);
        let (Some(from), Some(to)) = (host(&given.from), host(&given.to)) else {
            continue;
        };
        let path = network.path(from, to).filter(|path| !path.is_empty());
        let Some(path) = path else {
            Diagnostic::error("no-path", format!("`{name}` has no path"))
                .at(&given.to.at, "not reached")
                .at(&given.from.at, "from here")
                .help("join the switches by `[[links]]`, or name two different hosts")
                .tell(mistakes);
            continue;
        };
        let first = network.link(path[0]).rate;
        flows.push(ComparedFlow {
            name: name.clone(),
            group: given.group.clone(),
            traffic: self::traffic(&given.traffic, first, duration, mistakes)?,
            path,
            from,
            to,
        });
    }
    let has_programs = !file.collectives.is_empty() || !file.jobs.is_empty();
    if flows.is_empty() && !has_programs && mistakes.errors() == 0 {
        Diagnostic::error("missing-key", "nothing is sent")
            .at(
                &file.at,
                "no `[[flows]]`, `[[collectives]]` or `[[jobs]]` here",
            )
            .help("add `[[flows]]` with `name`, `from` and `to`")
            .tell(mistakes);
    }
    Some(flows)
}

fn traffic(
    given: &Traffic,
    first: Rate,
    duration: Duration,
    mistakes: &mut Diagnostics,
) -> Option<ComparedTraffic> {
    let start: Time = *given.start.sure()?;
    if start.0 >= duration.0 {
        Diagnostic::error("bad-time", "it starts after the end of the run")
            .at(
                &given.start.at,
                "later than `run.duration`, less `run.start_jitter`",
            )
            .tell(mistakes);
        return None;
    }
    Some(match given.kind.sure()? {
        TrafficKind::Greedy => ComparedTraffic::Greedy { start },
        TrafficKind::Constant { rate } => ComparedTraffic::Constant { start, rate: *rate },
        TrafficKind::Bursts { size, every } => {
            let left = duration.0 - start.0 - 1;
            let count = every.map_or(1, |every| left / every.0.max(1) + 1);
            bursts(size, every, first, count, mistakes);
            ComparedTraffic::Bursts {
                start,
                bytes: **size,
                every: **every,
                count,
            }
        }
        TrafficKind::Requests {
            request,
            response,
            think,
        } => {
            for message in [request, response] {
                if message.value > MOST_MESSAGE {
                    Diagnostic::error("out-of-range", "the message is too large")
                        .at(&message.at, format!("more than {MOST_MESSAGE} B"))
                        .note("it must fit into the first window of TCP: 1000 segments")
                        .tell(mistakes);
                }
            }
            ComparedTraffic::Requests {
                start,
                request: **request,
                response: **response,
                think: *think,
            }
        }
    })
}

/// Bursts that don't overlap, and not too many.
fn bursts(
    size: &Placed<u64>,
    every: &Placed<Option<Duration>>,
    first: Rate,
    count: u64,
    mistakes: &mut Diagnostics,
) {
    let takes = [Unit::Frame, Unit::Cell].map(|unit| {
        let time = first.serialization(unit.wire_bytes());
        time.checked_mul(unit.count(**size))
    });
    let takes = takes.into_iter().collect::<Option<Vec<_>>>();
    let takes = takes.and_then(|takes| takes.into_iter().max());
    if let Some(apart) = **every
        && takes.is_none_or(|takes| takes >= apart)
    {
        Diagnostic::error("bad-time", "a burst is not over when the next begins")
            .at(&every.at, "too short")
            .at(&size.at, "at the rate of the first link, headers included")
            .help("make the bursts smaller or rarer, or the source `greedy`")
            .tell(mistakes);
    }
    if count > MOST_BURSTS {
        Diagnostic::error("out-of-range", "there are too many bursts")
            .at(&every.at, format!("{count} in one run"))
            .note(format!("at most {MOST_BURSTS}"))
            .tell(mistakes);
    }
}
