//! Which experiments run, in which order, and how far they are.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use backwater_results::Block;

use crate::claim::{self, Claim};
use crate::verdict::{Judged, LEAST_SEEDS_QUICK, judge};
use crate::{Evidence, Experiment, Lab, LabError, Paper, Reproduction, Section};

/// How to reproduce.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// Fewer seeds and shorter runs.
    pub quick: bool,
    /// Threads that share the work; as many as the machine has cores if none.
    pub threads: Option<usize>,
}

/// What is wanted of a paper.
pub struct Selection {
    paper: Paper,
    claims: Vec<Claim>,
    /// Experiments without claims run, too.
    is_whole: bool,
}

impl Selection {
    /// All of it.
    ///
    /// # Errors
    /// If the claims file is broken.
    pub fn whole(paper: Paper) -> Result<Selection, LabError> {
        let claims = claim::parse(paper.claims_toml)?;
        Ok(Selection {
            paper,
            claims,
            is_whole: true,
        })
    }

    /// The experiments that measure `claims`, which need not be the paper's own.
    pub fn judged_by(paper: Paper, claims: Vec<Claim>) -> Selection {
        Selection {
            paper,
            claims,
            is_whole: false,
        }
    }

    /// The experiments that measure these claims, and the verdicts on them alone. A name is a
    /// claim's, or that of a figure or section with all its claims: `kung1993.fig12`.
    ///
    /// # Errors
    /// If the claims file is broken.
    pub fn of(paper: Paper, ids: &[String]) -> Result<Selection, LabError> {
        let mut claims = claim::parse(paper.claims_toml)?;
        claims.retain(|claim| ids.iter().any(|wanted| claim.is(wanted)));
        Ok(Selection::judged_by(paper, claims))
    }

    fn wants(&self, experiment: &Experiment, quick: bool) -> bool {
        if experiment.claims.is_empty() {
            return self.is_whole && (!quick || experiment.quick_percent > 0);
        }
        let mut claims = experiment.claims.iter();
        claims.any(|id| self.claims.iter().any(|claim| claim.id == *id))
    }
}

/// The experiments to run.
pub struct Plan {
    papers: Vec<Selection>,
    /// Cheap ones first.
    parts: Vec<Part>,
    settings: Settings,
    /// Threads that work and that were wanted, where fewer could start.
    short: OnceLock<(usize, usize)>,
}

struct Part {
    /// Index of its paper and its place there.
    paper: usize,
    place: usize,
    runs: Arc<AtomicU64>,
    is_done: AtomicBool,
}

struct Done {
    paper: usize,
    place: usize,
    judged: Vec<Judged>,
    section: Section,
}

impl Plan {
    /// The experiments that these selections want.
    pub fn new(papers: Vec<Selection>, settings: Settings) -> Plan {
        let mut parts = Vec::new();
        for (paper, selection) in papers.iter().enumerate() {
            for (place, experiment) in selection.paper.experiments.iter().enumerate() {
                if selection.wants(experiment, settings.quick) {
                    parts.push(Part {
                        paper,
                        place,
                        runs: Arc::default(),
                        is_done: AtomicBool::new(false),
                    });
                }
            }
        }
        let cost = |part: &Part| papers[part.paper].paper.experiments[part.place].cost_ms;
        parts.sort_by_key(cost);
        Plan {
            papers,
            parts,
            settings,
            short: OnceLock::new(),
        }
    }

    /// What the whole costs, in milliseconds of CPU on a machine of 2025.
    pub fn cost_ms(&self) -> u64 {
        self.parts.iter().map(|part| self.of(part).cost_ms).sum()
    }

    /// How much of [`Plan::cost_ms`] is done.
    pub fn done_ms(&self) -> u64 {
        let done = |part: &Part| {
            let experiment = self.of(part);
            let runs = part.runs.load(Ordering::Relaxed).min(experiment.runs);
            match part.is_done.load(Ordering::Relaxed) {
                true => experiment.cost_ms,
                false => experiment.cost_ms * runs / experiment.runs.max(1),
            }
        };
        self.parts.iter().map(done).sum()
    }

    /// Runs that have ended.
    pub fn runs(&self) -> u64 {
        let runs = self.parts.iter();
        runs.map(|part| part.runs.load(Ordering::Relaxed)).sum()
    }

    /// The names of all claims that are wanted.
    pub fn ids(&self) -> Vec<&str> {
        let claims = self.papers.iter().flat_map(|chosen| &chosen.claims);
        claims.map(|claim| &*claim.id).collect()
    }

    /// So many threads share the work in place of so many, if the system lets no more start.
    pub fn short_of_threads(&self) -> Option<(usize, usize)> {
        self.short.get().copied()
    }

    fn of(&self, part: &Part) -> &Experiment {
        &self.papers[part.paper].paper.experiments[part.place]
    }

