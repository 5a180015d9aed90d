//! A kind chosen by `--set` or an axis: keys of the file's own kind are set aside.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use backwater_scenario::reference::tables::{Section, roots};
use backwater_scenario::{Diagnostics, Limits, Scenario, Set, Severity, Source, Sweep, parse_with};
use toml::Value;

/// What a user turns off or changes; other traffic is another scenario.
const SCHEMES: [&str; 6] = [
    "flow_control.kind",
    "explicit_rate.kind",
    "flow_control.kind",
    "router.switch",
    "scheduler.kind",
    "source_control.kind",
];

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let folders = fs::read_dir(folder).expect("scenarios");
    let files = folders.flat_map(|folder| fs::read_dir(folder.expect("a folder").path()));
    let files = files.flatten().map(|file| file.expect("a file").path());
    let mut files: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    files
}

fn load(path: &Path) -> io::Result<String> {
    fs::read_to_string(path)
}

fn read(path: &Path) -> Source {
    Source::new(path.to_str().expect("UTF-8"), load(path).expect("a file"))
}

fn with(source: &Source, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("a set"))
        .collect();
    parse_with(source, &sets, &Limits::default(), &load)
}

/// Every kind that a file chooses, with the words that it could choose.
fn kinds(table: &toml::Table, section: &Section, path: &str, found: &mut Vec<(String, String)>) {
    if let Some(selector) = section.selector
        && table.contains_key(selector.key)
        && let Some(words) = section.key(selector.key).and_then(|key| key.kind.choices())
    {
        let key = format!("{path}{}", selector.key);
        let is_scheme = SCHEMES.iter().any(|scheme| key.ends_with(scheme));
        let words = words.iter().filter(|_| is_scheme);
        found.extend(words.map(|word| (key.clone(), word.name.to_owned())));
    }
    for (name, value) in table {
        let Some(below) = section.key(name).and_then(|key| key.kind.section()) else {
            continue;
        };
        match value {
            Value::Table(table) => kinds(table, below, &format!("{path}{name}."), found),
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{path}{name}.{index}.");
                    item.as_table()
                        .into_iter()
                        .for_each(|item| kinds(item, below, &path, found));
                }
            }
            _ => {}
        }
    }
}

/// Whatever scheme of a shipped scenario is changed from outside: no key or series that the file
/// had for the old one is in the way.
#[test]
fn nothing_is_in_the_way_of_another_kind() {
    let (mut tried, mut aside) = (0, 0);
    let is_of = |path: &PathBuf, folder: &str| path.iter().any(|part| part == folder);
    let others = |path: &PathBuf| !is_of(path, "compare") && !is_of(path, "bench");
    for path in shipped().into_iter().filter(others) {
        let source = read(&path);
        let table: toml::Table = source.text.parse().expect("TOML");
        let engine = table.get("engine").and_then(Value::as_str);
        let engine = engine.unwrap_or("packet");
        let mut all = roots().into_iter();
        let (_, root) = all.find(|(name, _)| *name == engine).expect("an engine");
        let mut changes = Vec::new();
        kinds(&table, root, "", &mut changes);
        for (key, word) in changes {
            let found = match with(&source, &[&format!("{key}={word}")]) {
                Ok(scenario) => scenario.warnings,
                Err(mistakes) => mistakes,
            };
            tried += 1;
            aside += found.iter().filter(|one| one.code == "set-aside").count();
            let in_the_way = |code: &str| matches!(code, "no-meaning" | "bad-series" | "ignored");
            let in_the_way = found.iter().find(|one| in_the_way(one.code));
            assert_eq!(in_the_way, None, "{path:?}, {key} = {word}");
        }
    }
    assert!(tried > 300 && aside > 100, "{tried}, {aside}");
}

fn file(name: &str) -> Source {
    read(
        &Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../scenarios")
            .join(name),
    )
}

fn notes(scenario: &Scenario) -> Vec<&str> {
    let notes = scenario.warnings.iter();
    let notes = notes.filter(|one| one.severity == Severity::Note);
    notes
        .flat_map(|one| one.notes.first().map(String::as_str))
        .collect()
}

