//! Merges findings with the same file and title, within three lines of the first, into one.

use std::collections::BTreeMap;

use super::answer::MergedFinding;
use super::draft::FindingDraft;
use crate::order;
use crate::runtime::review::findings::{
    Finding, FindingOwner, Misplacement, RepairClass, plain_path, plain_title,
};

/// The maximum distance of a line from the first one of a cluster. Clusters do not chain.
const WINDOW: u64 = 3;

/// Groups findings, each with the index of its reviewer in the names.
pub(super) fn clusters(members: Vec<(usize, Finding)>, round: u32) -> Vec<FindingDraft> {
    let mut groups: BTreeMap<(String, String), Vec<(usize, Finding)>> = BTreeMap::new();
    for (reviewer, finding) in members {
        let key = (plain_path(&finding.file), plain_title(&finding.title));
        groups.entry(key).or_default().push((reviewer, finding));
    }
    let mut drafts = Vec::new();
    for ((file, _), mut group) in groups {
        order::sort_by_key(&mut group, |(_, one)| one.line);
        let mut rest = group.as_slice();
        while let Some((_, first)) = rest.first() {
            let end =
                rest.iter().take_while(|(_, one)| one.line <= first.line.saturating_add(WINDOW)).count();
            let members = rest[..end].to_vec();
            let (id, joined) = (String::new(), Vec::new());
            drafts.push(FindingDraft { id, joined, round, file: file.clone(), members });
            rest = &rest[end..];
        }
    }
    drafts
}

/// Merges all members, at least one, into one finding.
pub(super) fn merge_members(
    file: &str,
    members: &[(usize, Finding)],
    names: &[String],
    bonus: u32,
) -> MergedFinding {
    let mut ranked: Vec<&Finding> = members.iter().map(|(_, finding)| finding).collect();
    // Ordered by content, so that the order of replies does not matter.
    order::sort_by(&mut ranked, |one, other| {
        (one.severity, one.line, &one.title, &one.suggested_fix).cmp(&(
            other.severity,
            other.line,
            &other.title,
            &other.suggested_fix,
        ))
    });
    let worst = ranked[0];
    let mut places: Vec<usize> = members.iter().map(|(reviewer, _)| *reviewer).collect();
    order::sort(&mut places);
    let mut reviewers: Vec<String> = Vec::new();
    for place in places {
        if !reviewers.contains(&names[place]) {
            reviewers.push(names[place].clone());
        }
    }
    let highest = ranked.iter().map(|finding| finding.confidence).max().unwrap_or_default();
    let confidence = if reviewers.len() > 1 { (highest + bonus).min(100) } else { highest };
    let (class, owner) = (class(&ranked), owner(&ranked));
    MergedFinding {
        id: String::new(),
        title: title(worst),
        severity: worst.severity,
        file: file.to_owned(),
        line: worst.line,
        misplaced: worst.misplaced.clone().or_else(|| {
            let protected = ranked.iter().any(|finding| finding.protected);
            protected.then_some(Misplacement::HarmfulRepair)
        }),
        why_it_matters: ranked
            .iter()
            .map(|finding| finding.why_it_matters.clone())
            .find(|why| !why.is_empty())
            .unwrap_or_default(),
        evidence: [evidence(&ranked), other_statements(worst, members)].concat(),
        also: other_titles(&ranked),
        joined: Vec::new(),
        round: 1,
        autofix_class: class,
        owner,
        requires_verification: ranked.iter().any(|finding| finding.requires_verification),
        confidence: f64::from(confidence) / 100.0,
        pre_existing: ranked.iter().all(|finding| finding.pre_existing),
        reviewers,
        suggested_fix: ranked.iter().find_map(|finding| finding.suggested_fix.clone()),
        recommended_action: ranked.iter().filter_map(|finding| finding.recommended_action).min(),
        disagreements: disagreements(members, names, class, owner),
    }
}

