//! The account of headroom as a table.

use std::cmp::Reverse;

use backwater_kernel::{Channels, Duration, channel_name};
use backwater_results::{Cell, Column, Table};
use backwater_scenario::EthernetScenario;
use backwater_scenario::headroom::{Brought, Need, Place};

/// Rows of a table, one for each input of each place: of larger networks those with the least to
/// spare.
const MOST: usize = 2_000;

/// What each queue and input under stops needs, has and can spare, term by term.
pub fn table(scenario: &EthernetScenario) -> Table {
    let mut account: Vec<&Need> = scenario.headroom.iter().collect();
    let spare = |need: &Need| i128::from(need.has()) - i128::from(need.needs());
    account.sort_by_key(|need| (spare(need), need.channel, Reverse(need.class)));
    let mut rows = Vec::new();
    let numbers = scenario.network.links.numbers();
    let of = (scenario, &numbers[..]);
    for need in account {
        if need.place == Place::Pool {
            rows.push(whole(scenario, need));
        }
        // Inputs of a pool have rows of their own.
        for own in need.brought.iter().filter(|_| need.place != Place::Pool) {
            let inputs = own.inputs.iter();
            rows.extend(inputs.map(|input| row(of, need, own, *input)));
        }
        if rows.len() > MOST {
            rows.truncate(MOST);
            break;
        }
    }
    Table {
        name: "headroom".into(),
        caption: "What comes over each input before a stop takes effect, and the room for it; \
                  least spare first"
            .into(),
        columns: columns(),
        rows,
    }
}

fn columns() -> Vec<Column> {
    let words = [
        Column::text(
            "place",
            "the channel behind the queue, or into the input; the switch of a pool",
        ),
        Column::text(
            "kind",
            "queue, input, shared memory for one input, or pool of that for all inputs",
        ),
    ];
    let numbers = [
        "class: of the frames",
        "needs [bytes]: of the place, for all its inputs",
        "has [bytes]: above the threshold at which it stops",
        "spare [bytes]: of what it has",
        "missing [bytes]: of what it needs, where a loss is meant or a pool is oversold",
        "leaves [bytes]: that the place is sure to have sent meanwhile",
        "at once: inputs of a pool, whichever they are, that it is enough for at once",
    ];
    let of_input = [
        "brings [bytes]: at most, before its stop takes effect",
        "frames: of the largest size",
        "frame [bytes]: the largest",
        "smaller [bytes]: that smaller frames bring besides",
        "stops: that it needs, one for each destination where those are stopped",
        "ahead [ns]: behind a frame that has started, of data or control",
        "queued [ns]: behind control frames that wait",
        "stop [ns]: of the stop itself",
        "way [ns]: propagation both ways, latency of both nodes",
        "response [ns]: from its last bit to its effect",
    ];
    let input = Column::text("input", "the channel over which frames come");
    let numbers = numbers.into_iter().map(Column::declared);
    let of_input = of_input.into_iter().map(Column::declared);
    words
        .into_iter()
        .chain(numbers)
        .chain([input])
        .chain(of_input)
        .collect()
}

fn int(number: u64) -> Cell {
    Cell::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

/// What a place needs and has.
fn totals(need: &Need) -> [Cell; 6] {
    [
        int(need.needs()),
        int(need.has()),
        int(need.has().saturating_sub(need.needs())),
        int(need.needs().saturating_sub(need.has())),
        int(need.leaves),
        match need.place {
            Place::Pool => int(need.at_once()),
            Place::Queue | Place::Input | Place::Shared => Cell::Empty,
        },
    ]
}

/// A pool, in which all inputs of a switch are one.
fn whole(scenario: &EthernetScenario, need: &Need) -> Vec<Cell> {
    let node = scenario.network.links.ends(need.channel).1;
    let name = &scenario.network.nodes[node as usize].name;
    let words = [name.to_string(), need.place.word().to_owned()];
    let mut row: Vec<Cell> = words.map(Cell::Text).into();
    row.push(Cell::Empty);
    row.extend(totals(need));
    row.push(Cell::Text(String::new()));
    row.resize(columns().len(), Cell::Empty);
    row
}

/// The network, and the number of each link among those between the same two nodes.
type Of<'a> = (&'a EthernetScenario, &'a [u32]);

fn row(of: Of<'_>, need: &Need, own: &Brought, input: u32) -> Vec<Cell> {
    let ns = |span: Duration| Cell::Float {
        value: span.0 as f64 / 1e3,
        digits: 1,
        at_least: false,
    };
    let stop = own.stop;
    let mut row = Vec::from([
        Cell::Text(name(of, need.channel)),
        Cell::Text(need.place.word().into()),
        int(need.class.into()),
    ]);
    row.extend(totals(need));
    row.extend([
        Cell::Text(name(of, input)),
        int(own.bytes()),
        int(stop.frames()),
        int(stop.sizes.largest.into()),
        int(stop.left_over()),
        int(own.times),
        ns(stop.ahead),
        ns(stop.queued),
        ns(stop.control),
        ns(stop.away),
        ns(stop.response),
    ]);
    row
}

fn name((scenario, numbers): Of<'_>, channel: u32) -> String {
    let (from, to) = scenario.network.links.ends(channel);
    let [from, to] = [from, to].map(|node| &scenario.network.nodes[node as usize].name);
    channel_name(from, to, numbers[channel as usize / 2])
}
