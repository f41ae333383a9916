<targets/opencode/templates/plugcast.environment.js>
