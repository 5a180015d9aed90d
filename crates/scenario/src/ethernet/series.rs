//! What to record.

use std::collections::BTreeMap;

use backwater_kernel::{Duration, Time};
use backwater_net::frames::spec::{Measure, SeriesSpec};

use super::flows::Flows;
use super::net::Net;
use super::queues::Ports;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::given::ethernet::flows::{Series, SeriesKind, WINDOWS};
use crate::reader::clip;
use crate::source::At;
use crate::suggest;
use crate::typed::Placed;
use crate::wildcard::{self, ALL, Many};

/// The series of the file. What a kind `chosen` from outside leaves no trace of is set aside.
pub(crate) fn series(
    (given, chosen): (&[Placed<Series>], Option<At>),
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
        chosen,
    };
    let mut series = Vec::new();
    for given in given {
        let Some(kind) = given.measure.sure() else {
            continue;
        };
        let found = match reader.measures(kind, &given.measure.at) {
            Ok(found) => found,
            Err(mistake) => {
                mistakes.push(*mistake);
                continue;
            }
        };
        let (of, at) = match Subject::of(kind) {
            Subject::Flows(flow, _) => (Many::Flows, &flow.at),
            Subject::Switches(on) | Subject::Channels(on, ..) => (Many::Places, &on.at),
        };
        if let Some(mistake) = wildcard::too_many(of, at, found.len()) {
            mistakes.push(mistake);
            continue;
        }
        let window = given.window;
        let window = window.unwrap_or(Duration((stop_at.0 / WINDOWS.value).max(1)));
        series.extend(found.into_iter().map(|(of, measure)| SeriesSpec {
            name: match of {
                Some(of) => wildcard::named(&given.name, &of),
                None => given.name.clone(),
            },
            measure,
            window,
        }));
    }
    series
}

