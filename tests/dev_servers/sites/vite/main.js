import { word } from "./word.js";

document.querySelector("h1").textContent = word;
