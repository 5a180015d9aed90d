//! Points on the disk: each in a file of its own, named by what was simulated.
//!
//! A file appears by a rename after its content was flushed. So a program or machine that stops
//! at any instant leaves whole points only, and a sweep that starts again finds them.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use results::directory::{remove_unfinished, write_whole};
use results::sweep::Measure;
use scenario::Scenario;
use serde_json::{Map, Value, json};

use super::digest::{hex, sha256};

/// To be raised when the meaning of a measurement changes: older points then count no more.
const FORMAT: u32 = 2;
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Bytes of the digest in a file's name.
const NAMED: usize = 16;

/// What a run is known by: the digest of program version, format, resolved scenario (which
/// holds the seed) and the files it names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Key([u8; 32]);

/// What a run measured.
#[derive(Clone, PartialEq, Debug)]
pub struct Point {
    /// By measure; not a number where there was nothing to measure.
    pub values: Vec<f64>,
    /// Fingerprint of the run.
    pub trace_hash: String,
}

/// The points of one directory.
pub struct Store {
    folder: PathBuf,
    /// A line for each point computed, in the order of completion.
    log: Mutex<File>,
}

impl Key {
    /// The key of a scenario.
    pub fn of(scenario: &Scenario) -> Key {
        let mut text = format!(
            "backwater {VERSION}, points {FORMAT}\n{}",
            scenario.resolved
        );
        // The lengths keep apart what would read the same when joined.
        for file in &scenario.files {
            let (name, bytes) = (&file.name, file.text.len());
            text += &format!("\nfile {} {name} {bytes}\n{}", name.len(), file.text);
        }
        Key(sha256(text.as_bytes()))
    }

    fn file(&self) -> String {
        format!("{}.json", hex(&self.0[..NAMED]))
    }
}

impl Store {
    /// The points below `directory`; `fresh` forgets them.
    pub fn open(directory: &Path, fresh: bool) -> Result<Store, String> {
        let folder = directory.join("points");
        let log = directory.join("points.log");
        let fail = |path: &Path, error| format!("can't write {}: {error}", path.display());
        if fresh {
            forget(&folder).map_err(|error| fail(&folder, error))?;
            let _ = fs::remove_file(&log);
        }
        fs::create_dir_all(&folder).map_err(|error| fail(&folder, error))?;
        remove_unfinished(&folder);
        let open = File::options().append(true).create(true).open(&log);
        let log = Mutex::new(open.map_err(|error| fail(&log, error))?);
        Ok(Store { folder, log })
    }

    /// A point computed earlier, if it is whole and of this very scenario.
    pub fn load(&self, key: &Key, measures: &[Measure]) -> Option<Point> {
        let text = fs::read(self.folder.join(key.file())).ok()?;
        let stored: Value = serde_json::from_slice(&text).ok()?;
        if stored["scenario"].as_str() != Some(hex(&key.0).as_str()) {
            return None;
        }
        let value = |measure: &Measure| match stored["values"].get(label(measure))? {
            Value::Null => Some(f64::NAN),
            value => value.as_f64(),
        };
        Some(Point {
            values: measures.iter().map(value).collect::<Option<_>>()?,
            trace_hash: stored["trace_hash"].as_str()?.into(),
        })
    }

    /// Stores a point for good.
    pub fn save(&self, key: &Key, measures: &[Measure], point: &Point) -> Result<(), String> {
        let pairs = measures.iter().zip(&point.values);
        // What is not a number becomes null.
        let values: Map<String, Value> = pairs
            .map(|(measure, value)| (label(measure), Value::from(*value)))
            .collect();
        let stored = json!({
            "program": "backwater",
            "version": VERSION,
            "scenario": hex(&key.0),
            "trace_hash": point.trace_hash,
            "values": values,
        });
        let path = self.folder.join(key.file());
        write_whole(&path, format!("{stored:#}\n").as_bytes())
            .map_err(|error| format!("can't write {}: {error}", path.display()))?;
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        // Nothing depends on the log: it is there to be looked at.
        let _ = log.write_all(format!("{}\n", hex(&key.0)).as_bytes());
        Ok(())
    }
}

fn label(measure: &Measure) -> String {
    match measure.unit {
        "" => measure.name.into(),
        unit => format!("{} [{unit}]", measure.name),
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
    use results::sweep::Role;

    const MEASURES: [Measure; 2] = [measure("accepted", "Mbps"), measure("stuck", "")];

    const fn measure(name: &'static str, unit: &'static str) -> Measure {
        Measure {
            name,
            unit,
            meaning: "",
            role: Role::Other,
            digits: 3,
        }
    }

    fn directory(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        path
    }

    /// Values that a careless reader of decimals misses by one bit.
    #[test]
    fn every_bit_comes_back() {
        let path = directory("bits");
        let store = Store::open(&path, false).unwrap();
        let mut stream = kernel::Stream::new(1, 2, kernel::Purpose::Traffic);
        for index in 0..500_u64 {
            let value = f64::from_bits(stream.next_u64() >> 2);
            let key = Key(sha256(&index.to_le_bytes()));
            let point = Point {
                values: vec![value, f64::NAN],
                trace_hash: "0123456789abcdef".into(),
            };
            store.save(&key, &MEASURES, &point).unwrap();
            let back = store.load(&key, &MEASURES).unwrap();
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
            trace_hash: "0".into(),
        };
        store.save(&key, &MEASURES, &point).unwrap();
        assert_eq!(store.load(&key, &MEASURES), Some(point));
        assert_eq!(store.load(&other, &MEASURES), None);
        let file = path.join("points").join(key.file());
        fs::copy(&file, path.join("points").join(other.file())).unwrap();
        assert_eq!(store.load(&other, &MEASURES), None, "another's content");
        let more = [MEASURES[0], MEASURES[1], measure("new", "")];
        assert_eq!(store.load(&key, &more), None, "a measure is missing");
        let text = fs::read(&file).unwrap();
        for end in 0..text.len() - 2 {
            fs::write(&file, &text[..end]).unwrap();
            assert_eq!(store.load(&key, &MEASURES), None, "cut at {end}");
        }
        fs::write(&file, &text).unwrap();
        fs::write(path.join("points/notes.json"), "mine").unwrap();
        fs::write(path.join("points/x.json.77.tmp"), "half").unwrap();
        let store = Store::open(&path, true).unwrap();
        assert_eq!(store.load(&key, &MEASURES), None, "forgotten");
        assert!(path.join("points/notes.json").exists(), "no point of ours");
        assert!(!path.join("points/x.json.77.tmp").exists(), "unfinished");
        fs::remove_dir_all(path).unwrap();
    }
}
