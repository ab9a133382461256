//! Words that take over, conceal, or reach for what is not theirs.
//!
//! Each expression is held to thousands of real descriptions, and is as narrow as they made it. They are matched against folded text
//! (`folded`), so that neither letter case nor what hides between the letters matters.

use std::ops::Range;
use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use super::Signal;

const PHRASES: &[(Signal, &str)] = &[
    // Markup that a rendered view does not show. Conditional comments are what mail programs read.
    (Signal::HiddenMarkup, "<!--"),
    (Signal::HiddenMarkup, r"(?:^| )\[[^\]]{0,40}\]: ?(?:#|<> ?\()"),
    (
        Signal::HiddenMarkup,
        r"<[a-z]+[^>]{0,300}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?[01](?:px|pt|em|%|;|\b)|opacity ?: ?0(?:;|\b[^.])|\bhidden\b)[^>]{0,300}>",
    ),
    (Signal::HiddenMarkup, r"<template\b"),
    // Orders that come from nowhere.
    (
        Signal::Instruction,
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: \w+){0,3} (?:previous|prior|above|earlier|preceding|existing|other|all|your|system)\b(?: \w+){0,3} (?:instruction|prompt|directive|guideline|guardrail)s?\b",
    ),
    (
        Signal::Instruction,
        r"\b(?:ignore|disregard|forget|override|bypass)\b(?: \w+){0,2} (?:previous|prior|above|earlier|preceding|your|system)\b(?: \w+){0,2} (?:rule|polic(?:y|ie)|safety)s?\b",
    ),
    (
        Signal::Instruction,
        r"< ?/? ?(?:important|system[-_ ](?:prompt|message|reminder|note)|assistant_instructions?)(?: [^>]*)?>|</ ?(?:system|hidden|admin|override) ?>|(?:^| )(?:\[system\] (?:you|ignore|new|override|from)\b|#{1,6} system:)",
    ),
    (Signal::Instruction, r"<\|(?:im_start|system|endoftext)|\[/inst\]|<</?sys>>"),
    (
        Signal::Instruction,
        r"\b(?:reveal|print|repeat|output|leak|send|show|return|include|exfiltrate)\b(?: \w+){0,3} (?:(?:system|hidden) (?:prompt|instruction)|your (?:initial|original) (?:prompt|instruction))s?\b",
    ),
    (Signal::Instruction, r"\breveal (?:the|your) prompt\b"),
    (
        Signal::Instruction,
        r"\b(?:you are now|from now on,? you (?:are|will|must)|new (?:system )?instructions?:|act as (?:an? )?(?:admin|root|developer mode|dan)\b)",
    ),
    (
        Signal::Instruction,
        r"\b(?:before|prior to|instead of)(?: \w+){0,2} (?:any|every|all|each)(?: of the)? other (?:\w+ )?(?:tool|function|action)s?\b",
    ),
    (
        Signal::Instruction,
        r"\bbefore (?:using|calling|invoking|running) (?:this|the|any)(?: \w+)? tool,? (?:you (?:must|should|need to) )?(?:first )?(?:read|open|cat|fetch|send|collect|gather)\b",
    ),
    (
        Signal::Instruction,
        r"\bthe (?:assistant|model|ai|agent|llm) (?:(?:must|should|has to) (?:also |always |first |silently )?|will (?:also |always |first |silently ))(?:call|send|read|run|execute|forward|include|delete|upload)\b",
    ),
    // How another tool is to be used. What a tool says of itself is its own affair.
    (
        Signal::Instruction,
        r"\b(?:when|whenever|if|each time|every time) (?:the |an? |any |another )(?:[\w'\x22-]+ ){1,4}(?:tool|function)s? (?:is|are|gets?|has been) (?:called|used|invoked|run|executed|available|present)\b.{0,100}?\b(?:must|should|shall|has to|have to|need to|always|instead)\b",
    ),
    (
        Signal::Instruction,
        r"\b(?:this|these|the following) (?:\w+ )?(?:instruction|rule|directive|guideline|polic(?:y|ie))s? (?:takes? (?:precedence|priority)|overrides?|supersedes?)\b",
    ),
    (
        Signal::Instruction,
        r"\b(?:takes?|has|have) (?:precedence|priority) over (?:(?:any|all|the|every) )?(?:other|previous|prior|earlier|your|system|user) (?:\w+ )?(?:instruction|prompt|tool|rule|directive|guideline)s?\b",
    ),
    // Kept from the user.
    (
        Signal::Concealment,
        r"\b(?:do not|don't|dont|never|must not|should not|shouldn't|avoid) (?:ever )?(?:tell(?:ing)?|say(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|admit(?:ting)?)\b(?: \w+){0,6} (?:the |an? |your |any |end[- ])*(?:user|human|operator|person|customer)s?\b",
    ),
    (
        Signal::Concealment,
        r"\b(?:do not|don't|dont|never|must not|should not|shouldn't) (?:ever )?(?:notify|alert|warn) the (?:user|human|operator)s? (?:of|about|that|when)\b",
    ),
    (
        Signal::Concealment,
        r"\bwithout (?:telling|informing|notifying|alerting|asking|the knowledge of|mentioning it to|showing)(?: \w+){0,2} (?:user|human|operator)s?\b",
    ),
    (
        Signal::Concealment,
        r"\bwithout (?:the )?(?:user|human|operator)(?:'s|s')? (?:knowledge|consent|awareness|noticing|knowing)\b",
    ),
    (
        Signal::Concealment,
        r"\b(?:hide|conceal|keep)\b(?: \w+){0,5} (?:from|secret from|hidden from) the (?:user|human|operator)\b",
    ),
    // Keys and the files that hold them.
    // A public key is no secret.
    (
        Signal::Secrets,
        r"\b(?:read|open|cat|send|pass|include|upload|copy|contents?|fetch|attach|load|get|steal|exfiltrate|collect|post)\b.{0,60}?(?:(?:~|/root|/home/\w+|\$home)/\.(?:ssh|aws|gnupg|kube|docker|config/gcloud|netrc|npmrc|cursor)(?:/\w+)*/?|\bid_(?:rsa|ed25519|ecdsa)|\.aws/credentials|/etc/shadow)(?:[^\w./]|\.[^p]|$)",
    ),
    (
        Signal::Secrets,
        r"\b(?:read|open|cat|send|upload|copy|attach|exfiltrate|forward|post|leak|collect|gather)\b(?: [\w']+){0,4} (?:private key|ssh key|password|credential|api[- _]?key|secret|env(?:ironment)? (?:file|variable)|access token|\.env)s?\b(?:(?: [\w']+){0,6} (?:to|as|into|via)\b|(?: [\w']+){0,3} and (?:send|pass|post|put|include|attach|forward|upload)\b)",
    ),
    // This tool before and instead of others.
    (Signal::ToolSteering, r"\balways (?:use|call|prefer|choose|run|invoke) this\b"),
    (
        Signal::ToolSteering,
        r"\b(?:do not|don't|never) (?:use|call|choose) (?:any |the )?other (?:tool|server|function)s?\b",
    ),
    (
        Signal::ToolSteering,
        r"\b(?:instead of|rather than|over) (?:using )?(?:any |the |all )?(?:other|built-in|builtin|native|default|standard) (?:\w+ )?(?:tool|function|server|search)s?\b",
    ),
    (
        Signal::ToolSteering,
        r"\b(?:default|primary|preferred|only|first) (?:tool|choice) for (?:all|any|every|general)\b|\bprefer this (?:tool|over)\b|\bdefault to this (?:tool|one)\b|\buse this (?:tool )?(?:first|by default|for (?:all|any|every))\b",
    ),
    (
        Signal::ToolSteering,
        r"\b(?:must|should) (?:always )?be (?:called|used|invoked|run) (?:first|before)\b|\b(?:always|must) (?:call|use|run|invoke)\b(?: [\w']+){0,4} (?:first|before)\b",
    ),
    (Signal::ToolSteering, r"\b(?:should|must|always|please) (?:always )?default to (?:using )?this\b(?: \w+){0,6}"),
    // The conversation.
    (
        Signal::PromptCapture,
        r"\b(?:entire|whole|full|complete|verbatim) (?:conversation|chat|dialogue?|transcript)\b|\b(?:conversation|chat) (?:history|context|transcript|log) (?:so far|of the user|with the user|up to)\b",
    ),
    (
        Signal::PromptCapture,
        r"\buser'?s? (?:original|full|exact|entire|complete|verbatim|raw|last|own) (?:message|prompt|query|question|request|words|input)s?\b|\bverbatim (?:user )?(?:message|prompt|query|request)\b",
    ),
    (
        Signal::PromptCapture,
        r"\b(?:intent|goal|motivation) of (?:the |your )?(?:user|caller|conversation)\b|\buser'?s? (?:\w+ )?(?:intent|goal|motivation)\b|\bdescribe (?:[\w-]+ ){0,4}intent\b",
    ),
    // A parameter that nobody asked for.
    (
        Signal::HiddenParameter,
        r"\b(?:pass|put|include|place|send|provide)\b(?: [\w']+){0,6} (?:contents?|history|value|data|summary|context|key)(?: [\w']+){0,3} (?:as|in|into|to|via) (?:the )?['\u{2018}\x22]\w+",
    ),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(PHRASES.iter().map(|(_, phrase)| ascii(phrase))).expect("constant expressions compile")
});

