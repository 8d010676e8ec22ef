//! What a text that ends too early was cut in.

use super::{Defect, Finding, RelatedPlace, site::Site};
use crate::repair::{Expected, JsonError, Report};

/// The most openers that the closing of a text points at.
const MAX_OPENERS: usize = 10;

/// The defect of a text that ends at `site`, where more is owed.
pub(super) fn find(site: &Site<'_>, error: JsonError) -> Option<Finding> {
    let end = site.at;
    match error.expected {
        Expected::EscapeCharacter | Expected::HexDigit => {
            let start = site.bytes[..end].iter().rposition(|byte| *byte == b'\\')?;
            let what = format!("the text is cut inside the escape {}", site.shown(start..end));
            let string = site.report.open_string().map_or(0..0, |string| string..string + 1);
            Some(Finding::new(Defect::CutInEscape, what).with(string, "the string begins here"))
        }
        Expected::Literal(literal) => {
            let word = site.shown(site.token_before(end)?);
            Some(Finding::new(Defect::CutInLiteral, format!("{word} is cut off: it begins `{literal}`")))
        }
        Expected::Digit | Expected::DigitOrSign => {
            let number = site.shown(site.token_before(end)?);
            Some(Finding::new(Defect::CutInNumber, format!("the number {number} is cut off")))
        }
        Expected::Colon => match site.report.open_string() {
            Some(_) => Some(Finding::new(Defect::CutBeforeValue, "the text is cut inside a key")),
            None => {
                let key = site.shown(site.token_before(end)?);
                let what = format!("the text is cut before the value of {key}");
                Some(Finding::new(Defect::CutBeforeValue, what))
            }
        },
        Expected::Value | Expected::Key => before_value(site),
        Expected::ValueOrClosingBracket
        | Expected::KeyOrClosingBrace
        | Expected::CommaOrClosingBracket
        | Expected::CommaOrClosingBrace
        | Expected::ClosingQuote => {
            let mut finding = Finding::new(Defect::NotClosed, "the text is cut off, and not closed");
            finding.related = openers(site.report);
            Some(finding)
        }
        Expected::EndOfText | Expected::NoDigit => None,
    }
}

fn before_value(site: &Site<'_>) -> Option<Finding> {
    let previous = site.token_before(site.at)?;
    match site.byte(previous.start)? {
        b':' => {
            let key = site.token_before(previous.start)?;
            let what = format!("the text is cut before the value of {}", site.shown(key.clone()));
            Some(Finding::new(Defect::CutBeforeValue, what).with(site.place(key), "this key has no value"))
        }
        b',' => Some(Finding::new(Defect::CutBeforeValue, "the text is cut behind a comma")),
        _ => None,
    }
}

/// Where the string and the brackets begin that closing would close, innermost
/// first.
pub(crate) fn openers(report: &Report) -> Vec<RelatedPlace> {
    let string = report
        .open_string()
        .map(|start| RelatedPlace { range: start..start + 1, message: "the string begins here".to_owned() });
    let brackets = report.open_brackets().map(|opener| RelatedPlace {
        range: opener.offset..opener.offset + 1,
        message: format!("`{}` would close this bracket", opener.bracket.closer()),
    });
    string.into_iter().chain(brackets).take(MAX_OPENERS).collect()
}
