export const lines = text => text.split("\n")
