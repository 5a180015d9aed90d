use rayon::prelude::*;
fn main() {
    let lab = papers::Lab;
    let mut jobs = Vec::new();
    for mean in [30u32, 40, 50] {
        for dur in ["100000 cells", "1000000 cells"] {
            for n3 in ["103", "155", "none"] {
                for file in ["fig22-multicast", "sec82-fifteen-branches"] {
                    jobs.push((mean, dur, n3, file));
                }
            }
        }
    }
    let out: Vec<_> = jobs
        .par_iter()
        .map(|&(mean, dur, n3, file)| {
            let on = format!("{{ mean = \"{mean} cells\" }}");
            let off = format!("{{ mean = \"{} cells\" }}", 2 * mean);
            let fc = if n3 == "none" {
                "{ scheme = \"none\" }".to_string()
            } else {
                format!("{{ scheme = \"n23\", n2 = 10, n3 = {n3} }}")
            };
            let sets = [
                ("run.duration", dur),
                ("flows.multicast.flow_control", fc.as_str()),
                ("flows.multicast.traffic.on", on.as_str()),
                ("flows.multicast.traffic.off", off.as_str()),
                ("flows.unicast.traffic.on", on.as_str()),
                ("flows.unicast.traffic.off", on.as_str()),
            ];
            let runs = lab
                .seeds(&format!("kung1993/{file}.toml"), &sets, 5)
                .unwrap();
            let v: Vec<f64> = runs
                .iter()
                .map(|r| r.throughput("multicast", "M->S"))
                .collect();
            v.iter().sum::<f64>() / 5.0
        })
        .collect();
    for (j, o) in jobs.iter().zip(out) {
        println!("{j:?} {o:.4}");
    }
}
