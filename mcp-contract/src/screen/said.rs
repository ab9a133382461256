//! Everything that a definition says and a signal hears, weak signals too, as two versions of it are compared by.
//!
//! The screen refuses by what stands in a definition; a reviewer of a change wants to know what is new in it. So each place is told with its
//! words, folded, which stay the same when a sentence moves or is dressed otherwise.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

use super::channels::{Channel, channels};
use super::characters::characters;
use super::folded::Folded;
use super::identifiers::words_of_name;
use super::phrases::{ascii, every};
use super::signal::Signal;
use super::tool::LONGEST;
use crate::definition::ToolDefinition;
use crate::json::Pointer;

/// How the model is to go about its work, where a tool's description or a server's instructions say so. Far too common to refuse a tool for,
/// and yet what a reviewer of a change should read. Descriptions of parameters are not asked: there they say what a value must look like.
const DIRECTIVES: &[&str] = &[
    // At the beginning of a sentence, and an imperative: "always returns" describes.
    r"(?:^|[.!?:;)\]>|-] )(?:important[:,] |critical[:,] |note[:,] )?(?:always|never) (?:be )?[a-z]+(?:[a-rt-z]|ss)\b(?: \w+){0,5}",
    r"(?:^|[.!?:;)\]>|-] )(?:please )?prefer (?:[a-z0-9.-]+ ){1,4}(?:within|over|instead of|rather than|by default)\b(?: \w+){0,3}",
    r"\bprefer \S+ over \S+",
    r"(?:^|[.,:;] |\bso )default to (?:\w+ ){1,4}",
    r"\b(?:do not|don't|never) use this(?: \w+){0,4}",
    r"\b(?:must|should|has to) not be used (?:for|to|when)(?: \w+){0,4}",
    r"\byou (?:must|have to|are required to) (?:always |first |also )?(?:use|call|follow|run|send|invoke|pass|provide)\b(?: \w+){0,4}",
    r"\b(?:mandatory|standard practice|proactively|without being asked)\b",
];

static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    DIRECTIVES.iter().map(|phrase| Regex::new(&ascii(phrase)).expect("constant expressions compile")).collect()
});

/// One thing that was said.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Said {
    /// The signal that hears it.
    pub signal: Signal,
    /// The words, folded: small letters, nothing hidden.
    pub words: String,
    /// Where.
    pub pointer: Pointer,
}

/// What a definition says.
///
/// ```
/// use mcp_contract::{definition::ToolDefinition, screen};
/// let tool = r#"{"name":"find","description":"Always use this for searches.","inputSchema":{}}"#;
/// let said = screen::said(&ToolDefinition::decode(tool).unwrap());
/// assert_eq!((said[0].signal.name(), &*said[0].words), ("tool-steering", "always use this"));
/// ```
#[must_use]
pub fn said(definition: &ToolDefinition) -> Vec<Said> {
    let mut found = BTreeSet::new();
    channels(definition.document(), &mut |at, text, channel| found.extend(one(at, text, channel)));
    found.into_iter().collect()
}

/// What a text says, such as a server's instructions.
#[must_use]
pub fn said_in(pointer: &Pointer, text: &str) -> Vec<Said> {
    one(pointer, text, Channel::Text).into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

fn one(at: &Pointer, text: &str, channel: Channel) -> Vec<Said> {
    let said = |signal, words: &str| Said { signal, words: words.trim().to_owned(), pointer: at.clone() };
    let mut found: Vec<Said> = characters(text).into_iter().map(|(signal, span)| said(signal, &text[span])).collect();
    if text.len() > LONGEST {
        found.push(said(Signal::ExcessiveLength, ""));
        return found;
    }
    let folded = match channel {
        Channel::Text => Folded::of(text),
        Channel::Identifier => Folded::of(&words_of_name(text)),
    };
    found.extend(every(&folded.text).into_iter().map(|(signal, span)| said(signal, &folded.text[span])));
    if matches!(at.as_str(), "/description" | "/initialize/instructions") {
        // A line begins a sentence, whatever stands before it.
        for line in text.lines() {
            let folded = Folded::of(line.trim());
            let places = EACH.iter().flat_map(|phrase| phrase.find_iter(&folded.text));
            let words = places.map(|place| place.as_str().trim_start_matches(|begin: char| !begin.is_alphanumeric()));
            found.extend(words.map(|words| said(Signal::ToolSteering, words)));
        }
    }
    found
}
