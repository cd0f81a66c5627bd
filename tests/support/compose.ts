/** The runtime as the hosts compose it, on a given store and endpoint; usable in any process. */
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentDefinition } from '#contract/agent.ts';
import type { Answer, Approval } from '#contract/approval.ts';
import type { Environment } from '#core/base/child-environment.ts';
import { AgentFolders } from '#core/agents/agent-folders.ts';
import { builtinPlaces, userPlaces } from '#core/agents/places.ts';
import type { Embeddings } from '#core/model/embeddings.ts';
import { createDemoModel } from '#core/model/demo.ts';
import { runtimeOf } from '#core/host/ownership/compose-runtime.ts';
import { LiveSettings } from '#core/settings/live-settings.ts';
import { tellSecrets } from '#core/settings/known-secrets.ts';
import { loadPrices } from '#core/model/prices.ts';
import type { ProviderPorts } from '#core/model/providers/providers.ts';
import { type RetryClock, systemClock } from '#core/model/request-retries.ts';
import type { Runtime } from '#core/host/runtime/runtime.ts';
import type { OwnFolders } from '#core/settings/folders.ts';
import type { Secrets } from '#core/settings/secrets.ts';
import type { Settings } from '#core/settings/settings.ts';
import type { Store } from '#core/store/store.ts';
import { Outputs } from '#core/workspace/outputs.ts';
import { ShellHost } from '#core/workspace/shell/run-shell.ts';
import { findSandbox, type Sandbox } from '#core/workspace/shell/sandbox.ts';
import { Workspaces } from '#core/workspace/workspaces.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { Trust } from '#core/agents/trust.ts';

export { settingsOf } from './settings/settings-of.ts';

/** What a test's person says to each item of a question; null leaves it open. */
export type Person = (approval: Approval, item: number) => Answer | null;

export const yes: Person = ({ request: { subject, reversible } }) =>
  subject.kind === 'questions'
    ? { kind: 'reply', replies: subject.questions.map(() => ({ chosen: [], words: 'As you like.' })) }
    : { kind: 'allow', ...(reversible ? {} : { confirmed: true }) };

export interface Composition {
  store: Store;
  /** Default: the built-in ones, and what the folder has and is trusted. */
  agents?: AgentFolders;
  trust?: Trust;
  /** The environment of the program, for commands; default: that of the test. */
  programs?: Environment;
  /** Lines for the person; default: nowhere. */
  warn?: (line: string) => void;
  settings: Settings;
  folder: string;
  url: string;
  apiKey?: string;
  /** Where changed settings are saved; default: the folder. */
  configFolder?: string;
  /** Instead of a key and the url. */
  environment?: ProviderPorts['environment'];
  /** Default: none are kept. */
  secrets?: Secrets;
  /** `real`: that of the program. Default: one whose waits are short. */
  retryClock?: RetryClock | 'real';
  groupSize?: number;
  /** Default: kept beside the data, or the folder. */
  workspaces?: Workspaces;
  /** Default: what the settings name. */
  embeddings?: Embeddings;
  onFailure?: (error: Error) => void;
  /** Where sessions are kept as Markdown; default: nowhere. */
  data?: string;
  /** Default: none, because a test's settings lie in its workspace. */
  own?: OwnFolders;
}

/** A clock on which a wait takes at most 5 ms, and counts in full. */
export class FastClock implements RetryClock {
  readonly waits: number[] = [];
  #skippedMs = 0;

  now(): number {
    return performance.now() + this.#skippedMs;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    const shortMs = Math.min(ms, 5);
    this.waits.push(ms);
    await delay(shortMs, undefined, { signal });
    this.#skippedMs += ms - shortMs;
  }
}

/** No key store: a test gives its key, or the way to one, itself. */
const NO_SECRETS: Secrets = {
  place: { backend: 'nowhere', warning: null },
  get: () => Promise.resolve(null),
  set: () => Promise.resolve(),
};