/// A title on one line.
fn title(finding: &Finding) -> String {
    finding.title.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The evidence of all members, without duplicates.
fn evidence(members: &[&Finding]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for item in members.iter().flat_map(|one| &one.evidence) {
        if !found.contains(item) {
            found.push(item.clone());
        }
    }
    found
}

/// What the other members add to the most severe one: another reason, another repair, or a further line of the same
/// reviewer. All of it is kept, and a repair must cover all members.
fn other_statements(worst: &Finding, members: &[(usize, Finding)]) -> Vec<String> {
    let mut others: Vec<&(usize, Finding)> = members.iter().collect();
    order::sort_by_key(&mut others, |(_, one)| one.line);
    let mut found = Vec::new();
    for (reviewer, one) in others {
        let why =
            Some(one.why_it_matters.as_str()).filter(|why| !why.is_empty() && *why != worst.why_it_matters);
        let fix = one.suggested_fix.as_deref().filter(|fix| Some(*fix) != worst.suggested_fix.as_deref());
        let names_two = || members.iter().any(|(who, other)| who == reviewer && other.line != one.line);
        let is_elsewhere = one.line != worst.line && names_two();
        if !is_elsewhere && why.is_none() && fix.is_none() {
            continue;
        }
        let parts = [why.map(str::to_owned), fix.map(|fix| format!("Fix: {fix}"))];
        let sentences: Vec<String> = parts.into_iter().flatten().collect();
        let text = match sentences.is_empty() {
            true => format!("also at line {}", one.line),
            false => format!("also at line {}: {}", one.line, sentences.join(" ")),
        };
        if !found.contains(&text) {
            found.push(text);
        }
    }
    found
}

/// The titles of the other members that differ from the most severe one's.
fn other_titles(members: &[&Finding]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for one in members {
        let same = |known: &String| plain_title(known) == plain_title(&one.title);
        if plain_title(&one.title) != plain_title(&members[0].title) && !found.iter().any(same) {
            found.push(title(one));
        }
    }
    found
}

/// The most restricted class. An advisory member never relaxes a stricter class, and a finding is only safe if all
/// members say so.
fn class(members: &[&Finding]) -> RepairClass {
    let strictest =
        members.iter().map(|one| one.autofix_class).filter(|class| *class != RepairClass::Advisory).max();
    let advised = members.iter().any(|one| one.autofix_class == RepairClass::Advisory);
    match strictest {
        None => RepairClass::Advisory,
        Some(RepairClass::SafeAuto) if advised => RepairClass::GatedAuto,
        Some(class) => class,
    }
}

/// The farthest owner; the release only if all members agree.
fn owner(members: &[&Finding]) -> FindingOwner {
    let farthest = members.iter().map(|one| one.owner).max().unwrap_or(FindingOwner::Human);
    let all = members.iter().all(|one| one.owner == farthest);
    if farthest == FindingOwner::Release && !all { FindingOwner::Human } else { farthest }
}

/// The value of one field of a finding.
type ClusterKey = fn(&Finding) -> String;

/// Who said what if members disagree, and what was kept.
fn disagreements(
    members: &[(usize, Finding)],
    names: &[String],
    class: RepairClass,
    owner: FindingOwner,
) -> Vec<String> {
    let worst = members.iter().map(|(_, one)| one.severity).min();
    let questions: [(&str, String, ClusterKey); 4] = [
        ("severity", worst.map_or_else(String::new, |worst| worst.word().to_owned()), |one| {
            one.severity.word().to_owned()
        }),
        ("class", class.word().to_owned(), |one| one.autofix_class.word().to_owned()),
        ("owner", owner.word().to_owned(), |one| one.owner.word().to_owned()),
        ("pre-existing", members.iter().all(|(_, one)| one.pre_existing).to_string(), |one| {
            one.pre_existing.to_string()
        }),
    ];
    let mut out = Vec::new();
    for (what, kept, of) in questions {
        let mut sentences: Vec<String> =
            members.iter().map(|(place, one)| format!("{} says {}", names[*place], of(one))).collect();
        order::sort(&mut sentences);
        sentences.dedup();
        let first = members.first().map(|(_, one)| of(one));
        if members.iter().any(|(_, one)| Some(of(one)) != first) {
            out.push(format!("{what}: {}; kept {kept}", sentences.join(", ")));
        }
    }
    out
}
