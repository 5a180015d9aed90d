//! `backwater saturate`: the load at which a network saturates, by bisection.
//!
//! The loads that may be tried are multiples of the wanted precision between the lowest and the
//! highest: every search tries the same ones, and one that goes on finds those it has tried.

mod longer;
mod search;

use backwater_kernel::words::counted;
use std::collections::BTreeMap;
use std::path::PathBuf;

use backwater_results::RunDirectory;
use backwater_results::sweep::{
    Role, Saturation, SweepResult, saturation_pivot, saturation_report, saturation_table,
    sweep_tables,
};
use backwater_scenario::{Grid, GridEnd, is_of_frames};
use serde_json::json;

use self::longer::{LONGER, Longer};
use self::search::Search;
use crate::output::Page;
use crate::sweep::plan::{Checked, How, Plan};
use crate::sweep::work::Work;
use crate::sweep::{self, status};
use crate::{Changes, complain, default_out, document, fail, files, run};
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
    #[arg(
        long,
        value_name = "KEY",
        default_value = "load",
        help_heading = "Search"
    )]
    over: String,
    /// Length of the interval to find
    #[arg(
        long,
        value_name = "LOAD",
        default_value = "0.005",
        help_heading = "Search"
    )]
    precision: String,
    /// Lowest load tried [default: the precision]
    #[arg(long, value_name = "LOAD", help_heading = "Search")]
    low: Option<String>,
    /// Highest load tried
    #[arg(
        long,
        value_name = "LOAD",
        default_value = "1",
        help_heading = "Search"
    )]
    high: String,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    pub page: Page,
}

/// What was tried so far.
#[derive(Default)]
struct Tried {
    /// Each with the longest window it was tried with.
    found: BTreeMap<u64, Option<Point>>,
    runs: usize,
    computed: usize,
}

/// Searches and reports.
pub fn saturate(options: &Options) -> u8 {
    let read = files::read(&options.file);
    let grid = options.grid();
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
        Plan::to_compute(asked, &options.how, Some(grid.clone()))
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(message) => return complain(&message),
    };
    let Some(load) = plan.sweep.axis(&options.over) else {
        return fail(format!("no axis changes `{}`", options.over));
    };
    let loads = plan.sweep.axes()[load].values.len();
    let mut searches = match searches(&plan, load) {
        Ok(searches) => searches,
        Err(message) => return fail(message),
    };
    let ends = points(
        &plan,
        load,
        searches.iter().map(|own| (own, vec![0, loads - 1])),
    );
    let checked = match plan.check(&ends) {
        Ok(checked) => checked,
        Err(Some(message)) => return complain(&message),
        Err(None) => return interrupt::status(),
    };
    // A check has nothing to keep: until here a signal ends the program.
    interrupt::flag();
    let out = options.how.out.clone();
    let name = format!("{}-saturate", run::name_of(&options.file));
    let out = out.unwrap_or_else(|| default_out(&name, &options.changes));
    let (work, directory) = match plan.start(&out, options.how.fresh, &checked) {
        Ok(started) => started,
        Err(message) => return fail(message),
    };
    let longer = Longer::new(&plan, options, &grid);
    let works = match longer.work((&plan, work), &checked, &out) {
        Ok(works) => works,
        Err(message) => return fail(message),
    };
    let tried = match search(&works, load, &checked, &mut searches) {
        Ok(tried) => tried,
        Err(message) => return complain(&message),
    };
    let report = Found::new(&plan, load, &checked, searches, (tried, works.len()));
    let more = options.words();
    let command = plan.asked.command("saturate", more);
    let info = plan.info(&checked, command);
    if let Err(error) = report.write(directory, &info) {
        return fail(error);
    }
    report.print(options, &longer);
    report.put(options);
    options.page.tell(&out);
    status(&report.result)
}

