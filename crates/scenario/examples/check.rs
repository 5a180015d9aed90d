//! Prints what the reader says about a file.
fn main() {
    let mut args = std::env::args().skip(1);
    let name = args.next().expect("a file");
    let bytes = std::fs::read(&name).expect("readable");
    let sets: Vec<_> = args
        .map(|set| scenario::Set::new(&set).expect("key=value"))
        .collect();
    let source = scenario::Source::from_bytes(name, bytes);
    match source.and_then(|source| scenario::parse(&source, &sets)) {
        Ok(scenario) => {
            print!("{}", scenario.warnings.render(false));
            println!("{}\n{:#?}", scenario.resolved, scenario.network);
        }
        Err(mistakes) => print!("{}", mistakes.render(false)),
    }
}
