// The packages lie in the folder above.
export default { turbopack: { root: new URL("..", import.meta.url).pathname } };
