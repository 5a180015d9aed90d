//! Runs that leap over what repeats itself are like those that do not.

use std::fmt::Write;

use backwater_kernel::stream::{Purpose, Stream};
use backwater_net::frames::spec::{MessagesSpec, TrafficSpec, written_out};
use backwater_net::outcome::Outcome;
use backwater_scenario::{EthernetScenario, Source};

use super::*;
use crate::complete;
use crate::events::EventRun;

fn parsed(text: &str) -> Option<EthernetScenario> {
    let scenario = backwater_scenario::parse(&Source::new("job.toml", text), &[]);
    scenario.ok()?.ethernet().cloned()
}

fn tables(found: &FoundEvents<'_, EthernetScenario>) -> String {
    format!("{:?}", found.run.tables())
}

/// What is the same however it is run: everything but the number of events handled.
fn told(outcome: &Outcome) -> String {
    let outcome = Outcome {
        events: 0,
        ..outcome.clone()
    };
    format!("{outcome:?}")
}

/// With all rounds of all lists written out, so that nothing of it is leapt over or known to be
/// like anything else, in the run or in its results.
fn at_length(scenario: &EthernetScenario) -> EthernetScenario {
    let mut scenario = scenario.clone();
    let none = MessagesSpec::default();
    let flows = scenario.network.flows.iter();
    let lists = flows.map(|flow| flow.traffic.messages().unwrap_or(&none));
    let lists = written_out(&lists.collect::<Vec<_>>());
    for (flow, list) in scenario.network.flows.iter_mut().zip(lists) {
        if flow.traffic.messages().is_some() {
            flow.traffic = TrafficSpec::Messages(list);
        }
    }
    scenario
}

/// Three ways: at length, as it is, and with leaps; the periods leapt over and what stood in the
/// way, and lengths of the last two in events.
fn both(text: &str) -> (u64, Option<&'static str>, [u64; 2]) {
    let scenario = parsed(text).expect("sound");
    let long = at_length(&scenario);
    let mut long = EventRun::plain(&long).expect("it runs");
    assert!(complete(&mut long), "{text}");
    let long = long.so_far();
    let mut plain = EventRun::plain(&scenario).expect("it runs");
    assert!(complete(&mut plain), "{text}");
    let plain = plain.so_far();
    let ahead = Ahead::new(&scenario.network).expect("nothing is in its way");
    let mut ahead = EventRun::on(&scenario, ahead);
    assert!(complete(&mut ahead), "{text}");
    let found = ahead.so_far();
    let (one, other) = (&plain.run.outcome, &found.run.outcome);
    assert_eq!(one.trace_hash, other.trace_hash, "{text}");
    assert_eq!(told(one), told(other), "{text}");
    assert_eq!(told(one), told(&long.run.outcome), "{text}");
    assert_eq!(tables(&plain), tables(&found), "{text}");
    assert_eq!(tables(&plain), tables(&long), "{text}");
    let forward = &ahead.machine().forward;
    let periods = forward.leapt().iter().map(|own| own.times).sum();
    (periods, forward.obstacle(), [one.events, other.events])
}

const KINDS: [&str; 7] = [
    "ring-all-reduce",
    "halving-doubling-all-reduce",
    "tree-all-reduce",
    "pairwise-all-to-all",
    "ring-all-gather",
    "tree-broadcast",
    "pipeline",
];

/// A job of some ranks behind one or two leaves, with phases that are drawn.
fn job(seed: u64) -> String {
    let mut draw = Stream::new(seed, 0, Purpose::Pattern);
    let mut text = String::from("engine = \"ethernet\"\n[run]\nduration = \"40 ms\"\n");
    let hosts = 2 + draw.below(5);
    match draw.below(2) {
        0 => {
            let _ = write!(
                text,
                "[topology]\nkind = \"star\"\nhosts_per_switch = {hosts}\n"
            );
        }
        _ => {
            let _ = write!(
                text,
                "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\n\
                 hosts_per_switch = {hosts}\n"
            );
        }
    }
    let rate = [10, 25, 100][draw.below(3) as usize];
    let _ = write!(
        text,
        "[link]\nrate = \"{rate} Gbps\"\ndelay = \"{} ns\"\n",
        100 + draw.below(900)
    );
    text += "[buffer]\nper_queue = \"1 MB\"\n";
    if draw.below(2) == 0 {
        text +=
            "[flow_control]\nkind = \"pfc\"\nclasses = [0]\nxoff = \"60 kB\"\nxon = \"40 kB\"\n";
    }
    let iterations = 8 + draw.below(40);
    let _ = write!(
        text,
        "[[jobs]]\nname = \"train\"\niterations = {iterations}\ntransport = \"roce\"\nphases = ["
    );
    for _ in 0..1 + draw.below(2) {
        let kind = KINDS[draw.below(KINDS.len() as u64) as usize];
        let overlap = match kind {
            "pipeline" => "",
            _ => [", overlap = \"30 %\"", ""][draw.below(2) as usize],
        };
        let _ = write!(
            text,
            "{{ compute = \"{} us\", kind = \"{kind}\", size = \"{} kB\"{overlap} }}, ",
            1 + draw.below(30),
            4 + draw.below(40)
        );
    }
    text + "]\n"
}

