/** A call of the past as rules and grants would see it now. Reads what is there, and asks, runs and writes nothing. */
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { Subject } from '#contract/approval.ts';
import type { UntoldCall } from '#contract/permissions/rule-edit.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import type { Action } from '../approvals/judge.ts';
import { TriadError } from '../base/errors.ts';
import type { Targets } from '../tools/targets.ts';
import type { Tool } from '../tools/tool.ts';
import type { Lending } from '../workspace/lent/lenders.ts';
import type { Workspace } from '../workspace/reach.ts';
import { type Asks, type Parts, type ParsedCall, questionOf, withKept, withServing } from './explain.ts';
import { scopeOf } from './memory.ts';
import type { PastCall } from './past-calls.ts';
import { callDefaults, startedBy, startsOf, targetsOf } from './call-facts.ts';
import { workspaceOf } from './workspace-of.ts';

export interface PastAction {
  action: Action;
  /** Which of several that one call asks for. */
  item: number;
  /** What an agent wants to know always comes to the person. */
  alwaysPut: boolean;
}

type Found = PastAction[] | UntoldCall['why'];
type Known = Asks & { isQuestion: boolean };

/** One for each thing that is decided alone, as where it was made; or why nobody can tell. */
export async function pastActions(parts: Parts, past: PastCall, folder: string): Promise<Found> {
  const { run, call, approval } = past;
  const tools = withKept(parts, run);
  const tool = tools.get(call.name);
  if (!tool) return 'tool';
  const parsed = call.malformed === undefined ? tool.input.safeParse(call.input) : null;
  if (!parsed?.success) return 'arguments';
  const base = actionOn(past, tool, folder);
  const subject = approval?.request.subject;
  if (approval && subject && isSpawn(subject)) {
    const { operation, items } = subject;
    return items.map(({ envelope }, item) => {
      const targets = startedBy(envelope, operation === 'spawn');
      return {
        action: {
          ...base,
          targets,
          starts: startsOf(tool, targets),
          ...callDefaults(tool.permissions, approval.request),
        },
        item,
        alwaysPut: false,
      };
    });
  }
  try {
    const workspace = await workspaceOf(parts, folder, run.parentRunId === null);
    const targets = await targetsOf(tool, parsed.data, workspace, subject);
    const known = await knownOf(parts, past, { tool, input: parsed.data, isSample: false }, { targets, workspace });
    const started = tool.startsAgents ? withServing(targets, await parts.agents.of(folder)) : targets;
    const held = known?.held ?? null;
    const starts = startsOf(tool, started);
    const action = { ...base, targets: started, starts, held, ...callDefaults(tool.permissions, known) };
    return [{ action, item: 0, alwaysPut: known?.isQuestion ?? false }];
  } catch (error) {
    if (!(error instanceof TriadError)) throw error;
    return error.code === 'not_allowed' ? 'refused' : 'gone';
  }
}

function actionOn({ run, conversationId }: PastCall, tool: Tool, folder: string): Action {
  const { agent, kind, workflowId, envelope } = run;
  return {
    agent,
    scope: scopeOf(agent, kind),
    tool: tool.name,
    like: tool.like,
    server: tool.server,
    permissions: tool.permissions,
    targets: null,
    folder,
    conversationId,
    workflowId,
    requires: envelope.requiresApproval ?? [],
    ceiling: null,
    starts: null,
    held: null,
    mode: envelope.approvalMode,
    ...callDefaults(tool.permissions, null),
  };
}

/**
 * How its call stood. What was asked about says so, for what was done since would have it look otherwise: a file that was
 * written is there already. Throws where only what is gone could say it.
 */
async function knownOf(
  parts: Parts,
  { approval, conversationId }: PastCall,
  call: ParsedCall,
  { targets, workspace }: { targets: Targets; workspace: Workspace },
): Promise<Known | null> {
  const lent: Lending = (kind) => parts.lenders.of(conversationId, kind);
  const now = () => questionOf(parts, call, { targets, workspace, lent });
  if (!approval) {
    const question = await now();
    return question && { ...question, isQuestion: question.subject?.kind === 'questions' };
  }
  const { risk, reversible, subject, says } = approval.request;
  // Only a rule required approval.
  if (!call.tool.question || says?.description.some(({ key }) => key === 'rule_wants')) return null;
  const keys = subject.kind === 'tool' && subject.keys ? { held: sentenceOf(phrase('keys_for_person')) } : {};
  const stood = { risk, reversible, isQuestion: subject.kind === 'questions', ...keys, ...idleIn(subject) };
  // Of what can be undone only a server may say more: that it is not what the person knows.
  if (stood.isQuestion || (reversible && call.tool.server === undefined)) return stood;
  const question = await now();
  if (!question) return null;
  const { nameable, held } = question;
  return { ...stood, ...(nameable ? { nameable } : {}), ...(held === undefined ? {} : { held }) };
}

/** It would have left the file as it was. */
function idleIn(subject: Subject): Pick<Asks, 'idle'> {
  const preview = subject.kind === 'tool' ? subject.preview : null;
  const changes =
    !preview || preview.created || preview.deleted || preview.added + preview.removed > 0 || preview.whole === false;
  return changes ? {} : { idle: preview.path };
}
