//! Points that other processes compute, wherever they are: what they get is the text of a plan and
//! numbers of points, what they give is the text of each point as a directory stores it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::{Arc, Mutex, PoisonError};

use backwater_results::sweep::{FlowColumn, Measure, Point, SweepResult};
use backwater_results::{RunDirectory, Table, sweep::sweep_tables};
use backwater_run::memory::{self, Memory};
use backwater_scenario::Source;
use clap::Parser;
use rayon::prelude::*;

use super::asked::{Kept, PLAN, Unread};
use super::plan::{Checked, Plan};
use super::store::{Key, Store};
use crate::{Cli, Command, files, holder};

/// A sweep in its directory, whose points are computed elsewhere. While it is there no other
/// command may write to the directory.
pub struct Points {
    plan: Plan,
    text: String,
    checked: Checked,
    store: Store,
    /// The points of each scenario: where there are several, the first is computed for all.
    twins: BTreeMap<Key, Vec<u64>>,
    /// Those that were stored already.
    stored: Vec<u64>,
    /// Those that are to be computed.
    missing: Vec<u64>,
    /// It holds the lock.
    _directory: RunDirectory,
}

/// Why there are no points.
#[derive(Debug)]
pub enum NotOpened {
    /// What was asked for has mistakes: all of them, as the command prints them.
    Asked(String),
    /// The directory can't be used.
    Directory(String),
}

impl From<String> for NotOpened {
    fn from(what: String) -> NotOpened {
        NotOpened::Asked(what)
    }
}

impl Points {
    /// Of the command `sweep` with these words. Every point is checked. With `text` the scenario is
    /// not read: the file that is named has this text.
    ///
    /// # Errors
    /// If it has mistakes, or the directory can't be used.
    pub fn open(
        words: impl IntoIterator<Item = OsString>,
        text: Option<String>,
    ) -> Result<Points, NotOpened> {
        let whole = ["backwater", "sweep"].map(OsString::from).into_iter();
        let cli = Cli::try_parse_from(whole.chain(words)).map_err(|wrong| wrong.to_string())?;
        let Some(Command::Sweep(options)) = cli.command else {
            return Err("error: this is no sweep".to_owned().into());
        };
        let source = match text {
            Some(text) => Source::new(options.file.to_string_lossy(), text),
            None => files::read(&options.file)?,
        };
        let asked = options.how.asked(source, &options.changes);
        let out = options.how.out.clone();
        let out = out.unwrap_or_else(|| super::usual_out(&asked));
        let plan = Plan::read(asked, 0, None)?;
        let all = plan.sweep.points();
        let all = all.map_err(|mistakes| files::rendered(&mistakes))?;
        let points: Vec<u64> = (0..all).collect();
        let checked = plan.check(&points);
        let checked = checked.map_err(|message| message.unwrap_or_else(|| "stopped".into()))?;
        let fail = |message: String| NotOpened::Directory(format!("error: {message}"));
        let directory = RunDirectory::create_with_points(out.as_path(), &holder());
        let mut directory = directory.map_err(|error| fail(error.to_string()))?;
        let store = Store::open(&out, options.how.fresh).map_err(fail)?;
        store.tell_of_another();
        let text = plan.kept(None).bounded_text().map_err(fail)?;
        let written = directory.write(PLAN, text.as_bytes());
        written.map_err(|error| fail(error.to_string()))?;
        let mut twins: BTreeMap<Key, Vec<u64>> = BTreeMap::new();
        for (point, key) in points.iter().zip(&checked.keys) {
            twins.entry(*key).or_default().push(*point);
        }
        let is_there = |key: &Key| matches!(store.load(key, &checked.measures), Ok(Some(_)));
        let keys: Vec<(&Key, &Vec<u64>)> = twins.iter().collect();
        let look = |(key, points): &(&Key, &Vec<u64>)| (is_there(key), points[0]);
        let seen: Vec<(bool, u64)> = plan.pool.install(|| keys.par_iter().map(look).collect());
        let mut missing: Vec<u64> = (seen.iter())
            .filter(|(is_there, _)| !is_there)
            .map(|(_, point)| *point)
            .collect();
        missing.sort_unstable();
        let is_missing = |point: &u64| {
            let first = twins[&checked.keys[*point as usize]][0];
            missing.binary_search(&first).is_ok()
        };
        let stored = points.into_iter().filter(|point| !is_missing(point));
        Ok(Points {
            stored: stored.collect(),
            text,
            checked,
            store,
            twins,
            missing,
            plan,
            _directory: directory,
        })
    }

