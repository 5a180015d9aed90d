//! ABR end systems, ports that tell rates, outages, flows back.

mod shipped;

use backwater_kernel::{Duration, Rate, Time};
use backwater_net::spec::{
    AbrSpec, AgingSpec, CapcSpec, CellApplication, CurrentRate, EprcaSpec, EricaSpec,
    ExplicitRateSpec, FlowSpec, MarkSpec, Measure, NetworkSpec, OutageSpec, QueueControlSpec,
    RateFormat, RelativeRateSpec, RequestsSpec, SourceControlSpec, Span, Subject, TimeFloor,
    TrafficSpec, TurnAround, UiliSpec,
};
use backwater_scenario::{Diagnostics, PacketScenario, Scenario, Set, Source, parse};

const MS: u64 = 1_000_000_000;
const CELL_BITS: u64 = 424;

fn try_read(text: &str, sets: &[&str]) -> Result<Scenario, Diagnostics> {
    let sets: Vec<Set> = sets
        .iter()
        .map(|set| Set::new(set).expect("key=value"))
        .collect();
    parse(&Source::new("test.toml", text), &sets)
}

fn packet(text: &str, sets: &[&str]) -> PacketScenario {
    let scenario = try_read(text, sets).unwrap_or_else(|mistakes| panic!("{mistakes}"));
    let packet = scenario.packet().expect("a scenario of the packet engine");
    packet.clone()
}

/// The tables of `tests/files/abr.toml`, which has every key.
fn whole() -> PacketScenario {
    packet(include_str!("../../files/abr.toml"), &[])
}

fn flow<'a>(network: &'a NetworkSpec, name: &str) -> &'a FlowSpec {
    let found = network.flows.iter().find(|flow| flow.name == name);
    found.unwrap_or_else(|| panic!("no flow {name}"))
}

fn abr(flow: &FlowSpec) -> AbrSpec {
    match flow.source_control {
        SourceControlSpec::Abr(abr) => abr,
        _ => panic!("{} is not ABR", flow.name),
    }
}

fn id(network: &NetworkSpec, name: &str) -> u32 {
    let found = network.flows.iter().position(|flow| flow.name == name);
    found.expect(name) as u32
}

fn channels(flow: &FlowSpec) -> Vec<u32> {
    flow.legs.iter().map(|leg| leg.channel).collect()
}

/// Two switches in a row at 155.52 Mbps and 5 ms, with these tables and one flow `f`.
fn simple(tables: &str, flow: &str) -> String {
    format!(
        "[run]\nduration = \"1 s\"\n[link]\nrate = \"155.52 Mbps\"\ndelay = \"5 ms\"\n\
         explicit_rate = {{ kind = \"erica\" }}\n\
         [network]\nhosts = [\"A\", \"B\", \"C\"]\nswitches = [\"S\", \"T\"]\n\
         [[links]]\nbetween = [\"A\", \"S\"]\n[[links]]\nbetween = [\"S\", \"T\"]\n\
         [[links]]\nbetween = [\"T\", \"B\"]\n[[links]]\nbetween = [\"C\", \"S\"]\n\
         {tables}\n[[flows]]\nname = \"f\"\nfrom = \"A\"\nto = \"B\"\n{flow}\n"
    )
}

fn source(keys: &str) -> AbrSpec {
    let text = simple("", &format!("source_control = {{ kind = \"abr\"{keys} }}"));
    abr(&packet(&text, &[]).network.flows[0])
}

fn codes(text: &str) -> Vec<&'static str> {
    match try_read(text, &[]) {
        Ok(scenario) => scenario.warnings.iter().map(|d| d.code).collect(),
        Err(mistakes) => mistakes.iter().map(|d| d.code).collect(),
    }
}

