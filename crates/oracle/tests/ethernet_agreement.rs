//! The fast Ethernet engine starts every frame at the same instant as the slow, obvious one.

mod ethernet_common;

use ethernet_common::difference;
use oracle::ethernet::{Mix, SCHEMES, Scheme, random_spec};

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
    println!("XX {mix:?} {} {seeds:?}", wrong.len());
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

fn under(change: impl Fn(&mut Mix), count: u64) -> usize {
    let mut total = 0;
    for (index, scheme) in SCHEMES.into_iter().enumerate() {
        let mut mix = plain(scheme);
        change(&mut mix);
        let first = 1_000 * index as u64;
        total += agree(first..first + count, mix);
    }
    total
}

#[test]
fn datagrams() {
    println!("{}", under(|_| {}, 60));
}
#[test]
fn tcp() {
    println!("{}", under(|mix| mix.has_tcp = true, 60));
}
#[test]
fn inputs() {
    println!("{}", under(|mix| mix.has_inputs = true, 60));
}
#[test]
fn shared() {
    println!("{}", under(|mix| mix.has_shared = true, 60));
}
#[test]
fn quanta() {
    println!("{}", under(|mix| mix.has_quanta = true, 60));
}
#[test]
fn faults() {
    println!("{}", under(|mix| mix.has_faults = true, 60));
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
    let mut mix = plain(scheme);
    let more = std::env::var("MORE").unwrap_or_default();
    mix.has_tcp = more.contains("tcp");
    mix.has_inputs = more.contains("inputs");
    mix.has_shared = more.contains("shared");
    mix.has_quanta = more.contains("quanta");
    mix.has_faults = more.contains("faults");
    let spec = random_spec(seed, mix);
    println!("{spec:#?}");
    if let Err(text) = difference(&spec).map(|_| ()) {
        println!("{text}");
    }
    let (log, _) = ethernet_common::fast(&spec);
    for start in &log.starts {
        if start.control.is_some() {
            println!("FAST {start:?}");
        }
    }
    let report = ethernet_common::slow(&spec);
    for start in &report.starts {
        if start.control.is_some() {
            println!("SLOW {start:?}");
        }
    }
}
