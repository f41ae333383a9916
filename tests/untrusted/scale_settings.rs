//! 13: settings of any length cost in proportion to it.

use super::demo;
use super::scale::{BUILD, in_proportion, repeated};

/// Each accepted loss that no host has was a finding for which the lines of the whole file were counted.
#[test]
fn case_13_accepted_losses_that_no_host_has_cost_in_proportion() {
    let source = |many| {
        let settings = repeated(many, "[[accept-loss]]\nid = \"a#*\"\nreason = \"r\"\n");
        demo().file("in/plugcast.toml", settings)
    };
    in_proportion(2000, source, &BUILD);
}
