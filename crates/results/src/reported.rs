//! A run as its manifest, its summary, its page and a terminal tell it, whatever it sent.

use backwater_kernel::{Series, Stop};
use serde_json::Value;

use crate::directory::Manifest;
use crate::info::RunInfo;
use crate::model::{Block, Fact, Plot, Report, Table};
use crate::number::{grouped, hash};
use crate::records::{LOOKED_UP, Summary};
use crate::sections::{closing_blocks, folded, page_of};
use crate::{lines, starved};

/// What a run found, as far as that is told in the same way whatever it sent.
pub trait Reported {
    /// Tables that its page folds, beside those in which something is looked up in all runs.
    const FOLDED: &'static [&'static str] = &[];
    /// What it begins with.
    fn about(&self) -> About;
    /// Every table that has a row.
    fn tables(&self) -> &[Table];
    /// Who got next to nothing: a sentence for each of the first, without a full stop.
    fn warnings(&self) -> Vec<String>;
    /// Fields of its manifest that not all runs have.
    fn manifest(&self, info: &RunInfo) -> Manifest;
    /// What `summary.json` says before the tables.
    fn summary(&self, info: &RunInfo) -> Value;
    /// What its page has beside its tables.
    fn sheet(&self, info: &RunInfo, series: &[Series]) -> Sheet;
    /// What a terminal is told before it hears who got next to nothing, and after that.
    fn lines(&self, info: &RunInfo) -> [Vec<String>; 2];
}

/// What every run has.
#[derive(Clone, Debug)]
pub struct About {
    /// Root of every random stream.
    pub seed: u64,
    /// Fingerprint of everything sent.
    pub trace_hash: u64,
    /// Why it ended,
    pub stop: Stop,
    /// the same in two or three words, and as the rest of "the run ended: ...".
    pub ended: (&'static str, String),
    /// How long that is in its time.
    pub simulated: String,
    /// What crossed a channel: how many, and of what.
    pub hops: (u64, String),
}

/// The page of a run, without what all pages have.
#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// Numbers that matter.
    pub facts: Vec<Fact>,
    /// What must not be missed.
    pub notes: Vec<Block>,
    /// The run in a few paragraphs.
    pub text: String,
    /// Sections of figures, by their headings; those without one are left out.
    pub figures: Vec<(&'static str, Vec<Plot>)>,
    /// What comes after the tables.
    pub end: Vec<Block>,
}

/// The manifest of a run that is over or was interrupted.
pub fn run_manifest(info: &RunInfo, run: &impl Reported) -> Manifest {
    let about = run.about();
    Manifest {
        version: info.version.clone(),
        command: info.command.clone(),
        scenario: info.resolved.clone(),
        seed: about.seed,
        trace_hash: hash(about.trace_hash),
        wall_seconds: info.wall_seconds,
        stop: about.ended.1,
        partial: about.stop == Stop::Interrupted,
        checks: info.checks.clone(),
        warnings: run.warnings(),
        ..run.manifest(info)
    }
}

/// The numbers most programs want, for `summary.json`: the run as a whole, and the rows of its
/// tables.
pub fn run_summary<'a>(info: &RunInfo, run: &'a impl Reported) -> Summary<'a> {
    Summary::new(run.summary(info), run.tables())
}

/// A page that explains the run: the numbers that matter, what went wrong, figures, series, every
/// table, the scenario and the command.
pub fn run_report<R: Reported>(info: &RunInfo, run: &R, series: &[Series]) -> Report {
    let (about, sheet) = (run.about(), run.sheet(info, series));
    let mut blocks = vec![Block::Facts(sheet.facts)];
    blocks.extend(sheet.notes);
    blocks.extend(starved::notes(run.warnings()));
    blocks.push(Block::Text(sheet.text));
    let figures = sheet.figures.into_iter();
    blocks.extend(figures.flat_map(|(title, plots)| Block::figures(title, plots)));
    blocks.push(Block::heading("Tables"));
    let is_folded = |name: &str| LOOKED_UP.contains(&name) || R::FOLDED.contains(&name);
    let tables = run.tables().iter().map(|table| {
        let shown = Block::Excerpt(table.excerpt());
        match is_folded(&table.name) {
            false => shown,
            true => folded(&table.name, shown),
        }
    });
    blocks.extend(tables);
    blocks.extend(sheet.end);
    blocks.extend(closing_blocks(info, about.seed, &hash(about.trace_hash)));
    page_of([&info.name, &info.description, &info.version], blocks)
}

/// The run in a few lines of text: what ran for how long and how fast that was computed, what it
/// found, what went wrong.
///
/// Of circuits at most 26 lines, and beside them three on ABR and four on recovery after outages;
/// of frames at most 40, of flits 32. More on what not every run has: nine on delay bounds, six or
/// nine on what could not move, four on who got next to nothing. Fair shares take a line for each
/// of up to 30 flows, groups or sources, and at most eight more.
pub fn terminal_summary(info: &RunInfo, run: &impl Reported) -> String {
    let about = run.about();
    let [first, last] = run.lines(info);
    let (hops, what) = about.hops;
    let mut lines = vec![
        format!("{}: {}, {}", info.name, about.simulated, about.ended.0),
        format!(
            "{} {what}{}; trace hash {}",
            grouped(hops),
            info.pace(hops),
            hash(about.trace_hash)
        ),
        String::new(),
    ];
    lines.extend(first);
    lines.extend(starved::lines(run.warnings()));
    lines.extend(last);
    lines::printable(&lines)
}
