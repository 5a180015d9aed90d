//! What to record.

use std::collections::BTreeMap;

use backwater_ends::control::Inner;
use backwater_kernel::{Channels, Duration, Time};
use backwater_net::frames::spec::{LinkSpec, TransportSpec};
use backwater_net::spec::{Measure, SeriesSpec, Subject};

use super::flows::Flows;
use super::net::Net;
use super::queues::Ports;
use crate::given::frames::flows::{Series, SeriesKind, WINDOWS};
use crate::language::suggest;
use crate::network::wildcard::{self, ALL, Many};
use crate::prelude::*;

/// The series of the file. What a kind `chosen` from outside leaves no trace of is set aside.
pub(crate) fn series(
    (given, chosen): (&[Placed<Series>], Option<At>),
    (net, links): (&Net<'_>, &[LinkSpec]),
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
        let (measure, on) = On::of(kind);
        let Some(found) = mistakes.kept(reader.subjects(&on, &given.measure.at)) else {
            continue;
        };
        let (many, at) = match on {
            On::Flows(flow) => (Many::Flows, &flow.at),
            On::Switches(on) | On::Channels(on) | On::Classes(on, _) | On::Inputs(on, _) => {
                (Many::Places, &on.at)
            }
        };
        let Some(found) = kept(measure, found, (flows, links)) else {
            mistakes.push(nothing_kept(measure, at));
            continue;
        };
        if let Some(mistake) = wildcard::too_many(many, at, found.len()) {
            mistakes.push(mistake);
            continue;
        }
        let window = given.window;
        mistakes.extend(crate::circuits::series::no_window(
            window,
            Duration(stop_at.0),
            &given.at,
        ));
        let window = window.unwrap_or(Duration((stop_at.0 / WINDOWS.value).max(1)));
        series.extend(found.into_iter().map(|(name, of)| SeriesSpec {
            name: match name {
                Some(name) => wildcard::named(&given.name, &name),
                None => given.name.clone(),
            },
            measure,
            of,
            window: Some(window),
            from: Time::ZERO,
            until: stop_at,
        }));
    }
    series
}

/// The number that control keeps to itself which a measure is of, if it is one.
fn numbers(measure: Measure) -> &'static [Inner] {
    match measure {
        Measure::Alpha => &[Inner::Alpha],
        Measure::TargetRate => &[Inner::Target, Inner::Reference],
        Measure::LinkUse => &[Inner::Use],
        Measure::Gradient => &[Inner::Gradient],
        Measure::TargetDelay => &[Inner::TargetDelay],
        Measure::Bandwidth => &[Inner::Bandwidth],
        Measure::LeastRtt => &[Inner::LeastRtt],
        Measure::PacingGain => &[Inner::PacingGain],
        Measure::Phase => &[Inner::Phase],
        _ => &[],
    }
}

