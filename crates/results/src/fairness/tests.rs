//! Shares known from books, by hand, and by what max-min means.

use super::*;

fn claim(channels: &[u32], demand: f64) -> Claim {
    Claim {
        loads: channels.iter().map(|channel| (*channel, 1.0)).collect(),
        demand,
        ..Claim::default()
    }
}

fn greedy(channels: &[u32]) -> Claim {
    claim(channels, f64::INFINITY)
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() < 1e-9, "{found:?}, not {expected:?}");
    }
}

#[test]
fn the_parking_lot_of_the_textbooks() {
    // One flow over all of four links in a row, others over one of them each; the second has two
    // of these, the third is twice as fast.
    let claims = [
        greedy(&[0, 1, 2, 3]),
        greedy(&[0]),
        greedy(&[1]),
        greedy(&[1]),
        greedy(&[2]),
        greedy(&[3]),
    ];
    let found = max_min(&[1.0, 1.0, 2.0, 1.0], &claims);
    let third = 1.0 / 3.0;
    close(
        &found.rates,
        &[third, 2.0 * third, third, third, 2.0 - third, 2.0 * third],
    );
    assert_eq!(found.limits[0], Limit::Channel(1));
    assert_eq!(found.limits[4], Limit::Channel(2));
}

/// Kung 1993, Figure 17: channels A-S1, B-S1, S1-S2, C-S2, D-S2, S2-E, S2-F.
fn figure_17() -> Vec<Claim> {
    vec![
        greedy(&[0, 2, 6]),
        greedy(&[1, 2, 5]),
        greedy(&[3, 6]),
        greedy(&[4, 6]),
    ]
}

#[test]
fn kung_figure_17() {
    let found = max_min(&[1.0; 7], &figure_17());
    let third = 1.0 / 3.0;
    close(&found.rates, &[third, 2.0 * third, third, third]);
    assert_eq!(
        found.limits,
        [6, 2, 6, 6].map(Limit::Channel),
        "VC1 stops at S2-F, VC2 at S1-S2"
    );
}

#[test]
fn who_wants_less_leaves_it_to_others() {
    let claims = [
        claim(&[0], 0.1),
        claim(&[0], 0.3),
        greedy(&[0]),
        greedy(&[0, 1]),
    ];
    let found = max_min(&[1.0, 0.25], &claims);
    close(&found.rates, &[0.1, 0.3, 0.35, 0.25]);
    assert_eq!(found.limits[1], Limit::Demand);
    assert_eq!(found.limits[3], Limit::Channel(1));
}

#[test]
fn a_better_group_goes_first() {
    let mut claims = vec![claim(&[0], 0.6), greedy(&[0]), greedy(&[0, 1])];
    claims[1].group = 1;
    claims[2].group = 1;
    close(&max_min(&[1.0, 1.0], &claims).rates, &[0.6, 0.2, 0.2]);
    claims[0].demand = f64::INFINITY;
    close(&max_min(&[1.0, 1.0], &claims).rates, &[1.0, 0.0, 0.0]);
}

#[test]
fn a_weight_counts_only_where_it_stands() {
    // A port that leaves a tenth of what others do not take: ABR + 0.9 others <= 0.9.
    let mut background = claim(&[0], 0.3);
    background.loads[0].1 = 0.9;
    let found = max_min(&[0.9], &[background.clone(), greedy(&[0])]);
    close(&found.rates, &[0.3, 0.63]);
    // Alone it fills the link.
    background.demand = f64::INFINITY;
    close(&max_min(&[0.9], &[background]).rates, &[1.0]);
}

#[test]
fn answers_are_a_background_found_by_repetition() {
    // One flow each way over a link of 1, each with answers of 1/32 on the other's channel:
    // r + r/32 = 1.
    let mut claims = vec![greedy(&[0]), greedy(&[1])];
    claims[0].echoes = vec![(1, 1.0 / 32.0)];
    claims[1].echoes = vec![(0, 1.0 / 32.0)];
    let found = max_min(&[1.0, 1.0], &claims);
    assert!(found.is_settled);
    close(&found.rates, &[32.0 / 33.0, 32.0 / 33.0]);
    close(&found.background, &[1.0 / 33.0, 1.0 / 33.0]);
    // Only one has answers: 1 for it, 31/32 for the other.
    claims[1].echoes.clear();
    close(&max_min(&[1.0, 1.0], &claims).rates, &[1.0, 31.0 / 32.0]);
}

#[test]
fn answers_do_not_stop_the_flow_they_belong_to() {
    // Nine others fill channel 1, where the first flow only has answers. It keeps all of channel
    // 0; as a weight of 1/32 on channel 1 the answers would stop it at 1 / (9 + 1/32).
    let mut claims = vec![greedy(&[0])];
    claims[0].echoes = vec![(1, 1.0 / 32.0)];
    claims.extend(vec![greedy(&[1]); 9]);
    let found = max_min(&[1.0, 1.0], &claims);
    let mut expected = vec![31.0 / 32.0 / 9.0; 10];
    expected[0] = 1.0;
    close(&found.rates, &expected);
    claims[0].loads.push((1, 1.0 / 32.0));
    claims[0].echoes.clear();
    let wrong = max_min(&[1.0, 1.0], &claims);
    assert!(wrong.rates[0] < 0.12, "the trap: {:?}", wrong.rates);
}

