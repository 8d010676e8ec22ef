//! The grammar automaton: RFC 8259 over what is left of a text after its edits.
//!
//! It reads one byte at a time, can be stopped and resumed at any byte, and
//! keeps its nesting in a stack of its own, so that depth costs one bit a
//! level and no recursion. Its first error is final: whatever comes behind
//! the first character that cannot be there has no grammar.
//!
//! It reads UTF-8 without looking at it: bytes from 0x80 on are fine inside a
//! string and nowhere else, and since the input is a `str`, the first such
//! byte outside a string is where its character starts.

use std::fmt;

/// What was being read when a text stopped being the beginning of any JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JsonErrorCode {
    /// The text ran out.
    UnexpectedEnd,
    /// A character that cannot be there, and no better name for it.
    UnexpectedCharacter,
    /// Something follows the one value.
    TrailingContent,
    /// A `\` in a string that begins no escape of RFC 8259, section 7.
    InvalidEscape,
    /// A raw character below U+0020 in a string.
    ControlCharacterInString,
    /// A number that breaks off, or starts with a superfluous zero.
    InvalidNumber,
    /// A `true`, `false` or `null` that goes on differently.
    InvalidLiteral,
}

impl JsonErrorCode {
    /// The code's name in the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            JsonErrorCode::UnexpectedEnd => "unexpected_end",
            JsonErrorCode::UnexpectedCharacter => "unexpected_character",
            JsonErrorCode::TrailingContent => "trailing_content",
            JsonErrorCode::InvalidEscape => "invalid_escape",
            JsonErrorCode::ControlCharacterInString => "control_character_in_string",
            JsonErrorCode::InvalidNumber => "invalid_number",
            JsonErrorCode::InvalidLiteral => "invalid_literal",
        }
    }
}

impl fmt::Display for JsonErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Where and why a text is not JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonError {
    /// What was being read.
    pub code: JsonErrorCode,
    /// The first byte that cannot be there, or the length of the text where
    /// more is owed. An offset into the text *after* the edits.
    pub offset: usize,
    /// What could have stood there.
    pub expected: Expected,
}

/// What the grammar could have taken at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expected {
    /// A value.
    Value,
    /// A value or `]`: right after `[`.
    ValueOrClosingBracket,
    /// A key: behind a comma in an object.
    Key,
    /// A key or `}`: right after `{`.
    KeyOrClosingBrace,
    /// The colon between a key and its value.
    Colon,
    /// Behind an element.
    CommaOrClosingBracket,
    /// Behind a member.
    CommaOrClosingBrace,
    /// Nothing: the one value is over.
    EndOfText,
    /// More of a string, or its closing quote.
    ClosingQuote,
    /// One of the characters that may follow a `\`.
    EscapeCharacter,
    /// One of the four hexadecimal digits behind `\u`.
    HexDigit,
    /// A digit of a number.
    Digit,
    /// A digit or the sign of an exponent.
    DigitOrSign,
    /// Anything but a further digit: a number that begins with 0 is over.
    NoDigit,
    /// The rest of this literal.
    Literal(&'static str),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Value => "a value",
            Expected::ValueOrClosingBracket => "a value or `]`",
            Expected::Key => "a key in double quotes",
            Expected::KeyOrClosingBrace => "a key in double quotes or `}`",
            Expected::Colon => "`:`",
            Expected::CommaOrClosingBracket => "`,` or `]`",
            Expected::CommaOrClosingBrace => "`,` or `}`",
            Expected::EndOfText => "the end of the text",
            Expected::ClosingQuote => "the string's closing `\"`",
            Expected::EscapeCharacter => "one of `\"\\/bfnrtu` after `\\`",
            Expected::HexDigit => "four hexadecimal digits after `\\u`",
            Expected::Digit => "a digit",
            Expected::DigitOrSign => "a digit, `+` or `-`",
            Expected::NoDigit => "no digit after a leading 0",
            Expected::Literal(literal) => return write!(f, "`{literal}`"),
        })
    }
}

/// Whether a string is a member's name or a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Key,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Literal {
    True,
    False,
    Null,
}

impl Literal {
    const fn as_str(self) -> &'static str {
        match self {
            Literal::True => "true",
            Literal::False => "false",
            Literal::Null => "null",
        }
    }
}

