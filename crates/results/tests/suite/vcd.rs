//! Waveforms of the flit engine, read back: what crosses channels, credit and fill, against what a
//! probe is told and against a run by hand.

use std::collections::BTreeMap;

use backwater_flit::Simulation;
use backwater_flit::probe::{Crossing, Probe};
use backwater_flit::spec::{FabricSpec, Injection, RoutingSpec, Shape, Size, TraceEntry};

use backwater_results::{FabricVcd, TraceFile};

use crate::perfetto::File;
use crate::sample::fabric;

/// Values of a signal by cycle, as they change.
type Changes = Vec<(u64, u64)>;

/// By channel and name of the signal.
fn read(content: &str) -> Result<BTreeMap<(u32, String), Changes>, String> {
    let (mut names, mut signals) = (BTreeMap::new(), BTreeMap::new());
    let (mut channel, mut cycle) = (None, None::<u64>);
    for line in content.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let change = match words[..] {
            ["$scope", "module", name, "$end"] => {
                let number = name.split('_').nth(1).and_then(|n| n.parse().ok());
                channel = Some(number.ok_or("a scope without a number")?);
                continue;
            }
            ["$var", "wire", _, short, name, "$end"] => {
                let key = (channel.ok_or("no scope")?, name.to_owned());
                if names.insert(short.to_owned(), key).is_some() {
                    return Err(format!("`{short}` stands for two"));
                }
                continue;
            }
            [bits, short] if bits.starts_with('b') => {
                let value = u64::from_str_radix(&bits[1..], 2);
                (short, value.map_err(|error| error.to_string())?)
            }
            [one] if one.starts_with('#') => {
                let next = one[1..].parse().map_err(|_| "no cycle")?;
                if let Some(cycle) = cycle.filter(|cycle| next <= *cycle) {
                    return Err(format!("{next} after {cycle}"));
                }
                cycle = Some(next);
                continue;
            }
            [bit] if bit.starts_with(['0', '1']) => (&bit[1..], u64::from(bit.starts_with('1'))),
            _ if line.starts_with('$') => continue,
            _ => return Err(format!("what is `{line}`?")),
        };
        let key = names.get(change.0).ok_or("an unknown signal")?;
        let own: &mut Changes = signals.entry(key.clone()).or_default();
        if own.last().is_some_and(|last| last.1 == change.1) {
            return Err(format!("{key:?} stays {}", change.1));
        }
        own.push((cycle.ok_or("a value before any instant")?, change.1));
    }
    Ok(signals)
}

fn at(changes: &[(u64, u64)], cycle: u64) -> u64 {
    let before = changes.partition_point(|change| change.0 <= cycle);
    before.checked_sub(1).map_or(0, |place| changes[place].1)
}

/// All crossings.
#[derive(Default)]
struct Told(Vec<Crossing>);

impl Probe for Told {
    fn on_crossing(&mut self, crossing: &Crossing) {
        self.0.push(*crossing);
    }
}

/// The waveforms of so many cycles, and what crossed channels in them.
fn run(spec: &FabricSpec, cycles: u64) -> (String, Vec<Crossing>) {
    let file = File::default();
    let mut vcd = FabricVcd::new(spec);
    vcd.begin(file.clone(), "backwater").expect("it begins");
    let mut simulation = Simulation::with_probe(spec, (vcd, Told::default())).expect("it builds");
    simulation.run_until(cycles);
    let (mut vcd, told) = simulation.into_probe();
    vcd.finish(cycles).expect("it is written");
    let content = String::from_utf8(file.0.take()).expect("it is text");
    (content, told.0)
}

