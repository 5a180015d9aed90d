//! Who should get what: max-min shares by water filling, and Jain's index.

/// Max-min fair rates of flows over these channels, bits per second: all rates grow together; a
/// flow stops growing at its demand or when a channel of its way is full.
///
/// `flows` has the way and the demand of each; no demand is as much as it can get.
pub fn fair_shares(rates_bps: &[u64], flows: &[(&[u32], Option<f64>)]) -> Vec<f64> {
    let mut left: Vec<f64> = rates_bps.iter().map(|rate| *rate as f64).collect();
    let mut share = vec![0.0; flows.len()];
    let mut grows: Vec<bool> = flows.iter().map(|(path, _)| !path.is_empty()).collect();
    while grows.iter().any(|grows| *grows) {
        let mut crossing = vec![0u32; left.len()];
        for ((path, _), _) in flows.iter().zip(&grows).filter(|(_, grows)| **grows) {
            path.iter()
                .for_each(|channel| crossing[*channel as usize] += 1);
        }
        let channels = left.iter().zip(&crossing).filter(|(_, count)| **count > 0);
        let by_channel = channels.map(|(left, count)| left / f64::from(*count));
        let by_demand = (0..flows.len()).filter(|flow| grows[*flow]);
        let by_demand = by_demand.filter_map(|flow| Some(flows[flow].1? - share[flow]));
        let step = by_channel.chain(by_demand).fold(f64::INFINITY, f64::min);
        for flow in (0..flows.len()).filter(|flow| grows[*flow]) {
            share[flow] += step;
        }
        for (left, count) in left.iter_mut().zip(&crossing) {
            *left -= step * f64::from(*count);
        }
        for (flow, (path, demand)) in flows.iter().enumerate() {
            let is_full = |channel: &u32| {
                let channel = *channel as usize;
                left[channel] <= rates_bps[channel] as f64 * 1e-9
            };
            let has_all = demand.is_some_and(|demand| share[flow] >= demand * (1.0 - 1e-9));
            if path.iter().any(is_full) || has_all {
                grows[flow] = false;
            }
        }
    }
    share
}

/// Jain's fairness index: 1 where all are equal, 1/n where one has everything. Not a number
/// without values.
pub fn jain(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().sum();
    let squares: f64 = values.iter().map(|value| value * value).sum();
    match values.is_empty() || squares == 0.0 {
        true => f64::NAN,
        false => sum * sum / (values.len() as f64 * squares),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parking_lot_is_filled_from_its_narrowest_link() {
        // Kung 1993, Figure 17: channel 0 between the switches, 1 to F, 2 to E.
        let flows: [(&[u32], Option<f64>); 4] =
            [(&[0, 1], None), (&[0, 2], None), (&[1], None), (&[1], None)];
        let shares = fair_shares(&[300, 300, 300], &flows);
        let expected = [100.0, 200.0, 100.0, 100.0];
        for (share, expected) in shares.iter().zip(expected) {
            assert!((share - expected).abs() < 1e-6, "{shares:?}");
        }
    }

    #[test]
    fn what_a_demand_leaves_goes_to_the_others() {
        let shares = fair_shares(&[90], &[(&[0], Some(10.0)), (&[0], None), (&[0], None)]);
        assert!((shares[0] - 10.0).abs() < 1e-6 && (shares[1] - 40.0).abs() < 1e-6);
    }

    #[test]
    fn jain_tells_equal_from_unequal() {
        assert_eq!(jain(&[3.0, 3.0, 3.0]), 1.0);
        assert_eq!(jain(&[5.0, 0.0]), 0.5);
        assert!(jain(&[]).is_nan() && jain(&[0.0]).is_nan());
    }
}
