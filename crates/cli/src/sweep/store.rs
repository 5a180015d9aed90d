//! Points on the disk: each in a file of its own, named by what was simulated.
//!
//! A file appears by a rename after its content was flushed. So a program or machine that stops
//! at any instant leaves whole points only, and a sweep that starts again finds them. What a disk
//! or a hand changes in a file is found by the digest of its content.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use backwater_results::directory::{
    POINTS, POINTS_LOG, fresh_file, read_file, remove_unfinished, write_whole,
};
use backwater_results::sweep::Measure;
use backwater_scenario::Scenario;

use super::digest::{hex, sha256};
use super::stored::{decode, encode};
use backwater_results::sweep::Point;

/// To be raised when the meaning of a measurement changes: older points then count no more.
const FORMAT: u32 = 4;
/// Of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Digest of the sources that decide what a run measures; see `build/sources.rs`.
pub const SOURCES: &str = env!("BACKWATER_SOURCES");
/// A point that is larger is none.
const LARGEST_BYTES: u64 = 1 << 20;
/// Bytes of the digest in a file's name.
const NAMED: usize = 16;
/// Bytes of a line of the log: a digest in hexadecimal digits, and its end.
const LOG_LINE: u64 = 65;

/// What a run is known by: the digest of program version and sources, format, resolved scenario
/// (which holds the seed) and the files it names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key([u8; 32]);

/// The points of one directory.
pub struct Store {
    folder: PathBuf,
    /// A line for each point computed, in the order of completion.
    log: Mutex<File>,
    /// Version and sources of the program that was last at work, if it was another one.
    another: Option<[String; 2]>,
}

impl Key {
    /// The key of a scenario, measured with these columns of flows.
    pub fn of<'a>(scenario: &Scenario, columns: impl Iterator<Item = &'a str>) -> Key {
        Key::by(SOURCES, scenario, columns)
    }

    /// The key of a scenario under a program of these sources.
    fn by<'a>(sources: &str, scenario: &Scenario, columns: impl Iterator<Item = &'a str>) -> Key {
        let mut text = format!(
            "backwater {VERSION}, sources {sources}, points {FORMAT}\n{}",
            scenario.resolved
        );
        for column in columns {
            text += &format!("\ncolumn {} {column}", column.len());
        }
        // The lengths keep apart what would read the same when joined.
        for file in &scenario.files {
            let (name, bytes) = (&file.name, file.text.len());
            text += &format!("\nfile {} {name} {bytes}\n{}", name.len(), file.text);
        }
        for (name, hash) in &scenario.reopened {
            text += &format!("\nread {} {name} {hash}", name.len());
        }
        Key(sha256(text.as_bytes()))
    }

    /// A point of it as text.
    pub fn text(&self, measures: &[Measure], point: &Point) -> String {
        encode([VERSION, SOURCES, &hex(&self.0)], measures, point)
    }

    /// The name of its file, without the ending: the same wherever the point is computed.
    pub fn id(&self) -> String {
        hex(&self.0[..NAMED])
    }

    /// The name of its file.
    pub fn file(&self) -> String {
        format!("{}.json", self.id())
    }
}

impl Store {
    /// The points below `directory`; `fresh` forgets them.
    pub fn open(directory: &Path, fresh: bool) -> Result<Store, String> {
        let folder = directory.join(POINTS);
        let log = directory.join(POINTS_LOG);
        let fail = |path: &Path, error| format!("can't write {}: {error}", path.display());
        if fresh {
            forget(&folder).map_err(|error| fail(&folder, error))?;
            let _ = fs::remove_file(&log);
        }
        fs::create_dir_all(&folder).map_err(|error| fail(&folder, error))?;
        remove_unfinished(&folder);
        let another = last_at_work(&folder, &log)
            .filter(|[version, sources]| version != VERSION || sources != SOURCES);
        let open = open_log(&log).map_err(|error| fail(&log, error))?;
        let log = Mutex::new(open);
        Ok(Store {
            folder,
            log,
            another,
        })
    }

    /// Says that points of another program are there, which do not count.
    pub fn tell_of_another(&self) {
        if let Some([version, sources]) = &self.another {
            log::info!(
                "{} has points of backwater {version} with sources {sources}, this is {VERSION} \
                 with sources {SOURCES}: they do not count, and `--fresh` removes them",
                self.folder.display()
            );
        }
    }

    /// A point computed earlier, if there is one of this very scenario.
    ///
    /// # Errors
    /// If there was one and something has changed it; says how that shows.
    pub fn load(&self, key: &Key, measures: &[Measure]) -> Result<Option<Point>, String> {
        load(&self.folder, key, measures)
    }

    /// Stores a point for good.
    pub fn save(&self, key: &Key, measures: &[Measure], point: &Point) -> Result<(), String> {
        let text = key.text(measures, point);
        let path = self.folder.join(key.file());
        write_whole(&path, text.as_bytes())
            .map_err(|error| format!("can't write {}: {error}", path.display()))?;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing depends on the log: it is there to be looked at.
        let _ = log.write_all(format!("{}\n", hex(&key.0)).as_bytes());
        Ok(())
    }

