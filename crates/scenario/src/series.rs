//! Time series to record.

use kernel::Time;
use kernel::series::MOST_POINTS;
use kernel::words::grouped;
use packet::spec::{
    ExplicitRateSpec, FlowControlSpec, FlowSpec, Measure, SeriesSpec, SourceControlSpec,
};

use crate::build::not_there;
use crate::checks;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::FlowNames;
use crate::given::packet::flows::{Series, SeriesMeasure};
use crate::suggest;
use crate::topology::Graph;
use crate::typed::{Placed, Word};

/// A cell, where nothing says how long units are.
const CELL_BYTES: u32 = 53;
/// So many times what a series keeps is long.
const LONG: f64 = 8.0;

/// What `[[series]]` may refer to.
pub(crate) struct Reader<'a> {
    pub graph: &'a Graph,
    pub specs: &'a [FlowSpec],
    pub rate_ports: &'a [(u32, ExplicitRateSpec)],
    /// Some rule of a port has a mistake: which ports tell rates is not known.
    pub has_faulty_rules: bool,
    pub names: &'a FlowNames<'a>,
    pub stop_at: Time,
}

impl Reader<'_> {
    pub(crate) fn read(
        &self,
        series: &[Placed<Series>],
        mistakes: &mut Diagnostics,
    ) -> Vec<SeriesSpec> {
        if self.graph.nodes.is_empty() && mistakes.errors() > 0 {
            return Vec::new();
        }
        let specs = series.iter().filter_map(|own| self.one(own, mistakes));
        specs.collect()
    }

    fn one(&self, own: &Placed<Series>, mistakes: &mut Diagnostics) -> Option<SeriesSpec> {
        let measure = Measure::from(*own.measure.sure()?);
        let found = own.on.as_ref().map(|name| {
            let channel = self.graph.find_channel(name, &own.on.at);
            channel.map_err(|mistake| mistakes.push(*mistake)).ok()
        });
        let flow = own.flow.as_ref().map(|name| {
            let flow = self.names.find(name, &own.flow.at);
            flow.map_err(|mistake| mistakes.push(*mistake)).ok()
        });
        if flow.is_none() {
            check_whose(own, measure, mistakes);
        }
        let spec = match flow.flatten() {
            Some(flow) => Some(self.specs.get(flow as usize)?),
            None => None,
        };
        let channel = match found {
            Some(channel) => channel?,
            None => first_link(own, measure, spec, mistakes)?,
        };
        if let Some(flow) = spec {
            self.check_flow(own, measure, flow, channel, mistakes);
        }
        self.check_port(own, measure, channel, mistakes);
        checks::series_times(own, self.stop_at, mistakes);
        let (from, until) = (*own.from, own.until.unwrap_or(self.stop_at));
        if own.window.is_none() {
            let unit_bytes = spec.map_or(CELL_BYTES, |flow| flow.unit_bytes);
            let rate = self.graph.channel_spec(channel).rate.0 as f64;
            let seconds = until.min(self.stop_at).since(from.min(until)).seconds();
            let changes = seconds * rate / f64::from(8 * unit_bytes.max(1));
            check_length(own, changes, mistakes);
        }
        Some(SeriesSpec {
            name: own.name.clone(),
            measure,
            flow: flow.flatten(),
            channel,
            window: own.window,
            from,
            until: until.min(self.stop_at),
        })
    }

    fn channels(&self, channels: impl Iterator<Item = u32>) -> String {
        let names: Vec<String> = channels.map(|c| self.graph.channel_name(c)).collect();
        suggest::one_of(names.iter().map(String::as_str))
    }

    fn check_flow(
        &self,
        own: &Series,
        measure: Measure,
        flow: &FlowSpec,
        channel: u32,
        mistakes: &mut Diagnostics,
    ) {
        let crosses = |channel| flow.legs.iter().any(|leg| leg.channel == channel);
        let control = measure == Measure::ControlThroughput;
        if !(crosses(channel) || control && crosses(channel ^ 1)) {
            let ways = self.channels(flow.legs.iter().map(|leg| leg.channel));
            let on = own.on.as_deref().unwrap_or_default();
            mistakes.push(not_there(&flow.name, on, own.on.at.clone(), &ways));
            return;
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
            Measure::Credit => (!controlled, "there is no credit without a credit scheme"),
            Measure::AllowedRate | Measure::SourceRate => {
                (!is_abr, "only sources of kind `abr` have one")
            }
            _ => (false, ""),
        };
        if wrong {
            let ways = self.channels(flow.legs.iter().map(|leg| leg.channel));
            let place = if own.on.is_given {
                &own.on.at
            } else {
                &own.flow.at
            };
            mistakes.push(
                Diagnostic::error(
                    "bad-series",
                    format!("`{}` has no {} here", flow.name, own.measure.word()),
                )
                .at(place.clone(), why)
                .note(format!("`{}` crosses {ways}", flow.name)),
            );
        }
    }

    /// What is measured of a port that tells rates, at one that doesn't.
    fn check_port(&self, own: &Series, measure: Measure, channel: u32, mistakes: &mut Diagnostics) {
        if !is_of_port(measure) || self.has_faulty_rules {
            return;
        }
        let what = own.measure.word();
        let told = |port: &&(u32, ExplicitRateSpec)| port.0 == channel;
        if self.rate_ports.iter().find(told).is_none() {
            let ports = self.channels(self.rate_ports.iter().map(|(channel, _)| *channel));
            let name = self.graph.channel_name(channel);
            mistakes.push(
                Diagnostic::error("bad-series", format!("`{name}` has no {what}"))
                    .at(own.on.at.clone(), "this port tells no rates")
                    .note(format!("ports with an `explicit_rate`: {ports}"))
                    .help("name one of these, or give the link an `explicit_rate`"),
            );
        } else if own.flow.is_some() {
            mistakes.push(
                Diagnostic::error("bad-series", format!("{what} is of a port, not of a flow"))
                    .at(own.flow.at.clone(), "has no meaning here")
                    .help("leave `flow` out"),
            );
        }
    }
}

