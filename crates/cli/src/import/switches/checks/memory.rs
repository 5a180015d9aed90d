//! Pools: what is reserved and shared of them, and what they have.

use backwater_kernel::words::grouped;
use backwater_scenario::{Diagnostic, Diagnostics, Severity};

use super::super::model::{Pool, Profile, Said, Switch};

pub fn check(switch: &Switch, mistakes: &mut Diagnostics) {
    for (name, pool) in &switch.pools {
        if pool.is_ingress {
            shared_headroom(switch, (name, pool), mistakes);
            reserved(switch, (name, pool), mistakes);
        }
    }
    sizes(switch, mistakes);
    thresholds(switch, mistakes);
}

/// Headroom of the lossless priority groups of a pool.
fn headrooms<'s>(switch: &'s Switch, pool: &'s str) -> impl Iterator<Item = &'s Said<u64>> {
    let groups = switch.lossless().map(|(_, _, group)| &group.value);
    let inside = groups.filter(move |profile| profile.pool == pool);
    inside.filter_map(|profile| profile.xoff.as_ref())
}

fn shared_headroom(switch: &Switch, (name, pool): (&str, &Pool), mistakes: &mut Diagnostics) {
    let shared = &pool.xoff;
    if shared.value == 0 {
        return;
    }
    let sum: u64 = headrooms(switch, name).map(|xoff| xoff.value).sum();
    let largest = headrooms(switch, name).max_by_key(|xoff| xoff.value);
    if let Some(largest) = largest.filter(|xoff| xoff.value > shared.value) {
        let message = format!(
            "`{name}` of `{}` shares {} B of headroom, and one priority group needs {} B",
            switch.name,
            grouped(shared.value),
            grouped(largest.value)
        );
        Diagnostic::error("switch-pool", message)
            .at(&shared.at, "shared by all")
            .at(&largest.at, "of one")
            .help(format!("give the pool `xoff` of {} or more", largest.value))
            .tell(mistakes);
    }
    if sum <= shared.value {
        return;
    }
    let ratio = hundredths(sum, shared.value);
    let message = format!(
        "`{name}` of `{}` shares {} B of headroom, sold {ratio} times: {} B in all",
        switch.name,
        grouped(shared.value),
        grouped(sum)
    );
    let mut note = Diagnostic::error("switch-pool", message)
        .at(&shared.at, "shared by all")
        .note("it is enough as long as not all ports are stopped at once");
    if let Some(most) = &switch.over_subscribe {
        let word = match sum > shared.value.saturating_mul(most.value.max(1)) {
            true => "more than",
            false => "within",
        };
        let said = format!("{word} the ratio that is meant, {}", most.value);
        note = note.at(&most.at, said);
    }
    let severity = Severity::Note;
    Diagnostic { severity, ..note }.tell(mistakes);
}

/// "1.29".
fn hundredths(part: u64, whole: u64) -> String {
    let hundredths = (u128::from(part) * 200 / u128::from(whole.max(1))).div_ceil(2);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Bytes of a pool that are set apart: reserves of all its groups, and headroom.
pub fn set_apart(switch: &Switch, (name, pool): (&str, &Pool)) -> [u64; 2] {
    let groups = switch.ports.iter().flat_map(|port| port.groups.values());
    let inside = groups.filter(|group| group.value.pool == name);
    let reserves = inside.map(|group| switch.reserve(&group.value)).sum();
    let headroom = match pool.xoff.value {
        0 => headrooms(switch, name).map(|xoff| xoff.value).sum(),
        shared => shared,
    };
    [reserves, headroom]
}

fn reserved(switch: &Switch, (name, pool): (&str, &Pool), mistakes: &mut Diagnostics) {
    let Some(bytes) = switch.bytes(pool) else {
        let message = format!("`{name}` of `{}` has no size", switch.name);
        let severity = match switch.memory {
            Some(_) => Severity::Note,
            None => Severity::Error,
        };
        let mistake = Diagnostic::error("switch-pool", message)
            .at(&pool.at, "a switch with dynamic buffers computes it")
            .help("say the memory of the switch, as `--switch-memory 64MB`");
        return Diagnostic {
            severity,
            ..mistake
        }
        .tell(mistakes);
    };
    let [reserves, headroom] = set_apart(switch, (name, pool));
    if reserves.saturating_add(headroom) <= bytes {
        return;
    }
    let message = format!(
        "`{name}` of `{}` has {} B, and {} B are reserved and {} B are headroom",
        switch.name,
        grouped(bytes),
        grouped(reserves),
        grouped(headroom)
    );
    let at = pool.size.as_ref().map_or(&pool.at, |size| &size.at);
    Diagnostic::error("switch-pool", message)
        .at(at, "nothing is left to be shared")
        .help("give the pool more, or the priority groups a smaller `size` or `xoff`")
        .tell(mistakes);
}

/// Ingress pools together against the memory, where that is known.
fn sizes(switch: &Switch, mistakes: &mut Diagnostics) {
    let Some(memory) = switch.memory else { return };
    let pools = switch.pools.values().filter(|pool| pool.is_ingress);
    let sum = pools
        .clone()
        .filter_map(|pool| switch.bytes(pool))
        .sum::<u64>();
    let largest = pools.max_by_key(|pool| switch.bytes(pool));
    if let Some(largest) = largest.filter(|_| sum > memory) {
        let message = format!(
            "the ingress pools of `{}` have {} B, and its memory {} B",
            switch.name,
            grouped(sum),
            grouped(memory)
        );
        let at = largest.size.as_ref().map_or(&largest.at, |size| &size.at);
        Diagnostic::error("switch-pool", message)
            .at(at, "the largest")
            .help("make them smaller, or correct `--switch-memory`")
            .tell(mistakes);
    }
}

/// Thresholds of lossless priority groups that differ.
fn thresholds(switch: &Switch, mistakes: &mut Diagnostics) {
    let powers = |profile: &Profile| profile.dynamic_th.clone();
    let mut all = switch
        .lossless()
        .filter_map(|(_, _, group)| powers(&group.value));
    let Some(first) = all.next() else { return };
    if let Some(other) = all.find(|other| other.value != first.value) {
        let message = format!(
            "lossless priority groups of `{}` have different `dynamic_th`: {} and {}",
            switch.name, first.value, other.value
        );
        let note = Diagnostic::error("switch-pool", message)
            .at(&first.at, "one")
            .at(&other.at, "another")
            .note("under congestion they share the pool in proportion to 2 to these powers");
        let severity = Severity::Note;
        Diagnostic { severity, ..note }.tell(mistakes);
    }
}
