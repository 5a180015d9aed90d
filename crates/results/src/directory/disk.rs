//! Files that appear whole, below one directory, and reading that always ends.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Component, Path, PathBuf};

/// From so many files on, the whole file system is flushed at once where that can be asked for:
/// a flush of each costs milliseconds.
#[cfg(any(target_os = "linux", target_os = "android"))]
const MANY: usize = 16;

#[cfg(test)]
thread_local! {
    /// Flushes to the disk by this thread.
    pub static SYNCS: std::cell::Cell<u32> = const { std::cell::Cell::new(0) };
}

/// What an entry is that is no regular file, such as `a named pipe`.
pub fn kind_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    match (kind.is_dir(), kind.is_symlink()) {
        (true, _) => "a directory",
        (_, true) => "a symbolic link",
        _ => "not a regular file",
    }
}

/// The content of a file of at most `most` bytes. What is no regular file is refused before it
/// is opened, so that nobody waits for the other end of a pipe or reads a device without end.
///
/// # Errors
/// If there is no such file, it is no regular file or too large, or can't be read.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let bytes = length(path)?;
    if bytes > most {
        return Err(too_large(most));
    }
    read_at_most(File::open(path)?, most)
}

/// A file of any size, to be read from its start.
///
/// # Errors
/// If there is no such file, it is no regular file, or can't be read.
pub fn open_file(path: &Path) -> io::Result<BufReader<File>> {
    length(path)?;
    File::open(path).map(BufReader::new)
}

/// Bytes of a regular file.
fn length(path: &Path) -> io::Result<u64> {
    let data = fs::metadata(path)?;
    if !data.is_file() {
        let kind = kind_of(data.file_type());
        return Err(io::Error::other(format!("it is {kind}, not a file")));
    }
    Ok(data.len())
}

/// All that `source` has, if that is at most `most` bytes; no more than one byte more is read.
///
/// # Errors
/// If it is more, or can't be read.
pub fn read_at_most(source: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_large(most));
    }
    Ok(bytes)
}

fn too_large(most: u64) -> io::Error {
    let most = match most >> 20 {
        0 => format!("{most} bytes"),
        mebibytes => format!("{mebibytes} MiB"),
    };
    let reason = format!("it is larger than {most}, the most that is read");
    io::Error::new(ErrorKind::FileTooLarge, reason)
}

/// A relative name without any way out of the directory.
pub fn is_plain(name: &str) -> bool {
    !name.is_empty()
        && Path::new(name)
            .components()
            .all(|part| matches!(part, Component::Normal(_)))
}

/// Is it one of the names that [`write_whole`] gives to files it has not finished?
pub fn is_temporary(name: &str) -> bool {
    let stem = name
        .strip_suffix(".tmp")
        .and_then(|stem| stem.rsplit_once('.'));
    stem.is_some_and(|(_, id)| !id.is_empty() && id.bytes().all(|c| c.is_ascii_digit()))
}

/// A directory, and no link to one?
pub fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}

/// Do all folders between `root` and the file `name` exist, none of them a link?
fn leads_inside(root: &Path, name: &str) -> bool {
    let folders = Path::new(name).ancestors().skip(1);
    let mut folders = folders.filter(|folder| !folder.as_os_str().is_empty());
    is_plain(name) && folders.all(|folder| is_folder(&root.join(folder)))
}

/// Removes the file `name` below `root`, or the link of that name; nothing behind a link.
pub fn remove_below(root: &Path, name: &str) {
    if leads_inside(root, name) {
        // What can't be removed is either gone already or overwritten soon.
        let _ = fs::remove_file(root.join(name));
    }
}

/// Makes the folders between `root` and the file `name`. A link among them is not followed.
pub fn make_folders(root: &Path, name: &str) -> io::Result<()> {
    let parent = Path::new(name).parent().unwrap_or(Path::new(""));
    let mut folder = PathBuf::from(root);
    for part in parent.components() {
        folder.push(part);
        match fs::create_dir(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            Err(_) if !is_folder(&folder) => {
                let what = fs::symlink_metadata(&folder)?.file_type();
                let (folder, what) = (folder.display(), kind_of(what));
                let reason = format!("{folder} is {what}, and nothing is written behind it");
                return Err(io::Error::new(ErrorKind::NotADirectory, reason));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Removes what programs left in `folder` that were killed while they wrote.
pub fn remove_unfinished(folder: &Path) {
    if !is_folder(folder) {
        return;
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name());
    for name in names.filter(|name| is_temporary(&name.to_string_lossy())) {
        // What can't be removed is in nobody's way.
        let _ = fs::remove_file(folder.join(name));
    }
}

/// A new and empty file in the place of whatever has its name; a link goes, what it names stays.
pub fn fresh_file(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Temporary file, then renamed: a reader sees the old file or the new one, whenever the program
/// stops. For what the machine's stop would do, see [`flush`].
pub fn replace(
    target: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    put(target, content, false)
}

/// Temporary file, flushed to the disk, then renamed: a reader sees the old file or the new one,
/// whenever the program or the machine stops.
///
/// # Errors
/// If it can't be written; then the old file is there.
pub fn write_whole(target: &Path, content: &[u8]) -> io::Result<()> {
    put(target, |file| file.write_all(content), true)?;
    // The rename itself lasts once the folder is flushed; not every system can do that.
    if let Ok(folder) = File::open(target.parent().unwrap_or(Path::new("."))) {
        let _ = sync(&folder);
    }
    Ok(())
}

fn put(
    target: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    is_durable: bool,
) -> io::Result<()> {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = target.with_file_name(name);
    let written = fresh_file(&temporary).and_then(|file| {
        let mut buffered = BufWriter::new(file);
        content(&mut buffered)?;
        let file = buffered.into_inner()?;
        if is_durable {
            sync(&file)?;
        }
        fs::rename(&temporary, target)
    });
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn sync(file: &File) -> io::Result<()> {
    #[cfg(test)]
    SYNCS.with(|syncs| syncs.set(syncs.get() + 1));
    file.sync_all()
}

/// Lets these files below `root` last, whenever the machine stops from here on.
pub fn flush<'a>(root: &Path, names: impl ExactSizeIterator<Item = &'a str>) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if names.len() >= MANY {
        #[cfg(test)]
        SYNCS.with(|syncs| syncs.set(syncs.get() + 1));
        return Ok(rustix::fs::syncfs(File::open(root)?)?);
    }
    let mut folders = std::collections::BTreeSet::new();
    for name in names {
        let path = root.join(name);
        match File::open(&path) {
            Ok(file) => sync(&file)?,
            // Somebody has removed it.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        }
        folders.extend(path.parent().map(PathBuf::from));
    }
    for folder in folders {
        if let Ok(folder) = File::open(folder) {
            let _ = sync(&folder);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_read_than_the_limit_and_one() {
        struct Endless(u64);
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += buffer.len() as u64;
                Ok(buffer.len())
            }
        }
        let mut endless = Endless(0);
        let error = read_at_most(&mut endless, 100_000).unwrap_err();
        assert!(error.to_string().contains("larger than 100000 bytes"));
        assert_eq!(endless.0, 100_001);
        assert_eq!(read_at_most(&b"four"[..], 4).unwrap(), b"four");
        assert!(read_at_most(&b"fives"[..], 4).is_err());
    }

    #[test]
    fn names_that_lead_out_are_not_plain() {
        for name in ["", "..", "../a", "/a", "a/../b", "."] {
            assert!(!is_plain(name), "{name}");
        }
        assert!(is_plain("a/b.csv"));
    }
}
