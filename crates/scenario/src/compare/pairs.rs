//! Queue pairs under a scheme: the keys of their control as the file says them, and what follows
//! from the links where it says nothing.

use backwater_kernel::Rate;
use backwater_net::frames::spec::{FRAME_OVERHEAD_BYTES, ROCE_BYTES, TELEMETRY_BYTES};

use super::network::Network;
use super::scheme::Control;
use super::text::{self, Toml};
use super::unit::FRAME_BYTES;
use crate::given::compare::{ECN_KB, ECN_PROBABILITY, LEAST_ECN, LEAST_RATE};
use crate::language::record::{Datum, Record};
use crate::language::tree::quoted;

/// Payload of a packet whose frame is as large as a full one.
const PAYLOAD_BYTES: u64 = FRAME_BYTES - (ROCE_BYTES + FRAME_OVERHEAD_BYTES) as u64;
/// Where the file chooses other values than these defaults.
const PROFILE: &str = "profile";
/// What the source of RoCC does; its other keys are of the queues.
const RECOVERY: &str = "recovery";
/// Marks, beside the keys of DCQCN.
const MARKS: &str = "ecn";

/// Keys that the file gives, as TOML, by table.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    tables: Vec<(&'static str, Vec<Given>)>,
    /// Marks begin here, bytes, and all are marked from there on.
    marks: [u64; 2],
    /// No rate below.
    least: Rate,
}

type Given = (&'static str, String);

impl Pairs {
    /// What stands in `[schemes]`, and the defaults for these links.
    pub fn new(schemes: Option<&Record>, network: &Network, buffer: u64) -> Pairs {
        let names = ["roce", "dcqcn", "rocc", "hpcc", "timely", "swift"];
        let table = |name| Some((name, given(schemes?.record(name)?)));
        let rates = || network.links.iter().map(|link| link.rate);
        let fastest = rates().max().unwrap_or(Rate(1)).0;
        let [from, to] = ECN_KB;
        // kB for each Gbps are bytes for each Mbps.
        let low = (fastest / 1_000_000)
            .saturating_mul(from)
            .max(LEAST_ECN.value * FRAME_BYTES)
            .min((buffer * from / to / 2).max(1));
        Pairs {
            tables: names.into_iter().filter_map(table).collect(),
            marks: [low, low.saturating_mul(to / from)],
            least: Rate((rates().min().unwrap_or(Rate(1)).0 / LEAST_RATE.value).max(1)),
        }
    }

    fn of(&self, table: &str) -> &[Given] {
        let table = self.tables.iter().find(|(name, _)| *name == table);
        table.map_or(&[], |(_, given)| given)
    }

    /// What queues of switches do, as a key of `[buffer]`.
    pub fn queues(&self, control: Control) -> Option<(&'static str, String)> {
        match control {
            Control::Dcqcn => Some(match self.of("dcqcn").iter().find(|key| key.0 == MARKS) {
                Some((_, own)) => (MARKS, own.clone()),
                None => {
                    let [low, high] = self.marks.map(text::bytes);
                    let p = ECN_PROBABILITY;
                    let marks = format!(
                        "{{ min = {low}, max = {high}, probability = {p}, at = \"leave\" }}"
                    );
                    (MARKS, marks)
                }
            }),
            Control::Rocc => {
                let own = self.of("rocc").iter().filter(|key| key.0 != RECOVERY);
                Some(("rocc", inline(own)))
            }
            Control::Udp
            | Control::Reno
            | Control::Cubic
            | Control::Dctcp
            | Control::Hpcc
            | Control::Timely
            | Control::PatchedTimely
            | Control::Swift => None,
        }
    }

    /// `[roce]`, whose packets are as large as full frames.
    pub fn write(&self, control: Control, toml: &mut Toml) {
        let (kind, table) = match control {
            Control::Udp | Control::Reno | Control::Cubic | Control::Dctcp => return,
            Control::Dcqcn => ("dcqcn", "dcqcn"),
            Control::Rocc => ("rocc", "rocc"),
            Control::Hpcc => ("hpcc", "hpcc"),
            Control::Timely | Control::PatchedTimely => ("timely", "timely"),
            Control::Swift => ("swift", "swift"),
        };
        let is_patched = control == Control::PatchedTimely;
        let has = |name: &str| self.of(table).iter().any(|key| key.0 == name);
        let mut keys: Vec<Given> = vec![("kind", quoted(kind))];
        if is_patched {
            keys.push((PROFILE, quoted("patched")));
        }
        let has_least = matches!(kind, "dcqcn" | "hpcc" | "timely");
        if has_least && !has("least") && (is_patched || !has(PROFILE)) {
            keys.push(("least", text::rate(self.least)));
        }
        let own = self.of(table).iter().filter(|(name, _)| match *name {
            PROFILE => !is_patched,
            "patched_beta" | "reference" if table == "timely" => is_patched,
            MARKS => false,
            _ => table != "rocc" || *name == RECOVERY,
        });
        keys.extend(own.cloned());
        let telemetry = match control == Control::Hpcc {
            true => u64::from(TELEMETRY_BYTES),
            false => 0,
        };
        toml.table("[roce]")
            .key("mtu", text::bytes(PAYLOAD_BYTES - telemetry))
            .key("control", inline(keys.iter()));
        for (name, value) in self.of("roce") {
            toml.key(name, value);
        }
    }
}

/// The keys of a table that the file gives, those of tables in it as one.
fn given(table: &Record) -> Vec<Given> {
    let fields = table.fields.iter().filter(|field| field.given);
    let key = |field: &crate::language::record::Field| {
        let value = match &field.datum {
            Datum::Record(below) => inline(given(below).iter()),
            _ => field.toml.clone(),
        };
        (field.key.name, value)
    };
    fields.map(key).collect()
}

fn inline<'a>(keys: impl Iterator<Item = &'a Given>) -> String {
    let keys: Vec<String> = keys
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    match keys.is_empty() {
        true => "{}".into(),
        false => format!("{{ {} }}", keys.join(", ")),
    }
}
