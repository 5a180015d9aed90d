use super::*;
use crate::spec::TimeFloor;

const MBPS: u64 = 1_000_000;
const BITS: u32 = 424;

/// 32 cells of a source at `sr`, allowed `acr`, with ICR 1 Mbps.
fn due(acr: u64, sr: u64) -> Due {
    let elapsed = Duration(32 * BITS as u64 * 1_000_000 / sr);
    Due {
        now: Time(1_000_000_000_000),
        elapsed,
        acr: Rate(acr * MBPS),
        source_rate: Rate(sr * MBPS),
        icr: Rate(MBPS),
        mcr: Rate(0),
        nrm_gap: Duration(32 * BITS as u64 * 1_000_000 / acr),
        bits: BITS,
    }
}

fn answer(acr: u64, er: u64) -> Answer {
    Answer {
        now: Time(1_000_000_000_000),
        acr: Rate(acr * MBPS),
        er: Rate(er * MBPS),
        may_increase: true,
    }
}

fn count(pr5: bool) -> Uili {
    Uili::new(&UiliSpec::Count {
        headroom: Rate(MBPS),
        tdf: 0.125,
        pr5,
        slack: 1e-3,
    })
}

#[test]
fn count_takes_an_eighth_down_to_the_headroom() {
    // Figure 3 and the closed form: ceil(ln(28 / 11) / ln(8 / 7)) = 7 cells.
    let mut policy = count(false);
    let mut acr = Rate(28 * MBPS);
    let mut cells = 0;
    while acr > Rate(11 * MBPS) {
        let next = policy.on_forward(&Due { acr, ..due(28, 10) });
        assert!(next.0 >= acr.0 - acr.0 / 8, "at most TDF");
        assert!(!policy.permits(&answer(acr.0 / MBPS, 140)), "region A");
        (acr, cells) = (next, cells + 1);
    }
    assert_eq!((acr, cells), (Rate(11 * MBPS), 7));
    // Region B: neither down nor up. Region C: up.
    assert_eq!(policy.on_forward(&due(11, 10)), Rate(11 * MBPS));
    assert!(!policy.permits(&answer(11, 140)));
    assert_eq!(policy.on_forward(&due(10, 10)), Rate(10 * MBPS));
    assert!(policy.permits(&answer(10, 140)));
}

#[test]
fn pr5_leaves_the_test_out_once_after_an_increase() {
    let mut policy = count(true);
    assert!(policy.permits(&answer(10, 140)));
    assert_eq!(policy.on_forward(&due(140, 10)), Rate(140 * MBPS));
    assert_eq!(policy.on_forward(&due(140, 10)), Rate(122_500_000));
    // One that may raise nothing leaves it out as little.
    let mut policy = count(true);
    let refused = Answer {
        may_increase: false,
        ..answer(10, 140)
    };
    assert!(policy.permits(&refused));
    assert_eq!(policy.on_forward(&due(140, 10)), Rate(122_500_000));
    // An answer that raises nothing clears it: with it, the next test is made.
    let mut policy = count(true);
    assert!(policy.permits(&answer(140, 140)));
    assert_eq!(policy.on_forward(&due(140, 10)), Rate(122_500_000));
}

#[test]
fn time_takes_the_share_of_its_constant() {
    // Findings: 1 - Nrm / (SR Tc) = 0.9774 per cell at SR 10 and Tc 60 ms: 112 cells from 155.52
    // to 12.1 Mbps.
    let mut policy = Uili::new(&UiliSpec::Time {
        constant: Duration(60_000_000_000),
        floor: TimeFloor::Sum,
        headroom: Rate(MBPS),
        rule_5b: true,
        hold: None,
    });
    let mut acr = Rate(155_520_000);
    let mut cells = 0;
    while acr > Rate(12_100_000) {
        acr = policy.on_forward(&Due {
            acr,
            ..due(155, 10)
        });
        cells += 1;
    }
    assert_eq!(cells, 112);
    assert!(!policy.permits(&answer(12, 140)), "rule 5b");
    assert!(policy.permits(&answer(12, 140)), "only once");
}

