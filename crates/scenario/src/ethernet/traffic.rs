//! What applications send.

use ethernet::spec::{ThinkSpec, TrafficSpec, VideoSpec};
use kernel::{Duration, Rate, Time};

use crate::record::Record;

/// What the application of a flow sends.
pub(crate) fn traffic(record: &Record) -> TrafficSpec {
    let start = record.time("start").unwrap_or(Time::ZERO);
    let rate = |key: &str| record.rate(key).unwrap_or(Rate(1));
    let size = |key: &str| record.whole(key).unwrap_or(1);
    match record.word("kind") {
        "files" => TrafficSpec::Files {
            start,
            bytes: size("size"),
            think: think(record, "think", "think_law"),
            count: record.whole("transfers"),
        },
        "requests" => TrafficSpec::Requests {
            start,
            request_bytes: size("request"),
            response_bytes: size("response"),
            service: think(record, "service", "service_law"),
            think: think(record, "think", "think_law"),
            count: record.whole("transfers"),
        },
        "constant" => TrafficSpec::Constant {
            start,
            rate: rate("rate"),
            random_phase: record.word("phase") == "random",
        },
        "poisson" => TrafficSpec::Poisson {
            start,
            rate: rate("rate"),
        },
        "self-similar" => TrafficSpec::SelfSimilar {
            start,
            rate: rate("rate"),
            sources: record.count("sources").unwrap_or(1),
            peak: rate("peak"),
            shape: record.decimal("shape").unwrap_or(1.5),
            mean_on: record.duration("mean_on").unwrap_or(Duration(1)),
        },
        "video" => TrafficSpec::Video(VideoSpec {
            start,
            rate: rate("rate"),
            pictures_per_second: record.count("pictures").unwrap_or(30),
            variation: record.decimal("variation").unwrap_or(0.0),
            scene: record.duration("scene").unwrap_or(Duration(1)),
            correlation: record.decimal("correlation").unwrap_or(0.0),
            clip: (
                record.decimal("clip_least").unwrap_or(0.0),
                record.decimal("clip_most").unwrap_or(1.0),
            ),
            deadline: record.duration("deadline").unwrap_or(Duration::MAX),
        }),
        _ => TrafficSpec::Infinite {
            start,
            bytes: record.whole("total"),
        },
    }
}

fn think(record: &Record, key: &str, law: &str) -> ThinkSpec {
    let mean = record.duration(key).unwrap_or(Duration::ZERO);
    match record.word(law) {
        "fixed" => ThinkSpec::Fixed(mean),
        "exponential" => ThinkSpec::Exponential(mean),
        _ => ThinkSpec::Uniform(mean),
    }
}
