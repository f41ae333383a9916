//! Ports in compose files, in short and long form: the published port of the service that serves the application.

use std::path::Path;

use super::PortSearch;
use crate::order;
use crate::read::tree::{Node, NodeKind};
use crate::runtime::answer::CallFailure;
use crate::runtime::document;

const NAMES: [&str; 4] = ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"];
/// Names of services that serve an application.
const SERVING: [&str; 6] = ["web", "app", "frontend", "server", "site", "api"];
/// Ports of databases, caches and mail catchers.
const BACKEND_PORTS: [&str; 10] =
    ["5432", "3306", "6379", "27017", "9200", "11211", "5672", "1025", "8025", "1433"];

/// Reads the first compose file that exists.
pub(super) fn search_files(folder: &Path, search: &mut PortSearch) -> Result<(), CallFailure> {
    for name in NAMES {
        let Some(text) = document::project_text(&folder.join(name))? else { continue };
        let Some(document) = document::yaml_text(&text, name)? else { continue };
        // Anything of a different shape is not a compose file.
        let place = (text.as_str(), name);
        document::must_be(NodeKind::Mapping, Some(&document), "the document", place)?;
        let services = document.get("services");
        document::must_be(NodeKind::Mapping, services, "`services`", place)?;
        let mut found: Vec<(bool, String, usize)> = Vec::new();
        for service in services.map(Node::entries).unwrap_or_default() {
            let what = format!("the service `{}`", service.key);
            document::must_be(NodeKind::Mapping, Some(&service.node), &what, place)?;
            let ports = service.node.get("ports");
            document::must_be(NodeKind::List, ports, &format!("`ports` of `{}`", service.key), place)?;
            let serving = SERVING.contains(&service.key.as_str());
            for port in ports.and_then(Node::items).unwrap_or_default() {
                if let Some((host, inside)) = pair(port)
                    && (serving || !BACKEND_PORTS.contains(&inside.as_str()))
                {
                    found.push((serving, host, document::place(&text, port.span.start).0));
                }
            }
        }
        // Services with a typical name first, otherwise in the order of the file.
        order::sort_by_key(&mut found, |(serving, ..)| !serving);
        if let Some((_, number, line)) = found.first() {
            search.add(number, "compose", name, *line);
        }
        return Ok(());
    }
    Ok(())
}

/// The published port and the one in the container; `None` if none is published.
fn pair(node: &Node) -> Option<(String, String)> {
    if let (Some(host), Some(inside)) = (node.get("published"), node.get("target")) {
        return Some((first_port(&host.scalar()?)?, inside.scalar()?));
    }
    let text = node.scalar()?;
    let text = text.split('/').next()?;
    let mut parts = text.rsplit(':');
    let (inside, host) = (parts.next()?, parts.next()?);
    Some((first_port(host)?, inside.to_owned()))
}

/// The first of a range of ports; `None` for a variable.
fn first_port(text: &str) -> Option<String> {
    let text = text.split('-').next()?;
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.to_owned())
}
