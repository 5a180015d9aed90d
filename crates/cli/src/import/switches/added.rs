//! Lossless priority groups that rendered files lack: a switch makes them as it starts, from a
//! table of headroom by speed and length of cable.

use backwater_formats::sonic::lookup::Row;
use backwater_kernel::words::counted;
use backwater_scenario::{At, Diagnostic, Diagnostics};

use super::model::{Profile, Said, Switch};

/// The pool of priority groups that are computed.
pub const LOSSLESS_POOL: &str = "ingress_lossless_pool";

/// A table with headroom by speed and length of cable.
pub struct Lookup {
    pub source: usize,
    pub rows: Vec<Row>,
}

/// Priorities with PFC and no priority group: that of the row for rate and cable.
pub fn complete(switch: &mut Switch, lookup: &Lookup, mistakes: &mut Diagnostics) {
    let pool = switch.pools.get(LOSSLESS_POOL);
    let pool = pool.map(|pool| pool.is_static);
    let mut added = 0_usize;
    for port in &mut switch.ports {
        let Some(metres) = port.metres.clone().filter(|metres| metres.value > 0) else {
            continue;
        };
        let lacks = |priority: &&u8| {
            let group = port.groups.get(*priority);
            group.is_none_or(|group| group.value.is_computed)
        };
        let lacking: Vec<u8> = port.pfc.value.iter().filter(lacks).copied().collect();
        if lacking.is_empty() {
            continue;
        }
        let speed = port.speed_mbps.value;
        let fits = |row: &&Row| (row.speed_mbps, row.metres) == (speed, metres.value);
        let Some(row) = lookup.rows.iter().find(fits) else {
            Diagnostic::error(
                "switch-table",
                format!(
                    "no row for {speed} Mb/s and {} m in the table of headroom: `{}` has no \
                     lossless priority group",
                    metres.value, port.name
                ),
            )
            .at(&metres.at, "the cable")
            .at(&port.speed_mbps.at, "the speed")
            .help("add a row for exactly these two, or give the port a `BUFFER_PG`")
            .tell(mistakes);
            continue;
        };
        let at = At {
            source: lookup.source,
            start: row.at.start,
            end: row.at.end,
        };
        for priority in lacking {
            let value = of_row(row, &at, pool);
            port.groups.insert(
                priority,
                Said {
                    value,
                    at: at.clone(),
                },
            );
            added += 1;
        }
    }
    if added > 0 {
        switch.gaps.push(format!(
            "{} come from the table of headroom, by speed and cable",
            counted(added, "lossless priority group")
        ));
    }
}

/// The profile of a row, in a pool with thresholds in bytes (`true`), in shares, or in none.
pub fn of_row(row: &Row, at: &At, pool: Option<bool>) -> Profile {
    let is_power = pool != Some(true) && (-8..=7).contains(&row.threshold);
    Profile {
        name: format!("pg_lossless_{}_{}m_profile", row.speed_mbps, row.metres),
        pool: pool.map_or(String::new(), |_| LOSSLESS_POOL.into()),
        size: row.size,
        xon: row.xon,
        xon_offset: row.xon_offset,
        xoff: Some(Said {
            value: row.xoff,
            at: at.clone(),
        }),
        is_computed: false,
        dynamic_th: is_power.then(|| Said {
            value: row.threshold,
            at: at.clone(),
        }),
        static_th: u64::try_from(row.threshold).ok().filter(|_| !is_power),
    }
}
