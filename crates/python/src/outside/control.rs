//! Source control that is a class of Python.

use backwater_ends::control::{self, Control, Item, Loss, Next, Signal, Telemetry};
use backwater_kernel::{Duration, Rate, Time};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use super::{Ack, Hop, Making, Object, later, repr};

/// More than any window, and yet another one can be added to it.
const WINDOW_MOST: u64 = 1 << 62;
/// More than any link.
const RATE_MOST: u64 = 1 << 60;
/// So many units may go at one instant: whoever lets more go waits for nothing.
const AT_ONCE_MOST: u32 = 100_000;

/// Methods of control, in the order of [`PyControl::has`].
#[derive(Clone, Copy)]
enum Hook {
    Next,
    OnSent,
    OnAck,
    OnMark,
    OnLoss,
    OnSilence,
    OnTimer,
    OnPacket,
    OnStop,
    OnNotification,
    OnRate,
    OnTelemetry,
}

/// Their names.
const HOOKS: [&str; 12] = [
    "next",
    "on_sent",
    "on_ack",
    "on_mark",
    "on_loss",
    "on_silence",
    "on_timer",
    "on_packet",
    "on_stop",
    "on_notification",
    "on_rate",
    "on_telemetry",
];

/// Source control.
pub struct PyControl {
    object: Object,
    /// Which methods its class has of its own; the others are not called.
    has: [bool; HOOKS.len()],
    in_bytes: bool,
    is_acknowledged: bool,
    is_paced: bool,
    /// As the object said after its last call.
    window: u64,
    threshold: Option<u64>,
    timer: Option<Time>,
    rate: Option<Rate>,
    /// A new rate changes the wait of the packet that is next by now.
    rescales: bool,
    /// The window after the last loss or mark.
    cut_to: u64,
    /// When it was called last.
    now: Time,
    /// Units sent, and those of them that were acknowledged.
    sent: u32,
    expected: u32,
    /// Units that went at this instant.
    at_once: (Time, u32),
}

impl PyControl {
    /// As it is made.
    pub fn new(making: &Making) -> PyControl {
        let (_, place, _) = making;
        let mut control = PyControl {
            object: Object::new(making),
            has: [false; HOOKS.len()],
            in_bytes: place.in_bytes,
            is_acknowledged: place.is_acknowledged,
            is_paced: place.is_paced,
            window: WINDOW_MOST,
            threshold: None,
            timer: None,
            rate: None,
            rescales: false,
            cut_to: u64::MAX,
            now: Time::ZERO,
            sent: 0,
            expected: 0,
            at_once: (Time::ZERO, 0),
        };
        control.has = control.object.with(own_methods).unwrap_or_default();
        let rescales = |object: &Bound<'_, PyAny>| object.getattr("rescales")?.is_truthy();
        control.rescales = control.object.with(rescales).unwrap_or_default();
        control.heed();
        control
    }

