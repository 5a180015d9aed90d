//! What a `config.txt` of HPCC says, as parts of a scenario: rate control, marks, memory, links
//! that are cut, and how long to run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use backwater_formats::hpcc::config::{Config, Setting, Value};
use backwater_formats::{FileError, Topology};
use backwater_kernel::words::printable;

use super::written::quoted;

/// Where files of that simulator begin: links are cut so long after it.
const BEGINS_US: u64 = 2_000_000;
/// When a link that is cut works again: after every run.
const NEVER: &str = "100000 s";
/// Class of acknowledgements that go before data.
const ACK_CLASS: u8 = 7;

/// What became of it.
pub struct Parts {
    /// How the scenario names the file.
    pub path: String,
    /// As a time of a scenario.
    pub duration: Option<String>,
    /// Flow control and memory, where it says what memory there is.
    pub memory: Option<String>,
    /// Tables of rate control, marks and links.
    pub tables: String,
    /// What it says and the scenario does not.
    pub left_out: Vec<String>,
}

/// A file that it names: from its folder, or from the one above.
pub fn named_file(config: &Config, key: &str, at: &Path) -> Result<Option<PathBuf>, String> {
    let Some(Value::Path(name)) = config.setting(key).map(|setting| &setting.value) else {
        return Ok(None);
    };
    let folder = at.parent().unwrap_or(Path::new(""));
    let places = [folder.join(name), folder.join("..").join(name)];
    let there = places.iter().find(|place| place.is_file());
    there.cloned().map(Some).ok_or_else(|| {
        format!(
            "`{}`: there is no `{}`, the `{key}`, in its folder or the one above",
            printable(&at.display().to_string()),
            printable(name)
        )
    })
}

/// The parts.
///
/// # Errors
/// If it asks for a rate control that is not here.
pub fn parts(config: &Config, path: &str, topology: Option<&Topology>) -> Result<Parts, FileError> {
    let mut reader = Reader {
        config,
        used: BTreeSet::from(["TOPOLOGY_FILE", "FLOW_FILE"]),
    };
    let mut tables = String::new();
    reader.queue_pairs(&mut tables)?;
    if let Some(topology) = topology {
        reader.marks(&mut tables, topology);
        reader.outages(&mut tables, topology)?;
    }
    let duration = reader
        .number("SIMULATOR_STOP_TIME")
        .map(|time| format!("{time} s"));
    let memory = reader.memory();
    let is_nothing = |value: &Value| matches!(value, Value::Number(number) if is_zero(number));
    let losses = config.setting("ERROR_RATE_PER_LINK");
    if losses.is_some_and(|setting| is_nothing(&setting.value)) {
        reader.used.insert("ERROR_RATE_PER_LINK");
    }
    let unread = config
        .settings
        .iter()
        .filter(|setting| !reader.used.contains(setting.key));
    let unread = unread.map(|setting| format!("`{}`, line {}", setting.key, setting.line));
    Ok(Parts {
        path: path.to_owned(),
        duration,
        memory,
        tables,
        left_out: config.left_out.iter().cloned().chain(unread).collect(),
    })
}

struct Reader<'c> {
    config: &'c Config,
    used: BTreeSet<&'static str>,
}

