//! Commands without room: disks, output, descriptors, folders, memory, threads.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::kills::each;
use super::{Ground, Work, out, told};
use crate::child::{Ended, Job, Limits, Status};
use crate::random::Random;
use crate::trial::{Summary, Trial};

/// Whose threads are limited; root's are not.
const NOBODY: &str = "65534";

type Attack = fn(&Ground<'_>, &Work, &Path, &mut Random, &mut Trial);
const ATTACKS: &[Attack] = &[
    large_files,
    full_disk,
    full_output,
    closed_output,
    few_descriptors,
    folder_gone,
    out_gone,
    little_memory,
    little_memory,
    little_memory,
    little_memory,
    few_threads,
];

/// The campaign.
pub fn run(ground: &Ground<'_>) -> Summary {
    each(
        ground,
        "crash limits",
        50,
        |ground, work, folder, random, trial| {
            let attack = ATTACKS[random.below(ATTACKS.len())];
            attack(ground, work, folder, random, trial);
        },
    )
}

/// Expects one of these statuses and a word.
fn expect(ended: &Ended, codes: &[i32], what: &str, trial: &mut Trial) {
    trial.count(format!("{what} {}", ended.status));
    trial.findings.extend(
        ended
            .faults()
            .into_iter()
            .map(|fault| format!("{what}: {fault}")),
    );
    match ended.status {
        Status::Code(code) if codes.contains(&code) => {}
        Status::Signal(_) | Status::Endless => {}
        status => trial.find(format!("{what}: ends with {status}: {}", ended.clipped())),
    }
    trial
        .findings
        .extend(told(ended).map(|fault| format!("{what}: {fault}")));
}

/// Files may not grow beyond some size; as on a full disk, writing fails.
fn large_files(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let limits = Limits {
        file_blocks: Some(random.spread(8, 200)),
        ..Limits::default()
    };
    let ended = work.job(ground.options, folder, limits).run();
    expect(&ended, &[0, 2], "small files", trial);
    trial.findings.extend(work.settle(ground.options, folder));
}

/// A small file system, then a large one: only where one may be mounted.
fn full_disk(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let program = fs::canonicalize(&ground.options.program).expect("the program is there");
    let kib = random.spread(4, 600);
    let script = format!(
        "mkdir small && mount -t tmpfs -o size={kib}k tmpfs small || exit 77\n\
         cd small; \"$@\"; first=$?\n\
         mount -o remount,size=200m tmpfs . && \"$@\"; second=$?\n\
         cp -r out ../out; echo \"$first $second\" > ../statuses"
    );
    let mut arguments = vec!["-m", "sh", "-c", script.as_str(), "sh"];
    let program = program.display().to_string();
    arguments.push(&program);
    arguments.extend(work.arguments.iter().map(String::as_str));
    let Ok(unshare) = which("unshare") else {
        return trial.count("full disk not tried");
    };
    let ended = Job::new(&unshare, folder, Limits::default(), &arguments).run();
    let Ok(statuses) = fs::read_to_string(folder.join("statuses")) else {
        return trial.count("full disk not tried");
    };
    trial.count(format!("full disk {}", statuses.trim()));
    let bad = |ended: &Ended| ended.err.contains("panicked at");
    if !matches!(statuses.trim(), "2 0" | "0 0") || bad(&ended) {
        trial.find(format!(
            "full disk of {kib} KiB: {}: {}",
            statuses.trim(),
            ended.clipped()
        ));
    }
    trial.findings.extend(work.settle(ground.options, folder));
}

/// What is printed goes nowhere.
fn full_output(ground: &Ground<'_>, work: &Work, folder: &Path, _: &mut Random, trial: &mut Trial) {
    let Ok(full) = File::options().write(true).open("/dev/full") else {
        return trial.count("full output not tried");
    };
    let mut job = work.job(ground.options, folder, Limits::default());
    job.command().stdout(full);
    expect(&job.run(), &[2], "full output", trial);
    trial.findings.extend(work.settle(ground.options, folder));
}

/// Nobody reads what is printed, as behind `head`.
fn closed_output(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    _: &mut Random,
    trial: &mut Trial,
) {
    let mut job = work.job(ground.options, folder, Limits::default());
    job.command().stdout(Stdio::piped());
    let mut child = job.start();
    drop(child.stdout.take());
    let ended = job.wait(child);
    expect(&ended, &[0, 2], "closed output", trial);
    trial.findings.extend(work.settle(ground.options, folder));
}

fn few_descriptors(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let limits = Limits {
        files: Some(random.between(4, 9)),
        ..Limits::default()
    };
    let ended = work.job(ground.options, folder, limits).run();
    expect(&ended, &[0, 2], "few descriptors", trial);
    trial.findings.extend(work.settle(ground.options, folder));
}

/// The folder it works in is removed before it starts.
fn folder_gone(ground: &Ground<'_>, work: &Work, folder: &Path, _: &mut Random, trial: &mut Trial) {
    let program = fs::canonicalize(&ground.options.program).expect("the program is there");
    let program = program.display().to_string();
    let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
    let mut arguments = vec!["-c", script, "sh", program.as_str()];
    arguments.extend(work.arguments.iter().map(String::as_str));
    let ended = Job::new(Path::new("/bin/sh"), folder, Limits::default(), &arguments).run();
    expect(&ended, &[2], "folder gone", trial);
}

/// The directory of results is removed while it works.
fn out_gone(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let mut job = work.job(ground.options, folder, Limits::default());
    let child = job.start();
    std::thread::sleep(super::kills::instant(work, random));
    let _ = fs::remove_dir_all(out(folder));
    let ended = job.wait(child);
    expect(&ended, &[0, 2], "results gone", trial);
    // What it wrote afterwards has no manifest: nobody's, and so left alone.
    let _ = fs::remove_dir_all(out(folder));
    trial.findings.extend(work.settle(ground.options, folder));
}

/// Any shipped scenario in little memory: it ends with a sentence.
fn little_memory(
    ground: &Ground<'_>,
    _: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let scenarios = ground.options.tree.join("scenarios");
    let mut all = Vec::new();
    for entry in fs::read_dir(scenarios).into_iter().flatten().flatten() {
        let files = fs::read_dir(entry.path()).into_iter().flatten().flatten();
        all.extend(files.map(|file| file.path()));
    }
    all.retain(|path| path.extension().is_some_and(|end| end == "toml"));
    all.retain(|path| !path.to_string_lossy().contains("/compare/"));
    all.sort();
    let Some(path) = random
        .pick(&all)
        .and_then(|path| fs::canonicalize(path).ok())
    else {
        return;
    };
    let limits = Limits {
        memory_bytes: Some(random.between(100, 400) << 20),
        ..Limits::default()
    };
    let file = path.display().to_string();
    let arguments = ["run", &file, "--out", "out"];
    let mut job = Job::new(&ground.options.program, folder, limits, &arguments);
    job.interrupt_after = Some(Duration::from_secs(2));
    let ended = job.run();
    let what = format!("{} MiB", limits.memory_bytes.unwrap_or(0) >> 20);
    let faults = ended.faults().into_iter();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    trial
        .findings
        .extend(faults.map(|fault| format!("little memory ({name}, {what}): {fault}")));
    trial.count(format!("little memory {}", ended.status));
    if !matches!(
        ended.status,
        Status::Code(0..=3 | 130) | Status::Signal(_) | Status::Endless
    ) {
        trial.find(format!("little memory ({name}, {what}): {}", ended.status));
    }
    trial
        .findings
        .extend(told(&ended).map(|fault| format!("little memory ({name}): {fault}")));
}

/// A user who may start no more threads, or only some.
fn few_threads(
    ground: &Ground<'_>,
    work: &Work,
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    let (Ok(setpriv), Ok(program)) = (which("setpriv"), fs::canonicalize(&ground.options.program))
    else {
        return trial.count("few threads not tried");
    };
    // What nobody can read, nobody can run.
    let copy = folder.join("program");
    let (copied, opened) = (fs::copy(program, &copy), open_to_all(folder));
    if copied.is_err() || opened.is_err() {
        return trial.count("few threads not tried");
    }
    let limit = format!("--nproc={}", random.between(1, 3));
    let copy = copy.display().to_string();
    let user = ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups"];
    let mut arguments = user.to_vec();
    arguments.extend(["prlimit", &limit, &copy]);
    arguments.extend(work.arguments.iter().map(String::as_str));
    let probe = Command::new(&setpriv)
        .args(user)
        .args([copy.as_str(), "--version"])
        .output();
    let scenario = work.arguments.get(1).filter(|word| word.ends_with(".toml"));
    let readable = scenario.is_none_or(|path| {
        let read = Command::new(&setpriv)
            .args(user)
            .args(["cat", path])
            .output();
        read.is_ok_and(|read| read.status.success())
    });
    if !readable || !probe.is_ok_and(|probe| probe.status.success()) {
        return trial.count("few threads not tried");
    }
    let ended = Job::new(&setpriv, folder, Limits::default(), &arguments).run();
    expect(&ended, &[0, 2], "few threads", trial);
}

fn open_to_all(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777))
}

fn which(name: &str) -> Result<std::path::PathBuf, ()> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = std::env::split_paths(&path).map(|folder| folder.join(name));
    all.find(|path| path.is_file()).ok_or(())
}
