//! A switch out of its tables.

use std::collections::{BTreeMap, BTreeSet};

use backwater_scenario::{At, Diagnostic, Diagnostics};

use super::added::{self, LOSSLESS_POOL, Lookup};
use super::model::{
    Map, Maps, Marks, Pool, Port, Profile, Queue, Said, Scheduler, Switch, Watchdog,
};
use super::tables::{self, Row, Tables, numbers, wrong};

/// Largest IP packet of a port that says none.
const MTU: u64 = 9_100;
/// Of a watchdog that says none, milliseconds for each 32 ports.
const DETECT_MS: u64 = 200;
/// DSCPs, of which a map has at most each.
const DSCPS: u8 = 64;

/// Reads a switch; what is wrong is added to `mistakes`.
pub fn switch(
    (name, at): (String, At),
    tables: &Tables,
    lookup: Option<&Lookup>,
    mistakes: &mut Diagnostics,
) -> Switch {
    let mut switch = Switch {
        name,
        ..Switch::default()
    };
    settings(&mut switch, tables, mistakes);
    if tables.rows("PORT").is_empty() {
        Diagnostic::error(
            "switch-table",
            format!("`{}` has no table `PORT`", switch.name),
        )
        .at(&at, "in the files of this switch")
        .help("import its `config_db.json` together with files that hold single tables")
        .tell(mistakes);
    }
    switch.pools = pools(tables, mistakes);
    switch.ports = ports(tables, mistakes);
    let names: BTreeSet<String> = tables.rows("PORT").keys().cloned().collect();
    let mut by_name: BTreeMap<String, Port> = std::mem::take(&mut switch.ports)
        .into_iter()
        .map(|port| (port.name.clone(), port))
        .collect();
    let mut filler = Filler {
        tables,
        names,
        ports: &mut by_name,
        mistakes,
    };
    filler.fill();
    switch.ports = by_name.into_values().collect();
    switch.ports.sort_by_key(|port| {
        let (stem, number) = tables::stem(&port.name);
        (stem.to_owned(), number)
    });
    if let Some(lookup) = lookup {
        added::complete(&mut switch, lookup, mistakes);
    }
    switch
}

fn settings(switch: &mut Switch, tables: &Tables, mistakes: &mut Diagnostics) {
    for row in tables.rows("LOSSLESS_TRAFFIC_PATTERN").values() {
        let mut number =
            |field, allowed| Tables::number::<u64>(Tables::text(row, field), allowed, mistakes);
        let mtu = number("mtu", &tables::MTU);
        let small = number("small_packet_percentage", &tables::PERCENT);
        switch.lossless_mtu = mtu.map(|mtu| mtu.value);
        switch.small_percent = small.map(|share| share.value);
    }
    for row in tables.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER").values() {
        let ratio = Tables::text(row, "over_subscribe_ratio");
        switch.over_subscribe = Tables::number(ratio, &tables::RATIO, mistakes);
    }
    if let Some(row) = tables.rows("PFC_WD").get("GLOBAL") {
        let poll = Tables::text(row, "POLL_INTERVAL");
        switch.poll_ms = Tables::number(poll, &tables::MILLISECONDS, mistakes);
    }
}

fn pools(tables: &Tables, mistakes: &mut Diagnostics) -> BTreeMap<String, Pool> {
    let mut pools = BTreeMap::new();
    for (name, row) in tables.rows("BUFFER_POOL") {
        let kind = Tables::text(row, "type").map_or("", |kind| kind.value.as_str());
        let mut bytes = |field| Tables::number(Tables::text(row, field), &tables::BYTES, mistakes);
        let pool = Pool {
            at: row.at.clone(),
            is_ingress: matches!(kind, "ingress" | "both"),
            is_static: Tables::text(row, "mode").is_some_and(|mode| mode.value == "static"),
            size: bytes("size"),
            xoff: bytes("xoff").unwrap_or_default(),
        };
        if !matches!(kind, "ingress" | "egress" | "both") {
            Diagnostic::error("switch-table", format!("the pool `{name}` has no type"))
                .at(&row.at, "here")
                .help("give it `\"type\"`: `ingress`, `egress` or `both`")
                .tell(mistakes);
        }
        pools.insert(name.clone(), pool);
    }
    pools
}

