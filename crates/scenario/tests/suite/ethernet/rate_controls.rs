//! Control of queue pairs: words and keys as absolute values, and mistakes.

use backwater_ends::spec::rates::{
    Clamp, Counters, DcqcnForm, DcqcnProfile, DcqcnSpec, HpccSpec, NsccSpec, Segment, SwiftSpec,
    TimelyForm, TimelySpec,
};
use backwater_ends::spec::{Notify, RateControlSpec};
use backwater_kernel::{Duration, Rate};
use backwater_net::frames::spec::TransportSpec;

use crate::ethernet::{codes, read};

const LINE: Rate = Rate(100_000_000_000);

fn file(roce: &str) -> String {
    format!(
        r#"
engine = "ethernet"
[run]
duration = "1 ms"
[network]
hosts = ["A", "B", "D"]
switches = ["S"]
[link]
rate = "100 Gbps"
delay = "1 us"
[buffer]
mark_above = "100 kB"
[[flows]]
name = "f"
from = ["A", "B"]
to = "D"
transport = "roce"
[roce]
{roce}
"#
    )
}

/// The control of the first flow.
fn control(own: &str) -> RateControlSpec {
    let spec = read(&file(&format!("control = {own}")));
    match &spec.flows[0].transport {
        TransportSpec::Roce(roce) => {
            assert_eq!(roce.notify, roce.control.notify());
            assert_eq!(roce.has_telemetry, roce.control.hears_telemetry());
            roce.control.clone()
        }
        _ => panic!("{own}: no queue pair"),
    }
}

fn dcqcn(own: &str) -> DcqcnSpec {
    match control(own) {
        RateControlSpec::Dcqcn(spec) => spec,
        other => panic!("{own}: {other:?}"),
    }
}

fn us(us: u64) -> Duration {
    Duration(us * 1_000_000)
}

#[test]
fn a_word_alone_is_the_scheme_as_it_is_usually_run() {
    assert_eq!(control("\"none\""), RateControlSpec::None);
    assert_eq!(dcqcn("\"dcqcn\""), DcqcnProfile::Artifact.spec(LINE));
    let timely = RateControlSpec::Timely(TimelySpec::artifact(LINE));
    assert_eq!(control("\"timely\""), timely);
    // 1,024 B of payload, and 82 B around it on the wire; two links there.
    let swift = RateControlSpec::Swift(SwiftSpec::guessed(1_024, 1_106, 2));
    assert_eq!(control("\"swift\""), swift);
    // 1,106 B there and 86 B back, and four links of 1 us.
    let rtt = Duration(4_000_000 + 2 * (88_480 + 6_880));
    let nscc = NsccSpec {
        base_rtt: rtt,
        network_rtt: rtt,
        ..NsccSpec::usual(1_024, 1_106, LINE)
    };
    assert_eq!(control("\"nscc\""), RateControlSpec::Nscc(nscc));
    assert!(matches!(control("\"rocc\""), RateControlSpec::Rocc(spec) if spec.recovery == us(200)));
    // 1,148 B there and 128 B back, telemetry in both, and four links of 1 us.
    let base = Duration(4_000_000 + 2 * (91_840 + 10_240));
    let hpcc = RateControlSpec::Hpcc(HpccSpec::artifact(LINE, base));
    assert_eq!(control("\"hpcc\""), hpcc);
}

#[test]
fn profiles_have_names() {
    for (name, profile) in [
        ("paper", DcqcnProfile::Paper),
        ("ns3-rdma", DcqcnProfile::Ns3Rdma),
        ("artifact", DcqcnProfile::Artifact),
        ("artifact-paper", DcqcnProfile::ArtifactPaper),
        ("firmware", DcqcnProfile::Firmware),
    ] {
        let own = format!("{{ kind = \"dcqcn\", profile = \"{name}\" }}");
        assert_eq!(dcqcn(&own), profile.spec(LINE), "{name}");
    }
    let own = "{ kind = \"hpcc\", profile = \"paper\", flows = 4, base_rtt = \"12 us\" }";
    let paper = RateControlSpec::Hpcc(HpccSpec::paper(LINE, us(12), 4));
    assert_eq!(control(own), paper);
    let own = "{ kind = \"timely\", profile = \"patched\" }";
    assert_eq!(control(own), RateControlSpec::Timely(TimelySpec::patched()));
}

