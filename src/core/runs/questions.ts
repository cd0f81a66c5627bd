/** The questions of one run: what rules and grants say of a call, how it is put to the person, and what an answer may do. */
import type { Envelope } from '#contract/agent.ts';
import { type Approval, type ApprovalRequest, isAboutWorkspace, type Subject } from '#contract/approval.ts';
import { MAX_OPEN_QUESTIONS } from '#contract/limits.ts';
import type { Verdict, VerdictStep } from '#contract/permission.ts';
import { isSpawn, type SpawnSubject } from '#contract/spawn-items.ts';
import { hasHidden } from '#contract/visible-text.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { AskingRun, Ruling } from '../approvals/gate.ts';
import { grantFault } from '../approvals/grants.ts';
import { type Action, STEERING_ID } from '../approvals/judge.ts';
import { exactPattern, type Targets } from '../tools/targets.ts';
import { optionsOf } from '../approvals/policy.ts';
import { callDefaults, startedBy, startsOf, targetsOf } from './call-facts.ts';
import type { Engine } from './engine.ts';
import { TriadError } from '../base/errors.ts';
import { canonicalHash } from '../base/hash.ts';
import { newId } from '../base/ids.ts';
import { scopeOf } from './memory.ts';
import { problemWords } from '../base/problem-words.ts';
import { Semaphore } from '../base/semaphore.ts';
import type { ParsedCall, RunQuestions } from '../loop/run-context.ts';
import type { RunPlan } from './run-plan.ts';
import type { Question } from '../tools/question.ts';
import type { Tool } from '../tools/tool.ts';
import { withFacts } from './spawn-facts.ts';
import { storeAllowedTexts } from './text-sources.ts';
import { workspaceFor } from './workspace-of.ts';
import type { WorkflowScope } from './workflow-scope.ts';
import { asked } from '../tools/asked.ts';

interface Parts {
  engine: Engine;
  workflow: Pick<WorkflowScope, 'approve' | 'agents' | 'limits'>;
  plan: RunPlan;
  signal: AbortSignal;
  /** Has the run that asks say more about a question. */
  readonly explain: (approval: Approval, signal: AbortSignal) => Promise<string>;
}

export function questionsOf(run: Parts): RunQuestions {
  const { engine } = run;
  const { gate, permissions } = engine;
  const slots = new Semaphore(MAX_OPEN_QUESTIONS);
  return {
    ask: async (call, asked, signal) => {
      const parts = signal ? { ...run, signal: AbortSignal.any([run.signal, signal]) } : run;
      const actions = await actionsOf(parts, call, asked);
      const slot = slots.tryAcquire();
      if (slot || !(await needsPerson(parts, asked, actions))) return put(parts, call, asked, actions, slot);
      // Stored only when it is asked: until then, whatever ends the run, the call alone is what there is of it.
      const queued = slots.acquire(parts.signal).then((free) => put(parts, call, asked, actions, free));
      return { answered: queued.then((known) => known?.answered ?? null) };
    },
    askAgain: async (call, approval) => {
      const actions = await actionsOf(run, call, approval.request);
      const isOpen = approval.decisions.includes(null);
      // What was asked stays a question: only what must not be is decided meanwhile.
      const verdicts = isOpen ? await Promise.all(actions.map((action) => permissions.explain(action))) : [];
      const denials = verdicts.map((verdict) => (verdict.effect === 'deny' ? verdict : null));
      const known = { actions, verdicts: denials };
      const release = isOpen ? slots.tryAcquire() : null;
      const answered = rememberTexts(engine, gate.askAgain(approval, asking(run, call, approval.request, known)));
      return { answered: answered.finally(() => release?.()) };
    },
    ...toolQuestionsOf(run),
    hidden: async (tool, targets) => {
      const of = (name: string) => actionOf(run, engine.tools.get(name), name, targets, null);
      return permissions.hidden(of(tool), of(READING));
    },
  };
}

export type ToolQuestions = Pick<RunQuestions, 'mayBeAllowed' | 'needsNobody'>;

