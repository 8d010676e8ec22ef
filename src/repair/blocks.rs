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
//! 1. Each class of bytes becomes a mask. A quote that is escaped is no quote:
//!    [`escaped_bytes`].
//! 2. Each bit of `string` is the parity of the quotes up to it ([`parities`]):
//!    set from an opening quote up to the byte before the closing one. What is
//!    neither that nor a quote is `outside`, and only what is outside is a comma,
//!    a bracket, and so on. What is none of these and not blank is part of a
//!    `scalar`: of a number or a literal, if all is well.
//! 3. Brackets are gone through one by one, for each needs the one it closes:
//!    [`Nesting::pass`]. That gives `in_object`: an object is the innermost that
//!    is open.
//! 4. Something must follow a *gap*, which a comma or an opener leaves, a colon
//!    and a key. Where it stands, at the next significant byte, is found for all
//!    of them by one addition, which carries through blanks: [`Owed::take`].
//! 5. The grammar is now three equations. Strings, scalars and openers begin
//!    where something is owed and nowhere else; where that is a key, a string
//!    does; colons stand where they are owed and nowhere else. Commas and closers
//!    then can only stand behind a value, where nothing is owed.
//! 6. Numbers are checked all at once, by additions that carry through them
//!    ([`NumberCarry::pass`]), and literals one by one.
//!
//! What the next block has to know is in [`Carry`]; where a number, a literal or
//! an escape is cut at a block's end, its next byte is. Where the reading ends,
//! such a token is given back whole, so it always ends between tokens, or in a
//! string.
//!
//! # What stops it
//!
//! A `/` outside of strings and a comma before a closer are not wrong, but are in
//! the way ([`Obstacle`]). Such a block is read again: with blanks in place of
//! the commas, or of all from the `/` on; then the scan passes the comment
//! ([`Scan::pass_stop`]), and the next block begins behind it. Closing the
//! brackets that were open when the segment began is left to the exact engine.
//!
//! # What pays
//!
//! Instructions a byte, beside serde_json's 11.2 on indented and 12.1 on
//! minified records and 13.0 on numbers: 4.8, 4.9 and 5.5 with AVX2, 8.4, 8.5
//! and 9.9 with the SSE2 that every x86-64 has. The exact engine takes 7.1, 8.2
//! and 8.7, with many more branches that are guessed wrong. In time, in one run
//! beside serde_json's validation alone: 2.1, 2.0 and 3.5 times its speed with
//! AVX2 and 1.4 in one string; 1.4, 1.4 and 2.1 with SSE2; the exact engine 1.05,
//! 1.15 and 1.2. Where another program has the other half of the core, all gain:
//! with AVX2 2.6, 2.4 and 3.5.
//!
//! - Blocks that follow one another without a gap. At first each began with the
//!   token that the one before had cut, so where to load it from was known only
//!   when all of that was: 0.75 times the speed on numbers.
//! - A [`Carry`] that no function gets a reference to, but those that are made
//!   part of the loop: it is not in memory then. One cold function that got one
//!   cost 1.12 everywhere.
//! - Keeping little: each value that lives across the loop costs a store and a
//!   load. A key's state in its string and behind it is one bit; where a string
//!   began is looked for when the reading ends in one.
//! - Escapes by masks, where there are any: 1.05, and 1.25 in one string.
//! - Literals and the parities of quotes only where there are any: 1.03 and, on
//!   numbers, 1.05. Exponents, too: 1.04 on records, and less than 1 on numbers
//!   that have them now and then.
//! - Brackets in one loop, which writes openers over closed ones at once and
//!   takes that back where the block turns out wrong ([`Nesting::undo`]): 1.07.
//! - Blanks by a table, in processors that have byte shuffles: 1.03.
//! - Not leaving the blocks at a comment or a trailing comma: 1.5 on text that
//!   has one every 100 bytes, which is read at 3 times the speed of stripping the
//!   comments and serde_json. Passing the comma without reading its block again
//!   gave 1.1 more there, and took 0.04 from all other text.
//!
//! What gave nothing: making the masks of the next block before the checks of
//! this one (they have to be kept somewhere); a bracket or a literal without
//! branches; the bracket loop or the checks of numbers in functions of their own;
//! `pdep` in place of [`parities`] (1.05, and very slow on some processors).

