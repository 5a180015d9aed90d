//! What `[[series]]` stands for.

use backwater_net::frames::spec::Measure;

use crate::ethernet::{ONE_SWITCH, try_read};

fn found(series: &str) -> Result<Vec<(String, Measure)>, String> {
    let text = format!("{ONE_SWITCH}\n[[series]]\nname = \"x\"\n{series}\n");
    let scenario = try_read(&text, &[]).map_err(|mistakes| mistakes.to_string())?;
    let ethernet = scenario.ethernet().expect("for Ethernet");
    let series = ethernet.series.iter();
    Ok(series.map(|one| (one.name.clone(), one.measure)).collect())
}

fn names(series: &str) -> Vec<String> {
    let found = found(series).expect(series);
    found.into_iter().map(|(name, _)| name).collect()
}

#[test]
fn a_wildcard_stands_for_several() {
    assert_eq!(names("measure = \"queue\"\non = \"A->D\""), ["x"]);
    let leaving = ["x (A->D)", "x (A->S)"];
    assert_eq!(names("measure = \"queue\"\non = \"A->*\""), leaving);
    assert_eq!(names("measure = \"rate\"\non = \"* -> D\""), ["x (A->D)"]);
    let all = ["x (D->A)", "x (A->D)", "x (S->A)", "x (A->S)"];
    assert_eq!(names("measure = \"stops\"\non = \"all\""), all);
    assert_eq!(names("measure = \"marks\"\non = \"*->*\""), all);
    assert_eq!(names("measure = \"buffer\"\non = \"all\""), ["x (A)"]);
    assert_eq!(names("measure = \"buffer\"\non = \"A\""), ["x"]);
    let flows = ["x (f[1])", "x (f[2])", "x (f[3])"];
    assert_eq!(names("measure = \"goodput\"\nflow = \"f\""), flows);
    assert_eq!(names("measure = \"window\"\nflow = \"all\""), flows);
    assert_eq!(names("measure = \"goodput\"\nflow = \"f[2]\""), ["x"]);
}

#[test]
fn inputs_are_those_of_switches_that_count_them() {
    let inputs = "measure = \"input\"\non = \"all\"";
    let error = found(inputs).expect_err("detected at outputs");
    assert!(error.contains("no switch counts"), "{error}");
    let text = ONE_SWITCH.replace("kind = \"pause\"", "kind = \"pause\"\ndetect = \"inputs\"");
    let read = |series: &str| {
        let text =
            format!("{text}\n[buffer]\nper_input = \"500 kB\"\n[[series]]\nname = \"x\"\n{series}");
        try_read(&text, &[]).map_err(|mistakes| mistakes.to_string())
    };
    let scenario = read(inputs).expect("inputs are counted");
    let series = &scenario.ethernet().expect("for Ethernet").series;
    let names: Vec<&str> = series.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["x (D->A)", "x (S->A)"], "not those of hosts");
    let error = read("measure = \"headroom\"\non = \"A->D\"").expect_err("a host");
    assert!(error.contains("an input is of a switch"), "{error}");
}

#[test]
fn what_a_wildcard_can_not_stand_for_is_told() {
    for (series, wanted) in [
        ("measure = \"queue\"\non = \"B->*\"", "no node `B`"),
        (
            "measure = \"buffer\"\non = \"A->D\"",
            "a buffer is of a switch",
        ),
        ("measure = \"buffer\"\non = \"B\"", "no node `B`"),
        ("measure = \"goodput\"\nflow = \"g\"", "no flow `g`"),
        ("measure = \"queue\"\non = \"A->*\"\nclass = 7", "class"),
        ("measure = \"rate\"\non = \"A->*\"\nclass = 0", "no meaning"),
    ] {
        let error = found(series).expect_err(series);
        assert!(error.contains(wanted), "{series}: {error}");
    }
    let many = ONE_SWITCH.replace("count = 3", "count = 65");
    let text = format!("{many}\n[[series]]\nname = \"x\"\nmeasure = \"goodput\"\nflow = \"all\"");
    let error = try_read(&text, &[])
        .map(drop)
        .expect_err("65 flows")
        .to_string();
    assert!(error.contains("65 series of one measure"), "{error}");
    assert!(error.contains("at most 64"), "{error}");
}