/** What rules, grants and the mode say of tools before anything is called; also of a run that has ended. */
export function toolQuestionsOf(run: {
  engine: Pick<Engine, 'permissions'>;
  workflow: Pick<WorkflowScope, 'approve'>;
  plan: Asker;
}): ToolQuestions {
  const { permissions } = run.engine;
  return {
    mayBeAllowed: async (tool) => {
      if (run.workflow.approve !== 'none') return true;
      return permissions.mayAllow(actionOf(run, tool, tool.name, null, { risk: 'medium', reversible: true }));
    },
    needsNobody: async (tool) => {
      // Targets that nobody knows: what denies or asks applies whatever its pattern, and what allows must have none.
      const { effect } = await permissions.explain(actionOf(run, tool, tool.name, null, null));
      return effect === 'allow' || (effect === 'ask' && run.workflow.approve === 'all');
    },
  };
}

/** Judges the call, counts what allows it, and asks where that is needed; null where it may go on unasked. `release` is called with the answer. */
async function put(
  parts: Parts,
  call: ParsedCall,
  asked: Question | null,
  actions: readonly Action[],
  release: (() => void) | null,
): ReturnType<RunQuestions['ask']> {
  const { engine, plan } = parts;
  const verdicts: Verdict[] = [];
  try {
    for (const action of actions)
      verdicts.push(await engine.permissions.decide(action, (payload) => plan.recorder.record(payload)));
    if ((asked && asked.idle === undefined) || !verdicts.every(isPlain)) {
      const request = requestOf(parts, call, await questionFor(parts, call, asked, verdicts), { actions, verdicts });
      const answered = rememberTexts(
        engine,
        engine.gate.ask(request, asking(parts, call, request, { actions, verdicts })),
      );
      return { answered: answered.finally(() => release?.()) };
    }
  } catch (error) {
    release?.();
    throw error;
  }
  release?.();
  return null;
}

/** Stores the texts that the person allows, so that they need not read them again in this workspace. Work does not wait for it. */
async function rememberTexts({ trust }: Pick<Engine, 'trust'>, answered: Promise<Approval>): Promise<Approval> {
  const approval = await answered;
  void storeAllowedTexts(trust.allowedTexts, approval);
  return approval;
}

/** Whether a question about the call would stay open until somebody answers it; counts nothing. */
async function needsPerson(
  { engine, workflow }: Parts,
  asked: Question | null,
  actions: readonly Action[],
): Promise<boolean> {
  if (workflow.approve !== 'ask') return false;
  const verdicts = await Promise.all(actions.map((action) => engine.permissions.explain(action)));
  return verdicts.some((verdict) => !isKnown(asked?.subject.kind, verdict) || rulingOf(verdict) === null);
}

/** Reads one file whole: what rules deny to it, no other tool shows. */
const READING = 'read_file';

/** Nothing wanted it to be asked about. Where something did, what allowed it is recorded like any answer. */
function isPlain({ effect, steps }: Verdict): boolean {
  return effect === 'allow' && steps.every((step) => step.effect !== 'ask');
}

/** As it is put to the person: with what follows from rules, grants and the files that it is about. */
function questionFor(
  parts: Parts,
  call: ParsedCall,
  asked: Question | null,
  verdicts: readonly Verdict[],
): Question | Promise<Question> {
  const question = asked ?? plainQuestion(call, parts.plan);
  const steering = verdicts.flatMap(({ steps }) => steps).find(({ id }) => id === STEERING_ID);
  if (steering) return withWarning(question, steering);
  const actionsOfTools = (tools: readonly Tool[]) => tools.map((tool) => actionOf(parts, tool, tool.name, null, null));
  const isForPerson = parts.workflow.approve === 'ask' && verdicts.some((verdict) => rulingOf(verdict) === null);
  return withFacts(parts, question, { callsOf: actionsOfTools, isForPerson });
}

/** So grave that no answer in time is never a yes, whatever the settings say. */
function withWarning(question: Question, { text, says: why }: VerdictStep): Question {
  const { title, description } = question.says;
  const says = { title, description: [...description, ...(why ? [why] : [])] };
  return { ...question, description: `${question.description}. ${text}`, says, risk: 'high' };
}

/** What of a question decides how its call is judged. */
type Asked = Pick<Question, 'risk' | 'reversible' | 'nameable' | 'held' | 'idle'>;

