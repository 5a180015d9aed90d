//! A run seen from between two instants, in words: for who steps through it.
//!
//! [`Scene`] is what there is, whatever the engine: `of_cells`, `of_frames` and `of_flits` make one
//! of what their engine tells, `text` and `json` show it, `why` follows who waits for whom. `log`
//! says what happens from one instant to the next, and `scout` looks for the first instant at which
//! something does.

mod clock;
mod credit;
mod json;
pub mod log;
mod named;
mod of_cells;
mod of_events;
mod of_flits;
mod of_frames;
mod scout;
mod text;
mod why;

use backwater_kernel::Stop;
use serde_json::{Map, Value};

pub use clock::Clock;
pub use log::Happening;
pub use named::Named;
pub use of_cells::of_cells;
pub use of_flits::{names as flit_names, of_flits};
pub use of_frames::of_frames;
pub use scout::{Condition, EventScout, FlitScout};
pub use text::sentences;

/// What there is between two instants.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// How instants are told.
    pub clock: Clock,
    /// Everything up to here has happened.
    pub at: u64,
    /// Queues where something waits, or that are held up.
    pub queues: Vec<Queue>,
    /// Wires with something on them.
    pub wires: Vec<Wire>,
    /// What each source waits for.
    pub sources: Vec<Line>,
    /// What happens next, in order.
    pub next: Vec<Line>,
    /// Events that wait beside those.
    pub later: usize,
}

/// A queue.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Its name: `A -> S, class 3`.
    pub name: String,
    /// What it is known by: its port, the nodes at both ends of that.
    pub known: Vec<String>,
    /// What stands in it, the first first.
    pub items: Vec<Item>,
    /// How much that is: `5 frames, 7,590 bytes`.
    pub holds: String,
    /// What holds it up.
    pub hold: Option<Hold>,
    /// What else there is to say: of credit, and of what would let it go on.
    pub notes: Vec<String>,
    /// Why it goes on or would, where nothing holds it up.
    pub free: String,
    /// Queues that have to move first: places in [`Scene::queues`].
    pub waits_for: Vec<usize>,
    /// Columns of its own, for JSON.
    pub more: Map<String, Value>,
}

/// What holds a queue up.
#[derive(Clone, Debug, Default)]
pub struct Hold {
    /// `stop`, `credit` or `vc`.
    pub kind: &'static str,
    /// In words.
    pub text: String,
    /// The node that does it.
    pub by: Option<String>,
    /// Since when, if that is known.
    pub since: Option<u64>,
}

/// Something that waits, or is on a wire.
#[derive(Clone, Debug, Default)]
pub struct Item {
    /// What it is: ``frame 17 of `to slow` ``.
    pub what: String,
    /// Its flow (of flits: its class).
    pub flow: Option<String>,
    /// Its number in the flow, or the cycle of its birth.
    pub number: u64,
    /// Bytes, or flits.
    pub size: u64,
    /// Since when it waits; on a wire, when it arrives. Flits do not keep since when.
    pub at: Option<u64>,
    /// What else there is to say of it.
    pub note: String,
}

/// A wire.
#[derive(Clone, Debug, Default)]
pub struct Wire {
    /// The channel.
    pub name: String,
    /// As [`Queue::known`].
    pub known: Vec<String>,
    /// It sends until then.
    pub busy_until: Option<u64>,
    /// What is on it, the first to arrive first.
    pub items: Vec<Item>,
}

/// A sentence of something.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// When it happens, if it does at an instant.
    pub at: Option<u64>,
    /// It.
    pub text: String,
    /// Names that it concerns.
    pub known: Vec<String>,
    /// A source: nothing of it waits anywhere, and it waits for nothing.
    pub is_idle: bool,
}

impl Scene {
    /// The scene with only what concerns one of these names.
    pub fn narrowed(mut self, names: &[String]) -> Scene {
        let has = |known: &[String]| known.iter().any(|name| names.contains(name));
        let is_own = |item: &Item| item.flow.as_ref().is_some_and(|flow| names.contains(flow));
        let keep = |queue: &Queue| has(&queue.known) || queue.items.iter().any(is_own);
        let mut places = vec![None; self.queues.len()];
        let mut kept = Vec::new();
        for (at, queue) in self.queues.into_iter().enumerate() {
            if keep(&queue) {
                places[at] = Some(kept.len());
                kept.push(queue);
            }
        }
        for queue in &mut kept {
            queue.waits_for = queue
                .waits_for
                .iter()
                .filter_map(|at| places[*at])
                .collect();
        }
        self.queues = kept;
        self.wires
            .retain(|wire| has(&wire.known) || wire.items.iter().any(is_own));
        self.sources.retain(|line| has(&line.known));
        let before = self.next.len();
        self.next.retain(|line| has(&line.known));
        self.later += before - self.next.len();
        self
    }

    /// Where what is of one flow stands, and what its source waits for.
    pub fn of_flow(self, flow: &str) -> Scene {
        let mut scene = self.narrowed(&[flow.to_owned()]);
        let is_own = |item: &Item| item.flow.as_deref() == Some(flow);
        for queue in &mut scene.queues {
            for (at, item) in queue.items.iter_mut().enumerate() {
                if at > 0 {
                    let place = format!("number {} in this queue", at + 1);
                    item.note = match item.note.is_empty() {
                        true => place,
                        false => format!("{}, {place}", item.note),
                    };
                }
            }
            queue.items.retain(is_own);
        }
        scene
            .wires
            .iter_mut()
            .for_each(|wire| wire.items.retain(is_own));
        scene
    }
}

/// How a run ended, as the rest of a sentence.
pub fn ended(stop: Stop) -> String {
    crate::stop::sentence(stop, || "nothing could move any more".into())
}
