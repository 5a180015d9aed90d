//! What differs by class: marks, turns, and watchdogs.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use backwater_kernel::words::printable;

use super::super::fabric::{Fabric, Far, Link, PortId};
use super::super::model::{Map, Marks, Port, Queue, Scheduler, Switch, Watchdog};
use super::memory::power;
use super::name;

/// A full frame with a tag: the quantum of the smallest weight, bytes.
const QUANTUM: u64 = 1_522;

pub fn write(out: &mut String, fabric: &Fabric, may_lose: bool, gaps: &mut Vec<String>) {
    each_class(out, fabric, may_lose, gaps);
    lossy_outputs(out, fabric, gaps);
    watchdogs(out, fabric, gaps);
    let colours = ports(fabric).filter(|port| marks_of(port).len() > 1);
    let colours: Vec<String> = colours.map(|port| format!("`{}`", port.name)).collect();
    if !colours.is_empty() {
        gaps.push(format!(
            "marks that differ by queue at {}: each port has those of its first",
            colours.join(", ")
        ));
    }
    if ports(fabric).any(|port| !marks_of(port).is_empty()) {
        gaps.push(
            "that only some queues mark: all classes of a port do, whose sources use ECN".into(),
        );
    }
}

fn ports(fabric: &Fabric) -> impl Iterator<Item = &Port> {
    fabric.switches.iter().flat_map(|switch| &switch.ports)
}

/// Thresholds of a port that differ.
fn marks_of(port: &Port) -> BTreeSet<(u64, u64, u64)> {
    let marks = port
        .queues
        .values()
        .filter_map(|queue| queue.marks.as_ref());
    marks
        .map(|marks| (marks.min, marks.max, marks.percent))
        .collect()
}

/// Marks of the ports at both ends, in the direction of each.
pub fn marks_of_link(out: &mut String, fabric: &Fabric, link: &Link) {
    let first = |end: PortId| {
        let queues = fabric.port(end).queues.values();
        queues.filter_map(|queue| queue.marks.as_ref()).next()
    };
    let mut say = |way: &str, marks: Option<&Marks>| {
        let Some(marks) = marks else { return };
        let _ = writeln!(
            out,
            "{way}.ecn = {{ min = \"{} B\", max = \"{} B\", probability = \"{} %\" }} # {}",
            marks.min.max(1),
            marks.max.max(1),
            marks.percent,
            printable(&marks.name)
        );
    };
    say("forward", first(link.near));
    if let Far::Port(far) = link.far {
        say("backward", first(far));
    }
}

/// How classes of a port are served.
type Turns = BTreeMap<u8, Scheduler>;

fn turns(port: &Port) -> Turns {
    let queue = |class: u8| -> Option<&Queue> {
        port.queues
            .get(&Map::of(port.maps.tc_to_queue.as_ref(), class)?)
    };
    let each = (0..8).filter_map(|class| Some((class, queue(class)?.scheduler.clone()?)));
    each.collect()
}

/// The port whose schedulers are taken: the first that has some.
fn schedulers(fabric: &Fabric, gaps: &mut Vec<String>) -> Turns {
    let named = fabric.switches.iter().flat_map(|switch| {
        let ports = switch.ports.iter();
        ports.map(move |port| (switch, port, turns(port)))
    });
    let mut all = named.filter(|(_, _, turns)| !turns.is_empty());
    let Some((switch, port, first)) = all.next() else {
        return Turns::new();
    };
    let plain = |turns: &Turns| -> Vec<(u8, bool, u64)> {
        let each = turns.iter();
        each.map(|(class, how)| (*class, how.is_strict, how.weight))
            .collect()
    };
    let others = all.filter(|(_, _, turns)| plain(turns) != plain(&first));
    let others: BTreeSet<&str> = others.map(|(switch, _, _)| switch.name.as_str()).collect();
    if !others.is_empty() {
        let others: Vec<&str> = others.into_iter().collect();
        gaps.push(format!(
            "other schedulers of {}: all ports have those of `{}` `{}`",
            others.join(", "),
            switch.name,
            port.name
        ));
    }
    first
}

