//! From checked tables to the network the simulator runs.

use std::collections::BTreeMap;

use kernel::Time;
use packet::spec::{
    FlowControlSpec, FlowSpec, LegSpec, NetworkSpec, SeriesSpec, SinkSpec, SizeShare,
    SourceControlSpec, TrafficSpec,
};

use crate::abr::{self, Path};
use crate::abr_checks::Check;
use crate::checks;
use crate::control::{self, Layers, Loop};
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::explicit_rate;
use crate::flows::{self, Draft, FlowNames};
use crate::kinds;
use crate::leg_checks::{self, Leg};
use crate::partners;
use crate::record::Record;
use crate::reserve::{self, Terms};
use crate::route::Tree;
use crate::series;
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
    let rate_ports = explicit_rate::ports(root, &graph, mistakes);
    let outages = explicit_rate::outages(root, &graph, stop_at, mistakes);
    let specs = builder.flows(&trees, &names, limits, mistakes);
    let series = series::Reader {
        graph: &graph,
        specs: &specs,
        rate_ports: &rate_ports,
        has_faulty_rules: explicit_rate::are_faulty(root),
        names: &names,
        stop_at,
    }
    .read(root, mistakes);
    if let Some(run) = run {
        let time = |key| run.placed::<_, Time>(key, &kinds::Clock { min_ps: 0 });
        checks::run_times(&time("duration"), &time("warm_up"), mistakes);
    }
    checks::corruption(root, mistakes);
    if mistakes.errors() == 0 {
        checks::starts(&drafts, &specs, stop_at, mistakes);
        checks::partners(&drafts, &specs, mistakes);
        let check = Check {
            root,
            graph: &graph,
            drafts: &drafts,
            specs: &specs,
            ports: &rate_ports,
            stop_at,
        };
        check.run(mistakes);
        checks::load(&graph, &drafts, &specs, stop_at, limits, mistakes);
        let parts = (specs.as_slice(), outages.as_slice());
        service_checks::check(root, &graph, &drafts, parts, stop_at, mistakes);
    }
    service::fill_quantum(&mut graph.links, &specs);
    let network = NetworkSpec {
        rate_ports,
        outages,
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
        if !checks::fits(self.root, self.graph, legs, limits, mistakes) {
            return Vec::new();
        }
        let partners = partners::resolve(self.drafts, names, mistakes);
        let drafts = self.drafts.iter().zip(trees).zip(partners);
        drafts
            .map(|((draft, tree), partner)| self.flow(draft, tree, partner, mistakes))
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
        partner: Option<u32>,
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
        let part = |key| record.record(key);
        let path = Path::along(self.graph, tree, unit_bytes);
        let source_control = part("source_control").map(|c| traffic::source_control(c, path));
        // The flow back of a window would need a flow back of its own.
        let is_abr = matches!(source_control, Some(SourceControlSpec::Abr(_)));
        let source_control = source_control.filter(|_| draft.back_of.is_none() || is_abr);
        let (traffic, sink, terms) = if draft.back_of.is_some() {
            let traffic = abr::back_traffic(draft, first, mistakes);
            (Some(traffic), None, Terms::default())
        } else {
            (
                part("traffic").map(|own| traffic::traffic(own, first, mistakes)),
                part("sink").map(|own| traffic::sink(own, last)),
                reserve::terms(record, unit_bytes, mistakes),
            )
        };
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
        if draft.back_of.is_some() || draft.record.section.key("on_links").is_none() {
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
}

fn crosses(tree: &Tree, channel: u32) -> bool {
    tree.iter().any(|(known, _)| *known == channel)
}

pub(crate) fn not_there(flow: &str, channel: &str, at: At, ways: &str) -> Diagnostic {
    Diagnostic::error(
        "not-on-channel",
        format!("`{flow}` does not cross `{channel}`"),
    )
    .at(at, "not on its way")
    .note(format!("it crosses {ways}"))
}
