//! What to record.

use std::collections::BTreeMap;

use ethernet::spec::{Measure, SeriesSpec};
use kernel::{Duration, Time};

use super::flows::Flows;
use super::net::Net;
use super::queues::Ports;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::reader::clip;
use crate::record::Record;
use crate::source::At;
use crate::suggest;
use crate::wildcard::{self, ALL};

/// Windows of a run, where the file does not say how long they are.
const WINDOWS: u64 = 100;

/// The series of the file.
pub(crate) fn series(
    root: &Record,
    net: &Net<'_>,
    flows: &Flows<'_>,
    ports: Ports,
    stop_at: Time,
    mistakes: &mut Diagnostics,
) -> Vec<SeriesSpec> {
    let by_name = flows.specs.iter().enumerate();
    let by_name: BTreeMap<&str, u32> = by_name
        .map(|(index, flow)| (flow.name.as_str(), index as u32))
        .collect();
    let reader = Reader {
        net,
        flows: by_name,
        ports,
        chosen: root.chosen_outside(),
    };
    let mut series = Vec::new();
    for record in root.records("series") {
        let Some(found) = reader.measures(record, mistakes) else {
            continue;
        };
        if let Some(mistake) = wildcard::too_many(record, found.len()) {
            mistakes.push(mistake);
            continue;
        }
        let window = record.duration("window");
        let window = window.unwrap_or(Duration((stop_at.0 / WINDOWS).max(1)));
        let name = record.text("name");
        series.extend(found.into_iter().map(|(of, measure)| SeriesSpec {
            name: match of {
                Some(of) => wildcard::named(name, &of),
                None => name.into(),
            },
            measure,
            window,
        }));
    }
    series
}

/// What is recorded; with the name of what it is of, where a wildcard stands for several.
type Found = Vec<(Option<String>, Measure)>;

struct Reader<'a> {
    net: &'a Net<'a>,
    flows: BTreeMap<&'a str, u32>,
    ports: Ports,
    /// Where a kind was chosen from outside: what it has not is set aside.
    chosen: Option<At>,
}

impl Reader<'_> {
    fn measures(&self, record: &Record, mistakes: &mut Diagnostics) -> Option<Found> {
        let word = record.word("measure");
        let found = match word {
            "goodput" | "window" => self.of_flows(record),
            "buffer" => self.of_switches(record),
            _ => self.of_channels(record, mistakes)?,
        };
        found.map_err(|mistake| mistakes.push(*mistake)).ok()
    }

    fn of_flows(&self, record: &Record) -> Result<Found, Box<Diagnostic>> {
        let name = record.text("flow");
        let measure = |flow: u32| match record.word("measure") {
            "goodput" => Measure::Goodput { flow: Some(flow) },
            _ => Measure::Window { flow },
        };
        if let Some(flow) = self.flows.get(name) {
            return Ok(vec![(None, measure(*flow))]);
        }
        let is_of = |flow: &str| {
            let rest = flow.strip_prefix(name);
            name == ALL || rest.is_some_and(|rest| rest.starts_with('[') && rest.ends_with(']'))
        };
        let mut of: Vec<(&str, u32)> = self
            .flows
            .iter()
            .map(|(name, flow)| (*name, *flow))
            .collect();
        of.retain(|(flow, _)| is_of(flow));
        of.sort_by_key(|(_, flow)| *flow);
        if !of.is_empty() || record.field("flow").is_none() {
            let named = of
                .into_iter()
                .map(|(name, flow)| (Some(name.into()), measure(flow)));
            return Ok(named.collect());
        }
        let known = || self.flows.keys().copied();
        Err(Box::new(
            Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                .at(record.at("flow"), "not the name of a flow")
                .help_if(suggest::did_you_mean(name, known()))
                .note(format!("flows: {}", suggest::one_of(known()))),
        ))
    }

    fn of_switches(&self, record: &Record) -> Result<Found, Box<Diagnostic>> {
        let (on, at) = (record.text("on"), record.at("on"));
        let name = |node: u32| self.net.name(node).to_owned();
        if record.field("on").is_none() {
            return Ok(Vec::new());
        }
        if on == ALL {
            let nodes = 0..self.net.names.len() as u32;
            let switches = nodes.filter(|node| self.net.forwards(*node));
            let named = switches.map(|node| (Some(name(node)), Measure::Buffer { node }));
            return Ok(named.collect());
        }
        if on.contains("->") {
            return Err(Box::new(
                Diagnostic::error("bad-series", "a buffer is of a switch, not of a channel")
                    .at(at, "two nodes")
                    .help("name the switch: `on = \"A\"`, or `on = \"all\"` for all of them")
                    .help("of one queue: `measure = \"queue\"`; of one input: `\"input\"`"),
            ));
        }
        let node = self.net.find(on, &at)?;
        Ok(vec![(None, Measure::Buffer { node })])
    }

    /// `None` where a mistake is told already.
    fn of_channels(
        &self,
        record: &Record,
        mistakes: &mut Diagnostics,
    ) -> Option<Result<Found, Box<Diagnostic>>> {
        let word = record.word("measure");
        let field = record.field("on")?;
        let class = match word {
            "queue" | "stopped" | "input" | "headroom" => record.whole("class")? as u8,
            _ => 0,
        };
        if class >= self.ports.classes {
            let no = super::checks::no_such_class(&record.at("class"), class, self.ports.classes);
            mistakes.push(no);
            return None;
        }
        let measure = |channel: u32| match word {
            "queue" => Measure::Queue { channel, class },
            "stopped" => Measure::Stopped { channel, class },
            "input" => Measure::Input { channel, class },
            "headroom" => Measure::Headroom { channel, class },
            "rate" => Measure::Rate { channel },
            "stops" => Measure::Stops { channel },
            _ => Measure::Marks { channel },
        };
        let text = record.text("on");
        let is_input = matches!(word, "input" | "headroom");
        if is_input && !self.ports.at_inputs && !self.ports.is_shared {
            return Some(Err(Box::new(
                Diagnostic::error("bad-series", "no switch counts what came over its inputs")
                    .at(record.at("measure"), "of an input")
                    .help("switches do with `detect = \"inputs\"` in `[back_pressure]`")
                    .help("record the `buffer` of the switch, or a `queue`")
                    .aside_after(self.chosen.clone()),
            )));
        }
        let enters = |channel: u32| !is_input || self.net.forwards(self.net.ends(channel).1);
        let several = wildcard::channels(
            text,
            2 * self.net.joins.len() as u32,
            |channel| self.net.ends(channel),
            |name| self.net.find(name, &field.at),
        );
        let several = match several {
            Err(mistake) => return Some(Err(mistake)),
            Ok(several) => several,
        };
        let Some(channels) = several else {
            let channel = self.net.find_channel(text, &field.at);
            let one = channel.and_then(|channel| match enters(channel) {
                true => Ok(vec![(None, measure(channel))]),
                false => Err(no_switch(record)),
            });
            return Some(one);
        };
        let channels = channels.into_iter().filter(|channel| enters(*channel));
        let name = |channel| Some(self.net.channel_name(channel));
        let found: Found = channels
            .map(|channel| (name(channel), measure(channel)))
            .collect();
        Some(match found.is_empty() && !self.net.broken {
            true => Err(no_switch(record)),
            false => Ok(found),
        })
    }
}

fn no_switch(record: &Record) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("bad-series", "an input is of a switch")
            .at(record.at("on"), "no channel into a switch")
            .help("name a channel to a switch: `on = \"*->A\"`"),
    )
}
