/** What each call of a run may use: one context a call, made of what the run has. */
import type { PlanItem } from '#contract/message.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { traceIdOf } from '../base/ids.ts';
import { redactKeysNow } from '../base/redact.ts';
import { Semaphore } from '../base/semaphore.ts';
import { shellFolderIn, stampIn } from '../log/transcript.ts';
import type { RunContext, RunQuestions } from '../loop/run-context.ts';
import type { SideAnswer, SideAsk } from '../loop/side-request.ts';
import type { WireMessage } from '../model/model.ts';
import { findRipgrep } from '../tools/search/ripgrep.ts';
import { search, type SearchJob } from '../tools/search/search.ts';
import type { CallSpan, Tool, ToolContext } from '../tools/tool.ts';
import { stateOf } from '../workspace/file-state.ts';
import type { Call } from '../workspace/snapshots.ts';
import type { Parts } from './run-parts.ts';
import type { Engine } from './engine.ts';
import { memoryOf, memoryScopeOf } from './memory.ts';
import { noteSessions } from './note-sessions.ts';
import { pastReports, reportsIn, reportText } from './past-reports.ts';
import { workspaceFor } from './workspace-of.ts';

/** Threads of searches, PDFs and web pages that one run has at a time: each holds a good part of the machine. */
const THREADS = 2;
/** Length of the output that is shown while it comes, in UTF-16 code units. */
const SHOWN_CHARS = 4000;

/** Its plan as it is, and how it is written. */
export function planFor({ plan: { stored, recorder } }: Parts): ToolContext['plan'] {
  let items: readonly PlanItem[] = stored.plan;
  return {
    read: () => items,
    write: async (next: PlanItem[]) => {
      items = next;
      await recorder.record({ type: 'plan-change', items: next });
    },
  };
}

/** `request`: makes a request of the run beside its turns. */
export function contextsFor(
  parts: Parts,
  questions: RunQuestions,
  plan: ToolContext['plan'],
  request: (ask: SideAsk) => Promise<SideAnswer>,
): RunContext['toolContext'] {
  const { engine, signal, children, watchdog } = parts;
  const { recorder, envelope, kind } = parts.plan;
  const { conversationId, workflowId, runId, agent } = recorder.ids;
  const { folder } = envelope;
  const { provider, model } = envelope;
  const own = { ...ownOf(parts), plan, provider, model, sample: sampleFor(request) };
  return async (toolCallId, called) => {
    const { name: tool } = called;
    // Sub-agents that are asked for together start in one commit: nothing on the disk is waited for.
    const workspace = await workspaceFor(called, engine, folder, kind === 'lead');
    const ids = { conversationId, workflowId, runId, toolCallId };
    const call = { ...ids, agent, tool, folder, at: new Date().toISOString() };
    const alone: ToolContext['alone'] = (work) => engine.workspaces.lock.alone(folder, signal, work);
    const progress: ToolContext['progress'] = (tail, bytes) => {
      watchdog.feed();
      recorder.printed(toolCallId, redactKeysNow(tail).slice(-SHOWN_CHARS).toWellFormed(), bytes);
    };
    const outputPath = () => engine.outputs.path(ids);
    return {
      ...ids,
      span: engine.isTraced() ? createCallSpan(parts, toolCallId) : null,
      workspace,
      lent: (kind) => engine.lenders.of(conversationId, kind),
      signal,
      children,
      hidden: questions.hidden,
      call,
      keep: keepFor(engine, call),
      alone,
      progress,
      ask: askFor(called, toolCallId, questions, watchdog),
      outputPath,
      unredactedFiles: engine.workspaces.unredactedFiles.inConversation(conversationId, folder),
      privateHosts: engine.settings.web.private_hosts,
      ...own,
    };
  };
}

/** Returns the ids of the span that the telemetry sends when the call ends. */
function createCallSpan({ workflow, plan }: Parts, toolCallId: string): CallSpan {
  const { workflowId, runId } = plan.recorder.ids;
  return {
    traceId: traceIdOf(workflow.runs.leadRunId),
    spanId: spanIdOf(workflowId, ['tool', runId, toolCallId, plan.attempt]),
  };
}

/** What is the same for every call. */
function ownOf({ engine, plan, signal, history, shell }: Parts) {
  const { recorder, envelope, kind } = plan;
  const { conversationId, workflowId, runId } = recorder.ids;
  const { folder } = envelope;
  return {
    ...threadsFor(engine, signal),
    // What others found is a lead's to hand on.
    pastReports: async () => {
      if (plan.kind === 'lead') return pastReports(engine.store, folder);
      return envelope.seesReports ? reportsIn(engine.store, workflowId) : [];
    },
    webSearch: engine.webSearch,
    noteSessions: async () =>
      plan.kind === 'lead' ? noteSessions(engine.store, { folder, conversationId }) : new Map<string, []>(),
    report: async (of: string) =>
      plan.kind === 'lead' ? reportText(engine.store, { conversationId, folder }, of) : null,
    output: (toolCallId: string) => engine.outputs.open({ conversationId, runId, toolCallId }),
    shell,
    keepImage: (bytes: Buffer) => engine.outputs.keepImage(conversationId, bytes),
    seen: (path: string) => stampIn(history.entries, path),
    shellFolder: () => shellFolderIn(history.entries),
    memory: memoryOf(engine.store, recorder, { scope: memoryScopeOf(recorder.ids, kind), folder }),
  };
}

/** Questions in the middle of a call. */
function askFor(tool: Tool, id: string, { ask }: RunQuestions, watchdog: Parts['watchdog']): ToolContext['ask'] {
  return async (question, signal) => {
    const held = 'Only you can answer this';
    const asked = await ask({ id, tool, input: null }, { ...question, held, during: true }, signal);
    return asked ? asked.answered.finally(watchdog.hold()) : null;
  };
}

function sampleFor(request: (ask: SideAsk) => Promise<SideAnswer>): ToolContext['sample'] {
  return ({ messages, ...asked }, signal) => {
    const wire = messages.map(({ role, text }): WireMessage => ({ role, content: [{ type: 'text', text }] }));
    return request({ ...asked, purpose: 'sampling', messages: wire, signal });
  };
}

function threadsFor(engine: Engine, signal: AbortSignal): Pick<ToolContext, 'thread' | 'search'> {
  const threads = new Semaphore(THREADS);
  const thread = () => threads.acquire(signal);
  const searched = async (job: SearchJob, timeoutMs?: number) => {
    const ripgrep = job.kind === 'grep' ? await findRipgrep(engine.shell.env, job.workspace) : null;
    const run = async (one: SearchJob) => {
      const release = await thread();
      return search(one, signal, { timeoutMs, ripgrep }).finally(release);
    };
    const hybrid = job.kind === 'ranked' ? await engine.hybrid() : null;
    return job.kind === 'ranked' && hybrid ? hybrid.search(job, signal, run) : run(job);
  };
  return { thread, search: searched };
}

function keepFor({ workspaces: { changes } }: Engine, call: Call): ToolContext['keep'] {
  return (files) =>
    changes.keep(
      {
        ...call,
        at: new Date().toISOString(),
        files: files.map(({ before, after, ...file }) => ({ ...file, before: stateOf(before), after: stateOf(after) })),
        notKept: [],
      },
      files.flatMap(({ before, after }) => [before, after].flatMap((side) => (side ? [side.bytes] : []))),
    );
}
