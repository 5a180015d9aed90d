//! What went wrong, as Python's exceptions: the classes are those of `backwater/_errors.py`.

use std::path::Path;

use backwater_scenario::{Diagnostics, Severity};
use pyo3::exceptions::PyFileNotFoundError;
use pyo3::prelude::*;

/// Why there is no result.
pub enum Failure {
    /// Something raised, or Ctrl-C was pressed.
    Raised(PyErr),
    /// The engine refuses, or memory ran short.
    Refused(String),
    /// The scenario has mistakes.
    Mistakes(Box<Diagnostics>),
}

/// A mistake in a scenario, or what its author may not have meant.
#[pyclass(frozen, get_all, module = "backwater")]
pub struct Diagnostic {
    /// `error`, `warning` or `note`.
    severity: String,
    /// Which kind of mistake; `backwater.explain(code)` says more.
    code: String,
    /// What is wrong, in one line.
    what: String,
    /// What was found there, and what is behind it; a line each.
    details: String,
    /// How to go on, a line for each way; empty where there is none.
    help: String,
    /// The file, or `--set` where a change is wrong; empty where there is no place.
    file: String,
    /// Line, from 1.
    line: usize,
    /// Column in characters, from 1.
    column: usize,
}

#[pymethods]
impl Diagnostic {
    /// With these words, in this place.
    #[new]
    #[expect(
        clippy::too_many_arguments,
        reason = "pickle gives one for each attribute"
    )]
    fn new(
        severity: String,
        code: String,
        what: String,
        details: String,
        help: String,
        file: String,
        line: usize,
        column: usize,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            what,
            details,
            help,
            file,
            line,
            column,
        }
    }

    /// What pickle makes it of again.
    fn __getnewargs__(&self) -> (&str, &str, &str, &str, &str, &str, usize, usize) {
        (
            &self.severity,
            &self.code,
            &self.what,
            &self.details,
            &self.help,
            &self.file,
            self.line,
            self.column,
        )
    }

    fn __repr__(&self) -> String {
        let [what, place] = self.words();
        format!("<backwater.Diagnostic {what} at {place}>")
    }

    fn __str__(&self) -> String {
        let [what, place] = self.words();
        let mut text = format!("{what}\n  at {place}");
        for (label, lines) in [("note", &self.details), ("help", &self.help)] {
            for line in lines.lines() {
                text += &format!("\n  {label}: {line}");
            }
        }
        text
    }
}

impl Diagnostic {
    /// What is wrong, and where.
    fn words(&self) -> [String; 2] {
        let what = format!("{}[{}]: {}", self.severity, self.code, self.what);
        [what, format!("{}:{}:{}", self.file, self.line, self.column)]
    }
}

/// Each as Python sees it.
pub fn listed(mistakes: &Diagnostics) -> Vec<Diagnostic> {
    let one = |found: &backwater_scenario::Diagnostic| {
        let main = found.labels.first();
        let place = main.and_then(|(at, _)| mistakes.position(at));
        let labels = found.labels.iter().map(|(_, label)| label.as_str());
        let notes = found.notes.iter().map(String::as_str);
        let details = labels.chain(notes).filter(|text| !text.is_empty());
        Diagnostic {
            severity: match found.severity {
                Severity::Error => "error".into(),
                Severity::Warning => "warning".into(),
                Severity::Note => "note".into(),
            },
            code: found.code.into(),
            what: found.message.clone(),
            details: details.collect::<Vec<_>>().join("\n"),
            help: found.help.join("\n"),
            file: place.map_or(String::new(), |(source, ..)| source.name.clone()),
            line: place.map_or(1, |(_, line, _)| line),
            column: place.map_or(1, |(.., column)| column),
        }
    };
    mistakes.iter().map(one).collect()
}

/// An exception of `backwater/_errors.py`.
fn error(py: Python<'_>, class: &str, arguments: impl FnOnce() -> PyResult<Py<PyAny>>) -> PyErr {
    let made = py.import("backwater._errors").and_then(|module| {
        let class = module.getattr(class)?;
        class.call1(arguments()?.bind(py).cast::<pyo3::types::PyTuple>()?)
    });
    match made {
        Ok(error) => PyErr::from_value(error),
        Err(other) => other,
    }
}

/// `ScenarioError`, with the text of the command and all diagnostics.
pub fn scenario_error(py: Python<'_>, mistakes: &Diagnostics) -> PyErr {
    error(py, "ScenarioError", || {
        let text = mistakes.render(false);
        let all = (text.trim_end(), listed(mistakes));
        Ok(all.into_pyobject(py)?.into_any().unbind())
    })
}

/// `ScenarioError` without a place.
pub fn no_scenario(py: Python<'_>, what: &str) -> PyErr {
    error(py, "ScenarioError", || {
        let all = (what, Vec::<Diagnostic>::new());
        Ok(all.into_pyobject(py)?.into_any().unbind())
    })
}

/// `RunError`.
pub fn run_error(py: Python<'_>, what: &str) -> PyErr {
    error(py, "RunError", || {
        Ok((what,).into_pyobject(py)?.into_any().unbind())
    })
}

/// What can't be read: `FileNotFoundError` where there is no such file.
pub fn unreadable(py: Python<'_>, path: &Path, what: &str) -> PyErr {
    match path.exists() {
        true => no_scenario(py, what),
        false => PyFileNotFoundError::new_err(what.to_owned()),
    }
}

impl Failure {
    /// As an exception.
    pub fn raise(self, py: Python<'_>) -> PyErr {
        match self {
            Failure::Raised(error) => error,
            Failure::Mistakes(mistakes) => scenario_error(py, &mistakes),
            Failure::Refused(what) => run_error(py, &what),
        }
    }
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Failure {
        Failure::Raised(error)
    }
}

impl From<String> for Failure {
    fn from(what: String) -> Failure {
        Failure::Refused(what)
    }
}
