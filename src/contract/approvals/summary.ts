/**
 * What a yes lets one agent do, with what, and how much at most: keys and values that the app and the terminal put into
 * words of their own. Derived from what it would run with, nothing of it is a constant. Pure.
 */
import type { Coagent, Envelope, Permission } from '../agent.ts';
import type { Asking, CallGroup, OwnActions, Risk, SpawnItem, Subject } from '../approval.ts';
import { allServing } from '../flows/serving-text.ts';

/** `no`: it has no tool for it. `held`: it has, and the question does not say what is asked. */
export type Leave = Asking | 'no' | 'held';

export interface May {
  permission: Permission;
  leave: Leave;
  /** What it would do it with, by name. */
  tools: string[];
}

export interface Summary {
  /** Reading, writing, running and the network always; databases where it reaches any. */
  may: May[];
  with: Pick<Coagent, 'provider' | 'model' | 'effort' | 'folder' | 'mcpServers'>;
  atMost: {
    turns: number;
    /** Of one answer. */
    answerTokens: number;
    /** Null where nothing bounds it. */
    tokens: number | null;
    costUsd: number | null;
    minutes: number | null;
  };
}

/** Whom a summary is about, and what it says. */
export interface AgentSummaryOf {
  agent: string;
  summary: Summary;
}

const ALWAYS_SAID: readonly Permission[] = ['FilesystemRead', 'FilesystemWrite', 'Execute', 'NetworkAccess'];
const WHERE_HELD: readonly Permission[] = ['DatabaseRead', 'DatabaseWrite'];

export function summaryOf(agent: Coagent, own: OwnActions | undefined): Summary {
  const { provider, model, effort, folder, mcpServers, limits, maxTokens } = agent;
  const { tokens = null, costUsd = null, minutes = null } = limits.budget ?? {};
  return {
    may: mayOf(agent, own),
    with: { provider, model, effort, folder, mcpServers },
    atMost: {
      turns: limits.maxIterations,
      answerTokens: maxTokens,
      tokens,
      costUsd,
      minutes,
    },
  };
}

/** The agent that would start and all that serve it, in the order in which the envelope names them. */
export function summariesOf(item: SpawnItem, envelope: Envelope): AgentSummaryOf[] {
  const first = { agent: envelope.agent, summary: summaryOf(envelope, item.ownActions) };
  const served = allServing(envelope).map((part, index) => {
    const own = item.served?.[index]?.ownActions;
    return { agent: part.agent, summary: summaryOf(part, own) };
  });
  return [first, ...served];
}

/**
 * How much a question asks for. `grave`: what cannot be undone, or is called so; `reaching`: it could run, reach out or
 * change something; null: it only looks, or what it does can be undone.
 */
export type Weight = 'grave' | 'reaching' | null;

export function weightOf(
  { subject, risk, reversible }: { subject: Subject; risk: string; reversible: boolean },
  item: number,
): Weight {
  if (subject.kind === 'questions') return null;
  if (subject.kind !== 'envelopes') return !reversible || risk === 'high' ? 'grave' : null;
  const asked = subject.items[item];
  if (!asked) return null;
  const changes = summariesOf(asked, asked.envelope).some(({ summary }) =>
    summary.may.some(({ permission, leave }) => !reads(permission) && leave !== 'no' && leave !== 'refused'),
  );
  return changes ? 'reaching' : null;
}

/** Returns the risk of a question; null for a question whose answer allows nothing. */
export function getRiskLevel({ subject, risk }: { subject: Subject; risk: Risk }): Risk | null {
  return subject.kind === 'questions' || subject.kind === 'limit' ? null : risk;
}

function mayOf(agent: Coagent, own: OwnActions | undefined): May[] {
  const groups = own?.calls;
  const told = groups ? fromGroups(groups, agent) : fromPermissions(agent);
  return [...ALWAYS_SAID, ...WHERE_HELD].flatMap((permission) => {
    const may = told(permission);
    return may.leave === 'no' && WHERE_HELD.includes(permission) ? [] : [may];
  });
}

function fromGroups(
  groups: readonly CallGroup[],
  { tools, permissions, approvalMode }: Coagent,
): (permission: Permission) => May {
  const had = groups.flatMap((group) => {
    const names = group.always ? group.tools : group.tools.filter((name) => tools.includes(name));
    return names.length === 0 ? [] : [{ ...group, tools: names }];
  });
  const known = new Set(groups.flatMap((group) => group.tools));
  const others = tools.filter((name) => !known.has(name));
  return (permission) => {
    const using = had.filter((group) => group.permissions.includes(permission));
    if (using.length > 0)
      return {
        permission,
        leave: together(using.map(({ asking }) => asking[approvalMode])),
        tools: using.flatMap((group) => group.tools),
      };
    // What nobody has described is not said to be nothing.
    const isHeld = others.length > 0 && permissions.includes(permission);
    return { permission, leave: isHeld ? 'held' : 'no', tools: isHeld ? others : [] };
  };
}

function fromPermissions({ permissions }: Coagent): (permission: Permission) => May {
  return (permission) => ({ permission, leave: permissions.includes(permission) ? 'held' : 'no', tools: [] });
}

function together(askings: readonly Asking[]): Asking {
  const allowed = askings.filter((one) => one !== 'refused');
  if (allowed.length === 0) return 'refused';
  return allowed.every((one) => one === allowed[0]) ? allowed[0]! : 'some';
}

function reads(permission: Permission): boolean {
  return permission === 'FilesystemRead' || permission === 'DatabaseRead' || permission === 'SemanticSearch';
}
