//! What files of switches say and nothing here reads, by table and field.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;

use super::tables::{Row, Tables};

/// Tables that are read, with their fields; `*` are numbers or names of ports.
const READ: &[(&str, &[&str])] = &[
    ("BUFFER_PG", &["profile"]),
    ("BUFFER_POOL", &["type", "mode", "size", "xoff"]),
    (
        "BUFFER_PROFILE",
        &[
            "pool",
            "size",
            "xon",
            "xon_offset",
            "xoff",
            "dynamic_th",
            "static_th",
        ],
    ),
    ("BUFFER_QUEUE", &["profile"]),
    ("CABLE_LENGTH", &["*"]),
    (
        "DEFAULT_LOSSLESS_BUFFER_PARAMETER",
        &["over_subscribe_ratio"],
    ),
    ("DEVICE_METADATA", &["hostname", "asic_name"]),
    ("DEVICE_NEIGHBOR", &["name", "port"]),
    ("DSCP_TO_TC_MAP", &["*"]),
    (
        "LOSSLESS_TRAFFIC_PATTERN",
        &["mtu", "small_packet_percentage"],
    ),
    ("MAP_PFC_PRIORITY_TO_QUEUE", &["*"]),
    ("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", &["*"]),
    (
        "PFC_WD",
        &[
            "action",
            "detection_time",
            "restoration_time",
            "POLL_INTERVAL",
        ],
    ),
    ("PORT", &["speed", "mtu", "admin_status"]),
    (
        "PORT_QOS_MAP",
        &[
            "dscp_to_tc_map",
            "tc_to_pg_map",
            "tc_to_queue_map",
            "pfc_to_queue_map",
            "pfc_to_pg_map",
            "pfc_enable",
            "pfcwd_sw_enable",
        ],
    ),
    ("QUEUE", &["scheduler", "wred_profile"]),
    ("SCHEDULER", &["type", "weight"]),
    ("TC_TO_PRIORITY_GROUP_MAP", &["*"]),
    ("TC_TO_QUEUE_MAP", &["*"]),
    (
        "WRED_PROFILE",
        &[
            "ecn",
            "green_min_threshold",
            "green_max_threshold",
            "green_drop_probability",
        ],
    ),
];

/// "`PORT`: `alias`, `index`, `lanes`", and tables as a whole.
pub fn of(tables: &Tables) -> Vec<String> {
    tables
        .names()
        .filter_map(|(name, rows)| left(name, rows))
        .collect()
}

fn left(name: &str, rows: &BTreeMap<String, Row>) -> Option<String> {
    let Some((_, read)) = READ.iter().find(|(table, _)| *table == name) else {
        return Some(format!("`{name}`: {}", counted(rows.len(), "entry")));
    };
    if read.contains(&"*") {
        return None;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let fields = rows.values().flat_map(|row| row.fields.keys());
    for field in fields.filter(|field| !read.contains(&field.as_str())) {
        *counts.entry(field).or_default() += 1;
    }
    let each = counts.iter().map(|(field, count)| match count {
        1 => format!("`{field}`"),
        _ => format!("`{field}` of {}", counted(*count, "entry")),
    });
    let each: Vec<String> = each.collect();
    (!each.is_empty()).then(|| format!("`{name}`: {}", each.join(", ")))
}