/** One for each item that is answered alone. */
async function actionsOf(
  parts: Parts,
  { tool, input }: ParsedCall,
  question: (Asked & Pick<Question, 'subject'>) | null,
): Promise<Action[]> {
  if (question && isSpawn(question.subject)) {
    const { items, operation } = question.subject;
    return items.map(({ envelope }) =>
      actionOf(parts, tool, tool.name, startedBy(envelope, operation === 'spawn'), question),
    );
  }
  const { engine, plan } = parts;
  const workspace = await workspaceFor(tool, engine, plan.envelope.folder, plan.kind === 'lead');
  const isAboutCall = !isAboutWorkspace(question?.subject.kind);
  const targets = isAboutCall ? await targetsOf(tool, input, workspace, question?.subject) : null;
  return [actionOf(parts, tool, tool.name, targets, question)];
}

type Asker = Pick<RunPlan, 'kind' | 'envelope'> & { recorder: Pick<RunPlan['recorder'], 'ids'> };

/** The start of one sub-agent by a tool, as rules judge it before it is asked about. */
export function startAction(
  plan: Asker,
  known: Tool | undefined,
  { tool, envelope }: { tool: 'spawn_agent' | 'delegate_task'; envelope: Envelope },
): Action {
  const asked = { risk: 'medium', reversible: true } as const;
  return actionOf({ plan }, known, tool, startedBy(envelope, tool === 'spawn_agent'), asked);
}

function actionOf(
  { plan }: { plan: Asker },
  tool: Pick<Tool, 'permissions' | 'like' | 'server' | 'startsAgents'> | undefined,
  name: string,
  targets: Targets,
  question: Asked | null,
): Action {
  const { conversationId, workflowId, agent } = plan.recorder.ids;
  const { folder, requiresApproval, approvalMode: mode } = plan.envelope;
  const permissions = tool?.permissions ?? [];
  return {
    agent,
    scope: scopeOf(agent, plan.kind),
    tool: name,
    like: tool?.like,
    server: tool?.server,
    permissions,
    targets,
    folder,
    conversationId,
    workflowId,
    requires: requiresApproval ?? [],
    ceiling: null,
    starts: startsOf(tool, targets),
    held: question?.held ?? null,
    mode,
    ...callDefaults(permissions, question),
  };
}

/** For a call that nothing but a rule wants to be asked about. */
function plainQuestion({ tool, input }: ParsedCall, { envelope: { folder } }: RunPlan): Question {
  return {
    ...asked(phrase('use', { tool: tool.name }), [phrase('rule_wants')]),
    subject: {
      kind: 'tool',
      tool: tool.name,
      input,
      folder,
      preview: null,
      hash: canonicalHash({ tool: tool.name, input }),
    },
    risk: 'low',
    reversible: true,
  };
}

function requestOf(
  { engine, workflow, plan }: Parts,
  call: ParsedCall,
  question: Question,
  { actions, verdicts }: { actions: readonly Action[]; verdicts: readonly Verdict[] },
): ApprovalRequest {
  const { conversationId, workflowId, runId, agent } = plan.recorder.ids;
  const grant = offerOf(question, actions);
  const { nameable: _, grantPattern: __, held: ___, idle: ____, ...shown } = question;
  const remainingMs = plan.envelope.approvalTimeoutMs ?? workflow.limits().approval_seconds * 1000;
  return {
    id: newId(),
    conversationId,
    workflowId,
    runId,
    toolCallId: call.id,
    agent,
    chain: plan.chain,
    ...shown,
    options: optionsOf(grant),
    ...(question.subject.kind === 'questions' || isAboutWorkspace(question.subject.kind)
      ? {}
      : { why: verdicts.flatMap(({ steps }) => steps.slice(0, 1)) }),
    ...(grant ? { grant } : {}),
    ...(isLateYes(engine.settings, question, remainingMs) ? { onTimeout: 'approve' as const } : {}),
    remainingMs,
    at: new Date().toISOString(),
  };
}

/**
 * Silence is a yes only after the whole time that the person set: where a file of an agent or a project shortens it, it is a
 * no, and where only they may answer.
 */
function isLateYes(
  { approvals, limits }: Engine['settings'],
  { risk, reversible, held }: Question,
  remainingMs: number,
): boolean {
  const isWhole = remainingMs >= limits.approval_seconds * 1000;
  return approvals.on_timeout === 'approve' && isWhole && risk !== 'high' && reversible && held === undefined;
}

