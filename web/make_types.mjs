export async function makeTypes(core, table) { return ""; }
