//! A script for Slurm: each task of an array computes one shard.

use std::path::Path;

use backwater_kernel::words::counted;

use super::asked::Asked;
use super::plan::How;
use super::shards_of;
use crate::{SUCCESS, command_of, fail, run};

/// Prints it, of so many tasks for so many points.
pub fn print(asked: &Asked, how: &How, out: &Path, counts: [u64; 2]) -> u8 {
    if !Path::new(&asked.source.name).is_file() {
        return fail("--slurm needs the scenario in a file, which every task of the array reads");
    }
    print!("{}", script(asked, how, out, counts));
    SUCCESS
}

fn script(asked: &Asked, how: &How, out: &Path, [tasks, points]: [u64; 2]) -> String {
    let name = run::name_of(Path::new(&asked.source.name));
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let name: String = name.chars().filter(is_plain).collect();
    let words = |path: &Path| path.to_string_lossy().into_owned();
    let mut sweep = asked.words("sweep");
    sweep.extend(["--out".into(), words(out)]);
    sweep.extend(how.memory.words());
    let merge = ["merge".into(), words(&shards_of(out))];
    let merge = merge.into_iter().chain(["--out".into(), words(out)]);
    let (sweep, merge) = (command_of(sweep), command_of(merge));
    let (points, tasks_in_words) = (counted(points, "point"), counted(tasks, "task"));
    format!(
        r#"#!/bin/bash
#SBATCH --job-name=sweep-{name}
#SBATCH --array=1-{tasks}
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --requeue
# {points} in {tasks_in_words}. A task that was stopped goes on from its stored points.
# When all have ended, on any machine that sees the same folder:
#   {merge}
set -euo pipefail
exec {sweep} \
    --shard "$SLURM_ARRAY_TASK_ID/{tasks}" --jobs "${{SLURM_CPUS_PER_TASK:-1}}"
"#
    )
}