/// What the automaton is in the middle of, apart from its nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Value,
    ValueOrClosingBracket,
    Key,
    KeyOrClosingBrace,
    Colon,
    /// A value is over: a comma, a closer, or (outside of brackets) nothing.
    AfterValue,
    String(Role),
    Escape(Role),
    /// Inside `\u`; so many hexadecimal digits are owed.
    HexDigits(Role, u8),
    /// Behind the minus sign.
    Minus,
    /// Behind a leading zero.
    Zero,
    Integer,
    /// Behind the decimal point.
    Point,
    Fraction,
    /// Behind `e` or `E`.
    Exponent,
    ExponentSign,
    ExponentDigits,
    /// Inside a literal; so many of its bytes are read.
    Literal(Literal, u8),
    Failed,
}

/// The open brackets, one bit a level: set for an object.
#[derive(Clone, Debug, Default)]
struct Nesting {
    depth: usize,
    words: Vec<u64>,
}

impl Nesting {
    fn push(&mut self, is_object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.words.len() {
            self.words.push(0);
        }
        self.words[word] = self.words[word] & !(1 << bit) | u64::from(is_object) << bit;
        self.depth += 1;
    }

    fn pop(&mut self) {
        self.depth -= 1;
    }

    /// Whether the innermost open bracket is an object's; none outside of all.
    fn innermost_is_object(&self) -> Option<bool> {
        let level = self.depth.checked_sub(1)?;
        Some(self.words[level / 64] >> (level % 64) & 1 == 1)
    }
}

/// The automaton. See the module's own words.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    state: State,
    nesting: Nesting,
    error: Option<JsonError>,
}

impl Grammar {
    /// At the beginning of a text.
    pub(crate) fn new() -> Grammar {
        Grammar { state: State::Value, nesting: Nesting::default(), error: None }
    }

    /// Whether an error was found; no byte can change anything from here on.
    pub(crate) fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Whether a whole text was read: the one value is over.
    ///
    /// A number at the top is never known to be over before [`Grammar::end`].
    pub(crate) fn is_complete(&self) -> bool {
        self.state == State::AfterValue && self.nesting.depth == 0
    }

