//! `backwater merge`: the shards of a sweep as the sweep that one machine would have made.
//!
//! A point is known by what was simulated, so it does not matter which directory has it, nor how
//! often: what counts is that every point of the plan is there.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use backwater_kernel::words::counted;
use backwater_results::directory::POINTS;
use backwater_results::sweep::Point;
use backwater_run::interrupt;

use crate::output::Page;
use crate::sweep::asked::{Asked, Kept, PLAN, Unread};
use crate::sweep::plan::{Checked, Plan};
use crate::sweep::shard::{Shard, assigned};
use crate::sweep::store::stored;
use crate::sweep::{End, SHARDS, conclude, usual_out};
use crate::{BAD_INPUT, complain, fail, files};

/// Missing points that are named.
const NAMED: usize = 5;

/// What to merge.
#[derive(clap::Args)]
pub struct Options {
    /// Directories of shards of one sweep, or of such directories
    #[arg(required = true, value_name = "DIR")]
    directories: Vec<PathBuf>,
    /// Directory for points, tables and report [default: that of the sweep on one machine]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    /// Write tables of what is there, if points are missing
    #[arg(long, help_heading = "Output")]
    partial: bool,
    #[command(flatten)]
    pub page: Page,
}

/// Directories of one sweep.
struct Shards {
    directories: Vec<PathBuf>,
    kept: Kept,
    /// Those that say which shard they are.
    shards: BTreeSet<Shard>,
}

/// Reads all points, and writes tables and report of them.
pub fn merge(options: &Options) -> u8 {
    let read = Shards::read(&options.directories).and_then(|mut shards| {
        let plan = Plan::read(shards.kept.asked.clone(), 0, None)?;
        plan.know(std::mem::take(&mut shards.kept.named));
        Ok((shards, plan))
    });
    let (shards, plan) = match read {
        Ok(read) => read,
        Err(message) => return complain(&message),
    };
    let points: Vec<u64> = match plan.sweep.points() {
        Ok(points) => (0..points).collect(),
        Err(mistakes) => return complain(&files::rendered(&mistakes)),
    };
    let checked = match plan.check(&points) {
        Ok(checked) => checked,
        Err(Some(message)) => return complain(&message),
        Err(None) => return interrupt::status(),
    };
    // A check has nothing to keep: until here a signal ends the program.
    interrupt::flag();
    let out = options.out.clone();
    let out = out.unwrap_or_else(|| shards.usual_out(&plan.asked));
    let stored = match shards.points(&plan, &points, &checked, &out) {
        Ok(found) => found,
        Err(message) => return fail(message),
    };
    let missing: Vec<u64> = (points.iter().zip(&stored))
        .filter(|(_, stored)| stored.is_none())
        .map(|(point, _)| *point)
        .collect();
    if !missing.is_empty() {
        eprintln!(
            "{}",
            shards.lack(&plan, &missing, points.len(), options.partial)
        );
        if !options.partial {
            return BAD_INPUT;
        }
    }
    let computed = points.len() - missing.len();
    let end = End {
        command: plan.asked.command("sweep", Vec::new()),
        words: format!("of {}", directories_in_words(shards.directories.len())),
        computed,
        out,
        may_lack: true,
        page: options.page,
    };
    write(&plan, &checked, &points, stored, &end)
}

/// Into a directory that a sweep goes on from.
fn write(
    plan: &Plan,
    checked: &Checked,
    points: &[u64],
    found: Vec<Option<Point>>,
    end: &End,
) -> u8 {
    let (work, mut directory) = match plan.start(&end.out, false, checked) {
        Ok(started) => started,
        Err(message) => return fail(message),
    };
    let kept = plan.kept(None).bounded_text();
    let written = kept.and_then(|text| {
        let written = directory.write(PLAN, text.as_bytes());
        written.map_err(|error| error.to_string())
    });
    if let Err(error) = written {
        return fail(error);
    }
    if let Err(message) = work.take(&checked.keys, &found) {
        return fail(message);
    }
    conclude(plan, checked, points, found, directory, end)
}

fn directories_in_words(count: usize) -> String {
    match count {
        1 => "1 directory".into(),
        more => format!("{more} directories"),
    }
}

impl Shards {
    /// The `--out` of the sweep whose shards these are, if it is not the usual one.
    fn out(&self, asked: &Asked) -> Option<String> {
        let mut outs = self.directories.iter().map(|one| out_of(one, asked));
        let first = outs.next().flatten()?;
        outs.all(|out| out.as_ref() == Some(&first))
            .then_some(first)
    }

    /// Where that sweep on one machine would write.
    fn usual_out(&self, asked: &Asked) -> PathBuf {
        let out = self.out(asked).map(PathBuf::from);
        out.unwrap_or_else(|| usual_out(asked))
    }

