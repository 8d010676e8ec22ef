//! Well-formed text, 64 bytes at a time.
//!
//! The exact engine in [`super::scan`] asks each byte, or each token, what it
//! is: a branch or two each, and the processor guesses many of them wrong. Here
//! a block of 64 bytes is asked all at once. A *mask* is a `u64` with a bit for
//! each byte of the block, the first byte lowest. Comparing all bytes with `,`
//! gives the mask of the commas; what the grammar says of commas is then said
//! of all of them in a few operations, however many there are and wherever they
//! stand.
//!
//! **Nothing is decided here but that all is well.** As soon as anything in a
//! block is not, nothing of the block is kept, and the exact engine reads it
//! from the state before it: that one knows what is wrong, and where. So this
//! file can be deleted, and no answer changes.
//!
//! # How a block is read
//!
//! 1. Each class of bytes becomes a mask. Escapes are looked at one by one,
//!    there are few: a quote that is escaped is no quote.
//! 2. Each bit of `string` is the parity of the quotes up to it ([`parities`]):
//!    set from an opening quote up to the byte before the closing one. What is
//!    neither that nor a quote is `outside`, and only what is outside is a comma,
//!    a bracket, and so on. What is none of these and not blank is part of a
//!    `scalar`: of a number or a literal, if all is well.
//! 3. Something must follow a comma, a colon, an opener and a key. Where it
//!    stands, at the next significant byte, is found for all of them by one
//!    addition, which carries through blanks: [`Owed::take`].
//! 4. Brackets are gone through one by one, for each needs the one it closes.
//!    That gives `in_object`: an object is the innermost that is open.
//! 5. The grammar is now three equations. Keys stand where they are owed and
//!    nowhere else; so do values; so do colons. Commas and closers then can only
//!    stand behind a value, where nothing is owed.
//! 6. Numbers are checked all at once, by additions that carry through digits
//!    ([`numbers_are_wrong`]), and literals one by one.
//!
//! # Where a block ends
//!
//! Behind its 64th byte; or before a number, a literal or an escape that may go
//! on behind it, with which the next block begins. So all that is carried from
//! block to block is a string that goes on, and what is owed: [`Carry`]. The
//! bytes that are left to the next block count as blank.
//!
//! Two things stop the reading without being wrong, and a block ends before
//! them: a `/` outside of strings, and a closer behind a comma. Comments and
//! trailing commas are the exact engine's, and behind them blocks go on. It also
//! closes the brackets that were open when the segment began.
//!
//! # What pays
//!
//! Instructions a byte, beside serde_json's 11.2 on indented and 12.1 on
//! minified records and 13.0 on numbers: 6.1, 6.3 and 7.5 with AVX2, 9.7, 9.8
//! and 12.6 with the SSE2 that every x86-64 has. The exact engine takes 9.2,
//! 10.2 and 10.1, with many more branches that are guessed wrong. In time, in one
//! run beside serde_json's validation alone: 1.6, 1.5 and 2.2 times its speed, and
//! 1.2 in one string; the exact engine is at about 1.0. Commented text gains
//! little: the blocks are left and entered again at each comment.
//!
//! - Masks that are made where they are needed: inside of a long string most
//!   are not.
//! - Escapes in a function of their own: its registers are not the loop's.
//! - Not waiting to know where a block ends before the next is loaded gave
//!   nothing; what binds is the number of instructions.

use fearless_simd::{Level, Simd, dispatch, prelude::*, u8x64};

use super::{
    grammar::{self, Bracket, Role},
    scan::{ESCAPES, Scan, are_hex_digits, literal_end},
};

/// The length of a block, in bytes.
pub(super) const BLOCK: usize = 64;

/// How far blocks were read.
pub(super) struct BlocksRead {
    /// Behind the last byte that was read.
    pub(super) end: usize,
    /// What the string is that is open there, and where it begins if it was
    /// opened here.
    pub(super) string: Option<(Role, Option<usize>)>,
    /// A key is over, and its colon has not come.
    pub(super) owes_colon: bool,
    /// The next block is not well-formed, or not ours to judge.
    pub(super) is_stuck: bool,
}

