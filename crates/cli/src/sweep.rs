//! `backwater sweep`: every combination of values and seeds, on all cores, resumable.

pub mod asked;
pub mod digest;
pub mod plan;
mod progress;
pub mod shard;
mod slurm;
pub mod store;
mod stored;
pub mod work;
pub mod workers;

use backwater_kernel::words::counted;
use std::path::{Path, PathBuf};

use backwater_results::sweep::{
    Point, Role, SweepAxis, SweepInfo, SweepResult, SweepRow, sweep_pivot, sweep_report,
    sweep_tables,
};
use backwater_results::{RunDirectory, key};
use serde_json::{Map, Value, json};

use crate::output::Page;
use crate::{Changes, FAILED, SHORT_OF_MEMORY, SUCCESS};
use crate::{complain, default_out, document, fail, files, run};
use asked::{Asked, PLAN};
use backwater_run::{interrupt, memory};
use plan::{Checked, How, Plan};
use shard::Shard;
use store::Key;

/// What the name of the directory with the shards of a sweep has besides.
pub const SHARDS: &str = "-shards";

/// What to sweep.
#[derive(clap::Args)]
pub struct Options {
    /// Scenario file with `[sweep]`; `-` is standard input
    file: PathBuf,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    how: How,
    /// Compute one of so many parts, as 3/16, into OUT-shards/3-of-16; `backwater merge` joins them
    #[arg(long, value_name = "K/N", help_heading = "Run")]
    shard: Option<Shard>,
    /// Print a line for each point and run none: number, id, values, seed
    #[arg(long, help_heading = "Run")]
    list: bool,
    /// Print a script for `sbatch` that computes so many parts, each as a task of an array
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, help_heading = "Run")]
    #[arg(default_missing_value = "16", value_parser = clap::value_parser!(u64).range(1..=10_000))]
    #[arg(conflicts_with_all = ["shard", "list", "fresh", "jobs", "format", "quiet"])]
    slurm: Option<u64>,
    #[command(flatten)]
    pub page: Page,
}

