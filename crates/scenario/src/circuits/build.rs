//! From checked tables to the network the simulator runs.

use std::collections::{BTreeMap, BTreeSet};

use backwater_kernel::Rate;
use backwater_net::spec::{
    CellRules, FlowControlSpec, FlowSpec, LegSpec, NetworkSpec, SeriesSpec, SinkSpec, SizeShare,
    SourceControlSpec, TrafficSpec,
};

use crate::circuits::abr::{self, Path};
use crate::circuits::abr_checks;
use crate::circuits::cell_tcp;
use crate::circuits::checks;
use crate::circuits::control::{self, Loop};
use crate::circuits::explicit_rate;
use crate::circuits::flows::{self, Draft, FlowNames};
use crate::circuits::leg_checks::{self, Leg};
use crate::circuits::partners;
use crate::circuits::reserve::{self, Terms};
use crate::circuits::route::Tree;
use crate::circuits::series;
use crate::circuits::service;
use crate::circuits::service_checks::{self, Whole};
use crate::circuits::topology::{self, Graph};
use crate::circuits::traffic::{self, Line};
use crate::given::circuits::PacketFile;
use crate::given::circuits::control::{FlowControl, LinkOverride};
use crate::given::circuits::flows::FlowSettings;
use crate::given::circuits::source::SourceControl;
use crate::given::circuits::traffic::Sink;
use crate::language::files::Files;
use crate::language::record::Record;
use crate::network::outages;
use crate::prelude::*;
use crate::{Limits, MeasureSpec};

/// A network and what to record of it.
pub(crate) struct Built {
    pub network: NetworkSpec,
    pub series: Vec<SeriesSpec>,
    pub measure: MeasureSpec,
}

/// Builds it; mistakes go to `mistakes`, and the result is then not to be used.
pub(crate) fn build(
    root: &Record,
    limits: &Limits,
    files: &mut Files<'_>,
    mistakes: &mut Diagnostics,
) -> Built {
    let file = &root.typed::<PacketFile>();
    let (run, stop_at) = (&file.run, *file.run.duration);
    let mut graph = topology::build(file, &root.at, (limits, files), mistakes);
    service::add_shared(file, &mut graph);
    let drafts = flows::drafts(file, &graph, limits, mistakes);
    let trees = flows::trees(&graph, &drafts, file.switch.spread.seed(run.seed), mistakes);
    let builder = Builder {
        root,
        file,
        control: control::base(&file.flow_control),
        graph: &graph,
        drafts: &drafts,
    };
    let names = FlowNames::new(&drafts);
    let rate_ports = explicit_rate::ports(file, &graph, mistakes);
    let given: Vec<_> = file.links.iter().map(|own| &own.outages[..]).collect();
    let outages = outages::outages(&graph.entries, &given, stop_at, mistakes);
    let mut specs = builder.flows(&trees, &names, limits, mistakes);
    let series = series::Reader {
        graph: &graph,
        specs: &specs,
        rate_ports: &rate_ports,
        has_faulty_rules: explicit_rate::are_faulty(file),
        names: &names,
        stop_at,
        chosen: root.chosen_outside(),
    }
    .read(&file.series, mistakes);
    checks::run_times(&run.duration, &run.warm_up, mistakes);
    checks::corruption(file, mistakes);
    if mistakes.errors() == 0 {
        let whole = Whole {
            file,
            graph: &graph,
            drafts: &drafts,
            specs: &specs,
            rate_ports: &rate_ports,
            outages: &outages,
            ports: service_checks::ports(&graph, &specs),
            warm_up: *run.warm_up,
            stop_at,
        };
        check(&whole, limits, mistakes);
    }
    service::fill_quantum(&mut graph.links, &specs);
    let starts = specs.iter_mut().filter_map(|flow| flow.traffic.start_mut());
    crate::network::jitter::postpone(starts, run.seed, run.start_jitter);
    let network = NetworkSpec {
        rules: CellRules { rate_ports },
        outages,
        seed: run.seed,
        stop_at,
        warm_up: *run.warm_up,
        nodes: std::mem::take(&mut graph.nodes),
        links: std::mem::take(&mut graph.links),
        flows: specs,
    };
    Built {
        network,
        series,
        measure: service::measure(file, stop_at),
    }
}