/// Ports that are up, with rate, cable and neighbour.
fn ports(tables: &Tables, mistakes: &mut Diagnostics) -> Vec<Port> {
    let mut ports = Vec::new();
    for (name, row) in tables.rows("PORT") {
        let is_down = |text: &Said<String>| text.value.eq_ignore_ascii_case("down");
        if Tables::text(row, "admin_status").is_some_and(is_down) {
            continue;
        }
        let metres = cable(tables, name, mistakes);
        let speed = Tables::text(row, "speed");
        if speed.is_none() {
            Diagnostic::error("switch-table", format!("the port `{name}` has no speed"))
                .at(&row.at, "here")
                .help("give it `\"speed\"`, in Mb/s: `\"100000\"` is 100 Gbps")
                .tell(mistakes);
        }
        let speed = Tables::number(speed, &tables::SPEED, mistakes);
        let Some(speed_mbps) = speed else { continue };
        let mtu = Tables::number(Tables::text(row, "mtu"), &tables::MTU, mistakes);
        ports.push(Port {
            name: name.clone(),
            at: row.at.clone(),
            speed_mbps,
            mtu: mtu.unwrap_or_else(|| Said {
                value: MTU,
                at: row.at.clone(),
            }),
            metres,
            neighbour: neighbour(tables, name),
            ..Port::default()
        });
    }
    ports
}

fn cable(tables: &Tables, port: &str, mistakes: &mut Diagnostics) -> Option<Said<u64>> {
    let rows = tables.rows("CABLE_LENGTH").values();
    let text = rows.filter_map(|row| row.fields.get(port)).next()?;
    let metres = text
        .value
        .strip_suffix('m')
        .and_then(|metres| metres.parse().ok());
    let metres = metres.filter(|metres: &u64| *metres <= 1_000_000_000);
    if metres.is_none() {
        wrong(text, "a length of cable in metres, as `40m`,").tell(mistakes);
    }
    let at = text.at.clone();
    metres.map(|value| Said { value, at })
}

fn neighbour(tables: &Tables, port: &str) -> Option<Said<(String, String)>> {
    let row = tables.rows("DEVICE_NEIGHBOR").get(port)?;
    let name = Tables::text(row, "name")?;
    let peer = Tables::text(row, "port").map(|port| port.value.clone());
    Some(Said {
        value: (name.value.clone(), peer.unwrap_or_default()),
        at: row.at.clone(),
    })
}

/// Puts what tables say of ports to the ports.
struct Filler<'t> {
    tables: &'t Tables,
    /// Names of all ports, those that are down too.
    names: BTreeSet<String>,
    /// Those that are up.
    ports: &'t mut BTreeMap<String, Port>,
    mistakes: &'t mut Diagnostics,
}

impl<'t> Filler<'t> {
    fn fill(&mut self) {
        self.qos_maps();
        self.groups();
        self.queue_profiles();
        self.queues();
        self.watchdogs();
    }

    /// The ports of a key, or of the part of it before the last `|`, and the numbers behind that.
    fn places(&mut self, (key, row): (&str, &Row), numbered: bool) -> (Vec<String>, BTreeSet<u8>) {
        let (ports, range) = match key.rsplit_once('|').filter(|_| numbered) {
            Some((ports, range)) => (ports, numbers(range)),
            None => (key, (!numbered).then(BTreeSet::new)),
        };
        // A chassis puts host and part before the port.
        let ports = ports.rsplit('|').next().unwrap_or(ports);
        let Some(range) = range else {
            let message = format!("`{key}` ends with no numbers");
            Diagnostic::error("switch-table", message)
                .at(&row.at, "the entry of this key")
                .help("write the port, `|`, and a number or a range: `Ethernet0|3-4`")
                .tell(self.mistakes);
            return Default::default();
        };
        let ports = tables::ports(ports, &self.names);
        for port in ports.iter().filter(|port| !self.names.contains(*port)) {
            Diagnostic::error("switch-table", format!("no `{port}` in the table `PORT`"))
                .at(&row.at, format!("the entry of `{key}`"))
                .help("correct the key of the entry, or add the port")
                .tell(self.mistakes);
        }
        (ports, range)
    }

