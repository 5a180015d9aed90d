//! Section 2.3: stops that end by themselves; section 1: UDP instead of TCP.

use backwater_results::{Block, Cell, Table};

use super::runs::{DESTINATION, NONE, SIMPLE, Scheme, Seeds, Sets, cell, each};
use super::{INPUTS, MISMATCH, SEEDS_CONTRAST, UNNECESSARY};
use crate::Evidence;
use crate::columns::{column, words};
use crate::lab::{EthernetRun, Lab, LabError};

/// Length of a stop in quanta of 512 bit times, and whether it is said again.
const STOPS: [(u64, bool); 8] = [
    (20, false),
    (60, false),
    (109, false),
    (1_094, false),
    (20, true),
    (60, true),
    (109, true),
    (1_094, true),
];

const WORDS: &str = "The paper's stops last until they are cancelled; IEEE 802.3x counts quanta \
    of 512 bit times. A port at 10 Mbps needs 5.6 ms to fall by the margin of 7 kB: 1094 quanta \
    of a link at 100 Mbps. Shorter stops that are not repeated end while the queue is still \
    near its limit, and frames are dropped; 1094 quanta are slightly too short as well, since \
    frames arrive before the stop takes effect. With a refresh at half their time nothing is \
    dropped, but a port at 10 Mbps to the host spends more of its time on stops the shorter \
    they are. Quanta are bit times of each link: the same number stops a neighbour at 10 Mbps \
    ten times as long as one at 100 Mbps, so a refresh is timed for each link.";

/// Nothing here is judged: half the time of the scenarios will do.
const SHORTER: (&str, &str) = ("run.duration", "30 s");

pub fn section_23(lab: &Lab) -> Result<Evidence, LabError> {
    let mut settings = vec![SIMPLE.with([SHORTER])];
    settings.extend(STOPS.map(|(quanta, refresh)| stops(quanta, refresh)));
    let one = each(lab, MISMATCH, &settings, SEEDS_CONTRAST)?;
    let two = each(lab, INPUTS, &settings, SEEDS_CONTRAST)?;
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(stops_table(&one, &two)),
        ],
    })
}

fn stops(quanta: u64, refresh: bool) -> Sets {
    let refresh = if refresh { "50 %" } else { "never" };
    SIMPLE.with([
        ("flow_control.quanta", quanta.to_string()),
        ("flow_control.refresh", format!("\"{refresh}\"")),
        ("flow_control.headroom", "\"unchecked\"".to_owned()),
        (SHORTER.0, SHORTER.1.to_owned()),
    ])
}

fn stops_table(one: &[Seeds], two: &[Seeds]) -> Table {
    let until = (Cell::from("until cancelled"), Cell::Empty);
    let stops = STOPS.map(|(quanta, refresh)| {
        let said = if refresh { "at half its time" } else { "never" };
        (quanta.into(), said.into())
    });
    let row = |((quanta, said), (one, two)): ((Cell, Cell), (&Seeds, &Seeds))| {
        vec![
            quanta,
            said,
            cell(&one.mbps("data"), 2),
            cell(&one.drops_each(), 0),
            cell(&two.mbps("S1"), 2),
            cell(&two.mbps("S2"), 2),
            cell(&two.drops_each(), 0),
        ]
    };
    let over = "mean [min, max] over seeds";
    Table {
        name: "quanta".into(),
        caption: format!(
            "Figure 1's network with 3 connections and files of 200 kB; Figure 5's with 10 and \
             500 kB; {SEEDS_CONTRAST} seeds of 30 s."
        ),
        columns: vec![
            column("a stop lasts", "quanta", "512 bit times of the link each"),
            words("repeated", "while congestion lasts"),
            column("Figure 1: D", "Mbps", over),
            column("drops of Figure 1", "frames", over),
            column("Figure 5: S1", "Mbps", over),
            column("Figure 5: S2", "Mbps", over),
            column("drops of Figure 5", "frames", over),
        ],
        rows: std::iter::once(until)
            .chain(stops)
            .zip(one.iter().zip(two))
            .map(row)
            .collect(),
    }
}