impl<'c> Reader<'c> {
    fn take(&mut self, key: &'static str) -> Option<&'c Setting> {
        let setting = self.config.setting(key)?;
        self.used.insert(key);
        Some(setting)
    }

    /// A number as it is written.
    fn number(&mut self, key: &'static str) -> Option<String> {
        match &self.take(key)?.value {
            Value::Number(number) => Some(number.clone()),
            Value::Count(count) => Some(count.to_string()),
            _ => None,
        }
    }

    fn flag(&mut self, key: &'static str) -> Option<bool> {
        match self.take(key)?.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    fn queue_pairs(&mut self, out: &mut String) -> Result<(), FileError> {
        let control = self.control()?;
        let _ = writeln!(out, "[roce]");
        if let Some(bytes) = self.number("PACKET_PAYLOAD_SIZE") {
            let _ = writeln!(out, "mtu = \"{bytes} B\"");
        }
        if let Some(packets) = self
            .number("L2_ACK_INTERVAL")
            .filter(|packets| packets != "0")
        {
            let _ = writeln!(out, "ack_every = {packets}");
        }
        if self.flag("ACK_HIGH_PRIO") == Some(true) {
            let _ = writeln!(out, "ack_class = {ACK_CLASS}");
        }
        if self
            .config
            .setting("L2_BACK_TO_ZERO")
            .is_some_and(|setting| setting.value == Value::Flag(false))
        {
            self.used.insert("L2_BACK_TO_ZERO");
            out.push_str("recovery = \"go-back-n\"\n");
        }
        if let Some(control) = control {
            let _ = writeln!(out, "control = {{ {} }}", control.join(", "));
        }
        out.push('\n');
        Ok(())
    }

    /// The keys of `roce.control`.
    fn control(&mut self) -> Result<Option<Vec<String>>, FileError> {
        let Some(setting) = self.take("CC_MODE") else {
            return Ok(None);
        };
        let (kind, keys) = match &setting.value {
            Value::Count(1) => ("dcqcn", DCQCN),
            Value::Count(3) => ("hpcc", HPCC),
            Value::Count(7) => ("timely", TIMELY),
            other => {
                let name = match other {
                    Value::Count(8) => ", DCTCP without TCP",
                    Value::Count(10) => ", HPCC with PINT",
                    _ => "",
                };
                let message = match other {
                    Value::Count(mode) => format!("`CC_MODE {mode}`{name}"),
                    _ => "`CC_MODE`".into(),
                };
                return Err(FileError::new(setting.line, message)
                    .allowed("1 (DCQCN), 3 (HPCC), 7 (TIMELY)")
                    .hint("take it out for queue pairs without rate control"));
            }
        };
        let mut all = Vec::from([format!("kind = \"{kind}\"")]);
        for (key, name, unit) in keys {
            let Some(setting) = self.take(key) else {
                continue;
            };
            let value = match (&setting.value, *unit) {
                (Value::Rate(bps), _) => format!("\"{bps} bps\""),
                (Value::Number(number), "") => decimal(number),
                (Value::Number(number), unit) => format!("\"{number} {unit}\""),
                (Value::Count(count), _) => count.to_string(),
                (Value::Flag(flag), "clamp") => match flag {
                    true => "\"always\"".into(),
                    false => "\"after-stage\"".into(),
                },
                (Value::Flag(flag), _) => flag.to_string(),
                _ => continue,
            };
            all.push(format!("{name} = {value}"));
        }
        Ok(Some(all))
    }

    fn memory(&mut self) -> Option<String> {
        let bytes = match self.config.setting("BUFFER_SIZE")?.value {
            Value::Count(mebibytes) if mebibytes > 0 => mebibytes,
            _ => return None,
        };
        self.used.insert("BUFFER_SIZE");
        let dynamic = self.config.setting("USE_DYNAMIC_PFC_THRESHOLD");
        if dynamic.is_some_and(|setting| setting.value == Value::Flag(true)) {
            self.used.insert("USE_DYNAMIC_PFC_THRESHOLD");
        }
        let is_down =
            |setting: &&Setting| matches!(setting.value, Value::Down([after, ..]) if after > 0);
        let lost = match self.config.settings.iter().find(is_down) {
            Some(_) => "# A link that is cut may lose stops.\nheadroom = \"unchecked\"\n",
            None => "",
        };
        Some(format!(
            "# `BUFFER_SIZE`, with PFC for all classes as that simulator has it.\n\
             [flow_control]\nkind = \"pfc\"\ndetect = \"inputs\"\n{lost}\n\
             [buffer.shared]\nbytes = \"{bytes} MiB\"\nalpha = \"1/8\"\n\n"
        ))
    }

    /// Thresholds by rate: of ports to hosts, and of ports to switches where those differ.
    fn marks(&mut self, out: &mut String, topology: &Topology) {
        let is_host = |node: u32| {
            topology
                .nodes
                .get(node as usize)
                .is_some_and(|node| node.is_host)
        };
        let rates = |trunks: bool| -> Vec<u64> {
            let links = topology.links.iter();
            let links = links.filter(|link| link.ends.into_iter().any(is_host) != trunks);
            let rates: BTreeSet<u64> = links.filter_map(|link| link.rate_bps).collect();
            rates.into_iter().collect()
        };
        let (hosts, trunks) = (rates(false), rates(true));
        let maps = ["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"].map(|key| self.map(key));
        let ecn = |rates: &[u64]| -> Option<String> {
            let [rate] = rates else { return None };
            let [min, max, most] = [&maps[0], &maps[1], &maps[2]].map(|map| map.get(rate));
            Some(format!(
                "{{ min = \"{} kB\", max = \"{} kB\", probability = {}, at = \"leave\" }}",
                min?,
                max?,
                decimal(most?)
            ))
        };
        let (of_hosts, of_trunks) = (ecn(&hosts), ecn(&trunks));
        let Some(first) = of_hosts.clone().or(of_trunks.clone()) else {
            return;
        };
        if (of_hosts.is_none() && !hosts.is_empty()) || (of_trunks.is_none() && !trunks.is_empty())
        {
            // Links of several rates share one threshold each way: told as a whole.
            return;
        }
        self.used.extend(["KMIN_MAP", "KMAX_MAP", "PMAX_MAP"]);
        let _ = writeln!(
            out,
            "# `KMIN_MAP`, `KMAX_MAP` and `PMAX_MAP`, by the rate of the port."
        );
        // A table of its own: `[buffer]` may stand elsewhere.
        let keys = first.trim_matches(['{', ' ', '}']).replace(", ", "\n");
        let _ = writeln!(out, "[buffer.ecn]\n{keys}\n");
        if let Some(ecn) = of_trunks.filter(|ecn| *ecn != first) {
            let _ = writeln!(out, "[topology.trunk]\necn = {ecn}\n");
        }
    }

    fn map(&self, key: &str) -> BTreeMap<u64, String> {
        match self.config.setting(key).map(|setting| &setting.value) {
            Some(Value::ByRate(pairs)) => pairs.iter().cloned().collect(),
            _ => BTreeMap::new(),
        }
    }

    fn outages(&mut self, out: &mut String, topology: &Topology) -> Result<(), FileError> {
        for setting in &self.config.settings {
            let Value::Down([after, a, b]) = setting.value else {
                continue;
            };
            self.used.insert("LINK_DOWN");
            if after == 0 {
                continue;
            }
            let node = |number: u64| {
                let place = usize::try_from(number).unwrap_or(usize::MAX);
                topology
                    .nodes
                    .get(place)
                    .map(|node| node.name.as_str())
                    .ok_or_else(|| {
                        FileError::new(setting.line, format!("there is no node {number}"))
                            .allowed("two nodes of the topology that a link joins")
                    })
            };
            let between = [node(a)?, node(b)?].map(quoted).join(", ");
            let _ = writeln!(
                out,
                "# `LINK_DOWN`.\n[[links]]\nbetween = [{between}]\noutages = [{{ from = \"{} us\", \
                 until = \"{NEVER}\" }}]\n",
                BEGINS_US.saturating_add(after)
            );
        }
        Ok(())
    }
}

fn is_zero(number: &str) -> bool {
    number.bytes().all(|c| c == b'0' || c == b'.')
}

/// A decimal that TOML takes for one.
fn decimal(number: &str) -> String {
    let whole = number.trim_start_matches('0');
    let whole = if whole.is_empty() || whole.starts_with(['.', 'e', 'E']) {
        format!("0{whole}")
    } else {
        whole.to_owned()
    };
    match whole.contains('.') {
        true => whole.trim_end_matches('.').to_owned(),
        false => format!("{whole}.0"),
    }
}

/// Keys of the file, those of `roce.control`, and units.
type Keys = &'static [(&'static str, &'static str, &'static str)];

