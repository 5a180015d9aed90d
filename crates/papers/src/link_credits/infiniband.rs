//! InfiniBand's credit: how far 12 bits reach, and that it is CBFC's with the limit folded in.

use backwater_kernel::Time;
use backwater_net::Watched;
use backwater_net::frames::probe::{Frame, Probe};
use backwater_net::frames::spec::{EthernetSpec, Says};
use backwater_results::{Block, Cell, Table};

use super::least::least;
use super::runs::{Sets, borrowed, credit, frames, seeds, share};
use super::{LINK, SEEDS};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::cell;
use crate::lab::{EthernetRun, Lab, LabError};
use crate::measured::{Finding, Measured};

/// Lengths of 2^so many metres from this one on are tried.
const STEPS: u32 = 10;
const LOW_M: u64 = 512;
/// Random links.
const LINKS: u64 = 200;
/// Frames of the transfers with loss.
const FRAMES: u64 = 10_000;

const REACH: &str = "Fields of 12 bits count blocks of 64 B, and half of what they count can be \
    told apart: 2,048 blocks, however large the buffer. At 100 Gbps they are sent in 10.5 us, \
    the loop of a kilometre. Updates go as soon as the way back is free, which it always is \
    here.";

pub fn reach(lab: &Lab) -> Result<Evidence, LabError> {
    let of = |metres: u64| -> Result<f64, LabError> {
        let sets = vec![
            ("run.duration", "2 ms".into()),
            ("run.warm_up", "500 us".into()),
            ("link.delay", format!("{} ns", 5 * metres)),
            ("flow_control.kind", "infiniband".into()),
            ("flow_control.limit", "2048".into()),
        ];
        share(lab, &sets)
    };
    let too_far = least(LOW_M, STEPS, |metres| Ok(of(metres)? < 0.99))?;
    let (reach_m, gbps) = (too_far - 1, 100.0 * of(10_000)?);
    let finding = |claim, value: f64| Finding {
        claim,
        scenario: LINK,
        measured: vec![Measured::new("value", value)],
    };
    let rows = vec![
        vec![
            Cell::from("longest link with 99 % throughput, m"),
            reach_m.into(),
        ],
        vec!["throughput over 10 km, Gbps".into(), Cell::float(gbps, 2)],
    ];
    let table = Table {
        name: "reach".into(),
        caption: "InfiniBand at 100 Gbps, frames of 1,518 B.".into(),
        columns: vec![
            words("what", "and its unit"),
            column("value", "", "measured"),
        ],
        rows,
    };
    Ok(Evidence {
        findings: vec![
            finding("link-credits.ib.reach-100g", reach_m as f64 / 1_000.0),
            finding("link-credits.ib.beyond", gbps),
        ],
        blocks: vec![Block::Text(REACH.into()), Block::Table(table)],
    })
}

const BESIDE: &str = "FCCL - FCTBS = limit - (sent - freed): with the same buffer, cell and \
    messages, the value of InfiniBand's packet and that of a CF_Update lead to the same starts. \
    Rates, delays, sizes, limits, spacings and loads of the links are random. With one frame in \
    a hundred lost both carry all that is sent later, and nothing is missing at the end; credit \
    that is only added up stops for ever.";

/// Starts of data: when, and how large.
#[derive(Default)]
struct Starts(Vec<(u64, u32, u32)>);

impl Probe for Starts {
    fn on_frame_start(&mut self, at: Time, channel: u32, frame: &Frame<'_>) {
        if !frame.view().is_control() {
            self.0.push((at.ps(), channel, frame.bytes));
        }
    }
}

