//! What lossless classes promise: everything, but where one word gives it up.

use backwater_scenario::Severity;

use crate::ethernet::{ONE_SWITCH, codes, try_read};

/// Classes that node `name` promises to lose nothing of, a bit each.
fn promised(text: &str, name: &str) -> u32 {
    let scenario = match try_read(text, &[]) {
        Ok(scenario) => scenario,
        Err(mistakes) => panic!("{}", mistakes.render(false)),
    };
    let spec = &scenario.ethernet().expect("for Ethernet").network;
    let node = spec.nodes.iter().find(|node| node.name == name);
    node.expect("a node of that name").promised
}

fn with(more: &str) -> String {
    let kind = "kind = \"pause\"\n";
    ONE_SWITCH.replace(kind, &format!("{kind}{more}"))
}

const CONSENT: &str = "headroom = \"unchecked\"\n";

/// Each is refused, and accepted with the word; then nothing is promised.
#[test]
fn what_may_lose_frames_is_an_error_without_the_word() {
    assert_eq!(promised(ONE_SWITCH, "A"), 1);
    assert_eq!(promised(&with(CONSENT), "A"), 0);
    for (more, code) in [
        ("xoff = \"99 %\"\n", "headroom"),
        ("quanta = 10\nrefresh = \"never\"\n", "short-stop"),
        ("quanta = 10\n", "short-stop"),
        (
            "time_out = { after = \"20 ms\", grace = \"5 ms\" }\n",
            "time-out",
        ),
        (
            "[[nodes]]\nname = \"S\"\nignores_stops = true\n",
            "ignores-stops",
        ),
        (
            "[[nodes]]\nname = \"D\"\nstorm = {}\n[watchdog]\naction = \"drop\"\n",
            "watchdog",
        ),
        (
            "[[nodes]]\nname = \"S\"\nwatchdog = { action = \"forward\" }\n",
            "watchdog",
        ),
    ] {
        let mistakes = try_read(&with(more), &[]).expect_err(more);
        let mut errors = mistakes
            .iter()
            .filter(|one| one.severity == Severity::Error);
        assert_eq!(errors.next().map(|one| one.code), Some(code), "{more}");
        assert_eq!(
            promised(&with(&format!("{CONSENT}{more}")), "A"),
            0,
            "{more}"
        );
    }
    // What can't happen takes no word: nobody stops the switch, and nobody ignores stops.
    for more in [
        "[watchdog]\naction = \"drop\"\n",
        "[[nodes]]\nname = \"D\"\nignores_stops = true\n",
        "quanta = 65535\n",
    ] {
        let expected = if more.contains("D\"") {
            vec!["ignores-stops"]
        } else {
            vec![]
        };
        // D sends acknowledgements, and does not stop.
        match expected.is_empty() {
            true => assert_eq!(
                (codes(&with(more)), promised(&with(more), "A")),
                (expected, 1)
            ),
            false => assert_eq!(codes(&with(more)), expected, "{more}"),
        }
    }
}

/// Two switches and two lossless classes.
fn pair(classes: &str) -> String {
    format!(
        "engine = \"ethernet\"\n[run]\nduration = \"1 s\"\n\
         [network]\nhosts = [\"S\", \"D\"]\nswitches = [\"A\", \"B\"]\n\
         [link]\nrate = \"1 Gbps\"\n[[links]]\nbetween = [\"S\", \"A\"]\n\
         [[links]]\nbetween = [\"A\", \"B\"]\n[[links]]\nbetween = [\"B\", \"D\"]\n\
         [switch]\nclasses = 4\n[flow_control]\nkind = \"pfc\"\nclasses = [1, 3]\n{classes}\
         [[flows]]\nname = \"one\"\nfrom = \"S\"\nto = \"D\"\nclass = 1\n\
         [[flows]]\nname = \"three\"\nfrom = \"S\"\nto = \"D\"\nclass = 3\n"
    )
}

#[test]
fn the_word_concerns_the_class_and_place_that_it_names() {
    let of_three = "[[classes]]\nclass = 3\nheadroom = \"unchecked\"\n";
    for (classes, expected) in [
        (String::new(), [0b1010, 0b1010]),
        (CONSENT.into(), [0, 0]),
        (of_three.into(), [0b0010, 0b0010]),
        (format!("{of_three}headroom_at = \"B\"\n"), [0b1010, 0b0010]),
        // The more special word goes first.
        (
            format!("{CONSENT}{}", of_three.replace("unchecked", "checked")),
            [0b1000, 0b1000],
        ),
    ] {
        let text = pair(&classes);
        let found = ["A", "B"].map(|name| promised(&text, name));
        assert_eq!(found, expected, "{classes}");
    }
}

/// A warning about one class or place leaves the promises of the others alone.
#[test]
fn what_is_doubted_somewhere_is_promised_elsewhere() {
    let tight = "[[classes]]\nclass = 3\nlimit = \"10 kB\"\nxoff = \"9 kB\"\nxon = \"8 kB\"\n";
    assert_eq!(codes(&pair(tight)), ["headroom"]);
    let meant = pair(&format!("{tight}headroom = \"unchecked\"\n"));
    assert_eq!(codes(&meant), ["headroom"], "a warning");
    assert_eq!(promised(&meant, "A"), 0b0010);
    // Both switches are too tight; the word is given for one.
    let half = format!("{tight}headroom = \"unchecked\"\nheadroom_at = \"A\"\n");
    let mistakes = try_read(&pair(&half), &[]).expect_err("B is too tight");
    assert!(
        mistakes.render(false).contains("at queue `B->"),
        "{mistakes}"
    );
}

#[test]
fn who_gave_it_up_is_told_with_the_line() {
    let scenario = try_read(&with(CONSENT), &[]).expect("no mistakes");
    let given_up = &scenario.ethernet().expect("for Ethernet").given_up;
    let [one] = given_up.as_slice() else {
        panic!("{given_up:?}");
    };
    assert_eq!((one.classes, one.nodes.as_slice()), (1, [2].as_slice()));
    assert_eq!(one.by, "test.toml:16: headroom = \"unchecked\"");
}
