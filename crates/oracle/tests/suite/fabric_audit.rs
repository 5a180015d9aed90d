//! The audit of the cycle engine on random networks: it sees nothing wrong, and changes nothing.

use backwater_flit::Simulation;
use backwater_flit::probe::{Audit, Crossing, TraceProbe};
use backwater_flit::spec::FabricSpec;
use backwater_oracle::fabric::{Move, random_spec, run_logged};

const CYCLES: u64 = 400;

fn spec(seed: u64) -> FabricSpec {
    random_spec(seed, seed.is_multiple_of(2)).expect("a spec that builds")
}

#[test]
fn nothing_is_wrong_on_random_networks() {
    let mut checks = 0;
    for seed in 0..150 {
        let spec = spec(seed);
        // Two of three look at everything in every cycle.
        let audit = match seed % 3 {
            0 => Audit::new(&spec),
            _ => Audit::of_every_cycle(&spec),
        };
        let audit = audit.expect("it builds");
        let mut audited = Simulation::with_probe(&spec, audit).expect("it builds");
        let mut plain = Simulation::new(&spec).expect("it builds");
        audited.run_until(CYCLES);
        audited.look_over();
        plain.run_until(CYCLES);
        let found = audited.probe().violations();
        assert_eq!(
            found.total(),
            0,
            "seed {seed}: {found:?}\n{:?}",
            spec.router
        );
        assert_eq!(
            audited.outcome().trace_hash,
            plain.outcome().trace_hash,
            "seed {seed}"
        );
        assert_eq!(audited.flit_hops(), plain.flit_hops(), "seed {seed}");
        checks += audited.probe().checks();
    }
    assert!(checks > 10_000_000, "{checks}");
}

/// What the probe is told is what the reference does.
#[test]
fn a_trace_names_every_flit_as_the_reference_does() {
    let named = |at: &Crossing| Move {
        cycle: at.cycle,
        channel: at.channel,
        lane: at.lane,
        source: at.packet.source,
        destination: at.packet.destination,
        birth: at.packet.birth,
        flit: at.flit,
    };
    for seed in 0..40 {
        let spec = random_spec(seed, true).expect("a spec that builds");
        let reference = run_logged(&spec, CYCLES).expect("the laws hold");
        let mut engine = Simulation::with_probe(&spec, TraceProbe::default()).expect("it builds");
        engine.run_until(CYCLES);
        let trace: Vec<Move> = engine.probe_mut().take().iter().map(named).collect();
        assert_eq!(trace, reference.moves, "seed {seed}");
        assert_eq!(trace.len() as u64, engine.flit_hops(), "seed {seed}");
    }
}