/// What a series is of, and what it measures of each.
enum Subject<'a> {
    Flows(&'a Placed<String>, fn(u32) -> Measure),
    Switches(&'a Placed<String>),
    Channels(&'a Placed<String>, Counted<'a>),
}

/// What is measured of a channel.
enum Counted<'a> {
    /// Of a class, at the port that sends.
    Class(&'a Placed<u8>, fn(u32, u8) -> Measure),
    /// Of a class, at the input that receives.
    Input(&'a Placed<u8>, fn(u32, u8) -> Measure),
    /// Of all of it.
    Whole(fn(u32) -> Measure),
}

impl<'a> Subject<'a> {
    fn of(kind: &'a SeriesKind) -> Self {
        let queue: fn(u32, u8) -> Measure = |channel, class| Measure::Queue { channel, class };
        let stopped: fn(u32, u8) -> Measure = |channel, class| Measure::Stopped { channel, class };
        let input: fn(u32, u8) -> Measure = |channel, class| Measure::Input { channel, class };
        let headroom: fn(u32, u8) -> Measure =
            |channel, class| Measure::Headroom { channel, class };
        match kind {
            SeriesKind::Queue { on, class } => Self::Channels(on, Counted::Class(class, queue)),
            SeriesKind::Stopped { on, class } => Self::Channels(on, Counted::Class(class, stopped)),
            SeriesKind::Input { on, class } => Self::Channels(on, Counted::Input(class, input)),
            SeriesKind::Headroom { on, class } => {
                Self::Channels(on, Counted::Input(class, headroom))
            }
            SeriesKind::Buffer { on } => Self::Switches(on),
            SeriesKind::Rate { on } => {
                Self::Channels(on, Counted::Whole(|channel| Measure::Rate { channel }))
            }
            SeriesKind::Stops { on } => {
                Self::Channels(on, Counted::Whole(|channel| Measure::Stops { channel }))
            }
            SeriesKind::Marks { on } => {
                Self::Channels(on, Counted::Whole(|channel| Measure::Marks { channel }))
            }
            SeriesKind::Goodput { flow } => {
                Self::Flows(flow, |flow| Measure::Goodput { flow: Some(flow) })
            }
            SeriesKind::Window { flow } => Self::Flows(flow, |flow| Measure::Window { flow }),
        }
    }
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
    /// `at`: where the measure is chosen.
    fn measures(&self, kind: &SeriesKind, at: &At) -> Result<Found, Box<Diagnostic>> {
        match Subject::of(kind) {
            Subject::Flows(flow, measure) => self.of_flows(flow, measure),
            Subject::Switches(on) => self.of_switches(on),
            Subject::Channels(on, counted) => self.of_channels(on, &counted, at),
        }
    }

    fn of_flows(
        &self,
        given: &Placed<String>,
        measure: fn(u32) -> Measure,
    ) -> Result<Found, Box<Diagnostic>> {
        let name = given.as_str();
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
        if !of.is_empty() || given.is_faulty {
            let named = of
                .into_iter()
                .map(|(name, flow)| (Some(name.into()), measure(flow)));
            return Ok(named.collect());
        }
        let known = || self.flows.keys().copied();
        Err(Box::new(
            Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
                .at(given.at.clone(), "not the name of a flow")
                .help_if(suggest::did_you_mean(name, known()))
                .note(format!("flows: {}", suggest::one_of(known()))),
        ))
    }

    fn of_switches(&self, on: &Placed<String>) -> Result<Found, Box<Diagnostic>> {
        let name = |node: u32| self.net.name(node).to_owned();
        if on.is_faulty {
            return Ok(Vec::new());
        }
        if on.value == ALL {
            let nodes = 0..self.net.names.len() as u32;
            let switches = nodes.filter(|node| self.net.forwards(*node));
            let named = switches.map(|node| (Some(name(node)), Measure::Buffer { node }));
            return Ok(named.collect());
        }
        if on.contains("->") {
            return Err(Box::new(
                Diagnostic::error("bad-series", "a buffer is of a switch, not of a channel")
                    .at(on.at.clone(), "two nodes")
                    .help("name the switch: `on = \"A\"`, or `on = \"all\"` for all of them")
                    .help("of one queue: `measure = \"queue\"`; of one input: `\"input\"`"),
            ));
        }
        let node = self.net.find(on, &on.at)?;
        Ok(vec![(None, Measure::Buffer { node })])
    }

    fn of_channels(
        &self,
        on: &Placed<String>,
        counted: &Counted<'_>,
        at: &At,
    ) -> Result<Found, Box<Diagnostic>> {
        if on.is_faulty {
            return Ok(Vec::new());
        }
        if let Counted::Class(class, _) | Counted::Input(class, _) = counted {
            if class.is_faulty {
                return Ok(Vec::new());
            }
            if class.value >= self.ports.classes {
                let classes = self.ports.classes;
                let no = super::checks::no_such_class(&class.at, class.value, classes);
                return Err(Box::new(no));
            }
        }
        let measure = |channel: u32| match counted {
            Counted::Class(class, measure) | Counted::Input(class, measure) => {
                measure(channel, class.value)
            }
            Counted::Whole(measure) => measure(channel),
        };
        let is_input = matches!(counted, Counted::Input(..));
        if is_input && !self.ports.at_inputs && !self.ports.is_shared {
            return Err(Box::new(
                Diagnostic::error("bad-series", "no switch counts what came over its inputs")
                    .at(at.clone(), "of an input")
                    .help("switches do with `detect = \"inputs\"` in `[flow_control]`")
                    .help("record the `buffer` of the switch, or a `queue`")
                    .aside_after(self.chosen.clone()),
            ));
        }
        let enters = |channel: u32| !is_input || self.net.forwards(self.net.ends(channel).1);
        let several = wildcard::channels(
            on,
            2 * self.net.joins.len() as u32,
            |channel| self.net.ends(channel),
            |name| self.net.find(name, &on.at),
        )?;
        let Some(channels) = several else {
            let channel = self.net.find_channel(on, &on.at)?;
            return match enters(channel) {
                true => Ok(vec![(None, measure(channel))]),
                false => Err(no_switch(&on.at)),
            };
        };
        let channels = channels.into_iter().filter(|channel| enters(*channel));
        let name = |channel| Some(self.net.channel_name(channel));
        let found: Found = channels
            .map(|channel| (name(channel), measure(channel)))
            .collect();
        match found.is_empty() && !self.net.broken {
            true => Err(no_switch(&on.at)),
            false => Ok(found),
        }
    }
}

fn no_switch(at: &At) -> Box<Diagnostic> {
    Box::new(
        Diagnostic::error("bad-series", "an input is of a switch")
            .at(at.clone(), "no channel into a switch")
            .help("name a channel to a switch: `on = \"*->A\"`"),
    )
}
