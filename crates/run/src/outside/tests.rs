//! What is written outside does as what it stands for.

use std::sync::{Arc, Mutex};

use backwater_ends::control::{Ack, Control, Item, Next};
use backwater_ends::outside::{Emission, Source};
use backwater_kernel::{Duration, Time};
use backwater_scenario::Source as Text;

use super::*;
use crate::{complete, engine};

const CIRCUITS: &str = r#"
[run]
duration = "8000 cells"
[link]
rate = "622 Mbps"
delay = "20 cells"
[network]
hosts = ["A", "B", "C"]
switches = ["S"]

[[links]]
between = ["A", "S"]

[[links]]
between = ["C", "S"]

[[links]]
between = ["S", "B"]
[[flows]]
name = "bulk"
from = "A"
to = "B"
traffic = { kind = "greedy" }
source_control = { kind = "window", cells = 30 }
partner = "acks"
[[flows]]
name = "beat"
from = "C"
to = "B"
traffic = { kind = "constant", interval = "2 us" }
[[flows]]
name = "acks"
from = "B"
to = "A"
traffic = { kind = "silent" }
"#;

const FRAMES: &str = r#"
engine = "ethernet"
[run]
duration = "5 ms"
[topology]
kind = "star"
hosts_per_switch = 3
[link]
rate = "1 Gbps"
[flow_control]
kind = "none"
[[flows]]
name = "tcp"
from = "H1_1"
to = "H1_2"
traffic = { kind = "greedy" }
[[flows]]
name = "udp"
from = "H1_3"
to = "H1_2"
transport = "udp"
payload = "1000 B"
traffic = { kind = "constant", rate = "500 Mbps" }
"#;

fn read(text: &str) -> Scenario {
    backwater_scenario::parse(&Text::new("test.toml", text), &[]).expect("sound")
}

fn hash(scenario: &Scenario) -> u64 {
    let engine = engine(scenario);
    let mut run = engine.plain().expect("it runs");
    assert!(complete(&mut *run));
    run.found().head().trace_hash
}

/// So many units in flight.
struct Held {
    most: u64,
    sent: u64,
    expected: u64,
}

impl Control for Held {
    fn next(&mut self, _now: Time, has_data: bool) -> Next {
        match has_data && self.sent - self.expected < self.most {
            true => Next::Now(Item::Data),
            false => Next::Wait,
        }
    }

    fn on_sent(&mut self, _now: Time, _is_last: bool) {
        self.sent += 1;
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack) {
        self.expected = ack.expected;
    }
}

fn held(most: u64) -> ControlRecipe {
    ControlRecipe::new(move || {
        Box::new(Held {
            most,
            sent: 0,
            expected: 0,
        })
    })
}

/// As much at even gaps.
struct Even {
    amount: u64,
    gap: Duration,
}

impl Source for Even {
    fn start(&mut self) -> Option<Time> {
        Some(Time::ZERO)
    }

    fn on_timer(&mut self, now: Time) -> Emission {
        Emission {
            units: self.amount,
            next: Some(now + self.gap),
        }
    }
}

fn even(amount: u64, gap_us: u64) -> SourceRecipe {
    let gap = Duration(gap_us * 1_000_000);
    SourceRecipe::new(move || Box::new(Even { amount, gap }))
}

#[test]
fn a_window_outside_is_the_window() {
    let own = read(CIRCUITS);
    for (most, is_same) in [(30, true), (31, false)] {
        let mut other = read(CIRCUITS);
        put_control(&mut other, "bulk", held(most)).expect("it has a window");
        assert_eq!(hash(&own) == hash(&other), is_same, "{most}");
    }
}

#[test]
fn even_gaps_outside_are_a_constant_rate() {
    for (text, flow, amount, gap_us) in [(CIRCUITS, "beat", 1, 2), (FRAMES, "udp", 1_000, 16)] {
        let own = hash(&read(text));
        for (more_us, is_same) in [(0, true), (1, false)] {
            let mut other = read(text);
            let recipe = even(amount, gap_us + more_us);
            put_source(&mut other, flow, recipe).expect("its own traffic");
            assert_eq!(own == hash(&other), is_same, "{flow} {more_us}");
        }
    }
}

/// Without end at a rate, datagrams go as they do at that rate of payload: 1,000 bytes of 1,066 on
/// the wire each 16 us.
#[test]
fn datagrams_go_at_the_rate_of_their_control() {
    struct Paced(Rate);
    impl Control for Paced {
        fn pacing(&self) -> Option<Rate> {
            Some(self.0)
        }
    }
    let own = hash(&read(FRAMES));
    let greedy = FRAMES.replace("\"constant\", rate = \"500 Mbps\"", "\"greedy\"");
    for (rate, is_same) in [(533_000_000, true), (532_000_000, false)] {
        let mut other = read(&greedy);
        let recipe = ControlRecipe::new(move || Box::new(Paced(Rate(rate))));
        put_control(&mut other, "udp", recipe).expect("it has no end");
        assert_eq!(own == hash(&other), is_same, "{rate}");
    }
}

