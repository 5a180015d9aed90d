//! Whatever a file holds, reading it ends soon: in a scenario, or in errors that have a line.

use std::time::{Duration, Instant};

use backwater_scenario::{Diagnostics, LARGEST_BYTES, Scenario, Source, parse};

const GOOD: &str = include_str!("../files/everything.toml");
const FLIT: &str = include_str!("../files/flit.toml");
const SERVICE: &str = include_str!("../files/service.toml");
const ETHERNET: &str = include_str!("../files/ethernet.toml");
const ABR: &str = include_str!("../files/abr.toml");
/// The good files.
const FILES: [&str; 5] = [GOOD, FLIT, SERVICE, ETHERNET, ABR];
/// What one reading may take; generous for a busy machine.
const LONGEST: Duration = Duration::from_secs(60);

fn read(bytes: Vec<u8>) -> Result<Scenario, Diagnostics> {
    let started = Instant::now();
    let result = Source::from_bytes("mutated.toml", bytes).and_then(|source| parse(&source, &[]));
    let rendered = match &result {
        Ok(scenario) => scenario.warnings.render(false),
        Err(mistakes) => mistakes.render(true) + &mistakes.to_json().to_string(),
    };
    let took = started.elapsed();
    assert!(
        took < LONGEST,
        "took {took:?}: {}",
        &rendered[..rendered.len().min(500)]
    );
    result
}

/// Asserts that the text is refused, with a line.
fn refused(what: &str, bytes: impl Into<Vec<u8>>) {
    match read(bytes.into()) {
        Ok(_) => panic!("accepted: {what}"),
        Err(mistakes) => {
            assert!(mistakes.errors() > 0, "{what}");
            let places = mistakes.iter().filter(|diagnostic| {
                let at = diagnostic.labels.first().map(|(at, _)| at);
                at.and_then(|at| mistakes.position(at))
                    .is_some_and(|(_, line, _)| line > 0)
            });
            assert_eq!(
                places.count(),
                mistakes.iter().count(),
                "{what}: {mistakes}"
            );
        }
    }
}

/// A line of a good file that gives a key a value.
#[derive(Clone, Copy)]
struct Line {
    file: &'static str,
    number: usize,
    text: &'static str,
}

impl Line {
    /// Those of all good files.
    fn all() -> impl Iterator<Item = Self> {
        FILES.into_iter().flat_map(|file| {
            let lines = file.lines().enumerate();
            let lines = lines.map(move |(number, text)| Self { file, number, text });
            lines.filter(|line| line.text.contains(" = "))
        })
    }

    fn key(self) -> &'static str {
        self.text.split_once(" = ").map_or("", |(key, _)| key)
    }

    /// Its file with another line in its place.
    fn replaced(self, text: &str) -> String {
        let mut lines: Vec<&str> = self.file.lines().collect();
        lines[self.number] = text;
        lines.join("\n")
    }

    fn with_value(self, value: &str) -> String {
        self.replaced(&format!("{} = {value}", self.key()))
    }
}

#[test]
fn the_files_themselves_are_good() {
    for file in FILES {
        let scenario = read(file.into()).expect("no mistakes");
        // A file with every key at once has set-ups before data, and so no bounds, segments that
        // leave most of the MTU unused, stops drawn at random, whose loss is meant, and a storm of
        // PFC where destinations are stopped.
        let codes = [
            "no-delay-bound",
            "small-segments",
            "headroom",
            "ignored-stops",
        ];
        let meant = |found: &backwater_scenario::Diagnostic| codes.contains(&found.code);
        assert!(scenario.warnings.iter().all(meant), "{}", scenario.warnings);
        let lines = Line::all().filter(|line| line.file == file);
        assert!(lines.count() >= 40);
    }
}

