//! Packets: when they are born, where they go and how long they are.
//!
//! A *process* makes the packets of one class at one source; its number is
//! `source * classes + class`, and `source = terminal * sources_per_terminal + i`. It draws from
//! the stream of (seed, `class * 2^32 + source`, [`Purpose::Traffic`]): destination, length, then
//! the gap to the next birth. A random permutation is drawn once, from the stream of (seed,
//! class, [`Purpose::Pattern`]): all orders are equally likely, and a terminal may be sent to
//! itself.

mod injection;
pub mod loads;
pub mod pairs;
pub(crate) mod pattern;
mod request_reply;
pub(crate) mod size;
pub(crate) mod trace;
pub mod ways;
mod weights;

use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use backwater_kernel::{BuildError, Purpose, Stream};

use crate::spec::{ClassSpec, FabricSpec, Injection, LANES_MAX, Sources};
use injection::Clock;
use pattern::Map;
use size::Lengths;
use trace::Trace;

/// Most processes: each takes 32 to 40 bytes.
const PROCESSES_MAX: u64 = 1 << 26;
/// Most classes.
const CLASSES_MAX: usize = 256;

/// A packet at its birth.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Born {
    /// Terminal it goes to.
    pub destination: u32,
    /// Flits, at least 1.
    pub length: u16,
    /// Index in [`FabricSpec::classes`].
    pub class: u8,
}

/// A packet that is born because another arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reaction {
    /// Where it is born.
    pub at_terminal: u32,
    /// Which of the terminal's sources it joins; 0 where there is one.
    pub source_lane: u32,
    /// When it is born; not before the other arrived.
    pub cycle: u64,
    /// What is born.
    pub born: Born,
}

/// Makes the packets of a run.
#[derive(Clone, Debug)]
pub struct Generator {
    sources: u32,
    sources_per_terminal: u32,
    classes: Vec<Class>,
    /// Classes that always have one more packet.
    saturating: Vec<u8>,
    ends: Option<u64>,
}

#[derive(Clone, Debug)]
struct Class {
    /// By source; empty where nothing is drawn.
    streams: Vec<Stream>,
    /// By source, where a process remembers something.
    notes: Vec<u64>,
    map: Map,
    lengths: Lengths,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Clock(Clock),
    Saturation,
    Requests {
        outstanding: u32,
        think: u32,
        reply_class: u8,
    },
    Replies {
        request_class: u8,
    },
    Trace(Trace),
}

impl Generator {
    /// Checks the traffic of `spec` and makes it ready.
    ///
    /// # Errors
    ///
    /// A load, size, pattern or trace that is impossible in this network, or classes of requests
    /// and replies that don't fit each other.
    pub fn new(spec: &FabricSpec) -> Result<Generator, BuildError> {
        let terminals = pattern::terminals(&spec.graph)?;
        let sources_per_terminal = sources_per_terminal(spec)?;
        let sources = u64::from(terminals) * u64::from(sources_per_terminal);
        let count = spec.classes.len();
        if count == 0 || count > CLASSES_MAX {
            let what = format!("{count} classes of packets: 1 to {CLASSES_MAX}");
            return Err(BuildError(what));
        }
        if sources * count as u64 > PROCESSES_MAX {
            let what = format!("{sources} sources times {count} classes are more than 2^26");
            return Err(BuildError(what));
        }
        let answered = request_reply::answered(&spec.classes)?;
        let mut classes = Vec::with_capacity(count);
        for (index, class) in spec.classes.iter().enumerate() {
            let made = Class::new(spec, index, sources_per_terminal, answered[index]);
            let named = |e: BuildError| BuildError(format!("class `{}`: {e}", class.name));
            classes.push(made.map_err(named)?);
        }
        let saturates = |i: &u8| matches!(classes[*i as usize].kind, Kind::Saturation);
        Ok(Generator {
            sources: sources as u32,
            sources_per_terminal,
            saturating: (0..=(count - 1) as u8).filter(saturates).collect(),
            classes,
            ends: trace::last_cycle(&spec.classes),
        })
    }

    /// How many processes there are.
    pub fn processes(&self) -> u32 {
        self.sources * self.classes.len() as u32
    }

    /// How many sources a terminal has.
    pub fn sources_per_terminal(&self) -> u32 {
        self.sources_per_terminal
    }

