//! The sets of values that DCQCN is known by, side by side.

use backwater_ends::spec::Notify;
use backwater_ends::spec::rates::{self, Clamp, DcqcnForm, DcqcnSpec, Marking};
use backwater_kernel::{Duration, Rate};

use crate::given::frames::rate_control::DcqcnProfile;
use crate::language::typed::Word;

/// The port for which they are shown.
const LINE: Rate = Rate(100_000_000_000);

const PROFILES: [DcqcnProfile; 5] = [
    DcqcnProfile::Paper,
    DcqcnProfile::Ns3Rdma,
    DcqcnProfile::Artifact,
    DcqcnProfile::ArtifactPaper,
    DcqcnProfile::Firmware,
];

/// One row: a key, and how it is written in each.
pub(crate) type Row = (&'static str, [String; 5]);

/// What `explain dcqcn` adds to what the tables say.
pub(crate) fn dcqcn_text() -> String {
    let names = PROFILES.map(|profile| profile.word().to_owned());
    let rows = rows();
    let all = || std::iter::once(("profile", &names)).chain(rows.iter().map(|row| (row.0, &row.1)));
    let widest = |column: usize| all().map(|row| row.1[column].len()).max().unwrap_or(0);
    let key = all().map(|row| row.0.len()).max().unwrap_or(0);
    let mut text = String::from(
        "DCQCN's sets of values (`roce.control.profile`), behind a port of 100 Gb/s; what grows with\n\
         that rate has a *. Each is a key of `roce.control`; `buffer.ecn` stands in the switch, and\n\
         the profile does not set it.\n\n",
    );
    for (name, values) in all() {
        let mut line = format!("  {name:key$}");
        for (column, value) in values.iter().enumerate() {
            line.push_str(&format!("  {value:width$}", width = widest(column)));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// All keys of all sets.
pub(crate) fn rows() -> Vec<Row> {
    let at = |line: Rate| PROFILES.map(|profile| rates::DcqcnProfile::from(profile).spec(line));
    let (specs, slower) = (at(LINE), at(Rate(LINE.0 / 2)));
    let each = |show: &dyn Fn(&DcqcnSpec) -> String| {
        let mut index = 0..specs.len();
        specs.map(|spec| {
            let at = index.next().unwrap_or(0);
            let grows = if show(&spec) == show(&slower[at]) {
                ""
            } else {
                " *"
            };
            format!("{}{grows}", show(&spec))
        })
    };
    let is_paper = |spec: &DcqcnSpec| spec.form == DcqcnForm::Paper;
    let mut rows = vec![
        (
            "form",
            each(&|spec| if is_paper(spec) { "paper" } else { "nic" }.into()),
        ),
        ("np", each(&|spec| told(spec.notify).0.into())),
        ("cnp_interval", each(&|spec| told(spec.notify).1)),
        ("g", each(&|spec| gain(spec.gain))),
        ("initial_alpha", each(&|spec| gain(spec.first_alpha))),
        ("alpha_interval", each(&|spec| span(spec.alpha_interval))),
        (
            "decrease_interval",
            each(&|spec| {
                if is_paper(spec) {
                    "-".into()
                } else {
                    span(spec.decrease_interval)
                }
            }),
        ),
        (
            "increase_interval",
            each(&|spec| span(spec.increase_interval)),
        ),
        (
            "byte_counter",
            each(&|spec| spec.byte_counter.map_or("off".into(), size)),
        ),
        ("stages", each(&|spec| spec.stages.to_string())),
        ("additive", each(&|spec| rate(spec.additive))),
        ("hyper", each(&|spec| rate(spec.hyper))),
        ("least", each(&|spec| rate(spec.least))),
        (
            "rate_on_first_cnp",
            each(&|spec| spec.first_share.to_string()),
        ),
        (
            "clamp",
            each(&|spec| match spec.clamp {
                Clamp::Always => "always".into(),
                Clamp::AfterStage => "after-stage".into(),
                Clamp::AfterBytes => "after-bytes".into(),
            }),
        ),
        ("largest_cut", each(&|spec| spec.largest_cut.to_string())),
        (
            "alpha_first",
            each(&|spec| {
                if is_paper(spec) {
                    (!spec.cuts_first).to_string()
                } else {
                    "-".into()
                }
            }),
        ),
        (
            "(alpha in a cut)",
            each(&|spec| {
                spec.cut_bits
                    .map_or("exact".into(), |bits| format!("{bits} bits"))
            }),
        ),
        ("release", each(&|spec| spec.releases.to_string())),
    ];
    rows.extend(marking_rows());
    rows
}

/// What switches are told beside it.
fn marking_rows() -> Vec<Row> {
    let at = |line: Rate| PROFILES.map(|profile| rates::DcqcnProfile::from(profile).marking(line));
    let (all, slower) = (at(LINE), at(Rate(LINE.0 / 2)));
    let each = |show: &dyn Fn(&Marking) -> String| {
        let mut index = 0..all.len();
        all.map(|marking| {
            let at = index.next().unwrap_or(0);
            let grows = if show(&marking) == show(&slower[at]) {
                ""
            } else {
                " *"
            };
            format!("{}{grows}", show(&marking))
        })
    };
    vec![
        (
            "buffer.ecn.min",
            each(&|it| format!("{} kB", it.least_bytes / 1_000)),
        ),
        (
            "buffer.ecn.max",
            each(&|it| format!("{} kB", it.most_bytes / 1_000)),
        ),
        (
            "buffer.ecn.probability",
            each(&|it| it.probability.to_string()),
        ),
    ]
}

fn told(notify: Notify) -> (&'static str, String) {
    match notify {
        Notify::Window(interval) => ("window", span(interval)),
        Notify::Tick(interval) => ("tick", span(interval)),
        Notify::Echo => ("ack", "-".into()),
    }
}

fn span(span: Duration) -> String {
    format!("{} us", span.0 / 1_000_000)
}

fn size(bytes: u64) -> String {
    match bytes.is_multiple_of(1_000_000) {
        true => format!("{} MB", bytes / 1_000_000),
        false => format!("{bytes} B"),
    }
}

fn rate(rate: Rate) -> String {
    format!("{} Mbps", rate.0 / 1_000_000)
}

/// As a fraction of a power of two, where it is one.
fn gain(share: f64) -> String {
    let bits = (0..=10).find(|bits| (share * f64::from(1 << bits)).fract() == 0.0);
    match bits {
        Some(0) | None => share.to_string(),
        Some(bits) => format!("{}/{}", share * f64::from(1 << bits), 1 << bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names are those of the sets, and every number can be written where it is named.
    #[test]
    fn sets_stand_under_their_own_names() {
        let own = PROFILES.map(rates::DcqcnProfile::from);
        assert_eq!(own, rates::DcqcnProfile::ALL);
        let rows = rows();
        let row = |name: &str| {
            let found = rows.iter().find(|row| row.0 == name);
            found.map(|row| row.1.each_ref().map(String::as_str))
        };
        let gains = ["1/256", "1/256", "1/256", "1/256", "5/1024"];
        assert_eq!(row("g"), Some(gains));
        let increases = ["40 Mbps", "40 Mbps", "20 Mbps *", "20 Mbps *", "5 Mbps"];
        assert_eq!(row("additive"), Some(increases));
        let timers = ["55 us", "60 us", "300 us", "55 us", "300 us"];
        assert_eq!(row("increase_interval"), Some(timers));
        let kmin = ["5 kB", "40 kB", "400 kB *", "400 kB *", "150 kB"];
        assert_eq!(row("buffer.ecn.min"), Some(kmin));
        assert!(dcqcn_text().lines().all(|line| line.len() <= 100));
    }
}