#[test]
fn values_of_the_wrong_type_are_refused() {
    let mut tried = 0;
    let wrong = [
        "true",
        "1979-05-27",
        "[[]]",
        "{ mean = 1, mode = 2 }",
        "nan",
        "[1, 2]",
    ];
    let numbers = ["sides", "targets", "weights", "lengths", "classes"];
    let truths = [
        "ports",
        "ignores_stops",
        "eighth",
        "idle_restart",
        "handshake_rtt",
        "tagged",
        "rtp",
        "limit_jump",
        "one_feedback",
        "up_to_link",
        "clip_icr",
        "counts_backward",
        "pr5",
        "rule_5b",
        "floor_icr",
    ];
    for line in Line::all() {
        let right = |value: &str| match value {
            "[1, 2]" => numbers.contains(&line.key()),
            "true" => truths.contains(&line.key()),
            _ => false,
        };
        for value in wrong.into_iter().filter(|value| !right(value)) {
            refused(
                &format!("{value} in `{}`", line.text),
                line.with_value(value),
            );
            tried += 1;
        }
    }
    assert!(tried >= 800, "{tried} mutations");
}

#[test]
fn signs_sizes_and_units_are_refused() {
    let wrong = [
        "-1",
        "\"-5 us\"",
        "1e400",
        "\"1e40 s\"",
        "99999999999999999999999999",
        "\"5 parsec\"",
        "\"NaN us\"",
        "\"inf s\"",
        "\"\"",
        "\"1e99999999999999999999 Gbps\"",
    ];
    // Any text is a fine title, and nearly any a name.
    let free = ["title", "about", "name"];
    let mut tried = 0;
    for line in Line::all().filter(|line| !free.contains(&line.key())) {
        for value in wrong {
            refused(
                &format!("{value} in `{}`", line.text),
                line.with_value(value),
            );
            tried += 1;
        }
    }
    assert!(tried >= 1200, "{tried} mutations");
}

#[test]
fn unknown_keys_are_refused() {
    for line in Line::all() {
        refused(line.text, line.replaced(&format!("x{}", line.text)));
    }
}

#[test]
fn repeated_keys_are_refused() {
    for line in Line::all() {
        refused(line.text, line.replaced(&format!("{0}\n{0}", line.text)));
    }
}

#[test]
fn names_of_nothing_are_refused() {
    refused(
        "response class",
        FLIT.replace("responses = \"answer\"", "responses = \"nobody\""),
    );
    for name in [
        "\"A\"",
        "\"B\"",
        "\"S1\"",
        "\"S1->S2\"",
        "\"VC1\"",
        "\"reply\"",
    ] {
        let places: Vec<usize> = GOOD.match_indices(name).map(|(at, _)| at).collect();
        assert!(!places.is_empty(), "{name}");
        for at in places {
            let (before, after) = (&GOOD[..at], &GOOD[at + name.len()..]);
            refused(name, format!("{before}\"nobody\"{after}"));
        }
    }
}

#[test]
fn files_cut_short_end_in_a_result() {
    for file in FILES {
        let (mut good, mut bad) = (0, 0);
        for end in (0..file.len()).step_by(50) {
            match read(file.as_bytes()[..end].to_vec()) {
                Ok(_) => good += 1,
                Err(_) => {
                    refused(&format!("cut at {end}"), &file.as_bytes()[..end]);
                    bad += 1;
                }
            }
        }
        // Cut between two flows, series or classes it may be whole, only shorter.
        assert!(bad > 20 && good < 10, "{good} good, {bad} bad");
    }
}

#[test]
fn bytes_that_are_not_text_are_refused() {
    for at in (0..GOOD.len()).step_by(97) {
        let mut bytes = GOOD.as_bytes().to_vec();
        bytes[at] = 0xff;
        refused(&format!("0xff at {at}"), bytes);
        let mut bytes = GOOD.as_bytes().to_vec();
        bytes[at] = 0;
        refused(&format!("0 at {at}"), bytes);
    }
    refused(
        "UTF-16",
        GOOD.encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>(),
    );
    refused("half a character", b"title = \"\xe2\x82".to_vec());
    refused(
        "random bytes",
        (0..5000_u32)
            .map(|i| (i * i % 251) as u8)
            .collect::<Vec<u8>>(),
    );
}

