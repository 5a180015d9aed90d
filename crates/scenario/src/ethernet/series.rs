//! What to record.

use std::collections::BTreeMap;

use ethernet::spec::{Measure, SeriesSpec};
use kernel::{Duration, Time};

use super::flows::Flows;
use super::net::Net;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::reader::clip;
use crate::record::Record;
use crate::suggest;

/// Windows of a run, where the file does not say how long they are.
const WINDOWS: u64 = 100;

/// The series of the file.
pub(crate) fn series(
    root: &Record,
    net: &Net<'_>,
    flows: &Flows<'_>,
    classes: u8,
    stop_at: Time,
    mistakes: &mut Diagnostics,
) -> Vec<SeriesSpec> {
    let by_name = flows.specs.iter().enumerate();
    let by_name: BTreeMap<&str, u32> = by_name
        .map(|(index, flow)| (flow.name.as_str(), index as u32))
        .collect();
    let records = root.records("series").iter();
    records
        .filter_map(|record| {
            let window = record.duration("window");
            Some(SeriesSpec {
                name: record.text("name").into(),
                measure: measure(record, net, &by_name, classes, mistakes)?,
                window: window.unwrap_or(Duration((stop_at.0 / WINDOWS).max(1))),
            })
        })
        .collect()
}

fn measure(
    record: &Record,
    net: &Net<'_>,
    flows: &BTreeMap<&str, u32>,
    classes: u8,
    mistakes: &mut Diagnostics,
) -> Option<Measure> {
    let word = record.word("measure");
    if matches!(word, "goodput" | "window") {
        let field = record.field("flow")?;
        let name = record.text("flow");
        let Some(flow) = flows.get(name).copied() else {
            let known = || flows.keys().copied();
            let numbered = format!("{name}[1]");
            let is_many = flows.contains_key(numbered.as_str());
            mistakes.push(
                Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                    .at(field.at.clone(), "not the name of a flow")
                    .help_if(if is_many {
                        Some(format!("there are many: name one of them, `{numbered}`"))
                    } else {
                        suggest::did_you_mean(name, known())
                    })
                    .note(format!("flows: {}", suggest::one_of(known()))),
            );
            return None;
        };
        return Some(match word {
            "goodput" => Measure::Goodput { flow: Some(flow) },
            _ => Measure::Window { flow },
        });
    }
    let field = record.field("on")?;
    let channel = net.find_channel(record.text("on"), &field.at);
    let channel = channel
        .map_err(|diagnostic| mistakes.push(*diagnostic))
        .ok()?;
    let class = record.whole("class")? as u8;
    if class >= classes {
        mistakes.push(super::checks::no_such_class(
            record, "class", class, classes,
        ));
        return None;
    }
    Some(match word {
        "queue" => Measure::Queue { channel, class },
        _ => Measure::Stopped { channel, class },
    })
}
