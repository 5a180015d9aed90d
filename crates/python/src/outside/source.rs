//! A source that is a class of Python.

use backwater_ends::outside::{Emission, Source};
use backwater_kernel::{Duration, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{Making, Object, later, repr};

/// So much may be offered at one instant, in bytes or in units.
const OFFERED_MOST: [u64; 2] = [1_000_000_000, 1_000_000];

/// A source.
pub struct PySource {
    object: Object,
    most: u64,
}

impl PySource {
    /// As it is made.
    pub fn new(making: &Making) -> PySource {
        PySource {
            object: Object::new(making),
            most: OFFERED_MOST[usize::from(!making.1.in_bytes)],
        }
    }
}

impl Source for PySource {
    fn start(&mut self) -> Option<Time> {
        let start = self.object.with(|object| {
            let given = object.call_method0("start")?;
            later(&given, Time::ZERO, "start()")
        });
        start.flatten()
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        let emission = self.object.with(|object| {
            let given = object.call_method1("on_timer", (now.ps(),))?;
            let wrong = |_| {
                let shown = repr(&given);
                let wanted = "what is offered now, and when it is asked again";
                PyTypeError::new_err(format!("on_timer() gave {shown}; it gives {wanted}"))
            };
            let (units, next): (u64, Bound<'_, PyAny>) = given.extract().map_err(wrong)?;
            if units > self.most {
                let most = self.most;
                return Err(PyValueError::new_err(format!(
                    "on_timer() offers {units} at one instant; {most} is the most"
                )));
            }
            let next = later(&next, now + Duration(1), "on_timer()")?;
            Ok(Emission { units, next })
        });
        emission.unwrap_or(Emission {
            units: 0,
            next: None,
        })
    }
}
