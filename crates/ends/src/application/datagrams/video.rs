//! A stand-in for H.261 video at a variable bit rate: the traces of the study are not public.
//!
//! Pictures come at even gaps. The logarithm of a picture's size is normal; half of its variance
//! is a level that is drawn anew for each scene, half an AR(1) process that goes on over scenes:
//!
//! ```text
//! s^2 = ln(1 + variation^2)
//! size = mean * exp(s * (scene + ar) / sqrt(2) - s^2 / 2)
//! ar' = r * ar + sqrt(1 - r^2) * normal
//! ```
//!
//! so that the mean is the mean and the deviation is `variation` means, apart from the clip. The
//! datagrams of a picture, all full but the last, are spread evenly over its time: the first at
//! its beginning, the last one gap before its end.

use backwater_kernel::stream::Purpose;
use backwater_kernel::{Stream, Time};
use libm::{exp, log1p, round, sqrt};

use super::super::gaps::{Pace, Rest};
use super::Datagram;
use crate::spec::bytes::VideoSpec;
use crate::turns::Turns;

/// A camera and its coder.
pub(super) struct Video {
    pace: Pace,
    rest: Rest,
    sizes: Sizes,
    /// The present picture began here,
    began_ps: u64,
    /// and the next one begins here.
    ends_ps: u64,
    /// Payload of the picture not yet sent.
    left_bytes: u64,
    /// Datagrams of the picture.
    datagrams: u64,
    /// Those sent.
    sent: u64,
}

/// Sizes of pictures.
struct Sizes {
    mean_bytes: f64,
    clip: (f64, f64),
    /// Mean of the logarithm of a size over the mean size.
    offset: f64,
    /// Deviation of each half of that logarithm.
    deviation: f64,
    correlation: f64,
    innovation: f64,
    level: f64,
    level_ends: Time,
    ar: f64,
    spec: VideoSpec,
    sizes: Stream,
    scenes: Stream,
}

impl Video {
    /// A video that begins as `spec` says.
    pub fn new(spec: VideoSpec, seed: u64, flow: u64, payload_bytes: u32) -> Video {
        let pace = Pace::of_frequency(spec.pictures_per_second);
        let phase_ps = Stream::new(seed, flow, Purpose::Start).below(pace.least_gap_ps());
        let first_ps = spec.start.ps().saturating_add(phase_ps);
        let mut video = Video {
            pace,
            rest: Rest::default(),
            sizes: Sizes::new(spec, seed, flow, Time(first_ps)),
            began_ps: first_ps,
            ends_ps: first_ps,
            left_bytes: 0,
            datagrams: 0,
            sent: 0,
        };
        video.next_picture(payload_bytes);
        video
    }

    /// The next datagram.
    #[inline]
    pub fn next_ps(&self) -> u64 {
        let picture_ps = u128::from(self.ends_ps - self.began_ps);
        let into = picture_ps * u128::from(self.sent) / u128::from(self.datagrams);
        self.began_ps + into as u64
    }

    /// That datagram is sent.
    pub fn take(&mut self, payload_bytes: u32) -> Datagram {
        let bytes = self.left_bytes.min(u64::from(payload_bytes));
        self.left_bytes -= bytes;
        self.sent += 1;
        let began_ps = self.began_ps;
        let is_last = self.sent == self.datagrams;
        if is_last {
            self.next_picture(payload_bytes);
        }
        Datagram {
            bytes: bytes as u32,
            picture_ps: is_last.then_some(began_ps),
        }
    }

    fn next_picture(&mut self, payload_bytes: u32) {
        self.began_ps = self.ends_ps;
        let gap_ps = self.pace.next_gap_ps(&mut self.rest);
        self.ends_ps = self.began_ps.saturating_add(gap_ps);
        self.left_bytes = self.sizes.draw(Time(self.began_ps));
        self.datagrams = self.left_bytes.div_ceil(u64::from(payload_bytes.max(1)));
        self.sent = 0;
    }
}

impl Sizes {
    fn new(spec: VideoSpec, seed: u64, flow: u64, first: Time) -> Sizes {
        let variance = log1p(spec.variation * spec.variation);
        let mut sizes = Stream::new(seed, flow, Purpose::Size);
        let mut scenes = Stream::new(seed, flow, Purpose::Traffic);
        let bytes_per_second = spec.rate.0 as f64 / 8.0;
        Sizes {
            mean_bytes: bytes_per_second / f64::from(spec.pictures_per_second.max(1)),
            clip: spec.clip,
            offset: -variance / 2.0,
            deviation: sqrt(variance / 2.0),
            correlation: spec.correlation,
            innovation: sqrt((1.0 - spec.correlation * spec.correlation).max(0.0)),
            level: sizes.normal(),
            level_ends: next(first, spec, &mut scenes),
            ar: sizes.normal(),
            spec,
            sizes,
            scenes,
        }
    }

    /// Size of the picture that begins at `at`, at least a byte.
    fn draw(&mut self, at: Time) -> u64 {
        let mut turns = Turns::from(self.level_ends);
        while self.level_ends <= at {
            self.level = self.sizes.normal();
            self.level_ends = next(self.level_ends, self.spec, &mut self.scenes);
            self.level_ends += turns.pass(self.level_ends, at);
        }
        let log = self.offset + self.deviation * (self.level + self.ar);
        self.ar = self.correlation * self.ar + self.innovation * self.sizes.normal();
        let means = exp(log).clamp(self.clip.0, self.clip.1.max(self.clip.0));
        (round(means * self.mean_bytes) as u64).max(1)
    }
}

