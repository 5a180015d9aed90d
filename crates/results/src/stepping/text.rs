//! A scene as text that reads well at 100 columns.

use backwater_kernel::words::{capital, counted, grouped};

use super::{Clock, Happening, Hold, Item, Queue, Scene};
use crate::lines::wrapped;

/// Columns.
const WIDE: usize = 100;
/// Units of a queue that are shown one by one; the rest are counted by flow.
const ITEMS: usize = 5;
/// Flows of the rest that are named.
const FLOWS: usize = 3;
/// Queues, wires, sources shown; a large network is narrowed by name.
const MOST: usize = 40;
/// Sentences of one instant, or of several.
const SENTENCES: usize = 20;
/// What happens next.
const NEXT: usize = 10;

impl Scene {
    /// All of it.
    pub fn text(&self) -> String {
        let mut text = Text::default();
        self.add_queues(&mut text);
        self.add_wires(&mut text);
        self.add_sources(&mut text);
        self.add_next(&mut text);
        text.0
    }

    /// Its queues alone.
    pub fn queues_text(&self) -> String {
        let mut text = Text::default();
        self.add_queues(&mut text);
        text.0
    }

    /// What happens next alone.
    pub fn next_text(&self) -> String {
        let mut text = Text::default();
        self.add_next(&mut text);
        text.0
    }

    fn add_queues(&self, text: &mut Text) {
        let count = self
            .queues
            .iter()
            .filter(|queue| !queue.items.is_empty())
            .count();
        let held = self.queues.iter().filter(|queue| queue.is_held()).count();
        let (all, stuck) = (grouped(count as u64), grouped(held as u64));
        text.title(&match (count, held) {
            (0, _) => "Queues: nothing waits".into(),
            (_, 0) => format!("Queues: something waits in {all}, and nothing holds it up"),
            _ => format!("Queues: something waits in {all}; {stuck} of them can't go on"),
        });
        let mut shown: Vec<&Queue> = self.queues.iter().collect();
        if shown.len() > MOST {
            // What can't go on is shown in any case.
            shown.sort_by_key(|queue| (!queue.is_held(), queue.items.is_empty()));
        }
        for queue in shown.into_iter().take(MOST) {
            self.add_queue(queue, text);
        }
        text.rest(self.queues.len(), "queue");
    }

    fn add_queue(&self, queue: &Queue, text: &mut Text) {
        let state = match &queue.hold {
            Some(hold) => hold.text.clone(),
            None if queue.items.is_empty() => String::new(),
            None => queue.free.clone(),
        };
        let state = if state.is_empty() {
            state
        } else {
            format!("; {state}")
        };
        text.line(2, &format!("{}: {}{state}", queue.name, queue.holds));
        for note in &queue.notes {
            text.line(6, note);
        }
        for item in queue.items.iter().take(ITEMS) {
            text.line(4, &format!("- {}", self.item(item, "waits since")));
        }
        if queue.items.len() > ITEMS {
            text.line(4, &format!("- and {}", rest_of(&queue.items[ITEMS..])));
        }
    }

    fn item(&self, item: &Item, verb: &str) -> String {
        let size = match (self.clock, item.size) {
            (Clock::Cycles, _) | (_, 0) => String::new(),
            (Clock::Time { .. }, bytes) => format!(", {}", counted(bytes, "byte")),
        };
        let at = match (item.at, self.clock) {
            (Some(at), Clock::Cycles) => format!(", {verb} the end of {}", self.clock.at(at)),
            (Some(at), _) => format!(", {verb} {}", self.clock.at(at)),
            (None, _) => String::new(),
        };
        let note = match &*item.note {
            "" => String::new(),
            note => format!(", {note}"),
        };
        format!("{}{size}{at}{note}", item.what)
    }

    fn add_wires(&self, text: &mut Text) {
        if self.wires.is_empty() {
            return text.title("Wires: all are empty");
        }
        text.title("Wires");
        for wire in self.wires.iter().take(MOST) {
            let busy = wire.busy_until;
            let busy = busy.map_or(String::new(), |until| {
                format!(" (sends until {})", self.clock.at(until))
            });
            text.line(2, &format!("{}{busy}", wire.name));
            for item in wire.items.iter().take(ITEMS) {
                text.line(4, &format!("- {}", self.item(item, "arrives at")));
            }
            if wire.items.len() > ITEMS {
                text.line(4, &format!("- and {}", rest_of(&wire.items[ITEMS..])));
            }
        }
        text.rest(self.wires.len(), "wire");
    }

    fn add_sources(&self, text: &mut Text) {
        let busy: Vec<_> = self.sources.iter().filter(|line| !line.is_idle).collect();
        if self.sources.is_empty() {
            return;
        }
        text.title(match busy.is_empty() {
            true => "Sources: none has anything to send",
            false => "Sources",
        });
        for line in busy.iter().take(MOST) {
            text.line(2, &line.text);
        }
        text.rest(busy.len(), "source");
    }