static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    PHRASES.iter().map(|(_, phrase)| Regex::new(&ascii(phrase)).expect("constant expressions compile")).collect()
});

/// Words and their boundaries in ASCII: folded text spells words so, and Unicode's boundaries would cost the engine its fast way.
pub(super) fn ascii(phrase: &str) -> String {
    phrase.replace(r"\w", "[a-z0-9_]").replace(r"\b", r"(?-u:\b)")
}

/// What mail programs read, and honest templates hold.
static CONDITIONAL: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^<!--\[if [^\]]{1,60}\]").expect("a constant expression compiles"));

/// The places of one phrase.
fn places(index: usize, folded: &str) -> impl Iterator<Item = Range<usize>> {
    let honest = move |place: &Range<usize>| PHRASES[index].1 == "<!--" && CONDITIONAL.is_match(&folded[place.start..]);
    EACH[index].find_iter(folded).map(|place| place.range()).filter(move |place| !honest(place))
}

/// Every place of every signal in folded text.
pub(super) fn every(folded: &str) -> Vec<(Signal, Range<usize>)> {
    let matched = SET.matches(folded).into_iter();
    matched.flat_map(|index| places(index, folded).map(move |place| (PHRASES[index].0, place))).collect()
}

/// The first place of each signal in folded text.
pub(super) fn phrases(folded: &str) -> Vec<(Signal, Range<usize>)> {
    let mut found: Vec<(Signal, Range<usize>)> = Vec::new();
    for index in SET.matches(folded) {
        let signal = PHRASES[index].0;
        if found.iter().any(|(other, _)| *other == signal) {
            continue;
        }
        found.extend(places(index, folded).next().map(|place| (signal, place)));
    }
    found
}
