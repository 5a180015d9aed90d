//! Sources and source control written as classes of Python: an adaptor for each, which calls the
//! object at its events and holds it to the rules.
//!
//! An exception in a method ends the run: it is kept, from then on the flow does nothing, and
//! whoever runs the simulation raises it. Each call takes the interpreter's lock.

mod control;
mod source;

use std::sync::{Arc, Mutex, PoisonError};

use backwater_ends::control::Telemetry;
use backwater_ends::outside::{ControlRecipe, SourceRecipe};
use backwater_kernel::Time;
use backwater_run::outside::{self, Place};
use backwater_scenario::Scenario;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use self::control::PyControl;
use self::source::PySource;
use crate::errors::Failure;

/// A flow, as a source or control of Python sees it.
#[pyclass(frozen, module = "backwater")]
pub struct Flow(Place);

#[pymethods]
impl Flow {
    /// As the scenario calls it.
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    /// Bytes of a full unit: a cell or packet on the wire, the payload of a segment or datagram.
    #[getter]
    fn unit_bytes(&self) -> u32 {
        self.0.unit_bytes
    }

    /// Bits per second of the first link on its way.
    #[getter]
    fn rate_bps(&self) -> u64 {
        self.0.rate.0
    }

    /// What a source offers and a window holds is counted in bytes, not in units.
    #[getter]
    fn in_bytes(&self) -> bool {
        self.0.in_bytes
    }

    /// Its source hears of what the destination has got.
    #[getter]
    fn is_acknowledged(&self) -> bool {
        self.0.is_acknowledged
    }

    /// `rate` of its control holds: it goes over a queue pair, or in datagrams.
    #[getter]
    fn is_paced(&self) -> bool {
        self.0.is_paced
    }

    /// For random numbers of its own: another one for each flow and each seed of the run.
    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed
    }

    fn __repr__(&self) -> String {
        format!("<backwater.Flow {}>", self.0.name)
    }
}

/// The flows of a scenario.
pub fn flows(scenario: &Scenario) -> Vec<Flow> {
    outside::places(scenario).into_iter().map(Flow).collect()
}

/// An acknowledgement of something new.
#[pyclass(frozen, get_all, module = "backwater")]
pub struct Ack {
    /// What the destination expects next: a unit's number, or a position in the stream (frames).
    expected: u64,
    /// Bytes acknowledged by it for the first time (frames).
    news_bytes: u64,
    /// Bytes in flight before it came (frames).
    flight_bytes: u64,
    /// The round-trip time that it ends, if one was measured, ps (frames).
    rtt_ps: Option<u64>,
    /// Smoothed round-trip time before it, ps; none before the first (TCP).
    smoothed_rtt_ps: Option<u64>,
    /// It echoes a mark of congestion: TCP with ECN, queue pairs with `np = "ack"`.
    is_marked: bool,
    /// No loss is being repaired, no mark echoed: a window may grow by it (TCP).
    may_grow: bool,
}

impl Ack {
    fn of(ack: &backwater_ends::control::Ack) -> Ack {
        let smoothed = (ack.rtt_seconds * 1e12) as u64;
        Ack {
            expected: ack.expected,
            news_bytes: ack.news_bytes,
            flight_bytes: ack.flight_bytes,
            rtt_ps: ack.rtt.map(|rtt| rtt.ps()),
            smoothed_rtt_ps: (smoothed > 0).then_some(smoothed),
            is_marked: ack.is_marked,
            may_grow: ack.may_grow,
        }
    }
}

/// What a port wrote on a packet as it left: one hop of its way (HPCC).
#[pyclass(frozen, get_all, module = "backwater")]
pub struct Hop {
    /// When it left, ps.
    at_ps: u64,
    /// Bytes on the wire that the port had sent before it.
    sent_bytes: u64,
    /// Bytes that waited in the port, of all classes.
    queued_bytes: u64,
    /// Bits per second of the port.
    rate_bps: u64,
}

