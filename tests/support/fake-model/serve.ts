/** Runs the fake as a process of its own: prints its URL, and serves what it recorded at /__requests. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import * as scenarios from './scenarios.ts';
import { Script, type ScriptData, scriptFromData } from './script.ts';
import { startFakeModel } from './server.ts';

const USAGE = 'serve.ts [--port N] [--script NAME|FILE.json|FILE.ts] [--key KEY]… [--first-token-ms N] [--delta-ms N]';

/** Ready scenarios by name, for the command line. */
const NAMED: Readonly<Record<string, () => Script>> = {
  threeChildren: () => scenarios.threeChildren(),
  spawnOne: () => scenarios.spawnOne(),
  plainAnswer: () => scenarios.plainAnswer(),
  delegate: () => scenarios.delegate(),
  spawnThenDelegate: () => scenarios.spawnThenDelegate(),
  batch: () => scenarios.batch(),
  fourth: () => scenarios.fourth(),
  childSpawns: () => scenarios.childSpawns(),
  writeFile: () => scenarios.writeFile(),
  childWritesFile: () => scenarios.writeFile({ by: 'child' }),
};

/** A scenario by name, rules from a JSON file, or what a module exports as `script` (a Script, or a function that makes one). */
async function loadScript(name: string): Promise<Script> {
  const named = NAMED[name];
  if (named) return named();
  const file = resolve(name);
  if (file.endsWith('.json')) return scriptFromData(JSON.parse(await readFile(file, 'utf8')) as ScriptData);
  const module: unknown = await import(pathToFileURL(file).href);
  const exported: unknown =
    typeof module === 'object' && module !== null && 'script' in module ? module.script : undefined;
  // What a module exports is known only once it is called; the check of its result follows.
  const script: unknown = typeof exported === 'function' ? (exported as () => unknown)() : exported;
  if (script instanceof Script) return script;
  throw new Error(`${name} is no scenario (${Object.keys(NAMED).join(', ')}) and exports no script`);
}

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    script: { type: 'string', default: 'threeChildren' },
    key: { type: 'string', multiple: true },
    'first-token-ms': { type: 'string', default: '0' },
    'delta-ms': { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(USAGE);
} else {
  const server = await startFakeModel(await loadScript(values.script), {
    port: Number(values.port),
    latency: { firstTokenMs: Number(values['first-token-ms']), deltaMs: Number(values['delta-ms']) },
    ...(values.key ? { keys: values.key } : {}),
  });
  console.log(server.url);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
}
