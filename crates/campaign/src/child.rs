//! The program under test as a process: with limits on memory, time, files and threads, and with
//! patience that ends.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// So much of what a program says is read.
const HEARD_BYTES: u64 = 1 << 20;

/// Limits that the system sets on the process.
#[derive(Clone, Copy, Default)]
pub struct Limits {
    /// Address space.
    pub memory_bytes: Option<u64>,
    /// Processor time.
    pub cpu_s: Option<u64>,
    /// Largest file, in blocks of 512 bytes.
    pub file_blocks: Option<u64>,
    /// Open files.
    pub files: Option<u64>,
    /// Processes and threads of the user.
    pub threads: Option<u64>,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// By itself, with this status.
    Code(i32),
    /// By a signal.
    Signal(i32),
    /// Not at all, until it was killed.
    Endless,
}

/// What is left of a process.
pub struct Ended {
    /// How it ended.
    pub status: Status,
    /// What it printed.
    pub out: String,
    /// What it complained of.
    pub err: String,
}

/// A command to run.
pub struct Job {
    command: Command,
    out: PathBuf,
    err: PathBuf,
    /// Longer than this is too long; then it is killed.
    pub patience: Duration,
    /// It is asked to end (Ctrl-C) after this long.
    pub interrupt_after: Option<Duration>,
}

impl std::fmt::Display for Status {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Code(code) => write!(f, "{code}"),
            Self::Signal(signal) => write!(f, "signal {signal}"),
            Self::Endless => write!(f, "endless"),
        }
    }
}

impl From<ExitStatus> for Status {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Endless,
        }
    }
}

impl Job {
    /// The program with arguments, at work in a folder; its words go to files there.
    pub fn new(program: &Path, folder: &Path, limits: Limits, arguments: &[&str]) -> Self {
        let program = fs::canonicalize(program)
            .unwrap_or_else(|error| panic!("{}: {error}; `make release`", program.display()));
        let mut command = Command::new("sh");
        command.args(["-c", &limits.script(), "sh"]);
        command.arg(program).args(arguments);
        command.current_dir(folder).stdin(Stdio::null());
        command.env_remove("RUST_BACKTRACE").env("NO_COLOR", "1");
        // Beside the folder, not in it: what a folder holds is compared.
        let name = folder.with_extension("");
        let mut job = Self {
            command,
            out: name.with_extension("out.txt"),
            err: name.with_extension("err.txt"),
            patience: Duration::from_secs(240),
            interrupt_after: None,
        };
        let (out, err) = (job.out.clone(), job.err.clone());
        job.command.stdout(create(&out)).stderr(create(&err));
        job
    }

    /// The process itself, to change what it has.
    pub fn command(&mut self) -> &mut Command {
        &mut self.command
    }

    /// Starts it.
    pub fn start(&mut self) -> Child {
        self.command.spawn().expect("a process starts")
    }

    /// Starts it and waits for its end.
    pub fn run(mut self) -> Ended {
        let child = self.start();
        self.wait(child)
    }

    /// Waits for its end.
    pub fn wait(self, mut child: Child) -> Ended {
        let begun = Instant::now();
        let mut asked = false;
        let status = loop {
            if let Some(status) = child.try_wait().expect("a process can be asked") {
                break status.into();
            }
            if begun.elapsed() > self.patience {
                let _ = child.kill();
                let _ = child.wait();
                break Status::Endless;
            }
            if !asked
                && self
                    .interrupt_after
                    .is_some_and(|after| begun.elapsed() > after)
            {
                asked = true;
                signal(&child, "INT");
            }
            let pause = begun.elapsed() / 10;
            std::thread::sleep(pause.clamp(Duration::from_micros(500), Duration::from_millis(20)));
        };
        let ended = Ended {
            status,
            out: heard(&self.out),
            err: heard(&self.err),
        };
        let _ = fs::remove_file(&self.out);
        let _ = fs::remove_file(&self.err);
        ended
    }
}