use fearless_simd::{Level, Simd, dispatch, i8x64, prelude::*, u8x64};

use super::{
    grammar::{self, Bracket, Role, is_blank},
    scan::{Opened, Scan, are_hex_digits, literal_end},
};

/// The length of a block, in bytes.
pub(super) const BLOCK: usize = 64;

/// Blocks are read where fewer brackets are open than these, not counting those
/// beneath the segment.
pub(super) const MOST_OPENED: usize = 63;

/// How far blocks were read.
pub(super) struct BlocksRead {
    /// Behind the last comment or trailing comma: the scan's state is that of
    /// there.
    pub(super) settled: usize,
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

/// Reads blocks from `start` on: within a bracket, with fewer than
/// [`MOST_OPENED`] opened, and in a string, or at a significant byte and between
/// tokens. The brackets are opened and closed in `scan`; the rest of its state
/// is the caller's to bring up to date.
pub(super) fn read(level: Level, scan: &mut Scan<'_>, segment: &[u8], start: usize) -> BlocksRead {
    dispatch!(level, simd => read_with(simd, scan, segment, start))
}

/// Why a block is not read.
enum Obstacle {
    /// It is not well-formed, or not ours to judge.
    Wrong,
    /// These of its commas stand before closers.
    TrailingCommas(u64),
    /// At this byte of it stands a slash outside of strings, or a closer behind
    /// a comma of another block.
    Stop(usize),
}

/// What one block leaves to the next.
struct Carry {
    /// All bits are set if a string goes on.
    string: u64,
    /// 1 if its last byte is the backslash of an escape.
    escape: u64,
    /// The last significant byte was a comma or an opener, so something must
    /// follow; and so on. A key owes its colon from its opening quote on.
    gap: Owed,
    colon: Owed,
    key: Owed,
    /// 1 if its last byte is one of a number or a literal.
    scalar: u64,
    /// The bytes of a literal that goes on.
    literal: u64,
    number: NumberCarry,
    /// Behind the last block that was not all inside of a string.
    mixed_end: usize,
}

impl Carry {
    fn new(state: grammar::State, within: Option<Bracket>) -> Carry {
        use grammar::State as G;

        let is_behind_opener = matches!(state, G::ValueOrClosingBracket | G::KeyOrClosingBrace);
        let is_behind_colon = state == G::Value && within == Some(Bracket::Object);
        Carry {
            string: u64::from(matches!(state, G::String(_))).wrapping_neg(),
            escape: 0,
            gap: Owed((is_behind_opener || is_behind_comma(state, within)).into()),
            colon: Owed(is_behind_colon.into()),
            key: Owed(matches!(state, G::String(Role::Key) | G::Colon).into()),
            scalar: 0,
            literal: 0,
            number: NumberCarry::default(),
            mixed_end: 0,
        }
    }
}

/// Whether a comma has just been read.
fn is_behind_comma(state: grammar::State, within: Option<Bracket>) -> bool {
    state == grammar::State::Key || state == grammar::State::Value && within == Some(Bracket::Array)
}

/// 1 if the next significant byte is the one behind a byte of some kind, or 0.
#[derive(Clone, Copy)]
struct Owed(u64);

impl Owed {
    /// The next significant byte behind each byte of `mask`; and what is still
    /// owed when the block ends.
    #[inline(always)]
    fn take(self, mask: u64, blank: u64) -> (u64, Owed) {
        let (sum, goes_on) = (mask << 1 | self.0).overflowing_add(blank);
        (sum & !blank, Owed((mask >> 63) + u64::from(goes_on)))
    }
}

#[inline(always)]
fn read_with<S: Simd>(simd: S, scan: &mut Scan<'_>, segment: &[u8], start: usize) -> BlocksRead {
    let mut carry = Carry::new(scan.grammar(), scan.within());
    let mut nesting = Nesting::new(scan);
    let mut at = start;
    let mut context = Context {
        settled: at,
        is_behind_comma: is_behind_comma(scan.grammar(), scan.within()),
        lets_trailing_commas_pass: scan.lets_trailing_commas_pass(),
    };
    let mut blocks = segment[at..].as_chunks().0;
    // A block that is read again, with blanks in place of what was in the way.
    let mut patched;
    let mut trailing_commas = 0;
    let mut stop = None;
    let is_stuck = 'runs: loop {
        for block in blocks {
            let mut patch;
            match read_block(simd, segment, at, block, &context, &mut carry, &mut nesting) {
                Ok(()) => {
                    at += BLOCK;
                    continue;
                }
                Err(Obstacle::Wrong) => break 'runs true,
                Err(Obstacle::TrailingCommas(commas)) => {
                    trailing_commas |= commas;
                    patch = *block;
                    bits(commas).for_each(|comma| patch[comma] = b' ');
                }
                Err(Obstacle::Stop(index)) => {
                    stop = Some(index);
                    patch = *block;
                    patch[index..].fill(b' ');
                }
            }
            patched = [patch];
            blocks = &patched;
            continue 'runs;
        }
        if trailing_commas == 0 && stop.is_none() {
            break false;
        }
        at -= BLOCK;
        bits(std::mem::take(&mut trailing_commas)).for_each(|comma| scan.pass_trailing_comma(at + comma));
        let Some(index) = stop.take() else {
            at += BLOCK;
            blocks = segment[at..].as_chunks().0;
            continue;
        };
        at += index;
        // A number that a comment touches may go on behind it.
        if at > context.settled && is_scalar(segment[at - 1]) {
            break false;
        }
        scan.settle(segment, context.settled, at, carry.key.0 != 0);
        let end = scan.pass_stop(segment, at, nesting.within());
        context.settled = end.unwrap_or(at);
        context.is_behind_comma = scan.has_pending_comma();
        match end {
            None => break false,
            // The comma is gone.
            Some(end) if end == at => carry.gap = Owed(0),
            Some(end) => at = end,
        }
        blocks = segment[at..].as_chunks().0;
    };
    scan.set_opened(nesting.opened());
    let mut end = at;
    let mut string = None;
    if carry.string != 0 {
        end -= carry.escape as usize;
        let role = if carry.key.0 != 0 { Role::Key } else { Role::Value };
        let begin = segment.get(context.settled..carry.mixed_end).and_then(open_quote);
        string = Some((role, begin.map(|quote| context.settled + quote)));
    } else {
        while end > context.settled && is_scalar(segment[end - 1]) {
            end -= 1;
        }
    }
    BlocksRead { settled: context.settled, end, string, owes_colon: carry.key.0 != 0, is_stuck }
}

