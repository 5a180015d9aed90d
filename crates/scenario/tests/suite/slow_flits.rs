//! Flits whose buffers last for less than a round trip of credit: what is told of them is what
//! runs, and what is proposed is enough.

use backwater_flit::Simulation;
use backwater_scenario::{Diagnostic, Scenario, Source, parse};

/// Two routers and their terminals, each with a packet for the other all the time.
fn two(latency: u32, router: &str, flits: u32) -> String {
    format!(
        "engine = \"flit\"\n[run]\nwarm_up = \"4000 cycles\"\nmeasure = \"20000 cycles\"\n\
         [topology]\nkind = \"mesh\"\nsides = [2]\nlatency = {latency}\n[router]\n{router}\n\
         [traffic]\npattern = \"uniform\"\ninjection = \"greedy\"\nflits = {flits}\n"
    )
}

fn read(text: &str) -> Scenario {
    parse(&Source::new("test.toml", text), &[]).unwrap_or_else(|m| panic!("{}", m.render(false)))
}

fn accepted(scenario: &Scenario) -> f64 {
    let spec = scenario.fabric().expect("flits");
    let mut simulation = Simulation::new(spec).expect("sound");
    simulation.run();
    simulation.outcome().accepted
}

fn slow(scenario: &Scenario) -> Option<&Diagnostic> {
    scenario.warnings.iter().find(|one| one.code == "slow")
}

/// What is proposed for a key, if anything is.
fn put(router: &mut String, help: &str, key: &str) {
    let Some((_, after)) = help.split_once(&format!("`{key} = ")) else {
        return;
    };
    let value = after.split('`').next().unwrap_or_default();
    let others = router.lines().filter(|line| !line.starts_with(key));
    *router = others.map(|line| format!("{line}\n")).collect();
    *router += &format!("{key} = {value}\n");
}

#[test]
fn long_channels_with_small_buffers_are_told_of_and_cured() {
    let (mut told, mut silent) = (0, 0);
    for latency in [1, 5, 20, 100] {
        for (vcs, depth) in [(1, 4), (1, 16), (2, 8), (4, 4), (4, 32)] {
            for (release, flits) in [("drained", 4), ("drained", 20), ("tail-sent", 5)] {
                let mut router = format!("vcs = {vcs}\ndepth = {depth}\nrelease = \"{release}\"\n");
                let text = |router: &str| two(latency, router, flits);
                let scenario = read(&text(&router));
                let got = accepted(&scenario);
                let place = format!("{latency} cycles, {vcs} x {depth}, {release}, {flits}");
                let Some(found) = slow(&scenario) else {
                    assert!(got >= 0.5, "{place}: {got}, and nothing is said");
                    silent += 1;
                    continue;
                };
                assert!(got < 0.95, "{place}: {got}, and it is called slow");
                let help = found.help.join(" ");
                for key in ["depth", "vcs", "release"] {
                    put(&mut router, &help, key);
                }
                let cured = read(&text(&router));
                let got = accepted(&cured);
                assert!(got >= 0.95, "{place}: {help}: {got}");
                assert!(slow(&cured).is_none(), "{place}: {help}");
                told += 1;
            }
        }
    }
    assert!(told >= 20 && silent >= 10, "{told} told, {silent} not");
}

/// A load that is small enough, and routers side by side as they are usual, are not slow.
#[test]
fn credit_of_flits_is_held_against_what_is_to_cross() {
    let mesh = |latency: u32, load: f64| {
        let text = format!(
            "engine = \"flit\"\n[run]\nmeasure = \"20000 cycles\"\n[topology]\nkind = \"mesh\"\n\
             sides = [8, 8]\nlatency = {latency}\n[router]\nvcs = 4\ndepth = 8\n\
             [traffic]\npattern = \"uniform\"\nload = {load}\n\
             flits = 5\n"
        );
        slow(&read(&text)).is_some()
    };
    assert!(!mesh(1, 0.4));
    // 20 flits in each 105 cycles; the middle carries twice what a terminal sends.
    assert!(!mesh(100, 0.05));
    assert!(mesh(100, 0.3));
}