    /// What computes the missing points: shards again, where all are of one division.
    fn commands(&self, plan: &Plan, missing: &[u64], all: u64) -> Vec<String> {
        let counts: BTreeSet<u64> = self.shards.iter().map(|shard| shard.of).collect();
        let (Some(of), 1) = (counts.first(), counts.len()) else {
            return vec![plan.asked.command("sweep", Vec::new())];
        };
        let shards = assigned(all, *of);
        let which: BTreeSet<u64> = missing.iter().map(|at| shards[*at as usize]).collect();
        let out = self.out(&plan.asked).map(|out| ["--out".to_owned(), out]);
        let command = |which: &u64| {
            let words = ["--shard".to_owned(), format!("{which}/{of}")].into_iter();
            let words = words.chain(out.clone().into_iter().flatten());
            plan.asked.command("sweep", words.collect())
        };
        which.iter().map(command).collect()
    }

    /// Of these directories, all of one sweep.
    fn read(given: &[PathBuf]) -> Result<Shards, String> {
        let directories = all_of(given)?;
        let mut first: Option<(PathBuf, Kept)> = None;
        let mut shards = BTreeSet::new();
        for directory in &directories {
            let name = files::shown(directory);
            let kept = match Kept::of(directory) {
                Ok(Some(kept)) => kept,
                Ok(None) => {
                    remark!("note: {name} was stopped before it had a {PLAN}");
                    continue;
                }
                Err(Unread::Damaged(damage)) => {
                    remark!("note: {name}/{PLAN} is damaged ({damage})");
                    continue;
                }
                Err(Unread::Other(what)) => return Err(format!("error: {name}: {what}")),
            };
            shards.extend(kept.shard);
            match &mut first {
                None => first = Some((directory.clone(), kept)),
                Some((place, first)) => first.join(kept).map_err(|what| {
                    let place = files::shown(place);
                    format!(
                        "error: {place} and {name} are of two sweeps: {what}; merge each with \
                         its own"
                    )
                })?,
            }
        }
        let (_, kept) = first.ok_or_else(|| format!("error: no {PLAN} is whole in any of them"))?;
        Ok(Shards {
            directories,
            kept,
            shards,
        })
    }

    /// The points, each from whichever directory has it; those of `out` count too.
    fn points(
        &self,
        plan: &Plan,
        points: &[u64],
        checked: &Checked,
        out: &Path,
    ) -> Result<Vec<Option<Point>>, String> {
        let mut places: BTreeMap<String, Vec<&Path>> = BTreeMap::new();
        let directories = self.directories.iter().map(PathBuf::as_path);
        for directory in directories.chain([out]) {
            let entries = fs::read_dir(directory.join(POINTS));
            for entry in entries.into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                places.entry(name).or_default().push(directory);
            }
        }
        let mut joined = Vec::with_capacity(points.len());
        for (point, key) in points.iter().zip(&checked.keys) {
            let mut whole: Option<(Point, &Path)> = None;
            let places = places.get(&key.file()).map(Vec::as_slice);
            for place in places.unwrap_or_default() {
                match (stored(place, key, &checked.measures), &whole) {
                    (Ok(Some(one)), None) => whole = Some((one, place)),
                    (Ok(Some(one)), Some((other, there))) if !is_same(&one, other) => {
                        return Err(format!(
                            "{} and {} have different results of the point {}: run one of them \
                             again with --fresh",
                            files::shown(there),
                            files::shown(place),
                            plan.sweep.describe(*point)
                        ));
                    }
                    (Ok(_), _) => {}
                    (Err(damage), _) => remark!(
                        "note: the point {} in {} is damaged ({damage})",
                        plan.sweep.describe(*point),
                        files::shown(place)
                    ),
                }
            }
            joined.push(whole.map(|(point, _)| point));
        }
        Ok(joined)
    }

    /// Which points are missing, and how to get them.
    fn lack(&self, plan: &Plan, missing: &[u64], all: usize, is_partial: bool) -> String {
        let kind = if is_partial { "note" } else { "error" };
        let mut text = format!(
            "{kind}: {} of {} missing:",
            missing.len(),
            counted(all, "point")
        );
        for point in missing.iter().take(NAMED) {
            text += &format!("\n  {}", plan.sweep.describe(*point));
        }
        if let Some(more) = missing.len().checked_sub(NAMED).filter(|more| *more > 0) {
            text += &format!("\n  and {more} more");
        }
        let commands = self.commands(plan, missing, all as u64);
        text += "\ncompute them and merge again:";
        for command in commands.iter().take(NAMED) {
            text += &format!("\n  {command}");
        }
        if let Some(more) = commands.len().checked_sub(NAMED).filter(|more| *more > 0) {
            text += &format!("\n  and {more} more shards");
        }
        if !is_partial {
            text += "\nor take --partial, which writes tables of what is there";
        }
        text
    }
}

/// The `--out` of the sweep whose shards lie here, if it is not the usual one.
fn out_of(directory: &Path, asked: &Asked) -> Option<String> {
    let folder = directory.parent()?.to_str()?;
    let out = folder.strip_suffix(SHARDS)?;
    (!Path::new(out).ends_with(usual_out(asked))).then(|| out.to_owned())
}