/// Flows and queues of which there is something to record, of what control does; `None` if there is
/// none.
fn kept(
    measure: Measure,
    found: Found,
    (flows, links): (&Flows<'_>, &[LinkSpec]),
) -> Option<Found> {
    if measure == Measure::StatedRate {
        let states = |of: &Subject| match *of {
            Subject::Class { channel, class } => {
                let queues = &links.channel(channel).queues;
                queues
                    .get(usize::from(class))
                    .is_some_and(|queue| queue.rocc.is_some())
            }
            _ => false,
        };
        let rest: Found = found.into_iter().filter(|(_, of)| states(of)).collect();
        return (!rest.is_empty()).then_some(rest);
    }
    let numbers = numbers(measure);
    if numbers.is_empty() && measure != Measure::AllowedRate {
        return Some(found);
    }
    let has = |of: &Subject| {
        let flow = of.flow().and_then(|flow| flows.specs.get(flow as usize));
        flow.is_some_and(|flow| match &flow.transport {
            TransportSpec::Roce(roce) => {
                let mut known = numbers.iter();
                numbers.is_empty() || known.any(|number| roce.control.keeps(*number))
            }
            TransportSpec::Tcp(tcp) => {
                let mut known = numbers.iter();
                match numbers.is_empty() {
                    true => tcp.congestion.goes_by_delivery(),
                    false => known.any(|number| tcp.congestion.keeps(*number)),
                }
            }
            TransportSpec::Udp { .. } => false,
        })
    };
    let rest: Found = found.into_iter().filter(|(_, of)| has(of)).collect();
    (!rest.is_empty()).then_some(rest)
}

fn nothing_kept(measure: Measure, at: &At) -> Diagnostic {
    let of = match measure {
        Measure::StatedRate => "`stated` is of queues of switches with `rocc`",
        Measure::Alpha => "`alpha` is of DCQCN",
        Measure::TargetRate => "`target` is of DCQCN and HPCC",
        Measure::LinkUse => "`link-use` is of HPCC",
        Measure::Gradient => "`gradient` is of TIMELY",
        Measure::TargetDelay => "`target-delay` is of Swift and NSCC",
        Measure::Bandwidth => "`bandwidth` is of BBR",
        Measure::LeastRtt => "`least-rtt` is of BBR",
        Measure::PacingGain => "`pacing-gain` is of BBR",
        Measure::Phase => "`phase` is of BBR",
        _ => "`allowed` is of flows over RoCE, and of BBR",
    };
    let choose = match numbers(measure) {
        [Inner::Bandwidth | Inner::LeastRtt | Inner::PacingGain | Inner::Phase] => {
            "leave the series out, or choose `congestion = \"bbr\"` in `[tcp]`"
        }
        _ if measure == Measure::StatedRate => {
            "leave the series out, or add `rocc = {}` to `[buffer]`"
        }
        _ => "leave the series out, or choose that `control` in `[roce]`",
    };
    Diagnostic::warning("no-meaning", "there is nothing to record for this series")
        .at(at, of)
        .help(choose)
}

/// What a series is of.
enum On<'a> {
    Flows(&'a Placed<String>),
    Switches(&'a Placed<String>),
    /// All of each channel.
    Channels(&'a Placed<String>),
    /// Of a class, at the port that sends.
    Classes(&'a Placed<String>, &'a Placed<u8>),
    /// Of a class, at the input that receives.
    Inputs(&'a Placed<String>, &'a Placed<u8>),
}

impl<'a> On<'a> {
    /// What a series measures, and of what.
    fn of(kind: &'a SeriesKind) -> (Measure, Self) {
        match kind {
            SeriesKind::Queue { on, class } => (Measure::Queue, Self::Classes(on, class)),
            SeriesKind::Stopped { on, class } => (Measure::Stopped, Self::Classes(on, class)),
            SeriesKind::Stated { on, class } => (Measure::StatedRate, Self::Classes(on, class)),
            SeriesKind::Input { on, class } => (Measure::Input, Self::Inputs(on, class)),
            SeriesKind::Headroom { on, class } => (Measure::Headroom, Self::Inputs(on, class)),
            SeriesKind::Buffer { on } => (Measure::Stored, Self::Switches(on)),
            SeriesKind::Rate { on } => (Measure::Rate, Self::Channels(on)),
            SeriesKind::Stops { on } => (Measure::Stops, Self::Channels(on)),
            SeriesKind::Marks { on } => (Measure::Marks, Self::Channels(on)),
            SeriesKind::Goodput { flow } => (Measure::Goodput, Self::Flows(flow)),
            SeriesKind::Window { flow } => (Measure::Window, Self::Flows(flow)),
            SeriesKind::Allowed { flow } => (Measure::AllowedRate, Self::Flows(flow)),
            SeriesKind::Target { flow } => (Measure::TargetRate, Self::Flows(flow)),
            SeriesKind::Alpha { flow } => (Measure::Alpha, Self::Flows(flow)),
            SeriesKind::LinkUse { flow } => (Measure::LinkUse, Self::Flows(flow)),
            SeriesKind::Gradient { flow } => (Measure::Gradient, Self::Flows(flow)),
            SeriesKind::TargetDelay { flow } => (Measure::TargetDelay, Self::Flows(flow)),
            SeriesKind::Bandwidth { flow } => (Measure::Bandwidth, Self::Flows(flow)),
            SeriesKind::LeastRtt { flow } => (Measure::LeastRtt, Self::Flows(flow)),
            SeriesKind::PacingGain { flow } => (Measure::PacingGain, Self::Flows(flow)),
            SeriesKind::Phase { flow } => (Measure::Phase, Self::Flows(flow)),
        }
    }
}

/// What is recorded; with the name of what it is of, where a wildcard stands for several.
type Found = Vec<(Option<String>, Subject)>;

struct Reader<'a> {
    net: &'a Net<'a>,
    flows: BTreeMap<&'a str, u32>,
    ports: Ports,
    /// Where a kind was chosen from outside: what it has not is set aside.
    chosen: Option<At>,
}

impl Reader<'_> {
    /// `at`: where the measure is chosen.
    fn subjects(&self, on: &On<'_>, at: &At) -> Result<Found, Box<Diagnostic>> {
        match on {
            On::Flows(flow) => self.of_flows(flow),
            On::Switches(on) => self.of_switches(on),
            On::Channels(on) => self.of_channels(on, None, false),
            On::Classes(on, class) => self.of_channels(on, Some(class), false),
            On::Inputs(on, class) => {
                if !on.is_faulty && !class.is_faulty && class.value < self.ports.classes {
                    self.check_inputs(at)?;
                }
                self.of_channels(on, Some(class), true)
            }
        }
    }

    fn of_flows(&self, given: &Placed<String>) -> Result<Found, Box<Diagnostic>> {
        let name = given.as_str();
        if let Some(flow) = self.flows.get(name) {
            return Ok(vec![(None, Subject::Flow(*flow))]);
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
                .map(|(name, flow)| (Some(name.into()), Subject::Flow(flow)));
            return Ok(named.collect());
        }
        let known = || self.flows.keys().copied();
        Diagnostic::error("unknown-flow", format!("there is no flow `{}`", clip(name)))
            .at(&given.at, "not the name of a flow")
            .help_if(suggest::did_you_mean(name, known()))
            .note(format!("flows: {}", suggest::one_of(known())))
            .refused()
    }

    fn of_switches(&self, on: &Placed<String>) -> Result<Found, Box<Diagnostic>> {
        let name = |node: u32| self.net.name(node).to_owned();
        if on.is_faulty {
            return Ok(Vec::new());
        }
        if on.value == ALL {
            let nodes = 0..self.net.nodes.len() as u32;
            let switches = nodes.filter(|node| self.net.is_switch(*node));
            let named = switches.map(|node| (Some(name(node)), Subject::Node(node)));
            return Ok(named.collect());
        }
        if on.contains("->") {
            return Diagnostic::error("bad-series", "a buffer is of a switch, not of a channel")
                .at(&on.at, "two nodes")
                .help("name the switch alone, or write `on = \"all\"` for all of them")
                .help("of one queue: `measure = \"queue\"`; of one input: `\"input\"`")
                .refused();
        }
        let node = self.net.find(on, &on.at)?;
        Ok(vec![(None, Subject::Node(node))])
    }

    /// Does any switch count what comes in?
    fn check_inputs(&self, at: &At) -> Result<(), Box<Diagnostic>> {
        if self.ports.at_inputs || self.ports.is_shared {
            return Ok(());
        }
        Diagnostic::error("bad-series", "no switch counts what came over its inputs")
            .at(at, "of an input")
            .help("switches do with `detect = \"inputs\"` in `[flow_control]`")
            .help("record the `buffer` of the switch, or a `queue`")
            .aside_after(self.chosen.clone())
            .refused()
    }

    /// All of each channel, or a class there; `is_input`: at a switch that it leads to.
    fn of_channels(
        &self,
        on: &Placed<String>,
        class: Option<&Placed<u8>>,
        is_input: bool,
    ) -> Result<Found, Box<Diagnostic>> {
        if on.is_faulty || class.is_some_and(|class| class.is_faulty) {
            return Ok(Vec::new());
        }
        let classes = self.ports.classes;
        if let Some(class) = class.filter(|class| class.value >= classes) {
            let no = super::checks::no_such_class(&class.at, class.value, classes);
            return Err(Box::new(no));
        }
        let measure = |channel: u32| match class.map(|class| class.value) {
            Some(class) => Subject::Class { channel, class },
            None => Subject::Channel(channel),
        };
        let enters = |channel: u32| !is_input || self.net.is_switch(self.net.ends(channel).1);
        let several = wildcard::channels(on, self.net, &on.at)?;
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
    Diagnostic::error("bad-series", "an input is of a switch")
        .at(at, "no channel into a switch")
        .help("name a channel to a switch: `on = \"*->A\"`")
        .into()
}
