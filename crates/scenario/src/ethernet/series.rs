//! What to record.

use std::collections::BTreeMap;

use ethernet::spec::{Measure, SeriesSpec};
use kernel::Duration;

use super::flows::Flows;
use super::net::Net;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::given::ethernet::EthernetFile;
use crate::given::ethernet::flows::SeriesKind;
use crate::reader::clip;
use crate::suggest;
use crate::typed::Placed;

/// Windows of a run, where the file does not say how long they are.
const WINDOWS: u64 = 100;

/// What `[[series]]` may refer to.
struct Reader<'a> {
    net: &'a Net<'a>,
    flows: BTreeMap<&'a str, u32>,
    classes: u8,
}

/// The series of the file.
pub(crate) fn series(
    file: &EthernetFile,
    net: &Net<'_>,
    flows: &Flows<'_>,
    classes: u8,
    mistakes: &mut Diagnostics,
) -> Vec<SeriesSpec> {
    let by_name = flows.specs.iter().zip(0_u32..);
    let reader = Reader {
        net,
        flows: by_name
            .map(|(flow, index)| (flow.name.as_str(), index))
            .collect(),
        classes,
    };
    let usual = Duration((file.run.duration.0 / WINDOWS).max(1));
    let all = file.series.iter();
    all.filter_map(|series| {
        Some(SeriesSpec {
            name: series.name.clone(),
            measure: reader.measure(series.measure.sure()?, mistakes)?,
            window: series.window.unwrap_or(usual),
        })
    })
    .collect()
}

impl Reader<'_> {
    fn measure(&self, kind: &SeriesKind, mistakes: &mut Diagnostics) -> Option<Measure> {
        Some(match kind {
            SeriesKind::Queue { on, class } => {
                let (channel, class) = self.queue(on, class, mistakes)?;
                Measure::Queue { channel, class }
            }
            SeriesKind::Stopped { on, class } => {
                let (channel, class) = self.queue(on, class, mistakes)?;
                Measure::Stopped { channel, class }
            }
            SeriesKind::Goodput { flow } => Measure::Goodput {
                flow: Some(self.flow(flow, mistakes)?),
            },
            SeriesKind::Window { flow } => Measure::Window {
                flow: self.flow(flow, mistakes)?,
            },
        })
    }

    fn queue(
        &self,
        on: &Placed<String>,
        class: &Placed<u8>,
        mistakes: &mut Diagnostics,
    ) -> Option<(u32, u8)> {
        let channel = self.net.find_channel(on.sure()?, &on.at);
        let channel = channel
            .map_err(|diagnostic| mistakes.push(*diagnostic))
            .ok()?;
        let number = *class.sure()?;
        if number >= self.classes {
            let diagnostic = super::checks::no_such_class(&class.at, number, self.classes);
            mistakes.push(diagnostic);
            return None;
        }
        Some((channel, number))
    }

    fn flow(&self, name: &Placed<String>, mistakes: &mut Diagnostics) -> Option<u32> {
        let (at, name) = (&name.at, name.sure()?);
        if let Some(flow) = self.flows.get(name.as_str()) {
            return Some(*flow);
        }
        let known = || self.flows.keys().copied();
        let numbered = format!("{name}[1]");
        let is_many = self.flows.contains_key(numbered.as_str());
        mistakes.push(
            Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                .at(at.clone(), "not the name of a flow")
                .help_if(if is_many {
                    Some(format!("there are many: name one of them, `{numbered}`"))
                } else {
                    suggest::did_you_mean(name, known())
                })
                .note(format!("flows: {}", suggest::one_of(known()))),
        );
        None
    }
}
