//! Node-link JSON, as NetworkX writes it and TopoHub distributes it:
//! `{"nodes": [{"id": 1}, ..], "edges": [{"source": 1, "target": 2}, ..]}`, older ones with `links`
//! for `edges`. Ids are numbers or strings; a node with the number 7 is `N7`.

use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{Graph, Item};
use crate::text::no;
use crate::{FileError, Topology};

/// What a file may hold.
const KEYS: &str = "`directed`, `multigraph`, `graph`, `nodes`, and `links` or `edges`";

/// Reads one.
///
/// # Errors
/// If it is no such JSON, is directed, an id is missing, twice or unknown, or an attribute that is
/// read can't be.
pub fn read(text: &str) -> Result<Topology, FileError> {
    let whole: BTreeMap<String, &RawValue> = serde_json::from_str(text).map_err(no_json)?;
    let line = |raw: &RawValue| line_of(text, raw);
    let mut graph = Graph::default();
    let mut edges = None;
    for (key, raw) in &whole {
        match key.as_str() {
            "directed" if raw.get() != "false" => {
                return Err(no((line(raw), raw.get()), "`false`: links go both ways")
                    .hint("write each link once, and `\"directed\": false`"));
            }
            "directed" | "multigraph" | "graph" => {}
            "nodes" => {
                for raw in list(text, raw)? {
                    graph.nodes.push(node(text, raw)?);
                }
            }
            "links" | "edges" => {
                if edges.replace(*raw).is_some() {
                    return Err(no((line(raw), key), "`links` or `edges`, not both"));
                }
            }
            _ => return Err(no((line(raw), key), KEYS)),
        }
    }
    let missing = |what: &str| FileError::new(1, format!("no `{what}` in the file")).allowed(KEYS);
    if !whole.contains_key("nodes") {
        return Err(missing("nodes"));
    }
    for raw in list(text, edges.ok_or_else(|| missing("edges"))?)? {
        graph.edges.push(edge(text, raw)?);
    }
    let mut topology = graph.network(&["name", "label"])?;
    if let Some(said) = whole.get("graph").filter(|raw| raw.get() != "{}") {
        topology.left_out.push(format!(
            "`graph`, line {}: what is said of the whole",
            line(said)
        ));
    }
    Ok(topology)
}

fn no_json(error: serde_json::Error) -> FileError {
    let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    FileError::new(line, format!("no JSON of a graph: {said}")).allowed(KEYS)
}

