//! PFC against priority groups and queues of one switch.

use std::collections::BTreeSet;

use backwater_scenario::{Diagnostic, Diagnostics, Severity};

use super::super::model::{Map, Port, Switch};

/// Classes of a port.
const CLASSES: std::ops::Range<u8> = 0..8;
/// By which RoCE is told from other packets where nothing else is said.
const ROCE_DSCP: u8 = 26;

pub fn check(switch: &Switch, mistakes: &mut Diagnostics) {
    for port in &switch.ports {
        stopped_but_lossy(switch, port, mistakes);
        lossless_but_free(switch, port, mistakes);
        other_queues(switch, port, mistakes);
        lossy_roce(switch, port, mistakes);
    }
}

/// The priority group that sends stops of a priority.
fn group_of(port: &Port, priority: u8) -> Option<u8> {
    Map::of(port.maps.pfc_to_group.as_ref(), priority)
}

fn stopped_but_lossy(switch: &Switch, port: &Port, mistakes: &mut Diagnostics) {
    for priority in &port.pfc.value {
        let number = group_of(port, *priority);
        let group = number.and_then(|number| port.groups.get(&number));
        if group.is_some_and(|group| group.value.is_lossless()) {
            continue;
        }
        let shown = number.map_or("none".into(), |number| number.to_string());
        let message = format!(
            "`{}` `{}` has PFC for priority {priority}, and its priority group {shown} is not \
             lossless",
            switch.name, port.name
        );
        let mut mistake = Diagnostic::error("switch-priority", message)
            .at(&port.pfc.at, format!("PFC for priority {priority}"));
        mistake = match group {
            Some(group) => mistake.at(&group.at, "without `xoff`"),
            None => mistake.note("no `BUFFER_PG` speaks of it"),
        };
        mistake
            .help(
                "give the group a profile with `xoff`, import `pg_profile_lookup.ini` together \
                 with the switch, or take the priority out of `pfc_enable`",
            )
            .tell(mistakes);
    }
}

fn lossless_but_free(switch: &Switch, port: &Port, mistakes: &mut Diagnostics) {
    let stopped = port
        .pfc
        .value
        .iter()
        .filter_map(|priority| group_of(port, *priority));
    let stopped: BTreeSet<u8> = stopped.collect();
    let groups = port
        .groups
        .iter()
        .filter(|(_, group)| group.value.is_lossless());
    for (number, group) in groups.filter(|(number, _)| !stopped.contains(number)) {
        let message = format!(
            "priority group {number} of `{}` `{}` is lossless, and no priority with PFC is in it",
            switch.name, port.name
        );
        Diagnostic::error("switch-priority", message)
            .at(&group.at, "a profile with `xoff`")
            .note("nothing stops who sends to it: its headroom overflows")
            .help(format!(
                "add {number} to `pfc_enable` of the port, or give the group a profile without \
                 `xoff`"
            ))
            .tell(mistakes);
    }
}

/// A stop of a priority halts one queue; frames of its group that wait in another go on.
fn other_queues(switch: &Switch, port: &Port, mistakes: &mut Diagnostics) {
    for priority in &port.pfc.value {
        let (Some(group), Some(halted)) = (
            group_of(port, *priority),
            Map::of(port.maps.pfc_to_queue.as_ref(), *priority),
        ) else {
            continue;
        };
        for class in CLASSES {
            let is_in = Map::of(port.maps.tc_to_group.as_ref(), class) == Some(group);
            let queue = Map::of(port.maps.tc_to_queue.as_ref(), class);
            let Some(queue) = queue.filter(|queue| is_in && *queue != halted) else {
                continue;
            };
            let message = format!(
                "class {class} of `{}` `{}` is in priority group {group} and in queue {queue}, \
                 and its stop halts queue {halted}",
                switch.name, port.name
            );
            let place = port.maps.tc_to_queue.as_ref();
            let place = place.and_then(|map| map.to.get(&class)).map(|to| &to.at);
            Diagnostic::error("switch-priority", message)
                .at(place.unwrap_or(&port.pfc.at), format!("queue {queue}"))
                .help(format!(
                    "put class {class} into queue {halted}, or let `pfc_to_queue_map` lead to \
                     {queue}"
                ))
                .tell(mistakes);
        }
    }
}

fn lossy_roce(switch: &Switch, port: &Port, mistakes: &mut Diagnostics) {
    let map = port.maps.dscp_to_tc.as_ref();
    let entry = map.and_then(|map| map.to.get(&ROCE_DSCP));
    let Some(class) = entry.filter(|_| !port.pfc.value.is_empty()) else {
        return;
    };
    let group = Map::of(port.maps.tc_to_group.as_ref(), class.value);
    let group = group.and_then(|group| port.groups.get(&group));
    if group.is_some_and(|group| group.value.is_lossless()) {
        return;
    }
    let message = format!(
        "DSCP {ROCE_DSCP}, which RoCE usually has, is in class {} of `{}`, which is not lossless",
        class.value, switch.name
    );
    let severity = Severity::Note;
    let note = Diagnostic::error("switch-priority", message)
        .at(&class.at, "its class")
        .help("lead it to a class with PFC, if hosts send RoCE with it");
    Diagnostic { severity, ..note }.tell(mistakes);
}
