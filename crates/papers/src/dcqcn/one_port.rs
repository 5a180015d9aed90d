//! Runs of one scenario, and what its ports saw.

use backwater_net::outcome::QueueOutcome;

use crate::lab::{EthernetRun, Lab, LabError};

/// Keys and values that differ from the file.
pub type Sets = Vec<(&'static str, String)>;

/// The port of [`super::ONE`] that all packets leave by.
pub const PORT: &str = "S1->H1_17";

pub const ARTIFACT: &str = "{ kind = \"dcqcn\", profile = \"artifact\" }";
/// A round trip as its authors state it for all flows of a network.
pub const HPCC: &str = "{ kind = \"hpcc\", base_rtt = \"12 us\" }";

/// One run a seed.
pub fn seeds(lab: &Lab, file: &str, sets: &Sets, seeds: u64) -> Result<Vec<EthernetRun>, LabError> {
    let sets: Vec<(&str, &str)> = sets.iter().map(|(key, value)| (*key, &**value)).collect();
    lab.ethernet_seeds(file, &sets, seeds)
}

/// So many sources in [`super::ONE`].
pub fn sources(count: u64) -> (&'static str, String) {
    ("flows.write.from", format!("H1_{{1..{count}}}"))
}

/// Who computes the rate of queue pairs.
pub fn control(value: &str) -> (&'static str, String) {
    ("roce.control", value.into())
}

/// The values of DCQCN's paper, and the marks and the rate that go with them.
pub fn values_of_the_paper() -> Sets {
    let marks = "{ min = \"5 kB\", max = \"200 kB\", probability = 0.01, at = \"leave\" }";
    vec![
        control("{ kind = \"dcqcn\", profile = \"paper\" }"),
        ("link.rate", "40 Gbps".into()),
        ("buffer.ecn", marks.into()),
    ]
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

/// `value` of each run.
pub fn each(runs: &[EthernetRun], value: impl Fn(&EthernetRun) -> f64) -> Vec<f64> {
    runs.iter().map(value).collect()
}

/// Payload that each of these flows brought, bytes.
pub fn brought(run: &EthernetRun, flow: &str) -> Vec<f64> {
    run.flows(flow)
        .map(|flow| flow.ends.goodput_bytes as f64)
        .collect()
}

/// When the last transfer of these flows was complete, ms.
pub fn last_ms(run: &EthernetRun, flow: &str) -> f64 {
    let all_done = run.flows(flow).all(|flow| flow.ends.transfers_total > 0);
    let last = run.flows(flow).map(|flow| flow.ends.last_transfer.ps());
    match (all_done, last.max()) {
        (true, Some(ps)) => ps as f64 / 1e9,
        _ => f64::NAN,
    }
}

/// Stop frames that switches sent.
pub fn stops(run: &EthernetRun) -> f64 {
    let channels = run.outcome.channels.iter();
    let sent: u64 = channels.map(|channel| channel.by_class.stops_sent).sum();
    sent as f64
}