/// End of a scene that begins at `from`.
fn next(from: Time, spec: VideoSpec, scenes: &mut Stream) -> Time {
    from.checked_add(scenes.exponential(spec.scene))
        .unwrap_or(Time::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use backwater_kernel::time::PS_PER_SECOND;
    use backwater_kernel::{Duration, Rate};

    const PAYLOAD_BYTES: u32 = 1_000;

    fn spec() -> VideoSpec {
        VideoSpec {
            start: Time(5),
            rate: Rate(1_500_000),
            pictures_per_second: 30,
            variation: 0.45,
            scene: Duration(4 * PS_PER_SECOND),
            correlation: 0.8,
            clip: (0.1, 5.0),
            deadline: Duration(PS_PER_SECOND / 10),
        }
    }

    /// The first pictures: when each began and its bytes.
    fn pictures(spec: VideoSpec, seed: u64, count: usize) -> Vec<(u64, u64)> {
        let mut video = Video::new(spec, seed, 0, PAYLOAD_BYTES);
        let (mut found, mut bytes) = (Vec::new(), 0);
        while found.len() < count {
            let datagram = video.take(PAYLOAD_BYTES);
            bytes += u64::from(datagram.bytes);
            if let Some(began_ps) = datagram.picture_ps {
                found.push((began_ps, bytes));
                bytes = 0;
            }
        }
        found
    }

    /// Mean, deviation over mean, correlation of neighbours.
    fn moments(sizes: &[f64]) -> (f64, f64, f64) {
        let n = sizes.len() as f64;
        let mean = sizes.iter().sum::<f64>() / n;
        let variance = sizes.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
        let pairs = sizes.windows(2).map(|w| (w[0] - mean) * (w[1] - mean));
        let together = pairs.sum::<f64>() / n;
        (mean, sqrt(variance) / mean, together / variance)
    }

    fn sizes(spec: VideoSpec) -> Vec<f64> {
        let found = pictures(spec, 1, 100_000);
        found.iter().map(|p| p.1 as f64).collect()
    }

    #[test]
    fn sizes_have_the_mean_and_the_variation() {
        let (mean, variation, neighbours) = moments(&sizes(spec()));
        // 1.5 Mb/s at 30 pictures a second are 6250 B each.
        assert!((mean / 6_250.0 - 1.0).abs() < 0.03, "{mean}");
        assert!((variation - 0.45).abs() < 0.02, "{variation}");
        // Of the logarithm: (1 - 1/120) / 2 + 0.8 / 2 = 0.896.
        assert!((neighbours - 0.89).abs() < 0.02, "{neighbours}");
    }

    /// Negative control: without scenes and correlation neighbours have nothing in common.
    #[test]
    fn without_scenes_neighbours_are_strangers() {
        let mut strangers = spec();
        (strangers.correlation, strangers.scene) = (0.0, Duration(PS_PER_SECOND / 200));
        let (_, variation, neighbours) = moments(&sizes(strangers));
        assert!((variation - 0.45).abs() < 0.02, "{variation}");
        assert!(neighbours.abs() < 0.02, "{neighbours}");
    }

    /// Scenes that are far shorter than a picture are passed over; sizes vary as they should.
    #[test]
    fn scenes_of_a_picosecond_take_no_time() {
        let mut shortest = spec();
        (shortest.correlation, shortest.scene) = (0.0, Duration(1));
        let found = pictures(shortest, 1, 400);
        let sizes: Vec<f64> = found.iter().map(|p| p.1 as f64).collect();
        let (mean, variation, neighbours) = moments(&sizes);
        assert!((mean / 6_250.0 - 1.0).abs() < 0.1, "{mean}");
        assert!((variation - 0.45).abs() < 0.06, "{variation}");
        assert!(neighbours.abs() < 0.15, "{neighbours}");
    }

    #[test]
    fn the_clip_is_respected() {
        let mut clipped = spec();
        clipped.clip = (0.8, 1.25);
        let found = sizes(clipped);
        assert!(found.iter().all(|x| (5_000.0..=7_813.0).contains(x)));
        assert!(found.iter().filter(|x| **x == 5_000.0).count() > 1_000);
        assert!(sizes(spec()).iter().any(|x| *x < 5_000.0));
    }

    #[test]
    fn pictures_come_evenly_and_the_seed_decides() {
        let found = pictures(spec(), 1, 31);
        let first_ps = found[0].0;
        assert!((5..5 + PS_PER_SECOND / 30).contains(&first_ps));
        for (k, picture) in (0..).zip(&found) {
            assert_eq!(picture.0, first_ps + k * PS_PER_SECOND / 30);
        }
        assert_eq!(found, pictures(spec(), 1, 31));
        assert_ne!(found, pictures(spec(), 2, 31));
    }

    #[test]
    fn datagrams_fill_the_time_of_their_picture() {
        let mut video = Video::new(spec(), 1, 0, PAYLOAD_BYTES);
        for _ in 0..100 {
            let (began_ps, ends_ps) = (video.began_ps, video.ends_ps);
            let (count, bytes) = (video.datagrams, video.left_bytes);
            assert_eq!(count, bytes.div_ceil(1_000));
            for i in 0..count {
                assert_eq!(video.next_ps(), began_ps + i * (ends_ps - began_ps) / count);
                let datagram = video.take(PAYLOAD_BYTES);
                let is_last = i + 1 == count;
                let full = if is_last { bytes - i * 1_000 } else { 1_000 };
                assert_eq!(u64::from(datagram.bytes), full);
                assert_eq!(datagram.picture_ps, is_last.then_some(began_ps));
            }
            assert_eq!(video.next_ps(), ends_ps);
        }
    }
}
