//! One writer a directory: a file that the system keeps locked as long as the writer lives.
//!
//! Its first line says who that is. The others name the files that no manifest lists yet, so that
//! what a killed program left can be told from what belongs to somebody else.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::process;

use backwater_kernel::words::printable;
use serde::{Deserialize, Serialize};

use super::disk::{is_plain, kind_of, read_at_most};
use super::{DirectoryError, PROGRAM};

/// Name of the file.
pub const LOCK: &str = "lock";
/// More of a lock file is not read.
const LARGEST_BYTES: u64 = 16 << 20;
/// Letters of a command that are shown.
const SHOWN: usize = 200;
/// Attempts at a lock that others remove meanwhile.
const ATTEMPTS: u32 = 1_000;
/// A way to go on.
pub const ELSEWHERE: &str = "choose another directory with --out DIR";

/// Who writes into a directory, as another program is told.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Holder {
    /// The command as typed.
    pub command: String,
    /// Its process.
    pub process: u32,
    /// Since when, in words.
    pub since: String,
}

#[derive(Serialize, Deserialize)]
struct Header {
    program: String,
    #[serde(flatten)]
    holder: Holder,
}

/// Held as long as it lives, and at most by one.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
    /// Files are named in it that no manifest lists.
    is_needed: bool,
    /// The process that took it. One that was forked since has a copy, and holds nothing.
    process: u32,
}

impl Lock {
    /// Takes the lock of `directory`, also from a program that has ended. With it come the files
    /// that such a program wrote and did not list.
    pub fn take(directory: &Path) -> Result<(Lock, Vec<String>), DirectoryError> {
        let path = directory.join(LOCK);
        let fail =
            |action, source: io::Error| DirectoryError::new(action, &path, source, ELSEWHERE);
        for _ in 0..ATTEMPTS {
            let Some(mut file) = open(&path).map_err(|error| fail("use the lock", error))? else {
                continue;
            };
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {}
                // It was removed by the one who held it until now.
                Ok(()) => continue,
                Err(TryLockError::WouldBlock) => return Err(busy(directory, &mut file)),
                Err(TryLockError::Error(error)) => return Err(fail("lock", error)),
            }
            let text = read_at_most(&mut file, LARGEST_BYTES);
            let text = text.map_err(|error| fail("use the lock", error))?;
            let files = unlisted(&String::from_utf8_lossy(&text));
            let files = files.map_err(|error| fail("use the lock", error))?;
            let lock = Lock {
                file,
                path,
                is_needed: !files.is_empty(),
                process: process::id(),
            };
            return Ok((lock, files));
        }
        let reason = io::Error::other("it comes and goes");
        Err(fail("use the lock", reason))
    }

    /// Says who holds it. The files it names so far are listed elsewhere now.
    pub fn begin(&mut self, holder: &Holder) -> io::Result<()> {
        let header = Header {
            program: PROGRAM.into(),
            holder: holder.clone(),
        };
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.is_needed = false;
        self.line(&header)
    }

    /// Notes a file that is about to be written.
    pub fn note(&mut self, name: &str) -> io::Result<()> {
        self.is_needed = true;
        self.line(&name)
    }

    /// All files noted are listed in a manifest.
    pub fn all_listed(&mut self) {
        self.is_needed = false;
    }

    fn line<T: Serialize>(&mut self, what: &T) -> io::Result<()> {
        let mut line = serde_json::to_string(what)?;
        line.push('\n');
        self.file.write_all(line.as_bytes())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.process != process::id() {
            return;
        }
        if !self.is_needed && is_at(&self.file, &self.path) {
            // Still locked: nobody else can have taken it.
            let _ = fs::remove_file(&self.path);
        }
        // Closing it is not enough: processes that were forked since have it open as well.
        let _ = self.file.unlock();
    }
}