export async function composeRuntime(parts: Composition): Promise<Runtime> {
  const { store, folder, groupSize, onFailure, data } = parts;
  const trust = parts.trust ?? new Trust(data ?? parts.configFolder ?? folder);
  const programs = parts.programs ?? process.env;
  const workspaces = parts.workspaces ?? workspacesBeside(data ?? folder, programs);
  const shell = programs === process.env ? new TestHost(programs, workspaces) : new ShellHost(programs, workspaces);
  return runtimeOf({
    version: '0.0.0',
    store,
    folder,
    trust,
    warn: parts.warn ?? (() => undefined),
    own: parts.own ?? { folders: [], sessions: [] },
    workspaces,
    outputs: new Outputs(replacedBeside(data ?? folder)),
    shell,
    tools: allTools(shell),
    prices: await loadPrices(parts.configFolder ?? folder),
    settings: new LiveSettings(parts.configFolder ?? folder, parts.settings, (now) => tellSecrets(now, programs)),
    agents: parts.agents ?? builtinAgents(trust),
    secrets: parts.secrets ?? NO_SECRETS,
    environment: parts.environment ?? { apiKey: parts.apiKey ?? 'test-key', baseUrl: parts.url },
    // Without the pauses that a person is given to read.
    createDemo: (options) => createDemoModel({ ...options, firstMs: 0, pieceMs: 0 }),
    retryClock: parts.retryClock === 'real' ? systemClock : (parts.retryClock ?? new FastClock()),
    ...(parts.embeddings ? { embeddings: () => Promise.resolve(parts.embeddings!) } : {}),
    ...(groupSize === undefined ? {} : { groupSize }),
    ...(onFailure ? { onFailure } : {}),
    ...(data === undefined ? {} : { data }),
  });
}

/** Tries the sandbox of the machine once for all runtimes of a process. */
class TestHost extends ShellHost {
  static #found: Promise<Sandbox | null> | null = null;

  override sandbox(): Promise<Sandbox | null> {
    TestHost.#found ??= findSandbox(process.env);
    return TestHost.#found;
  }
}

/** Where what the agents of a test replace is kept. */
const replacedBeside = (folder: string): string => `${folder}-replaced`;

export function workspacesBeside(folder: string, env: Environment = process.env): Workspaces {
  return new Workspaces({ kept: replacedBeside(folder), data: `${folder}-data` }, env);
}

/** As on a machine without git: for commands of which nobody asks what they changed, for which git is started a dozen times. */
export function workspacesWithoutGit(folder: string): Workspaces {
  const workspaces = workspacesBeside(folder);
  Object.assign(workspaces.snapshots, { isAvailable: () => Promise.resolve(false) });
  return workspaces;
}

/** The same ones each time: what the built-in agents say for them is read once. */
const tools = allTools();

/** The built-in agents, and of a project what the trust that is kept in the folder covers. */
/** `config`: a folder that also has agents of the person, whose files may have faults. */
export function builtinAgents(
  trust: Trust,
  config?: string,
  warn = (line: string): void => {
    if (config === undefined) throw new Error(line);
  },
): AgentFolders {
  const own = config === undefined ? [] : userPlaces(config, config);
  return new AgentFolders({ tools, places: [...builtinPlaces(), ...own], trust, warn });
}

/** From now on also these are agents of every folder, or of the one. */
export function withAgents(
  agents: AgentFolders,
  definitions: readonly AgentDefinition[],
  only: string | null = null,
): AgentFolders {
  const before = agents.of.bind(agents);
  agents.of = async (folder) => {
    const registry = await before(folder);
    if (only !== null && folder !== only) return registry;
    for (const definition of definitions) registry.register(definition);
    return registry;
  };
  return agents;
}

/** Lets a run finish at its limit, as it does without a client. */
export const finishAtLimit: Person = () => ({ kind: 'reject', reason: '' });

/** Answers each item of each question once, as the person would. `atLimit` answers the questions about limits. */
export async function answering(
  runtime: Runtime,
  person: Person,
  { atLimit = finishAtLimit, isAttended = true }: { atLimit?: Person; isAttended?: boolean } = {},
): Promise<() => void> {
  const answered = new Set<string>();
  return runtime.subscribe('attention', { canAnswer: true, isAttended }, ({ questions }) => {
    for (const approval of questions) {
      approval.decisions.forEach((decision, item) => {
        const key = `${approval.request.id}/${item}`;
        const ask = approval.request.subject.kind === 'limit' ? atLimit : person;
        const answer = decision === null && !answered.has(key) ? ask(approval, item) : null;
        if (!answer) return;
        answered.add(key);
        // A stop may have been faster; the test sees what became of it.
        runtime.request('approval.decide', { approvalId: approval.request.id, item, answer }).catch(() => undefined);
      });
    }
  });
}
