//! What `backwater` alone says: what to type first.

use crate::SUCCESS;

/// A scenario, the command that runs it, one that checks it, one for a paper.
const GREETING: &str = "\
backwater simulates what happens upstream when a buffer fills.

Type first, one after another:

  backwater example fig17-two-switches --out two.toml && backwater run two.toml
      write a shipped scenario, simulate it, write a report: two credit-controlled switches
  backwater check two.toml
      look for mistakes without running: change a line of two.toml and try again
  backwater reproduce kung1993
      rerun a paper, claim by claim, and judge each

Then: backwater example --list, backwater explain WORD, backwater --help
";

/// Greets.
pub fn greet() -> u8 {
    print!("{GREETING}");
    SUCCESS
}
