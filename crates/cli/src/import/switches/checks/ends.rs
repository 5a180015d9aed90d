//! The two ends of a link.

use std::collections::BTreeMap;

use backwater_kernel::words::grouped;
use backwater_scenario::{At, Diagnostic, Diagnostics};

use super::super::fabric::{Fabric, Far, PortId};
use super::super::model::{Map, Said};

pub fn check(fabric: &Fabric, mistakes: &mut Diagnostics) {
    for link in &fabric.links {
        if let Far::Port(far) = link.far {
            pfc(fabric, [link.near, far], mistakes);
            maps(fabric, [link.near, far], mistakes);
            numbers(fabric, [link.near, far], mistakes);
        }
    }
}

/// "`a` `Ethernet0` and `b` `Ethernet4`".
fn both(fabric: &Fabric, ends: [PortId; 2]) -> String {
    let [a, b] = ends.map(|end| {
        let switch = &fabric.switches[end.0].name;
        format!("`{switch}` `{}`", fabric.port(end).name)
    });
    format!("{a} and {b}")
}

fn pfc(fabric: &Fabric, ends: [PortId; 2], mistakes: &mut Diagnostics) {
    let [a, b] = ends.map(|end| fabric.port(end));
    if a.pfc.value == b.pfc.value {
        return;
    }
    let list = |set: &std::collections::BTreeSet<u8>| {
        let all: Vec<String> = set.iter().map(u8::to_string).collect();
        match all.is_empty() {
            true => "none".to_owned(),
            false => all.join(","),
        }
    };
    let at = |end: PortId| match fabric.port(end).pfc.at == At::default() {
        true => fabric.port(end).at.clone(),
        false => fabric.port(end).pfc.at.clone(),
    };
    let message = format!("{} have PFC for different priorities", both(fabric, ends));
    Diagnostic::error("switch-link", message)
        .at(&at(ends[0]), list(&a.pfc.value))
        .at(&at(ends[1]), list(&b.pfc.value))
        .note("one end sends stops that the other does not obey")
        .help("give both ports the same `pfc_enable`")
        .tell(mistakes);
}

fn maps(fabric: &Fabric, ends: [PortId; 2], mistakes: &mut Diagnostics) {
    let [a, b] = ends.map(|end| fabric.port(end).maps.dscp_to_tc.as_ref());
    let (Some(a), Some(b)) = (a, b) else { return };
    let plain = |map: &Map| -> BTreeMap<u8, u8> {
        map.to.iter().map(|(from, to)| (*from, to.value)).collect()
    };
    let (plain_a, plain_b) = (plain(a), plain(b));
    let differs = plain_a.keys().chain(plain_b.keys());
    let Some(dscp) = differs
        .copied()
        .find(|dscp| plain_a.get(dscp) != plain_b.get(dscp))
    else {
        return;
    };
    let place = |map: &Map| map.to.get(&dscp).map_or(map.at.clone(), |to| to.at.clone());
    let class = |map: &BTreeMap<u8, u8>| match map.get(&dscp) {
        Some(class) => format!("class {class}"),
        None => "no class".to_owned(),
    };
    let message = format!(
        "{} put DSCP {dscp} into different classes",
        both(fabric, ends)
    );
    Diagnostic::warning("switch-link", message)
        .at(&place(a), class(&plain_a))
        .at(&place(b), class(&plain_b))
        .note("a packet that is lossless at one switch may be dropped at the other")
        .help("give both switches the same `DSCP_TO_TC_MAP`")
        .tell(mistakes);
}

fn numbers(fabric: &Fabric, ends: [PortId; 2], mistakes: &mut Diagnostics) {
    let [a, b] = ends.map(|end| fabric.port(end));
    let mut differ = |what: &str, unit: &str, kept: &str, values: [Option<&Said<u64>>; 2]| {
        let [Some(first), Some(second)] = values else {
            return;
        };
        if first.value == second.value {
            return;
        }
        let said = |value: &Said<u64>| format!("{} {unit}", grouped(value.value));
        let message = format!("{} differ in {what}", both(fabric, ends));
        Diagnostic::warning("switch-link", message)
            .at(&first.at, said(first))
            .at(&second.at, said(second))
            .note(format!("the {kept} is taken"))
            .help("write the same for both ports")
            .tell(mistakes);
    };
    differ(
        "length of cable",
        "m",
        "longer",
        [a.metres.as_ref(), b.metres.as_ref()],
    );
    differ(
        "speed",
        "Mb/s",
        "lower",
        [Some(&a.speed_mbps), Some(&b.speed_mbps)],
    );
    differ("mtu", "B", "smaller", [Some(&a.mtu), Some(&b.mtu)]);
}
