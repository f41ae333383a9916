//! Frontmatter fields that some host reads, for each kind of component.

use std::collections::BTreeSet;

use crate::model::component::Component;
use crate::source::ComponentKind;
use crate::target::{Target, Targets};

/// Whether the host tells models about the component only if the field has a value.
pub fn is_needed_for_models(component: &Component, key: &str, host: &Target) -> bool {
    let is_told = component.kind == ComponentKind::Skill && !component.is_user_only();
    is_told && key == "description" && host.checks.lists_described_skills
}

/// Whether the host lists a skill for models, or loads it, only with a description.
pub fn needs_description(component: &Component, host: &Target) -> bool {
    host.skill.description_required || is_needed_for_models(component, "description", host)
}

/// Every key that some host knows in the frontmatter of `kind`.
pub fn known_keys(targets: &Targets, kind: ComponentKind) -> BTreeSet<&str> {
    let mut keys = BTreeSet::new();
    for target in targets.iter() {
        keys.extend(target.fields(kind).keys().map(String::as_str).filter(|key| *key != "*"));
        keys.extend(target.own_fields(kind).iter().map(String::as_str));
    }
    keys
}
