//! The grammar automaton: RFC 8259 over what is left of a text after its edits.
//!
//! [`State`] is all of it but the open brackets, and those it shares with the
//! scan automaton: as long as there is no error, both see the same ones. A
//! step is a pure function of the state, a byte and the innermost open bracket,
//! so that it can be stopped and resumed at any byte, and depth costs no
//! recursion. Its first error is final: whatever comes behind the first
//! character that cannot be there has no grammar.
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
pub(crate) enum Role {
    Key,
    Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Literal {
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

/// A kind of bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bracket {
    /// `{` and `}`.
    Object,
    /// `[` and `]`.
    Array,
}

impl Bracket {
    /// What closes it.
    pub const fn closer(self) -> char {
        match self {
            Bracket::Object => '}',
            Bracket::Array => ']',
        }
    }
}

/// What the automaton is in the middle of, apart from the open brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum State {
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
    /// There was an error.
    Failed,
}

/// The code of an error, and what could have stood in its place.
pub(crate) type Failure = (JsonErrorCode, Expected);

impl State {
    /// At the beginning of a text.
    pub(crate) const START: State = State::Value;

    /// Reads one byte inside of `within`, the innermost open bracket.
    ///
    /// Whoever calls this keeps the brackets: an opener that is read without a
    /// failure opens one, a closer closes one.
    #[inline]
    pub(crate) fn step(self, byte: u8, within: Option<Bracket>) -> Result<State, Failure> {
        let fail = |code| Err((code, self.expected(within, code)));
        match self {
            State::Failed => Ok(State::Failed),
            State::String(role) => match byte {
                b'"' => Ok(State::end_of_string(role)),
                b'\\' => Ok(State::Escape(role)),
                0x00..0x20 => fail(JsonErrorCode::ControlCharacterInString),
                _ => Ok(State::String(role)),
            },
            State::Escape(role) => match byte {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(State::String(role)),
                b'u' => Ok(State::HexDigits(role, 4)),
                _ => fail(JsonErrorCode::InvalidEscape),
            },
            State::HexDigits(role, owed) => match (byte.is_ascii_hexdigit(), owed) {
                (true, 1) => Ok(State::String(role)),
                (true, _) => Ok(State::HexDigits(role, owed - 1)),
                (false, _) => fail(JsonErrorCode::InvalidEscape),
            },
            State::Literal(literal, read) => match literal.as_str().as_bytes() {
                bytes if bytes[usize::from(read)] != byte => fail(JsonErrorCode::InvalidLiteral),
                bytes if bytes.len() == usize::from(read) + 1 => Ok(State::AfterValue),
                _ => Ok(State::Literal(literal, read + 1)),
            },
            State::Minus => match byte {
                b'0' => Ok(State::Zero),
                b'1'..=b'9' => Ok(State::Integer),
                _ => fail(JsonErrorCode::InvalidNumber),
            },
            State::Zero => match byte {
                b'0'..=b'9' => fail(JsonErrorCode::InvalidNumber),
                b'.' => Ok(State::Point),
                b'e' | b'E' => Ok(State::Exponent),
                _ => self.after_value(byte, within),
            },
            State::Integer => match byte {
                b'0'..=b'9' => Ok(State::Integer),
                b'.' => Ok(State::Point),
                b'e' | b'E' => Ok(State::Exponent),
                _ => self.after_value(byte, within),
            },
            State::Point => match byte {
                b'0'..=b'9' => Ok(State::Fraction),
                _ => fail(JsonErrorCode::InvalidNumber),
            },
            State::Fraction => match byte {
                b'0'..=b'9' => Ok(State::Fraction),
                b'e' | b'E' => Ok(State::Exponent),
                _ => self.after_value(byte, within),
            },
            State::Exponent => match byte {
                b'0'..=b'9' => Ok(State::ExponentDigits),
                b'+' | b'-' => Ok(State::ExponentSign),
                _ => fail(JsonErrorCode::InvalidNumber),
            },
            State::ExponentSign => match byte {
                b'0'..=b'9' => Ok(State::ExponentDigits),
                _ => fail(JsonErrorCode::InvalidNumber),
            },
            State::ExponentDigits => match byte {
                b'0'..=b'9' => Ok(State::ExponentDigits),
                _ => self.after_value(byte, within),
            },
            State::AfterValue => self.after_value(byte, within),
            between_tokens if is_blank(byte) => Ok(between_tokens),
            State::Value => self.value(byte, within),
            State::ValueOrClosingBracket => match byte {
                b']' => Ok(State::AfterValue),
                _ => self.value(byte, within),
            },
            State::Key => match byte {
                b'"' => Ok(State::String(Role::Key)),
                _ => fail(JsonErrorCode::UnexpectedCharacter),
            },
            State::KeyOrClosingBrace => match byte {
                b'"' => Ok(State::String(Role::Key)),
                b'}' => Ok(State::AfterValue),
                _ => fail(JsonErrorCode::UnexpectedCharacter),
            },
            State::Colon => match byte {
                b':' => Ok(State::Value),
                _ => fail(JsonErrorCode::UnexpectedCharacter),
            },
        }
    }

    /// What a comma stands behind, whether it stays or goes: a number that could
    /// be over is.
    pub(crate) fn before_comma(self) -> State {
        match self {
            State::Zero | State::Integer | State::Fraction | State::ExponentDigits => State::AfterValue,
            other => other,
        }
    }