/// What can't work, or works badly, in the network as a whole.
fn check(whole: &Whole<'_>, limits: &Limits, mistakes: &mut Diagnostics) {
    checks::starts(whole, mistakes);
    mistakes.extend(checks::cut_through(whole));
    checks::partners(whole, mistakes);
    checks::tcp(whole, mistakes);
    abr_checks::check(whole, mistakes);
    crate::circuits::asked::check(whole, mistakes);
    checks::load(whole, limits, mistakes);
    service_checks::check(whole, mistakes);
    crate::circuits::slow_credit::check(whole, mistakes);
}

struct Builder<'a> {
    root: &'a Record,
    file: &'a PacketFile,
    /// What legs have where no override changes it.
    control: FlowControl,
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
        if !checks::fits(
            (self.file, &self.root.at),
            self.graph,
            legs,
            limits,
            mistakes,
        ) {
            return Vec::new();
        }
        let partners = partners::resolve(self.drafts, names, mistakes);
        let drafts = self.drafts.iter().zip(trees).zip(partners);
        let flows =
            drafts.map(|((draft, tree), partner)| self.flow(draft, tree, partner, mistakes));
        let mut flows: Vec<FlowSpec> = flows.collect();
        cell_tcp::answer(&mut flows);
        flows
    }

    /// What the application of a flow sends.
    fn traffic(
        &self,
        settings: &FlowSettings,
        line: Line,
        mistakes: &mut Diagnostics,
    ) -> TrafficSpec {
        cell_tcp::check(settings, mistakes);
        if cell_tcp::is_tcp(settings) {
            return cell_tcp::traffic(self.file, settings, mistakes);
        }
        match settings.traffic.sure() {
            Some(own) => traffic::traffic(own, line, mistakes),
            None => TrafficSpec::Silent,
        }
    }

    /// The largest unit of a flow.
    fn unit_bytes(&self, flow: &FlowSettings, sizes: &[SizeShare]) -> u32 {
        let largest = sizes.iter().map(|size| size.bytes).max();
        let own = largest.or(*flow.unit_bytes);
        own.unwrap_or_else(|| self.file.unit.bytes())
    }

    /// A sink at each of several ends, whose pace is a share of links that differ.
    fn unlike_ends(&self, settings: &FlowSettings, tree: &Tree) -> Option<Diagnostic> {
        let is_share = match settings.sink.value.sure()? {
            Sink::Unlimited => false,
            Sink::Limited { load, .. } | Sink::Stalling { load, .. } => load.is_some(),
        };
        let goes_on: BTreeSet<u32> = tree.iter().filter_map(|(_, parent)| *parent).collect();
        let ends = (0..).zip(tree).filter(|(leg, _)| !goes_on.contains(leg));
        let rates = ends.map(|(_, (channel, _))| self.graph.channel_spec(*channel).rate);
        let rates: BTreeSet<Rate> = rates.filter(|_| is_share).collect();
        (rates.len() > 1).then(|| {
            let message = "the last links of this flow differ, and so would its sinks";
            Diagnostic::error("bad-traffic", message)
                .at(&settings.sink.at, "`load` is a share of the last link")
                .help("write `interval`, which is the same at every end")
        })
    }

    fn flow(
        &self,
        draft: &Draft<'_>,
        tree: &Tree,
        partner: Option<u32>,
        mistakes: &mut Diagnostics,
    ) -> FlowSpec {
        let settings = draft.settings;
        let sizes = reserve::sizes(settings, mistakes);
        let unit_bytes = self.unit_bytes(settings, &sizes);
        let line = |channel: Option<&(u32, Option<u32>)>| {
            let rate = channel.map(|(channel, _)| self.graph.channel_spec(*channel).rate);
            let rate = rate.unwrap_or_else(|| topology::placeholder().rate);
            Line::new(rate, &sizes, unit_bytes)
        };
        let (first, last) = (line(tree.first()), line(tree.last()));
        mistakes.extend(self.unlike_ends(settings, tree));
        let path = Path::along(self.graph, tree, unit_bytes);
        let own = settings.source_control.value.sure();
        let control = |own: &SourceControl| own.spec(|own| abr::spec(own, path, draft.way()));
        let source_control = own.map_or(SourceControlSpec::None, control);
        // The flow back of a window would need a flow back of its own.
        let is_abr = matches!(source_control, SourceControlSpec::Abr(_));
        let is_held = draft.back_of.is_none() || is_abr;
        let source_control = match is_held {
            true => source_control,
            false => SourceControlSpec::None,
        };
        let (traffic, sink, terms) = if draft.back_of.is_some() {
            let traffic = traffic::back(draft, first, mistakes);
            (traffic, SinkSpec::Infinite, Terms::default())
        } else {
            (
                self.traffic(settings, first, mistakes),
                traffic::sink(&settings.sink, last),
                reserve::terms(settings, unit_bytes, mistakes),
            )
        };
        FlowSpec {
            name: draft.name.clone(),
            source: draft.source,
            legs: self.legs(draft, tree, unit_bytes, mistakes),
            priority: *settings.priority,
            unit_bytes,
            sizes,
            traffic,
            source_control,
            sink,
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
        let own = draft.settings.flow_control.as_ref();
        let merged = own.map(|own| {
            let merged = own.control.over(&self.control);
            leg_checks::check_meaning(&own.control, &merged, mistakes);
            merged
        });
        let common = merged.as_ref().unwrap_or(&self.control);
        let mut legs = Vec::with_capacity(tree.len());
        for (channel, parent) in tree {
            let merged = overrides.get(channel).map(|own| {
                let merged = own.control.over(common);
                leg_checks::check_meaning(&own.control, &merged, mistakes);
                merged
            });
            let control = merged.as_ref().unwrap_or(common);
            legs.push(self.leg(draft, (*channel, *parent), control, unit_bytes, mistakes));
        }
        legs
    }

    fn leg(
        &self,
        draft: &Draft<'_>,
        (channel, parent): (u32, Option<u32>),
        control: &FlowControl,
        unit_bytes: u32,
        mistakes: &mut Diagnostics,
    ) -> LegSpec {
        let forward = self.graph.channel_spec(channel);
        let backward = self.graph.channel_spec(channel ^ 1);
        let message = control.message_bytes().unwrap_or(unit_bytes);
        let of_units = |bytes| Loop::new(forward, backward, bytes, message);
        let circuit = of_units(unit_bytes);
        let sizes = draft.settings.sizes.iter();
        let least = sizes.filter_map(|size| size.bytes.sure()).min();
        let (flow_control, buffer) = control::specs(control, &circuit);
        let name = || self.graph.channel_name(channel);
        let leg = Leg {
            flow: &draft.name,
            channel: &name,
            control,
            circuit,
            least: least.map(|bytes| of_units(*bytes)),
            loses_data: forward.errors.data_loss > 0.0,
        };
        mistakes.extend(leg_checks::check_loop(&leg));
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
    ) -> BTreeMap<u32, &'r LinkOverride> {
        let mut found: BTreeMap<u32, &'r LinkOverride> = BTreeMap::new();
        let entries = draft.own.map_or(&[][..], |own| &own.on_links);
        for own in entries {
            let at = &own.link.at;
            let text = draft.expand(&own.link);
            match self.graph.find_channel(&text, at) {
                Err(diagnostic) => mistakes.push(*diagnostic),
                Ok(channel) if !crosses(tree, channel) => {
                    let crossed = tree.iter().map(|(channel, _)| *channel);
                    let ways = self.graph.channel_names(crossed);
                    mistakes.push(not_there(&draft.name, &text, at.clone(), &ways));
                }
                Ok(channel) => match found.get(&channel) {
                    Some(first) => {
                        Diagnostic::error("contradiction", format!("`{text}` is given twice"))
                            .twice(at, &first.link.at)
                            .help("give each link once")
                            .tell(mistakes)
                    }
                    None => {
                        found.insert(channel, own);
                    }
                },
            }
        }
        found
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
    .at(&at, "not on its path")
    .note(format!("it crosses {ways}"))
}