/// What a block does not say by itself.
struct Context {
    /// Behind the last comment or trailing comma, or where the reading began.
    settled: usize,
    /// Whether the last significant byte before that is a comma.
    is_behind_comma: bool,
    /// Whether the rules do away with trailing commas.
    lets_trailing_commas_pass: bool,
}

/// Reads the block at `at`.
#[inline(always)]
fn read_block<S: Simd>(
    simd: S,
    segment: &[u8],
    at: usize,
    block: &[u8; BLOCK],
    context: &Context,
    carry: &mut Carry,
    nesting: &mut Nesting,
) -> Result<(), Obstacle> {
    let bytes = u8x64::simd_from(simd, *block);
    let is = |byte: u8| bytes.simd_eq(byte).to_bitmask();

    let mut quote = is(b'"');
    let slash = SLASHES.mask(bytes);
    let mut escape = 0;
    let mut escapes_are_wrong = false;
    if slash | carry.escape != 0 {
        let backslash = is(b'\\');
        let escaped;
        (escaped, escape) = escaped_bytes(backslash, carry.escape);
        quote &= !escaped;
        let plain = slash & !(backslash | escaped);
        if plain != 0 {
            stop_at_slash(plain, quote, carry.string)?;
        }
        let known = ESCAPES.mask(bytes) | (bytes | u8x64::splat(simd, 0x10)).simd_eq(b'r').to_bitmask();
        escapes_are_wrong = escaped & !known != 0 || !are_before_hex_digits(is(b'u') & escaped, segment, at);
    }
    let control = bytes.simd_le(0x1F).to_bitmask();
    if quote | !carry.string == 0 {
        // All of it is in one string.
        if escapes_are_wrong || control != 0 {
            return Err(Obstacle::Wrong);
        }
        carry.escape = escape;
        return Ok(());
    }
    let string = if quote == 0 { 0 } else { parities(quote) ^ carry.string };
    if escapes_are_wrong || control & string != 0 {
        return Err(Obstacle::Wrong);
    }

    let outside = !(string | quote);
    // `{` is `[` and `}` is `]`, but for a bit.
    let folded = bytes | u8x64::splat(simd, 0x20);
    let open = folded.simd_eq(b'{').to_bitmask() & outside;
    let close = folded.simd_eq(b'}').to_bitmask() & outside;
    let comma = is(b',') & outside;
    let colon = is(b':') & outside;
    let blank = BLANKS.mask(bytes) & outside;
    let scalar = outside & !(blank | comma | colon | open | close);

    let (behind_gap, next_gap) = carry.gap.take(comma | open, blank);
    if behind_gap & close != 0 {
        closers_behind_openers(segment, at, block, context, close, behind_gap)?;
    }
    let Some(in_object) = nesting.pass(block, at, open, close) else {
        nesting.undo(open, close);
        return Err(Obstacle::Wrong);
    };
    let (behind_colon, next_colon) = carry.colon.take(colon, blank);
    // A closer right behind an opener takes the place of what is owed.
    let owed = behind_colon | behind_gap & !close;
    let owed_key = behind_gap & !close & in_object;

    let opening_quote = quote & string;
    let scalar_start = scalar & !(scalar << 1 | carry.scalar);
    let start = opening_quote | scalar_start | open;
    // From a key's opening quote the sum carries to its closing one, and through
    // the blanks behind that.
    let before_colon = string | quote | blank;
    let (sum, key_goes_on) = before_colon.overflowing_add(owed_key | carry.key.0);
    let owed_colon = sum & !before_colon;
    let mut wrong = owed ^ start | owed_key & !opening_quote | owed_colon ^ colon;
    if scalar | carry.scalar != 0 {
        wrong |= scalars_are_wrong(bytes, segment, at, scalar, scalar_start, carry);
    }
    if wrong != 0 {
        nesting.undo(open, close);
        return Err(Obstacle::Wrong);
    }

    // All is well.
    carry.string = (string >> 63).wrapping_neg();
    carry.escape = escape;
    carry.gap = next_gap;
    carry.colon = next_colon;
    carry.key = Owed(key_goes_on.into());
    carry.mixed_end = at + BLOCK;
    Ok(())
}