    /// Takes back a comma that was just read: it stands before a closer, in a
    /// dialect that allows it there. It was read without a failure, so a value
    /// is over, and is again.
    pub(crate) fn allow_trailing_comma(self) -> State {
        match self {
            State::Failed => State::Failed,
            _ => State::AfterValue,
        }
    }

    /// The state behind a token by its last byte; a quote ends a value, and of a
    /// comma the grammar has not been told.
    pub(crate) fn after(byte: u8) -> State {
        match byte {
            b'{' => State::KeyOrClosingBrace,
            b'[' => State::ValueOrClosingBracket,
            b':' => State::Value,
            _ => State::AfterValue,
        }
    }

    /// Whether this is not in the middle of a token.
    pub(crate) fn is_between_tokens(self) -> bool {
        matches!(
            self,
            State::Value
                | State::ValueOrClosingBracket
                | State::Key
                | State::KeyOrClosingBrace
                | State::Colon
                | State::AfterValue
        )
    }

    /// Ends the text inside of `within`.
    pub(crate) fn end(self, within: Option<Bracket>) -> Result<(), Failure> {
        match self {
            State::AfterValue | State::Zero | State::Integer | State::Fraction | State::ExponentDigits
                if within.is_none() =>
            {
                Ok(())
            }
            State::Failed => Ok(()),
            _ => Err((JsonErrorCode::UnexpectedEnd, self.expected(within, JsonErrorCode::UnexpectedEnd))),
        }
    }

    fn value(self, byte: u8, within: Option<Bracket>) -> Result<State, Failure> {
        match byte {
            b'"' => Ok(State::String(Role::Value)),
            b'{' => Ok(State::KeyOrClosingBrace),
            b'[' => Ok(State::ValueOrClosingBracket),
            b'-' => Ok(State::Minus),
            b'0' => Ok(State::Zero),
            b'1'..=b'9' => Ok(State::Integer),
            b't' => Ok(State::Literal(Literal::True, 1)),
            b'f' => Ok(State::Literal(Literal::False, 1)),
            b'n' => Ok(State::Literal(Literal::Null, 1)),
            _ => {
                let code = JsonErrorCode::UnexpectedCharacter;
                Err((code, self.expected(within, code)))
            }
        }
    }

    /// Reads the byte behind a value that is over.
    fn after_value(self, byte: u8, within: Option<Bracket>) -> Result<State, Failure> {
        match (byte, within) {
            (blank, _) if is_blank(blank) => Ok(State::AfterValue),
            (b',', Some(Bracket::Object)) => Ok(State::Key),
            (b',', Some(Bracket::Array)) => Ok(State::Value),
            (b'}', Some(Bracket::Object)) | (b']', Some(Bracket::Array)) => Ok(State::AfterValue),
            (_, within) => {
                let code = match within {
                    None => JsonErrorCode::TrailingContent,
                    Some(_) => JsonErrorCode::UnexpectedCharacter,
                };
                Err((code, self.expected(within, code)))
            }
        }
    }

    fn end_of_string(role: Role) -> State {
        match role {
            Role::Key => State::Colon,
            Role::Value => State::AfterValue,
        }
    }

    /// What could be read next. A number that could go on or be over counts
    /// as over: "expected `,` or `]`" is what its writer forgot.
    fn expected(self, within: Option<Bracket>, code: JsonErrorCode) -> Expected {
        match self {
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
                match within {
                    None => Expected::EndOfText,
                    Some(Bracket::Object) => Expected::CommaOrClosingBrace,
                    Some(Bracket::Array) => Expected::CommaOrClosingBracket,
                }
            }
        }
    }
}

/// The automaton with brackets of its own, for texts without edits.
#[derive(Clone, Debug)]
pub(crate) struct Grammar {
    state: State,
    open: Vec<Bracket>,
    error: Option<JsonError>,
}

impl Grammar {
    /// At the beginning of a text.
    pub(crate) fn new() -> Grammar {
        Grammar { state: State::START, open: Vec::new(), error: None }
    }

    /// Whether an error was found; no byte can change anything from here on.
    pub(crate) fn has_failed(&self) -> bool {
        self.state == State::Failed
    }

    /// Whether a whole text was read: the one value is over.
    ///
    /// A number at the top is never known to be over before [`Grammar::end`].
    pub(crate) fn is_complete(&self) -> bool {
        self.state == State::AfterValue && self.open.is_empty()
    }

    /// How many brackets are open.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Reads one byte, which stands at `offset`.
    pub(crate) fn step(&mut self, byte: u8, offset: usize) {
        let is_between = !matches!(self.state, State::String(_) | State::Escape(_) | State::HexDigits(..));
        match self.state.step(byte, self.open.last().copied()) {
            Ok(state) => {
                self.state = state;
                match byte {
                    b'{' if is_between => self.open.push(Bracket::Object),
                    b'[' if is_between => self.open.push(Bracket::Array),
                    b'}' | b']' if is_between => {
                        self.open.pop();
                    }
                    _ => {}
                }
            }
            Err(failure) => self.fail(failure, offset),
        }
    }

    /// Ends the text, which is `length` bytes long.
    pub(crate) fn end(mut self, length: usize) -> Option<JsonError> {
        if let Err(failure) = self.state.end(self.open.last().copied()) {
            self.fail(failure, length);
        }
        self.error
    }

    fn fail(&mut self, (code, expected): Failure, offset: usize) {
        self.error = Some(JsonError { code, offset, expected });
        self.state = State::Failed;
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
}
