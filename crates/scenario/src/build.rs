//! From checked tables to the network the simulator runs.

use std::collections::BTreeMap;

use kernel::{Duration, Time};
use packet::spec::{
    FlowControlSpec, FlowSpec, LegSpec, Measure, NetworkSpec, SeriesSpec, SinkSpec, SizeShare,
    SourceControlSpec, TrafficSpec,
};

use crate::checks;
use crate::control::{self, Layers, Loop};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::flows::{self, Draft, FlowNames};
use crate::leg_checks::{self, Leg};
use crate::record::Record;
use crate::reserve;
use crate::route::Tree;
use crate::service;
use crate::service_checks;
use crate::source::At;
use crate::topology::{self, Graph};
use crate::traffic::{self, Line};
use crate::{Limits, MeasureSpec};

/// A network and what to record of it.
pub(crate) struct Built {
    pub network: NetworkSpec,
    pub series: Vec<SeriesSpec>,
    pub measure: MeasureSpec,
}

/// Builds it; mistakes go to `mistakes`, and the result is then not to be used.
pub(crate) fn build(root: &Record, limits: &Limits, mistakes: &mut Diagnostics) -> Built {
    let run = root.record("run");
    let seed = run.and_then(|run| run.whole("seed")).unwrap_or(1);
    let stop_at = run.and_then(|run| run.time("duration")).unwrap_or(Time(1));
    let warm_up = run
        .and_then(|run| run.time("warm_up"))
        .unwrap_or(Time::ZERO);
    let mut graph = topology::build(root, mistakes);
    service::add_pools(root, &mut graph.nodes);
    let drafts = flows::drafts(root, &graph, seed, mistakes);
    let trees = flows::trees(&graph, &drafts, mistakes);
    let builder = Builder {
        root,
        graph: &graph,
        drafts: &drafts,
    };
    let names = FlowNames::new(&drafts);
    let specs = builder.flows(&trees, &names, limits, mistakes);
    let series = builder.series(&specs, &names, stop_at, mistakes);
    checks::run_times(run, stop_at, warm_up, mistakes);
    checks::corruption(root, mistakes);
    if mistakes.errors() == 0 {
        checks::starts(&drafts, &specs, stop_at, mistakes);
        checks::partners(&drafts, &specs, mistakes);
        checks::load(&graph, &drafts, &specs, stop_at, limits, mistakes);
        service_checks::check(root, &graph, &drafts, &specs, stop_at, mistakes);
    }
    service::fill_quantum(&mut graph.links, &specs);
    let network = NetworkSpec {
        rate_ports: Vec::new(),
        outages: Vec::new(),
        seed,
        stop_at,
        warm_up,
        nodes: std::mem::take(&mut graph.nodes),
        links: std::mem::take(&mut graph.links),
        flows: specs,
    };
    Built {
        network,
        series,
        measure: service::measure(root, stop_at),
    }
}

struct Builder<'a> {
    root: &'a Record,
    graph: &'a Graph,
    drafts: &'a [Draft<'a>],
}