#[test]
fn answers_as_large_as_what_provokes_them_settle_too() {
    let mut claims = vec![greedy(&[0]), greedy(&[1])];
    claims[0].echoes = vec![(1, 1.0)];
    claims[1].echoes = vec![(0, 1.0)];
    let found = max_min(&[1.0, 1.0], &claims);
    assert!(found.is_settled);
    close(&found.rates, &[0.5, 0.5]);
}

#[test]
fn what_a_flow_carries_adds_to_its_demand() {
    let mut claims = vec![greedy(&[0]), claim(&[1], 0.2)];
    claims[1].carries = Some((0, 1.0 / 32.0));
    let found = max_min(&[1.0, 1.0], &claims);
    close(&found.rates, &[1.0, 0.2 + 1.0 / 32.0]);
}

#[test]
fn odd_claims_do_no_harm() {
    let claims = [greedy(&[]), greedy(&[9]), claim(&[0], -1.0), greedy(&[0])];
    let found = max_min(&[0.0], &claims);
    close(&found.rates, &[0.0; 4]);
    assert!(max_min(&[], &[]).rates.is_empty());
}

/// Why an allocation is not max-min fair, if it is not: a channel carries too much, or a flow of
/// some group could have more at no cost to those that have no more than it.
pub(crate) fn flaw(
    capacity: &[f64],
    claims: &[Claim],
    rates: &[f64],
    background: &[f64],
) -> Option<String> {
    const SLACK: f64 = 1e-6;
    let mut load = background.to_vec();
    for (claim, rate) in claims.iter().zip(rates) {
        for (channel, weight) in &claim.loads {
            load[*channel as usize] += weight * rate;
        }
    }
    for (channel, load) in load.iter().enumerate() {
        if *load > capacity[channel].max(background[channel]) + SLACK {
            return Some(format!("channel {channel} carries {load}"));
        }
    }
    for (index, claim) in claims.iter().enumerate() {
        let is_content = rates[index] >= claim.demand - SLACK;
        let is_stopped = claim.loads.iter().any(|(channel, _)| {
            let others = claims.iter().zip(rates).filter(|(other, _)| {
                other.group >= claim.group && other.loads.iter().any(|load| load.0 == *channel)
            });
            // Nobody of its group has more there, and nobody of a later group has anything.
            let most = |(other, rate): (&Claim, &f64)| {
                let bound = if other.group == claim.group {
                    rates[index] + SLACK
                } else {
                    SLACK
                };
                *rate <= bound
            };
            load[*channel as usize] >= capacity[*channel as usize] - SLACK && { others }.all(most)
        });
        if !is_content && !is_stopped {
            return Some(format!(
                "claim {index} could have more than {}",
                rates[index]
            ));
        }
    }
    None
}

/// Numbers without a pattern (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }
}

fn random(dice: &mut Dice) -> (Vec<f64>, Vec<Claim>) {
    let channels = 1 + dice.below(12);
    let capacity = (0..channels).map(|_| dice.below(100) as f64 / 10.0);
    let capacity: Vec<f64> = capacity.collect();
    let mut claims = Vec::new();
    for _ in 0..1 + dice.below(20) {
        let mut way: Vec<u32> = (0..channels as u32).collect();
        way.retain(|_| dice.below(3) == 0);
        if way.is_empty() {
            way.push(dice.below(channels) as u32);
        }
        let mut claim = match dice.below(3) {
            0 => claim(&way, dice.below(40) as f64 / 10.0),
            _ => greedy(&way),
        };
        claim.group = dice.below(2) as u32;
        if dice.below(2) == 0 {
            claim.echoes = vec![(dice.below(channels) as u32, 1.0 / 32.0)];
        }
        claims.push(claim);
    }
    (capacity, claims)
}

#[test]
fn every_flow_has_a_bottleneck_and_no_channel_too_much() {
    let mut dice = Dice(1998);
    let (mut even, mut spoiled) = (0, 0);
    for _ in 0..400 {
        let (capacity, claims) = random(&mut dice);
        let found = max_min(&capacity, &claims);
        assert!(found.is_settled);
        let broken = flaw(&capacity, &claims, &found.rates, &found.background);
        assert_eq!(broken, None, "{capacity:?} {claims:?} {:?}", found.rates);
        // The negative controls: the same for all, and a little less for one.
        let least = found.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let all_even = vec![least; claims.len()];
        even += usize::from(flaw(&capacity, &claims, &all_even, &found.background).is_some());
        let mut less = found.rates.clone();
        less[0] *= 0.99;
        spoiled += usize::from(flaw(&capacity, &claims, &less, &found.background).is_some());
    }
    assert!(even > 200 && spoiled > 200, "{even} and {spoiled} of 400");
}

#[test]
fn jain_lies_between_all_and_one() {
    assert_eq!(jain(&[3.0, 3.0]), 1.0);
    assert_eq!(jain(&[8.0, 0.0, 0.0, 0.0]), 0.25);
    assert_eq!(jain(&[0.0, 0.0]), 1.0);
    assert_eq!(jain(&[]), 1.0);
}

/// Three times a third of 100 is not 100 where numbers are rounded.
#[test]
fn what_rounding_leaves_of_a_full_channel_is_no_share() {
    let later = Claim {
        group: 1,
        ..greedy(&[0])
    };
    for before in 1..50 {
        let mut claims = vec![greedy(&[0]); before];
        claims.push(later.clone());
        let found = max_min(&[100e9], &claims);
        assert_eq!(found.rates[before], 0.0, "{before} before it");
    }
}
