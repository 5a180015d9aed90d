//! The fast Ethernet engine starts every frame at the same instant as the slow, obvious one.

mod ethernet_common;

use ethernet_common::difference;
use oracle::ethernet::{Mix, Scheme, random_spec};

/// Compares networks of these seeds; gives the starts compared.
fn agree(seeds: std::ops::Range<u64>, mix: Mix) -> usize {
    let mut total = 0;
    let mut wrong = Vec::new();
    for seed in seeds {
        let spec = random_spec(seed, mix);
        match std::panic::catch_unwind(|| difference(&spec)) {
            Ok(Ok(report)) => total += report.starts.len(),
            Ok(Err(text)) => wrong.push(format!("seed {seed}: {text}")),
            Err(_) => wrong.push(format!("seed {seed}: panic")),
        }
    }
    for text in wrong.iter().take(4) {
        println!("{text}");
    }
    let seeds: Vec<&str> = wrong
        .iter()
        .map(|it| it.split(':').next().unwrap())
        .collect();
    assert!(
        wrong.is_empty(),
        "{mix:?}: {} differ: {seeds:?}",
        wrong.len()
    );
    total
}

fn plain(scheme: Scheme) -> Mix {
    Mix {
        has_inputs: false,
        has_shared: false,
        has_faults: false,
        has_quanta: false,
        has_tcp: false,
        ..Mix::of(scheme)
    }
}

#[test]
fn off() {
    println!("{}", agree(0..60, plain(Scheme::Off)));
}
#[test]
fn port() {
    println!("{}", agree(0..60, plain(Scheme::Port)));
}
#[test]
fn class() {
    println!("{}", agree(0..60, plain(Scheme::Class)));
}
#[test]
fn destination() {
    println!("{}", agree(0..60, plain(Scheme::Destination)));
}
#[test]
fn drawn() {
    println!("{}", agree(0..60, plain(Scheme::Drawn)));
}
#[test]
#[ignore]
fn one() {
    let seed: u64 = std::env::var("SEED").unwrap().parse().unwrap();
    let scheme = match std::env::var("SCHEME").unwrap().as_str() {
        "off" => Scheme::Off,
        "port" => Scheme::Port,
        "class" => Scheme::Class,
        "dest" => Scheme::Destination,
        _ => Scheme::Drawn,
    };
    let mix = plain(scheme);
    let spec = random_spec(seed, mix);
    println!("{spec:#?}");
    println!("{:?}", difference(&spec).map(|_| ()));
}
