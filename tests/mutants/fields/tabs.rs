//! Values, places in lists and mappings, and what stands around a line of blanks that begins with a tab: all of them together.

/// Frontmatter of each.
pub fn all() -> Vec<(u64, String)> {
    let values = [
        "x",
        "\"x\"",
        "'x'",
        "[a]",
        "{a: b}",
        "",
        "*z",
        "&z",
        "!t",
        "! ,",
        "x #c",
        "x\t#c",
        "one two\"",
        "|\n    x",
        ">\n    x #y",
    ];
    let places = [
        "k: V\n",
        "a: b\nk: V\n",
        "m:\n  k: V\n",
        "m:\n  a: b\n  k: V\n",
        "x: y\nm:\n  k: V\n",
        "m:\n  - V\n",
        "m:\n  - a\n  - V\n",
        "x: y\nm:\n  - V\n",
        "x: y\nm:\n- V\n",
        "m:\n  - k: V\n",
        "m:\n  - a: b\n    k: V\n",
    ];
    let lines = [
        "\t",
        "\t\n",
        "\t\nz: w\n",
        "\n\t\nz: w\n",
        " \n\t\nz: w\n",
        "\t\n\t\nz: w\n",
        "\t\n  z: w\n",
        "\t\n  - w\n",
        "\t# c\nz: w\n",
        "# c\n\t\nz: w\n",
        " \t\nz: w\n",
        " \t  - w\n",
        "\t- w\n",
    ];
    let texts = places.iter().flat_map(|place| values.iter().map(move |value| place.replace('V', value)));
    let texts = texts.flat_map(|text| lines.iter().map(move |line| format!("---\n{text}{line}---\nText.\n")));
    (0..).zip(texts).collect()
}