impl Kept {
    /// The plan of both, or what tells them apart.
    fn join(&mut self, other: Kept) -> Result<(), String> {
        let Asked {
            source,
            changes,
            varied,
        } = &other.asked;
        if self.asked.source.text != source.text {
            return Err("their scenarios differ".into());
        }
        let words = |asked: &Asked| asked.words("sweep").split_off(2).join(" ");
        if (&self.asked.changes, &self.asked.varied) != (changes, varied) {
            return Err(format!(
                "one was made with `{}`, the other with `{}`",
                words(&self.asked),
                words(&other.asked)
            ));
        }
        let folder = |kept: &Kept| {
            Path::new(&kept.asked.source.name)
                .parent()
                .map(PathBuf::from)
        };
        let (mine, others) = (folder(self), folder(&other));
        // Each under the name that the scenario gives it.
        let below = |path: &Path, folder: &Option<PathBuf>| {
            let name = folder
                .as_ref()
                .and_then(|folder| path.strip_prefix(folder).ok());
            name.unwrap_or(path).to_path_buf()
        };
        let named = std::mem::take(&mut self.named);
        let named = named
            .into_iter()
            .map(|(path, text)| (below(&path, &mine), text));
        let mut named: BTreeMap<PathBuf, String> = named.collect();
        for (path, text) in other.named {
            let name = below(&path, &others);
            if named.get(&name).is_some_and(|known| *known != text) {
                return Err(format!("their files {} differ", files::shown(&name)));
            }
            named.insert(name, text);
        }
        // Whichever comes first, the same name is told.
        if other.asked.source.name < self.asked.source.name {
            self.asked.source.name = other.asked.source.name;
        }
        let folder = folder(self).unwrap_or_default();
        let named = named.into_iter();
        self.named = named
            .map(|(name, text)| (folder.join(name), text))
            .collect();
        Ok(())
    }
}

/// Bit for bit.
fn is_same(one: &Point, other: &Point) -> bool {
    let bits = |point: &Point| {
        point
            .values
            .iter()
            .map(|value| value.to_bits())
            .collect::<Vec<_>>()
    };
    one.trace_hash == other.trace_hash && bits(one) == bits(other)
}

/// The directories of sweeps among these and right below them.
fn all_of(given: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let is_sweep = |path: &Path| path.join(PLAN).is_file() || path.join(POINTS).is_dir();
    let mut all = BTreeSet::new();
    for path in given {
        if is_sweep(path) {
            all.insert(path.clone());
            continue;
        }
        let shown = files::shown(path);
        let entries = fs::read_dir(path).map_err(|error| format!("error: {shown}: {error}"))?;
        let below = entries.flatten().map(|entry| entry.path());
        let below: Vec<PathBuf> = below.filter(|path| is_sweep(path)).collect();
        if below.is_empty() {
            return Err(format!(
                "error: {shown} is no directory of a sweep, nor has it any: `backwater sweep FILE \
                 --shard 1/16` makes them"
            ));
        }
        all.extend(below);
    }
    Ok(all.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Changes;
    use crate::sweep::asked::Varied;
    use crate::sweep::store::Store;
    use backwater_scenario::Source;

    const SCENARIO: &str = backwater_shipped::scenario("sweeps/shared-link.toml");

    /// Two directories that hold the first point, with these values.
    fn merged(name: &str, values: [f64; 2]) -> Result<Vec<Option<Point>>, String> {
        let asked = Asked {
            source: Source::new("shared-link.toml", SCENARIO),
            changes: Changes::default(),
            varied: Varied::default(),
        };
        let plan = Plan::read(asked, 1, None)?;
        let checked = plan.check(&[0]).map_err(Option::unwrap_or_default)?;
        let folder = std::env::temp_dir().join(format!("merge-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        let directories = ["a", "b"].map(|name| folder.join(name));
        for (directory, value) in directories.iter().zip(values) {
            let store = Store::open(directory, false)?;
            let point = Point {
                values: vec![value; checked.measures.len()],
                trace_hash: "h0123456789abcdef".into(),
            };
            store.save(&checked.keys[0], &checked.measures, &point)?;
        }
        let shards = Shards {
            directories: directories.into(),
            kept: plan.kept(None),
            shards: BTreeSet::new(),
        };
        let found = shards.points(&plan, &[0], &checked, &folder.join("out"));
        let _ = fs::remove_dir_all(&folder);
        found
    }

    #[test]
    fn points_that_contradict_each_other_are_refused() {
        let found = merged("same", [0.5, 0.5]).expect("they are the same");
        assert_eq!(found.iter().flatten().count(), 1);
        let found = merged("empty", [f64::NAN, f64::NAN]).expect("they are the same");
        assert_eq!(found.iter().flatten().count(), 1);
        let told = merged("other", [0.5, 0.25]).expect_err("they differ");
        assert!(
            told.contains("have different results of the point"),
            "{told}"
        );
    }
}
