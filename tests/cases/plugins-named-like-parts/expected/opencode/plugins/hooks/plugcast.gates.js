<targets/opencode/templates/plugcast.gates.js>