    /// Stores the text of a point that another process computed, if it is whole.
    ///
    /// # Errors
    /// If it is not, or can't be written.
    pub fn take(&self, key: &Key, measures: &[Measure], text: &str) -> Result<(), String> {
        let point = decode(text.as_bytes(), &hex(&key.0), measures)?;
        match self.load(key, measures) {
            Ok(Some(_)) => Ok(()),
            _ => self.save(key, measures, &point),
        }
    }
}

/// The store in any directory of a sweep, whoever is at work in it.
///
/// # Errors
/// As [`Store::load`].
pub fn stored(directory: &Path, key: &Key, measures: &[Measure]) -> Result<Option<Point>, String> {
    load(&directory.join(POINTS), key, measures)
}

fn load(folder: &Path, key: &Key, measures: &[Measure]) -> Result<Option<Point>, String> {
    let text = match read_file(&folder.join(key.file()), LARGEST_BYTES) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    decode(&text, &hex(&key.0), measures).map(Some)
}

/// Version and sources of the program whose point was stored last, as far as that can be read.
fn last_at_work(folder: &Path, log: &Path) -> Option<[String; 2]> {
    let mut log = File::open(log).ok()?;
    let length = log.metadata().ok().filter(|data| data.is_file())?.len();
    log.seek(SeekFrom::Start(length.saturating_sub(LOG_LINE)))
        .ok()?;
    let mut line = String::new();
    log.take(LOG_LINE).read_to_string(&mut line).ok()?;
    let file = format!("{}.json", line.get(..2 * NAMED)?);
    let text = read_file(&folder.join(file), LARGEST_BYTES).ok()?;
    let point: serde_json::Value = serde_json::from_slice(&text).ok()?;
    let word = |name: &str| point.get(name)?.as_str().map(String::from);
    Some([word("version")?, word("sources")?])
}

/// The log, to add to; anything else of its name goes, and what a link names stays.
fn open_log(path: &Path) -> std::io::Result<File> {
    match fs::symlink_metadata(path) {
        Ok(data) if data.is_file() => File::options().append(true).open(path),
        _ => fresh_file(path),
    }
}

