//! Unmodified public plugins through the built program.

use crate::support::corpus;

#[test]
fn every_public_source_is_there() {
    for public in corpus::public() {
        assert!(public.source.is_dir(), "{}: `{}` is missing", public.name, public.source.display());
        let marketplace = public.source.join(".claude-plugin/marketplace.json").is_file();
        assert_eq!(
            public.plugin.is_none(),
            marketplace,
            "{}: a name is given where none is in the source",
            public.name
        );
    }
}