impl Builder<'_> {
    fn flows(
        &self,
        trees: &[Tree],
        names: &FlowNames<'_>,
        limits: &Limits,
        mistakes: &mut Diagnostics,
    ) -> Vec<FlowSpec> {
        let legs: u64 = trees.iter().map(|tree| tree.len() as u64).sum();
        if !checks::memory(self.root, self.graph, legs, limits, mistakes) {
            return Vec::new();
        }
        let drafts = self.drafts.iter().zip(trees);
        drafts
            .map(|(draft, tree)| self.flow(draft, tree, names, mistakes))
            .collect()
    }

    /// The largest unit of a flow.
    fn unit_bytes(&self, record: &Record, sizes: &[SizeShare]) -> u32 {
        let common = || {
            self.root
                .record("unit")
                .and_then(|unit| unit.count("bytes"))
        };
        let largest = sizes.iter().map(|size| size.bytes).max();
        largest
            .or_else(|| record.count("unit_bytes"))
            .or_else(common)
            .unwrap_or(53)
    }

    fn flow(
        &self,
        draft: &Draft<'_>,
        tree: &Tree,
        names: &FlowNames<'_>,
        mistakes: &mut Diagnostics,
    ) -> FlowSpec {
        let record = draft.record;
        let sizes = reserve::sizes(record, mistakes);
        let unit_bytes = self.unit_bytes(record, &sizes);
        let line = |channel: Option<&(u32, Option<u32>)>| {
            let rate = channel.map(|(channel, _)| self.graph.channel_spec(*channel).rate);
            let rate = rate.unwrap_or_else(|| topology::placeholder().rate);
            Line::new(rate, &sizes, unit_bytes)
        };
        let (first, last) = (line(tree.first()), line(tree.last()));
        let partner = record.field("partner").and_then(|field| {
            let name = draft.expand(record.text("partner"));
            names
                .find(&name, &field.at)
                .map_err(|diagnostic| mistakes.push(*diagnostic))
                .ok()
        });
        let part = |key| record.record(key);
        let traffic = part("traffic").map(|record| traffic::traffic(record, first));
        let source_control = part("source_control").map(traffic::source_control);
        let sink = part("sink").map(|record| traffic::sink(record, last));
        let terms = reserve::terms(record, unit_bytes, mistakes);
        FlowSpec {
            name: draft.name.clone(),
            source: draft.source,
            legs: self.legs(draft, tree, unit_bytes, mistakes),
            priority: record.whole("priority").unwrap_or(0) as u8,
            unit_bytes,
            sizes,
            traffic: traffic.unwrap_or(TrafficSpec::Silent),
            source_control: source_control.unwrap_or(SourceControlSpec::None),
            sink: sink.unwrap_or(SinkSpec::Infinite),
            partner,
            reserve: terms.reserve,
            envelope: terms.envelope,
            policer: terms.policer,
            on_alarm: terms.on_alarm,
            session: terms.session,
        }
    }

    fn legs(
        &self,
        draft: &Draft<'_>,
        tree: &Tree,
        unit_bytes: u32,
        mistakes: &mut Diagnostics,
    ) -> Vec<LegSpec> {
        let overrides = self.overrides(draft, tree, mistakes);
        let base = self.root.record("flow_control").into_iter();
        let layers: Vec<&Record> = base.chain(draft.record.record("flow_control")).collect();
        let common = Layers(layers);
        leg_checks::check_meaning(&common, mistakes);
        tree.iter()
            .map(|(channel, parent)| {
                let mut layers = common.clone();
                if let Some(own) = overrides.get(channel) {
                    layers.0.push(own);
                    leg_checks::check_meaning(&layers, mistakes);
                }
                self.leg(draft, *channel, *parent, &layers, unit_bytes, mistakes)
            })
            .collect()
    }

    fn leg(
        &self,
        draft: &Draft<'_>,
        channel: u32,
        parent: Option<u32>,
        layers: &Layers<'_>,
        unit_bytes: u32,
        mistakes: &mut Diagnostics,
    ) -> LegSpec {
        let forward = self.graph.channel_spec(channel);
        let backward = self.graph.channel_spec(channel ^ 1);
        let circuit = Loop::new(forward, backward, unit_bytes);
        let (flow_control, buffer) = control::specs(layers, &circuit);
        let name = || self.graph.channel_name(channel);
        let leg = Leg {
            flow: &draft.name,
            channel: &name,
            layers,
            circuit,
            loses_data: forward.errors.data_loss > 0.0,
        };
        leg_checks::check_loop(&leg, mistakes);
        if let FlowControlSpec::Credit(credit) = &flow_control {
            leg_checks::check_credit(&leg, credit, &buffer, mistakes);
        }
        LegSpec {
            channel,
            parent,
            flow_control,
            buffer,
        }
    }

    /// The entries of `on_links`, by channel.
    fn overrides<'r>(
        &self,
        draft: &Draft<'r>,
        tree: &Tree,
        mistakes: &mut Diagnostics,
    ) -> BTreeMap<u32, &'r Record> {
        let mut found: BTreeMap<u32, &Record> = BTreeMap::new();
        if draft.record.section.key("on_links").is_none() {
            return found;
        }
        for record in draft.record.records("on_links") {
            let at = record.at("link");
            let text = draft.expand(record.text("link"));
            match self.graph.find_channel(&text, &at) {
                Err(diagnostic) => mistakes.push(*diagnostic),
                Ok(channel) if !crosses(tree, channel) => {
                    let ways = self.channels(tree.iter().map(|(channel, _)| *channel));
                    mistakes.push(not_there(&draft.name, &text, at, &ways));
                }
                Ok(channel) => match found.get(&channel) {
                    Some(first) => mistakes.push(
                        Diagnostic::error("contradiction", format!("`{text}` is given twice"))
                            .at(at, "the second")
                            .at(first.at("link"), "the first")
                            .help("give each link once"),
                    ),
                    None => {
                        found.insert(channel, record);
                    }
                },
            }
        }
        found
    }

    fn channels(&self, channels: impl Iterator<Item = u32>) -> String {
        let names: Vec<String> = channels.map(|c| self.graph.channel_name(c)).collect();
        crate::suggest::one_of(names.iter().map(String::as_str))
    }

    fn series(
        &self,
        specs: &[FlowSpec],
        names: &FlowNames<'_>,
        stop_at: Time,
        mistakes: &mut Diagnostics,
    ) -> Vec<SeriesSpec> {
        if self.graph.nodes.is_empty() && mistakes.errors() > 0 {
            return Vec::new();
        }
        let records = self.root.records("series").iter();
        records
            .filter_map(|record| self.one_series(record, specs, names, stop_at, mistakes))
            .collect()
    }

    fn one_series(
        &self,
        record: &Record,
        specs: &[FlowSpec],
        names: &FlowNames<'_>,
        stop_at: Time,
        mistakes: &mut Diagnostics,
    ) -> Option<SeriesSpec> {
        let measure = measure(record.word("measure"))?;
        let found = record.field("on").map(|on| {
            let channel = self.graph.find_channel(record.text("on"), &on.at);
            channel
                .map_err(|diagnostic| mistakes.push(*diagnostic))
                .ok()
        });
        let flow = record.field("flow").map(|field| {
            let flow = names.find(record.text("flow"), &field.at);
            flow.map_err(|diagnostic| mistakes.push(*diagnostic)).ok()
        });
        let channel = found??;
        if let Some(Some(flow)) = flow {
            self.check_series_flow(
                record,
                measure,
                specs.get(flow as usize)?,
                channel,
                mistakes,
            );
        } else if flow.is_none() && measure == Measure::Credit {
            mistakes.push(
                Diagnostic::error(
                    "missing-key",
                    "credit is of one flow, and `flow` is missing",
                )
                .at(record.at("measure"), "whose?")
                .help("add `flow = \"VC1\"`"),
            );
        }
        let from = record.time("from").unwrap_or(Time::ZERO);
        let until = record.time("until").unwrap_or(stop_at);
        checks::series_times(record, from, until, stop_at, mistakes);
        Some(SeriesSpec {
            name: record.text("name").into(),
            measure,
            flow: flow.flatten(),
            channel,
            window: record
                .duration("window")
                .map(|window| Duration(window.0.max(1))),
            from,
            until: until.min(stop_at),
        })
    }

    fn check_series_flow(
        &self,
        record: &Record,
        measure: Measure,
        flow: &FlowSpec,
        channel: u32,
        mistakes: &mut Diagnostics,
    ) {
        let crosses = |channel| flow.legs.iter().any(|leg| leg.channel == channel);
        let control = measure == Measure::ControlThroughput;
        if !(crosses(channel) || control && crosses(channel ^ 1)) {
            let ways = self.channels(flow.legs.iter().map(|leg| leg.channel));
            mistakes.push(not_there(
                &flow.name,
                record.text("on"),
                record.at("on"),
                &ways,
            ));
            return;
        }
        let index = flow.legs.iter().position(|leg| leg.channel == channel);
        let leaf = index.is_some_and(|i| flow.legs.iter().all(|l| l.parent != Some(i as u32)));
        let controlled = index.is_some_and(|i| flow.legs[i].flow_control != FlowControlSpec::None);
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
            _ => (false, ""),
        };
        if wrong {
            let ways = self.channels(flow.legs.iter().map(|leg| leg.channel));
            mistakes.push(
                Diagnostic::error(
                    "bad-series",
                    format!("`{}` has no {} here", flow.name, record.word("measure")),
                )
                .at(record.at("on"), why)
                .note(format!("`{}` crosses {ways}", flow.name)),
            );
        }
    }
}

fn crosses(tree: &Tree, channel: u32) -> bool {
    tree.iter().any(|(known, _)| *known == channel)
}

fn not_there(flow: &str, channel: &str, at: At, ways: &str) -> Diagnostic {
    Diagnostic::error(
        "not-on-channel",
        format!("`{flow}` does not cross `{channel}`"),
    )
    .at(at, "not on its way")
    .note(format!("it crosses {ways}"))
}

fn measure(word: &str) -> Option<Measure> {
    Some(match word {
        "throughput" => Measure::Throughput,
        "arrivals" => Measure::Arrivals,
        "control-throughput" => Measure::ControlThroughput,
        "forwarded" => Measure::Forwarded,
        "credit" => Measure::Credit,
        "fill" => Measure::Fill,
        "queue" => Measure::Queue,
        "stored" => Measure::Stored,
        "delay" => Measure::Delay,
        "wait" => Measure::Wait,
        _ => return None,
    })
}
