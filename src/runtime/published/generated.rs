//! Schemas of answers, generated from their types.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::{PublishedCommand, codes};
use crate::runtime::answer::ErrorResponse;

impl PublishedCommand {
    /// The published schema: the answer, or a failure.
    pub fn schema(&self) -> Value {
        let mut definitions = Map::new();
        let mut kinds = Vec::new();
        for mut kind in [(self.answer)(), shape::<ErrorResponse>()] {
            if let Some(Value::Object(own)) = kind.as_object_mut().and_then(|kind| kind.shift_remove("$defs"))
            {
                definitions.extend(own);
            }
            name_schema(&mut kind, &self.schema_id());
            kinds.push(kind);
        }
        let mut schema = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name(),
            "needs": self.needs,
            "exits": codes::exits(self.command),
            "anyOf": kinds,
        });
        let error = |(code, exit): codes::PublishedCode| json!({ "code": code, "exit": exit });
        schema["errors"] = codes::command_codes(self.command).into_iter().map(error).collect();
        if !definitions.is_empty() {
            schema["$defs"] = Value::Object(definitions);
        }
        close(&mut schema);
        schema
    }
}

/// The schema of a type.
pub(super) fn shape<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Some(schema) = schema.as_object_mut() {
        schema.shift_remove("$schema");
        schema.shift_remove("title");
    }
    schema
}

/// Adds the name of the schema as the first property of the answer.
fn name_schema(kind: &mut Value, id: &str) {
    let Some(kind) = kind.as_object_mut() else { return };
    let mut properties = Map::from_iter([("schema".to_owned(), json!({ "const": id }))]);
    if let Some(Value::Object(own)) = kind.get("properties") {
        properties.extend(own.clone().into_iter().filter(|(key, _)| key != "schema"));
    }
    kind.insert("properties".to_owned(), Value::Object(properties));
    let mut required = vec![Value::from("schema")];
    if let Some(Value::Array(own)) = kind.get("required") {
        required.extend(own.iter().filter(|key| *key != "schema").cloned());
    }
    kind.insert("required".to_owned(), Value::Array(required));
}

/// Forbids additional properties in every object that lists its properties.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.get("properties").is_some_and(Value::is_object) {
                object.entry("additionalProperties").or_insert(Value::Bool(false));
            }
            object.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}