    /// Reads one byte, which stands at `offset` of the result.
    pub(crate) fn step(&mut self, byte: u8, offset: usize) {
        self.state = match self.state {
            State::Failed => State::Failed,
            State::String(role) => match byte {
                b'"' => State::end_of_string(role),
                b'\\' => State::Escape(role),
                0x00..0x20 => self.fail(JsonErrorCode::ControlCharacterInString, offset),
                _ => State::String(role),
            },
            State::Escape(role) => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => State::String(role),
                b'u' => State::HexDigits(role, 4),
                _ => self.fail(JsonErrorCode::InvalidEscape, offset),
            },
            State::HexDigits(role, owed) => match (byte.is_ascii_hexdigit(), owed) {
                (true, 1) => State::String(role),
                (true, _) => State::HexDigits(role, owed - 1),
                (false, _) => self.fail(JsonErrorCode::InvalidEscape, offset),
            },
            State::Literal(literal, read) => match literal.as_str().as_bytes() {
                bytes if bytes[usize::from(read)] != byte => self.fail(JsonErrorCode::InvalidLiteral, offset),
                bytes if bytes.len() == usize::from(read) + 1 => State::AfterValue,
                _ => State::Literal(literal, read + 1),
            },
            State::Minus => match byte {
                b'0' => State::Zero,
                b'1'..=b'9' => State::Integer,
                _ => self.fail(JsonErrorCode::InvalidNumber, offset),
            },
            State::Zero => match byte {
                b'0'..=b'9' => self.fail(JsonErrorCode::InvalidNumber, offset),
                b'.' => State::Point,
                b'e' | b'E' => State::Exponent,
                _ => self.after_value(byte, offset),
            },
            State::Integer => match byte {
                b'0'..=b'9' => State::Integer,
                b'.' => State::Point,
                b'e' | b'E' => State::Exponent,
                _ => self.after_value(byte, offset),
            },
            State::Point => match byte {
                b'0'..=b'9' => State::Fraction,
                _ => self.fail(JsonErrorCode::InvalidNumber, offset),
            },
            State::Fraction => match byte {
                b'0'..=b'9' => State::Fraction,
                b'e' | b'E' => State::Exponent,
                _ => self.after_value(byte, offset),
            },
            State::Exponent => match byte {
                b'0'..=b'9' => State::ExponentDigits,
                b'+' | b'-' => State::ExponentSign,
                _ => self.fail(JsonErrorCode::InvalidNumber, offset),
            },
            State::ExponentSign => match byte {
                b'0'..=b'9' => State::ExponentDigits,
                _ => self.fail(JsonErrorCode::InvalidNumber, offset),
            },
            State::ExponentDigits => match byte {
                b'0'..=b'9' => State::ExponentDigits,
                _ => self.after_value(byte, offset),
            },
            State::AfterValue => self.after_value(byte, offset),
            between_tokens if is_blank(byte) => between_tokens,
            State::Value => self.value(byte, offset),
            State::ValueOrClosingBracket => match byte {
                b']' => self.close(),
                _ => self.value(byte, offset),
            },
            State::Key => match byte {
                b'"' => State::String(Role::Key),
                _ => self.fail(JsonErrorCode::UnexpectedCharacter, offset),
            },
            State::KeyOrClosingBrace => match byte {
                b'"' => State::String(Role::Key),
                b'}' => self.close(),
                _ => self.fail(JsonErrorCode::UnexpectedCharacter, offset),
            },
            State::Colon => match byte {
                b':' => State::Value,
                _ => self.fail(JsonErrorCode::UnexpectedCharacter, offset),
            },
        };
    }

    /// Takes back a comma that was just read without an error: it stands
    /// before a closer, in a dialect that allows it there.
    ///
    /// The comma was accepted, so a value is over, and is again.
    pub(crate) fn allow_trailing_comma(&mut self) {
        debug_assert!(matches!(self.state, State::Value | State::Key | State::Failed));
        if !self.has_failed() {
            self.state = State::AfterValue;
        }
    }

    /// Ends the text, whose result is `length` bytes long.
    pub(crate) fn end(mut self, length: usize) -> Option<JsonError> {
        let is_over = match self.state {
            State::AfterValue | State::Zero | State::Integer | State::Fraction | State::ExponentDigits => {
                self.nesting.depth == 0
            }
            State::Failed => true,
            _ => false,
        };
        if !is_over {
            self.state = self.fail(JsonErrorCode::UnexpectedEnd, length);
        }
        self.error
    }

    fn value(&mut self, byte: u8, offset: usize) -> State {
        match byte {
            b'"' => State::String(Role::Value),
            b'{' => self.open(true),
            b'[' => self.open(false),
            b'-' => State::Minus,
            b'0' => State::Zero,
            b'1'..=b'9' => State::Integer,
            b't' => State::Literal(Literal::True, 1),
            b'f' => State::Literal(Literal::False, 1),
            b'n' => State::Literal(Literal::Null, 1),
            _ => self.fail(JsonErrorCode::UnexpectedCharacter, offset),
        }
    }

    /// Reads the byte behind a value that is over.
    fn after_value(&mut self, byte: u8, offset: usize) -> State {
        match (byte, self.nesting.innermost_is_object()) {
            (blank, _) if is_blank(blank) => State::AfterValue,
            (_, None) => self.fail(JsonErrorCode::TrailingContent, offset),
            (b',', Some(true)) => State::Key,
            (b',', Some(false)) => State::Value,
            (b'}', Some(true)) | (b']', Some(false)) => self.close(),
            _ => self.fail(JsonErrorCode::UnexpectedCharacter, offset),
        }
    }

    fn open(&mut self, is_object: bool) -> State {
        self.nesting.push(is_object);
        if is_object { State::KeyOrClosingBrace } else { State::ValueOrClosingBracket }
    }

    fn close(&mut self) -> State {
        self.nesting.pop();
        State::AfterValue
    }

    fn fail(&mut self, code: JsonErrorCode, offset: usize) -> State {
        self.error = Some(JsonError { code, offset, expected: self.expected(code) });
        State::Failed
    }

    /// What could be read next. A number that could go on or be over counts
    /// as over: "expected `,` or `]`" is what its writer forgot.
    fn expected(&self, code: JsonErrorCode) -> Expected {
        match self.state {
            State::Zero if code == JsonErrorCode::InvalidNumber => Expected::NoDigit,
            State::Value | State::Failed => Expected::Value,
            State::ValueOrClosingBracket => Expected::ValueOrClosingBracket,
            State::Key => Expected::Key,
            State::KeyOrClosingBrace => Expected::KeyOrClosingBrace,
            State::Colon => Expected::Colon,
            State::String(_) => Expected::ClosingQuote,
            State::Escape(_) => Expected::EscapeCharacter,
            State::HexDigits(..) => Expected::HexDigit,
            State::Minus | State::Point | State::ExponentSign => Expected::Digit,
            State::Exponent => Expected::DigitOrSign,
            State::Literal(literal, _) => Expected::Literal(literal.as_str()),
            State::AfterValue | State::Zero | State::Integer | State::Fraction | State::ExponentDigits => {
                match self.nesting.innermost_is_object() {
                    None => Expected::EndOfText,
                    Some(true) => Expected::CommaOrClosingBrace,
                    Some(false) => Expected::CommaOrClosingBracket,
                }
            }
        }
    }
}

