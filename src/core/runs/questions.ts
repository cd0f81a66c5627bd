/** The questions of one run: judges its calls by rules and grants, asks the person, and checks the answers. */
import type { Envelope } from '#contract/agent.ts';
import { type Approval, type ApprovalRequest, isAboutWorkspace, type Subject } from '#contract/approval.ts';
import type { GrantRequest, Verdict, VerdictStep } from '#contract/permission.ts';
import { isSpawn, type SpawnSubject } from '#contract/spawn-items.ts';
import { hasHidden } from '#contract/visible-text.ts';
import { phrase } from '#contract/approvals/phrases.ts';
import type { AskingRun, Ruling } from '#core/approvals/gate.ts';
import { grantFault } from '#core/approvals/grants.ts';
import { type Action, STEERING_ID } from '#core/approvals/judge.ts';
import { exactPattern, type Targets } from '#core/tools/targets.ts';
import { optionsOf } from '#core/approvals/policy.ts';
import { startedBy, targetsOf } from './call-facts.ts';
import type { Run } from './run.ts';
import type { Settings } from '#core/settings/settings.ts';
import type { Payload } from '#core/store/log/recorder.ts';
import type { DurableEvent } from '#contract/event.ts';
import { TriadError } from '#core/base/errors.ts';
import { canonicalHash } from '#core/base/hash.ts';
import { newId } from '#core/base/ids.ts';
import { problemWords } from '#core/base/problem-words.ts';
import { sayMore } from './loop/say-more.ts';
import type { RunPlan } from './run-plan.ts';
import type { Question } from '#core/tools/question.ts';
import type { Tool } from '#core/tools/tool.ts';
import { withFacts } from './spawn-facts.ts';
import { storeAllowedTexts } from './text-sources.ts';
import { workspaceFor } from './workspace-of.ts';
import { createAction, type QuestionTraits, type AskerPlan } from './tool-verdicts.ts';
import { asked } from '#core/tools/asked.ts';

/** A call with valid arguments. */
export interface ParsedCall {
  id: string;
  tool: Tool;
  input: unknown;
}

/** A question to the person. `answered` settles when all items are answered; null if no answer was needed in the end. */
interface PendingQuestion {
  answered: Promise<Approval | null>;
}

/**
 * Judges the call, and asks the person if necessary; null if the call needs no answer. A question beyond
 * `MAX_OPEN_QUESTIONS` waits in a queue. It is judged again when its turn comes. `signal`: withdraws the question, like the
 * signal of the run.
 */
export async function ask(
  run: Run,
  call: ParsedCall,
  question: Question | null,
  signal = run.signal,
): Promise<PendingQuestion | null> {
  if (run.children?.startsNothing(call.id)) return null;
  const until = signal === run.signal ? signal : AbortSignal.any([run.signal, signal]);
  const judged: JudgedCall = { call, question, actions: await listActions(run, call, question), signal: until };
  const slot = run.questionSlots.tryAcquire();
  if (slot || !(await needsPerson(run, judged))) return judge(run, judged, slot);
  // The question is stored only when it is asked. If the run ends before, only the call is stored.
  const queued = run.questionSlots.acquire(until).then((free) => judge(run, judged, free));
  return { answered: queued.then((known) => known?.answered ?? null) };
}

/** Continues a question that was stored before a restart. */
export async function askAgain(run: Run, call: ParsedCall, approval: Approval): Promise<PendingQuestion> {
  const { gate, permissions } = run.engine;
  const actions = await listActions(run, call, approval.request);
  const isOpen = approval.decisions.includes(null);
  // An open question stays open, except if a rule denies the call now.
  const verdicts = isOpen ? await Promise.all(actions.map((action) => permissions.explain(action))) : [];
  const denials = verdicts.map((verdict) => (verdict.effect === 'deny' ? verdict : null));
  const release = isOpen ? run.questionSlots.tryAcquire() : null;
  const asking = new AskedCall(run, { call, actions, signal: run.signal }, approval.request, denials);
  const answered = rememberTexts(run, gate.askAgain(approval, asking));
  return { answered: answered.finally(() => release?.()) };
}

/** Returns the patterns of paths that a search skips. */
export function hiddenPaths({ engine, plan }: Run, tool: string, targets: Targets): Promise<readonly string[]> {
  const of = (name: string) => createAction(plan, engine.tools.get(name), name, targets, null);
  return engine.permissions.hidden(of(tool), of(READ_TOOL));
}

/** A call that is judged. `question`: the question of its tool; null if the tool asks none. */
interface JudgedCall {
  call: ParsedCall;
  question: Question | null;
  /** One action for each item that is answered separately. */
  actions: readonly Action[];
  signal: AbortSignal;
}

/**
 * Judges the call, counts the use of the rule or grant that allows it, and asks the person if necessary; null if the call
 * needs no answer. Calls `release` when the question is answered.
 */
