//! `backwater check --sizes`: what each link of a file needs, as `backwater buffer` has it.

use backwater_kernel::words::printable;
use backwater_kernel::{Channels, channel_name};
use backwater_results::{Cell, Column, Table};
use backwater_scenario::sizing::{LinkNeed, of_links};
use backwater_scenario::{EthernetScenario, Scenario};
use serde_json::{Value, json};

use crate::{buffer, check};

/// So many links are named in a line.
const NAMED: usize = 2;

/// Says what the links of a file need, on demand term by term; and the same for the document.
pub(crate) fn tell(name: &str, scenario: &Scenario, is_verbose: bool) -> Value {
    let Some(frames) = scenario.ethernet() else {
        println!("{name}: sizes: only links of Ethernet have them");
        return Value::Null;
    };
    let needs = of_links(frames);
    if needs.is_empty() {
        println!("{name}: sizes: no class is under flow control on any link into a switch");
        return json!([]);
    }
    println!("{name}: sizes: what links into switches need, class by class:");
    let table = table(frames, &needs);
    check::lines(&table)
        .iter()
        .for_each(|line| println!("{line}"));
    for (need, row) in needs.iter().zip(&table.rows).filter(|_| is_verbose) {
        if let Some(Cell::Text(links)) = row.first() {
            println!("{links}, class {}:", need.class);
        }
        buffer::account(&need.sizing)
            .iter()
            .for_each(|line| println!("  {line}"));
    }
    document(frames, &needs, &table)
}

/// The rows, each with all its links.
fn document(frames: &EthernetScenario, needs: &[LinkNeed], table: &Table) -> Value {
    let mut rows = check::rows(table);
    let numbers = frames.network.links.numbers();
    for (row, need) in rows.as_array_mut().into_iter().flatten().zip(needs) {
        let links = need
            .channels
            .iter()
            .map(|id| channel((frames, &numbers), *id));
        row["links"] = links.collect::<Vec<String>>().into();
    }
    rows
}

fn channel((frames, numbers): (&EthernetScenario, &[u32]), id: u32) -> String {
    let network = &frames.network;
    let (from, to) = network.links.ends(id);
    let node = |node: u32| network.nodes[node as usize].name.as_str();
    printable(&channel_name(
        node(from),
        node(to),
        numbers[id as usize / 2],
    ))
}

fn table(frames: &EthernetScenario, needs: &[LinkNeed]) -> Table {
    let bytes = |bytes: Option<u64>| bytes.map_or(Cell::Empty, Cell::from);
    let numbers = frames.network.links.numbers();
    let row = |need: &LinkNeed| {
        let named = need.channels.iter().take(NAMED);
        let named: Vec<String> = named.map(|id| channel((frames, &numbers), *id)).collect();
        let more = match need.channels.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let sizing = &need.sizing;
        vec![
            Cell::Text(named.join(", ") + &more),
            u64::from(need.class).into(),
            sizing.scheme.into(),
            bytes(sizing.no_loss),
            bytes(sizing.full_rate),
            bytes(sizing.both),
            bytes(need.given),
            need.verdict.word().into(),
            bytes(need.verdict.missing()),
        ]
    };
    Table {
        name: "sizes".into(),
        caption: "What links need.".into(),
        columns: vec![
            Column::text("links", "into a switch, alike"),
            Column::number("class", "", "under flow control"),
            Column::text("scheme", "that it uses there"),
            Column::number("no loss", "bytes", "for no loss"),
            Column::number("full rate", "bytes", "for the full rate"),
            Column::number("both", "bytes", "for both"),
            Column::number(
                "has",
                "bytes",
                "by the limits of its credit, or of the input",
            ),
            Column::text("verdict", "what it is good for"),
            Column::number("missing", "bytes", "for what the verdict names"),
        ],
        rows: needs.iter().map(row).collect(),
    }
}