/// The bytes of a mask.
fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        lowest
    })
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

/// Which bytes are escaped, and 1 if the first one of the next block is. `escape`
/// is 1 if the first one of this block is.
///
/// Outside of strings no byte is escaped; but a backslash there is wrong anyway.
#[inline(always)]
fn escaped_bytes(backslash: u64, escape: u64) -> (u64, u64) {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;

    // Of the backslashes in a row, the first one escapes the second, the third
    // the fourth, and so on. Subtracting a row's first byte from the odd bits of
    // what is behind it turns over all bits up to its end.
    let unescaped = backslash & !escape;
    let escaping_or_end = (unescaped << 1 | ODD).wrapping_sub(unescaped) ^ ODD;
    (escaping_or_end ^ (backslash | escape), (escaping_or_end & backslash) >> 63)
}

/// Whether four hexadecimal digits follow each of these bytes of the block at `at`.
#[inline(always)]
fn are_before_hex_digits(mask: u64, segment: &[u8], at: usize) -> bool {
    bits(mask).all(|index| segment[at + index + 1..].first_chunk().is_some_and(are_hex_digits))
}

/// Stops at the first of the slashes that stands outside of strings, if one does.
#[cold]
#[inline(never)]
fn stop_at_slash(slash: u64, quote: u64, string: u64) -> Result<(), Obstacle> {
    match slash & !(parities(quote) ^ string | quote) {
        0 => Ok(()),
        outside => Err(Obstacle::Stop(outside.trailing_zeros() as usize)),
    }
}