#[test]
fn hold_refuses_while_the_rate_is_not_used() {
    let spec = |hold| UiliSpec::Time {
        constant: Duration(60_000_000_000),
        floor: TimeFloor::Product { tof: 2.0 },
        headroom: Rate(MBPS),
        rule_5b: false,
        hold,
    };
    let mut held = Uili::new(&spec(Some(1e-3)));
    assert_eq!(held.on_forward(&due(20, 10)), Rate(20 * MBPS), "TOF SR");
    assert!(!held.permits(&answer(20, 140)));
    let mut free = Uili::new(&spec(None));
    free.on_forward(&due(20, 10));
    assert!(free.permits(&answer(20, 140)));
}

#[test]
fn august_goes_to_icr_below_the_source_rate() {
    let august = |tdf_per_second| {
        Uili::new(&UiliSpec::August1995 {
            tof: 2.0,
            tdf_per_second,
            rule_5b: true,
        })
    };
    // T = 1.357 ms: T TDF > 1 for 16384/s; 128/s takes a sixth.
    assert_eq!(august(16384.0).on_forward(&due(28, 10)), Rate(MBPS));
    let gentle = august(128.0).on_forward(&due(28, 10));
    assert!(gentle > Rate(23 * MBPS) && gentle < Rate(24 * MBPS));
    // ACR <= TOF SR is not retention.
    assert_eq!(august(16384.0).on_forward(&due(20, 10)), Rate(20 * MBPS));
}

#[test]
fn baseline_stops_at_the_source_rate_and_icr() {
    let mut policy = Uili::new(&UiliSpec::Baseline {
        tdf: 0.125,
        rule_5b: false,
    });
    assert_eq!(policy.on_forward(&due(12, 10)), Rate(11 * MBPS));
    assert!(policy.permits(&answer(11, 140)), "no rule 5b");
}

#[test]
fn early_formulas_by_hand() {
    // February: TOF 2, so the third cell without an answer reduces, by T ACR / RDF: 10 ms at
    // 42.4 Mbps are 1,000 cells, of RDF 4,000.
    let mut february = Uili::new(&UiliSpec::February1995 {
        tof: 2,
        rdf_cells: 4000.0,
    });
    let at = |ms: u64| Due {
        now: Time(ms * 1_000_000_000),
        acr: Rate(42_400_000),
        ..due(42, 10)
    };
    february.permits(&Answer {
        now: Time(0),
        ..answer(42, 42)
    });
    assert_eq!(february.on_forward(&at(1)), Rate(42_400_000));
    assert_eq!(february.on_forward(&at(2)), Rate(42_400_000));
    assert_eq!(february.on_forward(&at(10)), Rate(31_800_000));
    // April: 1 / (1 + 1000 / 4000) = 0.8.
    let april = |floor_icr, icr| {
        let mut policy = Uili::new(&UiliSpec::April1995 {
            tof: 2.0,
            rdf_cells: 4000.0,
            floor_icr,
        });
        policy.on_forward(&Due {
            elapsed: Duration(10_000_000_000),
            icr: Rate(icr * MBPS),
            ..at(10)
        })
    };
    assert_eq!(april(false, 40), Rate(33_920_000));
    assert_eq!(april(true, 40), Rate(40 * MBPS));
    assert_eq!(april(true, 50), Rate(42_400_000));
}

#[test]
fn time_out_starts_again_from_icr() {
    let mut policy = Uili::new(&UiliSpec::TimeOut {
        adtf: Duration(500_000_000_000),
    });
    assert_eq!(policy.on_forward(&due(140, 10)), Rate(140 * MBPS));
    let late = Due {
        elapsed: Duration(500_000_000_001),
        ..due(140, 10)
    };
    assert_eq!(policy.on_forward(&late), Rate(MBPS));
}

#[test]
fn no_policy_goes_below_mcr() {
    let mut policy = Uili::new(&UiliSpec::August1995 {
        tof: 2.0,
        tdf_per_second: 1e6,
        rule_5b: false,
    });
    let mcr = Rate(5 * MBPS);
    assert_eq!(policy.on_forward(&Due { mcr, ..due(28, 10) }), mcr);
}
