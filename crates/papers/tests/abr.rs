//! tmp
#[test]
fn print() {
    let lab = papers::Lab::default();
    let paper = papers::papers()
        .into_iter()
        .find(|p| p.id == "kalyanaraman1998")
        .unwrap();
    for e in paper.experiments {
        if let Ok(w) = std::env::var("ONLY") {
            if !w.split(",").any(|w| e.title.contains(w)) {
                continue;
            }
        }
        let t = std::time::Instant::now();
        let ev = (e.run)(&lab).unwrap_or_else(|x| panic!("{}: {x}", e.title));
        println!("=== {} {:?}", e.title, t.elapsed());
        for f in ev.findings {
            println!("{}", f.claim);
            for m in f.measured {
                println!("   {} = {} {:?}", m.name, m.value, m.bounds);
            }
        }
        for b in ev.blocks {
            if let results::Block::Table(t) = b {
                println!(
                    "{}",
                    t.columns
                        .iter()
                        .map(|c| c.name.clone())
                        .collect::<Vec<_>>()
                        .join(" | ")
                );
                for r in t.rows {
                    println!(
                        "{}",
                        r.iter()
                            .map(|c| match c {
                                results::Cell::Text(t) => t.clone(),
                                results::Cell::Int(i) => i.to_string(),
                                results::Cell::Float { value, digits } =>
                                    format!("{value:.*}", *digits as usize),
                                results::Cell::Empty => "-".into(),
                            })
                            .collect::<Vec<_>>()
                            .join(" | ")
                    );
                }
            }
        }
    }
}