/// Whether the closers of the block at `at` that stand behind gaps stand behind
/// openers.
#[cold]
#[inline(never)]
fn closers_behind_openers(
    segment: &[u8],
    at: usize,
    block: &[u8; BLOCK],
    context: &Context,
    close: u64,
    behind_gap: u64,
) -> Result<(), Obstacle> {
    let last = |bytes: &[u8]| bytes.iter().rposition(|byte| !is_blank(*byte));
    let mut commas = 0;
    for index in bits(close & behind_gap) {
        match last(&block[..index]) {
            Some(gap) if block[gap] == b',' => commas |= 1 << gap,
            Some(_) => {}
            None => {
                let before = &segment[context.settled..at];
                if last(before).map_or(context.is_behind_comma, |gap| before[gap] == b',') {
                    return Err(Obstacle::Stop(index));
                }
            }
        }
    }
    // In a gap, a value may be missing before it.
    let is_wrong = commas & behind_gap != 0 || !context.lets_trailing_commas_pass;
    match commas {
        0 => Ok(()),
        _ if is_wrong => Err(Obstacle::Wrong),
        _ => Err(Obstacle::TrailingCommas(commas)),
    }
}

/// The last quote that is not escaped, of a text that ends in a string.
fn open_quote(text: &[u8]) -> Option<usize> {
    let is_escaped = |at: usize| text[..at].iter().rev().take_while(|byte| **byte == b'\\').count() % 2 != 0;
    memchr::memrchr_iter(b'"', text).find(|at| !is_escaped(*at))
}

/// Whether a byte outside of strings is one of a number or a literal, if all is
/// well.
fn is_scalar(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, b',' | b':' | b'[' | b']' | b'{' | b'}' | b'"')
}

/// The innermost open brackets, as far as they are known.
struct Nesting {
    /// A bit for each, set for an object; the innermost lowest.
    kinds: u64,
    /// Their openers, outermost first. What is behind the innermost one means
    /// nothing.
    openers: [Opened; BLOCK],
    innermost: usize,
    /// How many of them stand beneath the segment: one, or none.
    below: usize,
    /// For each opener of the last block what it was written over.
    replaced: [Opened; BLOCK],
}

impl Nesting {
    fn new(scan: &Scan<'_>) -> Nesting {
        let none = Opened::new(Bracket::Array, 0);
        let mut openers = [none; BLOCK];
        let below = scan.bracket_below();
        if let Some(bracket) = below {
            openers[0] = Opened::new(bracket, 0);
        }
        let below = usize::from(below.is_some());
        let known = below + scan.opened().len();
        openers[below..known].copy_from_slice(scan.opened());
        let mut nesting = Nesting { kinds: 0, openers, innermost: known - 1, below, replaced: [none; BLOCK] };
        nesting.see_kinds();
        nesting
    }

    fn see_kinds(&mut self) {
        let is_object = |opener: &Opened| u64::from(opener.bracket() == Bracket::Object);
        let openers = self.openers[..=self.innermost].iter();
        self.kinds = openers.fold(0, |kinds, opener| kinds << 1 | is_object(opener));
    }

