//! Two commands in one directory: one of them is refused, and what is there is of one command.

use std::fs;
use std::path::Path;
use std::time::Duration;

use super::contents::Contents;
use super::{Ground, Work, kills, out};
use crate::child::{Ended, Job, Limits, Status};
use crate::random::Random;
use crate::trial::{self, Summary, Trial};

/// The campaign: every pair of commands in turn.
pub fn run(ground: &Ground<'_>) -> Summary {
    let name = "crash writers";
    let count = ground.works.len() as u64;
    trial::run(name, count * count, ground.options, |number| {
        let mut random = Random::of(ground.options.seed, name, number);
        let pair = [number % count, number / count % count].map(|at| &ground.works[at as usize]);
        let folder = trial::folder(ground.options, name, number);
        let mut trial = Trial::default();
        together(ground, pair, &folder, &mut random, &mut trial);
        trial::tidy(ground.options, &folder, &trial);
        trial
    })
}

fn together(
    ground: &Ground<'_>,
    [first, second]: [&Work; 2],
    folder: &Path,
    random: &mut Random,
    trial: &mut Trial,
) {
    // Each has a folder of its own for its words; the directory of results is the same.
    let apart = [folder.join("first"), folder.join("second")];
    for own in &apart {
        fs::create_dir_all(own).expect("a folder is made");
    }
    let job = |work: &Work, own: &Path| {
        let (last, before) = work.arguments.split_last().expect("it has arguments");
        let shared = folder.join(last).display().to_string();
        let mut arguments: Vec<&str> = before.iter().map(String::as_str).collect();
        arguments.push(&shared);
        Job::new(&ground.options.program, own, Limits::default(), &arguments)
    };
    let mut one = job(first, &apart[0]);
    let child = one.start();
    let late = match random.chance(40) {
        true => Duration::from_millis(random.spread(0, 30)),
        false => kills::instant(first, random),
    };
    std::thread::sleep(late);
    let mut two = job(second, &apart[1]);
    let other = two.start();
    let ended = [one.wait(child), two.wait(other)];
    let pair = format!("{} and {}", first.name, second.name);
    trial.count(format!("{} and {}", ended[0].status, ended[1].status));
    for one in &ended {
        trial.findings.extend(
            one.faults()
                .into_iter()
                .map(|fault| format!("{pair}: {fault}")),
        );
    }
    judge(
        &pair,
        [first, second],
        &ended,
        &Contents::of(&out(folder)),
        trial,
    );
}

fn judge(pair: &str, works: [&Work; 2], ended: &[Ended; 2], found: &Contents, trial: &mut Trial) {
    let codes = [ended[0].status, ended[1].status];
    // The other is at work, or was, and left points of a sweep that nobody else may write over.
    let reasons = ["is using it", "it holds the stored points of a sweep"];
    for one in ended.iter().filter(|one| one.status == Status::Code(2)) {
        if !reasons.iter().any(|reason| one.err.contains(reason)) {
            trial.find(format!(
                "{pair}: refused for another reason: {}",
                one.clipped()
            ));
        }
    }
    // The directory holds the results of one that says it is done.
    let done = (0..2).filter(|at| codes[*at] == Status::Code(0));
    let mut differences = Vec::new();
    for at in done {
        match works[at]
            .whole
            .without_points()
            .differs(&found.without_points())
        {
            None => return,
            Some(what) => differences.push(format!("{}: {what}", works[at].name)),
        }
    }
    trial.find(format!(
        "{pair}: ended with {} and {}, mixed: {}",
        codes[0],
        codes[1],
        differences.join("; ")
    ));
}
