//! A text that a regular expression matches.

use regex_syntax::hir::{Class, Hir, HirKind};

use crate::random::Random;

/// One matching text, where the expression needs no look-around to be met.
pub(crate) fn matching(expression: &str, random: &mut Random) -> Option<String> {
    let hir = regex_syntax::parse(expression).ok()?;
    let mut out = String::new();
    write(&hir, random, &mut out)?;
    (out.len() < 4000).then_some(out)
}

fn write(hir: &Hir, random: &mut Random, out: &mut String) -> Option<()> {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(Class::Unicode(class)) => {
            let range = class.ranges().get(random.below(class.ranges().len().min(3)))?;
            // Letters and digits rather than whatever stands first in the range.
            let (start, end) = (u32::from(range.start()), u32::from(range.end()));
            let plain = u32::from('a').clamp(start, end);
            out.push(char::from_u32(plain).filter(|_| random.below(2) == 0).unwrap_or(range.start()));
        }
        HirKind::Class(Class::Bytes(class)) => out.push(char::from(class.ranges().first()?.start())),
        HirKind::Repetition(repetition) => {
            let least = repetition.min;
            let most = repetition.max.unwrap_or(least + 3).min(least + 3);
            let count = least as usize + random.below((most - least) as usize + 1);
            for _ in 0..count.min(500) {
                write(&repetition.sub, random, out)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, random, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, random, out))?,
        HirKind::Alternation(parts) => write(&parts[random.below(parts.len())], random, out)?,
    }
    Some(())
}
