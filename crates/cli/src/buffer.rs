//! `backwater buffer`: how many bytes of buffer one link needs, scheme by scheme, with every term.

use std::path::{Path, PathBuf};

use backwater_kernel::Duration;
use backwater_kernel::words::grouped;
use backwater_results::model::{Axis, Curve, Plot, Style};
use backwater_scenario::nearest;
use backwater_scenario::sizing::{self, Chip, Link, SCHEMES, Settings, Sizing, nanoseconds};
use serde_json::json;

use crate::output::Output;
use crate::{SUCCESS, document, fail, files};

/// Ethernet's own bytes around a packet, with a tag.
const LARGEST_HEADER: u32 = 22;

/// The link, and what crosses it.
#[derive(clap::Args)]
pub struct Options {
    /// Rate of both directions, as `400G` or `"25 Gbps"`
    #[arg(long, allow_hyphen_values = true, value_parser = sizing::rate, value_name = "RATE")]
    #[arg(help_heading = "Link")]
    rate: backwater_kernel::Rate,
    /// Length of the cable, 5 ns a metre, as `300m`
    #[arg(allow_hyphen_values = true)]
    #[arg(
        long,
        value_name = "LENGTH",
        required_unless_present = "delay",
        help_heading = "Link"
    )]
    length: Option<String>,
    /// Delay of the cable one way, instead of its length, as `1.5us`
    #[arg(allow_hyphen_values = true)]
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "length",
        help_heading = "Link"
    )]
    delay: Option<String>,
    /// Largest IP packet of the port
    #[arg(long, value_name = "BYTES", default_value = "1500", value_parser = packet)]
    #[arg(help_heading = "Frames")]
    mtu: u32,
    /// Largest IP packet of the lossless class [default: that of the port]
    #[arg(long, value_name = "BYTES", value_parser = packet, help_heading = "Frames")]
    lossless_mtu: Option<u32>,
    /// Smallest frame of the class, where frames of all sizes mix [default: all are the largest]
    #[arg(long, value_name = "BYTES", value_parser = packet, help_heading = "Frames")]
    least: Option<u32>,
    /// Frames carry a VLAN tag (4 B)
    #[arg(long, help_heading = "Frames")]
    tagged: bool,
    /// How long a stop takes to act after its last bit, or `ieee`: what the standard allows, which
    /// is shown beside it
    #[arg(
        long,
        value_name = "TIME",
        default_value = "0 s",
        allow_hyphen_values = true
    )]
    #[arg(help_heading = "Frames")]
    response: String,
    /// Generation of the switch chip, 1 to 6: adds the headroom that SONiC publishes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=6))]
    #[arg(help_heading = "SONiC")]
    chip: Option<u32>,
    /// Cells of the chip's memory [default: those of its generation]
    #[arg(long, value_name = "BYTES", value_parser = packet, requires = "chip")]
    #[arg(help_heading = "SONiC")]
    cell: Option<u32>,
    /// Share of small packets that the chip is set up for, 0 to 1
    #[arg(long, value_name = "SHARE", default_value = "1", value_parser = share, requires = "chip")]
    #[arg(help_heading = "SONiC")]
    small_packets: f64,
    /// Frames freed between two credit frames of N23
    #[arg(long, value_name = "FRAMES", default_value = "10")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    #[arg(help_heading = "Credit")]
    n2: u32,
    /// Cell in which CBFC counts
    #[arg(long, value_name = "BYTES", default_value = "64", value_parser = packet)]
    #[arg(help_heading = "Credit")]
    credit_cell: u32,
    /// Bytes that CBFC adds to each frame
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "-4",
        allow_hyphen_values = true
    )]
    #[arg(value_parser = clap::value_parser!(i32).range(-16..=127))]
    #[arg(help_heading = "Credit")]
    credit_overhead: i32,
    /// Line time between two updates of CBFC, in bytes
    #[arg(long, value_name = "BYTES", default_value = "6400", value_parser = packet)]
    #[arg(help_heading = "Credit")]
    credit_spacing: u32,
    /// Only these schemes, with commas
    #[arg(
        long,
        value_name = "SCHEME",
        value_delimiter = ',',
        help_heading = "Output"
    )]
    scheme: Vec<String>,
    /// Draw bytes over length, up to twice this one, as SVG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    picture: Option<PathBuf>,
    #[command(flatten)]
    pub output: Output,
}