/// What differs by class: turns, and where watchdogs break the promise to drop nothing.
fn each_class(out: &mut String, fabric: &Fabric, may_lose: bool, gaps: &mut Vec<String>) {
    let turns = schedulers(fabric, gaps);
    let weights = turns.values().filter(|how| !how.is_strict);
    let least = weights.map(|how| how.weight).min().unwrap_or(1).max(1);
    if !turns.is_empty() {
        let _ = writeln!(
            out,
            "# `SCHEDULER`: bytes a round in proportion to weights.\n[scheduler]\nkind = \
             \"drr\"\nquantum = \"{QUANTUM} B\"\n"
        );
    }
    let breaking = fabric.switches.iter().filter(|switch| is_watched(switch));
    let breaking: Vec<String> = breaking.map(|switch| name(&switch.name)).collect();
    let lossless: BTreeSet<u8> = ports(fabric)
        .flat_map(|port| port.pfc.value.clone())
        .collect();
    for class in 0..8 {
        let how = turns.get(&class);
        let breaks = !may_lose && !breaking.is_empty() && lossless.contains(&class);
        if how.is_none() && !breaks {
            continue;
        }
        let _ = writeln!(out, "[[classes]]\nclass = {class}");
        match how {
            Some(how) if how.is_strict => {
                let _ = writeln!(out, "priority = 1 # `{}`", printable(&how.name));
            }
            Some(how) => {
                let quantum = how.weight * QUANTUM / least;
                let _ = writeln!(
                    out,
                    "quantum = \"{quantum} B\" # `{}`",
                    printable(&how.name)
                );
            }
            None => {}
        }
        if breaks {
            let _ = writeln!(
                out,
                "# A watchdog that acts drops frames.\nheadroom = \"unchecked\"\nheadroom_at = {}",
                super::list(breaking.iter().cloned())
            );
        }
        out.push('\n');
    }
}

/// Its watchdog acts on frames.
fn is_watched(switch: &Switch) -> bool {
    let mut all = switch
        .ports
        .iter()
        .filter_map(|port| port.watchdog.as_ref());
    all.next().is_some_and(|first| first.action != "alert")
}

/// Thresholds of queues without flow control.
fn lossy_outputs(out: &mut String, fabric: &Fabric, gaps: &mut Vec<String>) {
    for switch in &fabric.switches {
        let mut alphas: BTreeMap<i64, BTreeSet<u8>> = BTreeMap::new();
        for port in &switch.ports {
            for class in (0..8).filter(|class| !port.pfc.value.contains(class)) {
                let queue = Map::of(port.maps.tc_to_queue.as_ref(), class);
                let queue = queue.and_then(|queue| port.queues.get(&queue));
                let profile = queue.and_then(|queue| queue.profile.as_ref());
                let threshold = profile.and_then(|profile| profile.dynamic_th.as_ref());
                if let Some(threshold) = threshold {
                    alphas.entry(threshold.value).or_default().insert(class);
                }
            }
        }
        let mut seen = BTreeSet::new();
        for (alpha, classes) in alphas {
            if classes.iter().any(|class| !seen.insert(*class)) {
                gaps.push(format!(
                    "that lossy queues of `{}` differ by port",
                    switch.name
                ));
            }
            let classes = super::list(classes.iter().map(u8::to_string));
            let _ = writeln!(
                out,
                "# Queues without flow control.\n[[memory]]\nnodes = {}\nclasses = {classes}\n\
                 output_alpha = {}\n",
                name(&switch.name),
                power(alpha)
            );
        }
    }
}

fn watchdogs(out: &mut String, fabric: &Fabric, gaps: &mut Vec<String>) {
    for switch in &fabric.switches {
        let all = switch
            .ports
            .iter()
            .filter_map(|port| port.watchdog.as_ref());
        let plain = |own: &Watchdog| (own.action.clone(), own.detect_ms, own.restore_ms);
        let kinds: BTreeSet<_> = all.clone().map(plain).collect();
        let Some(first) = all.clone().next() else {
            continue;
        };
        let without = switch.ports.iter().any(|port| port.watchdog.is_none());
        if kinds.len() > 1 || without {
            gaps.push(format!(
                "that watchdogs of `{}` differ by port",
                switch.name
            ));
        }
        if first.action == "alert" {
            gaps.push(format!(
                "the watchdog of `{}`, which only alerts",
                switch.name
            ));
            continue;
        }
        let _ = writeln!(
            out,
            "# `PFC_WD`.\n[[nodes]]\nname = {}\nwatchdog = {{ detect = \"{} ms\", restore = \"{} \
             ms\", action = \"{}\" }}\n",
            name(&switch.name),
            first.detect_ms.max(1),
            first.restore_ms.max(1),
            match first.action.as_str() {
                "forward" => "forward",
                _ => "drop",
            }
        );
    }
}
