/** The agent of `fake-model/reflecting.ts` in a runtime. */
import { type Harness, type HarnessOptions, type Start, startEngine } from './engine.ts';
import { CHECKER, checkerFile, type Reflecting, reflecting, REVIEWER } from './fake-model/reflecting.ts';
import { Script } from './fake-model/script.ts';

export interface ReflectingOptions extends HarnessOptions {
  agent?: string;
}

/** With the agent in the workspace, trusted. */
export async function startReflecting(
  script: Script | Reflecting,
  { agent = checkerFile(), ...options }: ReflectingOptions = {},
  start: Start = startEngine,
): Promise<Harness> {
  const engine = await start(script instanceof Script ? script : reflecting(script), {
    ...options,
    files: { [CHECKER]: agent, ...options.files },
  });
  const { runtime, folder } = engine;
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
  return engine;
}

export async function childOf(engine: Harness) {
  const ended = engine.of('run-end').find(({ parentRunId }) => parentRunId !== null);
  if (!ended) throw new Error('no sub-agent has ended');
  const { runs, requests } = await engine.runtime.request('workflow.get', { workflowId: ended.workflowId });
  const run = runs.find(({ id }) => id === ended.runId);
  if (!run) throw new Error('no row of the sub-agent');
  const entries = await engine.runtime.request('run.entries', { runId: run.id });
  return { run, entries, requests: requests.filter(({ runId }) => runId === run.id) };
}

export const reviewers = ({ model }: Harness) => model.requests.filter(({ seen }) => REVIEWER.test(seen.system));
