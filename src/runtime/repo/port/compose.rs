//! Ports of compose files, in the short and the long form: the one on this machine, of the service that
//! serves the application.

use std::path::Path;

use super::Search;
use crate::read::tree::{Node, Value};
use crate::runtime::answer::Failure;
use crate::runtime::document;

const NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
/// Names of services that serve an application.
const SERVING: [&str; 6] = ["web", "app", "frontend", "server", "site", "api"];
/// Ports of databases, caches and mail catchers.
const BEHIND: [&str; 10] = ["5432", "3306", "6379", "27017", "9200", "11211", "5672", "1025", "8025", "1433"];

/// Looks into the first compose file that is there.
pub(super) fn look(folder: &Path, search: &mut Search) -> Result<(), Failure> {
    for name in NAMES {
        let path = folder.join(name);
        let Some(document) = document::yaml_file(&path, name)? else { continue };
        let text = document::text(&path)?.unwrap_or_default();
        let mut found: Vec<(bool, String, usize)> = Vec::new();
        // What is left empty says nothing; what has another shape is no compose file.
        let must = |node: &Node, what: &str, list: bool| match node.value {
            Value::Null => Ok(()),
            Value::List(_) if list => Ok(()),
            Value::Map(_) if !list => Ok(()),
            _ => {
                let wanted = if list { "a list" } else { "a mapping" };
                Err(document::misshapen(&text, node, what, wanted, name))
            }
        };
        must(&document, "the document", false)?;
        let services = document.get("services");
        services.map_or(Ok(()), |services| must(services, "`services`", false))?;
        for service in services.map(Node::entries).unwrap_or_default() {
            must(&service.node, &format!("the service `{}`", service.key), false)?;
            let ports = service.node.get("ports");
            ports.map_or(Ok(()), |ports| must(ports, &format!("`ports` of `{}`", service.key), true))?;
            let serving = SERVING.contains(&service.key.as_str());
            for port in ports.and_then(Node::items).unwrap_or_default() {
                if let Some((host, inside)) = pair(port)
                    && (serving || !BEHIND.contains(&inside.as_str()))
                {
                    found.push((serving, host, document::place(&text, port.span.start).0));
                }
            }
        }
        // Services by their name first; the order of the file else.
        found.sort_by_key(|(serving, ..)| !serving);
        if let Some((_, number, line)) = found.first() {
            search.take(number, "compose", name, *line);
        }
        return Ok(());
    }
    Ok(())
}

/// The port on this machine and the one inside; `None` where this machine has none.
fn pair(node: &Node) -> Option<(String, String)> {
    if let (Some(host), Some(inside)) = (node.get("published"), node.get("target")) {
        return Some((first(&host.scalar()?)?, inside.scalar()?));
    }
    let text = node.scalar()?;
    let text = text.split('/').next()?;
    let mut parts = text.rsplit(':');
    let (inside, host) = (parts.next()?, parts.next()?);
    Some((first(host)?, inside.to_owned()))
}

/// The first of a range of ports; `None` for a variable.
fn first(text: &str) -> Option<String> {
    let text = text.split('-').next()?;
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}
