//! Lines of a list that wait for others: `id` says what a line is called, `after` whom it waits
//! for.

use std::collections::BTreeMap;

use backwater_formats::{self as formats, Happened, ListedFlow};

use crate::language::files::Named;
use crate::prelude::*;

/// When the flow of a line without a start may begin, for all that it says itself.
const AT_ONCE: &str = "0 s";

/// What a host is said to see of another flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Seen {
    /// It came there.
    Received,
    /// It went from there.
    Sent,
}

/// One that a line waits for.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    /// Its place among the flows of the file.
    pub flow: usize,
    /// As the line calls it.
    pub name: String,
    /// What is seen of it, if the line says so.
    pub seen: Option<Seen>,
}

/// A line that waits.
pub(crate) struct Wait {
    /// Its place among the flows of the file.
    pub flow: usize,
    /// Its number in the file.
    pub line: u32,
    /// What it is called.
    pub id: String,
    /// For all of these.
    pub others: Vec<Other>,
}

/// Which flows of a file wait for others.
pub(crate) struct Chained {
    pub file: Named,
    pub waits: Vec<Wait>,
}

/// Which flows of another simulator's file wait for others.
pub(super) fn of_flows(flows: &[ListedFlow]) -> Vec<Wait> {
    let name = |flow: &ListedFlow| {
        flow.id
            .map_or(format!("line {}", flow.line), |id| id.to_string())
    };
    let other = |wait: &formats::Wait| Other {
        flow: wait.flow as usize,
        name: flows.get(wait.flow as usize).map_or_else(String::new, name),
        seen: Some(match wait.what {
            Happened::Received => Seen::Received,
            Happened::Sent => Seen::Sent,
        }),
    };
    let waits = flows
        .iter()
        .enumerate()
        .filter(|(_, flow)| !flow.after.is_empty());
    let waits = waits.map(|(at, flow)| Wait {
        flow: at,
        line: flow.line,
        id: name(flow),
        others: flow.after.iter().map(other).collect(),
    });
    waits.collect()
}

/// Whom a line waits for, as it calls them.
type Words = Vec<(Option<Seen>, String)>;

/// What lines say of themselves, until all are read.
#[derive(Default)]
pub(super) struct Said {
    /// Ids with the flow of each; where a file has none, flows count from 1.
    ids: BTreeMap<String, usize>,
    waits: Vec<(Wait, Words)>,
}

impl Said {
    /// Keeps what a line says beside its flow, which has this place. Where one waits, its start
    /// may be left out.
    pub(super) fn take(
        &mut self,
        (line, cells): (u32, &mut [&str]),
        (start, [id, after]): (usize, [Option<usize>; 2]),
        flow: usize,
    ) -> Result<(), String> {
        let cell = |at: Option<usize>| at.and_then(|at| cells.get(at).copied());
        let id = match cell(id) {
            Some(id) => id.to_owned(),
            None => (flow + 1).to_string(),
        };
        let words = cell(after).unwrap_or_default().split_whitespace();
        let others: Words = words.map(other).collect();
        if !id.is_empty() && after.is_some() && self.ids.insert(id.clone(), flow).is_some() {
            return Err(format!("two lines have the id `{}`", clip(&id)));
        }
        let begins = cells.get(start).is_none_or(|start| !start.is_empty());
        if others.is_empty() {
            return match (begins, after) {
                (true, _) => Ok(()),
                (false, Some(_)) => Err("neither `start` nor `after` says when it begins".into()),
                (false, None) => Err("`start` does not say when it begins".into()),
            };
        }
        if let Some(start) = cells.get_mut(start).filter(|_| !begins) {
            *start = AT_ONCE;
        }
        let id = match id.is_empty() {
            true => format!("line {line}"),
            false => id,
        };
        let wait = Wait {
            flow,
            line,
            id,
            others: Vec::new(),
        };
        self.waits.push((wait, others));
        Ok(())
    }

    /// With the flow of each id.
    pub(super) fn waits(self, file: &Named) -> Result<Vec<Wait>, Box<Diagnostic>> {
        let ids = &self.ids;
        let known = |(mut own, others): (Wait, Words)| {
            for (seen, name) in others {
                let Some(flow) = ids.get(&name).copied() else {
                    let what = format!("no line has the id `{}`", clip(&name));
                    let help = "name lines by their `id`; without that column they count from 1";
                    return Err(Box::new(file.mistake(own.line, &what).help(help)));
                };
                own.others.push(Other { flow, name, seen });
            }
            Ok(own)
        };
        self.waits.into_iter().map(known).collect()
    }
}

/// `7`, `received:7` or `sent:7`.
fn other(word: &str) -> (Option<Seen>, String) {
    let by = [("received:", Seen::Received), ("sent:", Seen::Sent)];
    let mut said = by.iter();
    let said = said.find_map(|(prefix, seen)| Some((*seen, word.strip_prefix(prefix)?)));
    match said {
        Some((seen, id)) => (Some(seen), id.into()),
        None => (None, word.into()),
    }
}
