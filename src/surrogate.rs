//! Lone surrogate escapes in JSON text.
//!
//! RFC 8259 allows `"\ud800"`; a Rust `String` cannot hold it. VS Code sends
//! such text when a keystroke falls between the halves of a pair.

/// Where the first lone surrogate escape stands in `json`, in bytes.
///
/// An escape is the six bytes `\uXXXX` inside a string. Looks at nothing but
/// strings and escapes, so `json` need not be valid. Linear.
pub(crate) fn first_lone_escape(json: &[u8]) -> Option<usize> {
    lone_escapes(json).next()
}

/// Turns every lone surrogate escape of `json` into U+FFFD in place: one UTF-16
/// code unit for one, and six bytes for six, so that every offset holds.
///
/// Returns how many there were.
pub(crate) fn replace_lone_escapes(json: &mut [u8]) -> usize {
    let escapes: Vec<usize> = lone_escapes(json).collect();
    for at in &escapes {
        json[*at..at + 6].copy_from_slice(b"\\uFFFD");
    }
    escapes.len()
}

fn lone_escapes(json: &[u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            // A backslash stands in a string or the text is not JSON; either
            // way the character behind it belongs to it.
            at += json.get(at..)?.iter().position(|byte| *byte == b'\\')?;
            let escape = at;
            match code_unit(json, escape) {
                Some(0xD800..0xDC00) => match code_unit(json, escape + 6) {
                    Some(0xDC00..0xE000) => at += 12,
                    _ => {
                        at += 6;
                        return Some(escape);
                    }
                },
                Some(0xDC00..0xE000) => {
                    at += 6;
                    return Some(escape);
                }
                Some(_) => at += 6,
                None => at += 2,
            }
        }
    })
}

/// The UTF-16 code unit that the escape at `at` stands for, if it is a `\u` one.
pub(crate) fn code_unit(json: &[u8], at: usize) -> Option<u16> {
    let escape = json.get(at..at + 6)?;
    let digits = escape.strip_prefix(b"\\u")?;
    digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)? as u16))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_stay_and_halves_go() {
        for (json, expected) in [
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\uFFFD""#),
            (r#""\ude00\ud83d""#, r#""\uFFFD\uFFFD""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\uFFFD\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\\\ud83d""#, r#""\\\uFFFD""#),
            (r#""\ud83"#, r#""\ud83"#),
            (r#""\"#, r#""\"#),
        ] {
            let mut bytes = json.as_bytes().to_vec();
            replace_lone_escapes(&mut bytes);
            assert_eq!(String::from_utf8_lossy(&bytes), expected, "{json}");
        }
    }
}
