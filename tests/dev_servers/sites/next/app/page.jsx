const words = ["hello", "from", "next"];

export default function Page() {
  return <h1>{words.join(" ")}</h1>;
}