/// One packet of three flits goes from terminal 0 to 2, over one VC of two places: a cycle for each
/// channel. A place is free, and known to be, in the cycle in which its flit has left.
#[test]
fn a_packet_alone_is_as_drawn_by_hand() {
    let (content, _) = run(&three_routers(), 12);
    let signals = read(&content).expect("it can be read");
    let of = |channel, name: &str| &signals[&(channel, name.to_owned())][..];
    for (channel, first) in [(4, 0), (0, 1), (9, 2)] {
        assert_eq!(
            of(channel, "valid"),
            waves(first, &[1], first + 3),
            "{channel}"
        );
        assert_eq!(of(channel, "head"), waves(first, &[1], first + 1));
        assert_eq!(of(channel, "tail"), [(0, 0), (first + 2, 1)]);
    }
    for (channel, first) in [(4, 0), (0, 1)] {
        let (fill, credit) = (of(channel, "fill_vc0"), of(channel, "credit_vc0"));
        assert_eq!(fill, [(0, 0), (first, 1), (first + 3, 0)], "{channel}");
        assert_eq!(credit, [(0, 2), (first, 1), (first + 3, 2)], "{channel}");
    }
    assert_eq!(of(9, "destination"), [(0, 0), (2, 2)]);
    assert!(
        !signals.contains_key(&(9, "credit_vc0".to_owned())),
        "{content}"
    );
}

/// 0, from the first cycle on a value, from the last on 0 again.
fn waves(first: u64, values: &[u64], last: u64) -> Vec<(u64, u64)> {
    let mut waves = vec![(0, 0)];
    waves.extend(values.iter().zip(first..).map(|(value, at)| (at, *value)));
    waves.push((last, 0));
    waves
}

fn three_routers() -> FabricSpec {
    let channels = [(0, 2), (1, 2), (2, 0), (2, 1)];
    let packet = TraceEntry {
        cycle: 0,
        source: 0,
        destination: 2,
        length: 3,
    };
    let mut spec = fabric::spec();
    spec.graph = fabric::graph(Shape::Irregular, 3, &channels);
    spec.routing = RoutingSpec::Table;
    spec.classes.truncate(1);
    spec.classes[0].injection = Injection::Trace(vec![packet]);
    spec.classes[0].size = Size::Fixed(3);
    (spec.router.lanes, spec.router.depth) = (1, 2);
    spec
}

/// Every crossing stands in the waveforms, and nothing else does.
fn differs(content: &str, told: &[Crossing], spec: &FabricSpec) -> Result<(), String> {
    let signals = read(content)?;
    for one in told {
        let value = |name: &str| {
            let own = signals.get(&(one.channel, name.to_owned()));
            own.map(|changes| at(changes, one.cycle))
        };
        let packet = &one.packet;
        let wanted = [
            ("valid", 1),
            ("vc", one.lane.into()),
            ("packet", packet.number.into()),
            ("flit", one.flit.into()),
            ("head", u64::from(one.flit == 0)),
            ("tail", u64::from(one.flit + 1 == packet.length)),
            ("source", packet.source.into()),
            ("destination", packet.destination.into()),
        ];
        for (name, wanted) in wanted {
            if value(name) != Some(wanted) {
                return Err(format!("{one}: {name} is {:?}", value(name)));
            }
        }
    }
    let cycles = told.iter().map(|one| one.cycle).max().unwrap_or(0) + 1;
    let mut carried = 0;
    for ((channel, name), changes) in &signals {
        if name == "valid" {
            carried += (0..cycles).filter(|cycle| at(changes, *cycle) == 1).count();
        }
        if let Some(lane) = name.strip_prefix("fill_") {
            let credit = &signals[&(*channel, format!("credit_{lane}"))];
            let places = |cycle| at(changes, cycle) + at(credit, cycle);
            let depth = u64::from(spec.router.depth);
            if let Some(cycle) = (0..cycles).find(|cycle| places(*cycle) > depth) {
                return Err(format!("{channel} {lane}: too many places in {cycle}"));
            }
        }
    }
    match carried == told.len() {
        true => Ok(()),
        false => Err(format!("{carried} flits, {} told", told.len())),
    }
}

#[test]
fn waveforms_are_what_crossed() {
    let mut spec = fabric::spec();
    spec.graph = fabric::torus(4);
    let (content, told) = run(&spec, 300);
    assert!(told.len() > 1_000, "{}", told.len());
    assert_eq!(differs(&content, &told, &spec), Ok(()));
    // With one flit less, one more, or a value otherwise, they are not.
    assert!(differs(&content, &told[1..], &spec).is_err());
    let mut more = told.clone();
    more[500].cycle += 1_000;
    assert!(differs(&content, &more, &spec).is_err());
    let mut other = told.clone();
    other[700].flit ^= 1;
    assert!(differs(&content, &other, &spec).is_err());
}
