//! Section 3.2.2: a flow with a priority offset, and datagrams.

use backwater_net::spec::FlowSpec;
use backwater_results::{Block, Cell, Table};

use super::seen::{Seeds, Sets, each, sets};
use super::{PRIORITY, SEEDS_CONTRAST};
use crate::Evidence;
use crate::columns::{column, words};
use crate::estimate::{cell, ratios};
use crate::lab::{Lab, LabError};
use crate::measured::{Finding, Measured};

const NO_OFFSET: (&str, &str) = ("flows.favoured.reserve.offset", "0 s");
const NO_DATAGRAMS: (&str, &str) = ("flows.datagrams.traffic", "{ kind = \"silent\" }");
/// Twice what it reserves, with an envelope as wide.
const TWICE: [(&str, &str); 2] = [
    ("flows.favoured.traffic.rate", "40 kbps"),
    ("flows.favoured.envelope.units", "100"),
];
/// A packet on the link.
const TRANSMISSION_MS: f64 = 5.0;

const WORDS: &str = "The offset P lets a flow's packets go before others' until its clock is P \
    ahead of real time; a flow that exceeds its reservation uses the offset up once and gains \
    nothing afterwards. Datagrams get the leftover rate. A reserved packet waits for a datagram \
    in transmission, and for the reserved packets that also waited for it.";

fn is_favoured(flow: &FlowSpec) -> bool {
    flow.name == "favoured"
}

fn is_other(flow: &FlowSpec) -> bool {
    flow.name.starts_with("other")
}

fn is_datagram(flow: &FlowSpec) -> bool {
    flow.reserve.is_none()
}

/// What runs, by name.
fn settings() -> [(&'static str, Sets); 6] {
    let with = |all: &[(&str, &str)]| sets(all.iter().copied());
    [
        ("no offset", with(&[NO_OFFSET, NO_DATAGRAMS])),
        ("offset of 1 s", with(&[NO_DATAGRAMS])),
        (
            "no offset, sends twice its rate",
            with(&[&[NO_OFFSET, NO_DATAGRAMS][..], &TWICE].concat()),
        ),
        (
            "offset of 1 s, sends twice its rate",
            with(&[&[NO_DATAGRAMS][..], &TWICE].concat()),
        ),
        ("no offset, datagrams", with(&[NO_OFFSET])),
        ("offset of 1 s, datagrams", Sets::new()),
    ]
}

pub fn priority(lab: &Lab) -> Result<Evidence, LabError> {
    let settings = settings();
    let all: Vec<Sets> = settings.iter().map(|(_, sets)| sets.clone()).collect();
    let found = each(lab, PRIORITY, &all, SEEDS_CONTRAST)?;
    Ok(Evidence {
        findings: vec![Finding {
            claim: "zhang1991.design.priority-and-datagrams",
            scenario: PRIORITY,
            measured: measured(&found),
        }],
        blocks: vec![
            Block::Text(WORDS.into()),
            Block::Table(table(&settings, &found)),
        ],
    })
}

fn measured(found: &[Seeds]) -> Vec<Measured> {
    let [plain, offset, fast, fast_offset, datagrams] =
        [&found[0], &found[1], &found[2], &found[3], &found[4]];
    let favoured = |one: &Seeds| one.waits_ms(is_favoured);
    let others = |one: &Seeds| one.waits_ms(is_other);
    let reserved = |one: &Seeds| one.waits_ms(|flow| !is_datagram(flow));
    let added: Vec<f64> = reserved(datagrams)
        .iter()
        .zip(reserved(plain))
        .map(|(with, without)| with - without)
        .collect();
    let losses = datagrams.losses(|flow| !is_datagram(flow));
    let busy = datagrams.each(|seen| seen.port("S->E").utilization_mean);
    let gain = ratios(&favoured(fast_offset), &favoured(fast));
    let harm = ratios(&others(fast_offset), &others(fast));
    let ratio = |name, values: Vec<f64>| Measured::over_seeds(name, &values);
    vec![
        ratio(
            "offset_over_none",
            ratios(&favoured(offset), &favoured(plain)),
        )
        .within(0.0, 0.8),
        ratio("others_over_none", ratios(&others(offset), &others(plain))).within(0.9, 1.1),
        ratio("offset_over_none_at_twice_the_rate", gain).at_least(0.9),
        ratio("others_over_none_at_twice_the_rate", harm).within(0.9, 1.1),
        ratio("wait_added_by_datagrams_ms", added).within(0.0, TRANSMISSION_MS),
        ratio("reserved_losses_with_datagrams", losses).within(0.0, 0.0),
        ratio("utilization_with_datagrams", busy).within(0.995, 1.0),
    ]
}

fn table(settings: &[(&str, Sets)], found: &[Seeds]) -> Table {
    let row = |((name, _), found): (&(&str, Sets), &Seeds)| {
        vec![
            Cell::from(*name),
            cell(&found.waits_ms(is_favoured), 2),
            cell(&found.waits_ms(is_other), 2),
            cell(&found.losses(|flow| !is_datagram(flow)), 0),
            cell(&found.rates(is_datagram), 1),
            cell(&found.each(|seen| seen.port("S->E").utilization_mean), 3),
        ]
    };
    Table {
        name: "sec322-priority".into(),
        caption: format!("One link, 18 flows with reservations, {SEEDS_CONTRAST} seeds."),
        columns: vec![
            words(
                "setting",
                "of the favoured flow, and whether there are datagrams",
            ),
            column("favoured", "ms", "mean wait of the favoured flow"),
            column("others", "ms", "mean wait of the other flows"),
            column("lost", "packets", "of flows that reserve"),
            column("datagrams", "packets/s", "delivered"),
            column("utilization", "", "of the link"),
        ],
        rows: settings.iter().zip(found).map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_helps_who_keeps_its_rate_and_its_absence_helps_no_one() {
        let lab = Lab {
            packet_sets: vec![("run.duration".into(), "40 s".into())],
            at_most_seeds: Some(2),
            ..Lab::default()
        };
        let sets = settings().map(|(_, sets)| sets);
        let mut found = each(&lab, PRIORITY, &sets, 2).expect("it runs");
        let value = |found: &[Seeds], name: &str| {
            let measured = measured(found);
            let one = measured.iter().find(|one| one.name == name);
            one.expect(name).value
        };
        assert!(value(&found, "offset_over_none") < 0.8);
        let fast = value(&found, "offset_over_none_at_twice_the_rate");
        assert!(fast > 0.9, "{fast}");
        assert!(value(&found, "utilization_with_datagrams") > 0.97);
        let added = value(&found, "wait_added_by_datagrams_ms");
        assert!((0.5..TRANSMISSION_MS).contains(&added), "{added}");
        // The control: what has no offset in place of what has.
        found.swap(0, 1);
        assert!(value(&found, "offset_over_none") > 1.25);
    }
}
