/** Creates the context of a tool call: the parts of the run and of the engine that the call may use. */
import type { Approval } from '#contract/approval.ts';
import { spanIdOf } from '#contract/telemetry/span-ids.ts';
import { refuseReplacedFolder } from '#core/approvals/replaced-folder.ts';
import { traceIdOf } from '#core/base/ids.ts';
import { redactKeysNow } from '#core/base/redact.ts';
import { shellFolderIn, stampIn } from '#core/store/log/transcript.ts';
import { sideRequest, type SideAnswer } from './loop/side-request.ts';
import type { WireMessage } from '#core/model/model.ts';
import type { Question } from '#core/tools/question.ts';
import { findRipgrep } from '#core/tools/search/ripgrep.ts';
import { search, type SearchJob } from '#core/tools/search/search.ts';
import type { CallSpan, FileContext, SearchContext, Tool, ToolCallContext, ToolContext } from '#core/tools/tool.ts';
import { stateOf } from '#core/workspace/file-state.ts';
import type { Call } from '#core/workspace/snapshots.ts';
import type { Engine } from './engine.ts';
import { memoryOf, memoryScopeOf } from './memory.ts';
import { noteSessions } from './note-sessions.ts';
import { pastReports, reportsIn, reportText } from './past-reports.ts';
import { ask, hiddenPaths, type ParsedCall } from './questions.ts';
import type { Run } from './run.ts';
import { workspaceFor } from './workspace-of.ts';

/** Length of the output that is shown while the call runs, in UTF-16 code units. */
const SHOWN_CHARS = 4000;

/** Creates the context of one call of `tool`. */
export async function createToolContext(run: Run, toolCallId: string, tool: Tool): Promise<ToolContext> {
  const { engine, signal, history, envelope, isLead, ids: of } = run;
  const { conversationId, runId } = of;
  const { folder, provider, model } = envelope;
  // Tools that start sub-agents wait for no disk here: sub-agents of one response start in one commit.
  const workspace = await workspaceFor(tool, engine, folder, isLead);
  const ids = { conversationId, workflowId: of.workflowId, runId, toolCallId };
  const origin = { ...ids, agent: of.agent, tool: tool.name, folder, at: new Date().toISOString() };
  return {
    signal,
    workspace,
    children: run.children,
    plan: { read: () => run.planItems, write: (items) => run.writePlan(items) },
    search: searchFor(run),
    shell: { commands: run.shell, folder: () => shellFolderIn(history.entries) },
    reports: reportsFor(run),
    memory: memoryOf(engine.store, run.recorder, { scope: memoryScopeOf(of, run.plan.kind), folder }),
    call: {
      ...ids,
      provider,
      model,
      span: engine.isTraced() ? createCallSpan(run, toolCallId) : null,
      origin,
      ask: (question, until) => askDuring(run, { id: toolCallId, tool, input: null }, question, until),
      sample: (wanted, until) => sample(run, wanted, until),
      progress: (tail, bytes) => {
        run.watchdog.feed();
        run.recorder.printed(toolCallId, redactKeysNow(tail).slice(-SHOWN_CHARS).toWellFormed(), bytes);
      },
    },
    files: {
      seen: (path) => stampIn(history.entries, path),
      keep: keepFor(engine, origin),
      alone: (work) => engine.workspaces.lock.alone(folder, signal, work),
      lent: (kind) => engine.lenders.of(conversationId, kind),
      unredacted: engine.workspaces.unredactedFiles.inConversation(conversationId, folder),
    },
    outputs: {
      path: () => engine.outputs.path(ids),
      open: (other) => engine.outputs.open({ conversationId, runId, toolCallId: other }),
      keepImage: (bytes) => engine.outputs.keepImage(conversationId, bytes),
    },
    web: { privateHosts: engine.settings.web.private_hosts, searchEndpoint: engine.webSearch },
  };
}

/** Throws `not_allowed` for a tool that reaches the workspace folder if that was replaced. Asks the person once. */
export async function checkFolder(run: Run, toolCallId: string, tool: Tool): Promise<void> {
  const { roots } = run.engine.workspaces;
  if (tool.permissions.length > 0 && (await roots.isReplaced(run.envelope.folder)))
    await refuseReplacedFolder(roots, await createToolContext(run, toolCallId, tool));
}

/** Returns the ids of the span that the telemetry sends when the call ends. */
function createCallSpan({ workflow, plan, ids }: Run, toolCallId: string): CallSpan {
  return {
    traceId: traceIdOf(workflow.runs.leadRunId),
    spanId: spanIdOf(ids.workflowId, ['tool', ids.runId, toolCallId, plan.attempt]),
  };
}

/** Returns the access to reports of other runs. A lead reads all. A sub-agent reads only those that its envelope allows. */
function reportsFor({ engine: { store }, envelope, isLead, ids }: Run): ToolContext['reports'] {
  const { conversationId, workflowId } = ids;
  const { folder } = envelope;
  return {
    past: async () => {
      if (isLead) return pastReports(store, folder);
      return envelope.seesReports ? reportsIn(store, workflowId) : [];
    },
    noteSessions: async () => (isLead ? noteSessions(store, { folder, conversationId }) : new Map()),
    read: async (of) => (isLead ? reportText(store, { conversationId, folder }, of) : null),
  };
}

/** Asks the person while a call runs. */
async function askDuring(
  run: Run,
  call: ParsedCall,
  question: Question,
  until?: AbortSignal,
): Promise<Approval | null> {
  const held = 'Only you can answer this';
  const asked = await ask(run, call, { ...question, held, during: true }, until);
  return asked ? asked.answered.finally(run.watchdog.hold()) : null;
}

/** Sends a request outside of the turns of the run. */
function sample(run: Run, { messages, ...wanted }: Sampled, signal: AbortSignal): Promise<SideAnswer> {
  const wire = messages.map(({ role, text }): WireMessage => ({ role, content: [{ type: 'text', text }] }));
  return sideRequest(run, { ...wanted, purpose: 'sampling', messages: wire, signal }, run.emit);
}

type Sampled = Parameters<ToolCallContext['sample']>[0];

function searchFor(run: Run): SearchContext {
  const { engine, signal } = run;
  const acquireThread = () => run.threads.acquire(signal);
  const searched = async (job: SearchJob, timeoutMs?: number) => {
    const ripgrep = job.kind === 'grep' ? await findRipgrep(engine.shell.env, job.workspace) : null;
    const searchOne = async (one: SearchJob) => {
      const release = await acquireThread();
      return search(one, signal, { timeoutMs, ripgrep }).finally(release);
    };
    const hybrid = job.kind === 'ranked' ? await engine.hybrid() : null;
    return job.kind === 'ranked' && hybrid ? hybrid.search(job, signal, searchOne) : searchOne(job);
  };
  return { acquireThread, run: searched, hidden: (tool, targets) => hiddenPaths(run, tool, targets) };
}

function keepFor({ workspaces: { changes } }: Engine, call: Call): FileContext['keep'] {
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
