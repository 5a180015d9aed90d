//! Why something does not move: from queue to queue, down to where it begins.

use super::text::Text;
use super::{Queue, Scene};

/// Queues from which the chain is followed, of those that concern a name.
const STARTS: usize = 4;
/// Lines of a chain.
const LONGEST: usize = 64;

impl Scene {
    /// Why what is called so does not go on: each of its queues, and whom that waits for.
    pub fn why(&self, name: &str) -> String {
        let mut text = Text::default();
        let starts = self.starts(name);
        for start in starts.iter().take(STARTS) {
            self.follow(*start, name, &mut text);
        }
        if starts.len() > STARTS {
            let more = starts.len() - STARTS;
            text.line(0, &format!("and {more} more queues hold something of it"));
        }
        if starts.is_empty() {
            let lines: Vec<&str> = self
                .sources
                .iter()
                .filter(|line| line.known.first().is_some_and(|own| own == name))
                .map(|line| &*line.text)
                .collect();
            text.line(
                0,
                &match lines.is_empty() {
                    true => format!("Nothing waits at `{name}`."),
                    false => format!("Nothing of `{name}` waits in a queue."),
                },
            );
            lines.iter().for_each(|line| text.line(2, line));
        }
        text.0
    }

    /// Queues that are called so, else those where something of that flow waits; those that are
    /// held up first.
    fn starts(&self, name: &str) -> Vec<usize> {
        let all = || (0..self.queues.len()).filter(|at| !self.queues[*at].items.is_empty());
        let own = |at: &usize| {
            let queue = &self.queues[*at];
            queue.name == name || queue.known.first().is_some_and(|port| port == name)
        };
        let mut places: Vec<usize> = all().filter(own).collect();
        if places.is_empty() {
            let of_flow = |at: &usize| {
                let items = &self.queues[*at].items;
                items.iter().any(|item| item.flow.as_deref() == Some(name))
            };
            places = all().filter(of_flow).collect();
        }
        if places.is_empty() {
            let from = |at: &usize| {
                self.queues[*at]
                    .known
                    .get(1)
                    .is_some_and(|node| node == name)
            };
            places = all().filter(from).collect();
        }
        places.sort_by_key(|at| self.queues[*at].hold.is_none());
        places
    }

    fn follow(&self, start: usize, name: &str, text: &mut Text) {
        let mut way = Vec::new();
        let mut at = start;
        let first = &self.queues[start];
        if let Some(place) = first
            .items
            .iter()
            .position(|item| item.flow.as_deref() == Some(name))
            && place > 0
        {
            let (own, head) = (&first.items[place].what, &first.items[0].what);
            text.line(
                0,
                &format!(
                    "{own} is number {} in {}: {head} goes before it.",
                    place + 1,
                    first.name
                ),
            );
        }
        loop {
            let queue = &self.queues[at];
            let indent = 2 * way.len().min(12);
            text.line(indent, &self.state(queue));
            way.push(at);
            let next = self.first_held(queue);
            let Some(next) = next.filter(|_| queue.hold.is_some()) else {
                return self.root(queue, indent, text);
            };
            if way.contains(&next) {
                return text.line(indent + 2, &self.closed(next));
            }
            if way.len() == LONGEST {
                return text.line(indent + 2, "and so on");
            }
            at = next;
        }
    }

    /// The way has come back to this queue. It is a deadlock if all that any of them waits for is
    /// held up, too: one that can move may be enough.
    fn closed(&self, back: usize) -> String {
        let name = &self.queues[back].name;
        match self.moving_behind(back) {
            None => format!(
                "{name} again: these wait for each other in a cycle, a deadlock. None of them can \
                 ever go on by itself."
            ),
            Some(at) => format!(
                "{name} again: these wait for each other, but also for {}, which nothing holds \
                 up and which may free them.",
                self.queues[at].name
            ),
        }
    }

    /// A queue that can move, of all that this one waits for, and they in turn.
    fn moving_behind(&self, first: usize) -> Option<usize> {
        let (mut seen, mut next) = (Vec::from([first]), 0);
        while let Some(at) = seen.get(next).copied() {
            let queue = &self.queues[at];
            if queue.hold.is_none() || queue.waits_for.is_empty() {
                return Some(at);
            }
            let others = queue.waits_for.iter().copied();
            let others: Vec<usize> = others.filter(|other| !seen.contains(other)).collect();
            seen.extend(others);
            next += 1;
        }
        None
    }

    /// Of those that have to move first, one that can't, if there is one.
    fn first_held(&self, queue: &Queue) -> Option<usize> {
        let next = || queue.waits_for.iter().copied();
        next()
            .find(|at| self.queues[*at].is_held())
            .or_else(|| next().next())
    }

    fn state(&self, queue: &Queue) -> String {
        let state = match &queue.hold {
            Some(hold) => &hold.text,
            None => &queue.free,
        };
        let first = queue.items.first();
        let first = first.map_or(String::new(), |item| format!(" (first: {})", item.what));
        format!("{}: {}{first}; {state}.", queue.name, queue.holds)
    }

    fn root(&self, queue: &Queue, indent: usize, text: &mut Text) {
        for note in &queue.notes {
            text.line(indent + 4, note);
        }
        let words = match &queue.hold {
            None => {
                "Here it begins: nothing holds this one up, and all behind it wait for its turn."
            }
            Some(_) if queue.waits_for.is_empty() => {
                "Here it begins: no queue behind it has to move first. It goes on when what it \
                 waits for comes."
            }
            Some(_) => "",
        };
        text.line(indent + 2, words);
    }
}