const DCQCN: Keys = &[
    ("ALPHA_RESUME_INTERVAL", "alpha_interval", "us"),
    ("RATE_DECREASE_INTERVAL", "decrease_interval", "us"),
    ("RP_TIMER", "increase_interval", "us"),
    ("EWMA_GAIN", "g", ""),
    ("FAST_RECOVERY_TIMES", "stages", ""),
    ("RATE_AI", "additive", ""),
    ("RATE_HAI", "hyper", ""),
    ("MIN_RATE", "least", ""),
    ("CLAMP_TARGET_RATE", "clamp", "clamp"),
];

const HPCC: Keys = &[
    ("U_TARGET", "target_use", ""),
    ("MI_THRESH", "max_stage", ""),
    ("RATE_AI", "additive", ""),
    ("MIN_RATE", "least", ""),
    ("FAST_REACT", "fast_react", ""),
    ("MULTI_RATE", "per_hop", ""),
];

const TIMELY: Keys = &[
    ("RATE_AI", "additive", ""),
    ("RATE_HAI", "hyper", ""),
    ("MIN_RATE", "least", ""),
];

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn decimals_are_those_of_toml() {
        let all = [
            ("0.5", "0.5"),
            (".5", "0.5"),
            ("1", "1.0"),
            ("0", "0.0"),
            ("007", "7.0"),
        ];
        for (text, written) in all {
            assert_eq!(decimal(text), written);
        }
    }
}
