//! Flow control, and the shared memory of switches.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use backwater_kernel::words::printable;

use super::super::checks::set_apart;
use super::super::fabric::{Fabric, Far};
use super::super::model::{Map, Port, Profile, Switch};
use super::{Written, list, name};

/// Classes of a port.
const CLASSES: u8 = 8;
/// As good as no threshold.
const NO_LIMIT: u32 = 65_536;

pub fn write(out: &mut String, written: &Written, gaps: &mut Vec<String>) {
    let fabric = written.fabric;
    let _ = writeln!(out, "[switch]\nclasses = {CLASSES}\n");
    flow_control(out, written, gaps);
    let Some(first) = fabric
        .switches
        .iter()
        .find(|switch| bytes(switch).is_some())
    else {
        gaps.push(
            "buffers: no file has a pool, so each queue has what the language gives it".into(),
        );
        return;
    };
    let _ = writeln!(
        out,
        "# Memory of `{}`; what differs elsewhere follows.\n[buffer.shared]\nbytes = \"{} B\"\n",
        printable(&first.name),
        bytes(first).unwrap_or(0)
    );
    for switch in &fabric.switches {
        whole(out, switch);
        groups(out, fabric, switch, gaps);
        other_pools(switch, gaps);
    }
}

fn flow_control(out: &mut String, written: &Written, gaps: &mut Vec<String>) {
    let ports = || {
        written
            .fabric
            .switches
            .iter()
            .flat_map(|switch| &switch.ports)
    };
    let all: BTreeSet<u8> = ports()
        .flat_map(|port| port.pfc.value.iter().copied())
        .collect();
    if all.is_empty() {
        out.push_str("# No port has PFC.\n");
        return;
    }
    let differs = ports().filter(|port| port.pfc.value != all);
    let differs: Vec<String> = differs.map(|port| format!("`{}`", port.name)).collect();
    if !differs.is_empty() {
        gaps.push(format!(
            "that {} have PFC for fewer priorities: with shared memory all ports have the same",
            differs.join(", ")
        ));
    }
    let classes = list(all.iter().map(u8::to_string));
    let _ = writeln!(
        out,
        "# `pfc_enable`.\n[flow_control]\nkind = \"pfc\"\nclasses = {classes}\ndetect = \"inputs\""
    );
    if written.may_lose {
        out.push_str("# Checks of the files have errors: frames may be lost, which is shown.\n");
        out.push_str("headroom = \"unchecked\"\n");
    }
    out.push('\n');
}

/// Memory of the pool of lossless groups.
fn bytes(switch: &Switch) -> Option<u64> {
    let (_, pool) = switch.lossless_pool()?;
    switch.bytes(pool).or(switch.memory)
}

fn whole(out: &mut String, switch: &Switch) {
    let (Some((pool_name, pool)), Some(bytes)) = (switch.lossless_pool(), bytes(switch)) else {
        return;
    };
    let place = match (pool.xoff.value, switch.is_inside(pool)) {
        (0, _) => "without shared headroom",
        (_, true) => "its shared headroom taken as a part of it",
        (_, false) => "its shared headroom taken as beside it",
    };
    let _ = writeln!(
        out,
        "# `{}` of `{}`, {place}.\n[[memory]]\nnodes = {}\nbytes = \"{bytes} B\"",
        printable(pool_name),
        printable(&switch.name),
        name(&switch.name)
    );
    if pool.xoff.value > 0 {
        let _ = writeln!(out, "pool = \"{} B\"", pool.xoff.value);
    }
    out.push('\n');
}

/// What a profile is used for: classes, and the nodes at the other ends.
type Uses = BTreeMap<(Vec<u8>, String), BTreeSet<String>>;

fn groups(out: &mut String, fabric: &Fabric, switch: &Switch, gaps: &mut Vec<String>) {
    let mut uses = Uses::new();
    let mut profiles: BTreeMap<String, &Profile> = BTreeMap::new();
    for port in &switch.ports {
        let Some(far) = far(fabric, switch, port) else {
            continue;
        };
        let mut classes: BTreeMap<&str, Vec<u8>> = BTreeMap::new();
        for class in 0..CLASSES {
            let group = Map::of(port.maps.tc_to_group.as_ref(), class);
            let group = group.and_then(|group| port.groups.get(&group));
            if let Some(group) = group {
                classes.entry(&group.value.name).or_default().push(class);
                profiles
                    .entry(group.value.name.clone())
                    .or_insert(&group.value);
            }
        }
        for (profile, classes) in classes {
            let key = (classes, profile.to_owned());
            uses.entry(key).or_default().insert(far.clone());
        }
    }
    for ((classes, profile), ports) in uses {
        let profile = profiles[&profile];
        group(out, switch, (&classes, &ports, profile), gaps);
    }
}

