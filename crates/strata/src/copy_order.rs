//! The order in which the objects of tables are copied, so that an interrupted copy leaves each table whole or missing. A missing
//! table is rebuilt when it is needed; one that lacks files would be reported as damaged.

use std::collections::HashMap;

use object_store::ObjectMeta;
use object_store::path::Path;

/// LanceDB's folder of manifests in a table. The name of the newest one sorts first.
const VERSIONS: &str = "_versions";
const MANIFEST: &str = "manifest";

/// Groups the objects of tables in the order in which the groups must be copied: what the newest versions need, the newest
/// manifests, and the rest. Within a group the order does not matter.
pub fn copy_order(objects: Vec<ObjectMeta>) -> [Vec<ObjectMeta>; 3] {
    let mut newest: HashMap<String, Path> = HashMap::new();
    for object in objects.iter().filter(|object| is_manifest(&object.location)) {
        let first = newest.entry(folder(&object.location)).or_insert_with(|| object.location.clone());
        *first = object.location.clone().min(first.clone());
    }
    let mut groups = [Vec::new(), Vec::new(), Vec::new()];
    for object in objects {
        let group = match is_in_versions(&object.location) {
            false => 0,
            true if newest.get(&folder(&object.location)) == Some(&object.location) => 1,
            true => 2,
        };
        groups[group].push(object);
    }
    groups
}

fn is_in_versions(name: &Path) -> bool {
    name.parts().any(|part| part.as_ref() == VERSIONS)
}

fn is_manifest(name: &Path) -> bool {
    is_in_versions(name) && name.extension() == Some(MANIFEST)
}

fn folder(name: &Path) -> String {
    name.as_ref().rsplit_once('/').map_or_else(String::new, |(folder, _)| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_manifest_of_a_table_comes_after_what_it_names_and_before_older_ones() {
        let object = |name: &str| ObjectMeta {
            location: name.into(),
            last_modified: Default::default(),
            size: 0,
            e_tag: None,
            version: None,
        };
        let names = [
            "a/daily-g0.lance/_versions/18446744073709551614.manifest",
            "a/daily-g0.lance/_versions/18446744073709551613.manifest",
            "a/daily-g0.lance/_versions/latest_version_hint.json",
            "a/daily-g0.lance/data/x.lance",
            "a/daily-g0.lance/head",
            "b/working-g2.lance/_versions/18446744073709551610.manifest",
        ];
        let groups = copy_order(names.map(object).into())
            .map(|group| group.into_iter().map(|object| object.location.to_string()).collect::<Vec<_>>());
        assert_eq!(groups, [vec![names[3], names[4]], vec![names[1], names[5]], vec![names[0], names[2]]]);
    }
}
