/** Explains what would become of a call: the verdict with all that made it. Nothing is asked, run or counted. */
import type { z } from 'zod';
import type { Verdict } from '#contract/permission.ts';
import type { Engine } from './engine.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import { TriadError } from '../base/errors.ts';
import { patternOf } from '../base/pattern.ts';
import { problemWords } from '../base/problem-words.ts';
import { callDefaults, startsOf, targetsOf } from './call-facts.ts';
import { keptAccess } from '../mcp/look.ts';
import { mcpTools } from '../mcp/mcp-tool.ts';
import type { Question } from '../tools/question.ts';
import type { ToolRegistry } from '../tools/registry.ts';
import type { QuestionContext, Tool } from '../tools/tool.ts';
import { type Actor, actorOf, type Asked } from './actor.ts';
import { type Action, alwaysPut, invalidCallVerdict } from '../approvals/judge.ts';
import { rulePatternFault } from '../approvals/rule-checks.ts';
import type { RuleSet } from '../approvals/rule-files.ts';
import { exactPattern, type Targets, selectTarget } from '../tools/targets.ts';
import type { Lending } from '../workspace/lent/lenders.ts';
import type { Workspace } from '../workspace/reach.ts';
import { servingNames } from './serving.ts';
import { workspaceOf } from './workspace-of.ts';

export type Parts = Pick<
  Engine,
  | 'webSearch'
  | 'agents'
  | 'envelopes'
  | 'lenders'
  | 'mcp'
  | 'permissions'
  | 'settings'
  | 'tools'
  | 'store'
  | 'own'
  | 'workspaces'
>;

type Call = Asked & { tool: string; input: unknown };

/** Rejects with `not_found` for an unknown agent or tool, with `bad_input` for arguments that do not fit: that is no call. */
export async function explain(parts: Parts, asked: Call): Promise<Verdict> {
  const actor = await actorOf(parts, asked).catch(denied);
  const tools = 'steps' in actor ? parts.tools : withKept(parts, actor);
  const call = parsedCall({ ...parts, tools }, asked);
  if ('steps' in actor) return actor;
  return verdictOn({ ...parts, tools }, asked, actor, call).catch((error: unknown) => {
    if (error instanceof TriadError) return invalidCallVerdict(error.message);
    throw error;
  });
}

/** An agent that may not be started as it is defined. */
function denied(error: unknown): Verdict {
  if (error instanceof TriadError && error.code === 'not_allowed') return invalidCallVerdict(error.message);
  throw error;
}

/** With the tools of the agent's MCP servers as they were last heard. */
export function withKept({ tools, mcp }: Parts, { envelope }: Pick<Actor, 'envelope'>): ToolRegistry {
  return tools.with(mcpTools(envelope.mcp ?? [], keptAccess(mcp.listings)));
}

export interface ParsedCall {
  tool: Tool;
  input: unknown;
  /** Arguments that nobody gave stand in it. */
  isSample: boolean;
}

function parsedCall({ tools }: Parts, asked: Call): ParsedCall {
  const tool = tools.get(asked.tool);
  if (!tool) {
    const known = tools.names(true).join(', ');
    throw new TriadError('not_found', `There is no tool "${asked.tool}". There are: ${known}`);
  }
  const parsed = tool.input.safeParse(asked.input, { error: problemWords });
  if (parsed.success) return { tool, input: parsed.data, isSample: false };
  // What no rule is about may be left out; whatever else does not fit is told.
  const given = Object(asked.input) as Record<string, unknown>;
  const isSaid = Object.keys(given).length > 0;
  const filled = tool.sample && isSaid ? tool.input.safeParse({ ...tool.sample.input, ...given }) : null;
  if (filled?.success) return { tool, input: filled.data, isSample: true };
  throw new TriadError('bad_input', `${tool.name}${misfit(asked.input, parsed.error.issues)}`);
}

/** The end of a sentence that begins with the name of the tool: all that is missing, else the first that does not fit. */
function misfit(input: unknown, issues: readonly z.core.$ZodIssue[]): string {
  const given = (input ?? {}) as Record<PropertyKey, unknown>;
  const names = issues.flatMap(({ path }) => (path.length === 1 ? [path[0]!] : []));
  const missing = names.filter((name) => given[name] === undefined).map((name) => `${String(name)}=…`);
  if (missing.length > 0) return ` needs ${missing.join(' ')}`;
  const [issue] = issues;
  return issue?.path.length ? `: ${issue.path.map(String).join('.')} ${issue.message}` : ` ${issue?.message}`;
}