/// Removes the points, and nothing else.
fn forget(folder: &Path) -> std::io::Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let stem = name.strip_suffix(".json").unwrap_or_default();
        let is_hex = |c: u8| c.is_ascii_digit() || (b'a'..=b'f').contains(&c);
        if stem.len() == 2 * NAMED && stem.bytes().all(is_hex) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::stored::point as point_of;
    use backwater_results::sweep::Role;
    use serde_json::Value;
    use std::borrow::Cow;

    const MEASURES: [Measure; 2] = [measure("accepted", "Mbps"), measure("stuck", "")];

    const fn measure(name: &'static str, unit: &'static str) -> Measure {
        Measure {
            name: Cow::Borrowed(name),
            unit: Cow::Borrowed(unit),
            meaning: Cow::Borrowed(""),
            role: Role::Other,
            digits: 3,
            may_be_bound: false,
        }
    }

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Every bit of every byte turned, every byte another digit, every stretch zeroed: found, or
    /// nothing that counts has changed.
    #[test]
    fn whatever_changes_a_point_is_found() {
        let path = directory("changed");
        let store = Store::open(&path, false).unwrap();
        let key = Key(sha256(b"changed"));
        let point = Point {
            values: vec![0.123_456_789, 1e300],
            trace_hash: "h0123456789abcdef".into(),
        };
        store.save(&key, &MEASURES, &point).unwrap();
        let file = path.join("points").join(key.file());
        let whole = fs::read(&file).unwrap();
        let mut found = 0;
        let mut check = |bytes: &[u8], what: &str| {
            fs::write(&file, bytes).unwrap();
            match store.load(&key, &MEASURES) {
                Ok(same) => assert_eq!(same.as_ref(), Some(&point), "{what}"),
                Err(_) => found += 1,
            }
        };
        check(&whole, "nothing changed");
        for at in 0..whole.len() {
            let changes = (0..8).map(|bit| whole[at] ^ 1 << bit);
            for other in changes.chain([b'0', b'7', b'9', 0]) {
                let mut bytes = whole.clone();
                bytes[at] = other;
                check(&bytes, &format!("byte {at} is {other}"));
            }
            let mut zeroed = whole.clone();
            zeroed[at..].fill(0);
            check(&zeroed, &format!("zero from {at} on"));
        }
        // Between fields a space may be another one; all else counts.
        assert!(
            found > 11 * whole.len() * 2 / 3,
            "{found} of {}",
            whole.len()
        );
        fs::remove_dir_all(path).unwrap();
    }

    /// A changed engine of the same version takes no old points.
    #[test]
    fn a_key_is_of_the_sources_and_the_scenario() {
        let text = backwater_shipped::scenario("kung1993/fig17-two-switches.toml");
        let source = backwater_scenario::Source::new("figure", text);
        let scenario = |seed: &str| {
            let seed = backwater_scenario::Set {
                key: "run.seed".into(),
                value: seed.into(),
            };
            let Ok(scenario) = backwater_scenario::parse(&source, &[seed]) else {
                panic!("the scenario is sound");
            };
            scenario
        };
        assert_eq!(SOURCES.len(), 16, "{SOURCES}");
        let (one, two) = (scenario("1"), scenario("2"));
        let key =
            |scenario: &Scenario, columns: &[&str]| Key::of(scenario, columns.iter().copied());
        let by = |sources: &str| Key::by(sources, &scenario("1"), [].into_iter());
        assert_eq!(key(&one, &[]), by(SOURCES));
        assert_ne!(key(&one, &[]), by("0123456789abcdef"));
        assert_ne!(key(&one, &[]), key(&two, &[]));
        assert_ne!(key(&one, &[]), key(&one, &["VC1.delivered"]));
    }

    /// What a changed value would pass for without the digest.
    #[test]
    fn a_changed_digit_is_no_other_value() {
        let path = directory("digit");
        let store = Store::open(&path, false).unwrap();
        let key = Key(sha256(b"digit"));
        let point = Point {
            values: vec![0.5, 2.0],
            trace_hash: "h0".into(),
        };
        store.save(&key, &MEASURES, &point).unwrap();
        let file = path.join("points").join(key.file());
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.contains("0.5"));
        fs::write(&file, text.replace("0.5", "0.7")).unwrap();
        let error = store.load(&key, &MEASURES).unwrap_err();
        assert!(error.contains("digest"), "{error}");
        // Nothing else about it would show.
        let changed = fs::read(&file).unwrap();
        let Ok(Value::Object(changed)) = serde_json::from_slice(&changed) else {
            panic!("it is still JSON");
        };
        assert_eq!(point_of(&changed, &MEASURES).unwrap().values, [0.7, 2.0]);
        fs::remove_dir_all(path).unwrap();
    }

    /// Values that a careless reader of decimals misses by one bit.
    #[test]
    fn every_bit_comes_back() {
        let path = directory("bits");
        let store = Store::open(&path, false).unwrap();
        let mut stream = backwater_kernel::Stream::new(1, 2, backwater_kernel::Purpose::Traffic);
        for index in 0..500_u64 {
            let value = f64::from_bits(stream.next_u64() >> 2);
            let key = Key(sha256(&index.to_le_bytes()));
            let point = Point {
                values: vec![value, f64::NAN],
                trace_hash: "h0123456789abcdef".into(),
            };
            store.save(&key, &MEASURES, &point).unwrap();
            let back = store.load(&key, &MEASURES).unwrap().unwrap();
            assert_eq!(back.values[0].to_bits(), value.to_bits());
            assert!(back.values[1].is_nan());
            assert_eq!(back.trace_hash, point.trace_hash);
        }
        let log = fs::read_to_string(path.join("points.log")).unwrap();
        assert_eq!(log.lines().count(), 500);
        fs::remove_dir_all(path).unwrap();
    }

    #[test]
    fn what_is_not_whole_or_of_another_scenario_does_not_count() {
        let path = directory("whole");
        let store = Store::open(&path, false).unwrap();
        let [key, other] = [1_u8, 2].map(|byte| Key(sha256(&[byte])));
        let point = Point {
            values: vec![1.5, 0.0],
            trace_hash: "h0".into(),
        };
        store.save(&key, &MEASURES, &point).unwrap();
        assert_eq!(store.load(&key, &MEASURES), Ok(Some(point)));
        assert_eq!(store.load(&other, &MEASURES), Ok(None));
        let file = path.join("points").join(key.file());
        fs::copy(&file, path.join("points").join(other.file())).unwrap();
        let error = store.load(&other, &MEASURES).unwrap_err();
        assert!(error.contains("another scenario"), "{error}");
        let [one, two] = MEASURES;
        let more = [one, two, measure("new", "")];
        assert!(store.load(&key, &more).is_err(), "a measure is missing");
        let text = fs::read(&file).unwrap();
        for end in 0..text.len() - 2 {
            fs::write(&file, &text[..end]).unwrap();
            assert!(store.load(&key, &MEASURES).is_err(), "cut at {end}");
        }
        fs::write(&file, &text).unwrap();
        fs::write(path.join("points/notes.json"), "mine").unwrap();
        fs::write(path.join("points/x.json.77.tmp"), "half").unwrap();
        let store = Store::open(&path, true).unwrap();
        assert_eq!(store.load(&key, &MEASURES), Ok(None), "forgotten");
        assert!(path.join("points/notes.json").exists(), "no point of ours");
        assert!(!path.join("points/x.json.77.tmp").exists(), "unfinished");
        fs::remove_dir_all(path).unwrap();
    }
}