#[test]
fn a_byte_order_mark_and_other_line_ends_are_harmless() {
    read(format!("\u{feff}{GOOD}").into()).expect("a byte order mark");
    read(GOOD.replace('\n', "\r\n").into()).expect("line ends of Windows");
}

#[test]
fn deep_nesting_is_refused() {
    const DEPTH: usize = 100_000;
    refused("brackets", format!("run = {}", "[".repeat(DEPTH)));
    refused("braces", format!("run = {}", "{ a = ".repeat(DEPTH)));
    refused(
        "closed",
        format!("run = {}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)),
    );
    refused("dots", format!("run{} = 1", ".a".repeat(DEPTH)));
    refused("header", format!("[run{}]", ".a".repeat(DEPTH)));
}

#[test]
fn large_files_are_refused_fast() {
    refused("100 MB", vec![b'#'; 100_000_000]);
    let huge = Source::new("huge.toml", "#".repeat(LARGEST_BYTES + 1));
    assert!(parse(&huge, &[]).is_err());
}

#[test]
fn large_numbers_of_anything_are_refused_fast() {
    let count = |n: u64| GOOD.replace("count = 3", &format!("count = {n}"));
    refused("10^12 flows", count(1_000_000_000_000));
    refused("2^64 flows", count(u64::MAX));
    let network = "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n";
    let flows = "[[flows]]\nname = \"a\"\nfrom = \"H1_1\"\nto = \"H2_1\"\n";
    for topology in [
        "kind = \"line\"\nswitches = 1000000\nhosts_per_switch = 1000000",
        "kind = \"mesh\"\nsides = [10000, 10000]",
        "kind = \"tree\"\nlevels = 20\nfanout = 1000",
        "kind = \"torus\"\nsides = [1000000, 1000000, 1000000, 1000000]",
        "kind = \"mesh\"\nsides = []",
        "kind = \"star\"\nhosts_per_switch = 18446744073709551615",
    ] {
        refused(
            topology,
            format!("{network}[topology]\n{topology}\n{flows}"),
        );
    }
    for topology in [
        "kind = \"fly\"\nk = 65535\nn = 24",
        "kind = \"fat-tree\"\nk = 2\nn = 24",
        "kind = \"mesh\"\nsides = [16777216, 16777216, 16777216]",
        "kind = \"torus\"\nsides = [1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1]",
        "kind = \"torus\"\nsides = [8]\nterminals_per_router = 65535",
        "kind = \"full\"\nrouters = 65535\nterminals_per_router = 65535",
        "kind = \"file\"\nfile = \"/dev/zero\"",
        "kind = \"file\"\nfile = \"\"",
    ] {
        let run = "engine = \"flit\"\n[run]\nmeasure = 1000\n[traffic]\nload = 0.1\n";
        refused(topology, format!("{run}[topology]\n{topology}\n"));
    }
    for topology in [
        "kind = \"star\"\nhosts_per_switch = 1000000",
        "kind = \"line\"\nswitches = 1000000\nhosts_per_switch = 1000000",
        "kind = \"leaf-spine\"\nleaves = 1000000\nhosts_per_switch = 1000000\nspines = 9",
        "kind = \"fat-tree\"\nports = 128",
    ] {
        let run = "engine = \"ethernet\"\n[run]\nduration = \"1 s\"\n[link]\nrate = \"1 Gbps\"\n";
        let flows = "[[patterns]]\nkind = \"all-to-all\"\nname = \"p\"\n";
        refused(topology, format!("{run}[topology]\n{topology}\n{flows}"));
    }
    let line = "[topology]\nkind = \"line\"\nswitches = 2000\n";
    let pairs = "[[patterns]]\nname = \"p\"\nkind = \"random-pairs\"\ncount = 4000000\n";
    refused(
        "too many flows",
        format!("{network}{line}{flows}{pairs}{flows}"),
    );
}

#[test]
fn heaps_of_mistakes_end_soon() {
    let many = |line: &dyn Fn(usize) -> String| (0..20_000).map(line).collect::<String>();
    refused("unknown keys", many(&|i| format!("key_{i} = {i}\n")));
    let class = |i| format!("[[classes]]\nname = \"c{}\"\nvc_group = {i}\n", i % 1000);
    refused("classes", format!("{FLIT}\n{}", many(&class)));
    let numbers = "1, ".repeat(100_000);
    refused("numbers", FLIT.replace("[4, 4]", &format!("[{numbers}]")));
    refused("junk", "= =\n".repeat(20_000));
    refused(
        "hosts",
        format!("{GOOD}\n{}", many(&|_| "[[flows]]\nname = \"x\"\n".into())),
    );
    refused("one long line", format!("title = {}", "9".repeat(1 << 20)));
    refused("a long key", format!("{} = 1", "k".repeat(1 << 20)));
}

#[test]
fn no_more_than_a_hundred_mistakes_are_shown() {
    let keys: String = (0..300).map(|i| format!("key_{i} = {i}\n")).collect();
    let mistakes = read(format!("{keys}{GOOD}").into()).expect_err("unknown keys");
    assert_eq!((mistakes.errors(), mistakes.iter().count()), (300, 100));
    let text = mistakes.render(false);
    assert!(
        text.ends_with("300 errors: 100 shown, and 200 more\n"),
        "{text}"
    );
    // Every second byte of UTF-16 is a mistake of TOML; it is told once.
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        let bytes = GOOD.encode_utf16().flat_map(order).collect();
        let mistakes = read(bytes).expect_err("UTF-16");
        let text = mistakes.render(false);
        assert_eq!(mistakes.iter().count(), 1, "{text}");
        assert!(text.len() < 1_000, "{text}");
    }
}

