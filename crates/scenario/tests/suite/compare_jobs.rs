//! Comparisons of collective operations and jobs.

use backwater_scenario::compare::{Comparison, Scheme};
use backwater_scenario::{Limits, Set, Source};

fn shipped() -> Source {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/compare/two-jobs.toml"
    );
    Source::new("two-jobs.toml", std::fs::read_to_string(path).expect(path))
}

/// Without a choice: the eight usual schemes that have frames.
fn read(sets: &[&str]) -> Comparison {
    let sets = sets
        .iter()
        .map(|set| Set::new(set).expect("a key and a value"));
    let sets: Vec<Set> = sets.collect();
    Comparison::read(&shipped(), &sets).unwrap_or_else(|wrong| panic!("{}", wrong.render(false)))
}

/// Each scheme has the two jobs, with what carries them under it, and can run.
#[test]
fn every_scheme_of_frames_has_the_jobs() {
    let comparison = read(&["jobs.A.iterations=2"]);
    for scheme in Scheme::every() {
        let Scheme::Frames(..) = scheme else { continue };
        let text = comparison.text(scheme, 1);
        let jobs: Vec<&str> = text.split("[[jobs]]").skip(1).collect();
        let iterations = ["iterations = 2\n", "iterations = 3\n"];
        assert_eq!(jobs.len(), 2, "{text}");
        let name = scheme.name();
        let udp = "none n23-class cbfc pause destination pfc";
        let wanted = match name.split('+').next() {
            Some("reno" | "cubic" | "dctcp") => "transport = \"tcp\"",
            Some(own) if udp.split(' ').any(|gate| gate == own) => "transport = \"udp\"",
            _ => "transport = \"roce\"",
        };
        for (job, iterations) in jobs.iter().zip(iterations) {
            assert!(
                job.contains(wanted) && job.contains(iterations),
                "{name}: {job}"
            );
        }
        let scenario = comparison.scenario(scheme, 1, &Limits::default());
        let scenario = scenario.unwrap_or_else(|wrong| panic!("{name}: {}", wrong.render(false)));
        let rules = &scenario.ethernet().expect("for Ethernet").network.rules;
        assert_eq!(rules.jobs.len(), 2, "{name}");
    }
    assert_eq!(comparison.programs.len(), 2);
    assert!(comparison.programs.iter().all(|own| own.is_job));
}

/// Where the file does not choose, schemes of circuits are left out; where it does, they are
/// refused.
#[test]
fn circuits_carry_no_jobs() {
    let source = shipped();
    let start = source.text.find("only = [").expect("it chooses");
    let end = start + source.text[start..].find('\n').expect("a line");
    let with = |only: &str| {
        let text = format!("{}{only}{}", &source.text[..start], &source.text[end..]);
        Comparison::read(&Source::new("x.toml", text), &[])
    };
    let usual = with("").expect("it is right");
    let names: Vec<String> = usual.schemes.iter().map(|scheme| scheme.name()).collect();
    assert_eq!(
        names.join(" "),
        "none reno dctcp n23-class cbfc pause destination pfc"
    );
    let wrong = with("only = [\"pfc\", \"abr\"]").expect_err("ABR has circuits");
    let told = wrong.render(false);
    assert!(
        told.contains("collectives and jobs go in frames alone"),
        "{told}"
    );
}
