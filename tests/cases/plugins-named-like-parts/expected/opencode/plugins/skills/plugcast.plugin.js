<targets/opencode/templates/plugcast.plugin.js>
