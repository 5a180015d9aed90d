//! Tells the program the digest of the sources that decide a run's numbers, and the linker to make
//! it small.

#[path = "build/sources.rs"]
mod sources;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

fn main() {
    sources::tell(Path::new(env!("CARGO_MANIFEST_DIR")));
    for word in fewer_bytes().iter().filter(|word| can_link(word)) {
        println!("cargo::rustc-link-arg-bins={word}");
    }
}

/// No names of functions, as `strip` of the profile says, which cargo (1.95) forgets for a package
/// with an optimisation level of its own; what is compiled to the same bytes once; no table of
/// places to be filled in when the program starts. Together a quarter of the program. `profiling`
/// has lines, and keeps names too; other systems have other words for it.
fn fewer_bytes() -> &'static [&'static str] {
    let is = |name, value| env::var(name).is_ok_and(|own| own == value);
    let is_for_users = is("PROFILE", "release") && is("DEBUG", "false");
    let is_gnu = is("CARGO_CFG_TARGET_ENV", "gnu");
    match (is_for_users && is("CARGO_CFG_TARGET_OS", "linux"), is_gnu) {
        (true, true) => &["-Wl,--strip-all", "-Wl,--icf=all", "-no-pie"],
        (true, false) => &["-Wl,--strip-all"],
        (false, _) => &[],
    }
}

/// Not every linker knows every word: a program of one line tells.
fn can_link(word: &str) -> bool {
    let of = |name| env::var(name).unwrap_or_default();
    let folder = PathBuf::from(of("OUT_DIR"));
    let line = folder.join("line.rs");
    if fs::write(&line, "fn main() {}").is_err() {
        return false;
    }
    let flags = of("CARGO_ENCODED_RUSTFLAGS");
    let mut rustc = Command::new(of("RUSTC"));
    rustc.args(flags.split('\x1f').filter(|flag| !flag.is_empty()));
    if let Ok(linker) = env::var("RUSTC_LINKER") {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.arg(format!("--target={}", of("TARGET")));
    rustc.arg(format!("-Clink-arg={word}"));
    rustc.arg("-o").arg(folder.join("line")).arg(line);
    let quiet = rustc.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
