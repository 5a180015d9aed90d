//! Tells the program the digest of the sources that decide a run's numbers.

#[path = "build/sources.rs"]
mod sources;

use std::path::Path;

fn main() {
    sources::tell(Path::new(env!("CARGO_MANIFEST_DIR")));
}
