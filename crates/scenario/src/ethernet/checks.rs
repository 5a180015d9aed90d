//! What can't work in single tables.

use super::flows::{self, Flows};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::record::Record;

/// Says that a class has no queue.
pub(crate) fn no_such_class(record: &Record, key: &str, class: u8, classes: u8) -> Diagnostic {
    Diagnostic::error("bad-class", format!("there is no class {class}"))
        .at(record.at(key), format!("ports have {classes} queues"))
        .note(format!("classes: 0 to {}", classes - 1))
        .help(format!("raise `classes` of `[switch]` to {}", class + 1))
}

/// Classes that are named against queues that there are.
pub(crate) fn classes(root: &Record, classes: u8, mistakes: &mut Diagnostics) {
    for key in ["flows", "patterns", "classes"] {
        for record in root.records(key) {
            let class = record.whole("class").unwrap_or(0) as u8;
            if class >= classes {
                mistakes.push(no_such_class(record, "class", class, classes));
            }
        }
    }
    let lossless = root.record("back_pressure");
    let storms = root
        .records("nodes")
        .iter()
        .filter_map(|node| node.record("storm"));
    for record in lossless.into_iter().chain(storms) {
        let highest = record.wholes("classes").iter().max().copied().unwrap_or(0) as u8;
        if highest >= classes {
            mistakes.push(no_such_class(record, "classes", highest, classes));
        }
    }
    let records = root.records("classes");
    for (index, record) in records.iter().enumerate() {
        let same = |other: &&Record| other.whole("class") == record.whole("class");
        if let Some(first) = records[..index].iter().find(same) {
            mistakes.push(
                Diagnostic::error("contradiction", "a class is described twice")
                    .at(record.at("class"), "the second")
                    .at(first.at("class"), "the first")
                    .help("say all of a class in one `[[classes]]`"),
            );
        }
    }
}

/// Segments and datagrams against the MTU.
pub(crate) fn frames(root: &Record, flows: &Flows<'_>, mistakes: &mut Diagnostics) {
    let mtu = flows::mtu(root);
    for (spec, record) in flows.specs.iter().zip(&flows.records) {
        let bytes = flows::packet_bytes(&spec.transport);
        if bytes <= mtu {
            continue;
        }
        let own = record.record("tcp").filter(|tcp| tcp.given("mss"));
        let common = root.record("tcp").filter(|tcp| tcp.given("mss"));
        let at = match (record.field("payload"), own.or(common)) {
            (Some(field), _) => field.at.clone(),
            (None, Some(tcp)) => tcp.at("mss"),
            _ => record.at.clone(),
        };
        mistakes.push(
            Diagnostic::warning("large-frame", "packets are larger than the MTU")
                .at(at, format!("IP packets of {bytes} B with their headers"))
                .note(format!(
                    "the MTU is {mtu} B; frames are sent as large as they are"
                ))
                .help(format!(
                    "lower it by {} B, or say `mtu = {bytes}` in `[link]`: jumbo frames",
                    bytes - mtu
                )),
        );
    }
}
