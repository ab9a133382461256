//! From a snapshot to the texts of its files.

use super::manifest::Manifest;
use super::{Files, MANIFEST, PinnedTool, Snapshot, file_names};
use crate::json::Json;

impl Snapshot {
    /// The texts of all files, byte for byte the same for the same snapshot.
    #[must_use]
    pub fn render(&self) -> Files {
        let names = file_names(self.tools.iter().map(|tool| tool.definition.name()));
        let mut files = Files::new();
        let mut digests = Vec::new();
        for tool in &self.tools {
            let file = &names[tool.definition.name()];
            digests.push((file.clone(), tool.definition.digest().as_str().to_owned()));
            files.insert(file.clone(), tool.render());
        }
        digests.sort();
        let manifest = Manifest {
            report: self.report.clone(),
            launch: self.launch.clone(),
            files: digests,
            undecodable: self.undecodable.clone(),
        };
        files.insert(MANIFEST.to_owned(), text(&manifest.to_json()));
        files
    }
}

impl PinnedTool {
    fn render(&self) -> String {
        let string = |text: &str| Json::String(text.to_owned());
        let local_name = self.local_name.as_deref().map_or(Json::Null, string);
        let order = |names: &Vec<String>| Json::Array(names.iter().map(|name| string(name)).collect());
        let new = self.new.iter().map(|(pointer, names)| (pointer.clone(), order(names))).collect();
        text(&Json::Object(vec![
            ("digest".to_owned(), string(self.definition.digest().as_str())),
            ("local_name".to_owned(), local_name),
            ("rust".to_owned(), Json::Object(vec![("new".to_owned(), Json::Object(new))])),
            ("tool".to_owned(), self.definition.document().clone()),
        ]))
    }
}

fn text(json: &Json) -> String {
    let mut text = json.to_pretty();
    text.push('\n');
    text
}
