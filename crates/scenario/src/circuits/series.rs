//! Time series to record.

use backwater_kernel::series::MOST_POINTS;
use backwater_kernel::words::grouped;
use backwater_kernel::{Duration, Time};
use backwater_net::spec::{
    ExplicitRateSpec, FlowControlSpec, FlowSpec, Measure, SeriesSpec, SourceControlSpec, Subject,
};

use crate::circuits::build::not_there;
use crate::circuits::checks;
use crate::circuits::flows::FlowNames;
use crate::circuits::topology::Graph;
use crate::given::circuits::flows::{Series, SeriesMeasure};
use crate::language::typed::Word;
use crate::network::wildcard::{self, Many};
use crate::prelude::*;

mod buffers;

/// A cell, where nothing says how long units are.
const CELL_BYTES: u32 = 53;
/// So many times what a series keeps is long.
const LONG: f64 = 8.0;

/// Most flows and channels that are looked at for one block.
const MOST_TRIED: usize = 4_096;

/// A flow, if one is named, which may be unknown; a channel, if it is not the one that `on` names.
type Asked = (Option<Option<u32>>, Option<u32>);

/// Whose a series is.
enum Whose {
    /// One flow, which may be unknown, or all flows together.
    One(Option<Option<u32>>),
    /// Several, a series each.
    Several(Vec<u32>),
}

/// What `[[series]]` may refer to.
pub(crate) struct Reader<'a> {
    pub graph: &'a Graph,
    pub specs: &'a [FlowSpec],
    pub rate_ports: &'a [(u32, ExplicitRateSpec)],
    /// Some rule of a port has a mistake: which ports tell rates is not known.
    pub has_faulty_rules: bool,
    pub names: &'a FlowNames<'a>,
    pub stop_at: Time,
    /// Where a kind was chosen from outside: what it leaves no trace of is set aside.
    pub chosen: Option<At>,
}

