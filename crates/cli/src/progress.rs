//! Progress on standard error, only where someone watches.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

use crate::out;

/// Another program watches: it reads a line for each step.
const WATCHED: &str = "BACKWATER_PROGRESS";

/// Tells a program that watches how far it is.
pub fn tell(what: &str, done: u64, of: u64) {
    if std::env::var_os(WATCHED).is_some() {
        remark!("{what}: {done} of {of}");
    }
}

/// A bar over `length` steps of `what`; silent when standard error is not a terminal, or nobody
/// wants to hear of it.
pub fn bar(length: u64, what: &str) -> ProgressBar {
    if out::is_quiet() || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = "{prefix} [{bar:32}] {percent:>3} % {msg}  {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(what.to_owned());
    bar
}