#[test]
fn each_key_of_dcqcn_is_heard() {
    let own = r#"{ kind = "dcqcn", profile = "firmware", form = "paper", np = "tick",
        cnp_interval = "40 us", g = "1/16", initial_alpha = 0.5, alpha_interval = "60 us",
        increase_interval = "70 us", byte_counter = "off", stages = 3, additive = "50 Mbps",
        hyper = "300 Mbps", least = "20 Mbps", rate_on_first_cnp = 0, clamp = "after-bytes",
        largest_cut = 0.4, alpha_first = false, release = true, rescale = true,
        freeze_when_paused = true }"#;
    let expected = DcqcnSpec {
        form: DcqcnForm::Paper,
        notify: Notify::Tick(us(40)),
        gain: 1.0 / 16.0,
        first_alpha: 0.5,
        alpha_interval: us(60),
        decrease_interval: us(4),
        increase_interval: us(70),
        byte_counter: None,
        stages: 3,
        additive: Rate(50_000_000),
        hyper: Rate(300_000_000),
        least: Rate(20_000_000),
        first_share: 1.0,
        clamp: Clamp::AfterBytes,
        largest_cut: 0.4,
        cut_bits: Some(10),
        cuts_first: true,
        releases: true,
        rescales: true,
        freezes: true,
    };
    let own = own.replace('\n', " ");
    assert_eq!(dcqcn(&own), expected);
}

#[test]
fn keys_of_the_others_are_heard() {
    let own = r#"{ kind = "hpcc", base_rtt = "9 us", target_use = 0.9, max_stage = 2,
        additive = "80 Mbps", least = "100 Mbps", fast_react = false, per_hop = true,
        counters = "narrow", initial_use = 0.95, rescale = false }"#;
    let expected = HpccSpec {
        base_rtt: us(9),
        target_use: 0.9,
        max_stage: 2,
        additive: Rate(80_000_000),
        least: Rate(100_000_000),
        reacts_fast: false,
        by_hop: true,
        counters: Counters::Narrow,
        first_use: 0.95,
        rescales: false,
    };
    let own = own.replace('\n', " ");
    assert_eq!(control(&own), RateControlSpec::Hpcc(expected));
    let own = r#"{ kind = "timely", profile = "patched", additive = "20 Mbps", t_low = "30 us",
        segment = "64 kB", patched_beta = 0.01 }"#;
    let RateControlSpec::Timely(spec) = control(&own.replace('\n', " ")) else {
        panic!("no TIMELY");
    };
    let reference = us(30);
    let form = TimelyForm::Patched {
        decrease: 0.01,
        reference,
    };
    assert_eq!((spec.form, spec.low), (form, reference));
    assert_eq!(spec.segment, Segment::Bytes(64_000));
    let rates = (spec.additive, spec.hyper);
    assert_eq!(rates, (Rate(20_000_000), Rate(100_000_000)));
    let own = "{ kind = \"swift\", base = \"40 us\", ai = 2.0, max_window = 50.0 }";
    let RateControlSpec::Swift(spec) = control(own) else {
        panic!("no Swift");
    };
    assert_eq!((spec.range, spec.additive), (us(200), 2.0));
    assert_eq!(
        (spec.per_hop, spec.most_window),
        (Duration(6_106_870), 50.0)
    );
}

#[test]
fn each_key_of_nscc_is_heard() {
    let own = "{ kind = \"nscc\", base_rtt = \"9 us\", network_rtt = \"12 us\", target = \"7 us\", \
               gamma = 0.5, max_cut = 0.25, weight = 0.1, max_window = 2.0, adjust_every = 3, \
               quick_adapt = false }";
    let expected = NsccSpec {
        base_rtt: us(9),
        network_rtt: us(12),
        target: us(7),
        decrease: 0.5,
        largest_cut: 0.25,
        weight: 0.1,
        most_window: 2.0,
        adjust_packets: 3,
        quick: false,
        ..NsccSpec::usual(1_024, 1_106, LINE)
    };
    assert_eq!(control(own), RateControlSpec::Nscc(expected));
}