/**
 * Nothing whose content cannot be shown as it is (too large, no text, or with characters that stand as marks), nor who
 * would start with any prompt: a temporary agent, or a batch. What a temporary agent does can be granted while its name
 * means the same: not for always.
 */
function offerOf(
  { subject, reversible, nameable, grantPattern, held }: Question,
  [action, ...others]: readonly Action[],
): ApprovalRequest['grant'] {
  const target = action?.targets?.values[0] ?? action?.targets?.whole ?? undefined;
  if (!action || others.length > 0 || !(reversible || nameable) || held || target === undefined) return undefined;
  if (isSpawn(subject) && subject.operation !== 'delegate') return undefined;
  if (subject.kind === 'tool' && subject.preview?.whole === false) return undefined;
  if (stringsOf([action.scope, action.folder, action.targets, subject]).some(hasHidden)) return undefined;
  const { scope: agent, tool, targets } = action;
  const pattern = grantPattern ?? exactPattern(targets);
  if (pattern === null || grantFault(pattern, targets) !== null) return undefined;
  const isTemporary = agent !== action.agent;
  const scopes = ['workflow', 'conversation', ...(isTemporary ? [] : (['project'] as const))] as const;
  return { agent, tool, pattern, scopes: [...scopes] };
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...stringsOf(one)]);
}

function asking(
  parts: Parts,
  call: ParsedCall,
  request: ApprovalRequest,
  { actions, verdicts }: { actions: readonly Action[]; verdicts: readonly (Verdict | null)[] },
): AskingRun {
  const { engine, workflow, plan, signal, explain } = parts;
  const { subject } = request;
  const { folder } = plan.envelope;
  const record: AskingRun['record'] = (payload) => plan.recorder.record(payload);
  return {
    policy: workflow.approve,
    signal,
    record,
    explain,
    // No rule answers a question of an agent, except one that denies its tool.
    rulings: verdicts.map((verdict) => (isKnown(subject.kind, verdict) ? rulingOf(verdict) : null)),
    grant: (wish) => {
      const { grants } = engine.permissions;
      const { targets = null, server } = actions[0] ?? {};
      const { ids } = plan.recorder;
      const source = { offer: request.grant, targets, server, folder, ids, approvalId: request.id };
      const grant = grants.newGrant(wish, source);
      return () => grants.give(grant, record);
    },
    revalidate: (item, value) =>
      isSpawn(subject) ? editedEnvelope(parts, subject, item, value) : editedInput(parts, call.tool, request, value),
  };
}

function isKnown(kind: Subject['kind'] | undefined, verdict: Verdict | null): boolean {
  if (isAboutWorkspace(kind)) return false;
  return kind !== 'questions' || verdict?.effect === 'deny';
}

function rulingOf(verdict: Verdict | null): Ruling | null {
  if (!verdict || verdict.effect === 'ask') return null;
  const allowed = verdict.effect === 'allow';
  return { allowed, ruleId: verdict.ruleId, reason: allowed ? null : verdict.reason };
}

async function editedEnvelope(
  { engine, plan, workflow }: Parts,
  { items }: SpawnSubject,
  item: number,
  value: unknown,
): Promise<{ value: unknown; hash: string }> {
  const asked = items[item]?.envelope;
  if (!asked) throw new TriadError('bad_input', `The question has no item ${item}`);
  return engine.envelopes.edited(value, asked, plan.envelope, workflow.limits());
}

/** A rule that denies what it became denies it here too. */
async function editedInput(
  parts: Parts,
  tool: Tool,
  request: ApprovalRequest,
  value: unknown,
): Promise<{ value: unknown; hash: string }> {
  if (request.subject.kind === 'questions')
    throw new TriadError('bad_input', 'Questions are answered with replies: they cannot be changed');
  const parsed = tool.input.safeParse(value, { error: problemWords });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = issue?.path.map(String).join('.') || tool.name;
    throw new TriadError('bad_input', `The edited arguments do not fit: ${name} ${issue?.message}`);
  }
  const input: unknown = parsed.data;
  for (const action of await actionsOf(parts, { id: request.toolCallId, tool, input }, request)) {
    const { effect, reason } = await parts.engine.permissions.explain(action);
    if (effect === 'deny') throw new TriadError('not_allowed', reason);
  }
  return { value: input, hash: canonicalHash({ tool: tool.name, input }) };
}
