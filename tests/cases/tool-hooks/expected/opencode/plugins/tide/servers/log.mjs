// Answers the calls of the hooks.
