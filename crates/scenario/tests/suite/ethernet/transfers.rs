//! Transfers under way when a run ends: counted from their first byte, whatever becomes of them.

use backwater_kernel::{Distribution, Rings};
use backwater_net::Simulation;
use backwater_net::outcome::{EndsOutcome, Outcome};

use super::read;

const MS: f64 = 1e9;

/// Two hosts with 10 Gbps to a third, for 10 ms.
fn outcome(flows: &str) -> Outcome {
    let text = format!(
        "engine = \"ethernet\"\n[run]\nduration = \"10 ms\"\nwarm_up = \"1 ms\"\n\
         [network]\nhosts = [\"A\", \"B\", \"C\"]\nswitches = [\"S\"]\n\
         [link]\nrate = \"10 Gbps\"\ncable = \"20 m\"\n\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"B\", \"S\"]\n\
         [[links]]\nbetween = [\"S\", \"C\"]\n{flows}"
    );
    let mut simulation: Simulation<Rings> = Simulation::new(&read(&text)).expect("sound");
    simulation.run();
    simulation.outcome()
}

fn ends(flow: &str) -> EndsOutcome {
    let flow = format!("[[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"C\"\n{flow}\n");
    outcome(&flow).flows.remove(0).ends
}

/// Complete, unfinished and not begun; of the times: how many, how many open, the oldest in ms.
fn counts(ends: &EndsOutcome) -> ([u64; 3], [u64; 2], Option<f64>) {
    let times = &ends.transfer_time;
    (
        [ends.transfers_total, ends.unfinished(), ends.not_begun()],
        [times.count(), times.open()],
        times.oldest().map(|ps| (ps / MS * 10.0).round() / 10.0),
    )
}

#[test]
fn a_transfer_counts_from_its_first_byte() {
    let file = |start: &str| {
        format!("traffic = {{ kind = \"greedy\", total = \"1 GB\", start = \"{start}\" }}")
    };
    // In the warm-up, after it, and never in this run.
    assert_eq!(counts(&ends(&file("0 s"))), ([0, 1, 0], [0, 1], Some(10.0)));
    assert_eq!(counts(&ends(&file("4 ms"))), ([0, 1, 0], [0, 1], Some(6.0)));
    assert_eq!(counts(&ends(&file("20 ms"))), ([0, 0, 1], [0, 0], None));
    // Datagrams alike, and traffic without end is no transfer.
    let udp =
        |total: &str| format!("transport = \"udp\"\ntraffic = {{ kind = \"greedy\"{total} }}");
    let found = ends(&udp(", total = \"1 GB\""));
    assert_eq!(counts(&found), ([0, 1, 0], [0, 1], Some(10.0)));
    for endless in [ends(&udp("")), ends("traffic = { kind = \"greedy\" }")] {
        assert_eq!(counts(&endless), ([0, 0, 0], [0, 0], None));
    }
    // The control: what is complete bounds nothing.
    let done = ends("traffic = { kind = \"greedy\", total = \"10 kB\", start = \"2 ms\" }");
    assert_eq!(counts(&done), ([1, 0, 0], [1, 0], None));
    assert_eq!(
        (
            done.acknowledged_time.count(),
            done.acknowledged_time.open()
        ),
        (1, 0)
    );
}

#[test]
fn files_and_requests_without_a_number_have_one_under_way() {
    let files = ends("traffic = { kind = \"files\", size = \"20 MB\", think = \"0 s\" }");
    assert_eq!((files.unfinished(), files.transfers_planned), (1, None));
    assert_eq!(files.transfer_time.open(), 1);
    assert_eq!(files.acknowledged_time.open(), 1);
    let requests = ends(
        "traffic = { kind = \"requests\", request = \"1 kB\", response = \"1 kB\", \
         service = \"8 ms\", think = \"0 s\" }",
    );
    assert_eq!((requests.transfers_total, requests.unfinished()), (1, 1));
    assert_eq!(requests.acknowledged_time.open(), 0);
    assert!(requests.transfer_time.max() >= Some(8.0 * MS));
}

/// Four senders that hang from half of the run on: the largest time is theirs.
#[test]
fn senders_that_hang_are_in_the_statistics() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../scenarios/sweeps/pfc-victim.toml"
    );
    let text = std::fs::read_to_string(path).expect("it is shipped");
    let sets = ["flow_control.kind=none", "tcp.preset=linux-3"];
    let scenario = super::try_read(&text, &sets).expect("it is sound");
    let mut simulation: Simulation<Rings> =
        Simulation::new(super::told(&scenario).0).expect("sound");
    simulation.run();
    let flows = simulation.outcome().flows;
    let times = Distribution::merged(flows.iter().map(|flow| &flow.ends.transfer_time));
    assert_eq!(times.open(), 4);
    assert!(times.max() > Some(8.2 * MS) && times.mean() > Some(2.5 * MS));
    assert_eq!(
        (times.percentile(95.0), times.percentile(99.0)),
        (None, None)
    );
    let slowdowns = Distribution::merged(flows.iter().map(|flow| &flow.slowdown));
    assert_eq!(slowdowns.open(), 4);
    assert!(slowdowns.max() > Some(90.0));
}
