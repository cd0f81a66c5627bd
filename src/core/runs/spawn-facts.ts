/** Adds facts to a question about sub-agents: own actions, worst case, model warnings and the texts that must be read. */
import type { Coagent, Envelope } from '#contract/agent.ts';
import type { OwnActions, SpawnItem } from '#contract/approval.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { allServing } from '#contract/flows/serving-text.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import type { Action } from '../approvals/judge.ts';
import { ownActions } from '../approvals/own-actions.ts';
import { toolsIn } from '../mcp/mcp-tool.ts';
import type { Question } from '../tools/question.ts';
import type { Tool } from '../tools/tool.ts';
import type { Engine } from './engine.ts';
import { scopeOf } from './memory.ts';
import type { Run } from './run.ts';
import { readTexts } from './text-sources.ts';
import { worstCase } from './envelopes/worst-case.ts';

/**
 * As rules, grants and prices are now. `callsOf`: calls of the run that asks, with unknown targets. `isForPerson`: a person
 * decides; else nobody reads the texts, and what must be read is left out.
 */
export async function withFacts(
  { engine, workflow, plan }: Run,
  question: Question,
  { callsOf, isForPerson }: { callsOf: (tools: readonly Tool[]) => Action[]; isForPerson: boolean },
): Promise<Question> {
  const { subject } = question;
  if (!isSpawn(subject)) return question;
  const { rules } = await engine.permissions.rules(plan.envelope.folder);
  const now = Date.now();
  /** `lender`: of whose tools it may still be given others. */
  const actionsOf = (of: Coagent, kind: 'spawn' | 'delegate', lender: Envelope | null): OwnActions => {
    const as = (tools: readonly string[], having: Pick<Envelope, 'mcp'>): Action[] =>
      callsOf(toolsIn(engine.tools, having).offered(tools, false)).map((call) => ({
        ...call,
        agent: of.agent,
        scope: scopeOf(of.agent, kind),
        requires: of.requiresApproval ?? [],
      }));
    const own = as(of.tools, of);
    const always = new Set(engine.tools.all().flatMap(({ name, baseline }) => (baseline ? [name] : [])));
    const calls = { own, possible: lender ? as([...lender.tools, ...of.tools], lender) : own, always };
    const grants = calls.possible.flatMap((call) => engine.permissions.grants.candidates(call, now));
    return ownActions(calls, { approve: workflow.approve, rules, grants, now });
  };
  const known = { trust: engine.trust, agents: workflow.agents, limits: workflow.limits() };
  const addFacts = async (item: SpawnItem): Promise<SpawnItem> => {
    const { envelope } = item;
    const served = allServing(envelope).map((of) => ({ agent: of.agent, ownActions: actionsOf(of, 'delegate', null) }));
    return {
      ...item,
      ownActions: actionsOf(envelope, subject.operation === 'spawn' ? 'spawn' : 'delegate', plan.envelope),
      ...(served.length > 0 ? { served } : {}),
      ...modelWarnings(envelope, engine),
      worst: worstCase(envelope, engine),
      ...(isForPerson ? { texts: await readTexts(envelope, known) } : {}),
    };
  };
  const items = await Promise.all(subject.items.map(addFacts));
  return { ...question, subject: { ...subject, items } };
}

/** Warnings about models that their endpoints do not list: of the agent, and of the agents that serve it. */
function modelWarnings(
  envelope: Envelope,
  { modelWarning }: Pick<Engine, 'modelWarning'>,
): Pick<SpawnItem, 'modelWarnings'> {
  const warnings = [envelope, ...allServing(envelope)].flatMap(({ provider, model }) => {
    const says = modelWarning(provider, model);
    const all = says === null ? [] : [says, phrase('may_be_refused')];
    return all.length === 0 ? [] : [{ message: all.map(sentenceOf).join(''), says: all }];
  });
  const messages = warnings.map(({ message }) => message);
  const unique = warnings.filter(({ message }, index) => messages.indexOf(message) === index);
  return unique.length === 0 ? {} : { modelWarnings: unique };
}
