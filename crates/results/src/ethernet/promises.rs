//! What lossless classes promised, and what came of it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use backwater_kernel::words::counted;
use backwater_net::frames::probe::LossCause;
use backwater_net::frames::spec::{CLASSES_MAX, EthernetSpec};

use super::Frames;
use crate::directory::{Promise, PromiseState};
use crate::events::{Promises, names};
use crate::info::RunInfo;
use crate::model::Block;
use crate::number::grouped;
use crate::table_of::TableOf;

/// Nodes that a promise names; where there are more, they are counted.
const NAMED: usize = 4;
/// Broken promises told one by one; the rest are told together.
const BROKEN: usize = 50;

impl Promises for EthernetSpec {
    /// Every promise of the run: broken ones by place, then kept ones and those given up, by class.
    fn promises(run: &Frames<'_>, info: &RunInfo) -> Vec<Promise> {
        let lost = lost(run);
        let mut broken: Vec<(u32, u8)> = Vec::new();
        let mut kept: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
        for (id, node) in (0_u32..).zip(&run.network.nodes) {
            for class in (0..CLASSES_MAX as u8).filter(|class| node.promised & 1 << class != 0) {
                match lost.contains_key(&(id, class)) {
                    true => broken.push((id, class)),
                    false => kept.entry(class).or_default().push(id),
                }
            }
        }
        let promise = |what, state, detail| Promise {
            what,
            state,
            detail,
        };
        let mut all: Vec<Promise> = Vec::new();
        let frames = |node: u32, class: u8| lost.get(&(node, class)).copied().unwrap_or(0);
        for (node, class) in broken.iter().take(BROKEN) {
            let lost = lost_words(frames(*node, *class));
            all.push(promise(
                what(run.network, *class, &[*node]),
                PromiseState::Broken,
                lost,
            ));
        }
        if let Some(rest) = broken.get(BROKEN..).filter(|rest| !rest.is_empty()) {
            let sum = rest.iter().map(|(node, class)| frames(*node, *class)).sum();
            let rest = format!("lossless at {}", counted(rest.len(), "more place"));
            all.push(promise(rest, PromiseState::Broken, lost_words(sum)));
        }
        all.extend(kept.iter().map(|(class, nodes)| {
            promise(
                what(run.network, *class, nodes),
                PromiseState::Kept,
                String::new(),
            )
        }));
        let mut given_up: Vec<(u64, Promise)> = Vec::new();
        for own in &info.given_up {
            for class in (0..CLASSES_MAX as u8).filter(|class| own.classes & 1 << class != 0) {
                let sum: u64 = own.nodes.iter().map(|node| frames(*node, class)).sum();
                let lost = format!("by {}; {}", own.by, lost_words(sum));
                let what = what(run.network, class, &own.nodes);
                given_up.push((sum, promise(what, PromiseState::GivenUp, lost)));
            }
        }
        // Those that made use of it first.
        given_up.sort_by_key(|(lost, _)| Reverse(*lost));
        all.extend(given_up.into_iter().map(|(_, promise)| promise));
        all
    }
}

fn what(spec: &EthernetSpec, class: u8, nodes: &[u32]) -> String {
    let names: Vec<String> = nodes.iter().map(|node| names::node(spec, *node)).collect();
    let places = match names.len() {
        0..=NAMED => names.join(", "),
        count => counted(count, "node"),
    };
    format!("class {class} lossless at {places}")
}

fn lost_words(frames: u64) -> String {
    let frame = if frames == 1 { "frame" } else { "frames" };
    format!("{} {frame} lost", grouped(frames))
}

/// Frames lost, by the node and class that lost them.
fn lost(run: &Frames<'_>) -> BTreeMap<(u32, u8), u64> {
    let mut lost = BTreeMap::new();
    for (channel, found) in (0_u32..).zip(&run.outcome.channels) {
        let Some((node, _)) = names::channel_ends(run.network, channel) else {
            continue;
        };
        for (class, queue) in (0_u8..).zip(&found.by_class.queues) {
            let frames = queue.drops.total() - queue.drops.by(LossCause::Wire);
            if frames > 0 {
                *lost.entry((node, class)).or_insert(0) += frames;
            }
        }
    }
    lost
}

/// One line for the terminal, if anything was promised or given up.
pub fn line(run: &Frames<'_>, info: &RunInfo) -> Option<String> {
    let all = EthernetSpec::promises(run, info);
    let states = [
        (PromiseState::Broken, "promise broken"),
        (PromiseState::Kept, "promise kept"),
        (PromiseState::GivenUp, "promise given up"),
    ];
    let part = |(state, word): (PromiseState, &str)| {
        let mut own = all.iter().filter(|promise| promise.state == state);
        let first = own.next()?;
        let more = match own.count() {
            0 => String::new(),
            more => format!(" and {}", counted(more, "more promise")),
        };
        let detail = match first.detail.as_str() {
            "" => String::new(),
            detail => format!(" ({detail})"),
        };
        Some(format!("{word}: {}{detail}{more}", first.what))
    };
    let parts: Vec<String> = states.into_iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// The section of a page, if anything was promised or given up.
pub fn blocks(run: &Frames<'_>, info: &RunInfo) -> Vec<Block> {
    let all = EthernetSpec::promises(run, info);
    if all.is_empty() {
        return Vec::new();
    }
    let table = TableOf::of(all)
        .called("promises: Promises of lossless classes.")
        .text("promise")
        .of(|promise| promise.what.clone())
        .text("state: kept, broken, or waived by a line of the scenario")
        .of(|promise| promise.state.word())
        .text("detail")
        .of(|promise| promise.detail.clone())
        .done();
    vec![Block::heading("Promises"), Block::Table(table)]
}
