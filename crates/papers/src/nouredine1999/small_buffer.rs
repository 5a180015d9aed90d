//! Section 3.1.2: with 50 kB the high threshold must drop to about 70 %.

use kernel::{Duration, Rate};
use results::{Block, Table};
use scenario::headroom::{Stop, sent_meanwhile, wire_time};

use super::runs::{SIMPLE, Seeds, Sets, cell, each, finding};
use super::{MERGING, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{Lab, LabError};
use crate::measured::Measured;

const STATIONS: [u64; 3] = [2, 5, 8];
const THRESHOLDS: [u64; 4] = [65, 70, 75, 80];
const LIMIT_BYTES: u64 = 50_000;
/// A full frame with segments of 1460 bytes.
const FRAME_BYTES: u32 = 1_518;
/// Files of 200 kB end with a segment of 1440 bytes.
const LEAST_BYTES: u32 = 1_498;
/// Least frame: a stop, an acknowledgement.
const SMALL_BYTES: u32 = 64;

const WORDS: &str = "Inferred: the paper gives neither N nor the segment size. Here N stations \
    send files of 200 kB in segments of 1460 bytes, all links have 100 Mbps and the buffer 50 kB; \
    the low threshold is 10 % of the buffer below the high one. From every input two frames come \
    before its stop takes effect: the one on its way and the one begun meanwhile. The port sends \
    one frame in that time. What N inputs need at most is known before the run, and the checker \
    refuses a scenario with less room; the loss is meant here.";

pub fn section_312(lab: &Lab) -> Result<Evidence, LabError> {
    let all: Vec<Sets> = STATIONS
        .iter()
        .flat_map(|n| THRESHOLDS.map(|high| settings(*n, high)))
        .collect();
    let found = each(lab, MERGING, &all, SEEDS_CONTRAST)?;
    let rows: Vec<&[Seeds]> = found.chunks(THRESHOLDS.len()).collect();
    let drops = |n: u64, high: u64| {
        let row = STATIONS.iter().position(|one| *one == n);
        let at = THRESHOLDS.iter().position(|one| *one == high);
        &rows[row.expect("a number that ran")][at.expect("a threshold that ran")]
    };
    let needed = needed_bytes(5) as f64;
    let measured = vec![
        Measured::over_seeds("drops_at_70_percent", &drops(5, 70).drops_each()).within(0.0, 0.0),
        Measured::over_seeds("drops_at_80_percent", &drops(5, 80).drops_each()).within(1.0, 1e6),
        // The formula predicts both: enough room above 70 % of 50 kB, too little above 80 %.
        Measured::new("bytes_needed_above_threshold", needed).within(10_001.0, 15_000.0),
    ];
    Ok(Evidence {
        findings: vec![finding(
            "nouredine1999.fig4.smaller-buffer-lower-threshold",
            MERGING,
            measured,
        )],
        blocks: vec![Block::Text(WORDS.into()), Block::Table(table(&rows))],
    })
}

fn settings(stations: u64, high: u64) -> Sets {
    SIMPLE.with([
        (
            "network.stations",
            format!("[\"S{{1..{stations}}}\", \"D\"]"),
        ),
        ("flows.data.from", format!("\"S{{1..{stations}}}\"")),
        ("flows.data.traffic.size", "\"200 kB\"".into()),
        ("run.duration", "\"20 s\"".into()),
        ("run.warm_up", "\"1 s\"".into()),
        ("link.rate", "\"100 Mbps\"".into()),
        ("links", "[]".into()),
        ("tcp", "{ mss = \"1460 B\" }".into()),
        ("buffer", "{ per_queue = \"50 kB\" }".into()),
        ("back_pressure.high", format!("\"{high} %\"")),
        ("back_pressure.low", format!("\"{} %\"", high - 10)),
        ("back_pressure.headroom", "\"unchecked\"".into()),
    ])
}

/// What `inputs` stations at 100 Mbps may send before they stop, less what the port sends.
fn needed_bytes(inputs: usize) -> u64 {
    let rate = Rate(100_000_000);
    let stop = Stop {
        rate,
        frame_bytes: FRAME_BYTES,
        // Acknowledgements alone go to the stations.
        ahead: wire_time(rate, SMALL_BYTES),
        control: wire_time(rate, SMALL_BYTES),
        // 0.5 us each way.
        away: Duration(1_000_000),
    };
    let all = vec![stop; inputs];
    let sent = sent_meanwhile(rate, FRAME_BYTES, LEAST_BYTES, &all);
    inputs as u64 * stop.bytes() - sent
}

fn table(rows: &[&[Seeds]]) -> Table {
    let mut columns = vec![
        column("N", "", "stations"),
        column(
            "needed",
            "bytes",
            "room above the threshold, by the formula",
        ),
        words("suffices to", "high threshold that leaves so much of 50 kB"),
    ];
    columns.extend(THRESHOLDS.map(|high| {
        let meaning = "frames dropped in 20 s: mean [least, most] over seeds";
        column(&format!("drops at {high} %"), "frames", meaning)
    }));
    let row = |(n, found): (&u64, &&[Seeds])| {
        let needed = needed_bytes(*n as usize);
        let share = 100.0 * LIMIT_BYTES.saturating_sub(needed) as f64 / LIMIT_BYTES as f64;
        let mut row = vec![(*n).into(), needed.into(), format!("{share:.1} %").into()];
        row.extend(found.iter().map(|at| cell(&at.drops_each(), 0)));
        row
    };
    Table {
        name: "small-buffer".into(),
        caption: format!("Buffer of 50 kB, simple back-pressure, {SEEDS_CONTRAST} seeds."),
        columns,
        rows: STATIONS.iter().zip(rows).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_inputs_need_two_frames_each_less_the_one_that_left() {
        assert_eq!(needed_bytes(5), 10 * 1_518 - 1_498);
    }
}