#[test]
fn every_key_of_a_source_is_read() {
    let network = whole().network;
    let expected = AbrSpec {
        pcr: Rate(100_000_000),
        mcr: Rate(42_400),
        icr: Rate(20_000_000),
        nrm: 16,
        mrm: 3,
        trm: Duration(50 * MS),
        rif: 0.5,
        rdf: 0.25,
        crm: 12,
        cdf: 0.125,
        tcr: Rate(8_480),
        is_eager: false,
        counts_backward: true,
        turn_around: TurnAround::Latest,
        format: RateFormat::Bits16,
        uili: UiliSpec::Count {
            headroom: Rate(2_000_000),
            tdf: 0.25,
            pr5: true,
            slack: 0.01,
        },
    };
    assert_eq!(abr(flow(&network, "VC1")), expected);
    assert_eq!(
        abr(flow(&network, "VC1 back")),
        expected,
        "the same settings"
    );
    assert!(!abr(flow(&network, "many[1]")).counts_backward);
    let uili = |name: &str| abr(flow(&network, name)).uili;
    assert_eq!(
        uili("many[1]"),
        UiliSpec::Time {
            constant: Duration(40 * MS),
            floor: TimeFloor::Product { tof: 3.0 },
            headroom: Rate(10_000_000),
            rule_5b: false,
            hold: Some(0.001),
        }
    );
    assert_eq!(
        uili("web"),
        UiliSpec::August1995 {
            tof: 2.0,
            tdf_per_second: 1000.0,
            rule_5b: true,
        }
    );
    assert_eq!(
        uili("east"),
        UiliSpec::April1995 {
            tof: 2.0,
            rdf_cells: 1024.0,
            floor_icr: true,
        }
    );
    let time_out = UiliSpec::TimeOut {
        adtf: Duration(250 * MS),
    };
    assert_eq!(uili("west"), time_out);
}

#[test]
fn every_key_of_a_port_is_read() {
    let network = whole().network;
    let rule = |channel: u32| {
        let found = network
            .rules
            .rate_ports
            .iter()
            .find(|port| port.0 == channel);
        found.map(|port| port.1)
    };
    let erica = ExplicitRateSpec::Erica(EricaSpec {
        interval: Duration(2 * MS),
        interval_cells: 50,
        target: 0.95,
        delta: 0.05,
        limit_jump: false,
        ccr: CurrentRate::Measured,
        one_feedback: false,
        up_to_link: true,
        activity_decay: 0.25,
        queue: Some(QueueControlSpec {
            delay: Duration(2 * MS),
            a: 1.2,
            b: 1.1,
            least: 0.4,
        }),
        aging: Some(AgingSpec {
            alpha: 0.2,
            delta: 1.75,
            floor: Rate(2_000_000),
            weight: 0.5,
        }),
    });
    assert_eq!(rule(0), None, "A->S1 leaves a host");
    assert_eq!(rule(1), Some(erica), "S1->A");
    assert_eq!((rule(2), rule(3)), (None, None), "kind none");
    let mark = |high_cells, low_cells| MarkSpec {
        high_cells,
        low_cells,
    };
    let relative = ExplicitRateSpec::RelativeRate(RelativeRateSpec {
        congestion: mark(500, 400),
        no_increase: mark(250, 150),
        marks_backward: false,
        backward_notice_every: Some(Duration(MS)),
    });
    assert_eq!(rule(4), Some(relative));
    assert_eq!(rule(5), Some(ExplicitRateSpec::Efci(mark(60, 50))));
    let eprca = ExplicitRateSpec::Eprca(EprcaSpec {
        weight: 0.125,
        down_pressure: 0.75,
        reduction: 0.9,
        major_reduction: 0.5,
        congestion: mark(200, 150),
        very_cells: 900,
    });
    assert_eq!(rule(6), Some(eprca));
    let capc = ExplicitRateSpec::Capc(CapcSpec {
        interval: Duration(3 * MS),
        target: 0.8,
        rise: 0.05,
        rise_most: 1.25,
        fall: 0.7,
        fall_least: 0.6,
        congestion_cells: 700,
    });
    assert_eq!(rule(7), Some(capc));
}

