/** A runtime on an empty store, whose history the tests store themselves. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeRuntime, settingsOf } from '../../support/compose.ts';
import type { Harness } from '../../support/engine.ts';
import { lasting } from '../../support/stores/pooled.ts';
import { openOn, type Opened } from './support.ts';

interface TestRuntime {
  request: Harness['runtime']['request'];
  close: () => Promise<void>;
}

export type OpenedRuntime = Opened & TestRuntime;

/** The store stays open when the runtime is closed. No model answers: the address has no server. */
export async function openRuntime(store: Opened['store']): Promise<TestRuntime> {
  const folder = await mkdtemp(join(tmpdir(), 'triad-test-'));
  const url = 'http://127.0.0.1:9';
  const runtime = await composeRuntime({ store: lasting(store), folder, url, settings: settingsOf('') });
  return {
    request: (...args) => runtime.request(...args),
    close: async () => {
      await runtime.close();
      for (const path of [folder, `${folder}-replaced`, `${folder}-data`])
        await rm(path, { recursive: true, force: true });
    },
  };
}

export async function openRuntimeOn(engine: 'mem' | 'rocksdb'): Promise<OpenedRuntime> {
  const opened = await openOn(engine);
  const { request, close } = await openRuntime(opened.store);
  return { ...opened, request, close: () => close().then(() => opened.close()) };
}
