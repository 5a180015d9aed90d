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

/// Two switches that forward at once, 300 m apart, and frames of one size.
fn two_switches(control: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[network]\nhosts = [\"A\", \"B\"]\n\
         switches = [\"near\", \"far\"]\n[link]\nrate = \"400 Gbps\"\ncable = \"300 m\"\n\
         [[links]]\nbetween = [\"A\", \"near\"]\n[[links]]\nbetween = [\"near\", \"far\"]\n\
         [[links]]\nbetween = [\"far\", \"B\"]\n[switch]\nresponse = \"0 s\"\n\
         [host]\nresponse = \"0 s\"\n{control}[[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n\
         transport = \"udp\"\npayload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n"
    )
}

#[test]
fn check_says_of_each_link_what_buffer_says_of_one() {
    let here = folder("check-sizes");
    let told = |words: &[&str]| -> serde_json::Value {
        let ran = backwater(&here, words).expect(0);
        serde_json::from_str(&ran.out).expect("one document")
    };
    let mut found = 0;
    for (scheme, control) in [
        (
            "pfc",
            "[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\nheadroom = \"unchecked\"\n\
             [buffer]\nper_input = \"200 kB\"\n",
        ),
        ("n23", "[flow_control]\nkind = \"n23\"\n"),
        (
            "cbfc",
            "[flow_control]\nkind = \"cbfc\"\ncell = \"128 B\"\noverhead = 8\n\
             cf_min_spacing = \"3200 B\"\n",
        ),
        ("infiniband", "[flow_control]\nkind = \"infiniband\"\n"),
    ] {
        fs::write(here.join("two.toml"), two_switches(control)).expect("a file");
        let of_file = told(&["check", "two.toml", "--sizes", "--format", "json"]);
        let rows = of_file["files"][0]["sizes"].as_array().expect("rows");
        // All links are alike, but for what flows cross.
        let many = 1 + usize::from(scheme == "pfc");
        assert_eq!(rows.len(), many, "{scheme}: {of_file}");
        let more = [
            &LINK[..],
            &[
                "--scheme",
                scheme,
                "--format",
                "json",
                "--credit-cell",
                "128",
            ],
            &["--credit-overhead", "8", "--credit-spacing", "3200"],
        ];
        let of_link = told(&more.concat());
        let wanted = &of_link["schemes"][0];
        assert_eq!(rows[0]["scheme"], scheme);
        for key in ["no_loss_bytes", "full_rate_bytes", "both_bytes"] {
            assert_eq!(rows[0][key], wanted[key], "{scheme}, {key}: {of_file}");
            found += 1;
        }
        let links = rows.iter().filter_map(|row| row["links"].as_array());
        assert_eq!(links.map(Vec::len).sum::<usize>(), 4);
    }
    assert_eq!(found, 12);
    let text = backwater(&here, &["check", "two.toml", "--sizes", "--verbose"]).expect(0);
    assert!(
        text.out.contains("A->near, near->far and 2 more"),
        "{}",
        text.out
    );
    assert!(text.out.contains("the loop: 2 p + f + s"), "{}", text.out);
}

/// Of 2,000,000 B, `xoff` is 80 %: 400,000 B are above it, and 150,282 B are needed (99 frames of
/// 1,518 B; only control frames come back). A byte less of either is told, and how much.
#[test]
fn check_says_whether_what_a_file_gives_is_enough() {
    let here = folder("check-sizes-verdict");
    let stops = |xoff: u32, xon: u32| {
        format!(
            "[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\nheadroom = \"unchecked\"\n\
             xoff = \"{xoff} B\"\nxon = \"{xon} B\"\n[buffer]\nper_input = \"2 MB\"\n"
        )
    };
    let credit = |n3: u32| format!("[flow_control]\nkind = \"n23\"\nn2 = 10\nn3 = {n3}\n");
    let enough = 2_000_000 - 150_282;
    for (control, said, missing) in [
        (stops(enough, 151_801), "enough", None),
        (stops(enough + 1, 151_801), "may lose", Some(1)),
        (stops(enough, 151_800), "may idle", Some(1)),
        (credit(100), "enough", None),
        (credit(90), "may idle", Some(10 * 1_518)),
    ] {
        fs::write(here.join("two.toml"), two_switches(&control)).expect("a file");
        let words = ["check", "two.toml", "--sizes", "--format", "json"];
        let ran = backwater(&here, &words).expect(0);
        let told: serde_json::Value = serde_json::from_str(&ran.out).expect("one document");
        let row = &told["files"][0]["sizes"][0];
        assert_eq!(row["verdict"], said, "{control}: {row}");
        assert_eq!(
            row["missing_bytes"],
            serde_json::json!(missing),
            "{control}"
        );
    }
}
