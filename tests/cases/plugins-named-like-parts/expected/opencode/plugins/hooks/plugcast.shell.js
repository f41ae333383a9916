<targets/opencode/templates/plugcast.shell.js>