#[test]
fn outages_cut_one_way_or_both() {
    let cut = |channel: u32, from: u64, until: u64| OutageSpec {
        channel,
        from: Time(from * MS),
        until: Time(until * MS),
    };
    let expected = [cut(4, 100, 150), cut(4, 200, 210), cut(5, 100, 150)];
    assert_eq!(whole().network.outages, expected);
    let text = include_str!("../../files/abr.toml");
    let turned = text.replace("[\"S1\", \"S2\"]", "[\"S2\", \"S1\"]");
    let network = packet(&turned, &[]).network;
    let forward = network
        .outages
        .iter()
        .find(|cut| cut.from == Time(200 * MS));
    let way = forward.map(|cut| cut.channel);
    assert_eq!(way, Some(4), "the link is S2-S1 now, and 4 is S2->S1");
}

#[test]
fn every_key_of_closed_loops_is_read() {
    let network = whole().network;
    let requests = TrafficSpec::Requests(RequestsSpec {
        start: Time(2 * MS),
        requests: 2,
        request_units: 8,
        response_units: 128,
        inter_request: Span::Fixed(Duration(MS / 10)),
        inter_cycle: Span::Exponential(Duration(2 * MS)),
        service: Span::Fixed(Duration(MS / 100)),
        cycles: Some(1000),
    });
    assert_eq!(flow(&network, "many[2]").traffic, requests);
    assert_eq!(flow(&network, "many[2] back").traffic, TrafficSpec::Server);
    let TrafficSpec::Tcp(web) = &flow(&network, "web").traffic else {
        panic!("no TCP");
    };
    assert_eq!(
        (web.start, web.overhead_bytes, web.payload_bytes),
        (Time(3 * MS), 60, 44)
    );
    assert_eq!((web.tcp.mss_bytes, web.tcp.window_bytes), (512, 32_768));
    assert_eq!(web.tcp.duplicate_threshold, 4);
    let application = CellApplication::Requests {
        request_bytes: 200,
        response_bytes: 20_000,
        service: Span::Fixed(Duration(MS)),
        think: Span::Exponential(Duration(5 * MS)),
        count: Some(500),
    };
    assert_eq!(web.application, application);
    assert_eq!(flow(&network, "web back").traffic, TrafficSpec::TcpBack);
    let TrafficSpec::Tcp(file) = &flow(&network, "file").traffic else {
        panic!("no TCP");
    };
    assert_eq!(file.application, CellApplication::Bulk(Some(1_000_000)));
    assert_eq!((file.overhead_bytes, file.payload_bytes), (56, 48));
    let TrafficSpec::Bottlenecked { start, limits } = &flow(&network, "VC1").traffic else {
        panic!("no limits");
    };
    let limits: Vec<_> = limits.iter().map(|l| (l.from.ps() / MS, l.rate)).collect();
    assert_eq!(start.ps(), MS);
    assert_eq!(limits, [(0, Some(Rate(10_000_000))), (200, None)]);
    let back = &flow(&network, "VC1 back").traffic;
    assert!(
        matches!(back, TrafficSpec::Greedy { total: None, .. }),
        "{back:?}"
    );
}

#[test]
fn flows_back_are_made_where_none_is_named() {
    let network = whole().network;
    let names: Vec<&str> = network
        .flows
        .iter()
        .map(|flow| flow.name.as_str())
        .collect();
    let expected = [
        "VC1",
        "VC1 back",
        "many[1]",
        "many[1] back",
        "many[2]",
        "many[2] back",
        "web",
        "web back",
        "file",
        "file back",
        "east",
        "west",
    ];
    assert_eq!(names, expected);
    for (a, b) in [("VC1", "VC1 back"), ("web", "web back"), ("east", "west")] {
        assert_eq!(flow(&network, a).partner, Some(id(&network, b)), "{a}");
        assert_eq!(flow(&network, b).partner, Some(id(&network, a)), "{b}");
    }
    let (file, back) = (flow(&network, "file"), flow(&network, "file back"));
    assert_eq!(file.partner, Some(id(&network, "file back")));
    assert_eq!(back.partner, None, "only the asking flow names its partner");
    let (forward, back) = (flow(&network, "VC1"), flow(&network, "VC1 back"));
    assert_eq!(channels(forward), [0, 4, 6, 8]);
    assert_eq!(channels(back), [9, 7, 5, 1]);
    assert_eq!(back.priority, 1, "the same priority");
    let parents: Vec<_> = back.legs.iter().map(|leg| leg.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(2)]);
}

