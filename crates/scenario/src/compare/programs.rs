//! Collective operations and jobs of a comparison: written into the scenario of each scheme of
//! frames as they stand in the file, with what carries them under it.

use backwater_kernel::Time;

use super::network::Network;
use super::scheme::{Scheme, Transport};
use super::text::Toml;
use super::{ComparedFlow, ComparedTraffic};
use crate::given::compare::ComparisonFile;
use crate::language::tree::{Node, Value, quoted};
use crate::prelude::*;

/// A collective operation or a job of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedProgram {
    /// As the file calls it.
    pub name: String,
    /// It is a job.
    pub is_job: bool,
    /// Keys with their values, as TOML.
    keys: Vec<(String, String)>,
}

impl ComparedProgram {
    /// With what carries its messages.
    pub(super) fn write(&self, transport: Transport, toml: &mut Toml) {
        let title = if self.is_job { "jobs" } else { "collectives" };
        toml.table(&format!("[[{title}]]"));
        for (key, value) in &self.keys {
            toml.key(key, value);
        }
        let transport = match transport {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
            Transport::Roce => "roce",
        };
        toml.key("transport", quoted(transport));
    }
}

/// Those of the file, whose tree is `root`.
pub(super) fn read(
    file: &ComparisonFile,
    root: &Node,
    flows: &[ComparedFlow],
    mistakes: &mut Diagnostics,
) -> Vec<ComparedProgram> {
    let collectives = file.collectives.iter().map(|own| (&own.name, false));
    let jobs = file.jobs.iter().map(|own| (&own.name, true));
    let entries = ["collectives", "jobs"].map(|title| entries(root, title));
    let mut all: Vec<ComparedProgram> = Vec::new();
    for ((name, is_job), node) in collectives.chain(jobs).zip(entries.concat()) {
        if name.contains('[') {
            Diagnostic::error("bad-name", format!("it can't be called `{}`", clip(name)))
                .at(&name.at, "a name of the scenarios' own")
                .note("`NAME[1]` is a flow of `NAME`")
                .tell(mistakes);
        }
        let mut known = flows.iter().map(|own| own.name.as_str());
        let mut before = all.iter().map(|own| own.name.as_str());
        if known.any(|own| own == name.as_str()) || before.any(|own| own == name.as_str()) {
            let what = format!("two of the comparison are called `{}`", clip(name));
            Diagnostic::error("duplicate-name", what)
                .at(&name.at, "the second")
                .tell(mistakes);
        }
        let keys = node.table().iter();
        let keys = keys.map(|own| (own.key.clone(), own.node.to_toml()));
        all.push(ComparedProgram {
            name: name.value.clone(),
            is_job,
            keys: keys.collect(),
        });
    }
    all
}

fn entries<'a>(root: &'a Node, title: &str) -> Vec<&'a Node> {
    match root.get(title).map(|own| &own.value) {
        Some(Value::List(all)) => all.iter().collect(),
        _ => Vec::new(),
    }
}

/// Circuits carry no messages that wait for each other: without schemes of circuits.
pub(super) fn of_frames(
    schemes: Vec<Scheme>,
    file: &ComparisonFile,
    mistakes: &mut Diagnostics,
) -> Vec<Scheme> {
    let circuits = schemes.iter().find(|scheme| scheme.has_circuits());
    if let (Some(scheme), Some(at)) = (circuits, file.schemes.only.place()) {
        let first = file.collectives.iter().map(|own| &own.at);
        let first = first.chain(file.jobs.iter().map(|own| &own.at)).next();
        Diagnostic::error("bad-scheme", "collectives and jobs go in frames alone")
            .at(at, format!("`{scheme}` has circuits"))
            .at(first.unwrap_or(&file.link.at), "these need Ethernet")
            .help(format!("leave `{scheme}` out of `only`"))
            .tell(mistakes);
    }
    let frames = schemes.into_iter();
    frames.filter(|scheme| !scheme.has_circuits()).collect()
}

/// A flow from each host to each other, by which windows, thresholds and room follow from paths:
/// which of them exchange something, only their scenario says.
pub(super) fn between_all(network: &Network) -> Vec<ComparedFlow> {
    let hosts = || 0..network.hosts;
    let flows_from = |from: usize| {
        let ways = network.ways_from(from);
        let flow = move |to: usize| {
            let path = network.path_in(&ways, (from, to))?;
            Some(ComparedFlow {
                name: String::new(),
                group: String::new(),
                traffic: ComparedTraffic::Greedy { start: Time::ZERO },
                path,
                from,
                to,
            })
        };
        hosts().filter(move |to| *to != from).filter_map(flow)
    };
    hosts().flat_map(flows_from).collect()
}
