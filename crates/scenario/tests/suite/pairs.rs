//! Which pairs of schemes run together: every combination is built, and what `check` takes is run.
//! `docs/pairs.md` is what this finds; `UPDATE_PAIRS=1` writes it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use backwater_kernel::Rings;
use backwater_net::Simulation;
use backwater_scenario::{Engine, Limits, Severity, Source, list, parse_within};

/// A choice: its name, and what it writes where.
#[derive(Clone, Copy)]
struct Choice {
    name: &'static str,
    /// Tables of the file.
    tables: &'static str,
    /// Keys of `[link]`.
    link: &'static str,
    /// Keys of the link between the switches.
    trunk: &'static str,
    /// Keys of every flow.
    flow: &'static str,
}

/// One that needs tables only.
const fn tables(name: &'static str, tables: &'static str) -> Choice {
    Choice {
        name,
        tables,
        link: "",
        trunk: "",
        flow: "",
    }
}

/// Flow control of the link between the switches alone, beside that of all others.
const fn trunk(name: &'static str, tables: &'static str, trunk: &'static str) -> Choice {
    Choice {
        trunk,
        ..self::tables(name, tables)
    }
}

/// What a dimension has.
#[derive(Clone, Copy)]
enum Choices {
    /// All words of a group of the language, each as the kind of a table; and what some need
    /// there.
    Words {
        group: &'static str,
        table: &'static str,
        more: &'static [(&'static str, &'static str)],
        also: &'static [Choice],
    },
    /// These.
    Here(&'static [Choice]),
}

/// All words of a group.
const fn words(group: &'static str, table: &'static str) -> Choices {
    Choices::Words {
        group,
        table,
        more: &[],
        also: &[],
    }
}

impl Choices {
    fn all(self) -> Vec<Choice> {
        let (group, table, more, also) = match self {
            Choices::Here(choices) => return choices.to_vec(),
            Choices::Words {
                group,
                table,
                more,
                also,
            } => (group, table, more, also),
        };
        let groups = list();
        let known = groups.iter().find(|(name, _)| *name == group);
        let (_, words) = known.expect("a group of the language");
        let choice = |word: &&'static str| {
            let more = more.iter().find(|(known, _)| known == word);
            let more = more.map_or("", |(_, more)| more);
            // As many as there are words.
            tables(word, format!("[{table}]\nkind = \"{word}\"\n{more}").leak())
        };
        let words = words.iter().map(|(word, _)| choice(word));
        words.chain(also.iter().copied()).collect()
    }
}

