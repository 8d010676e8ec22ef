//! The documents of the benches, the same on every machine.
//!
//! Most are an array of records as an API or a model would write them: nested objects, short and
//! long strings, numbers of every form, some escapes. Of the text of a record about one word in eight
//! is not ASCII.

use std::fmt::Write;

/// A kind of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// Records, indented by two spaces.
    Pretty,
    /// Records without any white space.
    Minified,
    /// One flat array of integers, fractions and exponents.
    Numbers,
    /// One long string, with escapes and characters of all lengths.
    OneString,
    /// Pretty records with comments and trailing commas.
    Commented,
    /// Pretty records, cut off in the middle of a string.
    Truncated,
    /// Brackets in brackets.
    Deep,
    /// Minified records whose words are none of them ASCII.
    NonAscii,
}

impl Flavour {
    /// All of them.
    pub const ALL: [Flavour; 8] = [
        Flavour::Pretty,
        Flavour::Minified,
        Flavour::Numbers,
        Flavour::OneString,
        Flavour::Commented,
        Flavour::Truncated,
        Flavour::Deep,
        Flavour::NonAscii,
    ];

    /// Its name on command lines and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Flavour::Pretty => "pretty",
            Flavour::Minified => "minified",
            Flavour::Numbers => "numbers",
            Flavour::OneString => "one string",
            Flavour::Commented => "commented",
            Flavour::Truncated => "truncated",
            Flavour::Deep => "deep",
            Flavour::NonAscii => "non-ASCII",
        }
    }

    /// The flavour of this name.
    pub fn from_name(name: &str) -> Option<Flavour> {
        Flavour::ALL.into_iter().find(|flavour| flavour.name() == name)
    }
}