    /// Runs the experiments, cheap ones first and some side by side, `on_done` after each with its
    /// verdicts; ends early once `stop` is set, and keeps what is done. The result does not depend
    /// on how many threads there are.
    ///
    /// # Errors
    /// If a shipped scenario is broken.
    pub fn run(
        &self,
        on_done: &(dyn Fn(&[Judged]) + Sync),
        stop: &'static AtomicBool,
    ) -> Result<Vec<Reproduction>, LabError> {
        let pool =
            backwater_run::threads::pool(self.settings.threads.unwrap_or(0)).map_err(LabError)?;
        if let Some(wanted) = pool.wanted {
            let _ = self.short.set((pool.threads.current_num_threads(), wanted));
        }
        let pool = Arc::new(pool.threads);
        let lab = Lab {
            stop: Some(stop),
            at_most_seeds: self.settings.quick.then_some(LEAST_SEEDS_QUICK as u64),
            pool: Some(Arc::clone(&pool)),
            ..Lab::default()
        };
        let next = Mutex::new(self.parts.iter());
        let found = Mutex::new(Vec::new());
        // One experiment a thread at a time: while one waits for its last run, another begins.
        let work = || {
            while !stop.load(Ordering::Relaxed) {
                let part = next.lock().ok().and_then(|mut next| next.next());
                let Some(part) = part else { return };
                let done = self.experiment(part, &lab);
                if let Ok(done) = &done {
                    on_done(&done.judged);
                }
                if let Ok(mut found) = found.lock() {
                    found.push(done);
                }
            }
        };
        thread::scope(|scope| {
            let others = 1..pool.current_num_threads();
            let start = |_: &usize| thread::Builder::new().spawn_scoped(scope, work).is_ok();
            // Where no more can start, those that did share the work.
            others.take_while(start).for_each(drop);
            work();
        });
        let found = found.into_inner().unwrap_or_default().into_iter();
        // What was cut short says nothing; what is done stays.
        let kept = found.filter(|one| one.is_ok() || !stop.load(Ordering::Relaxed));
        Ok(self.sorted(kept.collect::<Result<_, LabError>>()?))
    }

    fn experiment(&self, part: &Part, lab: &Lab) -> Result<Done, LabError> {
        let experiment = self.of(part);
        let quick = self.settings.quick;
        let lab = Lab {
            measured_percent: quick.then_some(experiment.quick_percent),
            runs: Arc::clone(&part.runs),
            ..lab.clone()
        };
        let (evidence, seconds) = lab.timed(|| (experiment.run)(&lab));
        let Evidence { findings, blocks } = evidence?;
        part.is_done.store(true, Ordering::Relaxed);
        let claims = self.papers[part.paper].claims.iter();
        let judged = claims.filter_map(|claim| {
            let finding = findings.iter().find(|finding| finding.claim == claim.id);
            finding.map(|finding| judge(claim, finding, seconds, quick))
        });
        let paper = self.papers[part.paper].paper.id;
        let blocks = blocks.into_iter().map(|block| named_after(paper, block));
        Ok(Done {
            paper: part.paper,
            place: part.place,
            judged: judged.collect(),
            section: Section {
                title: experiment.title,
                blocks: blocks.collect(),
                runs: part.runs.load(Ordering::Relaxed),
                seconds,
            },
        })
    }

    /// By paper, verdicts and sections in its order.
    fn sorted(&self, mut found: Vec<Done>) -> Vec<Reproduction> {
        found.sort_by_key(|done| (done.paper, done.place));
        let mut reproductions: Vec<Reproduction> = Vec::new();
        for chosen in &self.papers {
            reproductions.push(Reproduction {
                paper: chosen.paper.id,
                title: chosen.paper.title,
                picture: format!("{}/{}", chosen.paper.id, chosen.paper.picture),
                judged: Vec::new(),
                sections: Vec::new(),
            });
        }
        for done in found {
            let reproduction = &mut reproductions[done.paper];
            reproduction.judged.extend(done.judged);
            reproduction.sections.push(done.section);
        }
        for (chosen, reproduction) in self.papers.iter().zip(&mut reproductions) {
            let place = |judged: &Judged| {
                let mut claims = chosen.claims.iter();
                claims.position(|claim| claim.id == judged.claim.id)
            };
            reproduction.judged.sort_by_key(place);
        }
        reproductions
    }
}

/// Figures and tables stand in the folder of their paper.
fn named_after(paper: &str, block: Block) -> Block {
    match block {
        Block::Plot(mut plot) => {
            plot.id = format!("{paper}/{}", plot.id);
            Block::Plot(plot)
        }
        Block::Table(mut table) => {
            table.name = format!("{paper}/{}", table.name);
            Block::Table(table)
        }
        other => other,
    }
}
