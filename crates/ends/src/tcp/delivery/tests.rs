use super::*;
use backwater_kernel::Rate;

const MS: u64 = 1_000_000_000;

fn at(ms: u64) -> Time {
    Time(ms * MS)
}

/// A sender of segments of 1,000 bytes without losses: sent, acknowledged.
#[derive(Default)]
struct Trial {
    deliveries: Deliveries,
    sent: u64,
    una: u64,
}

impl Trial {
    fn send(&mut self, ms: u64) {
        let range = (self.sent, self.sent + 1_000);
        self.deliveries.on_sent(at(ms), range, self.sent - self.una);
        self.sent += 1_000;
    }

    fn standing(&self) -> Standing {
        Standing {
            acked: self.una,
            flight: self.sent - self.una,
            losses: None,
        }
    }

    fn ack(&mut self, ms: u64, una: u64) -> Sample {
        let before = self.standing();
        self.una = una;
        let sample = self
            .deliveries
            .on_ack(at(ms), (before, self.standing()), una, &[]);
        sample.expect("something is delivered")
    }
}

fn rate(sample: &Sample) -> Option<(u64, u64)> {
    sample.rate.map(|rate| (rate.bytes, rate.over.0 / MS))
}

/// By hand: three at once, acknowledged 1 ms apart, each of which lets one more go.
#[test]
fn samples_by_hand() {
    let mut trial = Trial::default();
    (0..3).for_each(|_| trial.send(0));
    let first = trial.ack(10, 1_000);
    assert_eq!(rate(&first), Some((1_000, 10)));
    assert_eq!(
        (first.rtt, first.prior_delivered),
        (Some(Duration(10 * MS)), 0)
    );
    trial.send(10);
    assert_eq!(rate(&trial.ack(11, 2_000)), Some((2_000, 11)));
    trial.send(11);
    assert_eq!(rate(&trial.ack(12, 3_000)), Some((3_000, 12)));
    // Sent at 10 ms when 1,000 were delivered: 2,000, 3,000 and this one since.
    let fourth = trial.ack(20, 4_000);
    assert_eq!(rate(&fourth), Some((3_000, 10)));
    assert_eq!(fourth.prior_delivered, 1_000);
    // Sent at 11 ms; the sending of what lies between took 11 ms, the acknowledging 10.
    assert_eq!(rate(&trial.ack(21, 5_000)), Some((3_000, 11)));
}

/// Acknowledgements that come in a bunch: what was sent at 1,000 bytes a millisecond is not
/// delivered faster, though acknowledgements alone would say so.
#[test]
fn a_bunch_of_acknowledgements_is_no_rate() {
    let mut trial = Trial::default();
    let (mut naive, mut acked_at) = (0, 0);
    for ms in 0..200 {
        trial.send(ms);
        if ms < 20 {
            continue;
        }
        // What arrived in 5 ms is acknowledged at once, after a wait of 0 or 3 ms in turn.
        if [0, 3].contains(&(ms % 10)) {
            let bunch = (ms - 10) / 5 * 5;
            let sample = trial.ack(ms, bunch.max(trial.una / 1_000 + 1) * 1_000);
            let sampled = sample.rate.map_or(0, |rate| rate.rate().0);
            assert!(sampled <= 8_000_000, "{sampled} at {ms} ms");
            let acking = ms - acked_at;
            naive = naive.max(sample.acked_bytes * 8_000 / acking);
            acked_at = ms;
        }
    }
    assert!(naive > 10_000_000, "the control would be seen: {naive}");
}

#[test]
fn what_the_application_limits_is_told() {
    let mut trial = Trial::default();
    trial.deliveries.on_limited(0);
    trial.send(0);
    trial.send(0);
    assert!(trial.ack(10, 1_000).is_app_limited);
    // What went before the gap was seen to be over still says so; what follows does not.
    trial.send(10);
    assert!(trial.ack(11, 2_000).is_app_limited);
    assert!(!trial.ack(20, 3_000).is_app_limited);
}

/// Of ten segments the third is lost; it is sent again.
#[test]
fn a_loss_is_what_leaves_the_pipe_without_arriving() {
    let mut trial = Trial::default();
    (0..10).for_each(|_| trial.send(0));
    let before = Standing {
        acked: 2_000,
        flight: 8_000,
        ..Standing::default()
    };
    trial.ack(10, 2_000);
    let after = Standing {
        acked: 5_000,
        flight: 4_000,
        ..Standing::default()
    };
    let sample = trial
        .deliveries
        .on_ack(at(11), (before, after), 2_000, &[(3_000, 6_000)]);
    let sample = sample.expect("three are delivered");
    assert_eq!(
        (sample.acked_bytes, sample.lost_bytes, sample.lost),
        (3_000, 1_000, 1_000)
    );
    assert_eq!(sample.rtt, Some(Duration(11 * MS)));
    // Again, at 11 ms; it says nothing of the round trip, and its sample counts from there.
    trial.deliveries.on_sent(at(11), (2_000, 3_000), 4_000);
    let before = Standing {
        acked: 9_000,
        flight: 1_000,
        ..Standing::default()
    };
    let after = Standing {
        acked: 10_000,
        flight: 0,
        ..Standing::default()
    };
    let blocks = [(3_000, 10_000)];
    trial
        .deliveries
        .on_ack(at(12), (after, before), 2_000, &blocks);
    let sample = trial
        .deliveries
        .on_ack(at(21), (before, after), 10_000, &[]);
    let sample = sample.expect("the last is delivered");
    assert_eq!(sample.rtt, None);
    assert_eq!(sample.prior_lost, 1_000);
    assert_eq!(sample.prior_delivered, 5_000);
}

#[test]
fn a_rate_rounds_down() {
    let third = crate::control::Delivered {
        bytes: 1_000,
        over: Duration(3 * MS),
    };
    assert_eq!(third.rate(), Rate(2_666_666));
}

/// Where losses go by time, what is lost is what the sender took for lost, whatever arrives late:
/// of five segments the first two were lost before, the first comes after all, and the third is
/// lost by the same acknowledgement.
#[test]
fn a_sender_that_counts_its_losses_is_believed() {
    let mut trial = Trial::default();
    (0..5).for_each(|_| trial.send(0));
    let standing = |acked, flight, bytes, last| Standing {
        acked,
        flight,
        losses: Some(Losses { bytes, last }),
    };
    let before = standing(0, 3_000, 2_000, 1_000);
    let after = standing(1_000, 2_000, 3_000, 2_000);
    let sample = trial
        .deliveries
        .on_ack(at(10), (before, after), 1_000, &[(3_000, 4_000)]);
    let sample = sample.expect("the first is delivered");
    assert_eq!((sample.acked_bytes, sample.lost_bytes), (1_000, 1_000));
    // The third went with three in flight.
    assert_eq!(sample.lost_segment, Some((3_000, 0)));
}
