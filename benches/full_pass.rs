//! The full pass over 1 MiB of each kind of document, beside others on the same bytes.
//!
//! `cargo bench --bench full_pass`, with `BYTES=10485760` for 10 MiB. Whoever cannot read a kind is left
//! out there. Machines are noisy: the ratios to quote are those of `ratios.rs`, which interleaves.

mod contenders;

use contenders::{CONTENDERS, Input};
use divan::{Bencher, counter::BytesCount};
use documents::{Flavour, document};

fn main() {
    divan::main();
}

/// Every pair of a contender and a kind of document that it can read.
fn pairs() -> Vec<Pair> {
    let pairs = Flavour::ALL.into_iter().flat_map(|flavour| {
        let mut input = Input::new(document(flavour, size()));
        let able = CONTENDERS.iter().enumerate().filter(move |(_, contender)| {
            input.reset();
            contender.survives(flavour) && contender.run(&mut input)
        });
        able.map(move |(contender, _)| Pair { flavour, contender }).collect::<Vec<_>>()
    });
    pairs.collect()
}

struct Pair {
    flavour: Flavour,
    contender: usize,
}

impl std::fmt::Display for Pair {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.flavour.name(), CONTENDERS[self.contender].name)
    }
}

fn size() -> usize {
    std::env::var("BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(1 << 20)
}

#[divan::bench(args = pairs(), sample_count = 30, sample_size = 1)]
fn full_pass(bencher: Bencher<'_, '_>, pair: &Pair) {
    let text = document(pair.flavour, size());
    let bytes = BytesCount::of_str(&text);
    bencher
        .counter(bytes)
        .with_inputs(|| Input::new(text.clone()))
        .bench_local_refs(|input| CONTENDERS[pair.contender].run(input));
}
