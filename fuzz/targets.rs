//! What the fuzz targets ask of any bytes. The same functions run over the kept inputs as tests
//! (`crates/scenario/tests/suite/corpus.rs`), so that a machine without a fuzzer holds them too.

use std::io;

use backwater_scenario::{Limits, Source, parse_with, parse_within};

/// Networks that take longer to build than to read find nothing.
const LIMITS: Limits = Limits {
    memory_bytes: Some(64 << 20),
};

/// Scenarios of the flit engine that name a file `x`: a topology, weights of traffic, packets.
const NAMING: [&str; 3] = [
    "engine = \"flit\"\ntopology = { kind = \"file\", file = \"x\" }\ntraffic.load = 0.1\n",
    "engine = \"flit\"\ntopology = { kind = \"mesh\", radix = [2, 2] }\n\
     traffic = { load = 0.1, pattern = { kind = \"matrix\", file = \"x\" } }\n",
    "engine = \"flit\"\ntopology = { kind = \"mesh\", radix = [2, 2] }\n\
     traffic = { injection = { kind = \"trace\", file = \"x\" } }\n",
];

/// A scenario: read, or refused with a message. What is resolved can be read again.
pub fn scenario(bytes: &[u8]) {
    let result = Source::from_bytes("fuzz.toml", bytes.to_vec());
    match result.and_then(|source| parse_within(&source, &[], &LIMITS)) {
        Ok(scenario) => {
            let again = Source::new("resolved.toml", scenario.resolved);
            parse_within(&again, &[], &LIMITS).expect("the resolved scenario");
        }
        Err(mistakes) => assert!(!mistakes.render(true).is_empty()),
    }
}

/// A file that a scenario names. The first byte says what for: a topology, weights, a trace.
pub fn files(bytes: &[u8]) {
    let Some((first, rest)) = bytes.split_first() else {
        return;
    };
    let Ok(text) = std::str::from_utf8(rest) else {
        return;
    };
    let naming = Source::new("fuzz.toml", NAMING[usize::from(*first) % NAMING.len()]);
    let load = |_: &std::path::Path| io::Result::Ok(text.to_owned());
    match parse_with(&naming, &[], &LIMITS, &load) {
        Ok(scenario) => assert_eq!(scenario.files.len(), 1),
        Err(mistakes) => assert!(!mistakes.render(true).is_empty()),
    }
}
