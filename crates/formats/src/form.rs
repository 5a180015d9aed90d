//! Which form a file has.

use crate::text::lines;
use crate::{FileError, Flows, StartUnit, Topology, graph, hpcc, htsim};

/// The form of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// A topology of the HPCC simulator.
    HpccTopology,
    /// Flows of the HPCC simulator.
    HpccFlows,
    /// A fat tree of htsim, `.topo`.
    FatTree,
    /// A connection matrix of htsim, `.cm`.
    Connections,
    /// A graph as node-link JSON.
    NodeLink,
    /// A graph as GraphML.
    GraphMl,
}

/// Lines looked at to tell the form.
const LOOKED_AT: usize = 20;

impl Form {
    /// All of them.
    pub const ALL: &[Form] = &[
        Form::HpccTopology,
        Form::HpccFlows,
        Form::FatTree,
        Form::Connections,
        Form::NodeLink,
        Form::GraphMl,
    ];

    /// What the file has, in words.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HpccTopology => "a topology of the HPCC simulator",
            Self::HpccFlows => "flows of the HPCC simulator",
            Self::FatTree => "a fat tree of htsim (`.topo`)",
            Self::Connections => "a connection matrix of htsim (`.cm`)",
            Self::NodeLink => "a graph as node-link JSON",
            Self::GraphMl => "a graph as GraphML",
        }
    }

    /// It has nodes and links, not flows.
    pub const fn is_topology(self) -> bool {
        match self {
            Self::HpccTopology | Self::FatTree | Self::NodeLink | Self::GraphMl => true,
            Self::HpccFlows | Self::Connections => false,
        }
    }

    /// By what stands at its beginning; `None` if it is none of these.
    pub fn of(text: &str) -> Option<Self> {
        let first = lines(text).next()?.1;
        match first.as_bytes().first() {
            Some(b'{') => return Some(Self::NodeLink),
            Some(b'<') => return Some(Self::GraphMl),
            _ => {}
        }
        let numbers: Option<Vec<u64>> = first.split_whitespace().map(|n| n.parse().ok()).collect();
        if let Some(numbers) = numbers {
            return match numbers.len() {
                1 => Some(Self::HpccFlows),
                3 => Some(Self::HpccTopology),
                _ => None,
            };
        }
        lines(text).take(LOOKED_AT).find_map(|(_, line)| {
            let word = line.split_whitespace().next()?.to_ascii_lowercase();
            match word.as_str() {
                "tiers" | "podsize" | "tier" => Some(Self::FatTree),
                "connections" | "triggers" | "trigger" | "failures" | "failure" => {
                    Some(Self::Connections)
                }
                _ => is_connection(&word).then_some(Self::Connections),
            }
        })
    }
}

/// Two numbers with an arrow between.
fn is_connection(word: &str) -> bool {
    let number = |text: &str| text.parse::<u64>().is_ok();
    word.split_once("->")
        .is_some_and(|(from, to)| number(from) && number(to))
}

/// Reads a topology.
///
/// # Errors
/// If something in the file is wrong.
pub fn topology(form: Form, text: &str) -> Result<Topology, FileError> {
    match form {
        Form::HpccTopology => hpcc::topology::read(text),
        Form::FatTree => htsim::fat_tree::read(text),
        Form::NodeLink => graph::json::read(text),
        Form::GraphMl => graph::graphml::read(text),
        Form::HpccFlows | Form::Connections => Err(other(form, "nodes and links")),
    }
}

/// Reads flows; some forms do not say what starts are counted in.
///
/// # Errors
/// If something in the file is wrong, or the unit is missing.
pub fn flows(form: Form, text: &str, unit: Option<StartUnit>) -> Result<Flows, FileError> {
    match form {
        Form::HpccFlows => hpcc::flows::read(text),
        Form::Connections => htsim::connections::read(text, unit),
        Form::HpccTopology | Form::FatTree | Form::NodeLink | Form::GraphMl => {
            Err(other(form, "flows"))
        }
    }
}

fn other(form: Form, wanted: &str) -> FileError {
    FileError::new(1, form.name()).allowed(format!("a file with {wanted}"))
}