fn is_of_port(measure: Measure) -> bool {
    matches!(
        measure,
        Measure::RateQueue | Measure::LoadFactor | Measure::ActiveCircuits | Measure::FairShare
    )
}

fn is_of_source(measure: Measure) -> bool {
    matches!(measure, Measure::AllowedRate | Measure::SourceRate)
}

/// A series without windows that may hold more points than a series keeps, by far.
fn check_length(own: &Series, changes: f64, mistakes: &mut Diagnostics) {
    if changes < LONG * MOST_POINTS as f64 {
        return;
    }
    mistakes.push(
        Diagnostic::warning("long-series", "the series may grow very long")
            .at(
                own.measure.at.clone(),
                format!("every change is recorded: up to {changes:.1e} of them"),
            )
            .note(format!(
                "it keeps {} points at most: then, of more and more changes in a row, the least \
                 and the largest value",
                grouped(MOST_POINTS as u64)
            ))
            .help("give it a `window`, or record a part of the run with `from` and `until`"),
    );
}

/// What is of one flow needs one.
fn check_whose(own: &Series, measure: Measure, mistakes: &mut Diagnostics) {
    if measure == Measure::Credit || is_of_source(measure) {
        let what = own.measure.word();
        mistakes.push(
            Diagnostic::error(
                "missing-key",
                format!("{what} is of one flow, and `flow` is missing"),
            )
            .at(own.measure.at.clone(), "whose?")
            .help("add `flow = \"VC1\"`"),
        );
    }
}

/// Where a series without `on` is recorded.
fn first_link(
    own: &Placed<Series>,
    measure: Measure,
    flow: Option<&FlowSpec>,
    mistakes: &mut Diagnostics,
) -> Option<u32> {
    if is_of_source(measure) {
        return flow?.legs.first().map(|leg| leg.channel);
    }
    if !own.on.is_faulty {
        mistakes.push(
            Diagnostic::error("missing-key", "`on` is missing in `[[series]]`")
                .at(own.at.clone(), "no `on` here")
                .note("on: Where: a channel, as `from->to`.")
                .help("add `on = \"S1->S2\"`"),
        );
    }
    None
}

impl From<SeriesMeasure> for Measure {
    fn from(word: SeriesMeasure) -> Self {
        match word {
            SeriesMeasure::Throughput => Self::Throughput,
            SeriesMeasure::Arrivals => Self::Arrivals,
            SeriesMeasure::ControlThroughput => Self::ControlThroughput,
            SeriesMeasure::Forwarded => Self::Forwarded,
            SeriesMeasure::Credit => Self::Credit,
            SeriesMeasure::Fill => Self::Fill,
            SeriesMeasure::Queue => Self::Queue,
            SeriesMeasure::Stored => Self::Stored,
            SeriesMeasure::Delay => Self::Delay,
            SeriesMeasure::Wait => Self::Wait,
            SeriesMeasure::AllowedRate => Self::AllowedRate,
            SeriesMeasure::SourceRate => Self::SourceRate,
            SeriesMeasure::RateQueue => Self::RateQueue,
            SeriesMeasure::LoadFactor => Self::LoadFactor,
            SeriesMeasure::ActiveCircuits => Self::ActiveCircuits,
            SeriesMeasure::FairShare => Self::FairShare,
        }
    }
}
