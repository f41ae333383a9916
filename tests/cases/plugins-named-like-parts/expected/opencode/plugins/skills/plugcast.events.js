<targets/opencode/templates/plugcast.events.js>
