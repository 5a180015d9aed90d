//! Credit that ports count in cells, against closed forms: the least limit for the full rate, how
//! far InfiniBand's counters reach, grains, leaks and how they are mended; and what is refused.

use backwater_kernel::Rings;
use backwater_net::frames::Simulation;
use backwater_net::outcome::{CreditOutcome, Outcome};
use backwater_scenario::{Engine, Scenario, Source, parse};

/// A link from a host into a switch that frees what comes in next to no time.
struct Link {
    gbps: u64,
    delay: &'static str,
    payload: u32,
    control: String,
    /// More lines of the link, and how long the run is.
    more: &'static str,
    span: &'static str,
}

fn link(kind: &str, limit: u32) -> Link {
    Link {
        gbps: 100,
        delay: "2 us",
        payload: 1_472,
        control: format!("kind = \"{kind}\"\nlimit = {limit}\n"),
        more: "",
        span: "2 ms",
    }
}

impl Link {
    fn text(&self) -> String {
        format!(
            "engine = \"ethernet\"\n[run]\nduration = \"{}\"\nwarm_up = \"500 us\"\n\
             [network]\nhosts = [\"S\", \"D\"]\nswitches = [\"A\"]\n\
             [link]\nrate = \"{} Gbps\"\ndelay = \"{}\"\n\
             [[links]]\nbetween = [\"S\", \"A\"]\n{}\n\
             [[links]]\nbetween = [\"A\", \"D\"]\nrate = \"100 Tbps\"\ndelay = \"0 ns\"\n\
             [switch]\nlatency = \"0 ns\"\n\
             [flow_control]\n{}\n\
             [[flows]]\nname = \"f\"\nfrom = \"S\"\nto = \"D\"\ntransport = \"udp\"\n\
             payload = \"{} B\"\ntraffic = {{ kind = \"greedy\" }}\n",
            self.span, self.gbps, self.delay, self.more, self.control, self.payload
        )
    }

    fn read(&self) -> Result<Scenario, String> {
        let text = self.text();
        parse(&Source::new("link.toml", &text), &[])
            .map_err(|mistakes| format!("{mistakes}\n{text}"))
    }

    fn run(&self) -> Outcome {
        let scenario = self.read().unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let Engine::Ethernet(frames) = &scenario.engine else {
            panic!("frames");
        };
        let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
        run.run();
        let outcome = run.outcome();
        assert_eq!(outcome.violations.total(), 0);
        outcome
    }

    /// The share of the link that data took.
    fn share(&self) -> f64 {
        self.run().channels[0].data_share
    }
}

fn credit_of(outcome: &Outcome) -> CreditOutcome {
    let queue = &outcome.channels[0].by_class.queues[0];
    *queue.credit.clone().expect("it has credit")
}