#[test]
fn defaults_follow_from_the_way() {
    let spec = source("");
    assert_eq!(spec.pcr, Rate(155_520_000), "the first link");
    assert_eq!((spec.mcr, spec.icr), (Rate(0), Rate(10_000_000)));
    assert_eq!((spec.nrm, spec.mrm), (32, 2));
    assert_eq!(spec.tcr, Rate(4240));
    assert_eq!(spec.trm, Duration(100 * MS));
    assert_eq!((spec.rif, spec.rdf, spec.cdf), (1.0, 1.0 / 512.0, 0.0));
    let adtf = Duration(500 * MS);
    assert_eq!(spec.uili, UiliSpec::TimeOut { adtf });
    assert!(spec.is_eager && spec.counts_backward);
    let cell = Rate(155_520_000).serialization(53).ps();
    let frtt = 2 * 3 * (5 * MS + cell);
    let cells = u128::from(155_520_000_u64) * u128::from(frtt) / 1_000_000_000_000 / 424;
    assert_eq!(u128::from(spec.crm), cells / 32, "PCR FRTT / Nrm");
    assert_eq!(source(", pcr = \"2 Mbps\"").icr, Rate(2_000_000));
    assert_eq!(source(", mcr = \"20 Mbps\"").icr, Rate(20_000_000));
}

#[test]
fn the_exposed_buffer_limits_crm_and_icr() {
    let keys = ", tbe = 512, frtt = \"15 ms\"";
    let spec = source(&format!("{keys}, icr = \"100 Mbps\""));
    assert_eq!(spec.crm, 16, "TBE / Nrm");
    let exposed = 512 * CELL_BITS * 1000 / 15;
    assert_eq!(spec.icr, Rate(exposed), "TBE / FRTT");
    let whole = source(&format!("{keys}, icr = \"100 Mbps\", clip_icr = false"));
    assert_eq!(whole.icr, Rate(100_000_000));
    assert_eq!(source(", tbe = 8").crm, 1, "at least 1");
    let mcr = source(", tbe = 1, mcr = \"1 Mbps\"");
    assert_eq!(mcr.icr, Rate(1_000_000), "not below MCR");
}

#[test]
fn the_time_constant_is_two_round_trips_or_the_exposure() {
    let constant = |keys: &str| {
        let uili = source(&format!("{keys}, uili = {{ kind = \"time\" }}")).uili;
        match uili {
            UiliSpec::Time { constant, .. } => constant.ps(),
            _ => panic!("{uili:?}"),
        }
    };
    assert_eq!(constant(", tbe = 4096, frtt = \"30 ms\""), 60 * MS);
    // 4096 cells at 10 Mbps take 173,670.4 us.
    let slow = ", tbe = 4096, frtt = \"30 ms\", pcr = \"10 Mbps\"";
    assert_eq!(constant(slow), 173_670_400_000);
}

#[test]
fn nearer_rules_replace_farther_ones_as_a_whole() {
    let base = "[run]\nduration = \"1 ms\"\n[link]\nrate = \"1 Gbps\"\ndelay = \"1 us\"\n\
                explicit_rate = { kind = \"efci\", high = 7, low = 3 }\n\
                [topology]\nkind = \"line\"\nswitches = 3\n\
                trunk = { explicit_rate = { kind = \"efci\", high = 9 , low = 4 } }\n\
                [[links]]\nbetween = [\"S3\", \"S2\"]\nforward = { explicit_rate = { kind = \
                \"none\" } }\n[[flows]]\nname = \"f\"\nfrom = \"H1_1\"\nto = \"H3_1\"\n";
    let network = packet(base, &[]).network;
    let high = |from: &str, to: &str| {
        let node = |name: &str| network.nodes.iter().position(|n| n.name == name);
        let (from, to) = (node(from), node(to));
        let end = |id: u32| Some(id as usize);
        let link = network.links.iter().position(|link| {
            (end(link.ends[0]), end(link.ends[1])) == (from, to)
                || (end(link.ends[1]), end(link.ends[0])) == (from, to)
        });
        let link = link.expect("a link");
        let turned = end(network.links[link].ends[0]) != from;
        let channel = 2 * link as u32 + u32::from(turned);
        let found = network
            .rules
            .rate_ports
            .iter()
            .find(|port| port.0 == channel);
        found.map(|port| match port.1 {
            ExplicitRateSpec::Efci(marks) => marks.high_cells,
            _ => 0,
        })
    };
    assert_eq!(high("S1", "H1_1"), Some(7));
    assert_eq!(high("H1_1", "S1"), None, "a host");
    assert_eq!((high("S1", "S2"), high("S2", "S1")), (Some(9), Some(9)));
    assert_eq!(high("S3", "S2"), None, "switched off");
    assert_eq!(high("S2", "S3"), Some(7), "as `[link]`, not as the trunk");
    assert!(network.rules.rate_ports.is_sorted_by_key(|port| port.0));
}