/// Reads blocks from `start` on: within a bracket, and in a string, or at a
/// significant byte and between tokens. The brackets are opened and closed in
/// `scan`; the rest of its state is the caller's to bring up to date.
pub(super) fn read(scan: &mut Scan<'_>, segment: &[u8], start: usize) -> BlocksRead {
    dispatch!(Level::new(), simd => read_with(simd, scan, segment, start))
}

/// What one block leaves to the next.
#[derive(Clone, Copy)]
struct Carry {
    /// All bits are set if a string goes on.
    string: u64,
    /// 1 if it is a key.
    in_key: u64,
    /// The last significant byte was a comma, so something must follow; and so
    /// on.
    comma: Owed,
    colon: Owed,
    opener: Owed,
    key: Owed,
}

/// 1 if the next significant byte is the one behind a byte of some kind, or 0.
#[derive(Clone, Copy)]
struct Owed(u64);

impl Owed {
    /// The next significant byte behind each byte of `mask`. What is still owed
    /// when the block ends stays owed.
    #[inline(always)]
    fn take(&mut self, mask: u64, blank: u64) -> u64 {
        let behind = mask << 1 | self.0;
        let (sum, is_carried) = behind.overflowing_add(blank);
        self.0 = u64::from(is_carried) | mask >> 63;
        sum & !blank
    }
}

impl Carry {
    fn new(state: grammar::State, within: Option<Bracket>) -> Carry {
        use grammar::State as G;

        let is_behind_colon = state == G::Value && within == Some(Bracket::Object);
        let is_behind_comma = state == G::Key || state == G::Value && !is_behind_colon;
        Carry {
            string: if matches!(state, G::String(_)) { !0 } else { 0 },
            in_key: (state == G::String(Role::Key)).into(),
            comma: Owed(is_behind_comma.into()),
            colon: Owed(is_behind_colon.into()),
            opener: Owed(matches!(state, G::ValueOrClosingBracket | G::KeyOrClosingBrace).into()),
            key: Owed((state == G::Colon).into()),
        }
    }
}

/// The kinds of the innermost open brackets, as far as they are known.
#[derive(Clone, Copy)]
struct Nesting {
    /// A bit for each, set for an object; the innermost lowest.
    kinds: u64,
    /// How many bits count.
    known: u32,
}

impl Nesting {
    fn new(scan: &Scan<'_>) -> Nesting {
        let mut nesting = Nesting { kinds: 0, known: 0 };
        for (index, bracket) in scan.innermost_brackets().take(63).enumerate() {
            nesting.kinds |= u64::from(bracket == Bracket::Object) << index;
            nesting.known += 1;
        }
        nesting
    }

    /// Goes through the brackets of a block. Returns which of its bytes have an
    /// object for their innermost open bracket; `None` if a closer is not the
    /// innermost one's, or closes one that is not known.
    #[inline(always)]
    fn pass(&mut self, block: &[u8; BLOCK], open: u64, close: u64) -> Option<u64> {
        let mut in_object = 0_u64.wrapping_sub(self.kinds & 1);
        let mut rest = open | close;
        while rest != 0 {
            let at = rest.trailing_zeros();
            rest &= rest - 1;
            let before = self.kinds & 1;
            // In ASCII this bit tells braces from square brackets.
            let is_brace = u64::from(block[at as usize & 63] >> 5 & 1);
            if open >> at & 1 != 0 {
                self.kinds = self.kinds << 1 | is_brace;
                self.known = (self.known + 1).min(64);
            } else {
                self.kinds >>= 1;
                self.known -= 1;
                if before != is_brace || self.known == 0 {
                    return None;
                }
            }
            // From the next byte on it is the other kind.
            let is_other = before ^ self.kinds & 1;
            in_object ^= 0_u64.wrapping_sub(is_other) << at << 1;
        }
        Some(in_object)
    }
}

