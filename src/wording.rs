//! How a piece of a text is shown in a sentence about it.

use std::fmt::Write;

/// The most characters of a text that are quoted.
pub(crate) const LONGEST_QUOTE: usize = 32;

/// `text` in backticks, on one line, and no more of it than can be read at a
/// glance.
pub fn quoted(text: &str) -> String {
    let mut shown = String::from("`");
    for (index, character) in text.chars().enumerate() {
        if index == LONGEST_QUOTE {
            shown.push('…');
            break;
        }
        match character {
            '\n' => shown.push('⏎'),
            '\r' => {}
            control if control.is_control() => {
                let _ = write!(shown, "U+{:04X}", u32::from(control));
            }
            _ => shown.push(character),
        }
    }
    shown.push('`');
    shown
}

/// A character that cannot be seen, by its code point and, where it has one
/// that people know, its name.
pub(crate) fn character_name(character: char) -> String {
    let mut name = format!("U+{:04X}", u32::from(character));
    let known = match character {
        '\n' | '\r' => "line break",
        '\t' => "tab",
        '\0' => "NUL",
        '\u{feff}' => "byte order mark",
        '\u{a0}' => "no-break space",
        '\u{2028}' => "line separator",
        '\u{2029}' => "paragraph separator",
        _ => return name,
    };
    let _ = write!(name, " ({known})");
    name
}
