//! Times of watchdogs.

use backwater_scenario::{Diagnostic, Diagnostics};

use super::super::model::{Port, Switch, Watchdog};

pub fn check(switch: &Switch, mistakes: &mut Diagnostics) {
    for port in &switch.ports {
        if let Some(watchdog) = &port.watchdog {
            polled(switch, watchdog, mistakes);
            drained(switch, watchdog, mistakes);
            restored(watchdog, mistakes);
            watched(switch, port, watchdog, mistakes);
        }
    }
}

fn polled(switch: &Switch, watchdog: &Watchdog, mistakes: &mut Diagnostics) {
    let Some(poll) = &switch.poll_ms else { return };
    if watchdog.detect_ms < poll.value {
        let message = format!(
            "a watchdog of `{}` detects within {} ms, and looks every {} ms",
            switch.name, watchdog.detect_ms, poll.value
        );
        Diagnostic::error("switch-watchdog", message)
            .at(&watchdog.at, "`detection_time`")
            .at(&poll.at, "`POLL_INTERVAL`")
            .help(format!(
                "write a `detection_time` of {} or more",
                poll.value
            ))
            .tell(mistakes);
    }
}

/// A full pool that leaves over the slowest port is no storm.
fn drained(switch: &Switch, watchdog: &Watchdog, mistakes: &mut Diagnostics) {
    let bytes = switch
        .lossless_pool()
        .and_then(|(_, pool)| switch.bytes(pool));
    let slowest = switch.ports.iter().min_by_key(|port| port.speed_mbps.value);
    let (Some(bytes), Some(slowest)) = (bytes, slowest) else {
        return;
    };
    // Bits, by bits a millisecond.
    let bits_a_ms = u128::from(slowest.speed_mbps.value) * 1_000;
    let drain_ms = (u128::from(bytes) * 8).div_ceil(bits_a_ms);
    if u128::from(watchdog.detect_ms) < drain_ms {
        let message = format!(
            "a watchdog of `{}` detects within {} ms, and a full pool takes {drain_ms} ms to \
             leave over `{}`",
            switch.name, watchdog.detect_ms, slowest.name
        );
        Diagnostic::error("switch-watchdog", message)
            .at(&watchdog.at, "`detection_time`")
            .note("it takes congestion for a storm, and drops lossless frames")
            .help(format!("write a `detection_time` of {drain_ms} or more"))
            .tell(mistakes);
    }
}

fn restored(watchdog: &Watchdog, mistakes: &mut Diagnostics) {
    if watchdog.restore_ms < watchdog.detect_ms {
        let message = format!(
            "a watchdog restores after {} ms, and detects within {} ms",
            watchdog.restore_ms, watchdog.detect_ms
        );
        Diagnostic::warning("switch-watchdog", message)
            .at(&watchdog.at, "`restoration_time`")
            .note("it may end before it could detect the storm again")
            .help("write a `restoration_time` that is no shorter")
            .tell(mistakes);
    }
}

fn watched(switch: &Switch, port: &Port, watchdog: &Watchdog, mistakes: &mut Diagnostics) {
    let Some(watched) = &port.watched else { return };
    let lacking = port.pfc.value.difference(&watched.value).next();
    if let Some(priority) = lacking {
        let message = format!(
            "priority {priority} of `{}` `{}` has PFC and no watchdog",
            switch.name, port.name
        );
        Diagnostic::warning("switch-watchdog", message)
            .at(&watched.at, "`pfcwd_sw_enable`")
            .at(&watchdog.at, "the watchdog of the port")
            .help(format!("add {priority} to `pfcwd_sw_enable`"))
            .tell(mistakes);
    }
}