    /// Calls a method, if its class has it.
    fn tell(&mut self, hook: Hook, call: impl FnOnce(&Bound<'_, PyAny>, &str) -> PyResult<()>) {
        if self.has[hook as usize] {
            self.object
                .with(|object| call(object, HOOKS[hook as usize]));
            self.heed();
        }
    }

    /// Reads what the object allows.
    fn heed(&mut self) {
        let (now, timer, is_paced) = (self.now, self.timer, self.is_paced);
        let found = self.object.with(|object| {
            let given = object.getattr("timer")?;
            let own = given.extract::<u64>().ok().map(Time);
            let timer = match own == timer {
                true => timer,
                // Not now again: time has to pass.
                false => later(&given, now + Duration(1), "timer")?,
            };
            Ok((
                amount(object, "window", 0)?,
                amount(object, "threshold", 0)?,
                timer,
                rate(object, is_paced)?,
            ))
        });
        if let Some((window, threshold, timer, rate)) = found {
            self.window = window.unwrap_or(WINDOW_MOST).min(WINDOW_MOST);
            self.threshold = threshold;
            self.timer = timer;
            self.rate = rate.map(|bps| Rate(bps.min(RATE_MOST)));
        }
    }

    /// What goes where no method says otherwise: as much as the window holds.
    fn by_window(&self, has_data: bool) -> Next {
        // TCP looks at the window by itself, and without acknowledgements there is none.
        let has_window = self.is_acknowledged && !self.in_bytes;
        let in_flight = u64::from(self.sent.wrapping_sub(self.expected));
        match has_data && !(has_window && in_flight >= self.window) {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    /// What its method says.
    fn by_method(&mut self, now: Time, has_data: bool) -> Next {
        let at = self.object.with(|object| {
            let given = object.call_method1("next", (now.ps(), has_data))?;
            later(&given, now, "next()")
        });
        self.heed();
        match at.flatten() {
            Some(at) if at > now => Next::At(at),
            Some(_) if has_data => Next::Now(Item::Data),
            _ => Next::Wait,
        }
    }

    /// Control that lets all go at one instant would never let time pass.
    fn count(&mut self, now: Time) -> Next {
        let (at, units) = self.at_once;
        self.at_once = if at == now {
            (now, units + 1)
        } else {
            (now, 1)
        };
        if self.at_once.1 <= AT_ONCE_MOST {
            return Next::Now(Item::Data);
        }
        self.object.trouble.note(PyValueError::new_err(format!(
            "next() lets more than {AT_ONCE_MOST} units go at {} ps: a window or a later instant \
             would let time pass",
            now.ps()
        )));
        Next::Wait
    }
}

impl Control for PyControl {
    fn next(&mut self, now: Time, has_data: bool) -> Next {
        self.now = now;
        if self.object.has_failed() {
            return Next::Wait;
        }
        let next = match self.has[Hook::Next as usize] {
            true => self.by_method(now, has_data),
            false => self.by_window(has_data),
        };
        match next {
            Next::Now(_) => self.count(now),
            other => other,
        }
    }

    fn on_sent(&mut self, now: Time, is_last: bool) {
        self.now = now;
        self.sent = self.sent.wrapping_add(1);
        let arguments = (now.ps(), is_last);
        self.tell(Hook::OnSent, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
    }

    fn on_ack(&mut self, now: Time, ack: &control::Ack) {
        self.now = now;
        self.expected = ack.expected as u32;
        let arguments = (now.ps(), Ack::of(ack));
        self.tell(Hook::OnAck, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
    }

    fn on_mark(&mut self, now: Time, allowed_bytes: u64) {
        self.now = now;
        let arguments = (now.ps(), allowed_bytes);
        self.tell(Hook::OnMark, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
        self.cut_to = self.window;
    }

    fn on_loss(&mut self, now: Time, loss: Loss, allowed_bytes: u64) {
        let how = match loss {
            Loss::Duplicates => "duplicates",
            Loss::TimeOut { is_repeated: false } => "time-out",
            Loss::TimeOut { is_repeated: true } => "time-out again",
            Loss::Trimmed { .. } => "trimmed",
        };
        self.now = now;
        let arguments = (now.ps(), how, allowed_bytes);
        self.tell(Hook::OnLoss, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
        self.cut_to = self.window;
    }

    fn on_telemetry(&mut self, now: Time, ack: &control::Ack, path: &[Telemetry]) {
        if !self.has[Hook::OnTelemetry as usize] {
            return self.on_ack(now, ack);
        }
        self.now = now;
        self.expected = ack.expected as u32;
        let hops: Vec<Hop> = path.iter().map(Hop::of).collect();
        let arguments = (now.ps(), Ack::of(ack), hops);
        self.tell(Hook::OnTelemetry, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
    }

    fn on_packet(&mut self, now: Time, bytes: u32) {
        self.now = now;
        let arguments = (now.ps(), bytes);
        self.tell(Hook::OnPacket, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
    }

    fn on_stop(&mut self, now: Time, is_stopped: bool) {
        self.now = now;
        let arguments = (now.ps(), is_stopped);
        self.tell(Hook::OnStop, |object, name| {
            object.call_method1(name, arguments).map(drop)
        });
    }

    fn on_control(&mut self, now: Time, signal: &Signal) -> Option<Rate> {
        self.now = now;
        match signal {
            Signal::Notification => self.tell(Hook::OnNotification, |object, name| {
                object.call_method1(name, (now.ps(),)).map(drop)
            }),
            Signal::Rate { rate, from } => {
                let arguments = (now.ps(), rate.0, *from);
                self.tell(Hook::OnRate, |object, name| {
                    object.call_method1(name, arguments).map(drop)
                });
            }
            // Those of ABR, which is not replaced.
            Signal::Forward { .. } | Signal::Backward(_) | Signal::Notice { .. } => {}
        }
        None
    }

    fn pacing(&self) -> Option<Rate> {
        self.rate
    }

    fn rescales(&self) -> bool {
        self.rescales
    }

    fn on_silence(&mut self) {
        self.tell(Hook::OnSilence, |object, name| {
            object.call_method0(name).map(drop)
        });
    }

    fn timer(&self) -> Option<Time> {
        self.timer
    }

    fn on_timer(&mut self, now: Time) -> u32 {
        self.now = now;
        if self.timer.is_some_and(|at| at <= now) {
            self.timer = None;
            let at = now.ps();
            self.object
                .with(|object| object.setattr("timer", object.py().None()));
            self.tell(Hook::OnTimer, |object, name| {
                object.call_method1(name, (at,)).map(drop)
            });
        }
        0
    }

    fn window(&self) -> u64 {
        self.window
    }

    fn threshold(&self) -> u64 {
        self.threshold.unwrap_or(self.cut_to)
    }

    fn set_window(&mut self, bytes: u64) {
        self.window = bytes.min(WINDOW_MOST);
        self.object
            .with(|object| object.setattr("window", self.window));
    }
}

/// A number of bytes, units or bits per second that an attribute holds; fractions are left out.
fn amount(object: &Bound<'_, PyAny>, name: &str, least: u64) -> PyResult<Option<u64>> {
    let given = object.getattr(name)?;
    if given.is_none() {
        return Ok(None);
    }
    // Whole numbers are exact beyond what a float holds.
    let whole = given.extract::<u64>().ok();
    let number = whole.or_else(|| {
        let decimal = given
            .extract::<f64>()
            .ok()
            .filter(|decimal| *decimal >= 0.0);
        decimal.map(|decimal| decimal as u64)
    });
    let wrong = || {
        let shown = repr(&given);
        PyTypeError::new_err(format!(
            "{name} is {shown}; it is a number from {least}, or None"
        ))
    };
    let number = number.filter(|number| *number >= least);
    number.map(Some).ok_or_else(wrong)
}

/// The rate that it allows itself, where something paces by it.
fn rate(object: &Bound<'_, PyAny>, is_paced: bool) -> PyResult<Option<u64>> {
    let rate = amount(object, "rate", 1)?;
    match rate.is_some() && !is_paced {
        true => Err(PyTypeError::new_err(
            "nothing paces this flow by a rate: that is of queue pairs and datagrams; `next` paces \
             cells and segments",
        )),
        false => Ok(rate),
    }
}

/// Which methods of control the object has otherwise than the base class.
fn own_methods(object: &Bound<'_, PyAny>) -> PyResult<[bool; HOOKS.len()]> {
    let base = object
        .py()
        .import("backwater._outside")?
        .getattr("Control")?;
    let class = object.get_type();
    let mut has = [false; HOOKS.len()];
    for (has, name) in has.iter_mut().zip(HOOKS) {
        *has = !class.getattr(name)?.is(&base.getattr(name)?);
    }
    Ok(has)
}
