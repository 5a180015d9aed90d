//! Prints every verdict; for work on experiments.

use std::sync::atomic::AtomicBool;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    for paper in papers::papers() {
        let stop = AtomicBool::new(false);
        let found = papers::reproduce(&paper, &wanted, &|what| eprintln!("{what}"), &stop);
        match found {
            Ok(found) => {
                for judged in &found.judged {
                    let word = papers::claim::verdict_word(judged.verdict);
                    println!("{word:8} {:50} {}", judged.claim.id, judged.measured_text());
                    println!("         {:.2} s {}", judged.seconds, judged.reason);
                }
            }
            Err(error) => println!("{error}"),
        }
    }
}