#[test]
fn series_of_sources_and_ports_find_their_place() {
    let packet = whole();
    let found: Vec<_> = packet
        .series
        .iter()
        .map(|series| (series.measure, series.of))
        .collect();
    let expected = [
        (Measure::AllowedRate, Subject::Flow(0)),
        (Measure::SourceRate, Subject::Flow(0)),
        (Measure::RateQueue, Subject::Channel(4)),
        (Measure::LoadFactor, Subject::Channel(1)),
        (Measure::ActiveCircuits, Subject::Channel(1)),
        (Measure::FairShare, Subject::Channel(7)),
    ];
    assert_eq!(found, expected);
}

#[test]
fn series_without_a_subject_are_refused() {
    let with = |series: &str| {
        let abr = "source_control = { kind = \"abr\" }";
        codes(&format!(
            "{}[[series]]\nname = \"s\"\n{series}\n",
            simple("", abr)
        ))
    };
    assert_eq!(with("measure = \"allowed-rate\""), ["missing-key"]);
    assert_eq!(with("measure = \"rate-queue\""), ["missing-key"]);
    assert_eq!(with("measure = \"queue\""), ["missing-key"]);
    let host = "measure = \"rate-queue\"\non = \"A->S\"";
    assert_eq!(with(host), ["bad-series"]);
    let owned = "measure = \"load-factor\"\non = \"S->T\"\nflow = \"f\"";
    assert_eq!(with(owned), ["bad-series"]);
    assert_eq!(with("measure = \"load-factor\"\non = \"S->T\""), [""; 0]);
    let plain = "[[series]]\nname = \"s\"\nmeasure = \"allowed-rate\"\nflow = \"f\"\n";
    assert_eq!(codes(&format!("{}{plain}", simple("", ""))), ["bad-series"]);
}

#[test]
fn a_way_back_needs_no_minimum_and_begins_at_what_it_may_send() {
    let there = "[[links]]\nbetween = [\"T\", \"B\"]\n";
    let abr_of = |keys: &str, more: &str| {
        let keys = format!("source_control = {{ kind = \"abr\"{keys} }}\n{more}");
        let slow = format!("{there}backward = {{ rate = \"20 Mbps\" }}\n");
        try_read(&simple("", &keys).replace(there, &slow), &[])
    };
    let both = ", mcr = \"100 Mbps\", icr = \"100 Mbps\"";
    let found = abr_of(both, "").expect("no mistakes");
    let back = abr(flow(&found.packet().expect("packets").network, "f back"));
    assert_eq!([back.mcr, back.icr, back.pcr], [Rate(20_000_000); 3]);
    // What it sends data with keeps its minimum, and a mistake says whose that is.
    let wrong = abr_of(both, "back = { kind = \"greedy\" }").err();
    let text = wrong.expect("MCR above PCR").render(false);
    let whose = "this is `f back`, the reverse path of `f`: it crosses `B->T`";
    assert!(text.contains(whose), "{text}");
    // Nothing is kept for ways back: 100 Mbps for each of two circuits fit in both directions.
    let other = "[[flows]]\nname = \"g\"\nfrom = \"B\"\nto = \"A\"\n";
    let control = "source_control = { kind = \"abr\", mcr = \"100 Mbps\" }\n";
    assert!(codes(&simple("", &format!("{control}{other}{control}"))).is_empty());
}
