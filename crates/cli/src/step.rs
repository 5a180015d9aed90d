//! `backwater step`: through a run, event by event, from a prompt.

mod answer;
mod back;
mod commands;
mod named;
mod session;
pub mod stop_at;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use backwater_kernel::words::printable;
use backwater_run::memory::Memory;
use serde_json::Value;

use crate::output::Form;
use crate::{BAD_INPUT, Changes, SUCCESS, document, fail, files};
use answer::{Answer, Said};
use session::Session;

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
    /// What standard output holds: lines for people, or a JSON object for each answer, one a line
    #[arg(
        long,
        value_enum,
        value_name = "FORM",
        default_value_t,
        help_heading = "Output"
    )]
    pub format: Form,
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
    // Mistakes had a document; from here on each answer is one.
    document::begin(false);
    let mut greeting = Answer::default();
    greeting.put("scenario", name.as_str());
    greeting.put("size", size.as_str());
    greeting.text = format!(
        "{name}: {size}\n{}. Enter goes on to what happens next; `help` lists what can be said.\n",
        session.head()
    );
    let is_typed = options.commands.is_empty() && io::stdin().is_terminal();
    let voice = Voice {
        form: options.format,
        is_typed: is_typed && options.format == Form::Text,
    };
    if voice.answer(None, greeting).is_err() {
        return SUCCESS;
    }
    match options.commands.is_empty() {
        true => talk(&mut session, voice, read),
        false => {
            let mut commands = options.commands.iter().cloned();
            talk(&mut session, voice, || commands.next())
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

/// How answers are said.
#[derive(Clone, Copy)]
struct Voice {
    form: Form,
    /// Somebody types commands behind a prompt. Where nobody does, they are repeated, so that the
    /// answers can be read alone.
    is_typed: bool,
}

impl Voice {
    fn prompt(self, at: &str) -> io::Result<()> {
        match self.is_typed {
            true => say(&format!("({at}) ")),
            false => Ok(()),
        }
    }

    /// Repeats a command.
    fn repeat(self, line: &str) -> io::Result<()> {
        match self.form == Form::Text && !self.is_typed {
            true => say(&format!("> {}\n", printable(line))),
            false => Ok(()),
        }
    }

    /// An answer, of the greeting to no command.
    fn answer(self, line: Option<&str>, answer: Answer) -> io::Result<()> {
        if self.form == Form::Text {
            return say(&answer.text);
        }
        let mut fields = answer.fields;
        if let Some(line) = line {
            fields.insert("command".into(), line.into());
        }
        say(&format!("{}\n", Value::Object(fields)))
    }

    /// What is wrong with a command.
    fn error(self, line: &str, what: &str) -> io::Result<()> {
        let mut answer = Answer {
            text: format!("{what}\n"),
            ..Answer::default()
        };
        answer.put("error", what);
        self.answer(Some(line), answer)
    }
}

/// Carries out commands to the last, or until nobody reads what is said.
fn talk(session: &mut Session<'_>, voice: Voice, mut next: impl FnMut() -> Option<String>) -> u8 {
    let mut status = SUCCESS;
    loop {
        if voice.prompt(&session.at()).is_err() {
            return status;
        }
        let Some(line) = next() else {
            return status;
        };
        let line = line.trim();
        if voice.repeat(line).is_err() {
            return status;
        }
        let said = match session.answer(line) {
            Ok(Said::Answer(answer)) => voice.answer(Some(line), answer),
            Ok(Said::Over(answer)) if voice.is_typed => voice.answer(Some(line), answer),
            Ok(Said::Over(answer)) => {
                let _ = voice.answer(Some(line), answer);
                return status;
            }
            Ok(Said::Quit) => return status,
            Err(what) => {
                status = BAD_INPUT;
                voice.error(line, &what)
            }
        };
        if said.is_err() {
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