#[inline(always)]
fn read_with<S: Simd>(simd: S, scan: &mut Scan<'_>, segment: &[u8], start: usize) -> BlocksRead {
    let mut at = start;
    let mut carry = Carry::new(scan.grammar(), scan.within());
    let mut nesting = Nesting::new(scan);
    let mut string_start = None;
    // Set for a closer behind a comma, once it is found; then the block is read
    // again up to it.
    let mut closer_behind_comma = 0;
    let is_stuck = loop {
        let Some(block) = segment[at..].first_chunk::<BLOCK>() else { break false };
        let bytes = u8x64::simd_from(simd, *block);
        let is = |byte: u8| bytes.simd_eq(byte).to_bitmask();
        // What is true of the block is found in copies, and kept when all is well.
        let (mut next, mut nested) = (carry, nesting);

        // The bytes at the end that are left to the next block.
        let mut left = 0;
        let mut quote = is(b'"');
        let backslash = is(b'\\');
        if backslash != 0 {
            let Some((escaped, end)) = escapes(block, backslash) else { break true };
            left = !below(end);
            quote &= !(escaped | left);
        }
        let mut string = parities(quote) ^ carry.string;
        next.string = 0_u64.wrapping_sub(string >> 63);
        let stop = (is(b'/') & !(string | quote)) | closer_behind_comma;
        if stop != 0 {
            left = !below(stop.trailing_zeros());
            quote &= !left;
            string &= !left;
            next.string = 0;
        }
        if bytes.simd_le(0x1F).to_bitmask() & string != 0 {
            break true;
        }
        if string == !0 && quote == 0 {
            at += 64 - left.leading_ones() as usize;
            continue;
        }

        let outside = !(string | quote | left);
        let comma = is(b',') & outside;
        let colon = is(b':') & outside;
        // `{` is `[` and `}` is `]`, but for a bit.
        let folded = bytes | u8x64::splat(simd, 0x20);
        let open = folded.simd_eq(b'{').to_bitmask() & outside;
        let close = folded.simd_eq(b'}').to_bitmask() & outside;
        let mut blank = blanks(bytes) & outside;
        let mut scalar = outside & !(blank | comma | colon | open | close);
        // A number or a literal at the end may go on.
        let cut_off = (scalar | left).leading_ones();
        let mut length = BLOCK;
        if cut_off != 0 {
            if cut_off == 64 {
                break stop == 0;
            }
            let here = !0 >> cut_off;
            scalar &= here;
            blank |= !here;
            length -= cut_off as usize;
        }

        let behind_comma = next.comma.take(comma, blank);
        if behind_comma & close != 0 {
            closer_behind_comma = behind_comma & close;
            continue;
        }
        let behind_colon = next.colon.take(colon, blank);
        let behind_opener = next.opener.take(open, blank);
        let Some(in_object) = nested.pass(block, open, close) else { break true };

        // A closer right behind an opener takes the place of what is owed.
        let empty = behind_opener & close;
        let behind_gap = behind_comma | behind_opener;
        let owed_key = behind_gap & in_object & !empty;
        let owed_value = (behind_colon | behind_gap & !in_object) & !empty;

        let opening_quote = quote & string;
        let key = opening_quote & owed_key;
        let scalar_start = scalar & !(scalar << 1);
        let value = opening_quote & !key | scalar_start | open;
        // From a key's opening quote the sum carries to its closing one.
        let key_start = key | carry.in_key;
        let (sum, in_key) = string.overflowing_add(key_start);
        next.in_key = in_key.into();
        let owed_colon = next.key.take(sum & !string, blank);
        let mut wrong = owed_key ^ key | owed_value ^ value | owed_colon ^ colon;
        if scalar != 0 {
            wrong |= scalars_are_wrong(bytes, block, scalar, scalar_start);
        }
        if wrong != 0 {
            break true;
        }

        // All is well.
        let mut brackets = open | close;
        while brackets != 0 {
            let index = brackets.trailing_zeros() as usize;
            brackets &= brackets - 1;
            match block[index & 63] {
                b'{' => scan.open(Bracket::Object, at + index),
                b'[' => scan.open(Bracket::Array, at + index),
                _ => scan.close_innermost(),
            }
        }
        if opening_quote != 0 {
            string_start = Some(at + 63 - opening_quote.leading_zeros() as usize);
        }
        at += length;
        (carry, nesting) = (next, nested);
        if stop != 0 {
            break false;
        }
    };
    let role = if carry.in_key != 0 { Role::Key } else { Role::Value };
    BlocksRead {
        end: at,
        string: (carry.string != 0).then_some((role, string_start)),
        owes_colon: carry.key.0 != 0,
        is_stuck,
    }
}

/// The bytes of a block that are white space.
#[inline(always)]
fn blanks<S: Simd>(bytes: u8x64<S>) -> u64 {
    let is = |byte: u8| bytes.simd_eq(byte);
    (is(b' ') | is(b'\n') | is(b'\r') | is(b'\t')).to_bitmask()
}

