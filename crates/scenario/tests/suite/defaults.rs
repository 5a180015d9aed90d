//! Every value that a default can take can be written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use backwater_net::frames::spec::TransportSpec;
use backwater_scenario::{Diagnostics, Engine, Limits, Scenario, Set, Source, parse_with};

/// All shipped scenarios but comparisons.
fn shipped() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios");
    let mut folders = vec![root];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of scenarios") {
            let path = entry.expect("an entry").path();
            let is_comparison = path.ends_with("compare");
            match path.is_dir() {
                true if !is_comparison => folders.push(path),
                false if path.extension().is_some_and(|end| end == "toml") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

fn read(text: &str, file: &Path, sets: &[Set]) -> Result<Scenario, Diagnostics> {
    let folder = file.parent().expect("a folder");
    let load = |path: &Path| match fs::read_to_string(folder.join(path)) {
        Ok(text) => Ok(text),
        Err(_) => Err(io::Error::other("no such file")),
    };
    let source = Source::new("scenario.toml", text);
    parse_with(&source, sets, &Limits::default(), &load)
}

fn set(key: &str, value: String) -> Set {
    Set {
        key: key.into(),
        value,
    }
}

/// What is to be simulated, without places in the file.
fn simulated(scenario: &Scenario) -> String {
    match &scenario.engine {
        Engine::Ethernet(found) => format!("{:?}", found.network),
        engine => format!("{engine:?}"),
    }
}

#[test]
fn resolved_defaults_of_shipped_scenarios_read_back() {
    let mut count = 0;
    for file in shipped() {
        let text = fs::read_to_string(&file).expect("UTF-8");
        let Ok(scenario) = read(&text, &file, &[]) else {
            // A sweep whose point alone is none is told elsewhere.
            continue;
        };
        let again = read(&scenario.resolved, &file, &[]);
        let again = again.unwrap_or_else(|told| panic!("{}: {told}", file.display()));
        assert_eq!(
            simulated(&scenario),
            simulated(&again),
            "{}",
            file.display()
        );
        count += 1;
    }
    assert!(count > 60, "only {count}");
}

/// What follows from the MTU, written out, for the least and the largest.
#[test]
fn segments_and_payloads_that_fit_any_mtu_can_be_written() {
    let mut written = 0;
    for file in shipped() {
        let text = fs::read_to_string(&file).expect("UTF-8");
        for mtu in [576, 1_500, 9_000, 9_216] {
            let mtu = set("link.mtu", mtu.to_string());
            let Ok(scenario) = read(&text, &file, std::slice::from_ref(&mtu)) else {
                continue;
            };
            let Engine::Ethernet(found) = &scenario.engine else {
                continue;
            };
            let flow = |flow: &backwater_net::frames::spec::FlowSpec| match &flow.transport {
                TransportSpec::Tcp(tcp) => ("tcp.mss", tcp.mss_bytes),
                TransportSpec::Roce(roce) => ("roce.mtu", roce.mtu_bytes),
                TransportSpec::Udp { payload_bytes, .. } => ("flows.0.payload", *payload_bytes),
            };
            let first = found.network.flows.first().map(flow);
            let is_named = |key: &str| key != "flows.0.payload" || text.contains("[[flows]]");
            let Some((key, bytes)) = first.filter(|(key, _)| is_named(key)) else {
                continue;
            };
            let value = set(key, format!("{bytes} B"));
            let what = format!("{}: {key} = {bytes} B", file.display());
            let told = read(&text, &file, &[mtu, value]);
            let told = told.unwrap_or_else(|told| panic!("{what}: {told}"));
            assert_eq!(simulated(&scenario), simulated(&told), "{what}");
            written += 1;
        }
    }
    assert!(written > 20, "only {written}");
    let largest = "engine = \"ethernet\"\n[run]\nduration = \"1 ms\"\n[link]\nmtu = 9216\n\
        [topology]\nkind = \"star\"\nhosts_per_switch = 3\n[[flows]]\nname = \"f\"\n\
        from = \"H1_1\"\nto = \"H1_2\"\ntransport = \"udp\"\n";
    let largest = format!("{largest}traffic = {{ kind = \"greedy\" }}\npayload = \"9188 B\"\n")
        .replace("[link]\n", "[link]\nrate = \"1 Gbps\"\n");
    let told = read(&largest, Path::new("x/x.toml"), &[]);
    told.unwrap_or_else(|told| panic!("{told}"));
}
