//! What a name with `*` in it stands for: hosts, `H1_*`, and the channels that `on` of a series is
//! of, `A->*`, `*->A`, `all`.

use crate::network::wires::{Link, Node, Wires};
use crate::prelude::*;

/// All flows, channels or switches.
pub(crate) const ALL: &str = "all";
/// Most series that one block makes: more than a plot can show.
const MOST: usize = 64;

/// May a name stand for several?
pub(crate) fn is_many(name: &str) -> bool {
    name.contains('*')
}

/// Does a text with `*` for any letters stand for this name?
pub(crate) fn stands_for(text: &str, name: &str) -> bool {
    let mut parts = text.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.is_empty()
}

/// The channels of a wildcard; nothing where the text names one channel.
pub(crate) fn channels<N: Node, L: Link>(
    text: &str,
    wires: &Wires<N, L>,
    at: &At,
) -> Result<Option<Vec<u32>>, Box<Diagnostic>> {
    let all = 0..2 * wires.links.len() as u32;
    if text == ALL {
        return Ok(Some(all.collect()));
    }
    let sides = text
        .split_once("->")
        .map(|(from, to)| (from.trim(), to.trim()));
    let Some((from, to)) = sides.filter(|(from, to)| *from == "*" || *to == "*") else {
        return Ok(None);
    };
    let end = |name: &str| (name != "*").then(|| wires.find(name, at)).transpose();
    let (from, to) = (end(from)?, end(to)?);
    let is_it = |channel: &u32| {
        let ends = wires.ends(*channel);
        from.is_none_or(|from| from == ends.0) && to.is_none_or(|to| to == ends.1)
    };
    Ok(Some(all.filter(is_it).collect()))
}

/// The name of one series of several.
pub(crate) fn named(name: &str, of: &str) -> String {
    format!("{name} ({of})")
}

/// What many series are of.
#[derive(Clone, Copy)]
pub(crate) enum Many {
    /// Flows that share a name.
    Flows,
    /// Channels or switches.
    Places,
    /// Switches alone.
    Switches,
}

/// More series than a block may make; `at` says of what they are.
pub(crate) fn too_many(of: Many, at: &At, found: usize) -> Option<Diagnostic> {
    if found <= MOST {
        return None;
    }
    let help = match of {
        Many::Places => "name a node: `NODE->*` for what leaves it, `*->NODE` for what enters",
        Many::Switches => "name a switch",
        Many::Flows => "name a flow, or the name that some of them share",
    };
    Some(
        Diagnostic::error("too-many-series", format!("{found} series of one measure"))
            .at(at, format!("stands for {found}"))
            .note(format!(
                "at most {MOST}: more are no picture, and each takes memory"
            ))
            .help(help),
    )
}
