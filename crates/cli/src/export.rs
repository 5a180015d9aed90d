//! `backwater export`: what a scenario or a run says, in files that other programs read.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use backwater_formats::hpcc::fct::{self, Completion};
use backwater_formats::{Flows, ListedFlow, Topology, graph, hpcc, htsim};
use backwater_kernel::decimal::split_number;
use backwater_kernel::words::counted;
use backwater_results::csv::{Piece, pieces};
use backwater_run::memory::Memory;
use backwater_scenario::Exported;

use crate::{BAD_INPUT, Changes, SUCCESS, fail, files};

/// What to write, and of what.
#[derive(clap::Args)]
pub struct Options {
    /// A scenario of frames; or the directory of a run, which has one in it
    source: PathBuf,
    /// What to write
    #[arg(long = "as", value_enum, value_name = "FORM", help_heading = "Output")]
    form: Form,
    /// Write to FILE, not to standard output
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    memory: Memory,
}

/// Forms of files.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Form {
    /// `topology.txt` of the simulator of HPCC
    HpccTopology,
    /// `flow.txt` of the same
    HpccFlow,
    /// `fct.txt` of the same: flows of a run that are over
    HpccFct,
    /// A connection matrix of htsim
    Cm,
    /// A graph as node-link JSON
    NodeLink,
}

/// Picoseconds in a millisecond.
const MS: u128 = 1_000_000_000;
/// The first port of a source, and the port of all destinations.
const PORTS: [u16; 2] = [10_000, 100];

/// Writes it.
pub fn export(options: &Options) -> u8 {
    let source = std::iter::once(options.source.as_path());
    let can_be_written = files::is_place(options.out.as_ref())
        .and_then(|()| files::spares(options.out.as_ref(), source));
    if let Err(message) = can_be_written {
        return fail(message);
    }
    let is_run = options.source.is_dir();
    let scenario = match is_run {
        true => options.source.join("resolved.toml"),
        false => options.source.clone(),
    };
    let loaded = files::load(&scenario, &Changes::default(), &options.memory);
    let Ok((_, scenario)) = loaded else {
        return BAD_INPUT;
    };
    let Some(frames) = scenario.ethernet() else {
        return fail("only a scenario with `engine = \"ethernet\"` has a form in these files");
    };
    let exported = frames.exported();
    let text = match (options.form, is_run) {
        (Form::HpccFct, true) => completions(&exported, &options.source),
        (Form::HpccFct, false) => Err("`hpcc-fct` is of a run: give its directory".into()),
        (form, _) => text_of(form, &exported),
    };
    match text {
        Ok(text) => put(options, &text),
        Err(message) => fail(message),
    }
}

fn put(options: &Options, text: &str) -> u8 {
    let Some(out) = &options.out else {
        print!("{text}");
        return SUCCESS;
    };
    if let Err(error) = std::fs::write(out, text) {
        return fail(format!("can't write `{}`: {error}", files::shown(out)));
    }
    println!(
        "{}: {}",
        files::shown(out),
        counted(text.lines().count(), "line")
    );
    SUCCESS
}

fn text_of(form: Form, exported: &Exported) -> Result<String, String> {
    let topology = &exported.topology;
    let is_topology = matches!(form, Form::HpccTopology | Form::NodeLink);
    if is_topology {
        topology
            .left_out
            .iter()
            .for_each(|what| eprintln!("note: {what}"));
        return Ok(match form {
            Form::NodeLink => graph::json::write(topology),
            _ => hpcc::topology::write(topology),
        });
    }
    if exported.others > 0 {
        return Err(format!(
            "{} can't be written: only those of one amount of bytes that begin by the clock, each \
             with a row of its own",
            counted(exported.others, "flow")
        ));
    }
    let mut entries: Vec<ListedFlow> = exported
        .flows
        .iter()
        .map(|flow| flow.flow.clone())
        .collect();
    entries.sort_by_key(|flow| flow.start_ps);
    let mut flows = Flows {
        entries,
        ..Flows::default()
    };
    match form {
        Form::Cm => {
            matrix(topology, &mut flows);
            htsim::connections::write(&flows).map_err(|error| error.to_string())
        }
        _ => Ok(hpcc::flows::write(&flows)),
    }
}

/// Numbers hosts in their order, as a matrix does.
fn matrix(topology: &Topology, flows: &mut Flows) {
    let hosts = topology
        .nodes
        .iter()
        .zip(0_u32..)
        .filter(|(node, _)| node.is_host);
    let numbers: BTreeMap<u32, u32> = hosts.map(|(_, place)| place).zip(0_u32..).collect();
    for flow in &mut flows.entries {
        for node in [&mut flow.source, &mut flow.destination] {
            *node = numbers.get(node).copied().unwrap_or(*node);
        }
    }
    flows.hosts = Some(numbers.len() as u32);
}

/// The rows of a table, by the names of its columns.
fn table(directory: &Path, name: &str) -> Result<Vec<BTreeMap<String, String>>, String> {
    let path = directory.join("tables").join(name);
    let text = files::read_named(&path);
    let text = text.map_err(|error| format!("can't read `{}`: {error}", files::shown(&path)))?;
    let (mut rows, mut row): (Vec<Vec<String>>, Vec<String>) = Default::default();
    pieces(&text, |piece| {
        match piece {
            Piece::Cell(cell) => row.push(cell.to_owned()),
            Piece::End => rows.push(std::mem::take(&mut row)),
        }
        true
    });
    let mut rows = rows.into_iter();
    let head = rows.next().unwrap_or_default();
    Ok(rows
        .map(|row| head.iter().cloned().zip(row).collect())
        .collect())
}