/// Tables, hashes and all counts are those of the whole run, and most jobs leap over most of
/// themselves.
#[test]
fn random_jobs_are_the_same_with_leaps() {
    let (mut leapt, mut short) = (0, 0);
    for seed in 0..200 {
        let text = job(seed);
        if parsed(&text).is_none() {
            continue;
        }
        let (periods, _, [whole, gone_through]) = both(&text);
        leapt += u64::from(periods > 0);
        short += u64::from(gone_through * 2 < whole);
    }
    assert!(leapt > 20 && short > 10, "{leapt} leapt, {short} by half");
}

/// A job of which nothing repeats itself never leaps: with traffic at random, and with frames that
/// are lost at random.
#[test]
fn what_is_drawn_at_random_never_leaps() {
    let random = "[[flows]]\nname = \"noise\"\nfrom = \"H1_1\"\nto = \"H1_2\"\n\
                  transport = \"udp\"\ntraffic = { kind = \"poisson\", rate = \"1 Gbps\" }\n";
    let mut control = 0;
    for seed in 0..12 {
        let text = job(seed);
        control += both(&text).0;
        assert_eq!(both(&(text.clone() + random)).0, 0, "{text}");
    }
    assert!(control > 0, "without it they leap");
}

/// Traffic that goes on and on becomes periodic.
#[test]
fn even_traffic_leaps() {
    for traffic in [
        "{ kind = \"constant\", rate = \"3 Gbps\" }",
        "{ kind = \"greedy\" }",
    ] {
        let text = format!(
            "engine = \"ethernet\"\n[run]\nduration = \"3 ms\"\n[topology]\nkind = \"star\"\n\
             hosts_per_switch = 3\n[link]\nrate = \"10 Gbps\"\n[buffer]\nper_queue = \"60 kB\"\n\
             [[flows]]\nname = \"a\"\nfrom = \"H1_1\"\nto = \"H1_3\"\ntransport = \"udp\"\n\
             traffic = {traffic}\n"
        );
        let (periods, why, [whole, gone_through]) = both(&text);
        assert!(
            periods > 0 && gone_through * 2 < whole,
            "{traffic}: {why:?}"
        );
    }
}

/// What is told of a run that is not over, of iterations that nobody has reached too.
#[test]
fn a_part_of_a_run_is_told_of_alike() {
    let mut open = 0;
    for seed in 0..12 {
        let mut scenario = parsed(&job(seed)).expect("sound");
        scenario.network.stop_at = Time(300_000_000);
        let long = at_length(&scenario);
        let told = [&scenario, &long].map(|own| {
            let mut run = EventRun::plain(own).expect("it runs");
            assert!(complete(&mut run));
            let found = run.so_far();
            let flows = found.run.outcome.flows.iter();
            open += flows.map(|flow| flow.ends.not_begun()).sum::<u64>();
            tables(&found)
        });
        assert_eq!(told[0], told[1], "seed {seed}");
    }
    assert!(open > 1_000, "most of it is still to come: {open}");
}

/// What is gone through of many iterations is no more than of a few, and nothing that is kept of
/// them grows with the number of their messages: a ring of 32 ranks does 1,000
/// and 200,000.
#[test]
fn many_iterations_cost_what_a_few_do() {
    let ring = |iterations: u32| {
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"10000 s\"\n[topology]\nkind = \"star\"\n\
             hosts_per_switch = 32\n[link]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n\
             [buffer]\nper_queue = \"1 MB\"\n[[jobs]]\nname = \"train\"\n\
             iterations = {iterations}\ntransport = \"roce\"\n\
             phases = [{{ compute = \"100 us\", kind = \"ring-all-reduce\", size = \"32 kB\" }}]\n"
        )
    };
    let ended = |iterations: u32| {
        let scenario = parsed(&ring(iterations)).expect("sound");
        let ahead = Ahead::new(&scenario.network).expect("nothing is in its way");
        let mut ahead = EventRun::on(&scenario, ahead);
        assert!(complete(&mut ahead));
        let found = ahead.so_far();
        let outcome = &found.run.outcome;
        let flows = outcome.flows.iter();
        let begun = flows.map(|flow| flow.ends.messages.as_ref().map_or(0, |own| own.begun.len()));
        let offered = outcome
            .flows
            .iter()
            .map(|flow| flow.ends.offered_bytes_total);
        (begun.sum::<u64>(), offered.sum::<u64>(), outcome.events)
    };
    let [few, many, most] = [5, 1_000, 200_000].map(|iterations| {
        let (messages, bytes, events) = ended(iterations);
        assert_eq!(messages, 32 * 62 * u64::from(iterations));
        assert_eq!(bytes, messages * 1_000);
        events
    });
    assert!(many <= few && most <= few, "{few} {many} {most}");
}
