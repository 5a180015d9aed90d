//! `backwater saturate`: the load at which a network saturates, by bisection.
//!
//! The loads that may be tried are a grid with the wanted precision between the lowest and the
//! highest, so that a search that goes on finds the loads it has tried.

use backwater_kernel::words::counted;
use std::path::PathBuf;

use backwater_results::RunDirectory;
use backwater_results::sweep::{
    Role, Saturation, SweepResult, saturation_pivot, saturation_report, saturation_table,
    sweep_tables,
};
use backwater_scenario::{Set, is_of_frames};

use crate::sweep::plan::{Checked, How, Plan};
use crate::sweep::work::Work;
use crate::sweep::{status, told};
use crate::{Changes, default_out, fail, files, run};
use backwater_results::sweep::Point;
use backwater_run::interrupt;

/// Most combinations of the other axes.
const MOST_SEARCHES: u64 = 10_000;

/// What to search.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file; each combination of the other axes of its `[sweep]` is searched
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    /// Key of the load: a path as for --set, or its last name
    #[arg(long, value_name = "KEY", default_value = "load")]
    over: String,
    /// Length of the interval to find
    #[arg(long, value_name = "LOAD", default_value = "0.005")]
    precision: String,
    /// Lowest load tried [default: the precision]
    #[arg(long, value_name = "LOAD")]
    low: Option<String>,
    /// Highest load tried
    #[arg(long, value_name = "LOAD", default_value = "1")]
    high: String,
    #[command(flatten)]
    how: How,
}

/// One search: what is known of the load at which it saturates.
struct Search {
    /// Values of the axes; that of the load is replaced.
    values: Vec<usize>,
    carried: Option<usize>,
    saturated: Option<usize>,
}

impl Search {
    /// Loads to try next; nothing when the interval is as short as wanted.
    fn next(&self, loads: usize) -> Vec<usize> {
        match (self.carried, self.saturated) {
            (None, None) if loads > 1 => vec![0, loads - 1],
            (None, None) => vec![0],
            (Some(low), Some(high)) if low + 1 < high => vec![low + (high - low) / 2],
            _ => Vec::new(),
        }
    }

    /// A load was tried. Where a lower load saturates than one that is carried, the lower counts.
    fn learn(&mut self, load: usize, is_saturated: bool) {
        if is_saturated {
            self.saturated = Some(self.saturated.map_or(load, |known| known.min(load)));
        } else {
            self.carried = Some(self.carried.map_or(load, |known| known.max(load)));
        }
        if let (Some(carried), Some(saturated)) = (self.carried, self.saturated)
            && carried > saturated
        {
            self.carried = None;
        }
    }
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    points: Vec<u64>,
    found: Vec<Option<Point>>,
    computed: usize,
}

