//! The scenario of a fabric, with comments that say what comes from where and what is assumed.

mod classes;
mod memory;

use std::fmt::Write;

use backwater_kernel::words::{counted, printable};

use super::super::written::quoted;
use super::fabric::{Fabric, Far, Link, PortId};
use super::model::Port;

/// Packets that a scenario can have, bytes.
const MTU: std::ops::RangeInclusive<u64> = 576..=9_216;

/// What the text is made of.
pub struct Written<'f> {
    pub fabric: &'f Fabric,
    /// Names of the files.
    pub files: &'f [String],
    /// What stands in no scenario, in words.
    pub left_out: Vec<String>,
    /// Checks found errors: losses are meant then.
    pub may_lose: bool,
}

/// The whole text, and what could not be said in it.
pub fn scenario(written: &Written) -> (String, Vec<String>) {
    let mut body = String::new();
    let mut gaps: Vec<String> = Vec::new();
    network(&mut body, written.fabric);
    links(&mut body, written.fabric, &mut gaps);
    memory::write(&mut body, written, &mut gaps);
    classes::write(&mut body, written.fabric, written.may_lose, &mut gaps);
    traffic(&mut body, written.fabric);
    let mut out = String::new();
    let files: Vec<String> = written.files.iter().map(|file| printable(file)).collect();
    let _ = writeln!(out, "# Made by `backwater import` of {}.", files.join(", "));
    for assumed in &written.fabric.assumed {
        let _ = writeln!(out, "# Assumed: {}.", printable(assumed));
    }
    for gap in written.left_out.iter().chain(&gaps) {
        let _ = writeln!(out, "# Not here: {}.", printable(gap));
    }
    let _ = writeln!(
        out,
        "title = {}\nengine = \"ethernet\"\n",
        quoted(&files.join(", "))
    );
    let _ = writeln!(out, "[run]\nduration = \"2 ms\"\n");
    (out + &body, gaps)
}

/// A name that a scenario can have.
pub fn name(text: &str) -> String {
    let clean = |c: char| match c.is_ascii_alphanumeric() || "_-.".contains(c) {
        true => c,
        false => '_',
    };
    quoted(&text.chars().map(clean).collect::<String>())
}

/// "[a, b]".
pub fn list(items: impl IntoIterator<Item = String>) -> String {
    format!("[{}]", items.into_iter().collect::<Vec<_>>().join(", "))
}

fn network(out: &mut String, fabric: &Fabric) {
    let hosts = fabric.hosts().into_iter().map(name);
    let switches = fabric.switches.iter().map(|switch| name(&switch.name));
    let _ = writeln!(
        out,
        "# Switches are those of the files, and hosts their other neighbours.\n[network]\nhosts = \
         {}\nswitches = {}\n",
        list(hosts),
        list(switches)
    );
}

/// The names of both ends of a link.
fn ends(fabric: &Fabric, link: &Link) -> [String; 2] {
    let switch = |end: PortId| fabric.switches[end.0].name.clone();
    let far = match &link.far {
        Far::Port(end) => switch(*end),
        Far::Host(name) => name.clone(),
    };
    [switch(link.near), far]
}

fn links(out: &mut String, fabric: &Fabric, gaps: &mut Vec<String>) {
    let ports: Vec<&Port> = fabric
        .links
        .iter()
        .flat_map(|link| both(fabric, link))
        .collect();
    let mtus = ports.iter().map(|port| port.mtu.value);
    let (least, most) = (
        mtus.clone().min().unwrap_or(1_500),
        mtus.max().unwrap_or(1_500),
    );
    if least != most {
        gaps.push(format!(
            "`mtu` of ports from {least} to {most} B: all links have the smallest"
        ));
    }
    let mtu = least.clamp(*MTU.start(), *MTU.end());
    if mtu != least {
        gaps.push(format!(
            "`mtu` of {least} B: {mtu} B is what a scenario can have"
        ));
    }
    let _ = writeln!(
        out,
        "# What ports say goes before this.\n[link]\nrate = \"100 Gbps\"\nmtu = {mtu}\n"
    );
    let mut counts: Vec<([String; 2], u32)> = Vec::new();
    for link in &fabric.links {
        let pair = ends(fabric, link);
        match counts.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, count)) => *count += 1,
            None => counts.push((pair, 1)),
        }
    }
    let mut written: Vec<([String; 2], u32)> = Vec::new();
    for link in &fabric.links {
        let pair = ends(fabric, link);
        let all = counts
            .iter()
            .find(|(known, _)| *known == pair)
            .map_or(1, |(_, all)| *all);
        let number = match written.iter_mut().find(|(known, _)| *known == pair) {
            Some((_, number)) => {
                *number += 1;
                *number
            }
            None => {
                written.push((pair.clone(), 1));
                1
            }
        };
        each(out, fabric, link, (&pair, number, all));
    }
}

/// The ports of a link.
fn both<'f>(fabric: &'f Fabric, link: &Link) -> Vec<&'f Port> {
    let far = match link.far {
        Far::Port(far) => Some(fabric.port(far)),
        Far::Host(_) => None,
    };
    [Some(fabric.port(link.near)), far]
        .into_iter()
        .flatten()
        .collect()
}

fn each(
    out: &mut String,
    fabric: &Fabric,
    link: &Link,
    (pair, number, all): (&[String; 2], u32, u32),
) {
    let port = |end: PortId| fabric.port(end).name.as_str();
    let far = match link.far {
        Far::Port(end) => format!(" to {}", port(end)),
        Far::Host(_) => String::new(),
    };
    let _ = writeln!(out, "# {}{}.", printable(port(link.near)), printable(&far));
    let between = list(pair.iter().map(|end| name(end)));
    let _ = writeln!(out, "[[links]]\nbetween = {between}");
    if all > 1 && number == 1 {
        let _ = writeln!(out, "parallel = {all}");
    } else if all > 1 {
        let _ = writeln!(out, "number = {number}");
    }
    let _ = writeln!(out, "rate = \"{}\"", rate(fabric.speed_mbps(link)));
    match fabric.metres(link) {
        Some(metres) => {
            let _ = writeln!(out, "cable = \"{metres} m\"");
        }
        None => out.push_str("# No file says how long the cable is.\ncable = \"5 m\"\n"),
    }
    classes::marks_of_link(out, fabric, link);
    out.push('\n');
}

/// "100 Gbps".
fn rate(mbps: u64) -> String {
    match mbps.is_multiple_of(1_000) {
        true => format!("{} Gbps", mbps / 1_000),
        false => format!("{mbps} Mbps"),
    }
}

fn traffic(out: &mut String, fabric: &Fabric) {
    let priorities = fabric.switches.iter().flat_map(|switch| &switch.ports);
    let class = priorities
        .flat_map(|port| &port.pfc.value)
        .min()
        .copied()
        .unwrap_or(0);
    let _ = writeln!(
        out,
        "# No file says what is sent: this stands for it, in the first class with PFC, over {}.",
        counted(fabric.links.len(), "link")
    );
    let _ = writeln!(
        out,
        "[[patterns]]\nname = \"flow\"\nkind = \"permutation\"\ntransport = \"roce\"\nclass = \
         {class}\ntraffic = {{ kind = \"greedy\" }}"
    );
}
