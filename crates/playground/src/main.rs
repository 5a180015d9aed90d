//! The program of the page that runs scenarios in a browser: one request on standard input, what
//! becomes of it on standard output, a line of JSON each. It reads no file and opens no network.
//!
//! It is compiled for `wasm32-wasip1`, of which the page has what is used here. Compiled for a
//! computer it answers the same, which its tests do.

mod request;

use std::io::{self, Read, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match answer() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer() -> io::Result<()> {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text)?;
    let request = serde_json::from_str(&text)?;
    let mut out = io::stdout().lock();
    request::answer(&request, &mut |said| {
        writeln!(out, "{said}")?;
        out.flush()
    })
}
