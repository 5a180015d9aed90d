//! `backwater`: the command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(backwater::command(std::env::args_os().skip(1)))
}
