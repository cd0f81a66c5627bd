/** One life of a program around a workflow: from its message, or from where a killed one left it, to its end. */
import type { AgentDefinition } from '#contract/agent.ts';
import type { AgentEvent, DurableEvent } from '#contract/event.ts';
import type { GrantRequest } from '#contract/permission.ts';
import type { RunRow, WorkflowRow } from '#contract/view.ts';
import { Trust } from '#core/agents/trust.ts';
import type { Runtime } from '#core/host/runtime/runtime.ts';
import type { Store } from '#core/store/store.ts';
import type { Workspaces } from '#core/workspace/workspaces.ts';
import { answering, builtinAgents, composeRuntime, type Person, settingsOf, withAgents, yes } from './compose.ts';

export interface LifeParts {
  mode: 'start' | 'resume';
  store: Store;
  url: string;
  folder: string;
  /** Agents beside the built-in ones. */
  definitions?: AgentDefinition[] | undefined;
  /** TOML of the settings. */
  settings?: string;
  /** Where sessions are kept as Markdown; default: nowhere. */
  files?: string;
  groupSize?: number;
  workspaces?: Workspaces;
  /**
   * The person lets sub-agents start, leaves all else open, and has the context compacted once two questions are open and
   * a sub-agent answers.
   */
  compacts?: boolean | undefined;
  /** Said by the person to the first sub-agent that answers, once. */
  says?: string | undefined;
  /** Rejects the promise of the life when it aborts. */
  signal?: AbortSignal | undefined;
  /** With the first yes; default: every yes is for once. */
  grant?: GrantRequest | undefined;
}

/** What was stored in the end. */
export interface Result {
  end: Extract<DurableEvent, { type: 'workflow-end' }>;
  events: DurableEvent[];
  runs: RunRow[];
  workflow: WorkflowRow;
}

/** Closes the store, also where it fails. */
export async function lifeOf({ mode, store, url, folder, ...rest }: LifeParts): Promise<Result> {
  const { settings = '', files, groupSize, workspaces, grant, definitions, compacts, says, signal } = rest;
  const runtime = await composeRuntime({
    store,
    folder,
    url,
    settings: settingsOf(settings),
    ...(files === undefined ? {} : { data: files }),
    ...(groupSize === undefined ? {} : { groupSize }),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(definitions === undefined ? {} : { agents: withAgents(builtinAgents(new Trust(folder)), definitions) }),
  });
  try {
    await answering(runtime, compacts ? spawnsOnly : grant === undefined ? yes : granting(grant));
    const opened = compacting(runtime);
    const saying = says === undefined ? null : speaking(runtime, says);
    const ended = Promise.withResolvers<Result['end']>();
    ended.promise.catch(() => undefined);
    signal?.addEventListener('abort', () => ended.reject(signal.reason));
    const hear = (event: AgentEvent): void => {
      if (compacts) opened(event);
      saying?.(event);
      if (event.type === 'workflow-end') ended.resolve(event);
    };
    if (mode === 'start') {
      const { id: conversationId } = await runtime.request('conversation.create', {});
      await runtime.subscribe('conversation', { conversationId }, hear);
      await runtime.request('message.send', { conversationId, text: 'Look at all parts' });
    } else {
      const { items } = await runtime.request('workflow.list', {});
      const [workflow] = items;
      if (!workflow) throw new Error('the workflow is lost');
      const { id: workflowId, conversationId, lastSeq, outcome } = workflow;
      await runtime.subscribe('conversation', { conversationId }, hear);
      if (outcome === 'interrupted') await runtime.request('workflow.resume', { workflowId });
      else for (const event of await store.events(conversationId, lastSeq, lastSeq)) hear(event);
    }
    const end = await ended.promise;
    const events = await store.events(end.conversationId, 1, 1_000_000);
    const { runs, workflow } = await runtime.request('workflow.get', { workflowId: end.workflowId });
    return { end, events, runs, workflow };
  } finally {
    await runtime.close();
  }
}

const spawnsOnly: Person = (approval, item) =>
  approval.request.subject.kind === 'envelopes' ? yes(approval, item) : null;

function speaking(runtime: Runtime, text: string): (event: AgentEvent) => void {
  let said = false;
  return ({ type, parentRunId, runId }) => {
    if (said || type !== 'message-start' || parentRunId === null) return;
    said = true;
    // The request fails if the store fails right after it.
    runtime.request('run.say', { runId, text }).catch(() => undefined);
  };
}

/** Asks for it when what it waits for has happened. */
function compacting(runtime: Runtime): (event: AgentEvent) => void {
  const met = { questions: 0, answers: false, asked: false };
  return ({ type, parentRunId, conversationId }) => {
    if (type === 'approval-request') met.questions += 1;
    if (type === 'message-start' && parentRunId !== null) met.answers = true;
    if (met.asked || met.questions < 3 || !met.answers) return;
    met.asked = true;
    runtime.request('context.compact', { conversationId }).catch(() => undefined);
  };
}

function granting(grant: GrantRequest): Person {
  let given = false;
  return () => {
    const answer = { kind: 'allow', ...(given ? {} : { grant }) } as const;
    given = true;
    return answer;
  };
}