impl State {
    fn end_of_string(role: Role) -> State {
        match role {
            Role::Key => State::Colon,
            Role::Value => State::AfterValue,
        }
    }
}

/// The white space of RFC 8259, section 2, and nothing else.
pub(crate) const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> Option<(&'static str, usize)> {
        let mut grammar = Grammar::new();
        for (offset, byte) in text.bytes().enumerate() {
            grammar.step(byte, offset);
        }
        grammar.end(text.len()).map(|error| (error.code.as_str(), error.offset))
    }

    #[test]
    fn every_code_stands_where_the_text_goes_wrong() {
        for (text, expected) in [
            ("null", None),
            (" -0.5e+10 ", None),
            ("[1, {\"a\": [\"\\u00e9\\ud83d\"]}]", None),
            ("", Some(("unexpected_end", 0))),
            ("tru", Some(("unexpected_end", 3))),
            ("-", Some(("unexpected_end", 1))),
            ("[1", Some(("unexpected_end", 2))),
            ("trux", Some(("invalid_literal", 3))),
            ("01", Some(("invalid_number", 1))),
            ("-x", Some(("invalid_number", 1))),
            ("1.x", Some(("invalid_number", 2))),
            ("1e+x", Some(("invalid_number", 3))),
            ("\"\\q", Some(("invalid_escape", 2))),
            ("\"\\\n", Some(("invalid_escape", 2))),
            ("\"\\u12\n", Some(("invalid_escape", 5))),
            ("\"\n", Some(("control_character_in_string", 1))),
            ("NaN", Some(("unexpected_character", 0))),
            ("'a'", Some(("unexpected_character", 0))),
            (".5", Some(("unexpected_character", 0))),
            ("+1", Some(("unexpected_character", 0))),
            ("\u{feff}1", Some(("unexpected_character", 0))),
            ("1 2", Some(("trailing_content", 2))),
            ("nullx", Some(("trailing_content", 4))),
            ("1.2.3", Some(("trailing_content", 3))),
            ("0x1", Some(("trailing_content", 1))),
            ("[0x1]", Some(("unexpected_character", 2))),
            ("[1}", Some(("unexpected_character", 2))),
            ("{\"a\":1}}", Some(("trailing_content", 7))),
        ] {
            assert_eq!(error(text), expected, "{text:?}");
        }
    }

    #[test]
    fn depth_costs_a_bit_a_level() {
        let depth = 1_000_000;
        let mut grammar = Grammar::new();
        for offset in 0..depth {
            grammar.step(if offset % 3 == 0 { b'[' } else { b'{' }, offset);
            if offset % 3 != 0 {
                for byte in *b"\"\":" {
                    grammar.step(byte, offset);
                }
            }
        }
        for level in (0..depth).rev() {
            grammar.step(if level % 3 == 0 { b']' } else { b'}' }, level);
            assert!(!grammar.has_failed(), "level {level}");
        }
        assert!(grammar.is_complete());
    }
}