impl Reader<'_> {
    pub(crate) fn read(
        &self,
        given: &[Placed<Series>],
        mistakes: &mut Diagnostics,
    ) -> Vec<SeriesSpec> {
        if self.graph.nodes.is_empty() && mistakes.errors() > 0 {
            return Vec::new();
        }
        let blocks = given.iter().map(|series| self.block(series, mistakes));
        blocks.flatten().collect()
    }

    /// The series of a block: one, or one for each flow and channel it stands for that has what is
    /// measured.
    fn block(&self, given: &Placed<Series>, mistakes: &mut Diagnostics) -> Vec<SeriesSpec> {
        if given.measure.sure() == Some(&SeriesMeasure::Buffer) {
            return self.buffers(given, mistakes);
        }
        if let Some(mistake) = self.no_credit(given) {
            mistakes.push(mistake.aside_after(self.chosen.clone()));
            return Vec::new();
        }
        let at = &given.on.at;
        let channels = given.on.as_ref().and_then(|on| {
            let channels = wildcard::channels(on, self.graph, at);
            channels
                .map_err(|mistake| mistakes.push(*mistake))
                .transpose()
        });
        let whose = self.whose(given, mistakes);
        let (of, at, subjects) = match (whose, channels) {
            (Whose::One(flow), None) => {
                return self.one(given, flow, None, mistakes).into_iter().collect();
            }
            (Whose::One(flow), Some(channels)) => {
                let channels = channels.unwrap_or_default().into_iter();
                let subjects = channels.map(|channel| (flow, Some(channel)));
                (Many::Places, at, subjects.collect())
            }
            (Whose::Several(_), Some(Err(()))) => return Vec::new(),
            (Whose::Several(flows), channels) => {
                let channels = channels.and_then(Result::ok);
                let Some(subjects) = self.of_flows(given, &flows, channels.as_deref(), mistakes)
                else {
                    return Vec::new();
                };
                (Many::Flows, &given.flow.at, subjects)
            }
        };
        if subjects.len() > MOST_TRIED && matches!(of, Many::Flows) {
            mistakes.extend(wildcard::too_many(of, at, subjects.len()));
            return Vec::new();
        }
        let series = self.all_of(given, &subjects, of, mistakes);
        mistakes.extend(wildcard::too_many(of, at, series.len()));
        series
    }

    /// Stops by credit, where no flow is under credit.
    fn no_credit(&self, given: &Series) -> Option<Diagnostic> {
        let is_stops = given.measure.sure() == Some(&SeriesMeasure::Stopped);
        if !is_stops || given.flow.is_some() || self.specs.is_empty() {
            return None;
        }
        let mut legs = self.specs.iter().flat_map(|flow| &flow.legs);
        let has_credit = legs.any(|leg| leg.flow_control != FlowControlSpec::None);
        (!has_credit).then(|| {
            Diagnostic::error("bad-series", "nothing is stopped here")
                .at(
                    &given.measure.at,
                    "there is no credit without a credit scheme",
                )
                .help("add `[flow_control]`, or record a `queue`")
        })
    }

    /// A series for each subject that has what is measured. Where none has it, one of them says
    /// why.
    fn all_of(
        &self,
        given: &Placed<Series>,
        subjects: &[Asked],
        of: Many,
        mistakes: &mut Diagnostics,
    ) -> Vec<SeriesSpec> {
        let mut told = Diagnostics::default();
        let mut series = Vec::new();
        let is_one_place = !subjects
            .iter()
            .any(|(_, channel)| *channel != subjects[0].1);
        for (flow, channel) in subjects {
            let mut unheard = Diagnostics::default();
            match self.one(given, *flow, *channel, &mut unheard) {
                Some(one) if unheard.errors() == 0 => {
                    let channel = channel.or(one.of.channel()).unwrap_or(0);
                    let place = || self.graph.channel_name(channel);
                    let flow = one.of.flow();
                    let flow = flow.and_then(|flow| self.specs.get(flow as usize));
                    let name = match (of, flow) {
                        (Many::Flows, Some(flow)) if is_one_place => flow.name.clone(),
                        (Many::Flows, Some(flow)) => format!("{}, {}", flow.name, place()),
                        (Many::Flows | Many::Places | Many::Switches, _) => place(),
                    };
                    series.push(SeriesSpec {
                        name: wildcard::named(&one.name, &name),
                        ..one
                    });
                }
                _ => {}
            }
            told = unheard;
        }
        if series.is_empty() || told.errors() == 0 {
            told.iter().for_each(|one| mistakes.push(one.clone()));
        }
        series
    }

    /// The flow that is named, or those that share the name.
    fn whose(&self, given: &Series, mistakes: &mut Diagnostics) -> Whose {
        let Some(name) = given.flow.as_ref() else {
            return Whose::One(None);
        };
        let several = self.names.group(name);
        if !several.is_empty() {
            return Whose::Several(several);
        }
        let flow = self.names.find(name, &given.flow.at);
        Whose::One(Some(mistakes.kept(flow)))
    }

    /// Each of several flows, with the channels among these that it crosses; without channels,
    /// with the one that `on` names. `None` after a mistake.
    fn of_flows(
        &self,
        given: &Placed<Series>,
        flows: &[u32],
        channels: Option<&[u32]>,
        mistakes: &mut Diagnostics,
    ) -> Option<Vec<Asked>> {
        let of = |flow: u32| Some(Some(flow));
        let named = match (channels, given.on.as_ref()) {
            (Some(_), _) => None,
            (None, None) => return Some(flows.iter().map(|flow| (of(*flow), None)).collect()),
            (None, Some(on)) => {
                let channel = self.graph.find_channel(on, &given.on.at);
                Some([mistakes.kept(channel)?])
            }
        };
        let channels = channels.or(named.as_ref().map(<[u32; 1]>::as_slice))?;
        let is_control = given.measure.sure() == Some(&SeriesMeasure::ControlThroughput);
        let mut subjects = Vec::new();
        for flow in flows {
            let legs = self.specs.get(*flow as usize).map(|flow| &flow.legs);
            let crossed = legs.into_iter().flatten().flat_map(|leg| {
                let back = is_control.then_some(leg.channel ^ 1);
                [leg.channel].into_iter().chain(back)
            });
            let mut crossed: Vec<u32> = crossed
                .filter(|channel| channels.binary_search(channel).is_ok())
                .collect();
            crossed.sort_unstable();
            crossed.dedup();
            subjects.extend(
                crossed
                    .into_iter()
                    .map(|channel| (of(*flow), Some(channel))),
            );
        }
        if subjects.is_empty() {
            // The first of them says that it is elsewhere.
            let first = flows.first().map(|flow| of(*flow));
            subjects.extend(first.zip(channels.first().map(|channel| Some(*channel))));
        }
        Some(subjects)
    }

    fn one(
        &self,
        given: &Placed<Series>,
        flow: Option<Option<u32>>,
        on: Option<u32>,
        mistakes: &mut Diagnostics,
    ) -> Option<SeriesSpec> {
        let measure = Measure::from(*given.measure.sure()?);
        let named = given.on.as_ref().filter(|_| on.is_none());
        let find = |on: &String| mistakes.kept(self.graph.find_channel(on, &given.on.at));
        let found = on.map(Some).or(named.map(find));
        if flow.is_none() {
            check_whose(given, measure, mistakes);
        }
        let spec = match flow.flatten() {
            Some(flow) => Some(self.specs.get(flow as usize)?),
            None => None,
        };
        let channel = match found {
            Some(channel) => channel?,
            None => first_link(given, measure, spec, mistakes)?,
        };
        if let Some(flow) = spec
            && let Some(wrong) = self.wrong_flow(given, measure, flow, channel)
        {
            let is_gone = needs_credit(measure) || is_of_source(measure);
            mistakes.push(wrong.aside_after(self.chosen.clone().filter(|_| is_gone)));
            return None;
        }
        if flow.is_none()
            && let Some(wrong) = self.wrong_place(given, measure, channel)
        {
            mistakes.push(wrong);
            return None;
        }
        if let Some(wrong) = self.wrong_port(given, measure, channel) {
            mistakes.push(wrong.aside_after(self.chosen.clone()));
            return None;
        }
        let (from, until) = (*given.from, given.until.unwrap_or(self.stop_at));
        checks::series_times(given, self.stop_at, mistakes);
        let span = until.min(self.stop_at).since(from.min(until));
        mistakes.extend(no_window(given.window, span, &given.at));
        if given.window.is_none() {
            let unit_bytes = spec.map_or(CELL_BYTES, |flow| flow.unit_bytes);
            let rate = self.graph.channel_spec(channel).rate.0 as f64;
            let seconds = until.min(self.stop_at).since(from.min(until)).seconds();
            let changes = seconds * rate / f64::from(8 * unit_bytes.max(1));
            mistakes.extend(check_length(given, changes));
        }
        Some(SeriesSpec {
            name: given.name.clone(),
            measure,
            of: match (measure, flow.flatten()) {
                (Measure::Stored, _) => Subject::Node(self.graph.ends(channel).1),
                (Measure::AllowedRate | Measure::SourceRate, Some(flow)) => Subject::Flow(flow),
                (_, flow) => Subject::leg(flow, channel),
            },
            window: given.window,
            from,
            until: until.min(self.stop_at),
        })
    }

    fn wrong_flow(
        &self,
        given: &Series,
        measure: Measure,
        flow: &FlowSpec,
        channel: u32,
    ) -> Option<Diagnostic> {
        let crosses = |channel| flow.legs.iter().any(|leg| leg.channel == channel);
        let control = measure == Measure::ControlThroughput;
        if !(crosses(channel) || control && crosses(channel ^ 1)) {
            let ways = self
                .graph
                .channel_names(flow.legs.iter().map(|leg| leg.channel));
            let on = given.on.as_deref().unwrap_or_default();
            return Some(not_there(&flow.name, on, given.on.at.clone(), &ways));
        }
        let index = flow.legs.iter().position(|leg| leg.channel == channel);
        let leaf = index.is_some_and(|i| flow.legs.iter().all(|l| l.parent != Some(i as u32)));
        let controlled = index.is_some_and(|i| flow.legs[i].flow_control != FlowControlSpec::None);
        let is_abr = matches!(flow.source_control, SourceControlSpec::Abr(_));
        let (wrong, why) = match measure {
            Measure::Delay => (
                !leaf,
                "delay is counted where units are delivered: at the last",
            ),
            Measure::Wait => (
                leaf,
                "units wait where they are forwarded: not at the last channel",
            ),
            Measure::Credit | Measure::Stopped => {
                (!controlled, "there is no credit without a credit scheme")
            }
            Measure::AllowedRate | Measure::SourceRate => {
                (!is_abr, "only sources of kind `abr` have one")
            }
            _ => (false, ""),
        };
        wrong.then(|| {
            let ways = self
                .graph
                .channel_names(flow.legs.iter().map(|leg| leg.channel));
            let at = match given.on.is_given {
                true => &given.on.at,
                false => &given.flow.at,
            };
            let what = match measure {
                Measure::Stopped => "is never stopped".to_owned(),
                _ => format!("has no {}", given.measure.word()),
            };
            Diagnostic::error("bad-series", format!("`{}` {what} here", flow.name))
                .at(at, why)
                .note(format!("`{}` crosses {ways}", flow.name))
        })
    }

    /// What is counted where units end, or where they do not, of all flows at a channel of which
    /// none does.
    fn wrong_place(&self, given: &Series, measure: Measure, channel: u32) -> Option<Diagnostic> {
        let (why, way_on) = match measure {
            Measure::Delay => (
                "delay is counted where units are delivered: no flow ends here",
                "name a channel to a host",
            ),
            Measure::Wait => (
                "units wait where they are forwarded: all flows end here",
                "name a channel to a switch",
            ),
            _ => return None,
        };
        let mut crossing = self.specs.iter().flat_map(|flow| {
            let goes_on = |leg: u32| flow.legs.iter().any(|next| next.parent == Some(leg));
            let own = (0..).zip(&flow.legs);
            own.filter(|(_, leg)| leg.channel == channel)
                .map(move |(leg, _)| goes_on(leg))
        });
        let counts_on_the_way = measure == Measure::Wait;
        // A channel that nobody crosses has nothing of anything.
        let is_there = crossing.next().map(|first| {
            first == counts_on_the_way || crossing.any(|one| one == counts_on_the_way)
        });
        (is_there == Some(false)).then(|| {
            let name = self.graph.channel_name(channel);
            let what = given.measure.word();
            Diagnostic::error("bad-series", format!("`{name}` has no {what}"))
                .at(&given.on.at, why)
                .help(way_on)
        })
    }

    /// What is measured of a port that tells rates, at one that doesn't.
    fn wrong_port(&self, given: &Series, measure: Measure, channel: u32) -> Option<Diagnostic> {
        if !is_of_port(measure) || self.has_faulty_rules {
            return None;
        }
        let what = given.measure.word();
        let told = |port: &&(u32, ExplicitRateSpec)| port.0 == channel;
        if self.rate_ports.iter().find(told).is_none() {
            let ports = self
                .graph
                .channel_names(self.rate_ports.iter().map(|(channel, _)| *channel));
            let name = self.graph.channel_name(channel);
            return Some(
                Diagnostic::error("bad-series", format!("`{name}` has no {what}"))
                    .at(&given.on.at, "this port signals no rates")
                    .note(format!("ports with an `explicit_rate`: {ports}"))
                    .help("name one of these, or give the link an `explicit_rate`"),
            );
        }
        let flow = given.flow.place()?;
        Some(
            Diagnostic::error("bad-series", format!("{what} is of a port, not of a flow"))
                .at(flow, "has no meaning here")
                .help("leave `flow` out"),
        )
    }
}

