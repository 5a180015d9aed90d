//! Several kinds of flow control in one network, link by link.

use backwater_kernel::Channels;
use backwater_net::frames::probe::Audit;
use backwater_net::frames::spec::{EthernetSpec, NodeKind, Obeyed, Select};
use backwater_net::outcome::Outcome;
use backwater_net::watched;

use super::{codes, read, try_read};

/// Two hosts send to a third over a line of three switches; each link can have a word of its own.
/// The last is the slowest.
fn line(control: &str, own: [&str; 5]) -> String {
    let mut text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"5 ms\"\n[network]\n\
         hosts = [\"A\", \"B\", \"D\"]\nswitches = [\"S\", \"T\", \"U\"]\n[link]\n\
         rate = \"10 Gbps\"\ndelay = \"1 us\"\n[switch]\nresponse = \"0 s\"\n[host]\n\
         response = \"0 s\"\n{control}"
    );
    let ends = [("A", "S"), ("B", "S"), ("S", "T"), ("T", "U"), ("U", "D")];
    for ((a, b), own) in ends.into_iter().zip(own) {
        text += &format!("[[links]]\nbetween = [\"{a}\", \"{b}\"]\n{own}\n");
        if b == "D" {
            text += "rate = \"2 Gbps\"\n";
        }
    }
    for (class, from) in ["A", "B"].iter().enumerate() {
        text += &format!(
            "[[flows]]\nname = \"{from}\"\nfrom = \"{from}\"\nto = \"D\"\nclass = {class}\n\
             transport = \"udp\"\n"
        );
    }
    text
}

fn run(spec: &EthernetSpec) -> Outcome {
    let (audit, outcome) = watched(spec, Audit::new(spec)).expect("a sound network");
    let seen = audit.checks().violations();
    assert_eq!(seen.total(), 0, "{seen:?}");
    assert_eq!(outcome.violations.total(), 0);
    outcome
}

/// Frames that each queue dropped, by channel.
fn drops(outcome: &Outcome) -> Vec<u64> {
    let of = |queues: &[backwater_net::outcome::QueueOutcome]| -> u64 {
        queues.iter().map(|queue| queue.drops.total()).sum()
    };
    let channels = outcome.channels.iter();
    channels
        .map(|channel| of(&channel.by_class.queues))
        .collect()
}

const NONE: &str = "flow_control.kind = \"none\"";
const PFC: &str = "flow_control.kind = \"pfc\"";
const PAUSE: &str = "flow_control = { kind = \"pause\", quanta = 600 }";
const CREDIT: &str = "flow_control.kind = \"n23\"";
const CELLS: &str = "flow_control.kind = \"cbfc\"";

/// What the file says for all links and one link takes back, and what one link says alone, is the
/// same network.
#[test]
fn stops_of_links_are_those_of_the_file_on_these_links() {
    let inputs = "[flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\n";
    for some in [
        [PFC, "", PFC, "", ""],
        ["", "", PFC, PFC, ""],
        [PFC, PFC, PFC, PFC, PFC],
    ] {
        let others = some.map(|own| if own.is_empty() { NONE } else { "" });
        let (one, other) = (read(&line("", some)), read(&line(inputs, others)));
        let (one, other) = (run(&one), run(&other));
        assert_eq!(one.trace_hash, other.trace_hash, "{some:?}");
        assert_eq!(drops(&one), drops(&other), "{some:?}");
    }
}

/// PAUSE of the host, PFC between two switches, credit of two kinds behind them.
#[test]
fn four_schemes_hold_in_one_network() {
    let own = [PAUSE, CREDIT, PFC, CELLS, ""];
    let spec = read(&line("", own));
    let by = |channel: u32| spec.links.channel(channel).stopped.by;
    let (pause, pfc) = (
        Obeyed {
            port: true,
            ..Obeyed::NONE
        },
        Obeyed {
            classes: 3,
            ..Obeyed::NONE
        },
    );
    assert_eq!(
        [0, 2, 4, 6, 8].map(by),
        [pause, Obeyed::NONE, pfc, Obeyed::NONE, Obeyed::NONE]
    );
    let NodeKind::Switch(switch) = &spec.nodes[4].kind else {
        panic!("T is a switch");
    };
    assert_eq!(switch.stops.common, None);
    let selects: Vec<_> = switch
        .stops
        .own
        .iter()
        .map(|own| own.rules.map(|own| own.select))
        .collect();
    assert_eq!(selects, [Some(Select::Class)], "S -> T alone");
    let outcome = run(&spec);
    assert_eq!(drops(&outcome), [0; 10]);
    let stops = |channel: usize| outcome.channels[channel].by_class.stops_obeyed;
    assert!(stops(0) > 2 && stops(4) > 2, "{} {}", stops(0), stops(4));
    assert_eq!([2, 6, 8].map(stops), [0; 3]);
    // Each is what keeps its link from losing: without it the switch behind drops.
    for at in 0..4 {
        let mut less = own;
        less[at] = NONE;
        let less = read(&line("", less));
        let lost: u64 = drops(&run(&less)).iter().sum();
        assert!(lost > 20, "without `{}`: {lost}", own[at]);
    }
    // D might send U more than it holds.
    let promised = [3, 4, 5].map(|node: usize| spec.nodes[node].promised & 3);
    assert_eq!(promised, [3, 3, 0]);
}

