/** Names of tools as these endpoints take them, and the way back. */
import { createHash } from 'node:crypto';
import type { ToolSpec } from '../model.ts';

const LEGAL = /^[\w-]{1,64}$/;
const MOST = 64;

/** The same for the same name, and another for another one. */
export function wireName(name: string): string {
  if (LEGAL.test(name)) return name;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.replace(/[^\w-]/g, '_').slice(0, MOST - hash.length - 1)}_${hash}`;
}

/** The tool's own name; one that the model made up stays as it is. */
export function namesBack(tools: readonly ToolSpec[]): (name: string) => string {
  const own = new Map(tools.map(({ name }) => [wireName(name), name]));
  return (name) => own.get(name) ?? name;
}
