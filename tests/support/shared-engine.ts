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
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import { Trust } from '#core/agents/trust.ts';
import { answering, builtinAgents, composeRuntime, type Person, settingsOf, yes } from './compose.ts';
import type { Harness, HarnessOptions } from './engine.ts';
import type { Seen } from './fake-model/request.ts';
import { type FakeModel, startFakeModel } from './fake-model/server.ts';
import { type Rule, Script } from './fake-model/script.ts';
import { memoryStore } from './stores/pooled.ts';
import { folderWith } from './workspace.ts';

type TestOptions = Pick<HarnessOptions, 'person' | 'files' | 'lead'> & {
  /** TOML of rules, which are read from the settings file whenever they are asked. */
  rules?: string;
};
type EventOf<T extends AgentEvent['type']> = Extract<AgentEvent, { type: T }>;
type Shared = Pick<Harness, 'runtime' | 'store' | 'agents' | 'trust' | 'model'> & {
  script: CurrentScript;
  persons: Map<string, Person>;
  close: () => Promise<void>;
};

const PATIENCE_MS = 30_000;

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
  const told = new Told();
  const leave = await runtime.subscribe('conversation', { conversationId }, (event) => told.add(event));
  const send: Harness['send'] = (text, approve = 'ask') =>
    runtime.request('message.send', { conversationId, text, approve });
  const ended: Harness['ended'] = (workflowId) => told.find('workflow-end', (end) => end.workflowId === workflowId);
  onTestFinished(async () => {
    // What a test leaves running asks the script of the next one.
    for (const workflowId of told.running()) {
      await runtime.request('workflow.stop', { workflowId }).catch(() => undefined);
      await ended(workflowId);
    }
    leave();
    shared.persons.delete(conversationId);
  });
  return {
    ...{ runtime, store, agents, trust, folder, conversationId, send, ended },
    model: sinceNow(shared.model, script),
    events: told.events,
    event: (type, predicate) => told.find(type, predicate),
    durable: () => told.events.filter((one): one is DurableEvent => 'seq' in one),
    of: <T extends AgentEvent['type']>(type: T) => told.events.filter((one): one is EventOf<T> => one.type === type),
    ask: async (text, approve) => ended((await send(text, approve)).workflowId),
  };
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
  return Object.create(model, {
    script: { value: script },
    requests: { get: () => model.requests.slice(before) },
  }) as FakeModel;
}

/** The events of a conversation as they come, for who waits for one. */
class Told {
  readonly events: AgentEvent[] = [];
  readonly #waiting = new Set<() => void>();

  add(event: AgentEvent): void {
    this.events.push(event);
    for (const look of this.#waiting) look();
  }

  /** The first that fits, also one that has come already; rejects when the patience is over. */
  find<T extends AgentEvent['type']>(type: T, fits: (event: EventOf<T>) => boolean = () => true): Promise<EventOf<T>> {
    return new Promise((resolve, reject) => {
      const look = (): void => {
        const found = this.events.find((one): one is EventOf<T> => one.type === type && fits(one as EventOf<T>));
        if (!found) return;
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(found);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(look);
        reject(new Error(`No such ${type}; there were: ${this.events.map((one) => one.type).join(' ')}`));
      }, PATIENCE_MS);
      this.#waiting.add(look);
      look();
    });
  }

  /** Workflows that have begun and not ended. */
  running(): string[] {
    const of = (type: AgentEvent['type']) =>
      this.events.flatMap((one) => (one.type === type && 'workflowId' in one ? [one.workflowId] : []));
    const over = of('workflow-end');
    return [...new Set(of('run-queue'))].filter((id) => !over.includes(id));
  }
}
