//! Section 3.1.2: with 50 kB the XOFF threshold must drop to about 70 %.

use backwater_kernel::{Duration, Rate};
use backwater_results::{Block, Table};
use backwater_scenario::headroom::{Brought, Sizes, Stop, sent_meanwhile, wire_time};

use super::runs::{Kept, SIMPLE, Sets, cell, each, finding, total_of};
use super::{SEEDS, SEEDS_CONTRAST, SMALL_BUFFER};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const HOSTS: [u64; 3] = [2, 5, 8];
/// The place of the number that is judged.
const FIVE: usize = 1;
const THRESHOLDS: [u64; 4] = [65, 70, 75, 80];
/// Places of those that are judged.
const SEVENTY: usize = 1;
const EIGHTY: usize = 3;
const LIMIT_BYTES: u64 = 50_000;
/// A full frame with segments of 1460 bytes.
const FRAME_BYTES: u32 = 1_518;
/// Least frame: a stop, an acknowledgement.
const SMALL_BYTES: u32 = 64;
/// Rate and segments that the paper leaves open, with five hosts.
const READINGS: [(&str, &str); 3] = [
    ("100 Mbps", "1024 B"),
    ("10 Mbps", "1460 B"),
    ("10 Mbps", "1024 B"),
];

const WORDS: &str = "Inferred: the paper gives neither rate nor N nor the segment size. Here N \
    hosts send files of 200 kB in segments of 1460 bytes, all links have 100 Mbps and the \
    buffer 50 kB; the XON threshold is 10 % of the buffer below the high one. Two frames arrive \
    from every input before its stop takes effect: the one in transit and the one started \
    meanwhile. The port sends one frame in that time. The maximum that N inputs need is known \
    before the run, with frames of one size: with that much room nothing may be dropped. It is a \
    bound; with less room drops are possible, not certain. The checker warns of a scenario with \
    less room; here the loss is intended.";

pub fn section_312(lab: &Lab) -> Result<Evidence, LabError> {
    let scan = scan(lab)?;
    let readings = READINGS.map(|(rate, mss)| [70, 80].map(|high| reading(rate, mss, high)));
    let readings = each(lab, SMALL_BUFFER, readings.as_flattened(), SEEDS_CONTRAST)?;
    let readings: Vec<Kept> = readings.iter().map(|at| at.kept("data")).collect();
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig4.smaller-buffer-lower-threshold",
            SMALL_BUFFER,
            measured(&scan),
        )],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&scan)),
            Block::Table(readings_table(&scan[FIVE], &readings)),
        ],
    })
}

/// By number of hosts and threshold.
fn scan(lab: &Lab) -> Result<Vec<Vec<Kept>>, LabError> {
    let row = |n: u64| {
        let settings = THRESHOLDS.map(|high| settings(n, high));
        let found = each(lab, SMALL_BUFFER, &settings, SEEDS)?;
        Ok(found.iter().map(|at| at.kept("data")).collect())
    };
    HOSTS.into_iter().map(row).collect()
}

fn measured(scan: &[Vec<Kept>]) -> Vec<Measured> {
    let drops = |name: &str, at: usize| Measured::over_seeds(name, &scan[FIVE][at].drops);
    // Drops where the formula says that none are possible, over the whole scan.
    let mut wrong = Vec::new();
    for (n, row) in HOSTS.iter().zip(scan) {
        for (high, at) in THRESHOLDS.iter().zip(row) {
            if needed_bytes(*n as usize) <= room_bytes(*high) {
                wrong.push(at.drops.clone());
            }
        }
    }
    vec![
        drops("drops_at_70_percent", SEVENTY).within(0.0, 0.0),
        drops("drops_at_80_percent", EIGHTY).at_least(1.0),
        // The formula predicts both: enough room above 70 % of 50 kB, too little above 80 %.
        Measured::new("bytes_needed_above_threshold", needed_bytes(5) as f64)
            .within(room_bytes(80) as f64 + 1.0, room_bytes(70) as f64),
        Measured::over_seeds("drops_where_the_formula_excludes_them", &total_of(&wrong))
            .within(0.0, 0.0),
    ]
}

/// Room above an XOFF threshold of so many per cent.
fn room_bytes(high: u64) -> u64 {
    LIMIT_BYTES * (100 - high) / 100
}

fn settings(hosts: u64, high: u64) -> Sets {
    SIMPLE.with([
        ("network.hosts", format!("[\"S{{1..{hosts}}}\", \"D\"]")),
        ("flows.data.from", format!("\"S{{1..{hosts}}}\"")),
        ("flow_control.xoff", format!("\"{high} %\"")),
        ("flow_control.xon", format!("\"{} %\"", high - 10)),
        ("flow_control.headroom", "\"unchecked\"".into()),
    ])
}

