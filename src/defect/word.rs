//! Words where a value is expected: other languages' literals, numbers that
//! JSON does not have, strings without quotes.

use super::{Defect, Finding};
use crate::wording::quoted;

/// What a word has nothing of that lost its quotes: it is code, or markup.
const NOT_IN_STRINGS: [char; 11] = ['(', ')', '=', ';', '<', '>', '|', '`', '*', '!', '&'];

/// The defect of `word`, which is no value of JSON.
pub(super) fn find(word: &str) -> Option<Finding> {
    let unsigned = word.strip_prefix(['+', '-']).unwrap_or(word);
    let shown = quoted(word);
    let lower = unsigned.to_ascii_lowercase();
    let finding = match (word, lower.as_str()) {
        ("True" | "False" | "None", _) => {
            let json = match word {
                "True" => "true",
                "False" => "false",
                _ => "null",
            };
            Finding::new(Defect::PythonLiteral, format!("{shown} is Python, JSON has `{json}`"))
        }
        ("undefined", _) => Finding::new(Defect::Undefined, "`undefined` is JavaScript, and no JSON value"),
        (_, "true" | "false" | "null") if word.len() == lower.len() => {
            if word == lower {
                return None;
            }
            Finding::new(Defect::LiteralCase, format!("{shown} is written `{lower}` in JSON"))
        }
        (_, "nan" | "inf" | "infinity") => {
            Finding::new(Defect::NonFiniteNumber, format!("{shown} is no JSON number"))
        }
        _ if is_of_other_base(&lower) => Finding::new(
            Defect::HexadecimalNumber,
            format!("{shown} is no JSON number: these are decimal, without a prefix"),
        ),
        _ => match Decimal::parse(unsigned) {
            Some(decimal) => of_decimal(word, &decimal)?,
            // The exponent has no digits: it may have lost them.
            None if Decimal::parse(lower.trim_end_matches(['+', '-']).trim_end_matches('e')).is_some() => {
                return None;
            }
            None if may_be_string(word) => {
                let digits = word.trim_start_matches(['+', '-', '.']);
                let is_numeric = digits.starts_with(|first: char| first.is_ascii_digit());
                let kind = if is_numeric { "number" } else { "value" };
                let what = format!("{shown} is no JSON {kind}, and a string needs double quotes");
                Finding::new(Defect::UnquotedString, what)
            }
            None => return None,
        },
    };
    Some(finding)
}

/// Whether `lower`, without a sign, is a number with the prefix of a base.
fn is_of_other_base(lower: &str) -> bool {
    let has_only = |prefix: &str, base: u32| {
        let digits = lower.strip_prefix(prefix).unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base))
    };
    has_only("0x", 16) || has_only("0o", 8) || has_only("0b", 2)
}

fn of_decimal(word: &str, decimal: &Decimal<'_>) -> Option<Finding> {
    let shown = quoted(word);
    let Decimal { integer, fraction } = decimal;
    if integer.len() > 1 && integer.starts_with('0') {
        let what = format!("{shown} begins with a zero, as no JSON number does");
        Some(Finding::new(Defect::LeadingZero, what))
    } else if word.starts_with('+') {
        Some(Finding::new(Defect::PlusSign, format!("{shown} has a plus sign, as no JSON number has")))
    } else if integer.is_empty() || *fraction == Some("") {
        let what = format!("{shown} lacks a digit beside its decimal point");
        Some(Finding::new(Defect::BareDecimalPoint, what))
    } else {
        None
    }
}

/// A decimal number without its sign; one part of it may be empty.
struct Decimal<'word> {
    integer: &'word str,
    /// What is behind the point, if there is one.
    fraction: Option<&'word str>,
}

impl<'word> Decimal<'word> {
    fn parse(unsigned: &'word str) -> Option<Decimal<'word>> {
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => {
                (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
            }
            None => (unsigned, None),
        };
        if exponent.is_some_and(|exponent| exponent.is_empty() || !is_digits(exponent)) {
            return None;
        }
        let (integer, fraction) = match mantissa.split_once('.') {
            Some((integer, fraction)) => (integer, Some(fraction)),
            None => (mantissa, None),
        };
        let has_digit = !integer.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
        (has_digit && is_digits(integer) && fraction.is_none_or(is_digits))
            .then_some(Decimal { integer, fraction })
    }
}

/// Whether `word` looks like a string that lost its quotes.
fn may_be_string(word: &str) -> bool {
    let first = word.chars().next().is_some_and(|first| {
        first.is_alphanumeric() || matches!(first, '_' | '$' | '-' | '+' | '.' | '/' | '@' | '~')
    });
    first && word.chars().any(char::is_alphanumeric) && !word.contains(NOT_IN_STRINGS)
}