/// Searches and reports.
pub fn saturate(options: &Options) -> u8 {
    interrupt::flag();
    let read = files::read(&options.file);
    let axis = Some(options.axis());
    let plan = read.and_then(|source| {
        // Told before a load is looked for that frames need not have.
        if is_of_frames(&source) {
            return Err(
                "error: frames have no test for saturation; sweep the load instead, and \
                        compare goodput, drops, stops and unfinished transfers"
                    .into(),
            );
        }
        let asked = options.how.asked(source, &options.changes);
        Plan::to_compute(asked, &options.how, axis)
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(message) => return told(&message),
    };
    let Some(load) = plan.sweep.axis(&options.over) else {
        return fail(format!("no axis changes `{}`", options.over));
    };
    let loads = plan.sweep.axes()[load].values.len();
    let mut searches = match searches(&plan, load) {
        Ok(searches) => searches,
        Err(message) => return fail(message),
    };
    let ends = points(&plan, load, &searches, |search| search.next(loads));
    let checked = match plan.check(&ends) {
        Ok(checked) => checked,
        Err(Some(message)) => return told(&message),
        Err(None) => return interrupt::status(),
    };
    let out = options.how.out.clone();
    let name = format!("{}-saturate", run::name_of(&options.file));
    let out = out.unwrap_or_else(|| default_out(&name, &options.changes));
    let (work, directory) = match plan.start(&out, options.how.fresh, &checked) {
        Ok(started) => started,
        Err(message) => return fail(message),
    };
    let tried = match search(&plan, &work, load, &checked, &mut searches) {
        Ok(tried) => tried,
        Err(message) => return told(&message),
    };
    let report = Found::new(&plan, load, &checked, &searches, tried);
    let more = options.words();
    let command = plan.asked.command("saturate", more);
    let info = plan.info(&checked, command);
    if let Err(error) = report.write(directory, &info) {
        return fail(error);
    }
    report.print(options);
    println!("report: {}", files::shown(&out.join("report.html")));
    status(&report.result)
}

impl Options {
    /// The grid of loads as an axis.
    fn axis(&self) -> Set {
        let number = |text: &str| match text.trim().parse::<f64>() {
            // TOML has no `.02` and no `1.`.
            Ok(number) if text.trim().starts_with('.') || text.trim().ends_with('.') => {
                number.to_string()
            }
            Ok(_) => text.trim().to_owned(),
            Err(_) => format!("\"{}\"", text.trim().replace(['"', '\\'], "")),
        };
        let low = number(self.low.as_ref().unwrap_or(&self.precision));
        let (high, step) = (number(&self.high), number(&self.precision));
        Set {
            key: self.over.clone(),
            value: format!("{{ from = {low}, to = {high}, step = {step} }}"),
        }
    }

    /// As typed, with defaults.
    fn words(&self) -> Vec<String> {
        let low = self.low.as_ref().unwrap_or(&self.precision);
        let pairs = [
            ("--over", &self.over),
            ("--precision", &self.precision),
            ("--low", low),
            ("--high", &self.high),
        ];
        let pairs = pairs
            .into_iter()
            .filter(|(name, value)| *name != "--over" || *value != "load");
        pairs
            .flat_map(|(name, value)| [name.to_owned(), value.clone()])
            .collect()
    }
}

/// One search for each combination of the other axes.
fn searches(plan: &Plan, load: usize) -> Result<Vec<Search>, String> {
    let axes = plan.sweep.axes();
    let lengths = axes.iter().enumerate().filter(|(index, _)| *index != load);
    let lengths: Vec<u64> = lengths.map(|(_, axis)| axis.values.len() as u64).collect();
    let count = lengths
        .iter()
        .fold(1_u64, |product, length| product.saturating_mul(*length));
    if count > MOST_SEARCHES {
        return Err(format!(
            "the other axes have {count} combinations; at most {MOST_SEARCHES} are searched"
        ));
    }
    let search = |number: u64| {
        let mut rest = number;
        let mut values = vec![0; axes.len()];
        for index in (0..axes.len()).rev().filter(|index| *index != load) {
            let length = axes[index].values.len() as u64;
            values[index] = (rest % length) as usize;
            rest /= length;
        }
        Search {
            values,
            carried: None,
            saturated: None,
        }
    };
    Ok((0..count).map(search).collect())
}

/// The points of some loads of every search, with all seeds.
fn points(
    plan: &Plan,
    load: usize,
    searches: &[Search],
    loads: impl Fn(&Search) -> Vec<usize>,
) -> Vec<u64> {
    let seeds = 0..plan.sweep.seeds().len();
    let mut points = Vec::new();
    for search in searches {
        for at in loads(search) {
            let mut values = search.values.clone();
            values[load] = at;
            points.extend(seeds.clone().map(|seed| plan.sweep.point(&values, seed)));
        }
    }
    points
}

/// Halves the intervals of all searches until they are short enough, or Ctrl-C.
fn search(
    plan: &Plan,
    work: &Work<'_>,
    load: usize,
    checked: &Checked,
    searches: &mut [Search],
) -> Result<Tried, String> {
    let loads = plan.sweep.axes()[load].values.len();
    let saturated = checked
        .measures
        .iter()
        .position(|m| m.role == Role::Saturated);
    let saturated = saturated.ok_or("the engine does not say what is saturated")?;
    let seeds = plan.sweep.seeds().len();
    let mut tried = Tried::default();
    loop {
        let next: Vec<Vec<usize>> = searches.iter().map(|search| search.next(loads)).collect();
        let points = points(plan, load, searches, |search| search.next(loads));
        if points.is_empty() {
            return Ok(tried);
        }
        let keys = match plan.check(&points) {
            Ok(checked) => checked.keys,
            Err(message) => return message.map_or(Ok(tried), Err),
        };
        let mut found = work.stored(&points, &keys);
        let stored = found.iter().flatten().count();
        work.complete(&points, &keys, &mut found)?;
        tried.computed += found.iter().flatten().count() - stored;
        let is_whole = found.iter().all(Option::is_some);
        let mut votes = found.chunks(seeds).map(|runs| vote(runs, saturated));
        for (search, loads) in searches.iter_mut().zip(next) {
            for at in loads {
                if let Some(Some(is_saturated)) = votes.next() {
                    tell(plan, load, &search.values, at, is_saturated);
                    search.learn(at, is_saturated);
                }
            }
        }
        tried.points.extend(points);
        tried.found.extend(found);
        if !is_whole {
            return Ok(tried);
        }
    }
}

/// More than half of the seeds say so; `None` if one did not run.
fn vote(runs: &[Option<Point>], saturated: usize) -> Option<bool> {
    let mut votes = 0;
    for run in runs {
        votes += usize::from(run.as_ref()?.values[saturated] > 0.5);
    }
    Some(2 * votes > runs.len())
}

fn tell(plan: &Plan, load: usize, values: &[usize], at: usize, is_saturated: bool) {
    let mut values = values.to_vec();
    values[load] = at;
    let point = plan.sweep.describe(plan.sweep.point(&values, 0));
    let point = point
        .rsplit_once(", seed")
        .map_or(point.as_str(), |(axes, _)| axes);
    println!(
        "{point}: {}",
        if is_saturated { "saturated" } else { "carried" }
    );
}

/// The end of all searches.
struct Found {
    result: SweepResult,
    load: usize,
    found: Vec<Saturation>,
    computed: usize,
}

impl Found {
    fn new(
        plan: &Plan,
        load: usize,
        checked: &Checked,
        searches: &[Search],
        tried: Tried,
    ) -> Found {
        let mut order: Vec<(u64, Option<Point>)> =
            tried.points.into_iter().zip(tried.found).collect();
        order.sort_by_key(|(point, _)| *point);
        let loads = plan.sweep.axes()[load].values.len();
        let (points, found): (Vec<u64>, Vec<Option<Point>>) = order.into_iter().unzip();
        let mut result = plan.result(&checked.measures, &points, found);
        result.partial |= searches.iter().any(|search| !search.next(loads).is_empty());
        // Of the grid only what was tried is worth telling.
        let mut kept: Vec<usize> = result.rows.iter().map(|row| row.values[load]).collect();
        kept.sort();
        kept.dedup();
        let axis = &mut result.axes[load];
        axis.values = kept.iter().map(|at| axis.values[*at].clone()).collect();
        let numbers = axis.numbers.take();
        axis.numbers = numbers.map(|numbers| kept.iter().map(|at| numbers[*at]).collect());
        let place = |at: usize| kept.binary_search(&at).ok();
        for row in &mut result.rows {
            row.values[load] = place(row.values[load]).unwrap_or(0);
        }
        let found = searches.iter().map(|search| Saturation {
            values: search.values.clone(),
            carried: search.carried.and_then(place),
            saturated: search.saturated.and_then(place),
        });
        Found {
            found: found.collect(),
            result,
            load,
            computed: tried.computed,
        }
    }

    fn write(
        &self,
        mut directory: RunDirectory,
        info: &backwater_results::sweep::SweepInfo,
    ) -> Result<(), backwater_results::DirectoryError> {
        let mut tables = vec![saturation_table(&self.result, self.load, &self.found)];
        tables.extend(sweep_tables(&self.result));
        directory.write_tables(&tables)?;
        let report = saturation_report(info, &self.result, self.load, &self.found);
        directory.write_report(&report)?;
        directory.save_manifest(&self.result.manifest("saturate", info))
    }

    fn print(&self, options: &Options) {
        let axis = &self.result.axes[self.load];
        println!();
        let pivot = saturation_pivot(&self.result, self.load, &self.found);
        print!("{pivot}");
        let lines = if pivot.is_empty() {
            &self.found[..]
        } else {
            &[]
        };
        for one in lines {
            let mut place = String::new();
            for (index, other) in self.result.axes.iter().enumerate() {
                if index != self.load && other.values.len() > 1 {
                    place += &format!("{} = {}: ", other.name, other.values[one.values[index]]);
                }
            }
            let text = |at: usize| axis.values[at].as_str();
            let name = &axis.name;
            let words = match (one.carried, one.saturated) {
                (Some(low), Some(high)) => {
                    format!("saturates between {name} {} and {}", text(low), text(high))
                }
                (Some(low), None) => format!("carries all up to {name} {}", text(low)),
                (None, Some(high)) => format!("saturated already at {name} {}", text(high)),
                (None, None) => "not known yet".into(),
            };
            println!("{place}{words}");
        }
        let runs = counted(self.result.rows.len(), "run");
        let precision = &options.precision;
        println!(
            "precision {precision}; {runs}, {} computed now",
            self.computed
        );
    }
}
