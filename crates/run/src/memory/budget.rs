//! How much memory this process may hold, from what the operating system tells.

/// What the process holds, in bytes, by the three measures that limits know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// In physical memory.
    pub resident: u64,
    /// Address space: all that is mapped, touched or not, threads' stacks and the program too.
    pub mapped: u64,
    /// Private data that may be written.
    pub data: u64,
}

/// By which measure a limit counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// [`Held::resident`].
    Resident,
    /// [`Held::mapped`].
    Mapped,
    /// [`Held::data`].
    Data,
}

/// A limit of this process.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ceiling {
    /// What it counts.
    pub measure: Measure,
    /// The most the process may hold, by that measure.
    pub bytes: u64,
    /// Whose limit it is, for people.
    pub whose: String,
}

impl Ceiling {
    /// What is left below it.
    pub fn left(&self, held: &Held) -> u64 {
        self.bytes.saturating_sub(held.by(self.measure))
    }
}

impl Held {
    /// From the text of `/proc/self/status`.
    pub fn of(status: &str) -> Option<Held> {
        let bytes = |key: &str| kilobytes(status, key).map(|kb| kb * 1024);
        Some(Held {
            resident: bytes("VmRSS:")?,
            mapped: bytes("VmSize:")?,
            data: bytes("VmData:")?,
        })
    }

    /// By this measure.
    pub fn by(&self, measure: Measure) -> u64 {
        match measure {
            Measure::Resident => self.resident,
            Measure::Mapped => self.mapped,
            Measure::Data => self.data,
        }
    }
}

/// All limits of the process. `read` gives the text of a file of the system, if there is one;
/// `wanted` is the limit that the user sets.
pub fn ceilings(read: &dyn Fn(&str) -> Option<String>, wanted: Option<u64>) -> Vec<Ceiling> {
    let held = read("/proc/self/status").and_then(|text| Held::of(&text));
    let held = held.unwrap_or_default();
    let mut all = Vec::new();
    let mut add = |measure, bytes, whose: &str| {
        all.push(Ceiling {
            measure,
            bytes,
            whose: whose.into(),
        });
    };
    if let Some(bytes) = wanted {
        add(Measure::Resident, bytes, "`--memory`");
    }
    if let Some(text) = read("/proc/meminfo")
        && let Some(free) = kilobytes(&text, "MemAvailable:")
    {
        let most = held.resident.saturating_add(free * 1024);
        add(Measure::Resident, most, "the machine's free memory");
    }
    if let Some(text) = read("/proc/self/limits") {
        if let Some(bytes) = soft_limit(&text, "Max address space") {
            add(Measure::Mapped, bytes, "the address space (`ulimit -v`)");
        }
        if let Some(bytes) = soft_limit(&text, "Max data size") {
            add(Measure::Data, bytes, "the data segment (`ulimit -d`)");
        }
    }
    if let Some(text) = read("/proc/self/cgroup") {
        for free in group_rooms(&text, read) {
            let most = held.resident.saturating_add(free);
            add(Measure::Resident, most, "the control group");
        }
    }
    all
}

/// The value of a line such as `VmRSS:   1234 kB`.
fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The soft limit of a line of `/proc/self/limits`; `None` where there is no limit.
fn soft_limit(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// What is left in each control group that holds this process, up to the root.
fn group_rooms(own: &str, read: &dyn Fn(&str) -> Option<String>) -> Vec<u64> {
    let mut rooms = Vec::new();
    for line in own.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else {
            continue;
        };
        let is_first = controllers.split(',').any(|one| one == "memory");
        let mounts: &[&str] = match (controllers.is_empty(), is_first) {
            (true, _) => &["/sys/fs/cgroup", "/sys/fs/cgroup/unified"],
            (_, true) => &["/sys/fs/cgroup/memory"],
            _ => &[],
        };
        for mount in mounts {
            for group in upwards(path) {
                let folder = format!("{mount}{group}");
                rooms.extend(match is_first {
                    true => room_of_first(&folder, read),
                    false => room_of_second(&folder, read),
                });
            }
        }
    }
    rooms
}