/// The line in which a part of the text begins.
fn line_of(text: &str, part: &RawValue) -> u32 {
    let at = (part.get().as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    let before = text.as_bytes().get(..at).unwrap_or_default();
    1 + before.iter().filter(|byte| **byte == b'\n').count() as u32
}

fn list<'t>(text: &'t str, raw: &'t RawValue) -> Result<Vec<&'t RawValue>, FileError> {
    let read = serde_json::from_str(raw.get());
    read.map_err(|_| FileError::new(line_of(text, raw), "no list").allowed("a list, `[..]`"))
}

fn item(text: &str, raw: &RawValue) -> Result<(Map<String, Value>, u32), FileError> {
    let line = line_of(text, raw);
    let read = serde_json::from_str(raw.get());
    let read = read.map_err(|_| no((line, raw.get()), "an object, `{..}`"))?;
    Ok((read, line))
}

/// Takes an id out of an object.
fn id(map: &mut Map<String, Value>, key: &str, line: u32) -> Result<String, FileError> {
    match map.remove(key) {
        Some(Value::String(text)) => Ok(text),
        Some(Value::Number(number)) => Ok(format!("N{number}")),
        Some(other) => Err(no(
            (line, &other.to_string()),
            "an id: a number or a string",
        )),
        None => Err(FileError::new(line, format!("no `{key}`")).allowed(format!("`{key}`: an id"))),
    }
}

fn rest(map: Map<String, Value>, line: u32) -> Item {
    let said = map.into_iter().map(|(key, value)| match value {
        Value::String(text) => (key, text),
        other => (key, other.to_string()),
    });
    Item {
        line,
        said: said.collect(),
    }
}

fn node(text: &str, raw: &RawValue) -> Result<(String, Item), FileError> {
    let (mut map, line) = item(text, raw)?;
    Ok((id(&mut map, "id", line)?, rest(map, line)))
}

fn edge(text: &str, raw: &RawValue) -> Result<([String; 2], Item), FileError> {
    let (mut map, line) = item(text, raw)?;
    let ends = [id(&mut map, "source", line)?, id(&mut map, "target", line)?];
    Ok((ends, rest(map, line)))
}

/// Writes one; nodes are called by their names, and each says what it is.
pub fn write(topology: &Topology) -> String {
    let nodes = topology.nodes.iter().map(|node| {
        let mut object =
            json!({"id": node.name, "kind": if node.is_host { "host" } else { "switch" }});
        if let Some(ps) = node.latency_ps {
            object["latency"] = json!(format!("{ps}ps"));
        }
        object
    });
    let name = |node: u32| {
        topology
            .nodes
            .get(node as usize)
            .map(|node| node.name.as_str())
    };
    let links = topology.links.iter().map(|link| {
        let [a, b] = link.ends.map(name);
        let mut object = json!({"source": a, "target": b});
        if let Some(bps) = link.rate_bps {
            object["rate"] = json!(format!("{bps}bps"));
        }
        if let Some(ps) = link.delay_ps {
            object["delay"] = json!(format!("{ps}ps"));
        }
        if link.loss > 0.0 {
            object["loss"] = json!(link.loss);
        }
        object
    });
    let lines = |all: Vec<Value>| {
        let all: Vec<String> = all.iter().map(Value::to_string).collect();
        all.join(",\n")
    };
    format!(
        "{{\"directed\": false, \"multigraph\": true, \"graph\": {{}},\n\"nodes\": [\n{}\n],\n\
         \"edges\": [\n{}\n]}}\n",
        lines(nodes.collect()),
        lines(links.collect())
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Link, Node};

    const SMALL: &str = "{\"directed\": false, \"multigraph\": false, \"graph\": {\"a\": 1},\n\
        \"nodes\": [\n{\"id\": 1, \"name\": \"Bonn\", \"pos\": [7.1, 50.7]},\n\
        {\"id\": 2, \"name\": \"Kiel\", \"kind\": \"switch\"},\n\
        {\"id\": \"c\", \"name\": \"Ulm\"}], \"links\": [\n\
        {\"source\": 1, \"target\": 2, \"rate\": \"10 Gbps\", \"delay\": \"5us\"},\n\
        {\"source\": 2, \"target\": \"c\", \"dist\": 0.5, \"weight\": 3}]}\n";

    #[test]
    fn links_and_edges_are_read_alike() {
        let first = read(SMALL).expect("it is right");
        let node = |node: &Node| (node.name.clone(), node.is_host, node.is_said);
        let nodes: Vec<_> = first.nodes.iter().map(node).collect();
        let wanted = [
            ("Bonn", true, false),
            ("Kiel", false, true),
            ("Ulm", true, false),
        ];
        assert_eq!(
            nodes,
            wanted.map(|(name, host, said)| (name.to_owned(), host, said))
        );
        let link = |link: &Link| (link.ends, link.rate_bps, link.delay_ps, link.line);
        let links: Vec<_> = first.links.iter().map(link).collect();
        let wanted = [
            ([0, 1], Some(10_000_000_000), Some(5_000_000), 6),
            ([1, 2], None, Some(2_500_000), 7),
        ];
        assert_eq!(links, wanted);
        let left = [
            "`weight` of 1 link",
            "`pos` of 1 node",
            "`graph`, line 1: what is said of the whole",
        ];
        assert_eq!(first.left_out, left);
        assert_eq!(read(&SMALL.replace("links", "edges")), Ok(first));
    }

    #[test]
    fn names_that_two_nodes_have_are_none() {
        let same = read(&SMALL.replace("Ulm", "Bonn")).expect("it is right");
        let names: Vec<&str> = same.nodes.iter().map(|node| &*node.name).collect();
        assert_eq!(names, ["N1", "N2", "c"]);
    }

    #[test]
    fn what_was_read_is_written() {
        let first = read(SMALL).expect("it is right");
        let again = read(&write(&first)).expect("it is right");
        let plain = |own: &Topology| {
            let links = own.links.iter().map(|link| Link {
                line: 0,
                ..link.clone()
            });
            let nodes = own
                .nodes
                .iter()
                .map(|node| (node.name.clone(), node.is_host));
            (nodes.collect::<Vec<_>>(), links.collect::<Vec<_>>())
        };
        assert_eq!(plain(&first), plain(&again));
        assert!(again.left_out.is_empty() && again.nodes.iter().all(|node| node.is_said));
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            (
                "\"multigraph\": false,",
                "\"multigraph\" false,",
                1,
                "no JSON of a graph: expected",
            ),
            ("\"directed\": false", "\"directed\": true", 1, "`true`"),
            ("\"graph\":", "\"grape\":", 1, "`grape`"),
            ("\"nodes\":", "\"graph\":", 1, "no `nodes` in the file"),
            ("\"links\":", "\"multigraph\":", 1, "no `edges` in the file"),
            ("{\"id\": 2,", "{\"id\": 1,", 4, "a second node `N1`"),
            ("{\"id\": 2,", "{\"id\": [2],", 4, "`[2]`"),
            ("{\"id\": 2,", "{\"it\": 2,", 4, "no `id`"),
            ("{\"id\": \"c\"", "{\"id\": \"c->\"", 5, "`c->`"),
            ("\"switch\"", "\"router\"", 4, "`router`"),
            ("\"target\": 2", "\"target\": 3", 6, "`N3`"),
            (
                "\"target\": 2",
                "\"target\": 1",
                6,
                "a link from `N1` to itself",
            ),
            ("10 Gbps", "10", 6, "`10`"),
            ("\"5us\"", "5", 6, "`5`"),
            ("0.5,", "\"far\",", 7, "`far`"),
            ("0.5,", "-1,", 7, "`-1`"),
        ];
        for (from, to, line, found) in wrong {
            let changed = SMALL.replacen(from, to, 1);
            assert_ne!(changed, SMALL, "{from}");
            let mistake = read(&changed).expect_err(to);
            let is_it = mistake.line == line && mistake.found.starts_with(found);
            assert!(is_it && mistake.allowed.is_some(), "{to}: {mistake}");
        }
        let both = SMALL.replacen("\"links\":", "\"edges\": [], \"links\":", 1);
        assert_eq!(read(&both).expect_err("both").found, "`links`");
    }
}