async function judge(run: Run, judged: JudgedCall, release: (() => void) | null): Promise<PendingQuestion | null> {
  const { engine, recorder } = run;
  const { question, actions } = judged;
  const verdicts: Verdict[] = [];
  try {
    for (const action of actions)
      verdicts.push(await engine.permissions.decide(action, (payload) => recorder.record(payload)));
    if ((question && question.idle === undefined) || !verdicts.every(isAllowedPlainly)) {
      const request = createRequest(run, judged, await createQuestion(run, judged, verdicts), verdicts);
      const answered = rememberTexts(run, engine.gate.ask(request, new AskedCall(run, judged, request, verdicts)));
      return { answered: answered.finally(() => release?.()) };
    }
  } catch (error) {
    release?.();
    throw error;
  }
  release?.();
  return null;
}

/** Stores the texts that the person allows, so that they need not read them again in this workspace. The run does not wait. */
async function rememberTexts({ engine }: Run, answered: Promise<Approval>): Promise<Approval> {
  const approval = await answered;
  void storeAllowedTexts(engine.trust.allowedTexts, approval);
  return approval;
}

/** Returns true if a person would have to answer a question about the call. Counts no use of rules or grants. */
async function needsPerson({ engine, workflow }: Run, { question, actions }: JudgedCall): Promise<boolean> {
  if (workflow.approve !== 'ask') return false;
  const verdicts = await Promise.all(actions.map((action) => engine.permissions.explain(action)));
  return verdicts.some((verdict) => !canRuleAnswer(question?.subject.kind, verdict) || getRuling(verdict) === null);
}

/** The tool that reads one file. A path that rules deny to this tool is hidden from searches too. */
const READ_TOOL = 'read_file';

/** Returns true if no step asked for a question. If one did, the rule or grant that allowed the call is recorded as an answer. */
function isAllowedPlainly({ effect, steps }: Verdict): boolean {
  return effect === 'allow' && steps.every((step) => step.effect !== 'ask');
}

/** Returns the question to the person, with additions from rules, grants and the files that it concerns. */
function createQuestion(
  run: Run,
  { call, question: wanted }: JudgedCall,
  verdicts: readonly Verdict[],
): Question | Promise<Question> {
  const question = wanted ?? createPlainQuestion(call, run.plan);
  const steering = verdicts.flatMap(({ steps }) => steps).find(({ id }) => id === STEERING_ID);
  if (steering) return withWarning(question, steering);
  const listToolActions = (tools: readonly Tool[]) =>
    tools.map((tool) => createAction(run.plan, tool, tool.name, null, null));
  const isForPerson = run.workflow.approve === 'ask' && verdicts.some((verdict) => getRuling(verdict) === null);
  return withFacts(run, question, { callsOf: listToolActions, isForPerson });
}

/** Adds a warning and a high risk. With a high risk, a timeout always rejects, whatever `on_timeout` says. */
function withWarning(question: Question, { text, says: why }: VerdictStep): Question {
  const { title, description } = question.says;
  const says = { title, description: [...description, ...(why ? [why] : [])] };
  return { ...question, description: `${question.description}. ${text}`, says, risk: 'high' };
}

/** Returns one action for each item that is answered separately. */
async function listActions(
  { engine, plan, isLead }: Run,
  { tool, input }: ParsedCall,
  question: (QuestionTraits & Pick<Question, 'subject'>) | null,
): Promise<Action[]> {
  if (question && isSpawn(question.subject)) {
    const { items, operation } = question.subject;
    return items.map(({ envelope }) =>
      createAction(plan, tool, tool.name, startedBy(envelope, operation === 'spawn'), question),
    );
  }
  const workspace = await workspaceFor(tool, engine, plan.envelope.folder, isLead);
  const isAboutCall = !isAboutWorkspace(question?.subject.kind);
  const targets = isAboutCall ? await targetsOf(tool, input, workspace, question?.subject) : null;
  return [createAction(plan, tool, tool.name, targets, question)];
}

/** Returns the action of starting a sub-agent, as rules judge it before the question. */
export function startAction(
  plan: AskerPlan,
  known: Tool | undefined,
  { tool, isTemporary, envelope }: { tool: string; isTemporary: boolean; envelope: Envelope },
): Action {
  const asked = { risk: 'medium', reversible: true } as const;
  return createAction(plan, known, tool, startedBy(envelope, isTemporary), asked);
}

/** Returns the question about a call that only a rule asks about. */
function createPlainQuestion({ tool, input }: ParsedCall, { envelope: { folder } }: RunPlan): Question {
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

function createRequest(
  { engine, workflow, plan }: Run,
  { call, actions }: JudgedCall,
  question: Question,
  verdicts: readonly Verdict[],
): ApprovalRequest {
  const { conversationId, workflowId, runId, agent } = plan.recorder.ids;
  const grant = createGrantOffer(question, actions);
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
    ...(allowsOnTimeout(engine.settings, question, remainingMs) ? { onTimeout: 'approve' as const } : {}),
    remainingMs,
    at: new Date().toISOString(),
  };
}

/**
 * Returns true if a timeout allows the call. A timeout rejects if a file of an agent or a project shortened the time, or if
 * only a person may answer.
 */
