//! A scene as JSON: the same as in the text, instants as whole numbers.

use serde_json::{Map, Value, json};

use super::{Clock, Item, Line, Queue, Scene, Wire};

impl Scene {
    /// All of it.
    pub fn json(&self) -> Value {
        let mut all = Map::new();
        let key = self.clock.key();
        all.insert(format!("at_{key}"), self.at.into());
        all.insert("at".into(), self.clock.at(self.at).into());
        let list = |values: Vec<Value>| Value::from(values);
        let queues = self.queues.iter().map(|own| self.queue_json(own)).collect();
        all.insert("queues".into(), list(queues));
        let wires = self.wires.iter().map(|own| self.wire_json(own)).collect();
        all.insert("wires".into(), list(wires));
        let sources = self
            .sources
            .iter()
            .map(|own| json!({ "what": own.text, "idle": own.is_idle }));
        all.insert("sources".into(), list(sources.collect()));
        let next = self
            .next
            .iter()
            .map(|own| self.next_line_json(own))
            .collect();
        all.insert("next".into(), list(next));
        all.insert("later_events".into(), self.later.into());
        Value::Object(all)
    }

    fn queue_json(&self, own: &Queue) -> Value {
        let mut all = Map::new();
        all.insert("name".into(), own.name.clone().into());
        all.extend(own.more.clone());
        let units = own.items.iter().map(|item| self.item_json(item, "since"));
        all.insert("units".into(), units.collect());
        let hold = own.hold.as_ref().map(|hold| {
            let mut all = Map::new();
            all.insert("kind".into(), hold.kind.into());
            all.insert("what".into(), hold.text.clone().into());
            all.insert("by".into(), hold.by.clone().into());
            all.insert(format!("since_{}", self.clock.key()), hold.since.into());
            Value::Object(all)
        });
        all.insert("hold".into(), hold.into());
        all.insert("notes".into(), own.notes.clone().into());
        let first = own
            .waits_for
            .iter()
            .map(|at| Value::from(self.queues[*at].name.clone()));
        all.insert("waits_for".into(), first.collect());
        Value::Object(all)
    }

    fn wire_json(&self, own: &Wire) -> Value {
        let mut all = Map::new();
        all.insert("port".into(), own.name.clone().into());
        if let Clock::Time { .. } = self.clock {
            all.insert("busy_until_ps".into(), own.busy_until.into());
        }
        let units = own.items.iter().map(|item| self.item_json(item, "arrives"));
        all.insert("units".into(), units.collect());
        Value::Object(all)
    }

    fn item_json(&self, item: &Item, at: &str) -> Value {
        let mut all = Map::new();
        let (number, size) = match self.clock {
            Clock::Time { .. } => ("number", "bytes"),
            Clock::Cycles => ("birth_cycle", "flits"),
        };
        let flow = match self.clock {
            Clock::Time { .. } => "flow",
            Clock::Cycles => "class",
        };
        all.insert("what".into(), item.what.clone().into());
        all.insert(flow.into(), item.flow.clone().into());
        all.insert(number.into(), item.number.into());
        all.insert(size.into(), item.size.into());
        if let Some(instant) = item.at {
            all.insert(format!("{at}_{}", self.clock.key()), instant.into());
        }
        if !item.note.is_empty() {
            all.insert("note".into(), item.note.clone().into());
        }
        Value::Object(all)
    }

    fn next_line_json(&self, own: &Line) -> Value {
        let mut all = Map::new();
        all.insert(format!("at_{}", self.clock.key()), own.at.into());
        all.insert("what".into(), own.text.clone().into());
        Value::Object(all)
    }
}