/// A document of about `size` bytes: a record more or less.
pub fn document(flavour: Flavour, size: usize) -> String {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    match flavour {
        Flavour::Pretty => records(&mut random, size, Style::Pretty, ASCII_OR_NOT),
        Flavour::Minified => records(&mut random, size, Style::Minified, ASCII_OR_NOT),
        Flavour::NonAscii => records(&mut random, size, Style::Minified, NOT_ASCII),
        Flavour::Commented => records(&mut random, size, Style::Commented, ASCII_OR_NOT),
        Flavour::Truncated => {
            let mut text = records(&mut random, size, Style::Pretty, ASCII_OR_NOT);
            let cut = text.rfind("\"about\": \"").map_or(text.len(), |at| at + 14);
            text.truncate(text.floor_char_boundary(cut));
            text
        }
        Flavour::Numbers => {
            let mut text = "[".to_owned();
            while text.len() < size {
                number(&mut text, &mut random);
                text.push(',');
            }
            text.pop();
            text + "]"
        }
        Flavour::OneString => {
            let mut text = "{\"text\":\"".to_owned();
            while text.len() < size {
                let escape = ["\\n", "\\u00e9", "\\\"", "\\\\"][random.below(4)];
                let word = if random.below(8) == 0 { escape } else { random.word(ASCII_OR_NOT) };
                text.push_str(word);
                text.push(' ');
            }
            text + "\"}"
        }
        Flavour::Deep => {
            let pairs = size / "[{\"a\":}]".len();
            format!("{}1{}", "[{\"a\":".repeat(pairs), "}]".repeat(pairs))
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Style {
    Pretty,
    Minified,
    Commented,
}

const LATIN: [&str; 24] = [
    "lorem",
    "ipsum",
    "dolor",
    "sit",
    "amet",
    "consectetur",
    "adipiscing",
    "elit",
    "sed",
    "do",
    "eiusmod",
    "tempor",
    "incididunt",
    "ut",
    "labore",
    "et",
    "dolore",
    "magna",
    "aliqua",
    "enim",
    "minim",
    "veniam",
    "quis",
    "nostrud",
];
const WORLD: [&str; 12] = [
    "naïve",
    "Zürich",
    "смелый",
    "データ",
    "検索結果",
    "مرحبا",
    "señor",
    "ångström",
    "😀",
    "🚀🌍",
    "👩‍👧",
    "€",
];
/// Of how many words one is not ASCII.
const ASCII_OR_NOT: usize = 8;
const NOT_ASCII: usize = 1;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn word(&mut self, one_in: usize) -> &'static str {
        if self.below(one_in) == 0 { WORLD[self.below(WORLD.len())] } else { LATIN[self.below(LATIN.len())] }
    }

    fn words(&mut self, count: usize, one_in: usize) -> String {
        (0..count).map(|_| self.word(one_in)).collect::<Vec<_>>().join(" ")
    }
}

fn number(text: &mut String, random: &mut Random) {
    let fraction = random.below(1 << 30) as f64 / f64::from(1 << 30);
    let written = match random.below(5) {
        0 => write!(text, "{}", random.below(10)),
        1 => write!(text, "-{}", random.below(1_000_000)),
        2 => write!(text, "{}", (fraction - 0.5) * 2000.0),
        3 => write!(text, "{:e}", fraction * 1e-20),
        _ => write!(text, "{}", random.next() >> 1),
    };
    written.unwrap_or_default();
}

fn records(random: &mut Random, size: usize, style: Style, one_in: usize) -> String {
    let is_commented = style == Style::Commented;
    let (line, between) = if style == Style::Minified { ("", "") } else { ("\n", " ") };
    let mut text = String::with_capacity(size + 2048);
    text.push_str(if is_commented { "// All of them.\n[\n" } else { "[" });
    text.push_str(if is_commented { "" } else { line });
    let mut id = 7_000_000;
    while text.len() < size {
        record(&mut text, random, id, style, between, one_in);
        text.push(',');
        text.push_str(line);
        id += 1;
    }
    if !is_commented {
        text.truncate(text.len() - 1 - line.len());
        text.push_str(line);
    }
    text + "]" + line
}

/// One record of about 700 bytes when it is pretty.
fn record(text: &mut String, random: &mut Random, id: usize, style: Style, space: &str, one_in: usize) {
    let is_commented = style == Style::Commented;
    let end_of_line = |depth: usize| match style {
        Style::Minified => String::new(),
        Style::Pretty | Style::Commented => format!("\n{}", "  ".repeat(depth)),
    };
    let (one, two, three) = (end_of_line(1), end_of_line(2), end_of_line(3));
    let trailing = if is_commented { "," } else { "" };
    let comment = |comment: &'static str| if is_commented { comment } else { "" };
    let bits = random.next();
    let mut fields = vec![
        ("id", id.to_string()),
        ("guid", format!("\"{:08x}-{:04x}\"", bits as u32, bits >> 48)),
        ("active", if random.below(2) == 0 { "true" } else { "false" }.to_owned()),
        ("balance", format!("{}.{:02}", random.below(100_000), random.below(100))),
        ("score", ["1.5e-7", "6.02e23", "0", "-1", "3.14159", "1e3"][random.below(6)].to_owned()),
        ("name", format!("\"{}\"", random.words(2, one_in))),
        ("email", format!("\"user{id}@example.com\"")),
        (
            "about",
            format!(
                "\"{}{}\"",
                random.words(18, one_in),
                ["", "\\n\\\"so\\\" \\\\ it goes", "\\tTab"][random.below(3)]
            ),
        ),
    ];
    let tags: Vec<String> = (0..3).map(|_| format!("{three}\"{}\"", random.word(one_in))).collect();
    fields.push(("tags", format!("[{}{trailing}{two}]", tags.join(","))));
    let degrees =
        |random: &mut Random| format!("{}.{:06}", random.below(180) as i64 - 90, random.below(1_000_000));
    let (lat, lon) = (degrees(random), degrees(random));
    fields
        .push(("geo", format!("{{{three}\"lat\":{space}{lat},{three}\"lon\":{space}{lon}{trailing}{two}}}")));
    let scores: Vec<String> = (0..6).map(|_| format!("{three}{}", random.below(1000))).collect();
    fields.push(("scores", format!("[{}{two}]", scores.join(","))));
    fields.push(("parent", "null".to_owned()));

    text.push_str(one.trim_start_matches('\n'));
    text.push_str(comment("// a record, // \"of\" many /*\n  "));
    text.push('{');
    let last = fields.len() - 1;
    for (index, (key, value)) in fields.into_iter().enumerate() {
        text.push_str(&two);
        if key == "geo" {
            text.push_str(comment("/* WGS84,\n       no string: \" [ { */ "));
        }
        let unit = if key == "balance" { comment(" /* EUR */") } else { "" };
        let comma = if index < last { "," } else { trailing };
        let remark = if key == "email" { comment("  // may be \"empty\" 📧") } else { "" };
        let written = write!(text, "\"{key}\"{unit}:{space}{value}{comma}{remark}");
        written.unwrap_or_default();
    }
    text.push_str(&one);
    text.push('}');
}
