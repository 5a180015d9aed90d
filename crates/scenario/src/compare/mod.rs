//! Comparisons: one workload on one topology, written out as a scenario for each scheme.
//!
//! [`Comparison::text`] turns a comparison into an ordinary scenario, which is read and checked as
//! any other: N23 and ABR on circuits, whose units are as full frames or cells; every control of
//! sources under every gate on frames. Under all, switches have the same memory in all and serve
//! in the same order, where a scheme can.
//!
//! A line here writes text, and leaves reading and checking it to the rest: it may touch `given`,
//! `language` and what changes values in `sweep`. The next scheme is a variant of [`Control`] or
//! [`Gate`] with its arms.

mod alone;
mod circuits;
mod frames;
mod memory;
mod network;
mod pairs;
mod programs;
mod read;
mod scheme;
mod settings;
mod text;
mod unit;

use std::borrow::Cow;
use std::collections::BTreeMap;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::Span;

use crate::given::COMPARISON;
use crate::given::compare::MARK;
use crate::language::diagnostics::Diagnostics;
use crate::language::kinds::{OrShare, OrWord};
use crate::language::reader::Reader;
use crate::language::source::{Set, Source};
use crate::language::tree::{self, Value};
use crate::network::jitter;
use crate::reference::glossary::GUIDE;
use crate::sweep::overrides;
use crate::sweep::set_aside;
use crate::{Limits, Scenario};

use network::Network;
use pairs::Pairs;
pub use programs::ComparedProgram;
pub use scheme::{Circuits, Control, Gate, Scheme};
pub use unit::Unit;

/// A file for `backwater compare`.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Title of the report; may be empty.
    pub title: String,
    /// What it shows; may be empty.
    pub about: String,
    /// First seed.
    pub seed: u64,
    /// Every run ends here.
    pub duration: Duration,
    /// Statistics start here.
    pub warm_up: Duration,
    /// Averages over time are over windows of this length.
    pub window: Duration,
    /// Flows start up to so much later than they say.
    start_jitter: Option<Duration>,
    /// Which schemes, in the order of tables.
    pub schemes: Vec<Scheme>,
    /// What sends.
    pub flows: Vec<ComparedFlow>,
    /// Operations and jobs of ranks, behind the flows.
    pub programs: Vec<ComparedProgram>,
    /// Rates of all channels: those of link `k` are `2k` and `2k + 1`.
    pub rates: Vec<Rate>,
    /// The file, for what is said of a scenario that is made of it.
    file: String,
    network: Network,
    settings: Settings,
}

/// One flow of a comparison.
#[derive(Clone, PartialEq, Debug)]
pub struct ComparedFlow {
    /// As the file calls it.
    pub name: String,
    /// Flows that are counted together.
    pub group: String,
    /// What its application sends.
    pub traffic: ComparedTraffic,
    /// Channels it crosses.
    pub path: Vec<u32>,
    from: usize,
    to: usize,
}

/// What an application sends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ComparedTraffic {
    /// Always has more.
    Greedy {
        /// From here on.
        start: Time,
    },
    /// Even gaps.
    Constant {
        /// From here on.
        start: Time,
        /// Of payload.
        rate: Rate,
    },
    /// So much at once, once or again and again.
    Bursts {
        /// First burst.
        start: Time,
        /// Payload of each.
        bytes: u64,
        /// From start to start; `None`: one burst.
        every: Option<Duration>,
        /// Bursts that start before the end of the run.
        count: u64,
    },
    /// Closed loop of requests and responses.
    Requests {
        /// First request.
        start: Time,
        /// Payload of a request.
        request: u64,
        /// Payload of a response.
        response: u64,
        /// Time between a response and the next request.
        think: Span,
    },
}

/// What a flow of a generated scenario is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Role {
    /// Flow of the comparison (index).
    pub flow: usize,
    /// Which part of it.
    pub part: Part,
}