/// Prints what the link needs.
pub fn buffer(options: &Options) -> u8 {
    let needs = match options
        .link()
        .and_then(|link| Ok((link, options.needs(&link)?)))
    {
        Ok(needs) => needs,
        Err(message) => return fail(message),
    };
    let (link, needs) = needs;
    text(&link, &needs)
        .iter()
        .for_each(|line| println!("{line}"));
    put(&link, &needs);
    match &options.picture {
        None => SUCCESS,
        Some(file) => draw(options, &link, file),
    }
}

impl Options {
    fn link(&self) -> Result<Link, String> {
        let delay = match (&self.length, &self.delay) {
            (Some(length), _) => sizing::cable(length)?,
            (None, Some(delay)) => sizing::span(delay)?,
            (None, None) => Duration::ZERO,
        };
        if let Some(least) = self.least
            && least > self.lossless_mtu.unwrap_or(self.mtu) + LARGEST_HEADER
        {
            return Err(format!(
                "`--least {least}`: a frame of the class has less; the largest packet is `--mtu` \
                 or `--lossless-mtu`"
            ));
        }
        Ok(Link {
            rate: self.rate,
            back: self.rate,
            delay,
            nodes: Duration::ZERO,
            mtu: self.mtu,
            lossless_mtu: self.lossless_mtu.unwrap_or(self.mtu),
            least: self.least,
            is_tagged: self.tagged,
            response: self.response()?,
        })
    }

    /// As in a scenario: a time, or what the standard allows.
    fn response(&self) -> Result<Duration, String> {
        match self.response.as_str() {
            "ieee" => sizing::allowed(self.rate).ok_or_else(|| {
                "IEEE 802.3 has no limit for this rate: give `--response` a time".into()
            }),
            time => sizing::span(time),
        }
    }

    fn settings(&self) -> Settings {
        /// Of generations 1 to 6.
        const CELLS: [u32; 6] = [96, 144, 144, 192, 192, 256];
        let chip = self.chip.map(|generation| Chip {
            generation,
            cell: self.cell.unwrap_or(CELLS[generation as usize - 1]),
            small: self.small_packets,
        });
        Settings {
            n2: self.n2,
            cell: self.credit_cell,
            overhead: self.credit_overhead,
            spacing: self.credit_spacing,
            chip,
        }
    }

    fn needs(&self, link: &Link) -> Result<Vec<Sizing>, String> {
        for scheme in &self.scheme {
            if !SCHEMES.contains(&scheme.as_str()) {
                let near = nearest(scheme, SCHEMES);
                let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
                let all = SCHEMES.join(", ");
                return Err(format!("no scheme `{scheme}`{near}\none of {all}"));
            }
        }
        let is_wanted = |own: &Sizing| {
            self.scheme.is_empty() || self.scheme.iter().any(|scheme| scheme == own.scheme)
        };
        let mut all = sizing::all(link, &self.settings());
        all.retain(is_wanted);
        match (all.is_empty(), self.scheme.first().map(String::as_str)) {
            (true, Some("sonic")) => Err("`sonic` needs `--chip`, the generation of the switch \
                                          chip, and a rate for which IEEE 802.3 has a limit"
                .into()),
            (true, _) => Err(
                "IEEE 802.3 has no limit for this rate, or less than `--response`: \
                              `pfc` has the figure"
                    .into(),
            ),
            (false, _) => Ok(all),
        }
    }
}

fn text(link: &Link, needs: &[Sizing]) -> Vec<String> {
    let allowed = match link.allowed() {
        Some(allowed) => format!(
            "IEEE 802.3 allows {} ns to obey a stop",
            nanoseconds(allowed)
        ),
        None => "IEEE 802.3 has no limit for this rate".into(),
    };
    let mut lines = Vec::from([
        format!(
            "{}, {} ns of cable one way, frames of up to {} B; {allowed}",
            rate(link.rate.0),
            nanoseconds(link.delay),
            grouped(link.frame().into())
        ),
        String::new(),
        format!(
            "{:<12}{:>16}{:>16}{:>16}",
            "bytes", "for no loss", "for full rate", "for both"
        ),
    ]);
    let bytes = |bytes: Option<u64>| bytes.map_or("-".into(), grouped);
    lines.extend(needs.iter().map(|own| {
        let [loss, full, both] = [own.no_loss, own.full_rate, own.both].map(bytes);
        format!(
            "{:<12}{loss:>16}{full:>16}{both:>16}  {}",
            own.scheme, own.title
        )
    }));
    for own in needs {
        lines.push(String::new());
        lines.extend(account(own));
    }
    lines
}

