//! Queues that can't move, node by node.

use backwater_kernel::Time;
use backwater_kernel::words::{capital, counted};
use backwater_net::frames::spec::EthernetSpec;
use backwater_net::outcome::{Outcome, Standstill, StuckQueue, Wait};

use super::Frames;
use crate::events::names;
use crate::events::standstill::{self, Standstills, Still};
use crate::lines::first_of;
use crate::model::{Table, Tone};
use crate::number::{significant, span};
use crate::rows::ROWS_MOST;

/// Queues in the terminal; the rest are counted.
const LINES: usize = 8;

fn at(time: Time) -> String {
    span(time.ps() as f64)
}

/// A queue that waits, and since when.
struct Held<'a> {
    queue: StuckQueue,
    wait: &'a Wait,
    since: Time,
}

/// What stands still, and since when.
fn sentence(found: &Standstill) -> String {
    let what = match found.is_circle {
        true => "deadlock: queues wait for each other in a cycle",
        false => "standstill: queues wait for one that is stopped and never resumed",
    };
    let others = match found.others_move {
        true => ", while others move",
        false => "",
    };
    format!(
        "{what}, {}, since {} (found at {}){others}",
        counted(found.waits.len(), "queue"),
        at(found.since),
        at(found.found_at)
    )
}

impl Standstills for EthernetSpec {
    fn stuck(_: &Outcome, wait: &Wait) -> Option<(u32, String)> {
        let queue = wait.queue()?;
        let kilobytes = significant(queue.bytes as f64 / 1e3, 4);
        let frames = counted(wait.units, "frame");
        let class = queue.class;
        let what = format!("class {class}: {frames}, {kilobytes} kB, can't move");
        Some((queue.channel, what))
    }

    /// What is said of it.
    fn still(run: &Frames<'_>, found: &Standstill) -> Still {
        let sentence = sentence(found);
        let words = Words::of(run, found);
        let places: Vec<usize> = (0..words.held.len()).collect();
        let lines = first_of(&places, LINES, ("  ", "queue"), |at| words.line(*at));
        let note = format!(
            "The run ended in a {sentence}. The table below shows which queue waits for which."
        );
        Still {
            short: if found.is_circle {
                "deadlock"
            } else {
                "standstill"
            },
            ended: sentence.clone(),
            told: sentence.clone(),
            note: Some((Tone::Problem, note)),
            lines: std::iter::once(sentence).chain(lines).collect(),
        }
    }
}

/// What a list is told with.
struct Words<'a> {
    run: &'a Frames<'a>,
    is_circle: bool,
    held: Vec<Held<'a>>,
}

impl<'a> Words<'a> {
    fn of(run: &'a Frames<'a>, found: &'a Standstill) -> Words<'a> {
        let row = |wait: &'a Wait| {
            let queue = wait.queue()?;
            let since = wait.since.unwrap_or(found.since);
            Some(Held { queue, wait, since })
        };
        Words {
            run,
            is_circle: found.is_circle,
            held: found.waits.iter().filter_map(row).collect(),
        }
    }

    /// `S1 -> A, class 0: 12 frames, first of flow x, stopped since 210 ms, wait for A -> B,
    /// class 0`.
    fn line(&self, index: usize) -> String {
        let own = &self.held[index];
        format!(
            "{}: {} ({}), first of flow {}, stopped since {}, wait for {}",
            self.place(own),
            counted(own.wait.units, "frame"),
            counted(own.queue.bytes, "byte"),
            self.run.flow(own.wait.flow),
            at(own.since),
            self.waits_for(index)
        )
    }

    fn port(&self, own: &Held<'_>) -> String {
        self.run.port(own.queue.channel)
    }

    fn host(&self, own: &Held<'_>) -> Option<String> {
        let host = own.queue.destination;
        host.map(|host| self.run.node(host))
    }

    /// A queue: channel, class, and the host, or the lane, where only its frames are
    /// stopped.
    fn place(&self, own: &Held<'_>) -> String {
        let part = match (self.host(own), own.queue.lane) {
            (Some(host), _) => format!(", to {host}"),
            (None, Some(number)) => format!(", lane {number}"),
            (None, None) => String::new(),
        };
        format!("{}, class {}{part}", self.port(own), own.queue.class)
    }

    /// The next queue, or the node that never resumes it.
    fn waits_for(&self, index: usize) -> String {
        let next = match self.is_circle {
            true => self.held.get((index + 1) % self.held.len()),
            false => self.held.get(index + 1),
        };
        let Some(next) = next else {
            let ends = names::channel_ends(self.run.network, self.held[index].queue.channel);
            let node = ends.map(|(_, to)| self.run.node(to));
            let node = node.unwrap_or_else(|| "the next node".into());
            return format!("{node}, which does not resume it");
        };
        self.place(next)
    }
}

/// The queues that wait, in order; without a row where none does.
pub fn table(run: &Frames<'_>) -> Table {
    let Some(found) = &run.outcome.standstill else {
        return Table::default();
    };
    let words = Words::of(run, found);
    let from = |own: &Held<'_>| {
        let ends = names::channel_ends(run.network, own.queue.channel);
        ends.map(|(from, _)| run.node(from))
    };
    let caption = format!(
        "{}. Each queue waits for the next.",
        capital(&sentence(found))
    );
    let rows = words.held.iter().take(ROWS_MOST).enumerate();
    type Row<'a> = (usize, &'a Held<'a>);
    let port = |(_, own): &Row<'_>| words.port(own);
    let why = |(index, _): &Row<'_>| format!("waits for {}", words.waits_for(*index));
    standstill::table(run, caption, rows, |(_, own)| own.wait, [&port, &why])
        .number("place: position of the queue in the chain")
        .of(|(index, _)| *index as u64 + 1)
        .text("node: the node it is in")
        .of(|(_, own)| from(own))
        .number("class: its class")
        .of(|(_, own)| u32::from(own.queue.class))
        .text("to: only frames to this host are stopped; empty: all")
        .of(|(_, own)| words.host(own))
        .number("waiting [bytes]: of those frames")
        .of(|(_, own)| own.queue.bytes)
        .done()
}