const SCHEMES: [Scheme; 3] = [NONE, SIMPLE, DESTINATION];
/// Twenty on-off sources with Pareto times, 8 Mbps in the mean.
const SELF_SIMILAR: &str = "{ name = \"D1\", from = \"S1\", to = \"D1\", count = 1, \
    payload = \"1024 B\", traffic = { kind = \"self-similar\", rate = \"8 Mbps\", \
    peak = \"2 Mbps\" } }";
const POISSON: &str = "{ name = \"D1\", from = \"S1\", to = \"D1\", count = 1, \
    payload = \"1024 B\", traffic = { kind = \"poisson\", rate = \"8 Mbps\" } }";

const UDP_WORDS: &str = "The paper says that UDP, self-similar traffic included, gives \
    comparable results and shows none. Here S1 of Figure 7 sends datagrams at a mean rate of 8 \
    Mbps to D1 at 10 Mbps: as a Poisson process, which hardly congests the port, and as the sum \
    of 20 on-off sources with Pareto times, which congests it repeatedly. Without control the \
    bursts are partly lost; simple control drops no frame but costs the other destinations part \
    of their throughput; destination control costs them nothing.";

pub fn section_1(lab: &Lab) -> Result<Evidence, LabError> {
    let mut rows = Vec::new();
    for (name, flow) in [("Poisson", POISSON), ("self-similar", SELF_SIMILAR)] {
        let settings = SCHEMES.map(|scheme| scheme.with([("flows.D1", flow), SHORTER]));
        let found = each(lab, UNNECESSARY, &settings, SEEDS_CONTRAST)?;
        let row = |(scheme, at): (&Scheme, &Seeds)| udp_row(name, scheme, at);
        rows.extend(SCHEMES.iter().zip(&found).map(row));
    }
    let over = "mean [min, max] over seeds";
    let table = Table {
        name: "udp".into(),
        caption: format!(
            "Datagrams from S1 to D1 in Figure 7's network, {SEEDS_CONTRAST} seeds of 30 s."
        ),
        columns: vec![
            words("traffic", "of S1"),
            words("back-pressure", "the scheme"),
            column("lost", "% of frames", "of S1"),
            column("D1", "Mbps", over),
            column("D2", "Mbps", over),
            column("D3", "Mbps", over),
        ],
        rows,
    };
    Ok(Evidence {
        findings: Vec::new(),
        blocks: vec![Block::Text(UDP_WORDS.into()), Block::Table(table)],
    })
}

fn udp_row(name: &str, scheme: &Scheme, at: &Seeds) -> Vec<Cell> {
    let lost = |run: &EthernetRun| {
        let counts = run
            .flows("D1")
            .map(|one| (one.lost_total, one.offered_total));
        let (dropped, created) = counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        100.0 * dropped as f64 / created.max(1) as f64
    };
    let mut row = vec![name.into(), scheme.name.into(), cell(&at.each(lost), 2)];
    row.extend(["D1", "D2", "D3"].map(|flow| cell(&at.mbps(flow), 2)));
    row
}

#[cfg(test)]
mod tests {
    use super::super::runs::made;
    use super::*;

    #[test]
    fn the_loss_is_that_of_the_source_that_overruns() {
        let run = made::run(UNNECESSARY, |name, flow| {
            let is_one = name.starts_with("D1");
            (flow.offered_total, flow.lost_total) = if is_one { (40, 3) } else { (7, 7) };
            flow.ends.goodput_bytes = match name {
                "D2" => 250,
                "D3" => 500,
                _ => 25,
            };
        });
        let row = udp_row("Poisson", &NONE, &Seeds(vec![run]));
        let text = ["7.50", "2.00", "2.00", "4.00"].map(|text| Cell::Text(text.into()));
        assert_eq!(row[2..], text);
    }

    #[test]
    fn stops_differ_by_length_and_by_being_said_again() {
        let of = |quanta, refresh| {
            let found = stops(quanta, refresh).into_iter();
            let found =
                found.filter(|(key, _)| key.ends_with("quanta") || key.ends_with("refresh"));
            found.map(|(_, value)| value).collect::<Vec<String>>()
        };
        assert_eq!(of(60, true), ["60", "\"50 %\""]);
        assert_eq!(of(109, false), ["109", "\"never\""]);
    }
}
