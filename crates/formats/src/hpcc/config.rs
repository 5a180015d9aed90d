//! `config.txt`: lines of a key and its values, in any order. Keys that the program of HPCC knows
//! and that say nothing of what is simulated, such as names of output files, are left out and
//! named; others are refused.

use backwater_kernel::decimal::split_number;

use crate::FileError;
use crate::text::{self, clip, lines, no};

/// What a key has.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A path.
    Path(String),
    /// A decimal, as it is written.
    Number(String),
    /// A whole number.
    Count(u64),
    /// Yes or no.
    Flag(bool),
    /// Bits a second.
    Rate(u64),
    /// By bits a second of a link: a decimal, as it is written.
    ByRate(Vec<(u64, String)>),
    /// Microseconds, and the two nodes of a link.
    Down([u64; 3]),
}

/// A key.
#[derive(Clone, PartialEq, Debug)]
pub struct Setting {
    /// Its name.
    pub key: &'static str,
    /// Its value.
    pub value: Value,
    /// Where it stands.
    pub line: u32,
}

/// What a file says.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Config {
    /// In the order of the file.
    pub settings: Vec<Setting>,
    /// Keys that are known and not read.
    pub left_out: Vec<String>,
}

/// Kinds of values.
#[derive(Clone, Copy)]
enum Shape {
    Path,
    Number,
    Count,
    Flag,
    Rate,
    ByRate,
    Down,
}

/// Keys that are read.
const READ: &[(&str, Shape)] = &[
    ("ACK_HIGH_PRIO", Shape::Flag),
    ("ALPHA_RESUME_INTERVAL", Shape::Number),
    ("BUFFER_SIZE", Shape::Count),
    ("CC_MODE", Shape::Count),
    ("CLAMP_TARGET_RATE", Shape::Flag),
    ("DCTCP_RATE_AI", Shape::Rate),
    ("ERROR_RATE_PER_LINK", Shape::Number),
    ("EWMA_GAIN", Shape::Number),
    ("FAST_REACT", Shape::Flag),
    ("FAST_RECOVERY_TIMES", Shape::Count),
    ("FLOW_FILE", Shape::Path),
    ("GLOBAL_T", Shape::Flag),
    ("HAS_WIN", Shape::Flag),
    ("INT_MULTI", Shape::Count),
    ("KMAX_MAP", Shape::ByRate),
    ("KMIN_MAP", Shape::ByRate),
    ("L2_ACK_INTERVAL", Shape::Count),
    ("L2_BACK_TO_ZERO", Shape::Flag),
    ("L2_CHUNK_SIZE", Shape::Count),
    ("LINK_DOWN", Shape::Down),
    ("MIN_RATE", Shape::Rate),
    ("MI_THRESH", Shape::Count),
    ("MULTI_RATE", Shape::Flag),
    ("PACKET_PAYLOAD_SIZE", Shape::Count),
    ("PMAX_MAP", Shape::ByRate),
    ("RATE_AI", Shape::Rate),
    ("RATE_DECREASE_INTERVAL", Shape::Number),
    ("RATE_HAI", Shape::Rate),
    ("RP_TIMER", Shape::Number),
    ("SIMULATOR_STOP_TIME", Shape::Number),
    ("TOPOLOGY_FILE", Shape::Path),
    ("USE_DYNAMIC_PFC_THRESHOLD", Shape::Flag),
    ("U_TARGET", Shape::Number),
    ("VAR_WIN", Shape::Flag),
];

/// Keys that are known and left out: output, and what the program itself leaves out.
const LEFT_OUT: &[&str] = &[
    "DATA_RATE",
    "ENABLE_QCN",
    "ENABLE_TRACE",
    "FCT_OUTPUT_FILE",
    "LINK_DELAY",
    "PAUSE_TIME",
    "PFC_OUTPUT_FILE",
    "PINT_LOG_BASE",
    "PINT_PROB",
    "QLEN_MON_END",
    "QLEN_MON_FILE",
    "QLEN_MON_START",
    "RATE_BOUND",
    "SAMPLE_FEEDBACK",
    "TRACE_FILE",
    "TRACE_OUTPUT_FILE",
];

/// Is a text such a file? By the first words of its lines.
pub fn is_one(text: &str) -> bool {
    let first = lines(text)
        .next()
        .and_then(|(_, line)| line.split_whitespace().next());
    first.is_some_and(|word| LEFT_OUT.contains(&word) || READ.iter().any(|(key, _)| *key == word))
}

/// Reads one.
///
/// # Errors
/// If a key is unknown or there twice, or its values are not what it has.
pub fn read(text: &str) -> Result<Config, FileError> {
    let mut config = Config::default();
    for (line, all) in lines(text) {
        let mut words = all.split_whitespace();
        let Some(word) = words.next() else { continue };
        let words: Vec<&str> = words.collect();
        if LEFT_OUT.contains(&word) {
            config.left_out.push(format!("`{word}`, line {line}"));
            continue;
        }
        let Some((key, shape)) = READ.iter().find(|(key, _)| *key == word) else {
            let keys: Vec<&str> = READ.iter().map(|(key, _)| *key).collect();
            return Err(no((line, word), keys.join(", ")));
        };
        if let Some(first) = config.setting(key).filter(|_| *key != "LINK_DOWN") {
            let message = format!("a second `{key}`; the first is in line {}", first.line);
            return Err(FileError::new(line, message).allowed("each key once"));
        }
        config.settings.push(Setting {
            key,
            value: value(*shape, (line, key, &words))?,
            line,
        });
    }
    Ok(config)
}