/// What a figure is made of, a term a line.
pub(crate) fn account(own: &Sizing) -> Vec<String> {
    let mut lines = Vec::from([format!("{}: {}", own.scheme, own.note)]);
    let width = |of: fn(&sizing::Term) -> usize| own.terms.iter().map(of).max().unwrap_or(0);
    let symbols = width(|term| term.symbol.len());
    let values = width(|term| term.value.chars().count());
    lines.extend(own.terms.iter().map(|term| {
        let (symbol, value, meaning) = (term.symbol, &term.value, &term.meaning);
        format!("  {symbol:<symbols$}  {value:>values$}  {meaning}")
    }));
    lines
}

/// Puts the link and what it needs into the document.
fn put(link: &Link, needs: &[Sizing]) {
    let terms = |own: &Sizing| {
        let each = own.terms.iter().map(
            |term| json!({ "symbol": term.symbol, "value": term.value, "meaning": term.meaning }),
        );
        each.collect::<Vec<_>>()
    };
    let schemes = needs.iter().map(|own| {
        json!({
            "scheme": own.scheme,
            "title": own.title,
            "no_loss_bytes": own.no_loss,
            "full_rate_bytes": own.full_rate,
            "both_bytes": own.both,
            "terms": terms(own),
            "note": own.note,
        })
    });
    document::put("rate_bps", link.rate.0);
    document::put("delay_ps", link.delay.0);
    document::put("frame_bytes", link.frame());
    document::put("response_ps", link.response.0);
    document::put("schemes", schemes.collect::<Vec<_>>());
}

/// Bytes for both, over the length of the cable.
fn draw(options: &Options, link: &Link, file: &Path) -> u8 {
    const STEPS: u64 = 200;
    let most = (2 * link.delay.0).max(STEPS);
    let at = |step: u64| Duration(most * step / STEPS);
    let metres = |delay: Duration| delay.0 as f64 / 5_000.0;
    let mut curves: Vec<Curve> = Vec::new();
    for delay in (0..=STEPS).map(at) {
        let Ok(needs) = options.needs(&Link { delay, ..*link }) else {
            continue;
        };
        for own in needs {
            let Some(bytes) = own.both.or(own.no_loss) else {
                continue;
            };
            let known = curves.iter().position(|curve| curve.name == own.scheme);
            let known = known.unwrap_or_else(|| {
                curves.push(Curve::new(own.scheme, Style::Line, Vec::new(), Vec::new()));
                curves.len() - 1
            });
            curves[known].x.push(metres(delay));
            curves[known].y.push(bytes as f64 / 1e3);
        }
    }
    let axis = |label: &str, unit: &str| Axis {
        label: label.into(),
        unit: unit.into(),
        min: Some(0.0),
        ..Axis::default()
    };
    let plot = Plot {
        id: "buffer".into(),
        title: format!(
            "Buffer of a link of {} for no loss and the full rate",
            rate(link.rate.0)
        ),
        x: axis("length of the cable", "m"),
        y: axis("buffer", "kB"),
        curves,
        ..Plot::default()
    };
    match std::fs::write(file, backwater_results::svg(&plot)) {
        Ok(()) => {
            println!("picture: {}", files::shown(file));
            document::put("picture", file.display().to_string());
            SUCCESS
        }
        Err(error) => fail(format!("can't write `{}`: {error}", files::shown(file))),
    }
}

/// A rate in the largest unit that divides it.
fn rate(bps: u64) -> String {
    let units = [
        (1_000_000_000, "Gbps"),
        (1_000_000, "Mbps"),
        (1_000, "kbps"),
    ];
    let unit = units
        .into_iter()
        .find(|(worth, _)| bps.is_multiple_of(*worth));
    let (worth, name) = unit.unwrap_or((1, "bps"));
    format!("{} {name}", grouped(bps / worth))
}

/// Bytes of a packet, a frame or a cell.
fn packet(text: &str) -> Result<u32, String> {
    /// A jumbo of the largest kind an IP packet can be.
    const MOST: u64 = 65_535;
    match sizing::bytes(text)? {
        bytes @ 1..=MOST => Ok(bytes as u32),
        bytes => Err(format!("{bytes} B: 1 to {} are possible", grouped(MOST))),
    }
}

/// A number from 0 to 1, or percent.
fn share(text: &str) -> Result<f64, String> {
    let (number, whole) = match text.strip_suffix('%') {
        Some(number) => (number.trim(), 100.0),
        None => (text.trim(), 1.0),
    };
    let share = number.parse().map(|number: f64| number / whole);
    match share {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("a share from 0 to 1, or from 0 % to 100 %".into()),
    }
}
