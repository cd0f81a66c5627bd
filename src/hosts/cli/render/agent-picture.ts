/** Who always runs with an agent, as a picture of lines and arrows: its coagent, and the chain that follows it. Pure. */
import type { AgentDefinition, AgentSummary } from '#contract/agent.ts';
import type { FlowDefinition } from '#contract/flows/control-flow.ts';

type Known = Pick<AgentSummary, 'name' | 'tools' | 'role'> & { flow?: AgentSummary['flow'] };

/** `chain`: the names of those that follow, in order. No lines for an agent that stands alone. */
export function agentPicture(
  agent: Pick<AgentDefinition, 'name' | 'tools' | 'role' | 'flow'>,
  chain: readonly string[],
  agents: readonly Known[],
): string[] {
  if (!agent.flow && chain.length === 0) return [];
  const stages = chain.map((name) => agents.find((one) => one.name === name) ?? { name, tools: null, role: null });
  const boxes = [agent, ...stages].flatMap((one, index) => {
    const lines = [`${one.name}  (${toolsOf(one)})`, ...flowLines('flow' in one ? one.flow : undefined, agents)];
    return index === 0 ? lines : ['  |', '  v  always, with the last message of the one above', ...lines];
  });
  return ['', ...boxes.map((line) => `  ${line}`), '', ...sentences(agent, chain)];
}

function flowLines(flow: FlowDefinition | undefined, agents: readonly Known[]): string[] {
  if (!flow) return [];
  const { type, rounds, primary, coagent } = flow;
  const bound = `at most ${rounds} ${rounds === 1 ? 'answer' : 'answers'}`;
  if (type === 'hitl') return [`  ${primary}: its first whole answer ends it (hitl)`];
  if (coagent === null)
    return [`  ${primary} --answer--> ${primary} (${type}, ${bound})`, `  ends: ${primary} calls task_complete`];
  const tools = agents.find(({ name }) => name === coagent);
  const told = type === 'judge' ? 'those that read of ' : '';
  return [
    `  ${primary} --answer--> ${coagent}  (${type}, ${bound})`,
    `  ${primary} <--words--- ${coagent}  (${told}${tools ? toolsOf(tools) : 'its tools'})`,
    `  ends: ${type === 'loop' ? primary : coagent} calls task_complete`,
  ];
}

function toolsOf({ tools, role }: { tools: readonly string[] | null; role: Known['role'] | null }): string {
  if (tools !== null) return tools.length === 0 ? 'no tools' : `tools: ${tools.join(', ')}`;
  return role === 'primary' ? 'all tools' : 'tools of whom it works for';
}

function sentences({ name, flow }: Pick<AgentDefinition, 'name' | 'flow'>, chain: readonly string[]): string[] {
  const coagent = flow?.coagent ?? null;
  return [
    ...(coagent === null ? [] : [`${name} always runs with ${coagent}.`]),
    ...(chain.length === 0
      ? []
      : [`${name} always runs with ${chain.join(', ')}: it cannot run without its chain, and the last one reports.`]),
  ];
}
