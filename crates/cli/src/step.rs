//! `backwater step`: through a run, event by event, from a prompt.

mod commands;
mod named;
mod session;
pub mod stop_at;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use backwater_kernel::words::printable;
use backwater_run::memory::Memory;

use crate::{BAD_INPUT, Changes, SUCCESS, fail, files};
use session::{Said, Session};

/// What to go through.
#[derive(clap::Args)]
#[command(after_help = commands::HELP)]
pub struct Options {
    /// Scenario file. Commands come from standard input: a terminal, or a pipe
    file: PathBuf,
    /// Carry this out instead of what standard input says, one after another, and end
    #[arg(long = "do", value_name = "COMMAND", help_heading = "Run")]
    commands: Vec<String>,
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    memory: Memory,
}

/// Reads commands and carries them out, until the last or `quit`.
pub fn step(options: &Options) -> u8 {
    if options.file == Path::new("-") {
        return fail("`step` reads commands from standard input: give the scenario as a file");
    }
    let loaded = files::load(&options.file, &options.changes, &options.memory);
    let Ok((source, scenario)) = loaded else {
        return BAD_INPUT;
    };
    let engine = backwater_run::engine(&scenario);
    let mut session = match Session::new(&*engine, &scenario) {
        Ok(session) => session,
        Err(what) => return fail(what),
    };
    let name = printable(&source.name);
    let size = engine.size();
    let greeting = format!(
        "{name}: {size}\n{}. Enter goes on to what happens next; `help` lists what can be said.\n",
        session.head()
    );
    if say(&greeting).is_err() {
        return SUCCESS;
    }
    match options.commands.is_empty() {
        true => talk(&mut session, io::stdin().is_terminal(), read),
        false => {
            let mut commands = options.commands.iter().cloned();
            talk(&mut session, false, || commands.next())
        }
    }
}

/// The next line of standard input; nothing at its end.
fn read() -> Option<String> {
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(line),
    }
}

/// Carries out commands to the last, or until nobody reads what is said. Where nobody types them
/// they are repeated, so that the answers can be read alone.
fn talk(session: &mut Session<'_>, is_typed: bool, mut next: impl FnMut() -> Option<String>) -> u8 {
    let mut status = SUCCESS;
    loop {
        if is_typed && say(&format!("({}) ", session.at())).is_err() {
            return status;
        }
        let Some(line) = next() else {
            return status;
        };
        let line = line.trim();
        if !is_typed && say(&format!("> {}\n", printable(line))).is_err() {
            return status;
        }
        let answer = match session.answer(line) {
            Ok(Said::Text(text)) => text,
            Ok(Said::Over(text)) if is_typed => text,
            Ok(Said::Over(text)) => {
                let _ = say(&text);
                return status;
            }
            Ok(Said::Quit) => return status,
            Err(what) => {
                status = BAD_INPUT;
                format!("{what}\n")
            }
        };
        if say(&answer).is_err() {
            return status;
        }
    }
}

/// At once: somebody waits for it.
fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()
}
