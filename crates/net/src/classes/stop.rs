//! What stops a channel, or some of what crosses it.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;

use backwater_kernel::{Collected, Distribution, Duration, Survey, Time};

use crate::hop::load::Control;
use crate::spec::frames::{ClassBits, PFC_CLASSES, StoppedSpec};

/// Stops of a queue whose lengths are kept one by one.
const KEPT: usize = 512;

/// A stop: whether, until when, since when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub is_on: bool,
    /// It ends by itself then; `Time::MAX` never.
    pub until: Time,
    pub since: Time,
    /// Its time counts from here on.
    pub rest_at: Time,
}

impl Stop {
    pub const OFF: Stop = Stop {
        is_on: false,
        until: Time::MAX,
        since: Time::ZERO,
        rest_at: Time::ZERO,
    };
}

/// What stops a channel. Touched by control frames only.
#[derive(Clone, Debug)]
pub(crate) struct Gates {
    /// How the port takes stops.
    pub rules: StoppedSpec,
    pub port: Stop,
    /// Of each class, and at least of those that a PFC frame can name; none as long as nothing was
    /// ever stopped, as in most ports of a large network.
    pub classes: Vec<ClassGate>,
    /// So many are there once something is.
    count: u8,
    /// Destinations: class, station, stop; sorted.
    pub destinations: Vec<(u8, u32, Stop)>,
    /// Control frames whose response time runs: when it ends, and what they ask for.
    pub responses: Vec<(Time, Control)>,
    pub stops_obeyed: u64,
    pub stops_ignored: u64,
    /// When the event that looks for stops that end is due; `Time::MAX` if there is none.
    pub expiry: Time,
}

/// What is known of the stops of a class.
#[derive(Clone, Debug)]
pub(crate) struct ClassGate {
    pub stop: Stop,
    /// When the last stop for it came (port stops count for all).
    pub last_stop: Time,
    /// With a watchdog: since when something has waited under a stop.
    pub stuck: Time,
    /// How long it has been stopped, in whole or in part.
    pub watch: StopWatch,
}

/// Measures the time for which something holds.
#[derive(Clone, Debug, Default)]
pub(crate) struct StopWatch {
    /// It holds since.
    pub since: Option<Time>,
    total: Duration,
    /// How long it held each time, ps.
    lengths: Option<Box<Collected>>,
}

impl StopWatch {
    /// For a run that repeats itself.
    pub fn survey_watch(&mut self, survey: &mut Survey) {
        let StopWatch {
            since,
            total,
            lengths,
        } = self;
        survey.instant_if(since);
        survey.adds(&mut total.0);
        let lengths = lengths.get_or_insert_with(StopWatch::none);
        lengths.survey_collected(survey);
    }

    pub fn set(&mut self, now: Time, holds: bool) {
        match (self.since, holds) {
            (None, true) => self.since = Some(now),
            (Some(since), false) => {
                self.total = self.total + now.since(since);
                let lengths = self.lengths.get_or_insert_with(StopWatch::none);
                lengths.record(now.since(since).ps());
                self.since = None;
            }
            _ => {}
        }
    }

    /// In all, from the start to `now`.
    pub fn total(&self, now: Time) -> Duration {
        match self.since {
            Some(since) => self.total + now.since(since),
            None => self.total,
        }
    }

    /// How long it held each time; now with the time so far.
    pub fn lengths(&self, now: Time) -> Distribution {
        match (self.since, &self.lengths) {
            (None, None) => Distribution::default(),
            (None, Some(lengths)) => lengths.distribution(),
            (Some(since), lengths) => {
                let mut all = lengths.clone().unwrap_or_else(StopWatch::none);
                all.record(now.since(since).ps());
                all.distribution()
            }
        }
    }

    fn none() -> Box<Collected> {
        Box::new(Collected::new(KEPT))
    }
}

/// Nothing was ever stopped.
static OPEN: ClassGate = ClassGate {
    stop: Stop::OFF,
    last_stop: Time::ZERO,
    stuck: Time::ZERO,
    watch: StopWatch {
        since: None,
        total: Duration::ZERO,
        lengths: None,
    },
};

impl Gates {
    /// All that they keep, for a run that repeats itself. What holds now is not surveyed: it is in
    /// the way.
    pub fn survey_gates(&mut self, survey: &mut Survey) {
        let Gates {
            rules: _,
            port,
            classes,
            count: _,
            destinations,
            responses,
            stops_obeyed,
            stops_ignored,
            expiry,
        } = self;
        let mut stops = classes.iter().map(|class| &class.stop);
        if port.is_on || stops.any(|stop| stop.is_on) || !destinations.is_empty() {
            survey.rule_out("a stop that holds at the end of a period");
        }
        if !responses.is_empty() {
            survey.rule_out("a control frame that is being taken in");
        }
        survey.ahead(&mut port.rest_at);
        // None before the first stop.
        survey.fixed(classes.len() as u64);
        for class in classes {
            let ClassGate {
                stop,
                last_stop: _,
                stuck: _,
                watch,
            } = class;
            survey.ahead(&mut stop.rest_at);
            watch.survey_watch(survey);
        }
        survey.adds(stops_obeyed);
        survey.adds(stops_ignored);
        survey.instant(expiry);
    }

    pub fn new(rules: StoppedSpec, classes: usize) -> Gates {
        Gates {
            rules,
            port: Stop::OFF,
            classes: Vec::new(),
            count: classes.max(PFC_CLASSES) as u8,
            destinations: Vec::new(),
            responses: Vec::new(),
            stops_obeyed: 0,
            stops_ignored: 0,
            expiry: Time::MAX,
        }
    }

    /// What is known of the stops of a class.
    pub fn class_gate(&self, class: u8) -> &ClassGate {
        match self.classes.is_empty() {
            true => &OPEN,
            false => &self.classes[class as usize],
        }
    }

    /// The same of all classes, to be changed.
    pub fn class_gates(&mut self) -> &mut [ClassGate] {
        if self.classes.is_empty() {
            self.classes = vec![OPEN.clone(); self.count.into()];
        }
        &mut self.classes
    }

    /// Classes stopped as a whole, a bit each.
    pub fn stopped_classes(&self) -> ClassBits {
        if self.port.is_on {
            return !0;
        }
        let classes = self.classes.iter().enumerate();
        classes.fold(0, |mask, (class, own)| {
            mask | ClassBits::from(own.stop.is_on) << class
        })
    }

    pub fn is_destination_stopped(&self, class: u8, station: u32) -> bool {
        self.find(class, station).is_ok()
    }

    pub fn find(&self, class: u8, station: u32) -> Result<usize, usize> {
        self.destinations
            .binary_search_by_key(&(class, station), |(class, station, _)| (*class, *station))
    }
}