/// One note for all keys of a table; in the file itself each of them is an error.
#[test]
fn keys_are_set_aside_only_for_a_kind_from_outside() {
    let incast = file("ethernet/incast.toml");
    let off = with(&incast, &["flow_control.kind=none"]).expect("no error");
    assert_eq!(
        notes(&off),
        ["set aside with `none`: `classes`, `detect`, `xoff`, `xon`, `quanta`"]
    );
    assert!(!off.resolved.contains("quanta"), "{}", off.resolved);
    let ring = file("ethernet/ring-destination.toml");
    let given = "kind = \"destination\"\nblocked_share = \"50 %\"";
    let ring = Source::new("x.toml", ring.text.replace("kind = \"destination\"", given));
    let pause = with(&ring, &["flow_control.kind=pause"]).expect("no error");
    assert_eq!(notes(&pause), ["set aside with `pause`: `blocked_share`"]);
    let text = ring
        .text
        .replace("kind = \"destination\"", "kind = \"pause\"");
    let mistakes = with(&Source::new("x.toml", text), &[]).expect_err("of destinations");
    let codes: Vec<&str> = mistakes.iter().map(|one| one.code).collect();
    assert_eq!(codes, ["no-meaning"]);
    // A key that belongs to no kind is a mistake as ever.
    let sets = ["flow_control.kind=none", "flow_control.clases=[3]"];
    let mistakes = with(&incast, &sets).expect_err("clases");
    assert!(mistakes.iter().any(|one| one.code == "unknown-key"));
}

/// What a flow overrides belongs to the scheme of the whole file.
#[test]
fn overrides_go_with_the_scheme() {
    let figure = file("kung1993/fig17-two-switches.toml");
    let off = with(
        &figure,
        &["flow_control.kind=none", "flows.0.flow_control.n3=7"],
    );
    let off = off.expect("no error");
    assert!(notes(&off)[0].ends_with("`n3`"), "{:?}", notes(&off));
    assert!(!off.resolved.contains("n3"), "{}", off.resolved);
    let text = format!("{}\n[flow_control.x]\n", figure.text);
    assert!(with(&Source::new("x.toml", text), &[]).is_err());
}

/// A kind that needs other keys says which `--set` gives them.
#[test]
fn what_the_new_kind_needs_can_be_set() {
    let mesh = file("flit/mesh-8x8.toml");
    let mistakes = with(&mesh, &["topology.kind=fly"]).expect_err("what a fly needs");
    let missing = mistakes.iter().filter(|one| one.code == "missing-key");
    let typed = missing.map(|one| {
        let help = one.help.last().expect("help");
        help.split('\'').nth(1).expect("quoted")
    });
    let sets: Vec<&str> = ["topology.kind=fly"].into_iter().chain(typed).collect();
    assert_eq!(sets.len(), 3, "{mistakes}");
    let fly = with(&mesh, &sets);
    let left = fly.err().map_or(0, |left| {
        left.iter().filter(|one| one.code == "missing-key").count()
    });
    assert_eq!(left, 0);
    // In the file it is the file that needs the key.
    let text = mesh.text.replace("kind = \"mesh\"", "kind = \"fly\"");
    let mistakes = with(&Source::new("x.toml", text), &[]).expect_err("what a fly needs");
    let mut help = mistakes.iter().flat_map(|one| &one.help);
    assert!(help.all(|help| !help.contains("--set")));
}

fn points(source: &Source, sets: &[Set], axes: &[(&str, &str)]) -> Vec<Scenario> {
    let axis = |(key, value): &(&str, &str)| Set {
        key: (*key).into(),
        value: (*value).into(),
    };
    let axes: Vec<Set> = axes.iter().map(axis).collect();
    let sweep = Sweep::read(source, sets, &axes).expect("axes");
    let points = 0..sweep.points().expect("few");
    let limits = Limits::default();
    let points = points.map(|point| sweep.scenario(point, &limits, &load).expect("a point"));
    points.collect()
}

#[test]
fn pfc_on_and_off_is_an_axis() {
    let incast = file("ethernet/incast.toml");
    let axes = [
        ("flow_control.kind", "pfc,none,pause"),
        ("quanta", "100,65535"),
    ];
    let points = points(&incast, &[], &axes);
    let has_stops = |scenario: &Scenario| {
        let network = &scenario.ethernet().expect("for Ethernet").network;
        network.nodes.iter().any(|node| match &node.kind {
            backwater_net::frames::spec::NodeKind::Switch(switch) => switch.stops.common.is_some(),
            backwater_net::frames::spec::NodeKind::Station { .. } => false,
        })
    };
    let on: Vec<bool> = points.iter().map(has_stops).collect();
    assert_eq!(on, [true, true, false, false, true, true]);
    assert_eq!(points[2].resolved, points[3].resolved, "quanta of nothing");
    assert_ne!(points[0].resolved, points[1].resolved);
}