impl Limits {
    /// What sets them and becomes the program.
    fn script(self) -> String {
        let kib = self.memory_bytes.map(|bytes| bytes >> 10);
        let limits = [
            ("-v", kib),
            ("-t", self.cpu_s),
            ("-f", self.file_blocks),
            ("-n", self.files),
            // As dash and as bash name it; a shell that knows neither sets no such limit.
            ("-p", self.threads),
            ("-u", self.threads),
        ];
        // What can't be written is an error then, not a signal.
        let ignored = self.file_blocks.map_or("", |_| "trap '' XFSZ; ");
        let mut script = String::from(ignored);
        for (letter, limit) in limits {
            if let Some(limit) = limit {
                script += &format!("ulimit {letter} {limit} 2>/dev/null; ");
            }
        }
        script + "exec \"$@\""
    }
}

/// Moves the cursor, changes colours or the direction of reading: no message may hold it.
pub fn is_hidden(c: char) -> bool {
    let turns =
        matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c == '\u{61c}' || (c.is_control() && !"\n\t".contains(c))
}

/// Sends a signal.
pub fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let mut kill = Command::new("kill");
    // It may be gone already.
    let _ = kill
        .args([&format!("-{name}"), &id])
        .stderr(Stdio::null())
        .status();
}

fn create(path: &Path) -> File {
    File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn heard(path: &Path) -> String {
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(path) {
        let _ = file.take(HEARD_BYTES).read_to_end(&mut bytes);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

impl Ended {
    /// What it did that no program should: panics, aborts, hangs, control characters in words.
    pub fn faults(&self) -> Vec<String> {
        let mut found = Vec::new();
        if self.err.contains("panicked at") || self.status == Status::Code(101) {
            found.push(format!("a panic: {}", self.clipped()));
        }
        if let Status::Signal(signal) = self.status {
            found.push(format!("ended by signal {signal}: {}", self.clipped()));
        }
        if self.status == Status::Endless {
            found.push("it does not end".into());
        }
        if self.err.contains(is_hidden) || self.out.contains(is_hidden) {
            found.push(format!(
                "control characters in its words: {:?}",
                self.clipped()
            ));
        }
        found
    }

    /// The start of its first error, in one line; of all it said if there is none.
    pub fn clipped(&self) -> String {
        let starts = ["error", "thread '"];
        let error = |line: &&str| starts.iter().any(|start| line.starts_with(start));
        let from = self.err.lines().position(|line| error(&line)).unwrap_or(0);
        let words = self.err.lines().skip(from).flat_map(str::split_whitespace);
        let words: Vec<&str> = words.collect();
        words.join(" ").chars().take(300).collect()
    }

    /// A complaint says where: `file:line` or what was given on the command line.
    pub fn has_place(&self) -> bool {
        let is_place = |line: &str| {
            let line = line.trim_start();
            line.starts_with("--> ") || line.starts_with("::: ")
        };
        self.err.lines().any(is_place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("campaign-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn shell(name: &str, limits: Limits, script: &str) -> Ended {
        let mut job = Job::new(Path::new("/bin/sh"), &here(name), limits, &["-c", script]);
        job.patience = Duration::from_secs(2);
        job.run()
    }

    #[test]
    fn ends_are_told_apart() {
        let none = Limits::default();
        assert_eq!(shell("code", none, "exit 7").status, Status::Code(7));
        let killed = shell("signal", none, "kill -TERM $$");
        assert_eq!(killed.status, Status::Signal(15));
        assert_eq!(killed.faults().len(), 1);
        assert_eq!(
            shell("endless", none, "sleep 30").faults(),
            ["it does not end"]
        );
        let words = shell(
            "words",
            none,
            "printf 'a\\033b'; echo ' --> x:1' >&2; exit 2",
        );
        assert!(words.has_place() && words.faults().len() == 1);
        assert!(!shell("place", none, "echo error").has_place());
    }

    #[test]
    fn limits_hold() {
        let limits = Limits {
            files: Some(11),
            ..Limits::default()
        };
        assert_eq!(shell("limits", limits, "ulimit -n").out.trim(), "11");
    }
}
