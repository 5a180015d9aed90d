//! What lies in a directory before anything is written there, and whether it may be used.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use serde::Deserialize;

use super::disk::{is_folder, is_plain, is_temporary, kind_of, read_file};
use super::lock::{ELSEWHERE, LOCK};
use super::{DirectoryError, MANIFEST, PROGRAM};

/// A manifest that is larger is none of ours: it holds a scenario of at most 8 MiB, and names.
const LARGEST_MANIFEST: u64 = 64 << 20;
/// Folders that only this program's files are written into.
pub const FOLDERS: [&str; 5] = ["tables", "series", "figures", "scenarios", POINTS];
/// Folder of the points that a sweep has computed.
pub const POINTS: &str = "points";
/// A line for each of them.
pub const POINTS_LOG: &str = "points.log";

/// What is read back from a manifest: enough to know it for ours and to clear up.
#[derive(Deserialize)]
struct Marker {
    program: String,
    #[serde(default)]
    files: Vec<String>,
}

/// Files an earlier run left in `path`; an error where the directory isn't ours.
pub fn earlier_files(path: &Path) -> Result<Vec<String>, DirectoryError> {
    let unreadable = |source| DirectoryError::new("read", path, source, ELSEWHERE);
    let entries = fs::read_dir(path).map_err(unreadable)?;
    let is_crumb = |name: &str| name == LOCK || is_temporary(name);
    let names = entries.flatten().map(|entry| entry.file_name());
    if names
        .map(|name| name.to_string_lossy().into_owned())
        .all(|name| is_crumb(&name))
    {
        // Nothing, or what a program left that was killed before its first manifest.
        return Ok(Vec::new());
    }
    let foreign = |source: Option<io::Error>| {
        let hint = "it holds files but no manifest.json of this program, and nothing in it was \
                    touched; choose another directory with --out DIR, or empty this one";
        DirectoryError::new("use", path, source, hint)
    };
    let text = match read_file(&path.join(MANIFEST), LARGEST_MANIFEST) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(foreign(None)),
        Err(error) => {
            let reason = format!("{MANIFEST}: {error}");
            return Err(foreign(Some(io::Error::new(error.kind(), reason))));
        }
    };
    match serde_json::from_slice::<Marker>(&text) {
        Ok(marker) if marker.program == PROGRAM => {
            Ok(marker.files.into_iter().filter(|f| is_plain(f)).collect())
        }
        _ => Err(foreign(None)),
    }
}

/// Refuses a directory that has something else in the place of a folder of results: nothing is
/// written or removed behind a link.
pub fn refuse_links(path: &Path) -> Result<(), DirectoryError> {
    for folder in FOLDERS.map(|folder| path.join(folder)) {
        let Ok(data) = fs::symlink_metadata(&folder) else {
            continue;
        };
        if !data.is_dir() {
            let kind = kind_of(data.file_type());
            let reason = format!("it is {kind}, not a folder, and was not touched");
            let reason = io::Error::new(ErrorKind::NotADirectory, reason);
            let hint = "remove it, or choose another directory with --out DIR";
            return Err(DirectoryError::new("use", folder, reason, hint));
        }
    }
    Ok(())
}

/// Refuses a directory with points of a sweep, which cost hours perhaps: no other command clears
/// them or writes between them.
pub fn refuse_points(path: &Path) -> Result<(), DirectoryError> {
    let points = path.join(POINTS);
    if !is_folder(&points) {
        return Ok(());
    }
    // Goes only if it is empty.
    if fs::remove_dir(&points).is_ok() {
        let _ = fs::remove_file(path.join(POINTS_LOG));
        return Ok(());
    }
    let hint = "it holds the stored points of a sweep, and nothing in it was touched; choose \
                another directory with --out DIR, or remove the folder `points` in it";
    Err(DirectoryError::new("use", path, None, hint))
}