    /// Goes through the brackets of the block at `at`. Returns which of its bytes
    /// have an object for their innermost open bracket; `None` if a closer is not
    /// the innermost one's, or closes the last one that is known, or too many are
    /// open.
    #[inline(always)]
    fn pass(&mut self, block: &[u8; BLOCK], at: usize, open: u64, close: u64) -> Option<u64> {
        let mut in_object = (self.kinds & 1).wrapping_neg();
        if open | close == 0 {
            return Some(in_object);
        }
        let (mut kinds, mut innermost) = (self.kinds, self.innermost);
        // Or-ed together, these tell whether one was out of range.
        let mut seen = 0;
        let mut mismatch = 0;
        let mut rest = open | close;
        while rest != 0 {
            let index = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let before = kinds;
            // In ASCII this bit tells braces from square brackets.
            let is_brace = block[index % BLOCK] >> 5 & 1;
            if open >> index & 1 != 0 {
                innermost = innermost.wrapping_add(1);
                self.replaced[index % BLOCK] = self.openers[innermost % BLOCK];
                self.openers[innermost % BLOCK] = Opened::with_kind(is_brace, at + index);
                kinds = kinds << 1 | u64::from(is_brace);
            } else {
                innermost = innermost.wrapping_sub(1);
                mismatch |= kinds ^ u64::from(is_brace);
                kinds >>= 1;
            }
            seen |= innermost;
            // From the next byte on it is the other kind.
            let is_other = (before ^ kinds) & 1;
            in_object ^= (is_other << 1 << index).wrapping_neg();
        }
        (self.kinds, self.innermost) = (kinds, innermost);
        (mismatch & 1 == 0 && seen < BLOCK).then_some(in_object)
    }

    /// Takes the last pass back.
    #[cold]
    #[inline(never)]
    fn undo(&mut self, open: u64, close: u64) {
        let mut rest = open | close;
        while rest != 0 {
            let index = 63 - rest.leading_zeros();
            rest ^= 1 << index;
            if open >> index & 1 != 0 {
                self.openers[self.innermost % BLOCK] = self.replaced[index as usize];
                self.innermost = self.innermost.wrapping_sub(1);
            } else {
                self.innermost = self.innermost.wrapping_add(1);
            }
        }
        self.see_kinds();
    }

    fn within(&self) -> Bracket {
        self.openers[self.innermost].bracket()
    }

    /// Those that were opened in the segment.
    fn opened(&self) -> &[Opened] {
        &self.openers[self.below..=self.innermost]
    }
}

const BLANKS: Set = Set::new(b" \t\n\r");
const SLASHES: Set = Set::new(b"/\\");
/// What may be escaped, but for `b` and `r`, which become `r` with another bit.
const ESCAPES: Set = Set::new(b"\"\\/fntu");

/// A set of bytes, no two of which have the same lower four bits.
struct Set {
    members: &'static [u8],
    /// At the lower four bits of each, it; elsewhere a byte that does not have
    /// them. Repeated for each lane of 16 bytes.
    by_low_bits: [u8; BLOCK],
}

impl Set {
    const fn new(members: &'static [u8]) -> Set {
        let mut by_low_bits = [0; BLOCK];
        let mut lane = 0;
        while lane < BLOCK {
            by_low_bits[lane] = 1;
            let mut index = 0;
            while index < members.len() {
                by_low_bits[lane + (members[index] & 0xF) as usize] = members[index];
                index += 1;
            }
            lane += 16;
        }
        Set { members, by_low_bits }
    }

    /// Which bytes of a block are in it.
    #[inline(always)]
    fn mask<S: Simd>(&self, bytes: u8x64<S>) -> u64 {
        if has_byte_shuffle(bytes.simd.level()) {
            let table = u8x64::simd_from(bytes.simd, self.by_low_bits);
            return table.swizzle_dyn_within_blocks(bytes).simd_eq(bytes).to_bitmask();
        }
        let mut mask = bytes.simd_eq(self.members[0]);
        for member in &self.members[1..] {
            mask |= bytes.simd_eq(*member);
        }
        mask.to_bitmask()
    }
}

/// Whether bytes can be looked up in a table in one instruction.
#[inline(always)]
fn has_byte_shuffle(level: Level) -> bool {
    #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
    return level.as_sse4_2().is_some();
    #[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
    !level.is_fallback()
}

