//! No bytes make the reader panic: `cargo +nightly fuzz run scenario`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use scenario::{Source, parse};

fuzz_target!(|bytes: &[u8]| {
    let result = Source::from_bytes("fuzz.toml", bytes.to_vec());
    match result.and_then(|source| parse(&source, &[])) {
        // What is resolved must be readable again.
        Ok(scenario) => {
            let again = Source::new("resolved.toml", scenario.resolved);
            parse(&again, &[]).expect("the resolved scenario");
        }
        Err(mistakes) => {
            mistakes.render(true);
        }
    }
});