#[test]
fn what_does_not_fit_is_told() {
    let told = |own: &str| codes(&file(&format!("control = {own}")));
    for (own, code) in [
        ("\"dcqn\"", "unknown-word"),
        ("{ profile = \"paper\" }", "missing-key"),
        ("{ kind = \"dcqcn\", eta = 0.9 }", "unknown-key"),
        ("{ kind = \"dcqcn\", base_rtt = \"5 us\" }", "no-meaning"),
        (
            "{ kind = \"dcqcn\", cnp_interval = \"5 us\" }",
            "no-meaning",
        ),
        ("{ kind = \"dcqcn\", alpha_first = true }", "no-meaning"),
        (
            "{ kind = \"dcqcn\", profile = \"paper\", decrease_interval = \"5 us\" }",
            "no-meaning",
        ),
        ("{ kind = \"dcqcn\", g = 2 }", "out-of-range"),
        ("{ kind = \"dcqcn\", least = \"200 Gbps\" }", "bad-rates"),
        ("{ kind = \"hpcc\", flows = 4 }", "no-meaning"),
        ("{ kind = \"hpcc\", target_use = 0.0 }", "bad-rates"),
        ("{ kind = \"timely\", reference = \"5 us\" }", "no-meaning"),
        ("{ kind = \"timely\", t_low = \"600 us\" }", "bad-times"),
        ("{ kind = \"swift\", range_from = 100.0 }", "bad-window"),
        ("{ kind = \"swift\", min_window = 1e5 }", "bad-window"),
        ("{ kind = \"nscc\", gamma = 1.5 }", "out-of-range"),
        ("{ kind = \"nscc\", t_low = \"5 us\" }", "no-meaning"),
    ] {
        assert!(told(own).contains(&code), "{own}: {:?}", told(own));
    }
    assert!(!told("\"dcqcn\"").iter().any(|code| code.starts_with("bad")));
}

/// A flow's own control takes the place of all of the common one.
#[test]
fn a_flow_has_its_own() {
    let text = file("control = { kind = \"dcqcn\", g = \"1/16\" }").replace(
        "transport = \"roce\"",
        "transport = \"roce\"\nroce = { control = \"hpcc\" }",
    );
    let spec = read(&text);
    assert!(spec.flows.iter().all(|flow| match &flow.transport {
        TransportSpec::Roce(roce) => matches!(roce.control, RateControlSpec::Hpcc(_)),
        _ => false,
    }));
}

/// RoCC's source alone obeys nobody, and a series of what control does not keep is empty.
#[test]
fn what_nobody_states_or_keeps_is_told() {
    let told = |roce: &str| codes(&file(roce));
    assert_eq!(told("control = \"rocc\""), ["no-rates"]);
    assert!(told("control = \"dcqcn\"").is_empty());
    assert!(told("control = \"nscc\"").is_empty());
    // Frames that say that they can't be marked are not.
    assert_eq!(told("control = \"nscc\"\necn = false"), ["no-marks"]);
    let series = |measure: &str, control: &str| {
        let series = format!("[[series]]\nname = \"s\"\nflow = \"f\"\nmeasure = \"{measure}\"\n");
        codes(&format!(
            "{}{series}",
            file(&format!("control = \"{control}\""))
        ))
    };
    let kept = [
        ("alpha", "dcqcn"),
        ("target", "dcqcn"),
        ("target", "hpcc"),
        ("link-use", "hpcc"),
        ("gradient", "timely"),
        ("target-delay", "swift"),
        ("target-delay", "nscc"),
        ("allowed", "none"),
    ];
    for (measure, control) in kept {
        assert!(series(measure, control).is_empty(), "{measure} {control}");
    }
    for (measure, control) in [("alpha", "hpcc"), ("gradient", "dcqcn"), ("target", "none")] {
        assert_eq!(
            series(measure, control),
            ["no-meaning"],
            "{measure} {control}"
        );
    }
}
