/** Node's HTTP. Imported as a module it would load all of `fetch` with it, a tenth of a start: the names of its exports are read. */
export const { createServer, get } = process.getBuiltinModule('node:http');