fn reading(rate: &str, mss: &str, high: u64) -> Sets {
    let mut sets = settings(HOSTS[FIVE], high);
    let more = [("link.rate", rate), ("tcp.mss", mss)];
    sets.extend(more.map(|(key, value)| (key.to_owned(), format!("\"{value}\""))));
    sets
}

/// What `inputs` hosts at 100 Mbps may send before they stop, less what the port sends.
fn needed_bytes(inputs: usize) -> u64 {
    let rate = Rate(100_000_000);
    // Files of 200 kB end with a frame 20 bytes shorter. Only if five of them came at once could
    // the port be too late for the one it sends, and 80 bytes more be needed than 15,000.
    let sizes = Sizes::two(FRAME_BYTES, FRAME_BYTES);
    let stop = Stop {
        rate,
        sizes,
        // Acknowledgements alone go to the hosts.
        ahead: wire_time(rate, SMALL_BYTES),
        control: wire_time(rate, SMALL_BYTES),
        // 0.5 us each way.
        queued: Duration::ZERO,
        away: Duration(1_000_000),
        response: Duration::ZERO,
        cell_bytes: 1,
    };
    let all = Brought {
        inputs: (0..inputs as u32).collect(),
        stop,
        times: 1,
    };
    let sent = sent_meanwhile(rate, sizes, &[all]);
    inputs as u64 * stop.bytes() - sent
}

fn table(scan: &[Vec<Kept>]) -> Table {
    let mut columns = vec![
        column("N", "", "hosts"),
        column(
            "needed",
            "bytes",
            "room above the threshold, by the formula",
        ),
        words(
            "sufficient up to",
            "XOFF threshold that leaves this much of 50 kB",
        ),
    ];
    columns.extend(THRESHOLDS.map(|high| {
        let meaning = "frames dropped in 10 s: mean [min, max] over seeds";
        column(&format!("drops at {high} %"), "frames", meaning)
    }));
    let row = |(n, found): (&u64, &Vec<Kept>)| {
        let needed = needed_bytes(*n as usize);
        let share = 100.0 * LIMIT_BYTES.saturating_sub(needed) as f64 / LIMIT_BYTES as f64;
        let mut row = vec![(*n).into(), needed.into(), format!("{share:.1} %").into()];
        row.extend(found.iter().map(|at| cell(&at.drops, 0)));
        row
    };
    Table {
        name: "sec312".into(),
        caption: format!("Buffer of 50 kB, simple back-pressure, {SEEDS} seeds."),
        columns,
        rows: HOSTS.iter().zip(scan).map(row).collect(),
    }
}

fn readings_table(judged: &[Kept], readings: &[Kept]) -> Table {
    let row = |((rate, mss), at): (&(&str, &str), [&Kept; 2])| {
        let mut row = vec![(*rate).into(), (*mss).into()];
        row.extend(at.map(|at| cell(&at.drops, 0)));
        row
    };
    let first = row((&("100 Mbps", "1460 B"), [&judged[SEVENTY], &judged[EIGHTY]]));
    let others = READINGS.iter().zip(readings.chunks(2));
    let others = others.map(|(what, at)| row((what, [&at[0], &at[1]])));
    Table {
        name: "sec312-readings".into(),
        caption: format!(
            "Other rates and segments, 5 hosts, {SEEDS_CONTRAST} seeds; the first row is \
             judged, over {SEEDS}."
        ),
        columns: vec![
            words("links", "rate of all"),
            words("segments", "payload of a full one"),
            column("drops at 70 %", "frames", "in 10 s"),
            column("drops at 80 %", "frames", "in 10 s"),
        ],
        rows: std::iter::once(first).chain(others).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_inputs_need_two_frames_each_less_the_one_that_left() {
        assert_eq!(needed_bytes(5), 9 * 1_518);
        assert_eq!((room_bytes(70), room_bytes(80)), (15_000, 10_000));
    }

    #[test]
    fn drops_count_against_the_formula_only_where_it_excludes_them() {
        let drops = |count: f64| Kept {
            mbps: Vec::new(),
            drops: vec![count, 0.0],
        };
        // By hosts and threshold: room for two always, for five to 70 %, for eight never.
        let scan = |two: f64| {
            [
                [0.0, 0.0, 0.0, two].map(drops).to_vec(),
                [0.0, 0.0, 7.0, 8.0].map(drops).to_vec(),
                [0.0, 9.0, 9.0, 9.0].map(drops).to_vec(),
            ]
        };
        let values = |two: f64| {
            let found = measured(&scan(two));
            found.iter().map(|one| one.value).collect::<Vec<f64>>()
        };
        assert_eq!(values(0.0), [0.0, 4.0, 13_662.0, 0.0]);
        assert_eq!(values(3.0), [0.0, 4.0, 13_662.0, 1.5]);
    }
}
