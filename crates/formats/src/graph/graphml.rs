//! GraphML (Brandes et al. 2002), as the Topology Zoo and NetworkX write it: keys name attributes,
//! nodes and edges have them as data. Lengths and speeds of the Zoo are read; its coordinates are
//! not: a cable is longer than the way of a bird.

use std::collections::BTreeMap;

use backwater_kernel::words::counted;
use roxmltree::{Document, Node as Element};

use super::{Graph, Item};
use crate::text::no;
use crate::{FileError, Topology};

/// Reads one. Nodes without a name of their own are `N` and their number, or as their id says.
///
/// # Errors
/// If it is no GraphML, is directed, an id is missing, twice or unknown, or an attribute that is
/// read can't be.
pub fn read(text: &str) -> Result<Topology, FileError> {
    let document = Document::parse(text).map_err(|error| {
        FileError::new(error.pos().row, format!("no XML: {error}")).allowed("GraphML")
    })?;
    let line = |element: Element<'_, '_>| document.text_pos_at(element.range().start).row;
    let root = document.root_element();
    if root.tag_name().name() != "graphml" {
        return Err(no(
            (line(root), root.tag_name().name()),
            "`graphml` around all",
        ));
    }
    let mut keys: BTreeMap<&str, &str> = BTreeMap::new();
    for key in root.children().filter(|child| child.has_tag_name_of("key")) {
        let id = needed(key, "id", line(key))?;
        keys.insert(id, key.attribute("attr.name").unwrap_or(id));
    }
    let mut graphs = root
        .children()
        .filter(|child| child.has_tag_name_of("graph"));
    let element = graphs.next().ok_or_else(|| {
        FileError::new(line(root), "no graph in the file").allowed("a `graph` in `graphml`")
    })?;
    if let Some(second) = graphs.next() {
        return Err(FileError::new(line(second), "a second `graph`").allowed("one network"));
    }
    if element.attribute("edgedefault") == Some("directed") {
        let what = "`undirected`: links go both ways";
        return Err(no((line(element), "directed"), what).hint("write each link once"));
    }
    let mut graph = Graph::default();
    let mut of_whole = 0_usize;
    for child in element.children().filter(Element::is_element) {
        let at = line(child);
        let item = |child| item(child, at, &keys, line);
        match child.tag_name().name() {
            "node" => graph
                .nodes
                .push((id(needed(child, "id", at)?), item(child)?)),
            "edge" => {
                if child.attribute("directed") == Some("true") {
                    return Err(no((at, "directed"), "links that go both ways"));
                }
                let ends = [needed(child, "source", at)?, needed(child, "target", at)?];
                graph.edges.push((ends.map(id), item(child)?));
            }
            "data" | "desc" => of_whole += 1,
            other => return Err(no((at, other), "`node`, `edge`, `data` or `desc`")),
        }
    }
    let mut topology = graph.network(&["name", "label"])?;
    if of_whole > 0 {
        let what = format!(
            "`graph`: {} said of the whole",
            counted(of_whole, "attribute")
        );
        topology.left_out.push(what);
    }
    Ok(topology)
}

/// The id that a number is.
fn id(text: &str) -> String {
    match text.bytes().all(|c| c.is_ascii_digit()) {
        true => format!("N{text}"),
        false => text.into(),
    }
}

fn needed<'a>(element: Element<'a, '_>, name: &str, line: u32) -> Result<&'a str, FileError> {
    let tag = element.tag_name().name();
    let value = element.attribute(name);
    value.ok_or_else(|| {
        FileError::new(line, format!("`{tag}` without `{name}`")).allowed(format!("`{name}`"))
    })
}

/// What is said of a node or an edge.
fn item<'a>(
    element: Element<'a, '_>,
    at: u32,
    keys: &BTreeMap<&str, &str>,
    line: impl Fn(Element<'a, '_>) -> u32,
) -> Result<Item, FileError> {
    let mut said = Vec::new();
    for child in element.children().filter(Element::is_element) {
        let at_data = line(child);
        if child.tag_name().name() != "data" {
            let what = "`data`; nodes in nodes, ports and edges of several ends are not read";
            return Err(no((at_data, child.tag_name().name()), what));
        }
        let key = needed(child, "key", at_data)?;
        let name = keys.get(key).copied();
        let name = name.ok_or_else(|| no((at_data, key), "the id of a `key` of the file"))?;
        said.push((
            name.to_owned(),
            child.text().unwrap_or_default().trim().to_owned(),
        ));
    }
    Ok(Item { line: at, said })
}