/// Checks every point, computes those that are not stored, writes tables and report.
pub fn sweep(options: &Options) -> u8 {
    let only_looks = options.list || options.slurm.is_some();
    let plan = files::read(&options.file).and_then(|source| {
        let asked = options.how.asked(source, &options.changes);
        match only_looks {
            true => Plan::read(asked, 0, None),
            false => Plan::to_compute(asked, &options.how, None),
        }
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(message) => return complain(&message),
    };
    let all = match plan.sweep.points() {
        Ok(points) => points,
        Err(mistakes) => return complain(&files::rendered(&mistakes)),
    };
    if all == 1 && plan.sweep.axes().is_empty() {
        return fail(
            "nothing varies; add `[sweep]` with axes or seeds to the scenario, or give --axis \
             load=0.1,0.2 or --seeds 5",
        );
    }
    let points = match options.shard {
        Some(shard) => shard.points(all),
        None => (0..all).collect(),
    };
    let checked = match plan.check(&points) {
        Ok(checked) => checked,
        Err(Some(message)) => return complain(&message),
        Err(None) => return interrupt::status(),
    };
    let out = options.how.out.clone();
    let out = out.unwrap_or_else(|| usual_out(&plan.asked));
    if options.list {
        return list(&plan, &points, &checked);
    }
    if let Some(tasks) = options.slurm {
        return slurm::print(&plan.asked, &options.how, &out, [tasks.min(all), all]);
    }
    compute(options, &plan, &points, &checked, &out)
}

fn compute(options: &Options, plan: &Plan, points: &[u64], checked: &Checked, out: &Path) -> u8 {
    // A check has nothing to keep: until here a signal ends the program.
    interrupt::flag();
    let shard = options.shard;
    let out = shard.map_or(out.to_path_buf(), |shard| shards_of(out).join(shard.name()));
    let (work, mut directory) = match plan.start(&out, options.how.fresh, checked) {
        Ok(started) => started,
        Err(message) => return fail(message),
    };
    let kept = plan.kept(shard).bounded_text();
    let written = kept.and_then(|text| {
        let written = directory.write(PLAN, text.as_bytes());
        written.map_err(|error| error.to_string())
    });
    if let Err(error) = written {
        return fail(error);
    }
    let mut runs = work.stored(points, &checked.keys);
    let stored = runs.iter().flatten().count();
    if stored > 0 {
        remark!("{stored} of {} there already", counted(points.len(), "run"));
    }
    if let Err(message) = work.complete(points, &checked.keys, &mut runs) {
        return fail(message);
    }
    let done = runs.iter().flatten().count();
    let more = shard.map(|shard| vec!["--shard".into(), shard.to_string()]);
    let end = End {
        command: plan.asked.command("sweep", more.unwrap_or_default()),
        words: format!("{} computed now", done - stored),
        computed: done - stored,
        out,
        may_lack: false,
        page: options.page,
    };
    conclude(plan, checked, points, runs, directory, &end)
}

/// How a sweep or a merge ends.
pub struct End {
    /// The command that makes the same.
    pub command: String,
    /// What it did.
    pub words: String,
    /// Points that were computed now.
    pub computed: usize,
    /// Where the results are.
    pub out: PathBuf,
    /// Points that are missing are as wanted.
    pub may_lack: bool,
    /// How it is told.
    pub page: Page,
}

/// Writes tables and report of what was found, and says so.
pub fn conclude(
    plan: &Plan,
    checked: &Checked,
    points: &[u64],
    found: Vec<Option<Point>>,
    directory: RunDirectory,
    end: &End,
) -> u8 {
    let result = plan.result(&checked.measures, points, found);
    let info = plan.info(checked, end.command.clone());
    if let Err(error) = write(directory, &info, &result) {
        return fail(error);
    }
    let done = result.rows.len();
    println!(
        "{}: {done} of {}, {}",
        info.name,
        counted(points.len(), "run"),
        end.words
    );
    print!("{}", sweep_pivot(&result));
    document::put("computed", end.computed);
    put_points(&result);
    end.page.tell(&end.out);
    match end.may_lack {
        true => judge(&result),
        false => status(&result),
    }
}

/// Where results go when `--out` does not say.
pub fn usual_out(asked: &Asked) -> PathBuf {
    let name = run::name_of(Path::new(&asked.source.name));
    default_out(&format!("{name}-sweep"), &asked.changes)
}

/// Where the shards of a sweep lie, each in a directory of its own.
pub fn shards_of(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(SHARDS);
    name.into()
}

/// What a sweep found, for a document.
pub fn put_points(result: &SweepResult) {
    if !document::is_wanted() {
        return;
    }
    let axis = |axis: &SweepAxis| {
        json!({
            "name": axis.name, "key": axis.path, "unit": axis.unit, "values": axis.values,
        })
    };
    let row = |row: &SweepRow| {
        let names = result
            .measures
            .iter()
            .map(|measure| key(&measure.name, &measure.unit));
        let numbers = row.measured.iter().map(|number| json!(number));
        json!({
            "values": values(result, &row.values),
            "seed": row.seed,
            "trace_hash": row.trace_hash,
            "measures": names.zip(numbers).collect::<Map<String, Value>>(),
        })
    };
    document::put("planned", result.planned);
    document::put("partial", result.partial);
    document::put("axes", result.axes.iter().map(axis).collect::<Vec<_>>());
    document::put("points", result.rows.iter().map(row).collect::<Vec<_>>());
}

/// The value of each axis, by its name.
pub fn values(result: &SweepResult, chosen: &[usize]) -> Map<String, Value> {
    let all = result.axes.iter().zip(chosen);
    all.map(|(axis, at)| (axis.name.clone(), value(axis, *at)))
        .collect()
}

/// A value of an axis: a number in its unit where all of them are.
pub fn value(axis: &SweepAxis, at: usize) -> Value {
    match axis.numbers.as_ref().and_then(|numbers| numbers.get(at)) {
        Some(number) => json!(number),
        None => json!(axis.values.get(at)),
    }
}

/// Number, id, values and seed of each point, with tabs between them.
fn list(plan: &Plan, points: &[u64], checked: &Checked) -> u8 {
    let axes = SweepResult {
        axes: plan.axes(),
        ..SweepResult::default()
    };
    let point = |(point, key): (&u64, &Key)| {
        let (chosen, seed) = plan.sweep.choice(*point);
        json!({
            "number": point + 1, "id": key.id(), "values": values(&axes, &chosen),
            "seed": plan.sweep.seeds()[seed],
        })
    };
    let listed = points.iter().zip(&checked.keys).map(point);
    document::put("points", listed.collect::<Vec<_>>());
    for (point, key) in points.iter().zip(&checked.keys) {
        let words = plan.sweep.describe(*point).replace(", ", "\t");
        println!("{}\t{}\t{words}", point + 1, key.id());
    }
    SUCCESS
}

/// The status of a sweep or search, and a word where it is not the usual one.
pub fn status(result: &SweepResult) -> u8 {
    if memory::is_told() {
        return SHORT_OF_MEMORY;
    }
    if result.partial {
        eprintln!("stopped; the same command continues from here");
        return interrupt::status();
    }
    judge(result)
}

/// The status of what was computed.
fn judge(result: &SweepResult) -> u8 {
    let broken = result.count(Role::Broken);
    if broken > 0 {
        let runs = counted(broken, "run");
        complain(&format!(
            "{runs} broke a promise: see `broken promises` in the tables"
        ));
    }
    let standstills = result.standstills();
    if let Some(told) = &standstills {
        complain(told);
    }
    match (broken, standstills) {
        (0, None) => SUCCESS,
        _ => FAILED,
    }
}

fn write(
    mut directory: RunDirectory,
    info: &SweepInfo,
    result: &SweepResult,
) -> Result<(), backwater_results::DirectoryError> {
    directory.write_tables(&sweep_tables(result))?;
    directory.write_report(&sweep_report(info, result))?;
    directory.save_manifest(&result.manifest("sweep", info))
}
