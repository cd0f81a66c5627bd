/** Starts, kills and restarts the real process of `crash-host.ts`, each time on a store in a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { DurableEvent } from '#contract/event.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';

const HOST = fileURLToPath(new URL('crash-host.ts', import.meta.url));
const PATIENCE_MS = 60_000;

export interface Result {
  end: Extract<DurableEvent, { type: 'workflow-end' }>;
  events: DurableEvent[];
  runs: RunRow[];
  workflow: WorkflowRow;
}

export interface Life {
  mode: 'start' | 'resume';
  data: string;
  url: string;
  folder: string;
  /** Kill the process the instant after this event is stored. */
  killAfter?: number;
  /** TOML of the settings. */
  settings?: string;
  /** Where sessions are kept as Markdown; default: nowhere. */
  files?: string;
  /** Gets the process, to kill it in other ways. */
  started?: (child: ChildProcess) => void;
}

/** What was stored in the end; null when the process was killed. */
export function live({
  mode,
  data,
  url,
  folder,
  killAfter,
  settings = '',
  files = '',
  started,
}: Life): Promise<Result | null> {
  const args = [HOST, mode, data, url, folder, ...(killAfter === undefined ? [] : [String(killAfter)])];
  const child = spawn(process.execPath, args, {
    ...{ stdio: ['ignore', 'pipe', 'pipe'], timeout: PATIENCE_MS },
    env: { ...process.env, CRASH_HOST_SETTINGS: settings, CRASH_HOST_FILES: files },
  });
  started?.(child);
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.on('close', (code, signal) => {
      if (signal === 'SIGKILL') resolve(null);
      else if (code === 0) resolve(JSON.parse(out) as Result);
      else reject(new Error(`the host ended with ${signal ?? code}: ${err}`));
    });
  });
}