pub fn beside_cbfc(lab: &Lab) -> Result<Evidence, LabError> {
    let differ = lab.each_sample(LINKS, 2, |lab, number| {
        let mut spec = lab.ethernet_spec(LINK, &borrowed(&random(number)))?;
        let both = [Says::Freed { bits: 15 }, Says::Limit { bits: 12 }].map(|says| {
            let channels = spec.links.iter_mut().flat_map(|link| &mut link.channels);
            for counters in channels.filter_map(|own| own.counters.as_mut()) {
                counters.update.says = says;
            }
            starts(lab, &spec)
        });
        let [cbfc, infiniband] = both;
        let (cbfc, infiniband) = (cbfc?, infiniband?);
        Ok((cbfc != infiniband, cbfc.len()))
    })?;
    let starts: usize = differ.iter().map(|(_, starts)| starts).sum();
    let differ = differ.iter().filter(|(differs, _)| *differs).count();
    let lossy = ["cbfc", "infiniband", "grains"].map(|kind| {
        let sets = vec![
            ("flow_control.kind", kind.into()),
            ("flow_control.headroom", "unchecked".into()),
            ("links.0.forward.data_loss", "0.01".into()),
            ("run.duration", "20 ms".into()),
            ("run.warm_up", "0 s".into()),
            frames(FRAMES, 1_472),
        ];
        seeds(lab, &sets, SEEDS)
    });
    let [cbfc, infiniband, grains] = lossy;
    let (cbfc, infiniband, grains) = (cbfc?, infiniband?, grains?);
    let of = |runs: &[EthernetRun], value: fn(&EthernetRun) -> f64| -> Vec<f64> {
        runs.iter().map(value).collect()
    };
    let exactly = |name: &str, values: Vec<f64>, wanted: f64| {
        Measured::rate_over_seeds(name, &values).within(wanted, wanted)
    };
    let measured = vec![
        Measured::new("links_that_differ", differ as f64).within(0.0, 0.0),
        Measured::new("starts", starts as f64).at_least(1_000.0),
        exactly("cbfc_missing", of(&cbfc, missing), 0.0),
        exactly("infiniband_missing", of(&infiniband, missing), 0.0),
        exactly("cbfc_sent", of(&cbfc, sent), 1.0),
        exactly("infiniband_sent", of(&infiniband, sent), 1.0),
        Measured::over_seeds("additive_sent", &of(&grains, sent)).at_most(0.9),
    ];
    let rows = [
        ("CBFC", &cbfc),
        ("InfiniBand", &infiniband),
        ("grains", &grains),
    ];
    Ok(Evidence {
        findings: vec![Finding {
            claim: "link-credits.ib.equals-cbfc",
            scenario: LINK,
            measured,
        }],
        blocks: vec![
            Block::Text(BESIDE.into()),
            Block::Table(table(&rows.map(|(name, runs)| (name, of(runs, sent))))),
        ],
    })
}

/// Credits that are missing at the end.
fn missing(run: &EthernetRun) -> f64 {
    credit(run).used as f64
}

/// Of the transfer, what left its source.
fn sent(run: &EthernetRun) -> f64 {
    let came: u64 = run.flows("f").map(|flow| flow.delivered_total).sum();
    (came + run.drops()) as f64 / FRAMES as f64
}

/// All starts of data of a run.
fn starts(lab: &Lab, spec: &EthernetSpec) -> Result<Vec<(u64, u32, u32)>, LabError> {
    let mut starts = Starts::default();
    let run = Watched::new(spec, &[], Some(Box::new(&mut starts)));
    let mut run = run.map_err(|error| LabError(format!("{LINK}: {error}")))?;
    while run.run_until(spec.stop_at) {}
    drop(run);
    lab.runs.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    Ok(starts.0)
}

/// A link and its load, drawn by the number.
fn random(number: u64) -> Sets {
    let mut word = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut draw = |least: u64, most: u64| {
        word = (word ^ word >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word ^= word >> 32;
        least + word % (most - least + 1)
    };
    let rate = [10, 25, 100, 400][draw(0, 3) as usize];
    let payload = draw(18, 1_472);
    let share = draw(20, 120);
    let traffic = match draw(0, 2) {
        0 => "{ kind = \"greedy\" }".into(),
        1 => format!(
            "{{ kind = \"constant\", rate = \"{} Mbps\" }}",
            rate * 10 * share
        ),
        _ => format!(
            "{{ kind = \"poisson\", rate = \"{} Mbps\" }}",
            rate * 10 * share
        ),
    };
    vec![
        ("run.seed", number.to_string()),
        ("run.duration", "60 us".into()),
        ("run.warm_up", "0 s".into()),
        ("link.rate", format!("{rate} Gbps")),
        ("link.delay", format!("{} ns", draw(5, 5_000))),
        ("flow_control.overhead", "0".into()),
        ("flow_control.limit", draw(24, 2_000).to_string()),
        (
            "flow_control.cf_min_spacing",
            format!("{} B", draw(800, 6_400)),
        ),
        ("flows.f.payload", format!("{payload} B")),
        ("flows.f.traffic", traffic),
    ]
}

fn table(shares: &[(&str, Vec<f64>)]) -> Table {
    let row = |(name, values): &(&str, Vec<f64>)| vec![Cell::from(*name), cell(values, 3)];
    Table {
        name: "lossy".into(),
        caption: format!(
            "Share of {FRAMES} frames that left their source, one in a hundred lost; {SEEDS} seeds."
        ),
        columns: vec![
            words("credit", "of the link"),
            column("sent", "", "delivered or lost on the wire"),
        ],
        rows: shares.iter().map(row).collect(),
    }
}