/// `/a/b`, `/a` and the root, which is empty.
fn upwards(path: &str) -> impl Iterator<Item = &str> {
    let path = path.trim().trim_end_matches('/');
    std::iter::successors(Some(path), |path| Some(&path[..path.rfind('/')?]))
}

/// Of a control group of the first version.
fn room_of_first(folder: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let text = read(&format!("{folder}/{file}"))?;
        text.trim().parse().ok()
    };
    let most = number("memory.limit_in_bytes")?;
    // A group without a limit shows the largest number of whole pages.
    if most >= 1 << 62 {
        return None;
    }
    let used = number("memory.usage_in_bytes")?;
    let files = given_back(folder, "total_inactive_file ", read);
    Some(most.saturating_sub(used.saturating_sub(files)))
}

/// Of a control group of the second version: the least of both its limits.
fn room_of_second(folder: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
    let number = |file: &str| -> Option<u64> {
        let text = read(&format!("{folder}/{file}"))?;
        // Without a limit it says `max`.
        text.trim().parse().ok()
    };
    let limits = [number("memory.max"), number("memory.high")];
    let most = limits.into_iter().flatten().min()?;
    let used = number("memory.current")?;
    let files = given_back(folder, "inactive_file ", read);
    Some(most.saturating_sub(used.saturating_sub(files)))
}

/// Copies of files that nobody has used lately count as used, but are given back when needed.
fn given_back(folder: &str, key: &str, read: &dyn Fn(&str) -> Option<String>) -> u64 {
    let text = read(&format!("{folder}/memory.stat")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key));
    line.and_then(|value| value.trim().parse().ok())
        .unwrap_or(0)
}