impl Options {
    /// The loads that may be tried.
    fn grid(&self) -> Grid {
        let number = |text: &str| match text.trim().parse::<f64>() {
            // TOML has no `.02` and no `1.`.
            Ok(number) if text.trim().starts_with('.') || text.trim().ends_with('.') => {
                number.to_string()
            }
            Ok(_) => text.trim().to_owned(),
            Err(_) => format!("\"{}\"", text.trim().replace(['"', '\\'], "")),
        };
        let end = |typed: &String, rounded: &str| GridEnd {
            typed: typed.trim().into(),
            value: number(rounded),
        };
        let low = self.low.as_ref().unwrap_or(&self.precision);
        Grid {
            over: self.over.clone(),
            low: end(low, &multiple(low, &self.precision)),
            high: end(&self.high, &self.high),
            precision: end(&self.precision, &self.precision),
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

/// The least multiple of `step` that is not below `low`, where both are plain decimals of one unit;
/// else `low`.
fn multiple(low: &str, step: &str) -> String {
    let parts = |text: &str| {
        let text = text.trim();
        let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
        let (number, unit) = text.split_at(end.unwrap_or(text.len()));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits: u64 = format!("{whole}{fraction}").parse().ok()?;
        Some((digits, fraction.len() as u32, unit.trim().to_owned()))
    };
    let rounded = || {
        let ((low, low_digits, unit), (step, step_digits, own)) = (parts(low)?, parts(step)?);
        let digits = low_digits.max(step_digits);
        let scale = |number: u64, have: u32| number.checked_mul(10_u64.checked_pow(digits - have)?);
        let (low, step) = (scale(low, low_digits)?, scale(step, step_digits)?);
        if unit != own || step == 0 || low % step == 0 {
            return None;
        }
        let (least, one) = (low.next_multiple_of(step), 10_u64.checked_pow(digits)?);
        let (whole, fraction) = (least / one, least % one);
        let number = match digits {
            0 => whole.to_string(),
            _ => format!("{whole}.{fraction:0width$}", width = digits as usize),
        };
        Some(format!("{number} {unit}").trim_end().to_owned())
    };
    rounded().unwrap_or_else(|| low.to_owned())
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
        Search::new(values)
    };
    Ok((0..count).map(search).collect())
}

/// The points of some loads of some searches, with all seeds.
fn points<'a>(
    plan: &Plan,
    load: usize,
    searches: impl Iterator<Item = (&'a Search, Vec<usize>)>,
) -> Vec<u64> {
    let seeds = 0..plan.sweep.seeds().len();
    let mut points = Vec::new();
    for (search, mut loads) in searches {
        loads.dedup();
        for at in loads {
            let mut values = search.values.clone();
            values[load] = at;
            points.extend(seeds.clone().map(|seed| plan.sweep.point(&values, seed)));
        }
    }
    points
}

/// Goes on with all searches until they are done, or Ctrl-C. `works` are at the same points, each
/// with a longer window than the one before.
fn search(
    works: &[(&Plan, Work<'_>)],
    load: usize,
    checked: &Checked,
    searches: &mut [Search],
) -> Result<Tried, String> {
    let sweep = &works[0].0.sweep;
    let loads = sweep.axes()[load].values.len();
    let saturated = checked
        .measures
        .iter()
        .position(|m| m.role == Role::Saturated);
    let saturated = saturated.ok_or("the engine does not say what is saturated")?;
    let seeds = sweep.seeds().len();
    let mut tried = Tried::default();
    loop {
        let next: Vec<Vec<usize>> = searches
            .iter_mut()
            .map(|search| search.next(loads, works.len()))
            .collect();
        if next.iter().all(Vec::is_empty) {
            return Ok(tried);
        }
        for (window, (plan, work)) in works.iter().enumerate() {
            let mine = searches.iter_mut().zip(&next);
            let mut mine: Vec<_> = mine.filter(|(own, _)| own.window == window).collect();
            let all = mine.iter().map(|(own, loads)| (&**own, loads.to_vec()));
            let points = points(plan, load, all);
            if points.is_empty() {
                continue;
            }
            let keys = match plan.check(&points) {
                Ok(checked) => checked.keys,
                Err(message) => return message.map_or(Ok(tried), Err),
            };
            let mut results = work.stored(&points, &keys);
            let stored = results.iter().flatten().count();
            work.complete(&points, &keys, &mut results)?;
            let done = results.iter().flatten().count();
            tried.runs += done;
            tried.computed += done - stored;
            let is_whole = results.iter().all(Option::is_some);
            let mut votes = results.chunks(seeds).map(|runs| vote(runs, saturated));
            for (search, loads) in &mut mine {
                for at in loads.iter() {
                    if let Some(Some(is_saturated)) = votes.next() {
                        tell((plan, window), load, &search.values, *at, is_saturated);
                        search.learn(*at, is_saturated);
                    }
                }
            }
            tried.found.extend(points.into_iter().zip(results));
            if !is_whole {
                return Ok(tried);
            }
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

fn tell(
    (plan, window): (&Plan, usize),
    load: usize,
    values: &[usize],
    at: usize,
    is_saturated: bool,
) {
    let mut values = values.to_vec();
    values[load] = at;
    let point = plan.sweep.describe(plan.sweep.point(&values, 0));
    let point = point
        .rsplit_once(", seed")
        .map_or(point.as_str(), |(axes, _)| axes);
    let longer = window.checked_sub(1).map_or(String::new(), |longer| {
        format!(", window {} times as long", LONGER[longer])
    });
    let what = if is_saturated { "saturated" } else { "carried" };
    println!("{point}{longer}: {what}");
}

/// The end of all searches.
struct Found {
    result: SweepResult,
    load: usize,
    found: Vec<Saturation>,
    runs: usize,
    computed: usize,
}

impl Found {
    fn new(
        plan: &Plan,
        load: usize,
        checked: &Checked,
        mut searches: Vec<Search>,
        (tried, windows): (Tried, usize),
    ) -> Found {
        let loads = plan.sweep.axes()[load].values.len();
        let (points, found): (Vec<u64>, Vec<Option<Point>>) = tried.found.into_iter().unzip();
        let mut result = plan.result(&checked.measures, &points, found);
        result.partial |= searches
            .iter_mut()
            .any(|search| !search.next(loads, windows).is_empty());
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
        let edges = searches.iter().map(|search| Saturation {
            values: search.values.clone(),
            carried: search.carried().and_then(place),
            saturated: search.saturated().and_then(place),
        });
        Found {
            found: edges.collect(),
            result,
            load,
            runs: tried.runs,
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

    /// Puts what was found into the document.
    fn put(&self, options: &Options) {
        let load = &self.result.axes[self.load];
        let object = |found: &Saturation| {
            let at = |at: Option<usize>| at.map(|at| sweep::value(load, at));
            let mut values = sweep::values(&self.result, &found.values);
            values.remove(&load.name);
            json!({
                "values": values, "carried": at(found.carried), "saturated": at(found.saturated),
            })
        };
        let objects = self.found.iter().map(object);
        document::put("over", load.path.as_str());
        document::put("precision", options.precision.as_str());
        document::put("saturation", objects.collect::<Vec<_>>());
        document::put("computed", self.computed);
        sweep::put_points(&self.result);
    }

    fn print(&self, options: &Options, longer: &Longer) {
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
        if let Some((value, _)) = longer.plans.last() {
            println!("near the edge with `{}` of up to {value}", longer.key);
        }
        let runs = counted(self.runs, "run");
        let precision = &options.precision;
        println!(
            "precision {precision}; {runs}, {} computed now",
            self.computed
        );
    }
}