#[test]
fn an_empty_file_says_what_is_missing() {
    refused("nothing", "");
    refused("blanks", " \n\t\n");
    // First for which engine it is: what else is missing depends on it, and its words do, too.
    let said = |text: &str| read(text.into()).unwrap_err().render(false);
    for text in ["", "[network]\nhosts = [\"A\"]\n", "title = \"x\"\n"] {
        let mistakes = said(text);
        for part in ["ethernet", "flit", "packet"] {
            let key = format!("engine = \"{part}\"");
            assert!(mistakes.contains(&key), "{key} in {mistakes}");
        }
        assert!(!mistakes.contains("cells\""), "{mistakes}");
        assert!(mistakes.ends_with("1 error\n"), "{mistakes}");
    }
    let mistakes = said("engine = \"packet\"");
    for part in ["[run]", "[link]", "[network]", "[[flows]]"] {
        assert!(mistakes.contains(part), "{part} in {mistakes}");
    }
}

/// What a line of a file holds does nothing to the terminal that shows it.
#[test]
fn quoted_lines_are_fit_for_a_terminal() {
    let wrong = "nonsense = 1 # \u{9b}31m \u{202e}drow \u{2028} \u{1b}[2J\nx\u{9c} = 2\n";
    let mistakes = parse(&Source::new("odd.toml", wrong), &[]).expect_err("wrong keys");
    for color in [false, true] {
        let text = mistakes.render(color);
        assert!(text.contains("nonsense"), "{text}");
        let is_odd = |c: &char| {
            let ours = *c == '\n' || (color && *c == '\u{1b}');
            !ours && backwater_kernel::words::is_unprintable(*c)
        };
        assert_eq!(text.chars().find(is_odd), None, "{text:?}");
        assert!(!text.contains("\u{1b}[2J"), "{text:?}");
    }
}
