//! The decision about each name in a component's texts, and the resulting edits of its main text.

use super::context::LoweringContext;
use super::decision::Decision;
use super::paths;
use super::texts::{ComponentText, TextName};
use crate::bundle::draft::DraftEdit;
use crate::ledger::{ComponentKind, RowOutcome};
use crate::model::component::Component;
use crate::model::references::{Reference, ReferenceTarget};
use crate::sourcemap::EditKind;
use crate::target::{Axis, TextForm, VariableForm};

/// The names of a component.
pub(super) struct LoweredReferences {
    /// The decision about each.
    pub(super) decisions: Vec<Decision>,
    /// The edits to the component's own text.
    pub(super) edits: Vec<DraftEdit>,
    /// Whether any of them is lost in part.
    pub(super) degraded: bool,
}

/// The decision about a name, and its replacement text.
type Outcome = (Decision, Option<(EditKind, String)>);

/// Decides about every name in `texts`, those of `component`.
pub(super) fn lower(
    context: &LoweringContext<'_>,
    component: &Component,
    texts: &[ComponentText<'_>],
    to_root: &str,
) -> LoweredReferences {
    let mut out = LoweredReferences { decisions: Vec::new(), edits: Vec::new(), degraded: false };
    let dispatches = component.may_dispatch(context.source);
    for text in texts {
        let lowering = ReferenceLowering { context, component, text, to_root, dispatches };
        for name in &text.names {
            let (decision, edit) = lowering.outcome(name);
            out.degraded |= decision.is_loss();
            if let Some((kind, text)) = edit {
                let tag = (kind, decision.reason().to_owned());
                out.edits.push(DraftEdit { span: name.reference.span, text, tag });
            }
            out.decisions.push(decision);
        }
    }
    out
}

/// The kind and the words of a reference.
pub(super) fn kind_and_words(reference: &Reference) -> (ComponentKind, &str) {
    match &reference.named {
        ReferenceTarget::Component(_, name) => (ComponentKind::Reference, name),
        ReferenceTarget::BuiltInAgent(name) | ReferenceTarget::Tool(name) => (ComponentKind::Reference, name),
        ReferenceTarget::Variable(name) => (ComponentKind::Variable, name),
        ReferenceTarget::Argument(text) => (ComponentKind::Argument, text),
        ReferenceTarget::Shell(text) | ReferenceTarget::Include(text) => (ComponentKind::Construct, text),
    }
}

/// The names of one text that is being lowered.
struct ReferenceLowering<'a> {
    context: &'a LoweringContext<'a>,
    component: &'a Component,
    text: &'a ComponentText<'a>,
    to_root: &'a str,
    /// Whether the component can dispatch agents on the source host.
    dispatches: bool,
}