    /// Cycle of a process's first birth, if it ever makes one by itself. To be asked once, before
    /// anything else of the process.
    pub fn first(&mut self, process: u32) -> Option<u64> {
        let (source, class) = self.split(process);
        let lane = u64::from(source % self.sources_per_terminal);
        let class = &mut self.classes[class as usize];
        if !class.map.leads_on(source / self.sources_per_terminal) {
            return None;
        }
        match &class.kind {
            Kind::Clock(Clock::Never) => None,
            Kind::Clock(clock) => {
                let note = class.notes.get_mut(source as usize);
                let stream = &mut class.streams[source as usize];
                clock.first(stream, note.unwrap_or(&mut 0))
            }
            Kind::Requests { outstanding, .. } => {
                let sources = u64::from(self.sources_per_terminal);
                let outstanding = u64::from(*outstanding);
                let share = outstanding / sources + u64::from(lane < outstanding % sources);
                class.notes[source as usize] = share;
                (share > 0).then_some(0)
            }
            Kind::Trace(trace) => trace.due(source),
            Kind::Saturation | Kind::Replies { .. } => None,
        }
    }

    /// The packet a process makes at `now`, and the cycle of the next one: later, or `now` again
    /// for traces and for the first requests.
    ///
    /// # Panics
    ///
    /// If nothing of the process is due at `now`.
    #[inline]
    pub fn born(&mut self, process: u32, now: u64) -> (Born, Option<u64>) {
        let (source, index) = self.split(process);
        let terminal = source / self.sources_per_terminal;
        let class = &mut self.classes[index as usize];
        if let Kind::Trace(trace) = &mut class.kind {
            let entry = trace.take(source).expect("a packet is due");
            let born = Born {
                destination: entry.destination,
                length: entry.length,
                class: index,
            };
            return (born, trace.due(source));
        }
        let born = class.draw(terminal, source, index);
        let next = match &class.kind {
            Kind::Clock(clock) => {
                let note = class.notes.get_mut(source as usize);
                let stream = &mut class.streams[source as usize];
                clock.next(now, stream, note.unwrap_or(&mut 0))
            }
            Kind::Requests { .. } => {
                let left = &mut class.notes[source as usize];
                *left = left.checked_sub(1).expect("a request is due");
                (*left > 0).then_some(now)
            }
            _ => panic!("a process without births of its own"),
        };
        (born, next)
    }

    /// Do sources always have one more packet, to be had by [`Generator::pull`]?
    pub fn pulls(&self) -> bool {
        !self.saturating.is_empty()
    }

    /// One more packet for a vacant source; `None` unless [`Generator::pulls`], and where it has
    /// nobody to send to. With several classes that have one, all are equally likely.
    #[inline]
    pub fn pull(&mut self, source: u32) -> Option<Born> {
        let terminal = source / self.sources_per_terminal;
        let index = match self.saturating.as_slice() {
            [] => return None,
            [only] => *only,
            _ => self.one_of_several(terminal, source)?,
        };
        let class = &mut self.classes[usize::from(index)];
        let leads_on = class.map.leads_on(terminal);
        leads_on.then(|| class.draw(terminal, source, index))
    }

    /// One of the classes that always have one more packet at a source.
    fn one_of_several(&mut self, terminal: u32, source: u32) -> Option<u8> {
        let first = usize::from(*self.saturating.first()?);
        let map = |index: u8| &self.classes[usize::from(index)].map;
        let all = self.saturating.iter().copied();
        let open: Vec<u8> = all.filter(|index| map(*index).leads_on(terminal)).collect();
        let stream = &mut self.classes[first].streams[source as usize];
        match open.len() {
            0 => None,
            1 => Some(open[0]),
            several => Some(open[stream.below(several as u64) as usize]),
        }
    }

    /// What the arrival of a packet at `now` brings about: a request its reply, a reply the
    /// requester's next request.
    pub fn arrived(
        &mut self,
        class: u8,
        source: u32,
        destination: u32,
        now: u64,
    ) -> Option<Reaction> {
        let (next_class, wait) = match self.classes[class as usize].kind {
            Kind::Requests { reply_class, .. } => (reply_class, 0),
            Kind::Replies { request_class } => {
                let Kind::Requests { think, .. } = self.classes[request_class as usize].kind else {
                    return None;
                };
                (request_class, think)
            }
            _ => return None,
        };
        let sources = self.sources_per_terminal;
        let first = destination * sources;
        let answers = &mut self.classes[next_class as usize];
        let mut born = answers.draw(destination, first, next_class);
        if matches!(answers.kind, Kind::Replies { .. }) {
            born.destination = source;
        }
        let stream = &mut answers.streams[first as usize];
        let source_lane = match sources {
            1 => 0,
            several => stream.below(u64::from(several)) as u32,
        };
        Some(Reaction {
            at_terminal: destination,
            source_lane,
            cycle: now.saturating_add(u64::from(wait)),
            born,
        })
    }