/// The same as an axis of the file, which a plain run tries as well.
#[test]
fn an_axis_of_the_file_changes_kinds() {
    let incast = file("ethernet/incast.toml");
    let axes = "\n[sweep.axes]\n\"flow_control.kind\" = [\"pfc\", \"none\"]\n";
    let source = Source::new("x.toml", format!("{}{axes}", incast.text));
    let plain = with(&source, &[]).expect("no error");
    assert_eq!(notes(&plain), [""; 0]);
    let points = points(&source, &[], &[]);
    assert_eq!((notes(&points[0]).len(), notes(&points[1]).len()), (0, 1));
    with(&source, &["flow_control.kind=pause"]).expect("no error");
}

#[test]
fn kinds_of_schedulers_and_sources_are_axes() {
    let ats = file("schedulers/virtual-clock.toml");
    let kinds = "fifo,virtual-clock,wfq,drr,round-robin";
    assert_eq!(points(&ats, &[], &[("scheduler.kind", kinds)]).len(), 5);
    let circuits = file("abr/five-sources.toml");
    let kinds = [("flows.*.source_control.kind", "abr,none")];
    let points = points(&circuits, &[], &kinds);
    let kind = |at: usize| &points[at].packet().expect("cells").network.flows[0].source_control;
    use backwater_net::spec::SourceControlSpec;
    assert!(matches!(kind(0), SourceControlSpec::Abr(_)));
    assert!(matches!(kind(1), SourceControlSpec::None));
    assert!(
        points[0].packet().expect("cells").series.len()
            > points[1].packet().expect("cells").series.len()
    );
}

/// A series of inputs goes where nobody counts them.
#[test]
fn series_of_inputs_go_with_pfc() {
    let victim = file("sweeps/pfc-victim.toml");
    let series = |scenario: &Scenario| scenario.ethernet().expect("for Ethernet").series.len();
    let on = with(&victim, &[]).expect("sound");
    let off = with(&victim, &["flow_control.kind=none"]).expect("sound");
    assert_eq!(
        (series(&on), series(&off)),
        (11, 8),
        "three channels enter B"
    );
}

/// A network chosen from outside that lacks what the file names: one mistake, with all its lines.
#[test]
fn names_of_the_network_of_the_file_are_one_mistake() {
    for (name, set, line, others) in [
        ("zhang1991/test-one.toml", "topology.kind=star", 29, true),
        ("zhang1991/test-one.toml", "topology.switches=3", 39, true),
        (
            "ethernet/ring-destination.toml",
            "topology.kind=star",
            35,
            true,
        ),
        (
            "ethernet/storm.toml",
            "topology.hosts_per_switch=1",
            0,
            false,
        ),
    ] {
        let found = match with(&file(name), &[set]) {
            Ok(scenario) => scenario.warnings,
            Err(mistakes) => mistakes,
        };
        if line == 0 {
            assert_eq!(found.errors(), 0, "{name}, {set}: {found}");
            continue;
        }
        assert_eq!(found.errors(), 1, "{name}, {set}: {found}");
        let told = found.iter().find(|one| one.severity == Severity::Error);
        let told = told.expect("an error");
        let places = told.labels.iter().map(|(at, _)| found.position(at));
        let lines: Vec<usize> = places.flatten().map(|(_, line, _)| line).collect();
        assert_eq!(lines, [line, 1], "{name}, {set}");
        let has_others = told
            .notes
            .iter()
            .any(|note| note.starts_with("others stand on"));
        assert_eq!(has_others, others, "{name}, {set}: {found}");
    }
    // A name that is wrong in the file itself is told by itself.
    let mut wrong = file("zhang1991/test-one.toml");
    wrong.text = wrong.text.replace("\"S3\"", "\"T3\"");
    let mistakes = with(&wrong, &["link.rate=10 Mbps"]).expect_err("no such node");
    assert!(mistakes.errors() > 1, "{mistakes}");
}