    fn qos_maps(&mut self) {
        let tables = self.tables;
        let every = tables.rows("PORT_QOS_MAP").get("global");
        let dscp = every.and_then(|row| self.map(row, ("dscp_to_tc_map", "DSCP_TO_TC_MAP")));
        for port in self.ports.values_mut() {
            port.maps.dscp_to_tc.clone_from(&dscp);
        }
        for (key, row) in tables.rows("PORT_QOS_MAP") {
            if key == "global" {
                continue;
            }
            let (names, _) = self.places((key, row), false);
            let maps = Maps {
                dscp_to_tc: self.map(row, ("dscp_to_tc_map", "DSCP_TO_TC_MAP")),
                tc_to_group: self.map(row, ("tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP")),
                tc_to_queue: self.map(row, ("tc_to_queue_map", "TC_TO_QUEUE_MAP")),
                pfc_to_queue: self.map(row, ("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE")),
                pfc_to_group: self
                    .map(row, ("pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP")),
            };
            let pfc = self.priorities(row, "pfc_enable");
            let watched = self.priorities(row, "pfcwd_sw_enable");
            for name in names {
                let Some(port) = self.ports.get_mut(&name) else {
                    continue;
                };
                let dscp = port.maps.dscp_to_tc.take();
                port.maps = Maps {
                    dscp_to_tc: maps.dscp_to_tc.clone().or(dscp),
                    tc_to_group: maps.tc_to_group.clone(),
                    tc_to_queue: maps.tc_to_queue.clone(),
                    pfc_to_queue: maps.pfc_to_queue.clone(),
                    pfc_to_group: maps.pfc_to_group.clone(),
                };
                port.pfc = pfc.clone().unwrap_or_default();
                port.watched.clone_from(&watched);
            }
        }
    }

    fn priorities(&mut self, row: &Row, field: &str) -> Option<Said<BTreeSet<u8>>> {
        let text = row.fields.get(field)?;
        let set = numbers(&text.value).filter(|set| set.iter().all(|priority| *priority < 8));
        if set.is_none() {
            wrong(text, "a list of priorities from 0 to 7, as `3,4`,").tell(self.mistakes);
        }
        let at = text.at.clone();
        set.map(|value| Said { value, at })
    }

    fn map(&mut self, row: &Row, (field, table): (&str, &str)) -> Option<Map> {
        let text = Tables::text(row, field)?;
        let (_, row) = self.tables.refer(text, table, self.mistakes)?;
        let mut to = BTreeMap::new();
        for (from, value) in &row.fields {
            let key = from.parse::<u8>().ok().filter(|key| *key < DSCPS);
            let Some(key) = key else {
                wrong(value, "a map from numbers below 64 to numbers").tell(self.mistakes);
                continue;
            };
            if let Some(number) = Tables::number(Some(value), &tables::NUMBER, self.mistakes) {
                to.insert(key, number);
            }
        }
        Some(Map {
            at: text.at.clone(),
            to,
        })
    }

    fn groups(&mut self) {
        let tables = self.tables;
        for (key, row) in tables.rows("BUFFER_PG") {
            let (names, range) = self.places((key, row), true);
            let Some(text) = Tables::text(row, "profile") else {
                continue;
            };
            let Some(profile) = self.profile(text) else {
                continue;
            };
            for name in names {
                let Some(port) = self.ports.get_mut(&name) else {
                    continue;
                };
                for number in &range {
                    let group = Said {
                        value: profile.clone(),
                        at: text.at.clone(),
                    };
                    port.groups.insert(*number, group);
                }
            }
        }
    }

    fn queue_profiles(&mut self) {
        let tables = self.tables;
        for (key, row) in tables.rows("BUFFER_QUEUE") {
            let (names, range) = self.places((key, row), true);
            let Some(text) = Tables::text(row, "profile") else {
                continue;
            };
            let profile = self.profile(text);
            for name in names {
                let Some(port) = self.ports.get_mut(&name) else {
                    continue;
                };
                for number in &range {
                    port.queues
                        .entry(*number)
                        .or_default()
                        .profile
                        .clone_from(&profile);
                }
            }
        }
    }

    fn profile(&mut self, text: &Said<String>) -> Option<Profile> {
        if text.value == "NULL" {
            return Some(Profile {
                name: "NULL".into(),
                pool: LOSSLESS_POOL.into(),
                is_computed: true,
                ..Profile::default()
            });
        }
        let (name, row) = self.tables.refer(text, "BUFFER_PROFILE", self.mistakes)?;
        let pool = match Tables::text(row, "pool") {
            None => {
                Diagnostic::error("switch-table", format!("the profile `{name}` has no pool"))
                    .at(&row.at, "here")
                    .help("give it `\"pool\"`, a name of the table `BUFFER_POOL`")
                    .tell(self.mistakes);
                String::new()
            }
            Some(text) => {
                let pool = self.tables.refer(text, "BUFFER_POOL", self.mistakes);
                pool.map_or(String::new(), |(name, _)| name)
            }
        };
        let mut bytes =
            |field| Tables::number::<u64>(Tables::text(row, field), &tables::BYTES, self.mistakes);
        let (size, xon) = (bytes("size"), bytes("xon"));
        let (xoff, offset, fixed) = (bytes("xoff"), bytes("xon_offset"), bytes("static_th"));
        let power = Tables::text(row, "dynamic_th");
        let power = Tables::number::<i64>(power, &tables::EXPONENT, self.mistakes);
        Some(Profile {
            name,
            pool,
            size: size.map_or(0, |size| size.value),
            xon: xon.map_or(0, |xon| xon.value),
            xon_offset: offset.map(|offset| offset.value),
            xoff,
            is_computed: false,
            dynamic_th: power,
            static_th: fixed.map(|fixed| fixed.value),
        })
    }