/// The lock file, made if there is none; nothing in it is changed. `None` if it has just come or
/// gone.
fn open(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    let file = match fs::symlink_metadata(path) {
        // A link is not followed: whatever it names is not ours.
        Ok(data) if !data.is_file() => {
            let kind = kind_of(data.file_type());
            return Err(io::Error::other(format!("it is {kind}, not a file")));
        }
        Ok(_) => options.open(path),
        Err(error) if error.kind() == ErrorKind::NotFound => options.create_new(true).open(path),
        Err(error) => Err(error),
    };
    match file {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::AlreadyExists) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

/// Is this still the file of that name, and no link to it?
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(held), Ok(there)) = (file.metadata(), fs::symlink_metadata(path)) else {
        return false;
    };
    (held.dev(), held.ino()) == (there.dev(), there.ino())
}

/// A file that is open can't be removed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

/// Who is there, as far as the lock says.
fn busy(directory: &Path, file: &mut File) -> DirectoryError {
    let mut start = Vec::new();
    // Some systems let nobody read what is locked.
    let _ = file.take(LARGEST_BYTES).read_to_end(&mut start);
    let start = String::from_utf8_lossy(&start);
    let who = start.lines().next().and_then(header).map(|holder| {
        let command: String = printable(&holder.command).chars().take(SHOWN).collect();
        let (process, since) = (holder.process, printable(&holder.since));
        format!(" (`{command}`, process {process}, since {since})")
    });
    let hint = format!(
        "another backwater is using it{}; wait for it, or choose --out DIR",
        who.unwrap_or_default()
    );
    DirectoryError::new("use", directory, None, hint)
}

fn header(line: &str) -> Option<Holder> {
    let header: Header = serde_json::from_str(line).ok()?;
    (header.program == PROGRAM).then_some(header.holder)
}

/// The files that a lock names; an error if it is none of ours.
fn unlisted(text: &str) -> io::Result<Vec<String>> {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    // What a program that was killed at once left: nothing, or the start of its line.
    let start = format!("{{\"program\":\"{PROGRAM}\",");
    let is_cut = !first.ends_with('\n') && (first.starts_with(&start) || start.starts_with(first));
    if !is_cut && header(first).is_none() {
        let reason = "it was not written by this program, and nothing in it was touched";
        return Err(io::Error::other(reason));
    }
    let names = lines.filter_map(|line| serde_json::from_str::<String>(line).ok());
    Ok(names.filter(|name| is_plain(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_ends_with_its_holder_though_a_forked_process_has_its_file_open() {
        let folder = std::env::temp_dir().join(format!("backwater-lock-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (mut lock, _) = Lock::take(&folder).unwrap();
        lock.begin(&Holder::default()).unwrap();
        lock.note("a.csv").unwrap();
        let forked = lock.file.try_clone().unwrap();
        assert!(Lock::take(&folder).is_err(), "two hold it");
        // What a process that is forked has of it, at its end.
        drop(Lock {
            file: forked.try_clone().unwrap(),
            path: lock.path.clone(),
            is_needed: false,
            process: lock.process + 1,
        });
        assert!(Lock::take(&folder).is_err(), "a copy let go of it");
        drop(lock);
        let (_, files) = Lock::take(&folder).unwrap();
        assert_eq!(files, ["a.csv"]);
        drop(forked);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_lock_is_known_as_ours_wherever_it_was_cut() {
        let header = Header {
            program: PROGRAM.into(),
            holder: Holder::default(),
        };
        let header = serde_json::to_string(&header).unwrap();
        let whole = format!("{header}\n\"a.csv\"\n\"b\\nc\"\n\"../d\"\n");
        assert_eq!(unlisted(&whole).unwrap(), ["a.csv", "b\nc"]);
        for end in 0..whole.len() {
            assert!(unlisted(&whole[..end]).is_ok(), "cut at {end}");
        }
        for other in ["mine", "{}", "{\"program\":\"other\"}\n", "\n", " {"] {
            assert!(unlisted(other).is_err(), "{other}");
        }
    }
}
