//! The lists that a model writes, as JSON: also in prose or in fences, with trailing commas, or without the object
//! around them.

use super::error_code::ErrorCode;
use serde_json::Value;

use crate::read::tree::Node;
use crate::runtime::answer::{CallFailure, MALFORMED};
use crate::runtime::document;
use crate::runtime::review::reply;

/// What is expected.
pub(in crate::runtime) struct ListForm {
    /// The key of the list.
    pub(in crate::runtime) key: &'static str,
    /// A key that each row has.
    pub(in crate::runtime) row: &'static str,
    /// The code of its faults.
    pub(in crate::runtime) code: ErrorCode,
    /// What to write.
    pub(in crate::runtime) hint: &'static str,
}

/// A list that was read.
pub(in crate::runtime) struct GivenList<'a> {
    pub(in crate::runtime) rows: Vec<Value>,
    /// What a reader should know.
    pub(in crate::runtime) warnings: Vec<String>,
    text: &'a str,
    name: &'a str,
    form: &'static ListForm,
    /// The document, if it is exact: it tells the place of a fault.
    exact: Option<Node>,
}

impl<'a> GivenList<'a> {
    /// Reads a text; messages call it `name`.
    ///
    /// # Errors
    /// `malformed_json`, and the code of the form.
    pub(in crate::runtime) fn read(
        text: &'a str,
        name: &'a str,
        form: &'static ListForm,
    ) -> Result<Self, CallFailure> {
        let exact = document::json_text(text, name);
        let mut list = Self { rows: Vec::new(), warnings: Vec::new(), text, name, form, exact: None };
        match (reply::rows(text, form.key, form.row), exact) {
            (Ok((rows, repairs)), exact) => {
                (list.rows, list.exact) = (rows, exact.ok());
                if !repairs.is_empty() {
                    list.warnings.push(format!("`{name}` was repaired: {}", repairs.join(", ")));
                }
                Ok(list)
            }
            (Err(_), Ok(node)) => {
                list.exact = Some(node);
                Err(list.fault(usize::MAX, "", format!("missing list `{}`", form.key)))
            }
            (Err(_), Err(failure)) => Err(failure),
        }
    }

    /// A fault in a field of a row.
    pub(in crate::runtime) fn fault(&self, row: usize, field: &str, message: String) -> CallFailure {
        self.failure(self.form.code, row, field, message, self.form.hint)
    }

    /// A failure at a field of a row.
    pub(in crate::runtime) fn failure(
        &self,
        code: ErrorCode,
        row: usize,
        field: &str,
        message: String,
        hint: &str,
    ) -> CallFailure {
        let at = self.exact.as_ref().map(|root| {
            let list = root.get(self.form.key).unwrap_or(root);
            let row = list.items().and_then(|rows| rows.get(row)).unwrap_or(list);
            document::place(self.text, row.get(field).unwrap_or(row).span.start)
        });
        let failure = CallFailure::new(MALFORMED, code, message, hint);
        failure.in_file(self.name, at.map(|at| at.0), at.map(|at| at.1))
    }
}

/// A text of a model, which may also be a list of texts; empty if it is missing.
pub(in crate::runtime) fn words(value: Option<&Value>, between: &str) -> Option<String> {
    match value {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(items)) => {
            Some(items.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?.join(between))
        }
        Some(_) => None,
    }
}
