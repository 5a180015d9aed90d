//! What a sweep was asked for, and the file `plan.json` that keeps it: with it any machine makes
//! the same points.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use backwater_results::directory::read_file;
use backwater_scenario::{LARGEST_FILE_BYTES, Set, Source};
use serde_json::{Map, Value, json};

use super::shard::Shard;
use super::store::{SOURCES, VERSION};
use super::stored::{sealed, unsealed};
use crate::{Changes, command_of, files};

/// The file's name.
pub const PLAN: &str = "plan.json";
/// A plan that is larger is none: room for the largest file that a scenario names, as it is written
/// there.
const LARGEST_BYTES: u64 = 2 * LARGEST_FILE_BYTES as u64;

/// What varies besides the axes of the scenario, and what is measured.
#[derive(clap::Args, Clone, Default, PartialEq)]
pub struct Varied {
    /// Add an axis or replace one of the scenario, as `--axis load=0.1,0.2` or
    /// `--axis 'load={ from = 0.1, to = 0.9, step = 0.1 }'`
    #[arg(long = "axis", value_name = "KEY=VALUES", help_heading = "What varies")]
    axes: Vec<String>,
    /// Number of seeds, or a list of them: 5 or 1,2,7
    #[arg(long, value_name = "N", help_heading = "What varies")]
    seeds: Option<String>,
    /// Columns of flows or groups in addition to those of the whole network, as
    /// victim.goodput,incast.fct_p99
    #[arg(long, value_name = "FLOW.COLUMN,..", help_heading = "What varies")]
    columns: Option<String>,
}

/// A scenario, and what is to vary in it.
#[derive(Clone)]
pub struct Asked {
    /// The scenario.
    pub source: Source,
    /// Changed keys.
    pub changes: Changes,
    /// Axes, seeds and columns.
    pub varied: Varied,
}

/// A plan as a directory keeps it.
pub struct Kept {
    /// What was asked for.
    pub asked: Asked,
    /// Of which shard the directory is; `None` for a whole sweep.
    pub shard: Option<Shard>,
    /// The files that the scenario names, by path.
    pub named: BTreeMap<PathBuf, String>,
}

impl Asked {
    /// The command that gives the same: without what moves no number.
    pub fn command(&self, name: &str, more: Vec<String>) -> String {
        command_of(self.words(name).into_iter().chain(more))
    }

    /// The words of that command.
    pub fn words(&self, name: &str) -> Vec<String> {
        let option = |name: &'static str| move |value: &String| [name.to_owned(), value.clone()];
        let seed = self.changes.seed.map(|seed| seed.to_string());
        let source = match self.source.name.as_str() {
            files::FROM_INPUT => "-",
            name => name,
        };
        let mut words = vec![name.to_owned(), source.to_owned()];
        words.extend(self.changes.sets.iter().flat_map(option("--set")));
        words.extend(seed.iter().flat_map(option("--seed")));
        words.extend(self.varied.axes.iter().flat_map(option("--axis")));
        words.extend(self.varied.seeds.iter().flat_map(option("--seeds")));
        words.extend(self.varied.columns.iter().flat_map(option("--columns")));
        words
    }

    /// Keys that are set, and axes, as the scenario layer takes them.
    pub fn sets_and_axes(&self) -> Result<(Vec<Set>, Vec<Set>), String> {
        let mut sets = files::sets(&self.changes).map_err(|message| format!("error: {message}"))?;
        if let Some(seeds) = &self.varied.seeds {
            let is_list = seeds.contains(',') && !seeds.trim_start().starts_with('[');
            sets.push(Set {
                key: "sweep.seeds".into(),
                value: if is_list {
                    format!("[{seeds}]")
                } else {
                    seeds.clone()
                },
            });
        }
        if let Some(columns) = &self.varied.columns {
            let columns = columns.split(',').map(|column| format!("{column:?}"));
            let columns: Vec<String> = columns.collect();
            sets.push(Set {
                key: "sweep.columns".into(),
                value: format!("[{}]", columns.join(", ")),
            });
        }
        let axis =
            |text: &String| files::set_of(text, "error: --axis takes KEY=VALUES, as load=0.1,0.2");
        let axes: Result<Vec<Set>, String> = self.varied.axes.iter().map(axis).collect();
        Ok((sets, axes?))
    }
}

impl Kept {
    /// As text, if a directory can keep it.
    ///
    /// # Errors
    /// If it would be larger than what is read.
    pub fn bounded_text(&self) -> Result<String, String> {
        let text = self.text();
        match text.len() as u64 {
            0..=LARGEST_BYTES => Ok(text),
            bytes => Err(format!(
                "the scenario and the files that it names take {} MiB in {PLAN}, which holds at \
                 most {} MiB: name fewer of them, or smaller ones",
                bytes >> 20,
                LARGEST_BYTES >> 20
            )),
        }
    }

    /// As text.
    pub fn text(&self) -> String {
        let Asked {
            source,
            changes,
            varied,
        } = &self.asked;
        let folder = folder_of(source);
        let named = self.named.iter().map(|(path, text)| {
            let name = path.strip_prefix(folder).unwrap_or(path);
            (name.to_string_lossy().into_owned(), json!(text))
        });
        let mut fields = Map::new();
        fields.insert("program".into(), json!("backwater"));
        fields.insert("version".into(), json!(VERSION));
        fields.insert("sources".into(), json!(SOURCES));
        fields.insert("name".into(), json!(source.name));
        fields.insert("set".into(), json!(changes.sets));
        fields.insert("seed".into(), json!(changes.seed));
        fields.insert("axes".into(), json!(varied.axes));
        fields.insert("seeds".into(), json!(varied.seeds));
        fields.insert("columns".into(), json!(varied.columns));
        let shard = self.shard.as_ref().map(Shard::to_string);
        fields.insert("shard".into(), json!(shard));
        fields.insert("scenario".into(), json!(source.text));
        fields.insert("files".into(), Value::Object(named.collect()));
        sealed(fields)
    }