/// Smallest limit, in frames of this cost, with 99.95 % of the link.
fn least(cost: u32, with: impl Fn(u32) -> Link) -> u32 {
    let (mut low, mut high) = (1, 128 * 1_024 / cost);
    while low < high {
        let middle = low.midpoint(high);
        match with(middle * cost).share() >= 0.9995 {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    low * cost
}

/// cost x ceil((2p + f + w) / f), or one frame less: w is the spacing where it exceeds a frame.
#[test]
fn the_least_limit_is_the_loop() {
    let cases = [
        (1_472, 24, 100, "2 us", [888, 912]),
        (18, 1, 100, "2 us", [671, 673]),
        (4_050, 64, 100, "2 us", [896, 960]),
        (1_472, 24, 800, "500 ns", [1_680, 1_704]),
    ];
    for (payload, cost, gbps, delay, [low, high]) in cases {
        let with = |limit| Link {
            gbps,
            delay,
            payload,
            ..link("cbfc", limit)
        };
        let found = least(cost, with);
        assert!((low..=high).contains(&found), "{payload} B: {found}");
    }
}

/// Below it, k frames a loop.
#[test]
fn less_credit_is_so_many_frames_a_loop() {
    for frames in [1, 5, 20] {
        let share = link("cbfc", 24 * frames).share();
        let (frame, loop_least) = (123.04, 2.0 * 2_000.0 + 123.04);
        let most = f64::from(frames) * frame / loop_least;
        let with_spacing = f64::from(frames) * frame / (loop_least + 512.0 + 1.0);
        assert!(
            (with_spacing - 0.001..=most).contains(&share),
            "{frames}: {share}, {most}"
        );
    }
}

/// 2,048 blocks are about a kilometre at 100 Gbps, whatever the buffer; beyond, they are what there
/// is of each loop.
#[test]
fn infiniband_reaches_a_kilometre() {
    let with = |metres: u64| {
        let mut own = link("infiniband", 2_048);
        own.delay = Box::leak(format!("{} ns", 5 * metres).into_boxed_str());
        own.span = "4 ms";
        own.share()
    };
    let reach = (1..)
        .map(|step| 10 * step)
        .find(|metres| with(*metres) < 0.99)
        .expect("some");
    assert!((930..=1_060).contains(&(reach - 10)), "{reach}");
    let gbps = 100.0 * with(10_000);
    assert!((10.0..=10.6).contains(&gbps), "{gbps} Gbps at 10 km");
    let refused = link("infiniband", 2_049).read().expect_err("refused");
    assert!(
        refused.contains("half of what 12 bits count: 2048"),
        "{refused}"
    );
}

/// cost x loop + g - gcd(cost, g) for the full rate; up to g + cost - gcd - 1 never goes on.
#[test]
fn grains_take_their_rest() {
    let with = |limit| Link {
        control: format!(
            "kind = \"grains\"\nlimit = {limit}\ngrain = 16\nupdate_bytes = \"8 B\"\n\
             headroom = \"unchecked\"\n"
        ),
        ..link("grains", limit)
    };
    // A loop of 34 frames: 2 x 2 us and one frame.
    let full = 24 * 34 + 16 - 8;
    assert!(with(full + 24).share() > 0.9995);
    assert!(with(full - 24).share() < 0.9995);
    let stops = credit_of(&with(31).run());
    assert_eq!(
        (stops.consumed, stops.most_used),
        (24, 24),
        "one frame and never another"
    );
    assert!(credit_of(&with(32).run()).consumed > 24 * 100);
    let checked = Link {
        control: "kind = \"grains\"\nlimit = 31\ngrain = 16\n".into(),
        ..link("grains", 31)
    };
    let refused = checked.read().expect_err("refused");
    assert!(refused.contains("write `limit = 32` or more"), "{refused}");
}

/// Lost frames cost credit until the next CC_Update and no longer; without them the class stops.
#[test]
fn a_leak_lasts_until_it_is_stated() {
    let with = |timer: &str| {
        Link {
            control: format!(
                "kind = \"cbfc\"\nlimit = 1100\ncc_timer = {timer}\nheadroom = \"unchecked\"\n"
            ),
            more: "forward = { data_loss = 0.001 }",
            span: "40 ms",
            ..link("cbfc", 1_100)
        }
        .run()
    };
    let mended = with("\"256 us\"");
    assert!(
        mended.channels[0].data_share > 0.97,
        "{}",
        mended.channels[0].data_share
    );
    let (credit, lost) = (credit_of(&mended), mended.flows[0].lost_total);
    // What was lost since the last statement is not yet known.
    assert!(
        credit.lost >= 24 * (lost - 20) && credit.lost <= 24 * lost,
        "{credit:?} {lost}"
    );
    let leaking = with("\"never\"");
    assert!(leaking.channels[0].data_share < 0.5);
    assert_eq!(credit_of(&leaking).lost, 0);
    let drops = &leaking.channels[0].by_class.queues[0].drops;
    assert_eq!(
        drops.total(),
        leaking.flows[0].lost_total,
        "all on the wire, none in the buffer"
    );
}

#[test]
fn what_counters_can_not_tell_apart_is_refused() {
    let with = |control: &str| {
        let control = format!("kind = \"cbfc\"\n{control}");
        Link {
            control,
            ..link("cbfc", 0)
        }
        .read()
    };
    let refused = with("cf_max_spacing = \"1 MB\"\ncell = \"32 B\"\n");
    let refused = refused.err().unwrap_or_default();
    assert!(
        refused.contains("write `cf_max_spacing = \"976 KiB\"` or `\"992 KiB\"`"),
        "{refused}"
    );
    assert!(with("cf_max_spacing = \"1008 KiB\"\ncell = \"32 B\"\n").is_ok());
    let refused = with("cf_max_spacing = \"1 MiB\"\ncell = \"32 B\"\n").err();
    let refused = refused.expect("2^15 cells");
    assert!(
        refused.contains("write `cf_max_spacing = \"1008 KiB\"`"),
        "{refused}"
    );
    for (control, word) in [
        ("limit = 23\n", "write `limit = 24` or more"),
        (
            "limit = 40\nport_limit = 50\n",
            "a limit is one of each class, or of the port",
        ),
        ("reserve = 4\n", "without `port_limit`"),
        (
            "port_limit = 50\nreserve = 60\n",
            "classes reserve more than the port has",
        ),
    ] {
        let refused = with(control).err().unwrap_or_default();
        assert!(refused.contains(word), "{control}: {refused}");
    }
    assert!(with("limit = 24\n").is_ok());
    // Where an update may be lost, half as much; on whichever link that is.
    let lossy = Link {
        control: "kind = \"cbfc\"\ncf_max_spacing = \"1048576 B\"\nheadroom = \"unchecked\"\n"
            .into(),
        ..link("cbfc", 0)
    };
    assert!(lossy.read().is_ok(), "16,384 cells");
    let more =
        "[[links]]\nbetween = [\"S\", \"B\"]\nbackward = { control_loss = 0.01 }\n\n[[links]]";
    let text = lossy.text().replacen("[[links]]", more, 1);
    let text = text.replace("switches = [\"A\"]", "switches = [\"B\", \"A\"]");
    let refused = parse(&Source::new("link.toml", &text), &[]).expect_err("twice 16,384");
    assert!(
        refused.to_string().contains("one of them may be lost here"),
        "{refused}"
    );
}

/// Whatever the flow control, a host that takes a part gets that part, and only without control is
/// anything lost. Shares and rates say the same.
#[test]
fn a_slow_host_is_followed_under_every_scheme() {
    let file = include_str!("../../../../../scenarios/ethernet/slow-host.toml");
    let run = |sets: &[&str]| {
        let sets = sets
            .iter()
            .map(|set| backwater_scenario::Set::new(set).expect("a set"));
        let scenario = parse(&Source::new("slow.toml", file), &sets.collect::<Vec<_>>());
        let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
        let Engine::Ethernet(frames) = &scenario.engine else {
            panic!("frames");
        };
        let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
        run.run();
        run.outcome()
    };
    let whole = run(&[]).flows[0].delivered_total;
    for kind in [
        "none",
        "pfc",
        "pause",
        "n23",
        "cbfc",
        "infiniband",
        "grains",
    ] {
        let kind_set = format!("flow_control.kind={kind}");
        let found = run(&[&kind_set, "buffer.per_queue=400 kB"]);
        let flow = &found.flows[0];
        // 4 ms of which one is at half the rate and one at none.
        assert!(
            flow.delivered_total.abs_diff(whole) < 400,
            "{kind}: {}",
            flow.delivered_total
        );
        assert_eq!(flow.lost_total > 0, kind == "none", "{kind}");
        assert_eq!(found.violations.total(), 0, "{kind}");
    }
    let in_rates = "nodes.D.drain=[{ from = \"1 ms\", rate = \"50 Gbps\" }, \
                    { from = \"2 ms\", rate = \"0 bps\" }, { from = \"3 ms\", rate = \"1 Tbps\" }]";
    assert_eq!(run(&[in_rates]).trace_hash, run(&[]).trace_hash);
    let at_once = "nodes.D.drain=[{ from = \"0 s\", rate = \"0 %\" }]";
    assert_eq!(run(&[at_once]).flows[0].delivered_total, 0);
}

/// Frames that each of 32 virtual channels brought over one link, in turns. The host behind the
/// last two takes a hundredth of the others' rate.
fn of_virtual_channels(kind: &str) -> Result<Vec<u64>, String> {
    let mut text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"2 ms\"\n\
         [network]\nhosts = [\"S\", \"D\", \"slow\"]\nswitches = [\"A\"]\n\
         [link]\nrate = \"100 Gbps\"\ndelay = \"1 us\"\n\
         [[links]]\nbetween = [\"S\", \"A\"]\n\
         [[links]]\nbetween = [\"A\", \"D\"]\n\
         [[links]]\nbetween = [\"A\", \"slow\"]\nrate = \"1 Gbps\"\n\
         [scheduler]\nkind = \"drr\"\n[flow_control]\n{kind}\n"
    );
    for class in 0..32 {
        let to = if class < 30 { "D" } else { "slow" };
        text += &format!(
            "[[flows]]\nname = \"f{class}\"\nfrom = \"S\"\nto = \"{to}\"\n\
             class = {class}\ntransport = \"udp\"\npayload = \"1472 B\"\n\
             traffic = {{ kind = \"greedy\" }}\n"
        );
    }
    let scenario = parse(&Source::new("channels.toml", &text), &[]);
    let scenario = scenario.map_err(|mistakes| mistakes.to_string())?;
    let Engine::Ethernet(frames) = &scenario.engine else {
        panic!("frames");
    };
    let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
    run.run();
    let outcome = run.outcome();
    assert_eq!(outcome.violations.total(), 0);
    Ok(outcome
        .flows
        .iter()
        .map(|flow| flow.delivered_total)
        .collect())
}

/// Thirty channels share what the link carries, to a frame or two, and the two that wait for a
/// slow host hold none of them back. Without credit the slow ones take their thirty-second parts.
#[test]
fn each_of_32_virtual_channels_waits_for_itself_alone() {
    let found = of_virtual_channels("kind = \"cbfc\"").expect("a sound scenario");
    let (others, slow) = found.split_at(30);
    let (least, most) = (others.iter().min(), others.iter().max());
    assert!(
        most.zip(least)
            .is_some_and(|(most, least)| most - least <= 2),
        "{found:?}"
    );
    // 2 ms at 100 Gbps are 16,255 frames of 1,538 B; the slow host takes 162 of its own.
    let all: u64 = others.iter().sum();
    assert!((15_900..=16_255).contains(&all), "{all}");
    assert!(slow.iter().sum::<u64>() <= 162, "{slow:?}");
    let found = of_virtual_channels("kind = \"none\"").expect("a sound scenario");
    let all: u64 = found[..30].iter().sum();
    assert!(all < 15_400, "{all}");
}

/// A PFC frame names eight classes, InfiniBand has credit for fifteen.
#[test]
fn classes_beyond_what_messages_name_are_refused() {
    for kind in ["pfc", "infiniband", "destination"] {
        let refused = of_virtual_channels(&format!("kind = \"{kind}\"")).expect_err(kind);
        assert!(
            refused.contains("can't be under this flow control"),
            "{refused}"
        );
        assert!(refused.contains("name some classes"), "{refused}");
    }
    of_virtual_channels("kind = \"pfc\"\nclasses = [0, 7]").expect("eight can be named");
    of_virtual_channels("kind = \"infiniband\"\nclasses = [14]").expect("VL 14 has credit");
    let refused = of_virtual_channels("kind = \"infiniband\"\nclasses = [15]");
    assert!(refused.is_err_and(|why| why.contains("VL 15")));
}
