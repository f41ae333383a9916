put() {
  echo "export $1" >> "$CLAUDE_ENV_FILE"
}