    /// What a worker needs besides the numbers of points.
    pub fn plan(&self) -> &str {
        &self.text
    }

    /// Points in all.
    pub fn count(&self) -> usize {
        self.checked.keys.len()
    }

    /// Numbers of the points to compute: of several that are the same scenario only the first.
    pub fn missing(&self) -> &[u64] {
        &self.missing
    }

    /// Numbers of the points that were there.
    pub fn stored(&self) -> &[u64] {
        &self.stored
    }

    /// Stores what a worker computed of these points; gives the numbers of all points that are
    /// there by that.
    ///
    /// # Errors
    /// If it is not what was asked for, or can't be written.
    pub fn take(&self, points: &[u64], texts: &[String]) -> Result<Vec<u64>, String> {
        if points.len() != texts.len() {
            return Err("a worker gave another number of points than it was to compute".into());
        }
        let take = |(point, text): (&u64, &String)| {
            let key = self.checked.keys.get(*point as usize);
            let key = key.ok_or("there is no such point")?;
            let of_point = |what: String| format!("{}: {what}", self.plan.sweep.describe(*point));
            let taken = self.store.take(key, &self.checked.measures, text);
            taken.map_err(of_point)?;
            Ok(self.twins[key].clone())
        };
        let all = points.par_iter().zip(texts).map(take);
        let all: Result<Vec<Vec<u64>>, String> = self.plan.pool.install(|| all.collect());
        Ok(all?.concat())
    }

    /// Rows of stored points, as the table `sweep` has them.
    pub fn rows(&self, points: &[u64]) -> Table {
        let load = |point: &u64| {
            let key = self.checked.keys.get(*point as usize)?;
            self.store.load(key, &self.checked.measures).ok()?
        };
        let stored: Vec<Option<Point>> = points.iter().map(load).collect();
        let measures = &self.checked.measures;
        let result: SweepResult = self.plan.result(measures, points, stored);
        sweep_tables(&result).swap_remove(0)
    }
}

/// A plan that this process works for.
struct Known {
    text: String,
    plan: Plan,
    measures: Vec<Measure>,
    columns: Vec<FlowColumn>,
}

/// The last one: batches of one sweep follow each other.
static KNOWN: Mutex<Option<Arc<Known>>> = Mutex::new(None);

/// Computes points of a plan, on a worker; gives the text of each.
///
/// # Errors
/// If the plan is of another program version, or a point can't be computed.
pub fn measure(plan: &str, points: &[u64]) -> Result<Vec<String>, String> {
    let known = known(plan)?;
    points.iter().map(|point| known.measure(*point)).collect()
}

fn known(text: &str) -> Result<Arc<Known>, String> {
    let mut last = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = last.as_ref().filter(|known| known.text == text) {
        return Ok(known.clone());
    }
    let kept = Kept::read(text.as_bytes()).map_err(|unread| match unread {
        Unread::Damaged(what) => format!("the plan did not arrive: {what}"),
        Unread::Other(what) => what,
    })?;
    let mut plan = Plan::read(kept.asked, 1, None)?;
    plan.know(kept.named);
    plan.keep_within(&Memory::default());
    let measured = plan.measures();
    let (measures, columns, _) = measured.map_err(|message| message.unwrap_or_default())?;
    let known = Arc::new(Known {
        text: text.to_owned(),
        plan,
        measures,
        columns,
    });
    *last = Some(known.clone());
    Ok(known)
}

impl Known {
    fn measure(&self, point: u64) -> Result<String, String> {
        let of_point = |what: String| format!("{}: {what}", self.plan.sweep.describe(point));
        let scenario = self.plan.scenario(point);
        let scenario = scenario.map_err(|wrong| of_point(wrong.render(false)))?;
        let key = Key::of(&scenario, self.plan.sweep.columns());
        let engine = backwater_run::engine(&scenario);
        match engine.measure(&self.columns).map_err(of_point)? {
            Some(measured) => Ok(key.text(&self.measures, &measured)),
            None => {
                let short = memory::shortage().unwrap_or_else(|| "it was stopped".into());
                Err(of_point(short))
            }
        }
    }
}