    fn add_next(&self, text: &mut Text) {
        if self.next.is_empty() {
            let none = match self.later {
                0 => "Next: nothing happens any more",
                _ => "Next: nothing soon that concerns these",
            };
            return text.title(none);
        }
        text.title("Next");
        for line in self.next.iter().take(NEXT) {
            let at = line
                .at
                .map_or(String::new(), |at| format!("{}  ", self.clock.at(at)));
            text.line(2, &format!("{at}{}", line.text));
        }
        let more = self.later + self.next.len().saturating_sub(NEXT);
        if more > 0 {
            text.line(2, &format!("and {}", counted(more, "later event")));
        }
    }
}

/// What happened, a sentence a line, of each instant the first; and whether those were all.
pub fn sentences(clock: Clock, happened: &[Happening]) -> (String, bool) {
    let mut text = Text::default();
    let mut before = None;
    for own in happened.iter().take(SENTENCES) {
        let at = clock.at(own.at);
        let head = match before.replace(own.at) == Some(own.at) {
            true => String::new(),
            false => at.clone(),
        };
        text.beside(&head, at.chars().count() + 2, &own.text);
    }
    let is_all = happened.len() <= SENTENCES;
    if !is_all {
        let more = counted(happened.len() - SENTENCES, "more thing");
        text.line(4, &format!("and {more} at this instant"));
    }
    (text.0, is_all)
}

impl Scene {
    /// Queues that can't go on since this instant or later, a line each.
    pub fn held_since(&self, at: u64) -> String {
        let is_new = |hold: &Hold| hold.since.is_some_and(|since| since >= at);
        let held = self.queues.iter().filter(|queue| queue.is_held());
        let mut text = Text::default();
        let new = held.filter_map(|queue| {
            let hold = queue.hold.as_ref().filter(|hold| is_new(hold))?;
            Some((&queue.name, &hold.text))
        });
        for (name, why) in new.take(ITEMS) {
            text.line(0, &format!("{name} can't go on: {why}"));
        }
        text.0
    }

    /// All of it, below a line that says of what and when.
    pub fn titled(&self, name: &str, more: &str) -> String {
        let after = match self.clock {
            Clock::Time { .. } => "after all that happens then",
            Clock::Cycles => "after all that happened before",
        };
        let mut text = Text::default();
        text.line(0, &format!("{name}, {}, {after}", self.clock.head(self.at)));
        if !more.is_empty() {
            text.line(0, more);
        }
        format!("{}\n{}", text.0, self.text())
    }
}

impl Queue {
    /// Something waits in it that may not go.
    pub fn is_held(&self) -> bool {
        self.hold.is_some() && !self.items.is_empty()
    }
}

/// `12 more: 10 of `a`, 2 of `b``.
fn rest_of(items: &[Item]) -> String {
    let mut flows: Vec<(&str, usize)> = Vec::new();
    for item in items {
        let flow = item.flow.as_deref().unwrap_or("others");
        match flows.iter_mut().find(|(own, _)| *own == flow) {
            Some((_, count)) => *count += 1,
            None => flows.push((flow, 1)),
        }
    }
    let others: usize = flows.iter().skip(FLOWS).map(|(_, count)| count).sum();
    let mut words: Vec<String> = flows
        .iter()
        .take(FLOWS)
        .map(|(flow, count)| format!("{} of `{flow}`", grouped(*count as u64)))
        .collect();
    if others > 0 {
        words.push(format!("{} of other flows", grouped(others as u64)));
    }
    format!("{} more: {}", grouped(items.len() as u64), words.join(", "))
}

/// Lines that are never too long.
#[derive(Default)]
pub(super) struct Text(pub String);

impl Text {
    fn title(&mut self, title: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.line(0, &capital(title));
    }

    /// A line, and what of it has no room indented below.
    pub fn line(&mut self, indent: usize, text: &str) {
        for (at, part) in wrapped(text, WIDE - indent - 4).into_iter().enumerate() {
            let indent = if at == 0 { indent } else { indent + 4 };
            self.0.push_str(&" ".repeat(indent));
            self.0.push_str(&part);
            self.0.push('\n');
        }
    }

    /// Words beside their head, in a column that begins at `indent`.
    fn beside(&mut self, head: &str, indent: usize, words: &str) {
        let room = WIDE.saturating_sub(indent + 4).max(WIDE / 2);
        for (at, part) in wrapped(words, room).into_iter().enumerate() {
            let (head, more) = if at == 0 { (head, "") } else { ("", "    ") };
            self.0.push_str(&format!("{head:indent$}{more}{part}\n"));
        }
    }

    fn rest(&mut self, count: usize, what: &str) {
        if count > MOST {
            let more = counted(count - MOST, what);
            self.line(2, &format!("and {more} more: name what you want to see"));
        }
    }
}
