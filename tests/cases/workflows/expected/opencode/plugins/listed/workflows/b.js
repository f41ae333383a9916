export const meta = { name: "unlisted", description: "Not named by the manifest." }