    fn queues(&mut self) {
        let tables = self.tables;
        for (key, row) in tables.rows("QUEUE") {
            let (names, range) = self.places((key, row), true);
            let scheduler = Tables::text(row, "scheduler")
                .and_then(|text| tables.refer(text, "SCHEDULER", self.mistakes))
                .map(|(name, row)| self.scheduler(name, row));
            let marks = Tables::text(row, "wred_profile")
                .and_then(|text| tables.refer(text, "WRED_PROFILE", self.mistakes))
                .and_then(|(name, row)| self.marks(name, row));
            for name in names {
                let Some(port) = self.ports.get_mut(&name) else {
                    continue;
                };
                for number in &range {
                    let queue = port.queues.entry(*number).or_default();
                    let Queue {
                        scheduler: how,
                        marks: when,
                        ..
                    } = queue;
                    *how = scheduler.clone().or(how.take());
                    *when = marks.clone().or(when.take());
                }
            }
        }
    }

    fn scheduler(&mut self, name: String, row: &Row) -> Scheduler {
        let kind = Tables::text(row, "type");
        let word = kind.map_or("WRR", |kind| kind.value.as_str());
        if let Some(kind) = kind.filter(|_| !["DWRR", "WRR", "STRICT"].contains(&word)) {
            wrong(kind, "`DWRR`, `WRR` or `STRICT`").tell(self.mistakes);
        }
        let weight = Tables::text(row, "weight");
        let weight = Tables::number(weight, &tables::WEIGHT, self.mistakes);
        Scheduler {
            name,
            is_strict: word == "STRICT",
            weight: weight.map_or(1, |weight| weight.value),
        }
    }

    /// Marks of green frames; `None` where they are not marked.
    fn marks(&mut self, name: String, row: &Row) -> Option<Marks> {
        let kind = Tables::text(row, "ecn").map_or("ecn_none", |kind| kind.value.as_str());
        let is_green = kind == "ecn_all" || (kind.starts_with("ecn_") && kind.contains("green"));
        let mut number = |field, allowed| {
            Tables::number::<u64>(Tables::text(row, field), allowed, self.mistakes)
        };
        let min = number("green_min_threshold", &tables::BYTES);
        let max = number("green_max_threshold", &tables::BYTES);
        let percent = number("green_drop_probability", &tables::PERCENT);
        let percent = percent.map_or(100, |percent| percent.value);
        let (min, max) = (min?, max?);
        is_green.then_some(Marks {
            name,
            at: min.at,
            min: min.value,
            max: max.value,
            percent,
        })
    }

    fn watchdogs(&mut self) {
        let tables = self.tables;
        let usual = DETECT_MS * (self.names.len() as u64).div_ceil(32).max(1);
        for (key, row) in tables.rows("PFC_WD") {
            if key == "GLOBAL" {
                continue;
            }
            let (names, _) = self.places((key, row), false);
            let mut time = |field| {
                Tables::number::<u64>(
                    Tables::text(row, field),
                    &tables::MILLISECONDS,
                    self.mistakes,
                )
            };
            let (detect, restore) = (time("detection_time"), time("restoration_time"));
            let detect_ms = detect.map_or(usual, |time| time.value);
            let action = Tables::text(row, "action");
            if let Some(text) = action
                && !["drop", "forward", "alert"].contains(&text.value.as_str())
            {
                wrong(text, "`drop`, `forward` or `alert`").tell(self.mistakes);
            }
            let watchdog = Watchdog {
                at: row.at.clone(),
                action: action.map_or("drop".into(), |action| action.value.clone()),
                detect_ms,
                restore_ms: restore.map_or(2 * detect_ms, |time| time.value),
            };
            for name in names {
                if let Some(port) = self.ports.get_mut(&name) {
                    port.watchdog = Some(watchdog.clone());
                }
            }
        }
    }
}
