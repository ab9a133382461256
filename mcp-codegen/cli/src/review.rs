//! `mcp-codegen review`: what waits, tool by tool, for a person at a terminal.
//!
//! Answers are lines and not key strokes: they work in every terminal, through every multiplexer, and leave a trace that can be scrolled back
//! to. Nothing is written before all questions of a server are answered; the end of the input leaves the rest as it is.

use std::io::{BufRead, IsTerminal as _, Write};
use std::path::Path;

use mcp_contract::config::{Config, Server};
use mcp_contract::drift::ToolDrift;
use mcp_contract::snapshot::folder;
use mcp_contract::text::{Shown, counted};

use crate::choice::Waiting;
use crate::diff::{Pair, ServerReport, named, own_text, pending, tool_text};
use crate::error::CliError;
use crate::outcome::Outcome;
use crate::rejected::Rejected;
use crate::snapshot;

const HELP: &str = "a accept   r reject, keep the accepted tool and ask no more about this change   s skip\n\
                    A, R, S the same for all that is left of this server   q leave, keep the answers   ? this help";

/// What to do with a change.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Accept,
    Reject,
    Skip,
}

/// An answer, and how far it goes.
enum Reply {
    This(Answer),
    Rest(Answer),
    Leave,
}

pub(crate) fn review(path: &Path, word: Option<&str>, out: &mut dyn Write) -> Result<Outcome, CliError> {
    if !std::io::stdin().is_terminal() {
        return Err(CliError::Usage("review asks at a terminal; in a script use diff, accept and reject"));
    }
    let config = Config::load(path)?;
    let base = folder::base(path);
    let (servers, only) = named(&config, word)?;
    let mut input = std::io::stdin().lock();
    let mut session = Session { config: &config, base, only, input: &mut input, out, left: false };
    let mut waiting = 0;
    for server in servers {
        waiting += usize::from(session.server(server)?);
        if session.left {
            break;
        }
    }
    if waiting == 0 {
        writeln!(session.out, "nothing waits")?;
    }
    Ok(Outcome::Fine)
}

struct Session<'a> {
    config: &'a Config,
    base: &'a Path,
    only: Option<String>,
    input: &'a mut dyn BufRead,
    out: &'a mut dyn Write,
    left: bool,
}

impl Session<'_> {
    /// Asks about one server; whether anything waited.
    fn server(&mut self, server: &Server) -> Result<bool, CliError> {
        let (Some(waiting), Some(pair)) = (Waiting::load(self.base, server)?, pending(self.base, server)?) else {
            return Ok(false);
        };
        let report = ServerReport::of(&Pair { only: self.only.clone(), ..pair })?;
        let mut rejected = Rejected::load(self.base, &server.name)?;
        let asked = waiting.tools(self.only.as_deref()).filter(|tool| !rejected.has(tool, &waiting.new));
        let tools: Vec<&ToolDrift> = asked.collect();
        let (mut accepted, mut rest) = (Vec::new(), None);
        for (index, tool) in tools.iter().enumerate() {
            writeln!(self.out, "\n{} {}/{}", server.name, index + 1, tools.len())?;
            tool_text(&report, tool, self.out)?;
            match self.answer(&mut rest, &format!("\"{}\"", Shown(&tool.name)))? {
                Answer::Accept => {
                    rejected.forget(tool);
                    accepted.push(*tool);
                }
                Answer::Reject => rejected.add(tool, &waiting.new),
                Answer::Skip => {}
            }
        }
        let mut own = false;
        if !waiting.drift.server.is_empty() && self.only.is_none() && !self.left {
            writeln!(self.out, "\n{}", server.name)?;
            own_text(&report, self.out)?;
            own = self.answer(&mut rest, "what the server says of itself")? == Answer::Accept;
        }
        rejected.save(self.base, &server.name)?;
        if !accepted.is_empty() || own {
            let whole = own && accepted.len() == waiting.drift.tools.len();
            let listing = if whole { waiting.new.clone() } else { waiting.with(&accepted, own) };
            snapshot::accept(self.config, self.base, &server.name, listing, self.out)?;
            writeln!(self.out, "{}: accepted {}", server.name, counted(accepted.len(), "tool"))?;
            writeln!(self.out, "write the code anew with: mcp-codegen generate")?;
        }
        Ok(!tools.is_empty() || !waiting.drift.server.is_empty())
    }

    /// The answer to a question, or the one that was given for all that is left.
    fn answer(&mut self, rest: &mut Option<Answer>, what: &str) -> Result<Answer, CliError> {
        if self.left {
            return Ok(Answer::Skip);
        }
        if let Some(answer) = rest {
            return Ok(*answer);
        }
        Ok(match self.ask(what)? {
            Reply::This(answer) => answer,
            Reply::Rest(answer) => *rest.insert(answer),
            Reply::Leave => {
                self.left = true;
                Answer::Skip
            }
        })
    }

    fn ask(&mut self, what: &str) -> Result<Reply, CliError> {
        loop {
            write!(self.out, "accept {what}? [a,r,s,A,R,S,q,?] ")?;
            self.out.flush()?;
            let mut line = String::new();
            if self.input.read_line(&mut line)? == 0 {
                return Ok(Reply::Leave);
            }
            match line.trim() {
                "a" => return Ok(Reply::This(Answer::Accept)),
                "r" => return Ok(Reply::This(Answer::Reject)),
                "s" => return Ok(Reply::This(Answer::Skip)),
                "A" => return Ok(Reply::Rest(Answer::Accept)),
                "R" => return Ok(Reply::Rest(Answer::Reject)),
                "S" => return Ok(Reply::Rest(Answer::Skip)),
                "q" => return Ok(Reply::Leave),
                _ => writeln!(self.out, "{HELP}")?,
            }
        }
    }
}
