export const Plugcast = async () => ({})
