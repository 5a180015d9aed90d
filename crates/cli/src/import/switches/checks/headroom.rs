//! Headroom (`xoff`) against what still comes after a stop: at once, as IEEE 802.3 lets the other
//! end take, and by the figures that are published for a chip.

use std::collections::BTreeMap;

use backwater_kernel::words::grouped;
use backwater_kernel::{Duration, Rate};
use backwater_scenario::sizing::{self, Chip, Link, Settings};
use backwater_scenario::{At, Diagnostic, Diagnostics, Severity};

use super::super::added::{self, Lookup};
use super::super::fabric::Fabric;
use super::super::model::{Port, Switch};
use super::Assumed;

/// A packet of a port that says none.
const MTU: u64 = 9_100;
/// Delay of a metre of cable, picoseconds.
const METRE_PS: u64 = 5_000;

/// Bytes that one link needs.
#[derive(Clone, Copy, Default)]
struct Needs {
    at_once: u64,
    allowed: u64,
    published: u64,
}

/// Headroom that is used: of which name, where it stands, and by what.
struct Use {
    name: String,
    bytes: u64,
    by: String,
    needs: Needs,
}

pub fn check(fabric: &Fabric, assumed: &Assumed, mistakes: &mut Diagnostics) {
    // The port that needs most says what is wrong with a profile.
    let mut worst: BTreeMap<At, Use> = BTreeMap::new();
    for (place, switch) in fabric.switches.iter().enumerate() {
        for (port, number, group) in switch.lossless() {
            let Some(xoff) = &group.value.xoff else {
                continue;
            };
            let at = switch
                .ports
                .iter()
                .position(|known| known.name == port.name);
            let link = at.and_then(|at| fabric.link_of((place, at)));
            let metres = link.and_then(|link| fabric.metres(link));
            let metres = metres.or(port.metres.as_ref().map(|metres| metres.value));
            let Some(metres) = metres else { continue };
            let (speed, mtu) = (port.speed_mbps.value, port.mtu.value);
            let needs = needs((speed, metres, mtu), &of_switch(switch, port, assumed));
            let user = Use {
                name: group.value.name.clone(),
                bytes: xoff.value,
                by: format!(
                    "priority group {number} of `{}` `{}`, {speed} Mb/s over {metres} m",
                    switch.name, port.name
                ),
                needs,
            };
            let known = worst.get(&xoff.at);
            if known.is_none_or(|known| known.needs.at_once < needs.at_once) {
                worst.insert(xoff.at.clone(), user);
            }
        }
    }
    for (at, user) in worst {
        tell(&at, &user, mistakes);
    }
}

pub fn rows(lookup: &Lookup, assumed: &Assumed, mistakes: &mut Diagnostics) {
    let lossless = assumed.lossless_mtu.unwrap_or(MTU);
    for row in &lookup.rows {
        let at = At {
            source: lookup.source,
            start: row.at.start,
            end: row.at.end,
        };
        let user = Use {
            name: added::of_row(row, &at, None).name,
            bytes: row.xoff,
            by: format!(
                "{} Mb/s over {} m, packets of {MTU} B",
                row.speed_mbps, row.metres
            ),
            needs: needs((row.speed_mbps, row.metres, MTU), &(lossless, assumed.chip)),
        };
        tell(&at, &user, mistakes);
    }
}

/// Largest lossless packet, and the chip with the share of small packets.
fn of_switch(switch: &Switch, port: &Port, assumed: &Assumed) -> (u64, Option<Chip>) {
    let lossless = assumed.lossless_mtu.or(switch.lossless_mtu);
    let chip = assumed.chip.map(|chip| Chip {
        small: switch
            .small_percent
            .map_or(chip.small, |percent| percent.min(100) as f64 / 100.0),
        ..chip
    });
    (lossless.unwrap_or(port.mtu.value), chip)
}

fn needs((speed, metres, mtu): (u64, u64, u64), (lossless, chip): &(u64, Option<Chip>)) -> Needs {
    let rate = Rate(speed.saturating_mul(1_000_000));
    let packet = |bytes: u64| bytes.clamp(64, 65_000) as u32;
    let link = Link {
        rate,
        back: rate,
        delay: Duration(metres.saturating_mul(METRE_PS)),
        nodes: Duration::ZERO,
        mtu: packet(mtu),
        lossless_mtu: packet(*lossless),
        least: None,
        is_tagged: false,
        response: Duration::ZERO,
    };
    let settings = Settings {
        chip: *chip,
        ..Settings::default()
    };
    let mut needs = Needs::default();
    for sizing in sizing::all(&link, &settings) {
        let bytes = sizing.no_loss.unwrap_or(0);
        match sizing.scheme {
            "pfc" => needs.at_once = bytes,
            "pfc-ieee" => needs.allowed = bytes,
            "sonic" => needs.published = bytes,
            _ => {}
        }
    }
    needs
}

fn tell(at: &At, user: &Use, mistakes: &mut Diagnostics) {
    let Use {
        name,
        bytes,
        by,
        needs,
    } = user;
    let (severity, need, whose) = if *bytes < needs.at_once {
        (
            Severity::Error,
            needs.at_once,
            "comes even if a stop acts at once",
        )
    } else if *bytes < needs.allowed {
        (
            Severity::Warning,
            needs.allowed,
            "comes if a stop acts as late as IEEE 802.3 allows",
        )
    } else if *bytes < needs.published {
        (Severity::Note, needs.published, "is published for the chip")
    } else {
        return;
    };
    let message = format!(
        "`{name}` has {} B of headroom, and {} B {whose}",
        grouped(*bytes),
        grouped(need)
    );
    let mistake = Diagnostic::error("switch-headroom", message)
        .at(at, by)
        .note("with less, frames of a lossless class are dropped")
        .help(format!(
            "write `xoff` of {need} or more, or a shorter cable"
        ));
    Diagnostic {
        severity,
        ..mistake
    }
    .tell(mistakes);
}
