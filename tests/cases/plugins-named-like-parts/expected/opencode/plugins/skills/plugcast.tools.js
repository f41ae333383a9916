<targets/opencode/templates/plugcast.tools.js>