    /// Last cycle in which a packet is born, when all of them are listed in traces.
    pub fn ends(&self) -> Option<u64> {
        self.ends
    }

    /// Source and class of a process.
    #[inline]
    fn split(&self, process: u32) -> (u32, u8) {
        let classes = self.classes.len() as u32;
        (process / classes, (process % classes) as u8)
    }
}

impl Class {
    fn new(
        spec: &FabricSpec,
        index: usize,
        per: u32,
        request_class: Option<u8>,
    ) -> Result<Class, BuildError> {
        let class = &spec.classes[index];
        let terminals = pattern::terminals(&spec.graph)?;
        let sources = terminals as usize * per as usize;
        let kind = Kind::new(class, terminals, per, request_class)?;
        // Traces say all, replies go back: what else the class says does not matter.
        let map = match kind {
            Kind::Trace(_) | Kind::Replies { .. } => Map::Everyone(terminals),
            _ => Map::new(&class.pattern, &spec.graph, spec.seed, index)?,
        };
        let lengths = match kind {
            Kind::Trace(_) => Lengths::Fixed(1),
            _ => Lengths::new(&class.size)?,
        };
        let has_notes = match &kind {
            Kind::Clock(clock) => clock.has_note(),
            kind => matches!(kind, Kind::Requests { .. }),
        };
        let stream = |source: usize| {
            let entity = (index as u64) << 32 | source as u64;
            Stream::new(spec.seed, entity, Purpose::Traffic)
        };
        let streams = match kind {
            Kind::Trace(_) | Kind::Clock(Clock::Never) => Vec::new(),
            _ => (0..sources).map(stream).collect(),
        };
        Ok(Class {
            streams,
            notes: vec![0; if has_notes { sources } else { 0 }],
            map,
            lengths,
            kind,
        })
    }

    #[inline]
    fn draw(&mut self, terminal: u32, source: u32, class: u8) -> Born {
        let stream = &mut self.streams[source as usize];
        Born {
            destination: self.map.pick(terminal, stream),
            length: self.lengths.pick(stream),
            class,
        }
    }
}

impl Kind {
    fn new(
        class: &ClassSpec,
        terminals: u32,
        per: u32,
        request_class: Option<u8>,
    ) -> Result<Kind, BuildError> {
        let kind = match &class.injection {
            Injection::Saturation => Kind::Saturation,
            Injection::RequestReply {
                outstanding,
                think,
                reply_class,
            } => Kind::Requests {
                outstanding: *outstanding,
                think: *think,
                reply_class: *reply_class,
            },
            Injection::Replies => Kind::Replies {
                request_class: request_class.unwrap_or(0),
            },
            Injection::Trace(list) => Kind::Trace(Trace::new(list, terminals, per)?),
            clock => {
                Lengths::new(&class.size)?;
                let flits = size::mean(&class.size) * f64::from(per);
                let clock = Clock::new(clock, flits)?;
                Kind::Clock(clock.unwrap_or(Clock::Never))
            }
        };
        Ok(kind)
    }
}

/// By terminal: may packets be sent to it? All may where nothing else is known.
pub(crate) fn receivers(spec: &FabricSpec) -> Vec<bool> {
    let mut marks = vec![false; spec.graph.inject.len()];
    for (index, class) in spec.classes.iter().enumerate() {
        match &class.injection {
            Injection::Trace(list) => {
                let to = list.iter().map(|entry| entry.destination as usize);
                to.for_each(|at| marks.get_mut(at).into_iter().for_each(|mark| *mark = true));
            }
            Injection::Replies => marks.fill(true),
            _ => match Map::new(&class.pattern, &spec.graph, spec.seed, index) {
                Ok(map) => map.mark(&mut marks),
                Err(_) => marks.fill(true),
            },
        }
    }
    marks
}

fn sources_per_terminal(spec: &FabricSpec) -> Result<u32, BuildError> {
    let lanes = spec.router.lanes;
    match spec.sources {
        Sources::One | Sources::Shared => Ok(1),
        Sources::PerLane if (1..=LANES_MAX).contains(&lanes) => Ok(u32::from(lanes)),
        Sources::PerLane => {
            let what = format!("{lanes} VCs: 1 to {LANES_MAX}");
            Err(BuildError(what))
        }
    }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
