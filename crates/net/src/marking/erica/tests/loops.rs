//! Ports and saturated sources without delay: where do the rates settle? Compared with the
//! max-min fair rates, computed by water filling.

use alloc::vec::Vec;

use backwater_kernel::{Purpose, Stream};

use super::*;

/// Long enough that a cell more or less is nothing.
const INTERVAL_PS: u64 = 50 * MS;

/// A chain of links and circuits that each cross some neighbours of them.
struct Chain {
    links: Vec<Rate>,
    /// First and last link of each circuit.
    ways: Vec<(usize, usize)>,
}

impl Chain {
    fn random(seed: u64) -> Chain {
        let mut stream = Stream::new(seed, 0, Purpose::Topology);
        let links = 1 + stream.below(4) as usize;
        let circuits = 1 + stream.below(8) as usize;
        let mut between =
            |low: usize, high: usize| low + stream.below((high - low) as u64) as usize;
        let ways = (0..circuits)
            .map(|_| {
                let first = between(0, links);
                (first, between(first, links))
            })
            .collect();
        let rates = (0..links).map(|_| Rate(1_000_000 * between(50, 151) as u64));
        Chain {
            links: rates.collect(),
            ways,
        }
    }

    fn crosses(&self, circuit: usize, link: usize) -> bool {
        (self.ways[circuit].0..=self.ways[circuit].1).contains(&link)
    }

    /// The max-min fair rates where `share` of each link may be used.
    fn fair_rates(&self, share: f64) -> Vec<f64> {
        let mut rates: Vec<Option<f64>> = vec![None; self.ways.len()];
        while rates.contains(&None) {
            let level = |link: usize| {
                let on = (0..rates.len()).filter(|c| self.crosses(*c, link));
                let used: f64 = on.clone().filter_map(|c| rates[c]).sum();
                let open = on.filter(|c| rates[*c].is_none()).count();
                (open > 0).then(|| (self.links[link].0 as f64 * share - used) / open as f64)
            };
            let levels = (0..self.links.len()).filter_map(|link| Some((level(link)?, link)));
            let (level, link) = levels.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
            for (circuit, rate) in rates.iter_mut().enumerate() {
                if self.crosses(circuit, link) {
                    rate.get_or_insert(level);
                }
            }
        }
        rates.into_iter().flatten().collect()
    }

    /// Mean rates over the last ten of `rounds` intervals, `tell` giving the answer of a port.
    fn settle(
        &self,
        spec: EricaSpec,
        rounds: usize,
        tell: fn(&mut Erica, &PortView, u32) -> Rate,
    ) -> Vec<f64> {
        let circuits = self.ways.len();
        let new = |link: &Rate| Erica::new(&spec, *link, circuits as u32, BITS);
        let mut ports: Vec<Erica> = self.links.iter().map(new).collect();
        let view = |link: usize, round: usize| PortView {
            now: Time(round as u64 * INTERVAL_PS),
            link: self.links[link],
            queue_cells: 0,
        };
        let mut rates = vec![Rate(10_000_000); circuits];
        let mut due = vec![0; circuits];
        let mut sums = vec![0.0; circuits];
        for round in 1..=rounds {
            for (circuit, rate) in rates.iter().enumerate() {
                // Bits that are due, of which whole cells go.
                due[circuit] += rate.bits_in(Duration(INTERVAL_PS));
                let mut frm = RmCell {
                    ccr: *rate,
                    ..RmCell::default()
                };
                for (link, port) in ports.iter_mut().enumerate() {
                    if !self.crosses(circuit, link) {
                        continue;
                    }
                    let at = view(link, round);
                    port.on_forward(&at, circuit as u32, &mut frm);
                    for _ in 0..due[circuit] / BITS as u128 {
                        port.on_cell(&at, circuit as u32, BITS);
                    }
                }
                due[circuit] %= BITS as u128;
            }
            for (link, port) in ports.iter_mut().enumerate() {
                port.on_timer(&view(link, round)).unwrap();
            }
            for circuit in 0..circuits {
                let way = self.ways[circuit].0..=self.ways[circuit].1;
                let told =
                    way.map(|link| tell(&mut ports[link], &view(link, round), circuit as u32));
                rates[circuit] = told.min().unwrap();
                if round + 10 > rounds {
                    sums[circuit] += rates[circuit].0 as f64 / 10.0;
                }
            }
        }
        sums
    }
}

fn answer(erica: &mut Erica, port: &PortView, seat: u32) -> Rate {
    let mut cell = RmCell {
        er: Rate(u64::MAX),
        ..RmCell::default()
    };
    erica.on_backward(port, seat, &mut cell);
    cell.er
}

/// The largest relative error of `rates`.
fn worst(rates: &[f64], fair: &[f64]) -> f64 {
    let errors = rates
        .iter()
        .zip(fair)
        .map(|(rate, fair)| (rate / fair - 1.0).abs());
    errors.fold(0.0, f64::max)
}

fn spec(delta: f64) -> EricaSpec {
    EricaSpec {
        interval: Duration(INTERVAL_PS),
        target: 0.9,
        delta,
        ..SPEC
    }
}

#[test]
fn saturated_sources_get_max_min_fair_rates() {
    for seed in 0..30 {
        let chain = Chain::random(seed);
        let rates = chain.settle(spec(0.0), 100, answer);
        let error = worst(&rates, &chain.fair_rates(0.9));
        assert!(error < 0.01, "seed {seed}: {error}");
    }
}

#[test]
fn a_parking_lot_by_hand() {
    // One circuit over two links of 90 and 60 Mbps, two more on the second: 20 each there, and
    // what is left of the first goes to the one that is on it alone.
    let chain = Chain {
        links: vec![Rate(100_000_000), Rate(66_666_667)],
        ways: vec![(0, 1), (1, 1), (1, 1), (0, 0)],
    };
    let fair = chain.fair_rates(0.9);
    assert!(worst(&fair, &[20e6, 20e6, 20e6, 70e6]) < 1e-6, "{fair:?}");
    assert!(worst(&chain.settle(spec(0.0), 100, answer), &fair) < 0.01);
}

#[test]
fn delta_lets_the_load_rest_above_one() {
    // The error stays, but is no larger than delta.
    let errors = (0..30).map(|seed| {
        let chain = Chain::random(seed);
        let rates = chain.settle(spec(0.1), 100, answer);
        worst(&rates, &chain.fair_rates(0.9))
    });
    let most = errors.fold(0.0, f64::max);
    assert!(0.02 < most && most < 0.12, "{most}");
}

#[test]
fn equal_shares_alone_are_not_max_min_fair() {
    let fails = |seed: &u64| {
        let chain = Chain::random(*seed);
        let rates = chain.settle(spec(0.0), 30, |erica, _, _| erica.fair_share());
        worst(&rates, &chain.fair_rates(0.9)) > 0.01
    };
    assert!((0..30).filter(fails).count() > 5);
}
