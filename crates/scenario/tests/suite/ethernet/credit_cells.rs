//! Cells of unlike size at the two ends of a link: both ends of a channel count in the receiver's.

use backwater_kernel::{Channels, Rings};
use backwater_net::frames::Simulation;
use backwater_net::outcome::Outcome;
use backwater_scenario::{Engine, EthernetScenario, Source, parse};

/// Two switches 1 km apart with a host each, which send to each other without end.
fn pair(control: &str, more: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"2 ms\"\nwarm_up = \"500 us\"\n\
         [network]\nhosts = [\"H\", \"I\"]\nswitches = [\"A\", \"B\"]\n\
         [link]\nrate = \"100 Gbps\"\n\
         [[links]]\nbetween = [\"A\", \"B\"]\ncable = \"1 km\"\n{more}\n\
         [[links]]\nbetween = [\"H\", \"A\"]\nflow_control = {{ kind = \"pfc\" }}\n\
         [[links]]\nbetween = [\"B\", \"I\"]\nflow_control = {{ kind = \"pfc\" }}\n\
         [flow_control]\n{control}\n\
         [[flows]]\nname = \"there\"\nfrom = \"H\"\nto = \"I\"\ntransport = \"udp\"\n\
         payload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n\
         [[flows]]\nname = \"back\"\nfrom = \"I\"\nto = \"H\"\ntransport = \"udp\"\n\
         payload = \"1472 B\"\ntraffic = {{ kind = \"greedy\" }}\n"
    )
}

fn read(text: &str) -> EthernetScenario {
    let scenario = parse(&Source::new("pair.toml", text), &[]);
    let scenario = scenario.unwrap_or_else(|mistakes| panic!("{mistakes}"));
    match scenario.engine {
        Engine::Ethernet(frames) => *frames,
        _ => panic!("frames"),
    }
}

fn run(frames: &EthernetScenario) -> Outcome {
    let mut run = Simulation::<Rings>::new(&frames.network).expect("checked");
    run.run();
    run.outcome()
}

const UNLIKE: &str = "[[nodes]]\nname = \"A\"\ncredit_cell = \"256 B\"\n\
                      [[nodes]]\nname = \"B\"\ncredit_cell = \"2 KiB\"\n";

/// A frame of 1,518 B costs ceil(1,514 / cell): 1 towards B, 6 towards A.
#[test]
fn both_ends_count_in_the_cell_of_the_receiver() {
    let text = pair("kind = \"cbfc\"", "") + UNLIKE;
    let frames = read(&text);
    let cells = |id| frames.network.links.channel(id).credits[0].map(|own| own.unit_bytes);
    assert_eq!([cells(0), cells(1)], [Some(2_048), Some(256)]);
    let outcome = run(&frames);
    assert_eq!(outcome.violations.total(), 0);
    for (id, cost) in [(0_usize, 1), (1, 6)] {
        let channel = &outcome.channels[id];
        assert!(channel.data_share > 0.99, "{}", channel.data_share);
        let credit = channel.by_class.queues[0].credit.as_ref();
        let credit = credit.expect("it has credit");
        // Some were on the way as the run ended, none was lost.
        let frames = credit.consumed / cost;
        assert!(credit.consumed == cost * frames && frames > 15_000);
        assert_eq!((credit.lost, credit.freed % cost), (0, 0));
    }
}

/// The same as what each direction may say of its own flow control.
#[test]
fn it_is_the_cell_of_the_links_into_it() {
    let of_nodes = run(&read(&(pair("kind = \"cbfc\"", "") + UNLIKE)));
    let of_links = "forward = { flow_control = { kind = \"cbfc\", cell = \"2 KiB\" } }\n\
                    backward = { flow_control = { kind = \"cbfc\", cell = \"256 B\" } }";
    let of_links = run(&read(&pair(
        "kind = \"pfc\"\ndetect = \"inputs\"",
        of_links,
    )));
    assert_eq!(of_nodes.trace_hash, of_links.trace_hash);
    let alike = run(&read(&pair("kind = \"cbfc\"\ncell = \"256 B\"", "")));
    assert_ne!(of_nodes.trace_hash, alike.trace_hash);
}

/// Grains have cells, too; those of one switch say nothing of links into another.
#[test]
fn grains_of_one_end_have_larger_cells() {
    let own = "[[nodes]]\nname = \"B\"\ncredit_cell = \"512 B\"\n";
    let frames = read(&(pair("kind = \"grains\"", "") + own));
    let cells = |id| frames.network.links.channel(id).credits[0].map(|own| own.unit_bytes);
    assert_eq!([cells(0), cells(1)], [Some(512), Some(64)]);
    assert_eq!(run(&frames).violations.total(), 0);
}
