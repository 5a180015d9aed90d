//! Tells the program the digest of the sources that decide a run's numbers, and the linker to leave
//! names of functions out of it.

#[path = "build/sources.rs"]
mod sources;

use std::env;
use std::path::Path;

fn main() {
    sources::tell(Path::new(env!("CARGO_MANIFEST_DIR")));
    leave_names_out();
}

/// As `strip` of the profile says; but cargo (1.95) forgets that for a package with an optimisation
/// level of its own, as this one has.
fn leave_names_out() {
    let is = |name, value| env::var(name).is_ok_and(|own| own == value);
    // `profiling` has lines, and keeps names too. Other systems have other words for it.
    if is("PROFILE", "release") && is("DEBUG", "false") && is("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-Wl,--strip-all");
    }
}
