// Ends by itself, whatever becomes of the test.
setTimeout(() => process.exit(), 300000);
const page = `<!doctype html><h1>not yet</h1><script>document.querySelector("h1").textContent = "hello " + "from ${process.argv[2]}"</script>`;
const answer = (_, response) => response.setHeader("content-type", "text/html").end(page);
require("http").createServer(answer).listen(process.env.PORT, "127.0.0.1");