/// The node behind a port.
fn far(fabric: &Fabric, switch: &Switch, port: &Port) -> Option<String> {
    let place = fabric
        .switches
        .iter()
        .position(|known| known.name == switch.name)?;
    let at = switch
        .ports
        .iter()
        .position(|known| known.name == port.name)?;
    let link = fabric.link_of((place, at))?;
    Some(match &link.far {
        Far::Host(name) => name.clone(),
        Far::Port(end) if *end == (place, at) => fabric.switches[link.near.0].name.clone(),
        Far::Port(end) => fabric.switches[end.0].name.clone(),
    })
}

fn group(
    out: &mut String,
    switch: &Switch,
    (classes, ports, profile): (&[u8], &BTreeSet<String>, &Profile),
    gaps: &mut Vec<String>,
) {
    let lossless = switch.lossless_pool().map(|(name, _)| name);
    if lossless.is_some_and(|name| name != profile.pool) && !profile.pool.is_empty() {
        gaps.push(format!(
            "that `{}` of `{}` counts in the pool `{}`: it shares that of lossless groups",
            profile.name, switch.name, profile.pool
        ));
    }
    let _ = writeln!(
        out,
        "# `{}`.\n[[memory]]\nnodes = {}\nports = {}\nclasses = {}",
        printable(&profile.name),
        name(&switch.name),
        list(ports.iter().map(|port| name(port))),
        list(classes.iter().map(u8::to_string))
    );
    let _ = writeln!(out, "reserve = \"{} B\"", switch.reserve(profile));
    if let Some(xoff) = &profile.xoff {
        let _ = writeln!(out, "headroom = \"{} B\"", xoff.value);
    }
    let _ = writeln!(out, "alpha = {}", alpha(switch, profile, gaps));
    if profile.is_lossless() {
        // Without an offset it is resumed as soon as nothing of it is shared.
        let offset = profile.xon_offset.or_else(|| bytes(switch)).unwrap_or(0);
        let _ = writeln!(out, "resume_offset = \"{} B\"", offset);
        let _ = writeln!(out, "resume_floor = \"{} B\"", profile.xon);
    }
    out.push('\n');
}

/// A share as a scenario has it.
pub fn power(power: i64) -> String {
    match power.clamp(-8, 7) {
        power @ 0.. => (1_u32 << power).to_string(),
        power => format!("\"1/{}\"", 1_u32 << -power),
    }
}

fn alpha(switch: &Switch, profile: &Profile, gaps: &mut Vec<String>) -> String {
    let pool = switch.pool(&profile.pool);
    let size = pool
        .and_then(|pool| pool.size.as_ref())
        .map_or(0, |size| size.value);
    match (&profile.dynamic_th, profile.static_th) {
        (Some(power_of), _) => power(power_of.value),
        (None, None) => "\"1/8\"".into(),
        (None, Some(bytes)) => {
            if bytes < size {
                gaps.push(format!(
                    "`static_th` of `{}` of `{}`, {bytes} B: it has no threshold",
                    profile.name, switch.name
                ));
            }
            NO_LIMIT.to_string()
        }
    }
}

fn other_pools(switch: &Switch, gaps: &mut Vec<String>) {
    let lossless = switch.lossless_pool().map(|(name, _)| name.to_owned());
    let others = switch
        .pools
        .iter()
        .filter(|(name, _)| Some(*name) != lossless.as_ref());
    let others: Vec<String> = others
        .map(|(name, pool)| {
            let [reserves, _] = set_apart(switch, (name, pool));
            let size = pool
                .size
                .as_ref()
                .map_or("no size".into(), |size| format!("{} B", size.value));
            match reserves {
                0 => format!("`{name}` ({size})"),
                _ => format!("`{name}` ({size}, {reserves} B reserved)"),
            }
        })
        .collect();
    if !others.is_empty() {
        gaps.push(format!("pools of `{}`: {}", switch.name, others.join(", ")));
    }
}
