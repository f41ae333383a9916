<targets/opencode/templates/plugcast.servers.js>
