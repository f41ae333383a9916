export const word = "hello from vite";