/// The bytes that keep the scalars of the block at `at` from being numbers and
/// literals.
#[inline(always)]
fn scalars_are_wrong<S: Simd>(
    bytes: u8x64<S>,
    segment: &[u8],
    at: usize,
    scalar: u64,
    start: u64,
    carry: &mut Carry,
) -> u64 {
    let is = |byte: u8| bytes.simd_eq(byte).to_bitmask();
    let minus = is(b'-') & scalar;
    let digit = digits(bytes) & scalar;

    let mut number = scalar;
    let mut words = start & !(digit | minus);
    if words | carry.literal != 0 {
        let mut literal = std::mem::take(&mut carry.literal);
        while words != 0 {
            let index = words.trailing_zeros();
            words &= words - 1;
            let word = at + index as usize;
            let Some(end) = literal_end(segment, word) else { return 1 };
            let bytes = (1 << (end - word)) - 1;
            literal |= bytes << index;
            carry.literal = bytes >> 1 >> (63 - index);
        }
        // What touches a literal is no number either.
        number &= !literal;
    }
    carry.scalar = scalar >> 63;
    let point = is(b'.') & number;
    let bytes_of_numbers =
        Numbers { number, start: start & number, digit, zero: is(b'0'), minus, plus: 0, point, exponent: 0 };
    if number & !(digit | minus | point) | carry.number.in_exponent == 0 {
        // There is no exponent, and none goes on: said again, so that nothing is
        // compiled that would look for one.
        (carry.number.exponent, carry.number.in_exponent) = (0, 0);
        return carry.number.pass(&bytes_of_numbers);
    }
    let exponent = (bytes | u8x64::splat(bytes.simd, 0x20)).simd_eq(b'e').to_bitmask() & number;
    carry.number.pass(&Numbers { plus: is(b'+') & number, exponent, ..bytes_of_numbers })
}

/// Which bytes are digits.
#[inline(always)]
fn digits<S: Simd>(bytes: u8x64<S>) -> u64 {
    // They become the ten highest of the signed bytes.
    let raised = bytes + u8x64::splat(bytes.simd, i8::MAX as u8 - b'9');
    raised.bitcast::<i8x64<S>>().simd_gt(i8::MAX - 10).to_bitmask()
}

/// The bytes of numbers.
struct Numbers {
    number: u64,
    start: u64,
    digit: u64,
    /// May be set elsewhere, too.
    zero: u64,
    minus: u64,
    plus: u64,
    point: u64,
    exponent: u64,
}

/// What the numbers of one block leave to the next: 1 if its last byte is such.
#[derive(Default)]
struct NumberCarry {
    leading_zero: u64,
    digit: u64,
    point_or_sign: u64,
    in_fraction: u64,
    exponent: u64,
    /// An exponent goes on, or begins.
    in_exponent: u64,
}

impl NumberCarry {
    /// The bytes that keep these from being numbers of RFC 8259, section 6.
    #[inline(always)]
    fn pass(&mut self, bytes: &Numbers) -> u64 {
        let &Numbers { number, start, digit, zero, minus, plus, point, exponent } = bytes;
        let behind = |mask: u64, carry: &mut u64| mask << 1 | std::mem::replace(carry, mask >> 63);
        // All of each number but what comes from one of `mask` on. A second one
        // is set again.
        let before = |mask: u64, carry: &mut u64| {
            let (sum, goes_on) = number.overflowing_add(mask);
            let (sum, went_on) = sum.overflowing_add(*carry);
            *carry = u64::from(goes_on | went_on);
            sum
        };

        let sign = minus | plus;
        let behind_exponent = behind(exponent, &mut self.exponent);
        // Runs of digits begin at all of these, and nowhere else.
        let owed_digit =
            start & !minus | behind_exponent & !sign | behind(point | sign, &mut self.point_or_sign);
        let behind_digit = behind(digit, &mut self.digit);
        let digit_start = digit & !behind_digit;
        let before_fraction = before(point, &mut self.in_fraction);
        let before_exponent = before(exponent, &mut self.in_exponent);
        let leading_zero = zero & digit_start & before_fraction & before_exponent;

        number & !(digit | sign | point | exponent)
            | owed_digit ^ digit_start
            | behind(leading_zero, &mut self.leading_zero) & digit
            | sign & !(start | behind_exponent)
            | (point | exponent) & !behind_digit
            | point & (before_fraction | !before_exponent)
            | exponent & before_exponent
    }
}