async function verdictOn(parts: Parts, asked: Asked, actor: Actor, call: ParsedCall): Promise<Verdict> {
  const { tool, input } = call;
  const { folder, conversationId, workflowId } = asked;
  const { agent, scope, leads, envelope } = actor;
  const has = parts.tools.offered(envelope.tools, leads).map(({ name }) => name);
  const workspace = await workspaceOf(parts, folder, leads);
  const targets = await targetsOf(tool, input, workspace, undefined);
  const lent: Lending = (kind) => (conversationId === null ? null : parts.lenders.of(conversationId, kind));
  const question = await questionOf(parts, call, { targets, workspace, lent });
  const started = tool.startsAgents ? withServing(targets, await parts.agents.of(folder)) : targets;
  const { requiresApproval, approvalMode: mode } = envelope;
  const action: Action = {
    agent,
    scope,
    tool: tool.name,
    like: tool.like,
    server: tool.server,
    permissions: tool.permissions,
    targets: started,
    folder,
    conversationId,
    workflowId,
    requires: requiresApproval ?? [],
    mode,
    starts: startsOf(tool, started),
    held: question?.held ?? null,
    ...callDefaults(tool.permissions, question),
    ceiling: has.includes(tool.name)
      ? null
      : `${agent} does not have the tool ${tool.name}. It has: ${has.sort().join(', ')}`,
  };
  const rules = await parts.permissions.rules(folder);
  const whole = parts.permissions.verdict(action, rules);
  const each = partsOf(parts, action, rules);
  const verdict = { ...whole, names: namesOf(action), ...(each.length > 1 ? { parts: each } : {}) };
  return question?.subject?.kind === 'questions' ? alwaysPut(verdict) : verdict;
}

function namesOf({ scope, targets }: Action): Verdict['names'] {
  const saved = (pattern: string | null) => (pattern === null || rulePatternFault(pattern) !== null ? null : pattern);
  const pattern = saved(exactPattern(targets));
  const anyPattern = targets && targets.values.length > 0 ? saved(patternOf(targets.values)) : pattern;
  return { agent: scope, pattern, ...(anyPattern === pattern ? {} : { anyPattern }) };
}

/** Each thing that the call does, judged alone. */
function partsOf({ permissions }: Parts, action: Action, rules: RuleSet): NonNullable<Verdict['parts']> {
  const { targets } = action;
  if (!targets?.each) return [];
  return targets.values.map((value) => {
    const { effect, reason, steps } = permissions.verdict({ ...action, targets: selectTarget(targets, value) }, rules);
    const says = steps[0]?.says;
    return { value, effect, reason, ...(says ? { says } : {}) };
  });
}

/** Who is started with a sub-agent is held against rules and grants like it. */
export function withServing(targets: Targets, agents: AgentRegistry): Targets {
  const served = (targets?.values ?? []).flatMap((name) => servingNames(name, agents));
  if (!targets || served.length === 0) return targets;
  return { values: [...new Set([...targets.values, ...served])], path: false, each: true };
}

export type Asks = Pick<Question, 'risk' | 'reversible' | 'nameable' | 'held' | 'idle'>;

/** Starting sub-agents is not proposed, for that takes their slots. */
export async function questionOf(
  { webSearch }: Parts,
  { tool, input, isSample }: ParsedCall,
  { targets, workspace, lent }: { targets: Targets; workspace: Workspace; lent: Lending },
): Promise<(Asks & Partial<Pick<Question, 'subject'>>) | null> {
  const { signal } = new AbortController();
  const context: QuestionContext = {
    call: { toolCallId: 'explain' },
    workspace,
    signal,
    files: { seen: () => null, lent, unredacted: { has: () => false, add: () => undefined } },
    shell: { folder: () => '' },
    web: { searchEndpoint: webSearch },
    children: null,
  };
  // Of the file, only what must not be reached is known then.
  const asIs = (error: unknown): null => {
    if (isSample && tool.sample?.isMadeUp && error instanceof TriadError && error.code !== 'not_allowed') return null;
    throw error;
  };
  if (!tool.startsAgents) return (await Promise.resolve(tool.question?.(input, context)).catch(asIs)) ?? null;
  if (targets === null || targets.values.length === 0) return null;
  return { risk: targets.values.length > 1 ? 'high' : 'medium', reversible: true };
}
