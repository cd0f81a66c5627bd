/**
 * One runtime for all tests of a file that neither end it nor need settings of their own: to start and to close one
 * takes longer than most of what they ask of it. Each test has a script, a person, a folder and a conversation of its
 * own, and sees only what happens there.
 */
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { AgentEvent } from '#contract/event.ts';
import { Trust } from '#core/agents/trust.ts';
import { answering, builtinAgents, composeRuntime, type Person, settingsOf, yes } from './compose.ts';
import { type Harness, type HarnessOptions, talkIn } from './engine.ts';
import type { Seen } from './fake-model/request.ts';
import { type FakeModel, startFakeModel } from './fake-model/server.ts';
import { type Rule, Script } from './fake-model/script.ts';
import { memoryStore } from './stores/pooled.ts';
import { folderWith } from './workspace.ts';

type TestOptions = Pick<HarnessOptions, 'person' | 'files' | 'lead'> & {
  /** TOML of rules, which are read from the settings file whenever they are asked. */
  rules?: string;
};
type Shared = Pick<Harness, 'runtime' | 'store' | 'agents' | 'trust' | 'model'> & {
  script: CurrentScript;
  persons: Map<string, Person>;
  close: () => Promise<void>;
};

/** `settings`: TOML of its settings file. */
export function sharedEngine(settings = ''): {
  /** Starts like `startEngine`, in the runtime of the file. */
  start: (script: Script, options?: TestOptions) => Promise<Harness>;
  configFolder: string;
} {
  const configFolder = realpathSync(mkdtempSync(join(tmpdir(), 'triad-test-')));
  writeFileSync(join(configFolder, 'config.toml'), settings);
  let started: Promise<Shared> | null = null;
  afterAll(async () => {
    await (await started)?.close();
    await rm(configFolder, { recursive: true, force: true });
  });
  return {
    start: async (script, options = {}) => {
      const shared = await (started ??= startShared(configFolder, settings));
      if (options.rules !== undefined) {
        const file = join(configFolder, 'config.toml');
        writeFileSync(file, `${settings}${options.rules}`);
        onTestFinished(() => writeFileSync(file, settings));
      }
      return harnessIn(shared, script, options);
    },
    configFolder,
  };
}

async function startShared(folder: string, toml: string): Promise<Shared> {
  const script = new CurrentScript();
  const model = await startFakeModel(script);
  const trust = new Trust(folder);
  const parts = { store: await memoryStore(), agents: builtinAgents(trust), trust };
  const runtime = await composeRuntime({ ...parts, folder, settings: settingsOf(toml), url: model.url });
  const persons = new Map<string, Person>();
  // Whoever is asked in a conversation that a test made itself is the person of that test.
  const personIn = (id: string): Person | undefined => persons.get(id) ?? [...persons.values()].at(-1);
  await answering(runtime, (approval, item) => personIn(approval.request.conversationId)?.(approval, item) ?? null);
  const close = async (): Promise<void> => {
    await runtime.close();
    await model.close();
  };
  return { ...parts, runtime, model, script, persons, close };
}

async function harnessIn(shared: Shared, script: Script, options: TestOptions): Promise<Harness> {
  const { runtime, store, agents, trust } = shared;
  shared.script.now = script;
  const folder = await folderWith(options.files ?? { 'README.md': '# A workspace\n' });
  const lead = options.lead ? { agent: options.lead } : {};
  const { id: conversationId } = await runtime.request('conversation.create', { folder, ...lead });
  shared.persons.set(conversationId, options.person ?? yes);
  const { leave, ...talk } = await talkIn(runtime, conversationId);
  onTestFinished(async () => {
    // What a test leaves running asks the script of the next one.
    for (const workflowId of runningIn(talk.events)) {
      await runtime.request('workflow.stop', { workflowId }).catch(() => undefined);
      await talk.ended(workflowId);
    }
    leave();
    shared.persons.delete(conversationId);
  });
  const model = sinceNow(shared.model, script);
  return { runtime, store, agents, trust, folder, conversationId, model, ...talk };
}

/** Workflows that have begun and not ended. */
function runningIn(events: readonly AgentEvent[]): string[] {
  const of = (type: AgentEvent['type']) =>
    events.flatMap((one) => (one.type === type && 'workflowId' in one ? [one.workflowId] : []));
  const over = of('workflow-end');
  return [...new Set(of('run-queue'))].filter((id) => !over.includes(id));
}

/** Whichever script the test of the moment has. */
class CurrentScript extends Script {
  now = new Script();

  override take(seen: Seen): Rule | null {
    return this.now.take(seen);
  }

  override unused(): string[] {
    return this.now.unused();
  }
}

/** The model with the requests from now on. */
function sinceNow(model: FakeModel, script: Script): FakeModel {
  const before = model.requests.length;
  const waitFor: FakeModel['waitFor'] = (predicate, timeoutMs) =>
    model.waitFor((request) => model.requests.indexOf(request) >= before && predicate(request), timeoutMs);
  return Object.create(model, {
    script: { value: script },
    requests: { get: () => model.requests.slice(before) },
    waitFor: { value: waitFor },
  }) as FakeModel;
}