fn completions(exported: &Exported, directory: &Path) -> Result<String, String> {
    if exported.topology.nodes.len() > fct::MOST_NODES as usize {
        return Err(format!(
            "addresses of `hpcc-fct` are for {}",
            counted(fct::MOST_NODES, "node")
        ));
    }
    let cell = |row: &BTreeMap<String, String>, name: &str| row.get(name).cloned();
    let mut paths: BTreeMap<String, String> = BTreeMap::new();
    for row in table(directory, "flows.csv")? {
        if let (Some(flow), Some(path)) = (cell(&row, "flow"), cell(&row, "path")) {
            paths.insert(flow, path);
        }
    }
    let mut times: BTreeMap<String, u64> = BTreeMap::new();
    for row in table(directory, "transfers.csv")? {
        let time = cell(&row, "fct_acked_mean_ms").and_then(|text| picoseconds(&text));
        let is_single = cell(&row, "acked").as_deref() == Some("1");
        if let (Some(flow), Some(time), true) = (cell(&row, "flow"), time, is_single) {
            times.insert(flow, time);
        }
    }
    let near = neighbours(&exported.topology);
    let mut over: Vec<(u64, Completion)> = Vec::new();
    for flow in &exported.flows {
        let Some(time) = times.get(&flow.name) else {
            continue;
        };
        let listed = &flow.flow;
        let path = paths.get(&flow.name).map_or("", String::as_str);
        // Frames that take several paths are alone on one of them.
        let ends = (listed.source, listed.destination);
        let links = links(&exported.topology, path)
            .unwrap_or_else(|| shortest(&exported.topology, &near, ends));
        let completion = Completion {
            source: listed.source,
            destination: listed.destination,
            ports: PORTS,
            bytes: listed.bytes,
            start_ns: listed.start_ps / 1_000,
            time_ns: time / 1_000,
            alone_ns: fct::alone_ns(listed.bytes, flow.payload_bytes.into(), &links),
        };
        over.push((listed.start_ps.saturating_add(*time), completion));
    }
    let missing = exported.flows.len() + exported.others - over.len();
    if missing > 0 {
        eprintln!(
            "note: {} left out: not over, without one amount of bytes, or without a row",
            counted(missing, "flow")
        );
    }
    number_ports(&mut over);
    over.sort_by_key(|(end, _)| *end);
    let over: Vec<Completion> = over.into_iter().map(|(_, completion)| completion).collect();
    Ok(fct::write(&over))
}

/// Each flow between two nodes has a port of its own, in the order of their starts.
fn number_ports(over: &mut [(u64, Completion)]) {
    let mut next: BTreeMap<(u32, u32), u16> = BTreeMap::new();
    over.sort_by_key(|(_, flow)| flow.start_ns);
    for (_, flow) in over {
        let port = next
            .entry((flow.source, flow.destination))
            .or_insert(PORTS[0]);
        flow.ports[0] = *port;
        *port = port.wrapping_add(1);
    }
}

/// Milliseconds of a table.
fn picoseconds(text: &str) -> Option<u64> {
    let (number, rest) = split_number(text).ok()?;
    let whole = number.times(MS).filter(|_| rest.is_empty())?;
    u64::try_from(whole).ok()
}

/// Of each node the neighbours, and by which link.
fn neighbours(topology: &Topology) -> Vec<Vec<(u32, usize)>> {
    let mut all = vec![Vec::new(); topology.nodes.len()];
    for (number, link) in topology.links.iter().enumerate() {
        let [a, b] = link.ends;
        all[a as usize].push((b, number));
        all[b as usize].push((a, number));
    }
    all
}

/// Rate and delay of each link of a path of the fewest links; empty if there is none.
fn shortest(
    topology: &Topology,
    neighbours: &[Vec<(u32, usize)>],
    (from, to): (u32, u32),
) -> Vec<(u64, u64)> {
    let mut reached: BTreeMap<u32, Option<(u32, usize)>> = BTreeMap::from([(to, None)]);
    let mut queue = VecDeque::from([to]);
    while let Some(node) = queue.pop_front() {
        for &(far, number) in &neighbours[node as usize] {
            if let Entry::Vacant(place) = reached.entry(far) {
                place.insert(Some((node, number)));
                queue.push_back(far);
            }
        }
    }
    let mut path = Vec::new();
    let mut node = from;
    while let Some(Some((next, number))) = reached.get(&node) {
        let link = &topology.links[*number];
        path.extend(link.rate_bps.zip(link.delay_ps));
        node = *next;
    }
    path
}

/// Rate and delay of each link of a path, `H0 -> S4 -> H2`; nothing if it is none.
fn links(topology: &Topology, path: &str) -> Option<Vec<(u64, u64)>> {
    let place = |name: &str| topology.nodes.iter().position(|node| node.name == name);
    let nodes: Option<Vec<usize>> = path.split(" -> ").map(place).collect();
    let link = |pair: &[usize]| {
        let [a, b] = [pair[0] as u32, pair[1] as u32];
        let joins = |ends: [u32; 2]| ends == [a, b] || ends == [b, a];
        let link = topology.links.iter().find(|link| joins(link.ends))?;
        Some((link.rate_bps?, link.delay_ps?))
    };
    nodes?.windows(2).map(link).collect()
}
