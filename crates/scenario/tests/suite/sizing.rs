//! What a link is said to need, against `check` and against runs: so much holds, less does not.

use backwater_kernel::{Duration, Rate, Rings};
use backwater_net::frames::Simulation;
use backwater_scenario::sizing::{Link, Settings, all};
use backwater_scenario::{Engine, Scenario, Source, parse};

/// Frames of 1,518 bytes.
const FRAME: u64 = 1_518;
/// A frame at 100 Gbps, preamble and gap included, picoseconds.
const FRAME_PS: u64 = 123_040;

fn link(metres: u64, response_ns: u64) -> Link {
    Link {
        rate: Rate(100_000_000_000),
        back: Rate(100_000_000_000),
        nodes: Duration::ZERO,
        delay: Duration(metres * 5_000),
        mtu: 1_500,
        lossless_mtu: 1_500,
        least: None,
        is_tagged: false,
        response: Duration(response_ns * 1_000),
    }
}

fn bytes(scheme: &str, link: &Link) -> (u64, u64) {
    let all = all(link, &Settings::default());
    let own = all.iter().find(|own| own.scheme == scheme).expect("known");
    (
        own.no_loss.expect("has one"),
        own.full_rate.expect("has one"),
    )
}

/// Two switches and the cable between them; the class crosses it one way, large frames of another
/// come the other way. The receiver stops all for 20 us from `stop_ns` on.
fn network(link: &Link, control: &str, buffer: &str, storm: Option<u64>) -> String {
    let metres = link.delay.0 / 5_000;
    let response = link.response.0 / 1_000;
    let storm = storm.map_or(String::new(), |from| {
        let until = from + 20_000_000;
        format!(
            "[[nodes]]\nname = \"to\"\nstorm = {{ from = \"{from} ps\", until = \"{until} ps\", \
             classes = [3], quanta = 40 }}\n"
        )
    });
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"60 us\"\n[network]\nhosts = \
         [\"from\", \"to\"]\n\
         switches = [\"near\", \"far\"]\n[link]\nrate = \"100 Gbps\"\ncable = \"1 m\"\n\
         [host]\nresponse = \"{response} ns\"\n[switch]\nresponse = \"{response} ns\"\n\
         [[links]]\nbetween = [\"from\", \"near\"]\n\
         [[links]]\nbetween = [\"near\", \"far\"]\ncable = \"{metres} m\"\n\
         [[links]]\nbetween = [\"far\", \"to\"]\n{buffer}{control}{storm}\
         [[flows]]\nname = \"there\"\nfrom = \"from\"\nto = \"to\"\nclass = 3\n\
         transport = \"udp\"\npayload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n\
         [[flows]]\nname = \"back\"\nfrom = \"to\"\nto = \"from\"\nclass = 0\n\
         transport = \"udp\"\npayload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n"
    )
}

fn read(text: &str) -> Result<Scenario, String> {
    parse(&Source::new("link.toml", text), &[]).map_err(|mistakes| format!("{mistakes}\n{text}"))
}

/// Frames of the class that came, and frames that were lost.
fn run(text: &str) -> (u64, u64) {
    let scenario = read(text).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let Engine::Ethernet(frames) = &scenario.engine else {
        panic!("frames");
    };
    let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
    run.run();
    let outcome = run.outcome();
    (
        outcome.flows[0].delivered_total,
        outcome.flows[0].lost_total,
    )
}

#[test]
fn check_takes_the_headroom_and_refuses_a_byte_less() {
    for (metres, response) in [(1, 0), (100, 0), (300, 500), (2_000, 1_000)] {
        let link = link(metres, response);
        let (headroom, _) = bytes("pfc", &link);
        let with = |room: u64| {
            let buffer = format!("[buffer]\nper_input = \"{} B\"\n", 10 * FRAME + room);
            let control = format!(
                "[flow_control]\nkind = \"pfc\"\nclasses = [3]\ndetect = \"inputs\"\n\
                 xoff = \"{} B\"\nxon = \"{FRAME} B\"\nquanta = 65535\n",
                10 * FRAME
            );
            read(&network(&link, &control, &buffer, None))
        };
        assert!(with(headroom).is_ok(), "{:?}", with(headroom).err());
        let refused = with(headroom - 1).err().unwrap_or_default();
        assert!(refused.contains("1 B are missing"), "{refused}");
    }
}

#[test]
fn a_resume_at_xon_keeps_the_port_busy_and_a_byte_lower_it_idles() {
    let link = link(100, 200);
    let (headroom, below) = bytes("pfc", &link);
    let xoff = below + 40 * FRAME;
    let came = |xon: u64, phase: u64| {
        let buffer = format!("[buffer]\nper_input = \"{} B\"\n", xoff + headroom);
        let control = format!(
            "[flow_control]\nkind = \"pfc\"\nclasses = [3]\ndetect = \"inputs\"\n\
             xoff = \"{xoff} B\"\nxon = \"{xon} B\"\nquanta = 65535\n"
        );
        let storm = Some(5_000_000 + phase * FRAME_PS / 16);
        run(&network(&link, &control, &buffer, storm))
    };
    let mut is_late = false;
    for phase in 0..16 {
        let full = came(xoff, phase);
        assert_eq!(full.1, 0);
        assert_eq!(came(below, phase), full, "phase {phase}");
        is_late |= came(below - 1, phase).0 < full.0;
    }
    assert!(is_late, "a byte less is enough in every phase");
}

#[test]
fn credit_for_the_loop_fills_the_link_and_for_less_does_not() {
    let link = link(100, 0);
    let (_, buffer) = bytes("n23", &link);
    let came = |frames: u64| {
        let control = format!(
            "[flow_control]\nkind = \"n23\"\nclasses = [3]\nn3 = {}\n",
            frames - 10
        );
        run(&network(&link, &control, "", None))
    };
    let (enough, plenty) = (came(buffer / FRAME), came(buffer / FRAME + 40));
    assert_eq!(enough, plenty);
    assert!(came(buffer / FRAME - 11).0 < enough.0);
}
