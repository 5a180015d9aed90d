//! Stored points of sweeps: `make fuzz TARGETS=points`. The digest is made to fit, or nothing but
//! its refusal would be reached.

#![no_main]

#[path = "../../crates/cli/src/sweep/digest.rs"]
#[allow(dead_code)]
mod digest;
#[path = "../../crates/cli/src/sweep/stored.rs"]
mod stored;

use std::borrow::Cow;

use backwater_results::sweep::{Measure, Role};
use serde_json::Value;

const fn measure(name: &'static str, unit: &'static str) -> Measure {
    Measure {
        name: Cow::Borrowed(name),
        unit: Cow::Borrowed(unit),
        meaning: Cow::Borrowed(""),
        role: Role::Other,
        digits: 3,
        may_be_bound: false,
    }
}

const MEASURES: [Measure; 2] = [measure("accepted", "Mbps"), measure("stuck", "")];

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    assert!(stored::decode(bytes, "aa", &MEASURES).is_err(), "a digest by chance");
    let Ok(Value::Object(mut fields)) = serde_json::from_slice(bytes) else {
        return;
    };
    fields.shift_remove("sha256");
    let text = stored::sealed(fields);
    if let Ok(point) = stored::decode(text.as_bytes(), "aa", &MEASURES) {
        assert_eq!(point.values.len(), MEASURES.len());
        let again = stored::encode(["1", "2", "aa"], &MEASURES, &point);
        let back = stored::decode(again.as_bytes(), "aa", &MEASURES).expect("what was written");
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back.values), bits(&point.values));
    }
});