impl Hop {
    fn of(hop: &Telemetry) -> Hop {
        Hop {
            at_ps: hop.at.ps(),
            sent_bytes: hop.sent_bytes,
            queued_bytes: hop.queued_bytes,
            rate_bps: hop.rate.0,
        }
    }
}

/// The first exception of a run's sources and controls.
#[derive(Clone, Default)]
pub struct Trouble(Arc<Mutex<Option<PyErr>>>);

impl Trouble {
    fn note(&self, error: PyErr) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert(error);
    }

    fn is_there(&self) -> bool {
        let first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.is_some()
    }

    /// Fails with it.
    pub fn raise(&self) -> Result<(), Failure> {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        first.take().map_or(Ok(()), |error| Err(error.into()))
    }
}

/// What is put in the place of what the scenario says: names of flows with what makes their
/// sources and with what makes their control, each in a list.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Given {
    pub sources: Vec<(String, Py<PyAny>)>,
    pub controls: Vec<(String, Py<PyAny>)>,
}

impl Given {
    /// Puts all of it in its place. Exceptions go to `trouble`.
    pub fn put(self, scenario: &mut Scenario, trouble: &Trouble) -> Result<(), Failure> {
        let places = outside::places(scenario);
        let place = |name: &str| {
            let found = places.iter().find(|place| place.name == name).cloned();
            found.ok_or_else(|| Failure::Refused(format!("there is no flow `{name}`")))
        };
        for (name, make) in self.sources {
            let made = (Arc::new(make), place(&name)?, trouble.clone());
            let recipe = SourceRecipe::new(move || Box::new(PySource::new(&made)));
            outside::put_source(scenario, &name, recipe)?;
        }
        for (name, make) in self.controls {
            let made = (Arc::new(make), place(&name)?, trouble.clone());
            let recipe = ControlRecipe::new(move || Box::new(PyControl::new(&made)));
            outside::put_control(scenario, &name, recipe)?;
        }
        Ok(())
    }
}

/// What an object is made by, for which flow, and where its exceptions go.
type Making = (Arc<Py<PyAny>>, Place, Trouble);

/// An object of Python, unless something has raised.
struct Object {
    object: Option<Py<PyAny>>,
    trouble: Trouble,
}

impl Object {
    fn new((make, place, trouble): &Making) -> Object {
        let made = Python::attach(|py| make.call1(py, (Flow(place.clone()),)));
        Object {
            object: made.map_err(|error| trouble.note(error)).ok(),
            trouble: trouble.clone(),
        }
    }

    /// There is none, or something has raised.
    fn has_failed(&self) -> bool {
        self.object.is_none() || self.trouble.is_there()
    }

    /// Uses it; nothing after an exception.
    fn with<T>(&self, what: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        let object = self.object.as_ref()?;
        if self.trouble.is_there() {
            return None;
        }
        let found = Python::attach(|py| what(object.bind(py)));
        found.map_err(|error| self.trouble.note(error)).ok()
    }
}

/// Later is never: no run lasts so long, and yet instants can be added.
const NEVER: i128 = i64::MAX as i128;

/// An instant that a method gave; never one that has passed.
fn later(given: &Bound<'_, PyAny>, now: Time, method: &str) -> PyResult<Option<Time>> {
    if given.is_none() {
        return Ok(None);
    }
    let ps: i128 = given.extract().map_err(|_| {
        let shown = repr(given);
        PyTypeError::new_err(format!(
            "{method} gave {shown}; an instant is an int, in picoseconds, or None"
        ))
    })?;
    if ps < i128::from(now.ps()) {
        return Err(PyValueError::new_err(format!(
            "{method} gave the instant {ps}, which has passed: it is {} ps",
            now.ps()
        )));
    }
    Ok((ps < NEVER).then_some(Time(ps as u64)))
}

fn repr(given: &Bound<'_, PyAny>) -> String {
    let found = given.repr().map(|text| text.to_string());
    found.unwrap_or_else(|_| "something".into())
}
