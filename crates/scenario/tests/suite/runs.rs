//! What `check` calls sound starts, and what an engine refuses has a diagnostic of its own.

use backwater_kernel::Rings;
use backwater_net::Simulation as Packet;
use backwater_net::frames::Simulation as Ethernet;
use backwater_scenario::{Engine, Scenario, Source, parse};

const FILES: [&str; 5] = [
    include_str!("../files/everything.toml"),
    include_str!("../files/service.toml"),
    include_str!("../files/abr.toml"),
    include_str!("../files/ethernet.toml"),
    include_str!("../files/flit.toml"),
];

/// Values that some key of every file takes.
const VALUES: [&str; 14] = [
    "0",
    "1",
    "1000",
    "1073741824",
    "0.5",
    "true",
    "\"1 ps\"",
    "\"1 cells\"",
    "\"1 min\"",
    "\"1 B\"",
    "\"1 bps\"",
    "\"1000 Tbps\"",
    "\"never\"",
    "\"unlimited\"",
];

fn start(scenario: &Scenario) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    match &scenario.engine {
        Engine::Packet(found) => Packet::<Rings>::new(&found.network)
            .map(drop)
            .map_err(|e| told(&e)),
        Engine::Ethernet(found) => Ethernet::<Rings>::new(&found.network)
            .map(drop)
            .map_err(|e| told(&e)),
        Engine::Flit(found) => backwater_flit::Simulation::new(found)
            .map(drop)
            .map_err(|e| told(&e)),
    }
}

/// True if it is sound, and then it starts.
fn starts(text: &str, what: &str) -> bool {
    match parse(&Source::new("mixed.toml", text), &[]) {
        Ok(scenario) => {
            assert_eq!(start(&scenario), Ok(()), "{what}");
            true
        }
        Err(mistakes) => {
            let forgotten = mistakes.iter().find(|one| one.code == "refused");
            assert!(forgotten.is_none(), "{what}: {mistakes}");
            false
        }
    }
}

/// Lines that give a key a value.
fn given(file: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = file.lines().enumerate();
    lines.filter(|(_, line)| line.contains(" = ") && !line.starts_with('#'))
}

#[test]
fn any_value_that_is_accepted_starts() {
    let mut sound = 0;
    for file in FILES {
        for (number, line) in given(file) {
            let Some((key, _)) = line.split_once(" = ") else {
                continue;
            };
            for value in VALUES {
                let mut lines: Vec<&str> = file.lines().collect();
                let other = format!("{key} = {value}");
                lines[number] = &other;
                sound += u32::from(starts(&lines.join("\n"), &other));
            }
        }
    }
    assert!(sound > 300, "only {sound} are sound");
}

/// What one flow has, another may have too: together with what that has, it is refused or runs.
#[test]
fn any_pair_of_keys_of_flows_that_is_accepted_starts() {
    let mut sound = 0;
    for file in FILES {
        let lines: Vec<&str> = file.lines().collect();
        let heads = lines.iter().enumerate();
        let heads = heads.filter(|(_, line)| **line == "[[flows]]");
        let heads: Vec<usize> = heads.map(|(number, _)| number).collect();
        let body = |head: usize| {
            let rest = lines[head + 1..].iter().copied();
            rest.take_while(|line| !line.starts_with('['))
        };
        let has_key = |line: &&str| line.contains(" = ");
        let all = heads.iter().flat_map(|head| body(*head)).filter(has_key);
        let mut all: Vec<&str> = all.collect();
        all.sort_unstable();
        all.dedup();
        for head in &heads {
            for line in &all {
                let key = line.split(" = ").next().unwrap_or_default();
                let mixed = lines.iter().enumerate().filter(|(number, own)| {
                    let is_body = (*head + 1..=*head + body(*head).count()).contains(number);
                    !is_body || own.split(" = ").next() != Some(key)
                });
                let mut mixed: Vec<&str> = mixed.map(|(_, own)| *own).collect();
                mixed.insert(*head + 1, line);
                sound += u32::from(starts(&mixed.join("\n"), line));
            }
        }
    }
    assert!(sound > 100, "only {sound} are sound");
}