function allowsOnTimeout(
  { approvals, limits }: Settings,
  { risk, reversible, held }: Question,
  remainingMs: number,
): boolean {
  const isWhole = remainingMs >= limits.approval_seconds * 1000;
  return approvals.on_timeout === 'approve' && isWhole && risk !== 'high' && reversible && held === undefined;
}

/**
 * Returns the grant that the question offers; undefined for none. It offers none if the content cannot be shown exactly:
 * it is too large, no text, or has hidden characters. It offers none for the start of temporary agents, or of a batch. A
 * grant for a temporary agent lasts at most as long as the conversation, because its name can mean another agent later.
 */
function createGrantOffer(
  { subject, reversible, nameable, grantPattern, held }: Question,
  [action, ...others]: readonly Action[],
): ApprovalRequest['grant'] {
  const target = action?.targets?.values[0] ?? action?.targets?.whole ?? undefined;
  if (!action || others.length > 0 || !(reversible || nameable) || held || target === undefined) return undefined;
  if (isSpawn(subject) && subject.operation !== 'delegate') return undefined;
  if (subject.kind === 'tool' && subject.preview?.whole === false) return undefined;
  if (listStrings([action.scope, action.folder, action.targets, subject]).some(hasHidden)) return undefined;
  const { scope: agent, tool, targets } = action;
  const pattern = grantPattern ?? exactPattern(targets);
  if (pattern === null || grantFault(pattern, targets) !== null) return undefined;
  const isTemporary = agent !== action.agent;
  const scopes = ['workflow', 'conversation', ...(isTemporary ? [] : (['project'] as const))] as const;
  return { agent, tool, pattern, scopes: [...scopes] };
}

function listStrings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => [key, ...listStrings(one)]);
}

/** The call of an open question, with the effects of its answers. */
class AskedCall implements AskingRun {
  readonly policy: AskingRun['policy'];
  readonly signal: AbortSignal;
  readonly rulings: AskingRun['rulings'];
  readonly #run: Run;
  readonly #judged: Pick<JudgedCall, 'call' | 'actions'>;
  readonly #request: ApprovalRequest;

  constructor(
    run: Run,
    judged: Pick<JudgedCall, 'call' | 'actions' | 'signal'>,
    request: ApprovalRequest,
    verdicts: readonly (Verdict | null)[],
  ) {
    this.#run = run;
    this.#judged = judged;
    this.#request = request;
    this.policy = run.workflow.approve;
    this.signal = judged.signal;
    // A rule answers no question of an agent, unless it denies the tool.
    this.rulings = verdicts.map((verdict) =>
      canRuleAnswer(request.subject.kind, verdict) ? getRuling(verdict) : null,
    );
  }

  record(payload: Payload): Promise<DurableEvent> {
    return this.#run.recorder.record(payload);
  }

  /** Requests more details about the question from the agent. */
  explain(approval: Approval, stop: AbortSignal): Promise<string> {
    return sayMore(this.#run, approval, AbortSignal.any([this.signal, stop]), this.#run.emit);
  }

  grant(wish: GrantRequest): () => void {
    const { grants } = this.#run.engine.permissions;
    const { targets = null, server } = this.#judged.actions[0] ?? {};
    const { grant: offer, id: approvalId } = this.#request;
    const { folder } = this.#run.envelope;
    const grant = grants.newGrant(wish, { offer, targets, server, folder, ids: this.#run.ids, approvalId });
    return () => grants.give(grant, (payload) => this.record(payload));
  }

  revalidate(item: number, value: unknown): Promise<{ value: unknown; hash: string }> {
    const { subject } = this.#request;
    return isSpawn(subject)
      ? editedEnvelope(this.#run, subject, item, value)
      : editedInput(this.#run, this.#judged.call.tool, this.#request, value);
  }
}

function canRuleAnswer(kind: Subject['kind'] | undefined, verdict: Verdict | null): boolean {
  if (isAboutWorkspace(kind)) return false;
  return kind !== 'questions' || verdict?.effect === 'deny';
}

function getRuling(verdict: Verdict | null): Ruling | null {
  if (!verdict || verdict.effect === 'ask') return null;
  const allowed = verdict.effect === 'allow';
  return { allowed, ruleId: verdict.ruleId, reason: allowed ? null : verdict.reason };
}

async function editedEnvelope(
  { engine, plan, workflow }: Run,
  { items }: SpawnSubject,
  item: number,
  value: unknown,
): Promise<{ value: unknown; hash: string }> {
  const asked = items[item]?.envelope;
  if (!asked) throw new TriadError('bad_input', `The question has no item ${item}`);
  return engine.envelopes.edited(value, asked, plan.envelope, workflow.limits());
}

/** Checks edited arguments. Throws `not_allowed` if a rule denies the edited call. */
async function editedInput(
  run: Run,
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
  for (const action of await listActions(run, { id: request.toolCallId, tool, input }, request)) {
    const { effect, reason } = await run.engine.permissions.explain(action);
    if (effect === 'deny') throw new TriadError('not_allowed', reason);
  }
  return { value: input, hash: canonicalHash({ tool: tool.name, input }) };
}
