//! `--open`: a report in the browser of whoever typed the command.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// What fails to open a page says so within this time.
const WAIT: Duration = Duration::from_secs(2);
const TICK: Duration = Duration::from_millis(20);

/// Opens a page; false if there is no browser.
pub fn opens(page: &Path) -> bool {
    let page = std::path::absolute(page).unwrap_or_else(|_| page.into());
    openers(&|name| std::env::var_os(name))
        .iter()
        .any(|words| starts(words, &page))
}

/// Commands that open a page, the best first: what `BROWSER` names, as other programs take it, then
/// that of the system.
fn openers(variable: &dyn Fn(&str) -> Option<OsString>) -> Vec<Vec<OsString>> {
    let named = variable("BROWSER").unwrap_or_default();
    let named = std::env::split_paths(&named).collect::<Vec<_>>();
    let mut all: Vec<Vec<OsString>> = named
        .iter()
        .map(|path| path.to_string_lossy())
        .map(|words| words.split_whitespace().map(OsString::from).collect())
        .filter(|words: &Vec<OsString>| !words.is_empty())
        .collect();
    let system: &[&str] = match std::env::consts::OS {
        "macos" => &["open"],
        "windows" => &["cmd", "/C", "start", ""],
        // Without a screen it would start a browser in the terminal, or wait.
        _ if ["DISPLAY", "WAYLAND_DISPLAY"].map(variable) == [None, None] => &[],
        _ => &["xdg-open"],
    };
    if !system.is_empty() {
        all.push(system.iter().map(OsString::from).collect());
    }
    all
}

/// Starts a command with this page; false if it can't be started, or ends at once without success.
fn starts(words: &[OsString], page: &Path) -> bool {
    let Some((program, words)) = words.split_first() else {
        return false;
    };
    let mut command = Command::new(program);
    match words.iter().any(|word| word == "%s") {
        true => command.args(words.iter().map(|word| match word == "%s" {
            true => page.as_os_str(),
            false => OsStr::new(word),
        })),
        false => command.args(words).arg(page),
    };
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    // What stops this program leaves the browser alone.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let Ok(mut child) = command.spawn() else {
        return false;
    };
    let started = Instant::now();
    while started.elapsed() < WAIT {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(TICK),
            Err(_) => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn what_is_named_comes_before_what_the_system_has() {
        let openers = |browser: &str, display: &str| -> Vec<String> {
            let variable = |name: &str| match name {
                "BROWSER" => Some(browser.into()),
                "DISPLAY" => (!display.is_empty()).then(|| display.into()),
                _ => None,
            };
            let all = openers(&variable).into_iter();
            let text = |words: Vec<OsString>| words.join(OsStr::new(" "));
            all.map(|words| text(words).to_string_lossy().into_owned())
                .collect()
        };
        assert_eq!(openers("", ""), [""; 0], "no screen, no browser");
        assert_eq!(openers("", ":0"), ["xdg-open"]);
        assert_eq!(openers("firefox", ""), ["firefox"]);
        assert_eq!(
            openers("w3m -T text/html:lynx %s", ":0"),
            ["w3m -T text/html", "lynx %s", "xdg-open"]
        );
    }

    #[test]
    #[cfg(unix)]
    fn what_fails_is_no_browser() {
        let page = Path::new("page.html");
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert!(starts(&words(&["true"]), page));
        assert!(starts(&words(&["test", "%s", "=", "page.html"]), page));
        assert!(!starts(&words(&["false"]), page));
        assert!(!starts(&words(&["/nosuch/browser"]), page));
    }
}