impl ReferenceLowering<'_> {
    fn outcome(&self, name: &TextName<'_>) -> Outcome {
        let (kind, words) = kind_and_words(name.reference);
        let file = self.text.file;
        let decision = Decision::new_kept(&self.context.plugin.name, kind, words, &file.path)
            .in_file(file, name.reference.span);
        match &name.reference.named {
            ReferenceTarget::Component(kind, qualified) => self.component(decision, name, *kind, qualified),
            ReferenceTarget::Variable(variable) => {
                let edited = self.text.is_main && !name.is_tested;
                self.variable(decision, variable, edited)
            }
            ReferenceTarget::Tool(_) | ReferenceTarget::BuiltInAgent(_) if name.reference.forbidden => {
                (forbidden(decision), None)
            }
            ReferenceTarget::BuiltInAgent(agent) => {
                let is_bound = name.reference.asked && self.dispatches;
                let is_bound = is_bound && self.context.built_in_agent(agent).is_some();
                (if is_bound { in_block(decision) } else { decision }, None)
            }
            ReferenceTarget::Tool(tool) => (self.tool(decision, tool), None),
            _ => (self.construct(decision, name), None),
        }
    }

    fn matches_line(&self, line: &str) -> bool {
        self.context.target.block.contains_key(line)
    }

    fn owner(&self) -> (ComponentKind, &str) {
        (self.component.kind, &self.component.qualified)
    }

    /// The name of a component.
    fn component(
        &self,
        decision: Decision,
        name: &TextName<'_>,
        kind: ComponentKind,
        qualified: &str,
    ) -> Outcome {
        let is_main = self.text.is_main;
        if let Some(rewritten) = &name.rewritten {
            let decision = decision.placed_at(qualified).with_outcome(RowOutcome::Mapped, &rewritten.reason);
            return (decision, is_main.then(|| (EditKind::Name, rewritten.text.clone())));
        }
        match kind {
            _ if *qualified == self.component.qualified => (decision, None),
            _ if name.reference.forbidden => (forbidden(decision), None),
            ComponentKind::Agent if self.matches_line("agents") => {
                let is_bound = name.reference.asked && self.dispatches;
                (if is_bound { in_block(decision) } else { decision }, None)
            }
            ComponentKind::Workflow => {
                (if self.matches_line("workflows") { in_block(decision) } else { decision }, None)
            }
            kind if kind != ComponentKind::Agent && self.matches_line("skills") => (in_block(decision), None),
            _ => (decision, None),
        }
    }

    /// The name of a tool.
    fn tool(&self, decision: Decision, tool: &str) -> Decision {
        let is_bound = self.context.tool(tool).is_some() && self.matches_line("tools");
        match self.context.lost_server(tool) {
            Some(why) => {
                let decision = if is_bound { decision.placed_at("block") } else { decision };
                let reason = format!("the host does not get the server of this tool: {why}");
                decision.with_outcome(RowOutcome::Degraded, reason).loss(Axis::Servers, self.owner(), tool)
            }
            None if is_bound => in_block(decision),
            None => decision,
        }
    }

    /// An argument, a command or an include.
    fn construct(&self, decision: Decision, name: &TextName<'_>) -> Decision {
        let forms = &self.context.target.text;
        match &name.reference.named {
            ReferenceTarget::Argument(_) if name.is_meant => in_block(decision),
            ReferenceTarget::Shell(_) if name.is_native => {
                let reason = "the host runs it without asking, like the source host; it does not stop if the command fails";
                decision.placed_at("registration").with_outcome(RowOutcome::Mapped, reason)
            }
            ReferenceTarget::Include(_) if name.is_native => decision
                .placed_at("registration")
                .with_outcome(RowOutcome::Mapped, "the host includes the file"),
            ReferenceTarget::Include(_) if forms.includes == TextForm::Bound => in_block(decision),
            ReferenceTarget::Shell(_) if forms.shell == TextForm::Bound => {
                let decision = decision.placed_at("block").with_outcome(
                    RowOutcome::Degraded,
                    "the host does not run commands in a text; the model runs the command",
                );
                decision.loss(Axis::ShellExpansion, self.owner(), "shell")
            }
            _ => decision,
        }
    }

    fn variable(&self, decision: Decision, name: &str, edited: bool) -> Outcome {
        let Some(facts) = self.context.variable(name) else { return (decision, None) };
        match facts.form {
            VariableForm::Native => (decision, None),
            VariableForm::Relative if edited => {
                let Some(path) = paths::own_place(self.context.source, name, self.to_root) else {
                    return (decision, None);
                };
                let decision = decision
                    .placed_at(path)
                    .with_outcome(RowOutcome::Mapped, "it becomes a path relative to this file");
                (decision, Some((EditKind::Variable, path.to_owned())))
            }
            VariableForm::Relative | VariableForm::Bound => match &facts.reason {
                Some(reason) => {
                    let decision = decision.placed_at("block").with_outcome(RowOutcome::Degraded, reason);
                    (decision.loss(Axis::Variables, self.owner(), name), None)
                }
                None => (in_block(decision), None),
            },
        }
    }
}

fn in_block(decision: Decision) -> Decision {
    decision.placed_at("block").with_outcome(RowOutcome::Mapped, "the block *On this host* explains it")
}

fn forbidden(decision: Decision) -> Decision {
    decision.with_outcome(RowOutcome::Kept, "the text only forbids it")
}