/// The bytes of a block before `end`.
#[inline(always)]
fn below(end: u32) -> u64 {
    !u64::MAX.unbounded_shl(end)
}

/// For each bit, whether the number of bits set up to it is odd.
#[inline(always)]
fn parities(mut mask: u64) -> u64 {
    mask ^= mask << 1;
    mask ^= mask << 2;
    mask ^= mask << 4;
    mask ^= mask << 8;
    mask ^= mask << 16;
    mask ^ (mask << 32)
}

/// Which bytes stand right behind the backslash of an escape, and where the
/// block ends, which it does before an escape that it does not hold all of.
/// `None` if an escape is none.
///
/// Outside of strings no byte is escaped; but a backslash there is wrong anyway.
#[inline(never)]
fn escapes(block: &[u8; BLOCK], mut backslashes: u64) -> Option<(u64, u32)> {
    let mut escaped = 0;
    while backslashes != 0 {
        let at = backslashes.trailing_zeros();
        let Some(behind) = block.get(at as usize + 1) else { return Some((escaped, at)) };
        let length = u32::from(ESCAPES[usize::from(*behind)]);
        if length == 0 {
            return None;
        }
        if at + length > 64 {
            return Some((escaped, at));
        }
        if length > 2 && !block[at as usize + 2..].first_chunk().is_some_and(are_hex_digits) {
            return None;
        }
        escaped |= 2 << at;
        backslashes &= !(3 << at);
    }
    Some((escaped, 64))
}

/// The bytes that keep the scalars from being numbers and literals. All of them
/// end in the block.
#[inline(always)]
fn scalars_are_wrong<S: Simd>(bytes: u8x64<S>, block: &[u8; BLOCK], scalar: u64, start: u64) -> u64 {
    let is = |byte: u8| bytes.simd_eq(byte).to_bitmask();
    let minus = is(b'-') & scalar;
    let digit = (bytes - u8x64::splat(bytes.simd, b'0')).simd_le(9).to_bitmask() & scalar;

    let mut word_starts = start & !(digit | minus);
    let mut literal = 0;
    while word_starts != 0 {
        let at = word_starts.trailing_zeros();
        word_starts &= word_starts - 1;
        let length = (scalar >> at).trailing_ones();
        if literal_end(block, at as usize) != Some((at + length) as usize) {
            return 1;
        }
        literal |= below(length) << at;
    }
    let number = scalar & !literal;
    if number == 0 {
        return 0;
    }
    let plus = is(b'+');
    let point = is(b'.') & number;
    let exponent = (bytes | u8x64::splat(bytes.simd, 0x20)).simd_eq(b'e').to_bitmask() & number;
    numbers_are_wrong(&Numbers {
        start: start & number,
        other: number & !(digit | minus | plus | point | exponent),
        minus,
        sign: (minus | plus) & number,
        zero: is(b'0'),
        digit,
        point,
        exponent,
    })
}

/// The bytes of numbers.
struct Numbers {
    start: u64,
    minus: u64,
    sign: u64,
    zero: u64,
    digit: u64,
    point: u64,
    exponent: u64,
    other: u64,
}

/// The bytes that keep these from being numbers of RFC 8259, section 6.
#[inline(always)]
fn numbers_are_wrong(bytes: &Numbers) -> u64 {
    let &Numbers { start, minus, sign, zero, digit, point, exponent, other } = bytes;
    // The byte behind each run of digits that begins at one of `start`.
    let behind_digits = |start: u64| (start & digit).wrapping_add(digit) & !digit;

    let leading_minus = start & minus;
    let integer = start & !minus | leading_minus << 1;
    let behind_integer = behind_digits(integer);
    let fraction = point << 1;
    let behind_fraction = behind_digits(fraction);
    let behind_exponent = exponent << 1;
    let exponent_sign = sign & behind_exponent;
    let exponent_digits = behind_exponent & !sign | exponent_sign << 1;
    // Runs of digits begin at all of these, and nowhere else.
    let owed_digit = integer | fraction | exponent_digits;

    other
        | owed_digit ^ (digit & !(digit << 1))
        | (zero & integer) << 1 & digit
        | point & !behind_integer
        | exponent & !(behind_integer | behind_fraction)
        | sign & !(leading_minus | exponent_sign)
}
