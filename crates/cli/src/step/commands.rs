//! What can be said at the prompt.

use backwater_scenario::nearest;

/// All of it, for people.
pub const HELP: &str = "\
What can be said at the prompt (a letter is enough for s, n, b, q, h):
  (Enter), s         go on to the next instant at which something happens, and say what
  n 10               the next 10 of them
  until 20us         go on to that instant, with all that happens then (flits: 120 cycles)
  until first-stop   ... at which something is stopped or runs out of credit; first-drop: is
                     lost or dropped; deadlock: can never go on. next-stop, next-drop: after now
  back, back 10      back to the instant before, or by 10; back 20us: to the end of that instant.
                     The run is made again from its start: what follows is the same
  queues             what every queue holds, and what holds it up
  show [NAME]        all there is, or what concerns a port, node or flow (* stands for anything)
  flow NAME          where what is of a flow stands, and what its source waits for
  why NAME           why a flow, port or queue does not move, down to where it begins
  next               what happens next
  names              what things are called here
  quit               end (so does the end of the input, or Ctrl-C)";

/// Something to do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// So many instants on.
    On(u64),
    /// To an instant, or until something happens.
    Until(String),
    /// So many instants back.
    Back(u64),
    /// Back to an instant, or to where something happened first.
    BackTo(String),
    /// What every queue holds.
    Queues,
    /// What there is, of these names.
    Show(Vec<String>),
    /// Where a flow is.
    Flow(String),
    /// Why something does not move.
    Why(String),
    /// What happens next.
    Next,
    /// What things are called.
    Names,
    /// What can be said.
    Help,
    /// End.
    Quit,
}

const WORDS: [&str; 13] = [
    "step", "n", "until", "back", "queues", "show", "flow", "why", "next", "names", "help", "quit",
    "s",
];

/// The command of a line.
///
/// # Errors
/// If it is none: what to say instead.
pub fn command(line: &str) -> Result<Command, String> {
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let named = |make: fn(String) -> Command| match rest {
        "" => Err(format!(
            "`{word}` takes a name, as `{word} NAME`; `names` lists them"
        )),
        name => Ok(make(name.to_owned())),
    };
    let alone = |command: Command| match rest {
        "" => Ok(command),
        rest => Err(format!("`{word}` takes nothing more, not `{rest}`")),
    };
    match word {
        "" | "s" | "step" => alone(Command::On(1)),
        "n" if rest.is_empty() => Ok(Command::On(1)),
        "n" => match rest.parse::<u64>() {
            Ok(count) if count > 0 => Ok(Command::On(count)),
            _ => Err(format!("`n` takes a number, as `n 10`, not `{rest}`")),
        },
        "until" | "u" if rest.is_empty() => Err(
            "`until` takes an instant, as `until 20us`, or first-stop, first-drop, deadlock, \
             next-stop, next-drop"
                .into(),
        ),
        "until" | "u" => Ok(Command::Until(rest.to_owned())),
        "back" | "b" if rest.is_empty() => Ok(Command::Back(1)),
        "back" | "b" => match rest.parse::<u64>() {
            Ok(0) => Err("`back` takes a number above 0, as `back 10`, or an instant".into()),
            Ok(count) => Ok(Command::Back(count)),
            Err(_) => Ok(Command::BackTo(rest.to_owned())),
        },
        "queues" => alone(Command::Queues),
        "show" if rest.is_empty() => Ok(Command::Show(Vec::new())),
        "show" => Ok(Command::Show(vec![rest.to_owned()])),
        "flow" => named(Command::Flow),
        "why" => named(Command::Why),
        "next" => alone(Command::Next),
        "names" => alone(Command::Names),
        "help" | "h" | "?" => Ok(Command::Help),
        "quit" | "q" | "exit" => Ok(Command::Quit),
        other => {
            let meant = nearest(other, WORDS)
                .map_or(String::new(), |word| format!(" Did you mean `{word}`?"));
            Err(format!(
                "`{other}` is no command.{meant} `help` lists all of them."
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_commands() {
        assert_eq!(command(""), Ok(Command::On(1)));
        assert_eq!(command("n 10"), Ok(Command::On(10)));
        assert_eq!(command("until 20 us"), Ok(Command::Until("20 us".into())));
        assert_eq!(
            command("why A -> S, class 3"),
            Ok(Command::Why("A -> S, class 3".into()))
        );
        assert_eq!(command("back"), Ok(Command::Back(1)));
        assert_eq!(command("b 10"), Ok(Command::Back(10)));
        assert_eq!(command("back 20 us"), Ok(Command::BackTo("20 us".into())));
        assert_eq!(command("show"), Ok(Command::Show(Vec::new())));
        for (line, told) in [
            ("n ten", "as `n 10`, not `ten`"),
            ("n 0", "takes a number"),
            ("until", "as `until 20us`"),
            ("back 0", "a number above 0"),
            ("why", "`why` takes a name"),
            ("queues all", "takes nothing more"),
            ("queue", "Did you mean `queues`?"),
        ] {
            let error = command(line).err().unwrap_or_default();
            assert!(error.contains(told), "{line}: {error}");
        }
    }
}
