//! `backwater completions`, `backwater man`: what shells and readers of man pages are told, out of
//! the same declarations as `--help`.

use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::{Cli, SUCCESS, fail, files};

/// For which shell.
#[derive(clap::Args)]
pub struct CompletionOptions {
    /// The shell
    shell: Shell,
}

/// Where to write man pages.
#[derive(clap::Args)]
pub struct ManOptions {
    /// Folder for `backwater.1` and a page for each command; created if missing
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: PathBuf,
}

/// Prints completions.
pub fn completions(options: &CompletionOptions) -> u8 {
    let mut text = Vec::new();
    clap_complete::generate(options.shell, &mut Cli::command(), "backwater", &mut text);
    print!("{}", String::from_utf8_lossy(&text));
    SUCCESS
}

/// Writes a page for the program and one for each of its commands.
pub fn man(options: &ManOptions) -> u8 {
    let folder = &options.out;
    let made = std::fs::create_dir_all(folder);
    match made.and_then(|()| clap_mangen::generate_to(Cli::command(), folder)) {
        Ok(()) => {
            println!("man pages: {}", files::shown(&folder.join("backwater*.1")));
            SUCCESS
        }
        Err(error) => fail(format!("can't write `{}`: {error}", files::shown(folder))),
    }
}
