<targets/opencode/templates/plugcast.handlers.js>
