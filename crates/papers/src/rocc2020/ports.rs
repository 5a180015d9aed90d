//! What ports and flows of a run say.

use backwater_kernel::Series;
use backwater_net::outcome::QueueOutcome;

use crate::lab::EthernetRun;

/// Bytes on the wire for each of payload: a full packet of 1,000 B with 62 B of headers, preamble
/// and gap. Rates of RoCC count all of it.
const WIRE: f64 = 1_082.0 / 1_000.0;
/// The same under HPCC, which writes on packets.
pub const HPCC_WIRE: f64 = 1_124.0 / 1_042.0;

/// Rates on the wire of the flows of this name, Gb/s.
pub fn gbps(run: &EthernetRun, flow: &str) -> Vec<f64> {
    let bits = run
        .flows(flow)
        .map(|flow| flow.ends.goodput_bytes as f64 * 8.0);
    bits.map(|bits| bits * WIRE / run.seconds() / 1e9).collect()
}

/// The queue of data behind a port: the one that most bytes left.
///
/// # Panics
/// If the port has no queues: a test runs every experiment.
pub fn queue<'a>(run: &'a EthernetRun, port: &str) -> &'a QueueOutcome {
    let queues = run.channel(port).by_class.queues.iter();
    let largest = queues.max_by_key(|queue| queue.sent_bytes);
    largest.expect("a port of a switch has queues")
}

/// Mean of a series from one instant to another, ms.
pub fn mean_from(series: &Series, from_ms: f64, until_ms: f64) -> f64 {
    let points = series.x.iter().zip(&series.y);
    let within = points.filter(|(x, _)| (from_ms..until_ms).contains(&(**x as f64 / 1e9)));
    let values: Vec<f64> = within.map(|(_, y)| *y).collect();
    crate::measured::mean(&values)
}

/// Windows of a series that are taken together: five intervals of a queue at 40 Gb/s.
const TOGETHER: usize = 10;

/// How long after `from_ms` the mean of five intervals comes within 5 % of a value and stays within
/// 10 % until `until_ms`; not a number if it never does.
pub fn settled(series: &Series, value: f64, from_ms: f64, until_ms: f64) -> f64 {
    let ms = |x: u64| x as f64 / 1e9;
    let within = series.x.iter().zip(&series.y);
    let within = within.filter(|(x, _)| (from_ms..until_ms).contains(&ms(**x)));
    let (instants, values): (Vec<u64>, Vec<f64>) = within.map(|(x, y)| (*x, *y)).unzip();
    let means = values.windows(TOGETHER).map(crate::measured::mean);
    let points: Vec<(u64, f64)> = instants.into_iter().zip(means).collect();
    let is_off = |y: f64, share: f64| (y / value - 1.0).abs() > share;
    let away = points.iter().rposition(|(_, y)| is_off(*y, 0.10));
    let mut rest = points.iter().skip(away.map_or(0, |last| last + 1));
    let first = rest.find(|(_, y)| !is_off(*y, 0.05));
    first.map_or(f64::NAN, |(x, _)| ms(*x) - from_ms)
}
