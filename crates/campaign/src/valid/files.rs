//! Files that random scenarios name: networks, matrices, traces.

use std::collections::BTreeMap;

use super::values::Context;

/// By name.
pub type Files = BTreeMap<String, String>;

/// Makes a file for this key and says its name.
pub fn make(context: &mut Context<'_>, key: &str) -> String {
    let routers = 3 + context.random.below(4);
    let terminals = context.names.terminals.clamp(2, 40);
    let kind = context.random.below(4);
    let (name, text) = match (key, kind) {
        ("file", 0) => ("net.edges", edges(context, routers)),
        ("file", 1) => ("net.anynet", anynet(routers)),
        ("file", 2) => ("matrix.csv", matrix(context)),
        _ => ("packets.csv", trace(context, terminals)),
    };
    context.files.insert(name.into(), text);
    name.into()
}

fn edges(context: &mut Context<'_>, routers: usize) -> String {
    let mut text = String::new();
    for router in 0..routers {
        let latency = 1 + context.random.below(3);
        text += &format!(
            "r{router} r{} {latency}\nterminal r{router}\n",
            (router + 1) % routers
        );
    }
    text
}

fn anynet(routers: usize) -> String {
    let line = |router: usize| {
        let next = (router + 1) % routers;
        format!("router {router} node {router} router {next} 2\n")
    };
    (0..routers).map(line).collect()
}

/// A weight for each source and destination; none to itself alone.
pub fn rows(context: &mut Context<'_>) -> Vec<Vec<u64>> {
    let terminals = context.names.terminals.clamp(2, 40);
    let mut row = |_| {
        (0..terminals)
            .map(|_| context.random.between(1, 5))
            .collect()
    };
    (0..terminals).map(&mut row).collect()
}

fn matrix(context: &mut Context<'_>) -> String {
    let mut text = String::new();
    for row in rows(context) {
        let cells: Vec<String> = row.iter().map(u64::to_string).collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

fn trace(context: &mut Context<'_>, terminals: usize) -> String {
    let mut text = String::from("cycle,source,destination,flits\n");
    let mut cycle = 0;
    for _ in 0..30 {
        cycle += context.random.between(0, 20);
        let source = context.random.below(terminals);
        let destination = (source + 1 + context.random.below(terminals - 1)) % terminals;
        let flits = context.random.between(1, 6);
        text += &format!("{cycle},{source},{destination},{flits}\n");
    }
    text
}
