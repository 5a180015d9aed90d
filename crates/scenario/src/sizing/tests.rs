use backwater_kernel::{Duration, Rate};

use super::{Chip, Link, Settings, Sizing, all, bytes, cable, nanoseconds, rate, span};

const GBPS: u64 = 1_000_000_000;

fn link(gbps: u64, metres: u64, lossless_mtu: u32) -> Link {
    Link {
        rate: Rate(gbps * GBPS),
        back: Rate(gbps * GBPS),
        nodes: Duration::ZERO,
        delay: Duration(metres * 5_000),
        mtu: 9_100,
        lossless_mtu,
        least: None,
        is_tagged: false,
        response: Duration::ZERO,
    }
}

fn of(scheme: &str, link: &Link, settings: &Settings) -> Sizing {
    let mut found = all(link, settings).into_iter();
    found
        .find(|own| own.scheme == scheme)
        .expect("each scheme has a figure here")
}

/// Rate, metres; headroom with stops obeyed at once and as the standard allows, of frames of
/// 9,118 and of 4,154 bytes; by the published form, all packets small and half of them.
const PUBLISHED: [(u64, u64, [u64; 4], [u64; 2]); 6] = [
    (100, 5, [27_354, 45_590, 16_616, 41_540], [108_544, 44_032]),
    (
        100,
        300,
        [63_826, 82_062, 54_002, 78_926],
        [220_160, 83_968],
    ),
    (400, 5, [27_354, 82_062, 16_616, 74_772], [212_992, 86_016]),
    (
        400,
        40,
        [45_590, 100_298, 37_386, 91_388],
        [265_216, 104_448],
    ),
    (
        400,
        300,
        [173_242, 227_950, 166_160, 224_316],
        [659_456, 243_712],
    ),
    (
        800,
        300,
        [319_130, 382_956, 315_704, 369_706],
        [1_114_112, 410_624],
    ),
];

#[test]
fn the_tables_that_switches_are_given_come_out_to_the_byte() {
    for (gbps, metres, stops, published) in PUBLISHED {
        let [large, small] = [9_100, 4_136].map(|mtu| link(gbps, metres, mtu));
        let figures = [
            (large, "pfc"),
            (large, "pfc-ieee"),
            (small, "pfc"),
            (small, "pfc-ieee"),
        ];
        let found = figures.map(|(link, scheme)| of(scheme, &link, &Settings::default()).no_loss);
        assert_eq!(found, stops.map(Some), "{gbps}G over {metres} m");
        let chips = [
            (
                Chip {
                    generation: 3,
                    cell: 144,
                    small: 1.0,
                },
                1_024,
            ),
            (
                Chip {
                    generation: 4,
                    cell: 144,
                    small: 0.5,
                },
                4_096,
            ),
        ];
        let found = chips.map(|(chip, mtu)| {
            let settings = Settings {
                chip: Some(chip),
                ..Settings::default()
            };
            of("sonic", &link(gbps, metres, mtu), &settings).no_loss
        });
        assert_eq!(found, published.map(Some), "{gbps}G over {metres} m");
    }
}

/// A frame of so many bytes.
fn framed(gbps: u64, delay: Duration, frame: u32) -> Link {
    let mtu = frame - 18;
    Link {
        delay,
        mtu,
        ..link(gbps, 0, mtu)
    }
}

#[test]
fn counted_credits_are_those_of_the_closed_form() {
    let two_us = Duration(2_000_000);
    let limits = [(1_518, 912), (64, 673), (4_096, 960)].map(|(frame, credits)| {
        let found = of("cbfc", &framed(100, two_us, frame), &Settings::default());
        (found.full_rate, Some(64 * credits))
    });
    limits
        .iter()
        .for_each(|(found, wanted)| assert_eq!(found, wanted));
    let faster = framed(800, Duration(500_000), 1_518);
    assert_eq!(
        of("cbfc", &faster, &Settings::default()).full_rate,
        Some(64 * 1_704)
    );
    // Twelve bits: a kilometre at 100 Gbps is about the most.
    let reach = |metres: u64| {
        let link = framed(100, Duration(metres * 5_000), 4_096);
        of("infiniband", &link, &Settings::default()).full_rate
    };
    assert!(reach(930).is_some() && reach(1_060).is_none());
}

#[test]
fn mixed_sizes_need_more_and_tags_count() {
    let one = link(400, 300, 9_100);
    let mixed = Link {
        least: Some(64),
        ..one
    };
    let tagged = Link {
        is_tagged: true,
        ..one
    };
    let needs = |link: &Link| of("pfc", link, &Settings::default()).no_loss;
    assert!(needs(&mixed) > needs(&one));
    assert!(needs(&tagged) > needs(&one));
}

#[test]
fn a_rate_without_a_limit_in_the_standard_has_no_figure_by_it() {
    let schemes = |gbps| {
        let settings = Settings {
            chip: Some(Chip {
                generation: 4,
                cell: 144,
                small: 1.0,
            }),
            ..Settings::default()
        };
        let all = all(&link(gbps, 5, 1_500), &settings);
        all.iter().map(|own| own.scheme).collect::<Vec<_>>()
    };
    assert_eq!(schemes(400), super::SCHEMES);
    assert_eq!(schemes(1_600), ["pfc", "n23", "cbfc", "infiniband"]);
}

#[test]
fn quantities_are_read_as_people_write_them() {
    assert_eq!(rate("400G"), Ok(Rate(400 * GBPS)));
    assert_eq!(rate("400 Gbps"), rate("400GbE"));
    assert_eq!(cable("300m"), Ok(Duration(1_500_000)));
    assert_eq!(cable("2 km"), Ok(Duration(10_000_000)));
    assert_eq!(span("1.5us"), cable("300 m"));
    for text in ["9216", "9216 B", "9 KiB"] {
        assert_eq!(bytes(text), Ok(9_216));
    }
    for (wrong, said) in [
        (rate("400"), "`400` has no unit; write `400 Gbps` or `400G`"),
        (rate("0 Gbps"), "`0 Gbps`: a rate above 0 is needed"),
        (
            rate("fast"),
            "`fast` does not begin with a number; write `400 Gbps` or `400G`",
        ),
    ] {
        assert_eq!(wrong, Err(said.into()));
    }
    assert!(cable("300 feet").is_err() && cable("1000000 km").is_err() && span("2 s").is_err());
    assert_eq!(nanoseconds(Duration(1_234_560)), "1,234.56");
}
