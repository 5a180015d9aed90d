//! A switch as its files configure it, before it is checked or written.

use std::collections::{BTreeMap, BTreeSet};

use backwater_scenario::At;

/// Something, and where it is said.
#[derive(Clone, Default, Debug)]
pub struct Said<T> {
    pub value: T,
    pub at: At,
}

/// A switch.
#[derive(Default, Debug)]
pub struct Switch {
    pub name: String,
    /// In the order of their names: `Ethernet4` before `Ethernet16`.
    pub ports: Vec<Port>,
    pub pools: BTreeMap<String, Pool>,
    /// All memory, bytes, where the command line says it.
    pub memory: Option<u64>,
    /// The headroom of a pool is inside or outside its size, where the command line says it.
    pub is_inside: Option<bool>,
    /// Milliseconds between two looks of the watchdog.
    pub poll_ms: Option<Said<u64>>,
    /// How many times the shared headroom may be sold.
    pub over_subscribe: Option<Said<u64>>,
    /// Largest lossless packet, bytes, and the share of small ones, where said.
    pub lossless_mtu: Option<u64>,
    pub small_percent: Option<u64>,
    /// What is read, means something and has no place in a scenario.
    pub gaps: Vec<String>,
}

/// A port that is up.
#[derive(Default, Debug)]
pub struct Port {
    pub name: String,
    pub at: At,
    /// Mb/s.
    pub speed_mbps: Said<u64>,
    pub mtu: Said<u64>,
    pub metres: Option<Said<u64>>,
    /// Name and port of the peer.
    pub neighbour: Option<Said<(String, String)>>,
    /// Priorities with PFC.
    pub pfc: Said<BTreeSet<u8>>,
    /// Those that the watchdog looks after.
    pub watched: Option<Said<BTreeSet<u8>>>,
    /// By priority group.
    pub groups: BTreeMap<u8, Said<Profile>>,
    pub queues: BTreeMap<u8, Queue>,
    pub maps: Maps,
    pub watchdog: Option<Watchdog>,
}

/// Maps of a port; `None` where it has none: each number to itself.
#[derive(Default, Debug)]
pub struct Maps {
    pub dscp_to_tc: Option<Map>,
    pub tc_to_group: Option<Map>,
    pub tc_to_queue: Option<Map>,
    pub pfc_to_queue: Option<Map>,
    pub pfc_to_group: Option<Map>,
}

/// A map of numbers.
#[derive(Clone, Default, Debug)]
pub struct Map {
    pub at: At,
    pub to: BTreeMap<u8, Said<u8>>,
}

/// Memory of a switch, or a part of it.
#[derive(Clone, Default, Debug)]
pub struct Pool {
    pub at: At,
    pub is_ingress: bool,
    /// Its thresholds are bytes, not shares of what is free.
    pub is_static: bool,
    /// Bytes.
    pub size: Option<Said<u64>>,
    /// Headroom that all priority groups share, bytes; 0 where each has its own.
    pub xoff: Said<u64>,
}

/// What a priority group or a queue has of a pool.
#[derive(Clone, Default, Debug)]
pub struct Profile {
    pub name: String,
    pub pool: String,
    /// Bytes of each.
    pub size: u64,
    pub xon: u64,
    pub xon_offset: Option<u64>,
    /// Headroom of a lossless one.
    pub xoff: Option<Said<u64>>,
    /// Lossless, with what is to be computed.
    pub is_computed: bool,
    /// It may hold 2 to this power times what is free,
    pub dynamic_th: Option<Said<i64>>,
    /// or so many bytes.
    pub static_th: Option<u64>,
}

/// A queue of a port.
#[derive(Clone, Default, Debug)]
pub struct Queue {
    pub profile: Option<Profile>,
    pub scheduler: Option<Scheduler>,
    pub marks: Option<Marks>,
}

/// How a queue is served.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scheduler {
    pub name: String,
    pub is_strict: bool,
    pub weight: u64,
}

/// When frames are marked.
#[derive(Clone, Default, Debug)]
pub struct Marks {
    pub name: String,
    pub at: At,
    /// Bytes.
    pub min: u64,
    pub max: u64,
    pub percent: u64,
}

/// What a port does about a stop that does not end.
#[derive(Clone, Debug)]
pub struct Watchdog {
    pub at: At,
    pub action: String,
    pub detect_ms: u64,
    pub restore_ms: u64,
}

impl Profile {
    /// No frame of it is dropped.
    pub fn is_lossless(&self) -> bool {
        self.xoff.is_some() || self.is_computed
    }
}

impl Map {
    /// Where a number leads; each to itself where there is no map.
    pub fn of(map: Option<&Map>, number: u8) -> Option<u8> {
        match map {
            None => Some(number),
            Some(map) => map.to.get(&number).map(|to| to.value),
        }
    }
}

impl Switch {
    /// The pool of this name.
    pub fn pool(&self, name: &str) -> Option<&Pool> {
        self.pools.get(name)
    }

    /// Its lossless priority groups, with their ports.
    pub fn lossless(&self) -> impl Iterator<Item = (&Port, u8, &Said<Profile>)> {
        let of = |port: &Port| {
            let groups = port.groups.iter();
            let lossless = groups.filter(|(_, group)| group.value.is_lossless());
            lossless.map(|(number, _)| *number).collect::<Vec<_>>()
        };
        let each = self
            .ports
            .iter()
            .flat_map(move |port| of(port).into_iter().map(move |number| (port, number)));
        each.map(|(port, number)| (port, number, &port.groups[&number]))
    }

    /// The headroom of this pool lies inside its size.
    pub fn is_inside(&self, pool: &Pool) -> bool {
        let size = pool.size.as_ref().map_or(0, |size| size.value);
        let sizes = self.pools.values().filter_map(|pool| pool.size.as_ref());
        let largest = sizes.map(|size| size.value).max().unwrap_or(0);
        self.is_inside
            .unwrap_or(size.saturating_add(pool.xoff.value) > largest)
    }

    /// All memory of an ingress pool, with its headroom, bytes.
    pub fn bytes(&self, pool: &Pool) -> Option<u64> {
        let size = pool.size.as_ref()?.value;
        let outside = if self.is_inside(pool) {
            0
        } else {
            pool.xoff.value
        };
        size.checked_add(outside)
    }

    /// Bytes that a profile keeps for each of its groups: its size, less headroom that is in it
    /// where none is shared.
    pub fn reserve(&self, profile: &Profile) -> u64 {
        let shares = self
            .pool(&profile.pool)
            .is_some_and(|pool| pool.xoff.value > 0);
        let xoff = profile.xoff.as_ref().map_or(0, |xoff| xoff.value);
        match shares || profile.size < profile.xon.saturating_add(xoff) {
            true => profile.size,
            false => profile.size - xoff,
        }
    }

    /// The pool of lossless priority groups, and its name.
    pub fn lossless_pool(&self) -> Option<(&str, &Pool)> {
        let mut names = self.lossless().map(|(_, _, group)| &group.value.pool);
        let name = names.next().map_or("ingress_lossless_pool", String::as_str);
        self.pools
            .get_key_value(name)
            .map(|(name, pool)| (name.as_str(), pool))
    }
}
