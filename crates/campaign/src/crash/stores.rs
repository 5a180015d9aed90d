//! Stored points with every kind of damage: each is found and computed again.

use std::fs;
use std::path::{Path, PathBuf};

use super::contents::Contents;
use super::{Ground, Work, out};
use crate::child::{Limits, Status};
use crate::random::Random;
use crate::trial::{self, Summary, Trial};

/// The campaign: sweep and saturate in turn.
pub fn run(ground: &Ground<'_>) -> Summary {
    let name = "crash stores";
    let storing: Vec<&Work> = ground
        .works
        .iter()
        .filter(|work| matches!(work.name, "sweep" | "saturate"))
        .collect();
    trial::run(name, 40, ground.options, |number| {
        let mut random = Random::of(ground.options.seed, name, number);
        let work = storing[number as usize % storing.len()];
        let folder = trial::folder(ground.options, name, number);
        let mut trial = Trial::default();
        damaged(ground, work, &folder, &mut random, &mut trial);
        trial::tidy(ground.options, &folder, &trial);
        trial
    })
}

fn damaged(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let ended = work.job(ground.options, folder, Limits::default()).run();
    assert_eq!(ended.status, Status::Code(0), "{}", ended.clipped());
    let mut points = points(&out(folder));
    random.shuffle(&mut points);
    let kind = random.below(KINDS.len());
    let count = 1 + random.below(4);
    for path in points.iter().take(count) {
        damage(KINDS[kind], path, &points, random);
    }
    let lost = random.chance(30) && around(&out(folder), random);
    trial.count(KINDS[kind]);
    let ended = work.job(ground.options, folder, Limits::default()).run();
    trial.findings.extend(ended.faults());
    let refused = ended.status == Status::Code(2) && !ended.err.trim().is_empty();
    // A directory whose manifest is none is nobody's; a folder is not removed unasked.
    if refused && (lost || KINDS[kind] == "a folder in its place") {
        return trial.count("refused");
    }
    if ended.status != Status::Code(0) {
        trial.find(format!(
            "{}: ends with {}: {}",
            KINDS[kind],
            ended.status,
            ended.clipped()
        ));
    }
    // Tables, figures and summaries show every value; a point may differ in what nobody reads.
    let found = Contents::of(&out(folder)).without_points();
    if let Some(what) = work.whole.without_points().differs(&found) {
        trial.find(format!("{}, unnoticed: {}: {what}", KINDS[kind], work.name));
    }
}

fn points(out: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(out.join("points"))
        .into_iter()
        .flatten()
        .flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

const KINDS: &[&str] = &[
    "cut short",
    "emptied",
    "zeroed",
    "swapped",
    "a bit flipped",
    "a digit changed",
    "removed",
    "a folder in its place",
    "more behind it",
    "a key twice",
    "an older version",
    "not UTF-8",
    "another number's sign",
];

fn damage(kind: &str, path: &Path, points: &[PathBuf], random: &mut Random) {
    let mut bytes = fs::read(path).unwrap_or_default();
    let middle = random.below(bytes.len());
    match kind {
        "cut short" => bytes.truncate(middle),
        "emptied" => bytes.clear(),
        "zeroed" => bytes.iter_mut().skip(middle).for_each(|byte| *byte = 0),
        "swapped" => {
            let other = points.iter().find(|other| *other != path);
            bytes = other
                .and_then(|other| fs::read(other).ok())
                .unwrap_or_default();
        }
        "a bit flipped" => bytes[middle] ^= 1 << random.below(8),
        "a digit changed" => change_digit(&mut bytes, random),
        "more behind it" => bytes.extend(b"{}"),
        "a key twice" => {
            let text = String::from_utf8_lossy(&bytes).replacen('{', "{\"trace_hash\": \"0\",", 1);
            bytes = text.into_bytes();
        }
        "an older version" => {
            let text =
                String::from_utf8_lossy(&bytes).replace("\"version\": \"", "\"version\": \"0.0.");
            bytes = text.into_bytes();
        }
        "not UTF-8" => bytes[middle] = 0xff,
        "another number's sign" => {
            let text = String::from_utf8_lossy(&bytes).replacen("]\": ", "]\": -", 1);
            bytes = text.into_bytes();
        }
        _ => {}
    }
    let _ = fs::remove_file(path);
    match kind {
        "removed" => {}
        "a folder in its place" => fs::create_dir(path).expect("a folder is made"),
        _ => fs::write(path, bytes).expect("a file is written"),
    }
}

/// A digit of a value: none of the digest that names the scenario.
fn change_digit(bytes: &mut [u8], random: &mut Random) {
    let from = bytes
        .windows(8)
        .position(|part| part == b"\"values\"")
        .unwrap_or(0);
    let digits: Vec<usize> = (from..bytes.len())
        .filter(|at| bytes[*at].is_ascii_digit())
        .collect();
    if let Some(at) = random.pick(&digits) {
        bytes[*at] = b'0' + (bytes[*at] - b'0' + 1 + random.below(8) as u8) % 10;
    }
}

/// Damage to what stands around the points; true if the manifest is lost.
fn around(out: &Path, random: &mut Random) -> bool {
    let (name, text) = match random.below(5) {
        0 => ("manifest.json", "{\"partial\": fal"),
        1 => ("manifest.json", ""),
        2 => ("points.log", "nonsense\n\u{0}\n"),
        3 => ("tables/sweep.csv", "1,2\n"),
        _ => ("points/.half.tmp", "{"),
    };
    let _ = fs::write(out.join(name), text);
    name == "manifest.json"
}
