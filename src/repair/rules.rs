//! The contract's three rules, sets of them, and what each means for a text.

use std::{fmt, str::FromStr};

/// One of the three rules of `json-candidate-repair`.
///
/// The order of the variants is the order in which the contract names them;
/// it has no influence on the repair, which is one pass from left to right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// Deletes `//` up to the end of its line and `/*` through the next `*/`.
    RemoveComments,
    /// Closes the string and the brackets that are open at the end of the text.
    CloseTruncated,
    /// Deletes a comma whose next significant character is `}` or `]`.
    RemoveTrailingCommas,
}

impl Rule {
    /// Every rule, in the contract's order.
    pub const ALL: [Rule; 3] = [Rule::RemoveComments, Rule::CloseTruncated, Rule::RemoveTrailingCommas];

    /// The rule's name in the contract.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rule::RemoveComments => "remove_comments",
            Rule::CloseTruncated => "close_truncated",
            Rule::RemoveTrailingCommas => "remove_trailing_commas",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of [`Rule::from_str`]: no rule has this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule(String);

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown rule `{}`: the rules are ", self.0)?;
        for (index, rule) in Rule::ALL.iter().enumerate() {
            write!(f, "{}`{rule}`", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownRule {}

impl FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Rule, UnknownRule> {
        Rule::ALL.into_iter().find(|rule| rule.as_str() == name).ok_or_else(|| UnknownRule(name.to_owned()))
    }
}

/// A set of rules.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct RuleSet(u8);

impl RuleSet {
    /// No rule: nothing is repaired, the text is only validated.
    pub const NONE: RuleSet = RuleSet(0);
    /// All three rules, the contract's default.
    pub const ALL: RuleSet =
        RuleSet(Rule::RemoveComments.bit() | Rule::CloseTruncated.bit() | Rule::RemoveTrailingCommas.bit());

    /// Whether the set holds `rule`.
    pub const fn contains(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }

    /// Adds `rule`; `false` when the set already held it.
    pub fn insert(&mut self, rule: Rule) -> bool {
        let is_new = !self.contains(rule);
        self.0 |= rule.bit();
        is_new
    }

    /// The rules of the set, in the contract's order.
    pub fn iter(self) -> impl Iterator<Item = Rule> {
        Rule::ALL.into_iter().filter(move |rule| self.contains(*rule))
    }
}

impl Default for RuleSet {
    /// All three, as in the contract.
    fn default() -> RuleSet {
        RuleSet::ALL
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> RuleSet {
        rules.into_iter().fold(RuleSet::NONE, |set, rule| RuleSet(set.0 | rule.bit()))
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// What a rule means for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Treatment {
    /// What the rule speaks of is an error, and repaired.
    Fix,
    /// It belongs to the language: neither reported nor repaired.
    Allow,
    /// The rule does not exist: the characters are ordinary ones.
    Off,
}

/// What each rule means for a text.
///
/// **Comments and trailing commas are allowed together or not at all**, as
/// they are in every dialect that has them; nothing else can be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    rules: RuleSet,
    allows_comments: bool,
}

impl Policy {
    /// The contract's own: `rules` fix, the others are off.
    pub const fn fix(rules: RuleSet) -> Policy {
        Policy { rules, allows_comments: false }
    }

    /// JSON with comments: comments and trailing commas belong to the
    /// language; truncation is repaired if `rules` has it.
    ///
    /// A rule that `rules` lacks is a repair that is not made. It does not
    /// turn the comments of a `tsconfig.json` into errors.
    pub const fn allow_comments(rules: RuleSet) -> Policy {
        Policy { rules, allows_comments: true }
    }

    /// The same rules with nothing allowed: they all fix.
    pub const fn strict(self) -> Policy {
        Policy::fix(self.rules)
    }

    /// What `rule` means under this policy.
    pub const fn treatment(self, rule: Rule) -> Treatment {
        match rule {
            Rule::RemoveComments | Rule::RemoveTrailingCommas if self.allows_comments => Treatment::Allow,
            _ if self.rules.contains(rule) => Treatment::Fix,
            _ => Treatment::Off,
        }
    }

    /// Whether comments and trailing commas belong to the language.
    pub const fn allows_comments(self) -> bool {
        self.allows_comments
    }
}

impl From<RuleSet> for Policy {
    fn from(rules: RuleSet) -> Policy {
        Policy::fix(rules)
    }
}