/// A part of a compared flow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// All that goes from its source to its destination.
    Forward,
    /// One burst of it (from 0).
    Burst(u64),
    /// What comes back: responses, or RM cells alone.
    Back,
}

/// Settings of the schemes, defaults worked out, as text for the scenarios.
#[derive(Clone, Debug)]
struct Settings {
    /// Memory of a port.
    buffer_bytes: u64,
    recovery: &'static str,
    tcp_window: u64,
    min_rto: Duration,
    mark_above: u64,
    /// Flows take turns at ports of switches, where these know flows.
    takes_turns: bool,
    n2: u64,
    n23_unit: Unit,
    n23_target: Option<OrWord<OrShare<Rate>>>,
    pause: Thresholds,
    destination: Thresholds,
    /// The same where each flow is answered, so that hosts that send are destinations too.
    destination_answered: Thresholds,
    pfc: Thresholds,
    pairs: Pairs,
    abr_unit: Unit,
    abr_target: f64,
    interval: Duration,
    icr: Option<Rate>,
    headroom: Option<Rate>,
    tdf: f64,
}

/// When a queue is congested.
#[derive(Clone, Debug)]
struct Thresholds {
    xoff: String,
    xon: String,
    /// Who is told; `None` where stops are those of inputs.
    notify: Option<&'static str>,
}

/// Is this text a comparison, not a scenario?
pub fn is_comparison(source: &Source) -> bool {
    let root = tree::read_file(&source.text, &mut Diagnostics::default());
    matches!(root.get("kind").map(|kind| &kind.value), Some(Value::Text(word)) if word == MARK)
}

impl Comparison {
    /// Reads and checks a comparison; `sets` change it.
    ///
    /// # Errors
    /// All mistakes of the file. What a single scheme can't do with it is found by
    /// [`Comparison::scenario`].
    pub fn read(source: &Source, sets: &[Set]) -> Result<Comparison, Diagnostics> {
        let (mut node, mut mistakes) = tree::read_source(source, sets.iter().map(Set::source))?;
        if mistakes.errors() > 0 {
            return Err(mistakes);
        }
        overrides::put_all(&mut node, |_| COMPARISON, sets, &mut mistakes);
        set_aside::after_sets(&mut node, COMPARISON, sets, &mut mistakes);
        let root = Reader {
            cell_bits: 8 * Unit::Cell.wire_bytes(),
            guide: &GUIDE,
            ..Reader::of(COMPARISON, &mut mistakes)
        }
        .section(COMPARISON, &node);
        crate::leave_out_what_follows(&root, &mut mistakes);
        let comparison = read::comparison((&root, &node), &mut mistakes);
        match comparison {
            Some(comparison) if mistakes.errors() == 0 => Ok(Comparison {
                file: source.name.clone(),
                ..comparison
            }),
            _ => Err(mistakes),
        }
    }

