//! No bytes make the reader panic: `cargo +nightly fuzz run scenario`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use scenario::{Limits, Source, parse_within};

/// Networks that take longer to build than to read find nothing.
const LIMITS: Limits = Limits {
    memory_bytes: Some(64 << 20),
};

fuzz_target!(|bytes: &[u8]| {
    let result = Source::from_bytes("fuzz.toml", bytes.to_vec());
    match result.and_then(|source| parse_within(&source, &[], &LIMITS)) {
        // What is resolved must be readable again.
        Ok(scenario) => {
            let again = Source::new("resolved.toml", scenario.resolved);
            parse_within(&again, &[], &LIMITS).expect("the resolved scenario");
        }
        Err(mistakes) => {
            mistakes.render(true);
        }
    }
});
