//! `backwater buffer`: text, JSON, picture, and what it refuses.

use std::fs;

use crate::support::{backwater, folder};

const LINK: [&str; 5] = ["buffer", "--rate", "400G", "--length", "300m"];

fn on_a_link(more: &[&'static str]) -> Vec<&'static str> {
    [&LINK[..], more].concat()
}

#[test]
fn a_link_has_a_row_for_each_scheme_and_a_picture() {
    let here = folder("sizing");
    let more = on_a_link(&["--mtu", "9100", "--chip", "4", "--picture", "link.svg"]);
    let ran = backwater(&here, &more).expect(0);
    for row in [
        "pfc ",
        "pfc-ieee ",
        "sonic ",
        "n23 ",
        "cbfc ",
        "infiniband ",
    ] {
        assert!(ran.out.contains(&format!("\n{row}")), "{row}: {}", ran.out);
    }
    assert!(ran.out.contains("173,242"), "{}", ran.out);
    let picture = fs::read_to_string(here.join("link.svg")).expect("a picture");
    assert!(picture.starts_with("<svg") && picture.contains("cbfc"));
    let ieee = on_a_link(&["--mtu", "9100", "--response", "ieee", "--scheme", "pfc"]);
    let ran = backwater(&here, &ieee).expect(0);
    assert!(ran.out.contains("227,950"), "{}", ran.out);
}

#[test]
fn the_document_has_what_the_table_has() {
    let here = folder("sizing-json");
    let more = on_a_link(&["--mtu", "9100", "--scheme", "pfc,n23", "--format", "json"]);
    let ran = backwater(&here, &more).expect(0);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("one document");
    assert_eq!(told["frame_bytes"], 9_118);
    let schemes = told["schemes"].as_array().expect("a list");
    assert_eq!(schemes.len(), 2);
    assert_eq!(schemes[0]["no_loss_bytes"], 173_242);
    assert_eq!(schemes[0]["full_rate_bytes"], 173_243);
    assert_eq!(schemes[1]["no_loss_bytes"], 0);
    assert!(
        schemes[0]["terms"]
            .as_array()
            .is_some_and(|terms| terms.len() == 10)
    );
}

#[test]
fn what_can_not_be_is_refused() {
    let here = folder("sizing-refused");
    let wrong: [(&[&str], &str); 12] = [
        (&["--rate", "-400G", "--length", "1m"], "is below zero"),
        (&["--rate", "400G", "--length", "-3m"], "is below zero"),
        (
            &["--rate", "1.6T", "--length", "1m", "--response", "ieee"],
            "no limit for this rate",
        ),
        (
            &["--rate", "400G", "--length", "1m", "--least", "9999"],
            "a frame of the class has less",
        ),
        (
            &["--rate", "100000T", "--length", "1m"],
            "at most 6720 Gbps",
        ),
        (&["--rate", "6.721T", "--length", "1m"], "whole picoseconds"),
        (&["--rate", "400", "--length", "1m"], "`400` has no unit"),
        (&["--rate", "400G"], "--length"),
        (&["--rate", "400G", "--length", "300"], "write `300 m`"),
        (
            &["--rate", "400G", "--length", "1m", "--scheme", "pfcc"],
            "did you mean `pfc`?",
        ),
        (
            &["--rate", "400G", "--length", "1m", "--scheme", "sonic"],
            "needs `--chip`",
        ),
        (
            &["--rate", "400G", "--length", "1m", "--mtu", "0"],
            "1 to 65,535",
        ),
    ];
    for (words, said) in wrong {
        let ran = backwater(&here, &[&["buffer"], words].concat()).expect(2);
        assert!(ran.err.contains(said), "{words:?}: {}", ran.err);
    }
}