/// A size as people write it: `4GB`, `500 MB`, `2 GiB`, or a number of bytes.
pub fn size(text: &str) -> Result<u64, String> {
    const UNITS: &[(&str, u64)] = &[
        ("", 1),
        ("b", 1),
        ("k", 1_000),
        ("kb", 1_000),
        ("kib", 1 << 10),
        ("m", 1_000_000),
        ("mb", 1_000_000),
        ("mib", 1 << 20),
        ("g", 1_000_000_000),
        ("gb", 1_000_000_000),
        ("gib", 1 << 30),
        ("t", 1_000_000_000_000),
        ("tb", 1_000_000_000_000),
        ("tib", 1 << 40),
    ];
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    let unit = unit.trim().to_ascii_lowercase();
    let factor = UNITS.iter().find(|(name, _)| *name == unit);
    match (number.parse::<f64>(), factor) {
        (Ok(number), Some((_, factor))) if number > 0.0 => Ok((number * *factor as f64) as u64),
        _ => Err("write a size above 0 such as 500MB, 4GB or 2GiB".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    const MB: u64 = 1 << 20;
    const STATUS: &str = "Name:\tx\nVmSize:\t  20480 kB\nVmRSS:\t   10240 kB\nVmData:\t  4096 kB\n";
    const MEMINFO: &str = "MemTotal: 9 kB\nMemAvailable:     102400 kB\n";
    const LIMITS: &str = "\
Limit                     Soft Limit           Hard Limit           Units
Max data size             52428800             unlimited            bytes
Max stack size            8388608              unlimited            bytes
Max address space         unlimited            unlimited            bytes
";

    /// The limits of a system with these files, as `(measure, MB, whose)`.
    fn limits(files: &[(&str, &str)], wanted: Option<u64>) -> Vec<(Measure, u64, String)> {
        let files: BTreeMap<&str, &str> = files.iter().copied().collect();
        let read = |path: &str| files.get(path).map(|text| (*text).to_owned());
        let all = ceilings(&read, wanted).into_iter();
        all.map(|one| (one.measure, one.bytes / MB, one.whose))
            .collect()
    }

    /// What control groups alone leave free.
    fn groups(files: &[(&str, &str)]) -> Vec<u64> {
        let all = limits(files, None).into_iter();
        all.map(|(measure, bytes, whose)| {
            assert_eq!((measure, &*whose), (Measure::Resident, "the control group"));
            bytes
        })
        .collect()
    }

    #[test]
    fn nothing_is_known_where_the_system_says_nothing() {
        assert_eq!(limits(&[], None), []);
        assert_eq!(Held::of("VmRSS: 3 kB\n"), None);
    }

    #[test]
    fn each_limit_counts_by_its_own_measure() {
        let files = [
            ("/proc/self/status", STATUS),
            ("/proc/meminfo", MEMINFO),
            ("/proc/self/limits", LIMITS),
        ];
        let expected = [
            (Measure::Resident, 40, "`--memory`".to_owned()),
            // What is free and what the process holds already.
            (Measure::Resident, 110, "the machine's free memory".into()),
            (Measure::Data, 50, "the data segment (`ulimit -d`)".into()),
        ];
        assert_eq!(limits(&files, Some(40 * MB)), expected);
    }

    #[test]
    fn an_address_space_is_limited_too() {
        let text = "Max address space         204800000            204800000            bytes\n";
        let [one] = &limits(&[("/proc/self/limits", text)], None)[..] else {
            panic!("one limit");
        };
        assert_eq!((one.0, one.1), (Measure::Mapped, 195));
    }

    #[test]
    fn every_group_up_to_the_root_limits_and_cached_files_are_free() {
        let files = [
            ("/proc/self/cgroup", "0::/outer/inner\n"),
            ("/sys/fs/cgroup/outer/inner/memory.max", "max\n"),
            ("/sys/fs/cgroup/outer/inner/memory.high", "104857600\n"),
            ("/sys/fs/cgroup/outer/inner/memory.current", "83886080\n"),
            (
                "/sys/fs/cgroup/outer/inner/memory.stat",
                "anon 1\ninactive_file 20971520\n",
            ),
            ("/sys/fs/cgroup/outer/memory.max", "94371840\n"),
            ("/sys/fs/cgroup/outer/memory.high", "max\n"),
            ("/sys/fs/cgroup/outer/memory.current", "83886080\n"),
        ];
        assert_eq!(groups(&files), [40, 10]);
        assert_eq!(groups(&files[..2]), [0; 0], "`max` is no limit");
    }

    #[test]
    fn groups_of_the_first_version_are_read_as_well() {
        let folder = "/sys/fs/cgroup/memory";
        let file = |name: &str| format!("{folder}{name}");
        let owned = [
            (file("/a/memory.limit_in_bytes"), "104857600\n"),
            (file("/a/memory.usage_in_bytes"), "52428800\n"),
            (file("/a/memory.stat"), "total_inactive_file 10485760\n"),
            (file("/memory.limit_in_bytes"), "9223372036854771712\n"),
            (file("/memory.usage_in_bytes"), "1\n"),
            ("/proc/self/cgroup".into(), "9:cpu:/x\n4:memory:/a\n0::/\n"),
        ];
        let files: Vec<(&str, &str)> = owned.iter().map(|(path, text)| (&**path, *text)).collect();
        assert_eq!(groups(&files), [60]);
    }

    /// In a container the path may be one of the host, and only the root is there.
    #[test]
    fn a_path_that_is_not_there_leaves_the_root() {
        let files = [
            ("/proc/self/cgroup", "0::/docker/0123\n"),
            ("/sys/fs/cgroup/memory.max", "31457280"),
            ("/sys/fs/cgroup/memory.current", "10485760"),
        ];
        assert_eq!(groups(&files), [20]);
    }

    #[test]
    fn sizes_are_read_as_people_write_them() {
        assert_eq!(size("4GB"), Ok(4_000_000_000));
        assert_eq!(size(" 1.5 GiB"), Ok(3 << 29));
        assert_eq!(size("500 mb"), Ok(500_000_000));
        assert_eq!(size("1024"), Ok(1024));
        for wrong in ["", "GB", "-1GB", "0", "4 apples", "1..2MB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