fn is_of_port(measure: Measure) -> bool {
    matches!(
        measure,
        Measure::RateQueue | Measure::LoadFactor | Measure::ActiveCircuits | Measure::FairShare
    )
}

/// A window that is never over, so that the series stays empty.
pub(crate) fn no_window(window: Option<Duration>, span: Duration, at: &At) -> Option<Diagnostic> {
    window.filter(|window| *window > span).map(|_| {
        Diagnostic::warning("bad-series", "the series stays empty")
            .at(at, "its `window` is longer than what it records")
            .help("shorten `window`")
    })
}

fn needs_credit(measure: Measure) -> bool {
    matches!(measure, Measure::Credit | Measure::Stopped)
}

fn is_of_source(measure: Measure) -> bool {
    matches!(measure, Measure::AllowedRate | Measure::SourceRate)
}

/// A series without windows that may hold more points than a series keeps, by far.
fn check_length(given: &Series, changes: f64) -> Option<Diagnostic> {
    if changes < LONG * MOST_POINTS as f64 {
        return None;
    }
    Diagnostic::warning("long-series", "the series may grow very long")
        .at(
            &given.measure.at,
            format!("every change is recorded: up to {changes:.1e} of them"),
        )
        .note(format!(
            "it keeps {} points at most: then, of more and more changes in a row, the least \
                 and the largest value",
            grouped(MOST_POINTS as u64)
        ))
        .help("give it a `window`, or record a part of the run with `from` and `until`")
        .into()
}

