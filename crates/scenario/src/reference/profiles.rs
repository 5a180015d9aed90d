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
        "DCQCN's sets of values (`roce.control.profile`), behind a port of 100 Gb/s; what grows\n\
         with that rate has a *. Each is a key of `roce.control`; `buffer.ecn` stands in the\n\
         switch, and the profile does not set it.\n\n",
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
    let mut rows = told_rows();
    rows.extend(source_rows());
    rows.extend(marking_rows());
    rows
}

/// What `show` says of each set; with a * where it says something else behind a slower port.
fn each<T>(
    of: impl Fn(rates::DcqcnProfile, Rate) -> T,
    show: impl Fn(&T) -> String,
) -> [String; 5] {
    PROFILES.map(|profile| {
        let at = |line: Rate| show(&of(profile.into(), line));
        let shown = at(LINE);
        match shown == at(Rate(LINE.0 / 2)) {
            true => shown,
            false => format!("{shown} *"),
        }
    })
}

fn of_source(show: impl Fn(&DcqcnSpec) -> String) -> [String; 5] {
    each(rates::DcqcnProfile::spec, show)
}

/// Only with one form; else nothing.
fn only(spec: &DcqcnSpec, form: DcqcnForm, text: String) -> String {
    match spec.form == form {
        true => text,
        false => "-".into(),
    }
}

/// What is told, and what alpha is made of.
fn told_rows() -> Vec<Row> {
    let form = |spec: &DcqcnSpec| match spec.form {
        DcqcnForm::Paper => "paper".to_owned(),
        DcqcnForm::Nic => "nic".to_owned(),
    };
    let looks = |spec: &DcqcnSpec| only(spec, DcqcnForm::Nic, span(spec.decrease_interval));
    let alpha = |spec: &DcqcnSpec| only(spec, DcqcnForm::Paper, (!spec.cuts_first).to_string());
    vec![
        ("form", of_source(form)),
        ("np", of_source(|spec| told(spec.notify).0.into())),
        ("cnp_interval", of_source(|spec| told(spec.notify).1)),
        ("g", of_source(|spec| gain(spec.gain))),
        ("initial_alpha", of_source(|spec| gain(spec.first_alpha))),
        (
            "alpha_interval",
            of_source(|spec| span(spec.alpha_interval)),
        ),
        ("alpha_first", of_source(alpha)),
        ("decrease_interval", of_source(looks)),
    ]
}

/// What a cut takes, and recovery gives.
fn source_rows() -> Vec<Row> {
    let clamp = |spec: &DcqcnSpec| match spec.clamp {
        Clamp::Always => "always".to_owned(),
        Clamp::AfterStage => "after-stage".to_owned(),
        Clamp::AfterBytes => "after-bytes".to_owned(),
    };
    let bytes = |spec: &DcqcnSpec| spec.byte_counter.map_or("off".into(), size);
    let cut = |spec: &DcqcnSpec| match spec.cut_bits {
        Some(bits) => format!("{bits}-bit"),
        None => "exact".into(),
    };
    let recovers = |spec: &DcqcnSpec| span(spec.increase_interval);
    vec![
        ("clamp", of_source(clamp)),
        (
            "largest_cut",
            of_source(|spec| spec.largest_cut.to_string()),
        ),
        ("(alpha in a cut)", of_source(cut)),
        ("least", of_source(|spec| rate(spec.least))),
        (
            "rate_on_first_cnp",
            of_source(|spec| spec.first_share.to_string()),
        ),
        ("increase_interval", of_source(recovers)),
        ("byte_counter", of_source(bytes)),
        ("stages", of_source(|spec| spec.stages.to_string())),
        ("additive", of_source(|spec| rate(spec.additive))),
        ("hyper", of_source(|spec| rate(spec.hyper))),
        ("release", of_source(|spec| spec.releases.to_string())),
    ]
}

/// What switches are told beside it.
fn marking_rows() -> Vec<Row> {
    let of = |show: fn(&Marking) -> String| each(rates::DcqcnProfile::marking, show);
    vec![
        (
            "buffer.ecn.min",
            of(|it| format!("{} kB", it.least_bytes / 1_000)),
        ),
        (
            "buffer.ecn.max",
            of(|it| format!("{} kB", it.most_bytes / 1_000)),
        ),
        (
            "buffer.ecn.probability",
            of(|it| it.probability.to_string()),
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
