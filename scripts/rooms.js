// The rooms of each base folder in the order of their imports: a room may import itself and those before it.
// Rooms that share a place (an array) may not import each other. A name with a dot is a file, any other a folder.

export const ROOMS = {
  'src/core': [
    'base',
    'settings',
    'model',
    'workspace',
    'tools',
    'agents',
    'mcp',
    'store',
    'approvals',
    'runs',
    'workflows',
    'host',
  ],
  'src/core/host': ['checks', 'records', 'telemetry', 'runtime', 'ownership'],
  'src/lib': [
    'view',
    'words',
    'ui',
    'app',
    'changes',
    'runs',
    'approvals',
    'chat',
    ['history', 'agents', 'settings'],
    'shell',
  ],
  'src/hosts/cli': ['terminal', 'render', 'follow', 'commands', 'program.ts', 'start.ts'],
};

export const roomsIn = (order) => order.flat();

/** The rooms that a room may not import: all after it, and those that share its place. */
export function roomsBarredFrom(order, room) {
  const place = order.findIndex((entry) => [entry].flat().includes(room));
  return roomsIn(order.slice(place)).filter((other) => other !== room);
}
