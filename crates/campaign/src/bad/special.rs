//! Files that are no files: pipes, devices, folders, streams without end.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::child::{Ended, Job, Limits, Status};
use crate::trial::{self, Options, Summary, Trial};

/// Longer than this is for ever.
const PATIENCE: Duration = Duration::from_secs(20);
const MEMORY_BYTES: u64 = 1 << 30;
const FLIT: &str = "engine = \"flit\"\n[run]\nmeasure = 1000\n[traffic]\nload = 0.1\n";

/// What the file is, and how it is named.
const FILES: &[&str] = &[
    "fifo",
    "/dev/zero",
    "/dev/null",
    "/dev/full",
    "folder",
    "missing",
    "loop",
    "huge",
    "nul",
    "unreadable",
    "",
];
/// Where it is named.
const USES: &[Use] = &[
    Use::Arguments(&["check", "FILE"]),
    Use::Arguments(&["run", "FILE", "--out", "out"]),
    Use::Arguments(&["sweep", "FILE", "--out", "out"]),
    Use::Arguments(&["saturate", "FILE", "--out", "out"]),
    Use::Arguments(&["compare", "FILE", "--out", "out"]),
    Use::Arguments(&[
        "reproduce",
        "kung1993.fig6.buffer-table",
        "--claims",
        "FILE",
    ]),
    Use::Named("[topology]\nkind = \"file\"\nfile = \"FILE\"\n"),
    Use::Named(
        "[topology]\nkind = \"mesh\"\nsides = [2]\n[[classes]]\nname = \"a\"\n\
                injection = { kind = \"trace\", file = \"FILE\" }\n",
    ),
    Use::Named(
        "[topology]\nkind = \"mesh\"\nsides = [2]\n[[classes]]\nname = \"a\"\n\
                pattern = { kind = \"matrix\", file = \"FILE\" }\n",
    ),
    Use::Input,
];

enum Use {
    /// On the command line.
    Arguments(&'static [&'static str]),
    /// By a scenario.
    Named(&'static str),
    /// As standard input of `check -`.
    Input,
}

/// The campaign: each file in each use, and streams without end.
pub fn run(options: &Options) -> Summary {
    let pairs = (FILES.len() * USES.len()) as u64;
    let mut fixed = options.clone();
    fixed.count = Some(
        options
            .count
            .map_or(pairs + 2, |count| count.min(pairs + 2)),
    );
    let name = "bad-inputs special";
    trial::run(name, pairs + 2, &fixed, |number| {
        let folder = trial::folder(options, name, number);
        let mut trial = Trial::default();
        if number < pairs {
            let file = FILES[number as usize % FILES.len()];
            single(
                options,
                &folder,
                file,
                &USES[number as usize / FILES.len()],
                &mut trial,
            );
        } else {
            let line = ["a=1", ""][(number - pairs) as usize];
            endless(options, &folder, line, &mut trial);
        }
        trial::tidy(options, &folder, &trial);
        trial
    })
}

/// Makes the file and says by what name the program is told of it.
fn make(folder: &Path, file: &str) {
    let path = folder.join(file);
    match file {
        "fifo" => {
            let made = Command::new("mkfifo").arg(&path).status();
            assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        }
        "folder" => fs::create_dir(&path).expect("a folder is made"),
        "loop" => std::os::unix::fs::symlink("loop", &path).expect("a link is made"),
        "huge" => {
            let file = File::create(&path).expect("a file is made");
            file.set_len(3 << 30).expect("a file with a hole");
        }
        "nul" => fs::write(&path, [0; 4096]).expect("a file is written"),
        "unreadable" => {
            use std::os::unix::fs::PermissionsExt;
            fs::write(&path, "").expect("a file is written");
            let none = fs::Permissions::from_mode(0o000);
            fs::set_permissions(&path, none).expect("modes are set");
        }
        _ => {}
    }
}

fn go(options: &Options, folder: &Path, arguments: &[&str], input: Option<Stdio>) -> Ended {
    let limits = Limits {
        memory_bytes: Some(MEMORY_BYTES),
        ..Limits::default()
    };
    let mut job = Job::new(&options.program, folder, limits, arguments);
    job.patience = PATIENCE;
    if let Some(input) = input {
        job.command().stdin(input);
    }
    job.run()
}

fn single(options: &Options, folder: &Path, file: &str, used: &Use, trial: &mut Trial) {
    make(folder, file);
    let ended = match used {
        Use::Arguments(words) => {
            let word = |word: &&'static str| if *word == "FILE" { file } else { *word };
            let arguments: Vec<&str> = words.iter().map(word).collect();
            go(options, folder, &arguments, None)
        }
        Use::Named(text) => {
            let text = format!("{FLIT}{}", text.replace("FILE", file));
            fs::write(folder.join("names.toml"), text).expect("a file is written");
            go(options, folder, &["check", "names.toml"], None)
        }
        // A pipe nobody writes to can't be opened to be handed over.
        Use::Input if matches!(file, "fifo" | "missing" | "loop" | "") => return,
        Use::Input => {
            let Ok(input) = File::open(folder.join(file)) else {
                return;
            };
            go(options, folder, &["check", "-"], Some(input.into()))
        }
    };
    judge(&ended, &format!("{file} {}", used.words()), trial);
}

impl Use {
    fn words(&self) -> String {
        match self {
            Self::Arguments(words) => format!("for {}", words.join(" ")),
            Self::Named(text) => {
                format!("named by {}", text.split_whitespace().last().unwrap_or(""))
            }
            Self::Input => "as standard input".into(),
        }
    }
}

/// A scenario that never ends.
fn endless(options: &Options, folder: &Path, line: &str, trial: &mut Trial) {
    let yes = Command::new("yes")
        .arg(line)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut yes = yes.expect("`yes` starts");
    let input = yes.stdout.take().map(Stdio::from);
    let ended = go(options, folder, &["check", "-"], input);
    let _ = yes.kill();
    let _ = yes.wait();
    judge(
        &ended,
        &format!("endless `{line}` as standard input"),
        trial,
    );
}

fn judge(ended: &Ended, what: &str, trial: &mut Trial) {
    trial.count(format!("exit {}", ended.status));
    trial.findings.extend(
        ended
            .faults()
            .into_iter()
            .map(|fault| format!("{what}: {fault}")),
    );
    if !matches!(
        ended.status,
        Status::Code(2) | Status::Endless | Status::Signal(_)
    ) {
        trial.find(format!(
            "{what}: ends with {}: {}",
            ended.status,
            ended.clipped()
        ));
    }
    if ended.status == Status::Code(2) && ended.err.trim().is_empty() {
        trial.find(format!("{what}: refused without a word"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_takes_anything_is_found_out() {
        let options = trial::for_test(11, "/bin/true");
        let summary = run(&options);
        assert_eq!((summary.tried, summary.findings.len()), (11, 11));
        let _ = fs::remove_dir_all(&options.keep);
    }
}
