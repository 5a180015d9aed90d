//! The cell of a receiver: both ends of a channel count in it, whatever the cell of the other
//! direction.

use std::collections::BTreeMap;

use crate::frames::controls::Controls;
use crate::given::frames::flow_control::FlowControl;
use crate::given::frames::switch::Nodes;
use crate::prelude::*;

/// Has credit of this kind a cell that a file chooses? Blocks of InfiniBand are what they are.
pub(super) fn are_chosen(control: &FlowControl) -> bool {
    control.lanes().is_some() && !matches!(control, FlowControl::InfiniBand { .. })
}

/// Refuses cells of nodes that count no credit in cells, and cells that no counter of CBFC has.
pub(in crate::frames) fn check(
    controls: &Controls<'_>,
    nodes: &BTreeMap<u32, &Nodes>,
    mistakes: &mut Diagnostics,
) {
    let mut places: Vec<&At> = Vec::new();
    for (node, own) in nodes {
        let Some((cell, at)) = own.credit_cell.value.zip(own.credit_cell.place()) else {
            continue;
        };
        if places.contains(&at) {
            continue;
        }
        let wrong = problem(controls, *node, cell, at);
        if wrong.is_some() {
            places.push(at);
        }
        mistakes.extend(wrong);
    }
}

fn problem(controls: &Controls<'_>, node: u32, cell: u32, at: &At) -> Option<Diagnostic> {
    let net = controls.net;
    let name = net.name(node);
    if !net.is_switch(node) {
        let wrong = Diagnostic::no_meaning("credit_cell", format!("of the host `{name}`"))
            .at(at, "has no meaning there")
            .note("a host takes what comes: no link into it has credit")
            .help("give it to the switch that gives the credit, or leave it out");
        return Some(wrong);
    }
    let into = (0..2 * net.links.len() as u32).filter(|id| net.ends(*id).1 == node);
    let mut kinds = into.map(|id| controls.of(id).rules);
    let Some(control) = kinds.find(|control| are_chosen(control)) else {
        let wrong = Diagnostic::no_meaning("credit_cell", format!("of `{name}`"))
            .at(
                at,
                "no link into it has credit in cells of a size that is chosen",
            )
            .note("`cbfc` and `grains` have; blocks of `infiniband` are of 64 B")
            .help("choose `cbfc` or `grains` for all links or for one into it, or leave it out");
        return Some(wrong);
    };
    let is_counted = !matches!(control, FlowControl::Cbfc { .. }) || (32..=2_048).contains(&cell);
    (!is_counted).then(|| {
        Diagnostic::error("out-of-range", "a cell of CBFC has 32 to 2,048 B")
            .at(at, format!("{cell} B"))
            .help(format!(
                "write `credit_cell = \"{} B\"`",
                cell.clamp(32, 2_048)
            ))
    })
}
