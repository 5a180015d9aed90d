//! Queue pairs under a scheme: the keys of their control as the file says them, and what follows
//! from the links where it says nothing.

use backwater_kernel::Rate;
use backwater_net::frames::spec::{FRAME_OVERHEAD_BYTES, ROCE_BYTES, TELEMETRY_BYTES};

use super::network::Network;
use super::scheme::Control;
use super::text::{self, Toml};
use super::unit::FRAME_BYTES;
use crate::given::compare::{
    DcqcnPairs, ECN_KB, ECN_PROBABILITY, HpccPairs, LEAST_ECN, LEAST_RATE, RoccPairs, RocePairs,
    Schemes, SwiftPairs, TimelyPairs,
};
use crate::language::record::{Datum, Record};
use crate::language::tree::quoted;
use crate::language::typed::Table;

/// Payload of a packet whose frame is as large as a full one.
const PAYLOAD_BYTES: u64 = FRAME_BYTES - (ROCE_BYTES + FRAME_OVERHEAD_BYTES) as u64;
/// Where the file chooses other values than these defaults.
const PROFILE: &str = "profile";
/// What the source of RoCC does; its other keys are of the queues.
const RECOVERY: &str = "recovery";
/// Marks, beside the keys of DCQCN.
const MARKS: &str = "ecn";
/// No rate below.
const LEAST: &str = "least";
/// Keys of patched TIMELY alone.
const PATCHED: [&str; 2] = ["patched_beta", "reference"];

/// Keys that the file gives, as TOML.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Of all queue pairs.
    common: Vec<Given>,
    dcqcn: Vec<Given>,
    rocc: Vec<Given>,
    hpcc: Vec<Given>,
    timely: Vec<Given>,
    swift: Vec<Given>,
    /// Marks begin here, bytes, and all are marked from there on.
    marks: [u64; 2],
    /// No rate below.
    least: Rate,
}

type Given = (&'static str, String);

impl Pairs {
    /// What the file says of schemes, and the defaults for these links.
    pub fn new(file: &Record, network: &Network, buffer: u64) -> Pairs {
        let schemes = below::<Schemes>(file);
        let rates = || network.links.iter().map(|link| link.rate);
        let fastest = rates().max().unwrap_or(Rate(1)).0;
        let [from, to] = ECN_KB;
        // kB for each Gbps are bytes for each Mbps.
        let low = (fastest / 1_000_000)
            .saturating_mul(from)
            .max(LEAST_ECN.value * FRAME_BYTES)
            .min((buffer * from / to / 2).max(1));
        Pairs {
            common: given_in::<RocePairs>(schemes),
            dcqcn: given_in::<DcqcnPairs>(schemes),
            rocc: given_in::<RoccPairs>(schemes),
            hpcc: given_in::<HpccPairs>(schemes),
            timely: given_in::<TimelyPairs>(schemes),
            swift: given_in::<SwiftPairs>(schemes),
            marks: [low, low.saturating_mul(to / from)],
            least: Rate((rates().min().unwrap_or(Rate(1)).0 / LEAST_RATE.value).max(1)),
        }
    }

    /// What queues of switches do, as a key of `[buffer]`.
    pub fn queues(&self, control: Control) -> Option<(&'static str, String)> {
        match control {
            Control::Dcqcn => Some(match self.dcqcn.iter().find(|key| key.0 == MARKS) {
                Some((_, marks)) => (MARKS, marks.clone()),
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
                let of_queues = self.rocc.iter().filter(|key| key.0 != RECOVERY);
                Some(("rocc", inline(of_queues)))
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
        let all = |_: &&Given| true;
        let of_dcqcn = |key: &&Given| key.0 != MARKS;
        let of_source = |key: &&Given| key.0 == RECOVERY;
        let plain = |key: &&Given| !PATCHED.contains(&key.0);
        let patched = |key: &&Given| key.0 != PROFILE;
        let is_chosen = |keys: &[Given]| keys.iter().any(|key| [PROFILE, LEAST].contains(&key.0));
        let least = |is_chosen: bool| {
            let key = (LEAST, text::rate(self.least));
            (!is_chosen).then_some(key)
        };
        let (kind, usual, own): (_, Vec<Given>, Vec<&Given>) = match control {
            Control::Udp | Control::Reno | Control::Cubic | Control::Dctcp => return,
            Control::Dcqcn => (
                "dcqcn",
                least(is_chosen(&self.dcqcn)).into_iter().collect(),
                self.dcqcn.iter().filter(of_dcqcn).collect(),
            ),
            Control::Rocc => (
                "rocc",
                Vec::new(),
                self.rocc.iter().filter(of_source).collect(),
            ),
            Control::Hpcc => (
                "hpcc",
                least(is_chosen(&self.hpcc)).into_iter().collect(),
                self.hpcc.iter().filter(all).collect(),
            ),
            Control::Timely => (
                "timely",
                least(is_chosen(&self.timely)).into_iter().collect(),
                self.timely.iter().filter(plain).collect(),
            ),
            Control::PatchedTimely => {
                let is_given = self.timely.iter().any(|key| key.0 == LEAST);
                let profile = (PROFILE, quoted("patched"));
                (
                    "timely",
                    [profile].into_iter().chain(least(is_given)).collect(),
                    self.timely.iter().filter(patched).collect(),
                )
            }
            Control::Swift => ("swift", Vec::new(), self.swift.iter().filter(all).collect()),
        };
        let kind: Given = ("kind", quoted(kind));
        let keys = [&kind].into_iter().chain(&usual).chain(own);
        let telemetry = match control == Control::Hpcc {
            true => u64::from(TELEMETRY_BYTES),
            false => 0,
        };
        toml.table("[roce]")
            .key("mtu", text::bytes(PAYLOAD_BYTES - telemetry))
            .key("control", inline(keys));
        for (name, value) in &self.common {
            toml.key(name, value);
        }
    }
}

/// The table of this type that stands in another one.
fn below<T: Table>(table: &Record) -> Option<&Record> {
    table.fields.iter().find_map(|field| match &field.datum {
        Datum::Record(below) if below.section.name == T::TABLE.name => Some(below),
        _ => None,
    })
}

/// What the file gives in the table of this type.
fn given_in<T: Table>(schemes: Option<&Record>) -> Vec<Given> {
    let table = schemes.and_then(below::<T>);
    table.map_or_else(Vec::new, given)
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