/// What there is to choose from, dimension by dimension.
struct Half {
    owner: &'static str,
    engine: &'static str,
    run: &'static str,
    flow: &'static str,
    dimensions: [(&'static str, Choices); 4],
}

const CELLS: Half = Half {
    owner: "Circuits",
    engine: "packet",
    run: "rate = \"155 Mbps\"\ndelay = \"5 us\"",
    flow: "reserve = { rate = \"40 Mbps\", burst = \"2 kB\" }\n",
    dimensions: [
        ("flow control", words("packet flow control", "flow_control")),
        (
            "memory",
            Choices::Here(&[
                tables("own", ""),
                tables("shared", "[buffer.shared]\nbytes = \"60 kB\"\n"),
                tables(
                    "thresholds",
                    "[buffer.shared]\nunits = 900\nalpha = \"1/2\"\n",
                ),
            ]),
        ),
        ("scheduler", words("packet schedulers", "scheduler")),
        (
            "source control",
            Choices::Here(&[
                flow(
                    "none",
                    "traffic = { kind = \"constant\", rate = \"60 Mbps\" }\n",
                ),
                flow(
                    "window",
                    "traffic = { kind = \"greedy\" }\npartner = \"PARTNER\"\n\
                     source_control = { kind = \"window\", cells = 8 }\n",
                ),
                flow(
                    "aimd",
                    "traffic = { kind = \"greedy\" }\npartner = \"PARTNER\"\n\
                     source_control = { kind = \"aimd\", maximum = 50, timeout = \"5 ms\" }\n",
                ),
                Choice {
                    name: "abr",
                    tables: "",
                    link: "explicit_rate = { kind = \"erica\" }\n",
                    trunk: "",
                    flow: "traffic = { kind = \"greedy\" }\n\
                           source_control = { kind = \"abr\", icr = \"10 Mbps\" }\n",
                },
                flow(
                    "tcp",
                    "transport = \"tcp\"\ntraffic = { kind = \"greedy\" }\n",
                ),
            ]),
        ),
    ],
};

const FRAMES: Half = Half {
    owner: "Frames",
    engine: "ethernet",
    run: "rate = \"1 Gbps\"\ndelay = \"1 us\"",
    flow: "",
    dimensions: [
        (
            "flow control",
            Choices::Words {
                group: "ethernet flow control",
                table: "flow_control",
                more: &[(
                    "n123",
                    "unit = \"64 B\"
",
                )],
                also: &[
                    trunk("pfc on one link", "", "flow_control.kind = \"pfc\"\n"),
                    trunk(
                        "pause on one link, n23",
                        "[flow_control]\nkind = \"n23\"\n",
                        "flow_control.kind = \"pause\"\n",
                    ),
                    trunk(
                        "cbfc on one link, pfc",
                        "[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\n",
                        "flow_control.kind = \"cbfc\"\n",
                    ),
                ],
            },
        ),
        (
            "memory",
            Choices::Here(&[
                tables("own", ""),
                tables(
                    "thresholds",
                    "[buffer.shared]\nbytes = \"2 MB\"\nheadroom = \"40 kB\"\npool = \"200 kB\"\n",
                ),
                tables(
                    "pools",
                    "[buffer.shared]\nbytes = \"2 MB\"\ncell = 208\npool = \"90 kB\"\n\
                     [[pools]]\nname = \"own\"\nbytes = \"500 kB\"\n\
                     [[memory]]\nports = \"A\"\nin_pool = \"own\"\nalpha = \"1/2\"\n",
                ),
            ]),
        ),
        ("scheduler", words("ethernet schedulers", "scheduler")),
        (
            "source control",
            Choices::Here(&[
                flow(
                    "none",
                    "transport = \"udp\"\ntraffic = { kind = \"greedy\" }\n",
                ),
                flow(
                    "none, multicast",
                    "multicast = true\ntraffic = { kind = \"greedy\" }\n",
                ),
                flow(
                    "reno",
                    "tcp = { preset = \"modern\", congestion = \"reno\" }\n",
                ),
                flow(
                    "cubic",
                    "tcp = { preset = \"modern\", congestion = \"cubic\" }\n",
                ),
                flow(
                    "bbr",
                    "tcp = { preset = \"modern\", congestion = \"bbr\" }\n",
                ),
                flow(
                    "bbr3",
                    "tcp = { preset = \"modern\", congestion = \"bbr3\" }\n",
                ),
                Choice {
                    name: "dctcp",
                    tables: "[[classes]]\nclass = 0\nmark_above = \"30 kB\"\n",
                    link: "",
                    trunk: "",
                    flow: "tcp = { preset = \"dctcp\" }\n",
                },
                flow(
                    "abr",
                    "source_control = { kind = \"abr\", icr = \"10 Mbps\" }\n",
                ),
            ]),
        ),
    ],
};

/// One that needs keys of flows only.
const fn flow(name: &'static str, flow: &'static str) -> Choice {
    Choice {
        name,
        tables: "",
        link: "",
        trunk: "",
        flow,
    }
}

impl Half {
    /// Two flows over two switches to one host, or to that and to each other's source.
    fn text(&self, chosen: [&Choice; 4]) -> String {
        let join = |of: fn(&Choice) -> &'static str| -> String {
            chosen.iter().map(|choice| of(choice)).collect()
        };
        let mut text = format!(
            "engine = \"{}\"\n[run]\nduration = \"3 ms\"\n[network]\nhosts = [\"A\", \"B\", \
             \"C\"]\nswitches = [\"S\", \"T\"]\n[link]\n{}\n{}{}",
            self.engine,
            self.run,
            join(|choice| choice.link),
            join(|choice| choice.tables)
        );
        for (a, b) in [("A", "S"), ("B", "S"), ("S", "T"), ("T", "C")] {
            let _ = writeln!(text, "[[links]]\nbetween = [\"{a}\", \"{b}\"]");
            if b == "T" {
                text += &join(|choice| choice.trunk);
            }
        }
        for (from, other) in [("A", "B"), ("B", "A")] {
            let own = join(|choice| choice.flow);
            let to = match own.contains("multicast") {
                true => format!("[\"C\", \"{other}\"]"),
                false => "\"C\"".into(),
            };
            let back = format!("back to {from}");
            let _ = write!(
                text,
                "[[flows]]\nname = \"{from}\"\nfrom = \"{from}\"\nto = {to}\n{}{}",
                self.flow,
                own.replace("PARTNER", &back)
            );
            if own.contains("PARTNER") {
                let _ = write!(
                    text,
                    "[[flows]]\nname = \"{back}\"\nfrom = \"C\"\nto = \"{from}\"\n\
                     traffic = {{ kind = \"silent\" }}\n{}",
                    self.flow
                );
            }
        }
        text
    }

    /// By dimension.
    fn choices(&self) -> [Vec<Choice>; 4] {
        self.dimensions.map(|(_, choices)| choices.all())
    }

    /// Every combination, as places in the dimensions.
    fn all(&self) -> Vec<[usize; 4]> {
        let mut all = vec![[0; 4]];
        for (at, choices) in self.choices().iter().enumerate() {
            let longer = all.iter().flat_map(|chosen| {
                (0..choices.len()).map(move |choice| {
                    let mut chosen = *chosen;
                    chosen[at] = choice;
                    chosen
                })
            });
            all = longer.collect();
        }
        all
    }
}

/// Runs it, or says in which words it was refused.
fn outcome(text: &str) -> Result<(), String> {
    let parsed = parse_within(&Source::new("pair.toml", text), &[], &Limits::default());
    let scenario = parsed.map_err(|mistakes| {
        let first = mistakes.iter().find(|one| one.severity == Severity::Error);
        first.map_or(String::new(), |one| one.message.clone())
    })?;
    let (moved, broken) = match &scenario.engine {
        Engine::Packet(packet) => {
            let mut run = Simulation::<Rings>::new(&packet.network).expect("checked");
            run.run();
            let outcome = run.outcome();
            (run.unit_hops(), outcome.violations.total())
        }
        Engine::Ethernet(ethernet) => {
            let mut run = Simulation::<Rings>::new(&ethernet.network).expect("checked");
            run.run();
            (run.unit_hops(), run.outcome().violations.total())
        }
        Engine::Flit(_) => panic!("no pair of flits"),
    };
    assert!(moved > 40, "only {moved} hops:\n{text}");
    assert_eq!(broken, 0, "broken promises:\n{text}");
    Ok(())
}

/// The section of a half, and how many combinations ran.
fn section(half: &Half) -> (String, usize) {
    let all = half.choices();
    let names = |at: usize| &all[at];
    let mut runs = BTreeSet::new();
    let mut refused = BTreeMap::new();
    for chosen in half.all() {
        let choices = [0, 1, 2, 3].map(|at| &names(at)[chosen[at]]);
        match outcome(&half.text(choices)) {
            Ok(()) => _ = runs.insert(chosen),
            Err(why) => _ = refused.insert(chosen, why),
        }
    }
    let mut text = format!("## {}\n\n", half.owner);
    let alone = |at: usize, choice: usize| runs.iter().any(|chosen| chosen[at] == choice);
    let _ = writeln!(text, "| | runs | not for these |\n|---|---|---|");
    for (at, ((what, _), choices)) in half.dimensions.iter().zip(&all).enumerate() {
        let list = |there: bool| -> String {
            let found = (0..choices.len()).filter(|choice| alone(at, *choice) == there);
            let found: Vec<_> = found
                .map(|choice| format!("`{}`", choices[choice].name))
                .collect();
            found.join(", ")
        };
        let _ = writeln!(text, "| {what} | {} | {} |", list(true), list(false));
    }
    let _ = writeln!(
        text,
        "\n{} of their combinations run. Of pairs, these don't:\n\n| Pair | Why |\n|---|---|",
        runs.len()
    );
    let mut pairs = 0;
    for (first, second) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)] {
        for (i, one) in names(first)
            .iter()
            .enumerate()
            .filter(|(i, _)| alone(first, *i))
        {
            for (j, other) in names(second)
                .iter()
                .enumerate()
                .filter(|(j, _)| alone(second, *j))
            {
                let both = |chosen: &&[usize; 4]| chosen[first] == i && chosen[second] == j;
                if runs.iter().any(|chosen| both(&chosen)) {
                    continue;
                }
                let why = refused.iter().find(|(chosen, _)| both(chosen));
                let why = why.map_or("", |(_, why)| why.as_str());
                let _ = writeln!(text, "| `{}` with `{}` | {why} |", one.name, other.name);
                pairs += 1;
            }
        }
    }
    if pairs == 0 {
        let _ = writeln!(text, "| none | |");
    }
    (text, runs.len())
}

const HEAD: &str = "# What runs with what

Flow control, memory, scheduler and source control are chosen apart. Every combination of the
words below was built on a small network, checked, and, where `check` takes it, run without a broken
promise; a test does that anew and holds this page to it (`cargo test -p backwater-scenario --test
suite pairs`).

";

#[test]
fn the_page_says_what_runs_with_what() {
    let (cells, cells_run) = section(&CELLS);
    let (frames, frames_run) = section(&FRAMES);
    assert!(
        cells_run > 200 && frames_run > 50,
        "{cells_run}, {frames_run}"
    );
    let found = format!("{HEAD}{cells}\n{frames}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/pairs.md");
    if std::env::var_os("UPDATE_PAIRS").is_some() {
        std::fs::write(&path, &found).expect("it can be written");
    }
    let page = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        page == found,
        "docs/pairs.md is out of date: UPDATE_PAIRS=1 writes it"
    );
}
