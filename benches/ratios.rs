//! The same as `full_pass.rs`, interleaved: each round lets everybody read once, in turn, so that what
//! else the machine does meets all of them. Prints Markdown: the median GB/s, and the median of the
//! rounds' ratios to `serde_json` in parentheses.
//!
//!     cargo bench --bench ratios [-- [--bytes N] [--rounds N] [FLAVOUR ...]]
//!     cargo bench --bench ratios -- --only CONTENDER --times N FLAVOUR    # for `instructions`

mod contenders;

use std::{process::ExitCode, time::Instant};

use contenders::{BASELINE, CONTENDERS, Contender, Input};
use documents::{Flavour, document};

/// How often each reads the text in a round; the best counts.
const TRIES: usize = 3;

fn main() -> ExitCode {
    match Options::new(std::env::args().skip(1)) {
        Ok(options) => {
            options.run();
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
    }
}

struct Options {
    bytes: usize,
    rounds: usize,
    flavours: Vec<Flavour>,
    only: Option<String>,
    times: usize,
}

impl Options {
    fn new(mut arguments: impl Iterator<Item = String>) -> Result<Options, String> {
        let mut options = Options { bytes: 1 << 20, rounds: 15, flavours: Vec::new(), only: None, times: 1 };
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} what?"));
            let number = |value: String| value.parse().map_err(|_| format!("{value}: no number"));
            match argument.as_str() {
                // cargo's own.
                "--bench" => {}
                "--bytes" => options.bytes = number(value()?)?,
                "--rounds" => options.rounds = number(value()?)?,
                "--only" => options.only = Some(value()?),
                "--times" => options.times = number(value()?)?,
                name => options
                    .flavours
                    .push(Flavour::from_name(name).ok_or_else(|| format!("{name}: no flavour"))?),
            }
        }
        if options.flavours.is_empty() {
            options.flavours.extend(Flavour::ALL);
        }
        Ok(options)
    }

    fn run(&self) {
        if let Some(only) = &self.only {
            let contender = CONTENDERS.iter().find(|contender| contender.name == only);
            for flavour in &self.flavours {
                let mut input = Input::new(document(*flavour, self.bytes));
                println!("{}", input.text.len());
                for _ in 0..self.times {
                    input.reset();
                    contender.map(|contender| contender.run(&mut input));
                }
            }
            return;
        }
        let names: Vec<&str> = self.flavours.iter().map(|flavour| flavour.name()).collect();
        println!("| GB/s (x {BASELINE}) | {} |", names.join(" | "));
        println!("| --- |{}", " ---: |".repeat(names.len()));
        let columns: Vec<Vec<String>> = self.flavours.iter().map(|flavour| self.column(*flavour)).collect();
        for (row, contender) in CONTENDERS.iter().enumerate() {
            let cells: Vec<&str> = columns.iter().map(|column| column[row].as_str()).collect();
            println!("| {} | {} |", contender.name, cells.join(" | "));
        }
    }

    /// The cells of a flavour, one for each contender.
    fn column(&self, flavour: Flavour) -> Vec<String> {
        let mut input = Input::new(document(flavour, self.bytes));
        let bytes = input.text.len() as f64;
        let mut is_able =
            |contender: &Contender| contender.survives(flavour) && seconds(contender, &mut input).is_some();
        let able = CONTENDERS.each_ref().map(&mut is_able);
        // Seconds, by round and contender.
        let rounds: Vec<Vec<f64>> = (0..self.rounds)
            .map(|_| {
                let mut best = |(contender, is_able): (&Contender, bool)| {
                    let tries = if is_able { TRIES } else { 0 };
                    let seconds = (0..tries).filter_map(|_| seconds(contender, &mut input));
                    seconds.fold(f64::INFINITY, f64::min)
                };
                CONTENDERS.iter().zip(able).map(&mut best).collect()
            })
            .collect();
        let baseline = CONTENDERS.iter().position(|contender| contender.name == BASELINE).unwrap_or_default();
        (0..CONTENDERS.len())
            .map(|contender| {
                if !able[contender] {
                    return "-".to_owned();
                }
                let speed = median(rounds.iter().map(|round| bytes / round[contender] / 1e9));
                if !able[baseline] {
                    return format!("{speed:.2}");
                }
                let ratio = median(rounds.iter().map(|round| round[baseline] / round[contender]));
                format!("{speed:.2} ({ratio:.2})")
            })
            .collect()
    }
}

/// How long the contender takes; `None` if it cannot read this.
fn seconds(contender: &Contender, input: &mut Input) -> Option<f64> {
    input.reset();
    let start = Instant::now();
    let is_read = contender.run(input);
    is_read.then(|| start.elapsed().as_secs_f64())
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}