    /// Reads a plan of this very program.
    ///
    /// # Errors
    /// If it is another program's, or no plan; says how that shows.
    pub fn read(text: &[u8]) -> Result<Kept, Unread> {
        let fields = unsealed(text).map_err(Unread::Damaged)?;
        let word = |name: &str| fields.get(name).and_then(Value::as_str).map(String::from);
        let list = |name: &str| {
            let list = fields.get(name).and_then(Value::as_array)?;
            let words = list.iter().map(|one| one.as_str().map(String::from));
            words.collect::<Option<Vec<String>>>()
        };
        let (version, sources) = (word("version"), word("sources"));
        if [&version, &sources] != [&Some(VERSION.into()), &Some(SOURCES.into())] {
            let of = |part: Option<String>| part.unwrap_or_else(|| "unknown".into());
            return Err(Unread::Other(format!(
                "its points are of backwater {} with sources {}, this is {VERSION} with sources \
                 {SOURCES}; compute and merge all shards with one version",
                of(version),
                of(sources)
            )));
        }
        let missing = || Unread::Damaged("a field is missing".into());
        let source = Source {
            name: word("name").ok_or_else(missing)?,
            text: word("scenario").ok_or_else(missing)?,
        };
        let files = fields.get("files").and_then(Value::as_object);
        let folder = folder_of(&source);
        let named = files
            .ok_or_else(missing)?
            .iter()
            .filter_map(|(name, text)| {
                let text = text.as_str()?.to_owned();
                Some((folder.join(name), text))
            });
        Ok(Kept {
            shard: word("shard").and_then(|shard| shard.parse().ok()),
            named: named.collect(),
            asked: Asked {
                changes: Changes {
                    sets: list("set").ok_or_else(missing)?,
                    seed: fields.get("seed").and_then(Value::as_u64),
                },
                varied: Varied {
                    axes: list("axes").ok_or_else(missing)?,
                    seeds: word("seeds"),
                    columns: word("columns"),
                },
                source,
            },
        })
    }

    /// Reads that of a directory; `None` where there is no such file.
    ///
    /// # Errors
    /// As [`Kept::read`].
    pub fn of(directory: &Path) -> Result<Option<Kept>, Unread> {
        match read_file(&directory.join(PLAN), LARGEST_BYTES) {
            Ok(text) => Kept::read(&text).map(Some),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Unread::Damaged(error.to_string())),
        }
    }
}

/// Why a plan is not read.
#[derive(Debug)]
pub enum Unread {
    /// It is not whole.
    Damaged(String),
    /// It is of another program version.
    Other(String),
}

fn folder_of(source: &Source) -> &Path {
    let folder = Path::new(&source.name).parent();
    folder.unwrap_or(Path::new(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept() -> Kept {
        let words = |words: &[&str]| words.iter().map(|word| (*word).into()).collect();
        Kept {
            asked: Asked {
                source: Source::new("in/two.toml", "title = \"Two\"\n"),
                changes: Changes {
                    sets: words(&["a.b=\"c d\"", "e=1"]),
                    seed: Some(7),
                },
                varied: Varied {
                    axes: words(&["load=0.1,0.2"]),
                    seeds: Some("1,2".into()),
                    columns: None,
                },
            },
            shard: Some(Shard { which: 3, of: 16 }),
            named: BTreeMap::from([("in/ring.anynet".into(), "router 0".into())]),
        }
    }

    #[test]
    fn a_plan_comes_back_as_it_was() {
        let kept = kept();
        let text = kept.text();
        let back = Kept::read(text.as_bytes()).unwrap_or_else(|error| panic!("{error:?}"));
        assert_eq!(back.text(), text);
        assert_eq!(back.shard, kept.shard);
        assert_eq!(back.named, kept.named);
        let wanted = "backwater sweep in/two.toml --set 'a.b=\"c d\"' --set e=1 --seed 7 --axis \
                      load=0.1,0.2 --seeds 1,2 --shard 3/16";
        let shard = vec!["--shard".into(), "3/16".into()];
        assert_eq!(back.asked.command("sweep", shard), wanted);
    }

    #[test]
    fn no_plan_is_larger_than_what_is_read() {
        let mut large = kept();
        assert!(large.bounded_text().is_ok());
        let text = "\n".repeat(LARGEST_FILE_BYTES + 1);
        large.named.insert("in/large.csv".into(), text);
        let told = large.bounded_text().expect_err("too large");
        assert!(told.contains("at most 128 MiB"), "{told}");
    }

    #[test]
    fn what_is_not_whole_or_of_another_program_is_refused() {
        let text = kept().text();
        for end in 0..text.len() - 2 {
            let read = Kept::read(&text.as_bytes()[..end]);
            assert!(matches!(read, Err(Unread::Damaged(_))), "cut at {end}");
        }
        let read = Kept::read(text.replace("e=1", "e=2").as_bytes());
        assert!(matches!(read, Err(Unread::Damaged(_))), "changed");
        for (name, other) in [("version", "9.9.9"), ("sources", "0123456789abcdef")] {
            let mut fields = unsealed(text.as_bytes()).expect("it is whole");
            fields.insert(name.into(), json!(other));
            let Err(Unread::Other(told)) = Kept::read(sealed(fields).as_bytes()) else {
                panic!("another {name} is read");
            };
            assert!(told.contains(other), "{told}");
        }
    }
}