/// PAUSE for what inputs hold leaves a link with credit alone.
#[test]
fn credit_beside_pause_at_inputs() {
    let control = "[flow_control]\nkind = \"pause\"\ndetect = \"inputs\"\n";
    let spec = read(&line(control, ["", "", CREDIT, "", ""]));
    assert_eq!(drops(&run(&spec)), [0; 10]);
    let at_outputs = control.replace("inputs", "outputs");
    assert_eq!(
        codes(&line(&at_outputs, ["", "", CREDIT, "", ""])),
        ["bad-scheme"]
    );
}

/// Headroom is asked of each link by its own threshold, to the byte, and threats by its own wire.
#[test]
fn checks_ask_the_links_own_stops() {
    let stops = |xoff: u64| {
        format!("flow_control = {{ kind = \"pfc\", xoff = \"{xoff} B\", xon = \"9 kB\" }}")
    };
    let text = |xoff: u64| {
        line(
            "[buffer]\nper_input = \"100 kB\"\n",
            ["", "", &stops(xoff), "", ""],
        )
    };
    let scenario = try_read(&text(20_000), &[]).expect("room enough");
    let account = &scenario.ethernet().expect("for Ethernet").headroom;
    let places: Vec<_> = account
        .iter()
        .map(|need| (need.channel, need.class))
        .collect();
    assert_eq!(places, [(4, 0), (4, 1)]);
    let most = 100_000 - account[0].needs();
    assert_eq!(codes(&text(most)), [""; 0]);
    let short = try_read(&text(most + 1), &[]).expect_err("a byte less");
    let said = short.render(false);
    assert!(said.contains("at input `S->T`: 1 B are missing"), "{said}");
    // It points to the link's own line.
    assert!(
        said.contains(&format!("xoff = \"{} B\"", most + 1)),
        "{said}"
    );
    for (at, lost) in [(2, vec!["lost-stops"]), (3, vec![])] {
        let mut own = ["", "", PFC, "", ""].map(str::to_owned);
        own[at] += "\nbackward.control_loss = 0.1";
        let own = own.each_ref().map(String::as_str);
        assert_eq!(codes(&line("", own)), lost, "{at}");
    }
}

/// A circle needs every one of its channels to be held, by whatever scheme.
#[test]
fn circles_may_be_of_several_schemes() {
    let ring = |own: [&str; 4]| {
        let mut text = "engine = \"ethernet\"\n[run]\nduration = \"10 ms\"\n[network]\n\
            hosts = [\"A\", \"B\", \"C\", \"D\"]\n\
            switches = [\"S\", \"T\", \"U\", \"V\"]\n[link]\nrate = \"1 Gbps\"\n"
            .to_owned();
        let (hosts, switches) = (["A", "B", "C", "D"], ["S", "T", "U", "V"]);
        for at in 0..4 {
            let (host, switch, next) = (hosts[at], switches[at], switches[(at + 1) % 4]);
            text += &format!(
                "[[links]]\nbetween = [\"{host}\", \"{switch}\"]\n[[links]]\n\
                 between = [\"{switch}\", \"{next}\"]\n{}\n",
                own[at]
            );
        }
        for at in 0..4 {
            let (from, to) = (hosts[at], hosts[(at + 2) % 4]);
            for hop in 0..2 {
                let (node, via) = (switches[(at + hop) % 4], switches[(at + hop + 1) % 4]);
                text += &format!("[[routes]]\nnode = \"{node}\"\nto = \"{to}\"\nvia = \"{via}\"\n");
            }
            text += &format!(
                "[[flows]]\nname = \"{from}\"\nfrom = \"{from}\"\nto = \"{to}\"\n\
                 transport = \"udp\"\n"
            );
        }
        codes(&text)
    };
    assert!(ring([PFC; 4]).contains(&"deadlock"));
    assert!(ring([PAUSE, PFC, CREDIT, CELLS]).contains(&"deadlock"));
    assert!(ring([PAUSE, PAUSE, PFC, PAUSE]).contains(&"deadlock"));
    for at in 0..4 {
        let mut own = [PAUSE, PFC, CREDIT, CELLS];
        own[at] = NONE;
        assert!(!ring(own).contains(&"deadlock"), "{at}");
    }
}

#[test]
fn what_a_link_can_not_have_is_told() {
    for (control, own, code) in [
        ("", "flow_control.kind = \"destination\"", "bad-scheme"),
        (
            "",
            "flow_control = { kind = \"pfc\", detect = \"outputs\" }",
            "no-meaning",
        ),
        (
            "",
            "flow_control = { kind = \"pfc\", notify = \"all\" }",
            "no-meaning",
        ),
        ("[flow_control]\nkind = \"pfc\"\n", PAUSE, "bad-scheme"),
        ("[buffer.shared]\nbytes = \"1 MB\"\n", PFC, "bad-scheme"),
    ] {
        assert_eq!(
            codes(&line(control, ["", "", own, "", ""])),
            [code],
            "{control}{own}"
        );
    }
}