impl Config {
    /// A key, if the file has it.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }
}

fn value(shape: Shape, (line, key, words): (u32, &str, &[&str])) -> Result<Value, FileError> {
    let wants = |what: &str| {
        let message = format!("`{key} {}`", clip(&words.join(" ")));
        FileError::new(line, message).allowed(format!("`{key}` and {what}"))
    };
    let single = |what: &str| match words {
        [word] => Ok(*word),
        _ => Err(wants(what)),
    };
    match shape {
        Shape::Path => Ok(Value::Path(single("a path")?.to_owned())),
        Shape::Number => {
            let word = single("a number")?;
            decimal(word)
                .ok_or_else(|| wants("a number"))
                .map(Value::Number)
        }
        Shape::Count => {
            let word = single("a whole number")?;
            word.parse()
                .map(Value::Count)
                .map_err(|_| wants("a whole number"))
        }
        Shape::Flag => match single("0 or 1")? {
            "0" => Ok(Value::Flag(false)),
            "1" => Ok(Value::Flag(true)),
            _ => Err(wants("0 or 1")),
        },
        Shape::Rate => {
            let word = single("a rate, as `40Mb/s`")?.replace("b/s", "bps");
            text::rate((line, &word)).map(Value::Rate)
        }
        Shape::ByRate => by_rate(words)
            .ok_or_else(|| {
                wants("a count, and so many pairs of a rate in bits a second and a number")
            })
            .map(Value::ByRate),
        Shape::Down => {
            let numbers: Option<Vec<u64>> = words.iter().map(|word| word.parse().ok()).collect();
            let numbers = numbers.and_then(|numbers| <[u64; 3]>::try_from(numbers).ok());
            let what = "microseconds behind 2 s, and the numbers of two nodes";
            numbers.map(Value::Down).ok_or_else(|| wants(what))
        }
    }
}

/// A decimal without a sign, as it is written.
fn decimal(word: &str) -> Option<String> {
    let (_, rest) = split_number(word).ok()?;
    rest.is_empty().then(|| word.to_owned())
}

fn by_rate(words: &[&str]) -> Option<Vec<(u64, String)>> {
    let (count, pairs) = words.split_first()?;
    let count: usize = count.parse().ok()?;
    let pairs: Option<Vec<(u64, String)>> = pairs
        .chunks(2)
        .map(|pair| match pair {
            [rate, number] => Some((rate.parse().ok()?, decimal(number)?)),
            _ => None,
        })
        .collect();
    pairs.filter(|pairs| pairs.len() == count)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "ENABLE_QCN 1\nCC_MODE 1\nEWMA_GAIN 0.00390625\nRATE_AI 50Mb/s\n\n\
        TOPOLOGY_FILE mix/topology.txt\nCLAMP_TARGET_RATE 0\nLINK_DOWN 0 0 0\n\
        KMIN_MAP 2 25000000000 100 100000000000 400\n";

    #[test]
    fn keys_are_read_in_any_order() {
        assert!(is_one(SMALL) && !is_one("3 1 2\n") && !is_one("Nodes 5\n"));
        let config = read(SMALL).expect("it is right");
        let value = |key: &str| config.setting(key).map(|setting| setting.value.clone());
        assert_eq!(value("CC_MODE"), Some(Value::Count(1)));
        assert_eq!(value("EWMA_GAIN"), Some(Value::Number("0.00390625".into())));
        assert_eq!(value("RATE_AI"), Some(Value::Rate(50_000_000)));
        assert_eq!(
            value("TOPOLOGY_FILE"),
            Some(Value::Path("mix/topology.txt".into()))
        );
        assert_eq!(value("CLAMP_TARGET_RATE"), Some(Value::Flag(false)));
        assert_eq!(value("LINK_DOWN"), Some(Value::Down([0, 0, 0])));
        let map = [
            (25_000_000_000, "100".to_owned()),
            (100_000_000_000, "400".to_owned()),
        ];
        assert_eq!(value("KMIN_MAP"), Some(Value::ByRate(map.into())));
        assert_eq!(config.left_out, ["`ENABLE_QCN`, line 1"]);
        assert_eq!(value("MIN_RATE"), None);
    }

    #[test]
    fn each_mistake_has_its_line() {
        let wrong = [
            ("CC_MODE 1", "CC_MOD 1", 2, "`CC_MOD`"),
            ("CC_MODE 1", "CC_MODE one", 2, "`CC_MODE one`"),
            ("CC_MODE 1", "CC_MODE 1 2", 2, "`CC_MODE 1 2`"),
            ("0.00390625", "1/256", 3, "`EWMA_GAIN 1/256`"),
            ("50Mb/s", "50", 4, "`50`"),
            ("mix/topology.txt", "", 6, "`TOPOLOGY_FILE `"),
            ("RATE 0", "RATE 2", 7, "`CLAMP_TARGET_RATE 2`"),
            ("0 0 0", "0 0", 8, "`LINK_DOWN 0 0`"),
            ("MAP 2", "MAP 3", 9, "`KMIN_MAP 3 25000000000"),
            ("ENABLE_QCN 1", "CC_MODE 3", 2, "a second `CC_MODE`"),
        ];
        for (from, to, line, message) in wrong {
            let changed = SMALL.replacen(from, to, 1);
            assert_ne!(changed, SMALL);
            let mistake = read(&changed).expect_err(to);
            let is_it = mistake.line == line && mistake.found.starts_with(message);
            assert!(is_it && mistake.allowed.is_some(), "{to}: {mistake}");
        }
    }
}