/// Tags are told by their names, in whatever namespace.
trait Tagged {
    fn has_tag_name_of(&self, name: &str) -> bool;
}

impl Tagged for Element<'_, '_> {
    fn has_tag_name_of(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Link, Node};

    const SMALL: &str = "<?xml version=\"1.0\"?>\n\
        <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n\
        <key attr.name=\"label\" attr.type=\"string\" for=\"node\" id=\"d0\"/>\n\
        <key attr.name=\"Latitude\" attr.type=\"double\" for=\"node\" id=\"d1\"/>\n\
        <key attr.name=\"LinkSpeedRaw\" attr.type=\"double\" for=\"edge\" id=\"d2\"/>\n\
        <key attr.name=\"length\" attr.type=\"double\" for=\"edge\" id=\"d3\"/>\n\
        <graph edgedefault=\"undirected\">\n\
        <node id=\"0\"><data key=\"d0\">Bonn</data></node>\n\
        <node id=\"1\"><data key=\"d0\">Kiel</data><data key=\"d1\">54.3</data></node>\n\
        <node id=\"x\"><data key=\"d0\">Ulm</data></node>\n\
        <edge source=\"0\" target=\"1\"><data key=\"d2\">10000000000.0</data></edge>\n\
        <edge source=\"x\" target=\"1\"><data key=\"d3\">100</data></edge>\n\
        </graph>\n</graphml>\n";

    #[test]
    fn a_small_graph_is_read() {
        let read = read(SMALL).expect("it is right");
        let node = |node: &Node| (node.name.clone(), node.is_host);
        let nodes: Vec<_> = read.nodes.iter().map(node).collect();
        let wanted = [("Bonn", true), ("Kiel", false), ("Ulm", true)];
        assert_eq!(nodes, wanted.map(|(name, host)| (name.to_owned(), host)));
        let link = |link: &Link| (link.ends, link.rate_bps, link.delay_ps, link.line);
        let links: Vec<_> = read.links.iter().map(link).collect();
        let wanted = [
            ([0, 1], Some(10_000_000_000), None, 11),
            ([2, 1], None, Some(500_000_000), 12),
        ];
        assert_eq!(links, wanted);
        assert_eq!(read.left_out, ["`Latitude` of 1 node"]);
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("</graphml>", "</graph>", 14, "no XML"),
            ("undirected", "directed", 7, "`directed`"),
            (
                "<node id=\"1\">",
                "<node id=\"0\">",
                9,
                "a second node `N0`",
            ),
            ("<node id=\"1\">", "<node>", 9, "`node` without `id`"),
            ("target=\"1\"", "target=\"9\"", 11, "`N9`"),
            (
                "target=\"1\"",
                "target=\"0\"",
                11,
                "a link from `N0` to itself",
            ),
            ("<data key=\"d2\">", "<data key=\"d9\">", 11, "`d9`"),
            ("10000000000.0", "fast", 11, "`fast`"),
            (">100<", ">-1<", 12, "`-1`"),
            (
                "<edge source=\"x\"",
                "<hyperedge/><edge source=\"x\"",
                12,
                "`hyperedge`",
            ),
            (
                "<data key=\"d2\">1",
                "<port/><data key=\"d2\">1",
                11,
                "`port`",
            ),
        ];
        for (from, to, line, found) in wrong {
            let changed = SMALL.replacen(from, to, 1);
            assert_ne!(changed, SMALL, "{from}");
            let mistake = read(&changed).expect_err(to);
            let is_it = mistake.line == line && mistake.found.starts_with(found);
            assert!(is_it && mistake.allowed.is_some(), "{to}: {mistake}");
        }
        let other = read("<svg/>").expect_err("no graph");
        assert_eq!((other.line, &*other.found), (1, "`svg`"));
    }
}
