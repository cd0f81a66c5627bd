/** Runs code of others' making (patterns in schemas) for a bounded time: nothing that they wrote may hold up the program. */
import { type Context, createContext, Script } from 'node:vm';

/** How often it is tried at most where the machine had no time for it. */
const TRIES = 30;

let made: { context: Context & { run: (() => unknown) | null }; script: Script } | null = null;

/** Undefined where it needs more than `ms` milliseconds of the processor. It must have no effects: it may be begun again. */
export function bounded<T extends object | string | boolean>(ms: number, run: () => T): T | undefined {
  const before = process.threadCpuUsage();
  for (let turn = 0; turn < TRIES; turn++) {
    const result = once(ms, run);
    if (result !== undefined) return result;
    // Measures CPU time, so that a busy machine does not count as slow.
    const { user, system } = process.threadCpuUsage(before);
    if (user + system > ms * 1000 * 0.8) return undefined;
  }
  return undefined;
}

function once<T>(ms: number, run: () => T): T | undefined {
  made ??= { context: createContext({ run: null }) as Context & { run: null }, script: new Script('run()') };
  made.context.run = run;
  try {
    return made.script.runInContext(made.context, { timeout: ms }) as T;
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    made.context.run = null;
  }
}

/** It comes from the other realm, so it is no `Error` here. */
function isTimeout(error: unknown): boolean {
  const isObject = typeof error === 'object' && error !== null;
  return isObject && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