    /// The comparison as it runs with this seed, under whatever scheme: with the starts that were
    /// drawn.
    pub fn drawn(&self, seed: u64) -> Cow<'_, Comparison> {
        if self.start_jitter.is_none() {
            return Cow::Borrowed(self);
        }
        let mut drawn = self.clone();
        let starts = drawn.flows.iter_mut().map(|flow| flow.traffic.start_mut());
        jitter::postpone(starts, seed, self.start_jitter);
        Cow::Owned(drawn)
    }

    /// The scenario of a scheme as TOML.
    pub fn text(&self, scheme: Scheme, seed: u64) -> String {
        let drawn = self.drawn(seed);
        match scheme {
            Scheme::Circuits(_) => circuits::write(&drawn, scheme, seed),
            Scheme::Frames(control, gate) => frames::write(&drawn, control, gate, seed),
        }
    }

    /// The scenario of a scheme, checked as any other.
    ///
    /// # Errors
    /// What can't work under this scheme; places are those of [`Comparison::text`].
    pub fn scenario(
        &self,
        scheme: Scheme,
        seed: u64,
        limits: &Limits,
    ) -> Result<Scenario, Diagnostics> {
        let name = format!("{}, as made for `{scheme}`", self.file);
        let source = Source::new(name, self.text(scheme, seed));
        crate::parse_within(&source, &[], limits)
    }

    /// Can a scheme carry all of it? Circuits carry no collectives and no jobs.
    pub fn suits(&self, scheme: Scheme) -> bool {
        self.programs.is_empty() || !scheme.has_circuits()
    }

    /// What the flows of a scheme's scenario are, by name; `NAME[1]` and so on, which are those of
    /// a collective or a job, by its name.
    pub fn roles(&self, scheme: Scheme) -> BTreeMap<String, Role> {
        let mut roles = BTreeMap::new();
        for (index, flow) in self.flows.iter().enumerate() {
            let role = |part| Role { flow: index, part };
            if let ComparedTraffic::Bursts { count, .. } = flow.traffic
                && !scheme.has_circuits()
            {
                for burst in 0..count {
                    roles.insert(flow.burst_name(burst), role(Part::Burst(burst)));
                }
            } else {
                roles.insert(flow.name.clone(), role(Part::Forward));
            }
            if scheme.has_circuits() {
                roles.insert(flow.back_name(), role(Part::Back));
            }
        }
        for (index, own) in (self.flows.len()..).zip(&self.programs) {
            let part = Part::Forward;
            roles.insert(own.name.clone(), Role { flow: index, part });
        }
        roles
    }

    /// When the bursts of all flows start, and when the last bit of each could have left its
    /// source at the rate of its link: ascending.
    pub fn bursts(&self) -> Vec<(Time, Time)> {
        let mut bursts: Vec<(Time, Time)> = Vec::new();
        for flow in &self.flows {
            if let ComparedTraffic::Bursts { bytes, count, .. } = flow.traffic {
                let rate = flow
                    .path
                    .first()
                    .map(|channel| self.rates[*channel as usize]);
                let takes = rate.map_or(Duration::ZERO, |rate| rate.serialization(bytes));
                let starts = (0..count).filter_map(|burst| flow.traffic.burst_start(burst));
                bursts.extend(starts.map(|start| (start, start + takes)));
            }
        }
        bursts.sort_unstable();
        bursts
    }

    /// What circuits carry under a scheme; as much as full frames where there are none.
    pub fn unit(&self, scheme: Scheme) -> Unit {
        match scheme {
            Scheme::Circuits(Circuits::N23) => self.settings.n23_unit,
            Scheme::Circuits(Circuits::Abr) => self.settings.abr_unit,
            Scheme::Frames(..) => Unit::Frame,
        }
    }

    /// Switches by name.
    pub fn switches(&self) -> &[String] {
        &self.network.nodes[self.network.hosts..]
    }
}

impl ComparedTraffic {
    fn start_mut(&mut self) -> &mut Time {
        match self {
            Self::Greedy { start }
            | Self::Constant { start, .. }
            | Self::Bursts { start, .. }
            | Self::Requests { start, .. } => start,
        }
    }

    /// When a burst starts.
    pub fn burst_start(&self, burst: u64) -> Option<Time> {
        let Self::Bursts { start, every, .. } = *self else {
            return None;
        };
        let later = every.unwrap_or(Duration::ZERO).checked_mul(burst)?;
        start.checked_add(later)
    }
}

impl ComparedFlow {
    /// Name of the flow that carries one of its bursts.
    fn burst_name(&self, burst: u64) -> String {
        format!("{}[{}]", self.name, burst + 1)
    }

    /// The way of what comes back, where that is data.
    fn way_back(&self) -> Option<Vec<u32>> {
        let has_responses = matches!(self.traffic, ComparedTraffic::Requests { .. });
        has_responses.then(|| self.reversed())
    }

    /// The same links, the other way.
    fn reversed(&self) -> Vec<u32> {
        self.path.iter().rev().map(|channel| channel ^ 1).collect()
    }

    /// Name of the flow that carries what comes back.
    fn back_name(&self) -> String {
        format!("{} back", self.name)
    }
}
