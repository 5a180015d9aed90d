//! Random values for keys, from what the tables say of them.

use backwater_scenario::language::kinds::{self as is, Kind};
use backwater_scenario::reference::tables::{Key, Names};
use serde_json::{Value, json};

use super::files::{self, Files};
use crate::random::Random;

/// What a value may depend on.
pub struct Context<'a> {
    /// Names it may refer to.
    pub names: &'a Names,
    /// Length of the run, in picoseconds: other times are in proportion.
    pub run_ps: u64,
    /// The engine.
    pub engine: &'static str,
    /// Files that are written along with the scenario.
    pub files: &'a mut Files,
    /// Where random choices come from.
    pub random: &'a mut Random,
}

const RATES: &[&str] = &[
    "1 Mbps",
    "10 Mbps",
    "40 Mbps",
    "100 Mbps",
    "155.52 Mbps",
    "622 Mbps",
];
const FAST: &[&str] = &["10 Mbps", "100 Mbps", "1 Gbps", "2.5 Gbps", "10 Gbps"];

impl Context<'_> {
    /// A value of one key alone; `None` where that takes a table.
    pub fn value(&mut self, key: &Key) -> Option<Value> {
        let kind = key.kind;
        Some(if let Some(choices) = kind.choices() {
            json!(self.random.pick(choices)?.name)
        } else if kind.is::<is::Text>() {
            json!(format!("text {}", self.random.below(1_000)))
        } else if kind.is::<is::Name>() {
            json!(format!("x{}", self.random.below(1_000_000)))
        } else if kind.is::<is::Names>() {
            json!(self.new_names())
        } else if let Some(is::Reference(what)) = kind.cast() {
            json!(self.reference(what)?)
        } else if let Some(is::References(what)) = kind.cast() {
            self.references(what)?
        } else if let Some(is::ReferenceList(what)) = kind.cast() {
            self.reference_list(key.name, what)?
        } else if kind.is::<is::Truth>() {
            json!(self.random.chance(50))
        } else if kind.is::<is::Path>() {
            json!(files::make(self, key.name))
        } else if let Some(whole) = kind.cast() {
            json!(self.whole(whole))
        } else if let Some(is::Or(word, whole)) = kind.cast() {
            match self.random.chance(25) {
                true => json!(word),
                false => json!(self.whole(whole)),
            }
        } else if let Some(wholes) = kind.cast() {
            self.wholes(key.name, wholes)
        } else if kind.is::<is::Rows>() {
            json!(files::rows(self))
        } else if kind.is::<is::Seeds>() {
            json!(self.random.between(1, 3))
        } else if kind.is::<is::Axes>() {
            json!({ "run.seed": [1, 2] })
        } else {
            return self.number(kind).or_else(|| self.amount(kind));
        })
    }

    fn number(&mut self, kind: &dyn Kind) -> Option<Value> {
        Some(if let Some(is::Decimal { min, max }) = kind.cast() {
            let share = self.random.below(1_001) as f64 / 1e3;
            json!(min + (max - min).min(10.0) * share)
        } else if kind.is::<is::Probability>() {
            match self.random.word(&["0.0", "0.1 %", "1 %", "5 %"]) {
                "0.0" => json!(0.0),
                text => json!(text),
            }
        } else if kind.is::<is::Portion>() || kind.is::<is::PortionOr>() {
            match self.random.chance(50) {
                true => json!(self.random.between(1, 99) as f64 / 100.0),
                false => json!(format!("{} %", self.random.between(1, 99))),
            }
        } else if kind.is::<is::Share>() {
            json!(format!("{} %", self.random.between(1, 120)))
        } else if let Some(is::Ratio { max }) = kind.cast() {
            match self.random.chance(50) {
                true => json!(format!("1/{}", 1 << self.random.below(5))),
                false => json!(self.random.between(1, 4.min(*max))),
            }
        } else if let Some(cycles) = kind.cast() {
            json!(self.cycles(cycles))
        } else if let Some(is::Or(_, cycles)) = kind.cast() {
            json!(self.cycles(cycles))
        } else {
            return None;
        })
    }

    fn amount(&mut self, kind: &dyn Kind) -> Option<Value> {
        Some(if let Some(min_ps) = least_ps(kind) {
            json!(self.time(min_ps))
        } else if let Some(is::Span { min_ps }) = kind.cast() {
            self.span(*min_ps)
        } else if let Some(is::ClockSpan { min_ps }) = kind.cast() {
            self.span(*min_ps)
        } else if let Some(is::Amount { max }) = kind.cast() {
            let number = self.random.spread(1, 3_000.min(*max));
            match self.random.chance(70) {
                true => json!(format!("{number} cells")),
                false => json!(format!("{number} B")),
            }
        } else if kind.is::<is::Cable>() {
            json!(self.random.word(&["1 m", "100 m", "2.5 km", "40 km"]))
        } else if kind.is::<is::Rate>() || kind.is::<is::CellRate>() {
            self.rate()
        } else if let Some(is::RateOrShare { word }) = kind.cast() {
            if self.random.chance(30) {
                json!(word)
            } else if self.random.chance(50) {
                json!(format!("{} %", self.random.between(1, 100)))
            } else {
                self.rate()
            }
        } else if let Some(is::Size { min, max }) = kind.cast() {
            let most = 200_000.min(*max).max(*min);
            json!(format!("{} B", self.random.spread(*min, most)))
        } else if kind.is::<is::Threshold>() {
            match self.random.chance(60) {
                true => json!(format!("{} %", self.random.between(1, 100))),
                false => json!(format!("{} kB", self.random.between(2, 200))),
            }
        } else {
            return None;
        })
    }

    fn span(&mut self, min_ps: u64) -> Value {
        match self.random.below(4) {
            0 | 1 => json!(self.time(min_ps)),
            2 => json!({ "mean": self.time(1.max(min_ps)) }),
            _ => json!({ "mean": self.time(1.max(min_ps)), "law": "uniform" }),
        }
    }

    fn rate(&mut self) -> Value {
        json!(self.random.word(match self.engine {
            "ethernet" => FAST,
            _ => RATES,
        }))
    }

    fn cycles(&mut self, cycles: &is::Cycles) -> u64 {
        let is::Cycles { min, max } = *cycles;
        self.random.spread(min, max.clamp(min, 1_500))
    }

    /// A time from a ten-thousandth of the run to all of it.
    fn time(&mut self, min_ps: u64) -> String {
        let least = (self.run_ps / 10_000).max(1_000);
        let ps = self.random.spread(least, self.run_ps.max(least));
        match (min_ps, self.random.below(12)) {
            (0, 0) => "0 s".into(),
            (_, 1) => format!("{} us", (ps.max(min_ps) / 1_000_000).max(1)),
            _ => format!("{} ns", (ps.max(min_ps) / 1_000).max(1)),
        }
    }

    /// Small, so that a run of it is short.
    fn whole(&mut self, whole: &is::Whole) -> u64 {
        let is::Whole { min, max, unit } = *whole;
        let most = match unit {
            "cells" | "units" | "reads" | "requests" | "transfers" | "look-ups" => 3_000,
            "bytes" => 9_000,
            "" if max <= 255 => max,
            "" => 50,
            "flits" => 20,
            "sources" | "pictures a second" => 60,
            _ => 4,
        };
        let most = most.clamp(min, max);
        match self.random.below(10) {
            0 => min,
            1 if most == max => max,
            _ => self.random.spread(min, most),
        }
    }

    fn wholes(&mut self, name: &str, wholes: &is::Wholes) -> Value {
        let is::Wholes(is::Whole { min, max, .. }) = *wholes;
        let count = match name {
            "classes" | "targets" => 1 + self.random.below(3),
            _ => 2,
        };
        let most = match name {
            "targets" => (self.names.terminals as u64).saturating_sub(1),
            "sides" => 4,
            _ => 8,
        };
        let most = most.clamp(min, max);
        let mut values: Vec<u64> = (0..count).map(|_| self.random.between(min, most)).collect();
        if matches!(name, "classes" | "targets" | "lengths") {
            values.sort_unstable();
            values.dedup();
        }
        json!(values)
    }

    fn new_names(&mut self) -> Vec<String> {
        let first = self.random.below(1_000);
        let count = 1 + self.random.below(3);
        (first..first + count)
            .map(|number| format!("N{number}"))
            .collect()
    }

    fn pool(&self, what: &str) -> &[String] {
        match what {
            "host" => &self.names.hosts,
            "channel" => &self.names.channels,
            "flow" => &self.names.flows,
            "class" => &self.names.classes,
            _ => &self.names.nodes,
        }
    }

    fn reference(&mut self, what: &str) -> Option<String> {
        let at = self.random.below(self.pool(what).len());
        self.pool(what).get(at).cloned()
    }

    fn references(&mut self, what: &str) -> Option<Value> {
        let one = self.reference(what)?;
        if self.random.chance(75) {
            return Some(json!(one));
        }
        let other = self.reference(what)?;
        Some(json!([one, other]))
    }

    /// Two nodes that a link joins, a way, or any names.
    fn reference_list(&mut self, key: &str, what: &str) -> Option<Value> {
        if key == "between" || (key == "path" && self.random.chance(20)) {
            let channel = self.reference("channel")?;
            let (from, to) = channel.split_once("->")?;
            return Some(json!([from, to]));
        }
        if key == "path" {
            return self.way();
        }
        let mut names = vec![self.reference(what)?];
        if self.random.chance(40) {
            names.push(self.reference(what)?);
            names.dedup();
        }
        Some(json!(names))
    }

    /// A walk over channels from a host to another one.
    fn way(&mut self) -> Option<Value> {
        let mut here = self.reference("host")?;
        let mut way = vec![here.clone()];
        for _ in 0..6 {
            let mut next: Vec<&str> = Vec::new();
            for channel in &self.names.channels {
                match channel.split_once("->") {
                    Some((from, to)) if from == here && !way.iter().any(|n| n == to) => {
                        next.push(to)
                    }
                    _ => {}
                }
            }
            here = (*self.random.pick(&next)?).into();
            way.push(here.clone());
            if self.names.hosts.contains(&here) {
                break;
            }
        }
        Some(json!(way))
    }
}

/// The least of what is a fixed span of time, perhaps with a word besides.
fn least_ps(kind: &dyn Kind) -> Option<u64> {
    least::<true>(kind).or_else(|| least::<false>(kind))
}

fn least<const CELLS: bool>(kind: &dyn Kind) -> Option<u64> {
    let beside = kind.cast().map(|is::Or(_, lasting)| lasting);
    let lasting: Option<&is::Lasting<CELLS>> = kind.cast().or(beside);
    lasting.map(|lasting| lasting.min_ps)
}