/// What is of one flow needs one.
fn check_whose(given: &Series, measure: Measure, mistakes: &mut Diagnostics) {
    if measure == Measure::Credit || is_of_source(measure) {
        let what = given.measure.word();
        Diagnostic::error(
            "missing-key",
            format!("{what} is of one flow, and `flow` is missing"),
        )
        .at(&given.measure.at, "whose?")
        .help("add `flow = \"VC1\"`")
        .tell(mistakes);
    }
}

/// Where a series without `on` is recorded.
fn first_link(
    given: &Placed<Series>,
    measure: Measure,
    flow: Option<&FlowSpec>,
    mistakes: &mut Diagnostics,
) -> Option<u32> {
    if is_of_source(measure) {
        return flow?.legs.first().map(|leg| leg.channel);
    }
    mistakes.extend(no_place(given).map(|mistake| {
        mistake
            .note("on: Where: a channel, as `from->to`.")
            .help("add `on`, two nodes that a link joins, or `on = \"all\"`")
    }));
    None
}

/// Says that `on` is missing, unless what stands there was told to be wrong.
fn no_place(given: &Placed<Series>) -> Option<Diagnostic> {
    (!given.on.is_faulty).then(|| {
        Diagnostic::error("missing-key", "`on` is missing in `[[series]]`")
            .at(&given.at, "no `on` here")
    })
}