/// Control over TCP has a timer, at each end.
#[test]
fn a_timer_over_tcp_comes_when_it_was_wanted() {
    struct Ticking(Arc<Mutex<Vec<u64>>>, Option<Time>);
    impl Control for Ticking {
        fn window(&self) -> u64 {
            20_000
        }
        fn timer(&self) -> Option<Time> {
            self.1
        }
        fn on_timer(&mut self, now: Time) -> u32 {
            self.0.lock().expect("alone").push(now.ps() / 1_000_000);
            self.1 = Some(now + Duration(7_000_000)).filter(|at| *at < Time(20_000_000));
            0
        }
    }
    let seen = Arc::new(Mutex::new(Vec::new()));
    let own = seen.clone();
    let mut scenario = read(FRAMES);
    let recipe = ControlRecipe::new(move || Box::new(Ticking(own.clone(), Some(Time(3_000_000)))));
    put_control(&mut scenario, "tcp", recipe).expect("TCP");
    hash(&scenario);
    assert_eq!(*seen.lock().expect("alone"), [3, 3, 10, 10, 17, 17]);
}

/// TCP asks control before each segment, and hands it what was acknowledged.
#[test]
fn a_connection_asks_control_outside() {
    struct Counting(Arc<Mutex<(u64, u64)>>);
    impl Control for Counting {
        fn window(&self) -> u64 {
            20_000
        }
        fn on_sent(&mut self, _now: Time, _is_last: bool) {
            self.0.lock().expect("alone").0 += 1;
        }
        fn on_ack(&mut self, _now: Time, ack: &Ack) {
            self.0.lock().expect("alone").1 += ack.news_bytes;
        }
    }
    let seen = Arc::new(Mutex::new((0, 0)));
    let own = seen.clone();
    let mut scenario = read(FRAMES);
    let recipe = ControlRecipe::new(move || Box::new(Counting(own.clone())));
    put_control(&mut scenario, "tcp", recipe).expect("TCP");
    let place = &places(&scenario)[0];
    assert!(place.in_bytes && place.is_acknowledged);
    hash(&scenario);
    let (segments, bytes) = *seen.lock().expect("alone");
    assert!(bytes > 100_000, "{bytes}");
    let sent = segments * u64::from(place.unit_bytes);
    assert!(sent >= bytes && sent <= bytes + 20_000, "{sent} {bytes}");
}

#[test]
fn what_a_source_hands_over_in_bytes_is_delivered() {
    let mut scenario = read(FRAMES);
    put_source(&mut scenario, "tcp", even(2_500, 1_000)).expect("any traffic of frames");
    let engine = engine(&scenario);
    let mut run = engine.plain().expect("it runs");
    assert!(complete(&mut *run));
    let tables = run.found().flow_tables("tcp").expect("it is there");
    let shown = format!("{:?}", tables[0]);
    // 2,500 bytes from 0 to 5 ms on, the last of them on their way.
    let found = ["value: 20.0,", "Int(15000)"].map(|cell| shown.contains(cell));
    assert_eq!(found, [true; 2], "{shown}");
}

#[test]
fn what_can_not_be_replaced_says_why() {
    let (mut circuits, mut frames) = (read(CIRCUITS), read(FRAMES));
    let refused = |scenario: &mut Scenario, flow, is_source| {
        let done = match is_source {
            true => put_source(scenario, flow, even(1, 1)),
            false => put_control(scenario, flow, held(1)),
        };
        done.expect_err("it can't")
    };
    assert_eq!(
        refused(&mut circuits, "bluk", false),
        "there is no flow `bluk`"
    );
    assert!(refused(&mut circuits, "acks", true).contains("conversation"));
    assert!(refused(&mut frames, "udp", false).contains("says itself when datagrams go"));
    let aimd = CIRCUITS.replace(
        "{ kind = \"window\", cells = 30 }",
        "{ kind = \"aimd\", timeout = \"1 ms\", maximum = 9 }",
    );
    let mut aimd = read(&aimd);
    assert!(refused(&mut aimd, "bulk", false).contains("`window`"));
}

#[test]
fn it_runs_on_one_thread() {
    let mut scenario = read(FRAMES);
    put_control(&mut scenario, "tcp", held(9)).expect("TCP");
    let Engine::Ethernet(ethernet) = &scenario.engine else {
        panic!("frames")
    };
    let why = backwater_net::parts::obstacle(&ethernet.network);
    assert!(why.is_some_and(|why| why.contains("outside")), "{why:?}");
}
