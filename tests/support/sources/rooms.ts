/** Holds the files of a base folder against the order of its rooms. Pure: files and imports in, violations out. */
import { type Order, roomsBarredFrom, roomsIn } from '../../../scripts/rooms.js';

/** A source file and the files of this repository that it imports, types included; paths from the root. */
export interface SourceFile {
  file: string;
  imports: readonly string[];
}

/** One sentence for each violation; empty where all files lie in rooms that import in order. */
export function roomViolations(base: string, order: Order, sources: readonly SourceFile[]): string[] {
  const rooms = roomsIn(order);
  const inBase = sources.filter(({ file }) => file.startsWith(`${base}/`));
  const loose = inBase.filter(({ file }) => roomOf(base, rooms, file) === undefined);
  const crossing = inBase.flatMap(({ file, imports }) =>
    imports.flatMap((target) => {
      const [from, to] = [roomOf(base, rooms, file), roomOf(base, rooms, target)];
      return from === undefined || to === undefined || from === to ? [] : [{ file, target, from, to }];
    }),
  );
  const barred = crossing.filter(({ from, to }) => roomsBarredFrom(order, from).includes(to));
  return [
    ...loose.map(({ file }) => `${file} lies in no room`),
    ...barred.map(({ file, target, from, to }) => `${file} imports ${target}: ${from} may not import ${to}`),
    ...circles(crossing).map((circle) => `rooms import each other in a circle: ${circle}`),
  ];
}

/** The room that holds a file of the base folder: the folder below it, or the file itself where that is a room. */
function roomOf(base: string, rooms: readonly string[], file: string): string | undefined {
  if (!file.startsWith(`${base}/`)) return undefined;
  const [name = '', ...rest] = file.slice(base.length + 1).split('/');
  const isFolder = rest.length > 0;
  return rooms.find((room) => room === name && room.includes('.') !== isFolder);
}

/** Every circle that a depth-first walk over the rooms meets, as `a → b → a`. */
function circles(crossing: readonly { from: string; to: string }[]): string[] {
  const graph = Map.groupBy(crossing, ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (room: string, trail: readonly string[]): void => {
    if (trail.includes(room)) found.push([...trail.slice(trail.indexOf(room)), room].join(' → '));
    if (trail.includes(room) || done.has(room)) return;
    for (const to of new Set(graph.get(room)?.map((one) => one.to))) visit(to, [...trail, room]);
    done.add(room);
  };
  for (const room of graph.keys()) visit(room, []);
  return found;
}
