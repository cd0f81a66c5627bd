/** What the form says that those who serve a sub-agent lose is what the engine takes from them. */
import { expect, test } from 'vitest';
import type { Envelope } from '#contract/agent.ts';
import { allServing } from '#contract/flows/serving-text.ts';
import { takenFromServed } from '#lib/view/taken-from-served.ts';
import { agentsWith, built, delegating, leadOf } from '../../core/runs/envelope-support.ts';

const handoff = { type: 'static' as const, text: 'Look.' };
const flow = { type: 'smart' as const, rounds: 3, primary: 'worker', coagent: 'reviewer', handoff };
const lead = leadOf();
const asked = built().child(
  delegating(),
  lead,
  agentsWith(
    { tools: ['bash', 'write_file', 'task_complete'], next: ['writer'], flow },
    { name: 'reviewer' },
    {
      name: 'writer',
      tools: ['write_file', 'read_file'],
      flow,
    },
  ),
);

test.for([[['bash']], [['write_file', 'task_complete']], [['bash', 'write_file']], [[]]])(
  'lists the tools that coagents and stages lose without %s',
  ([taken = []]) => {
    const tools = asked.tools.filter((name) => !taken.includes(name));
    const left = built().edited({ ...asked, tools }, asked, lead).value;
    const lost = (agent: string) => [
      ...new Set(
        allServing(asked).flatMap((part, index) => (part.agent === agent ? gone(part, allServing(left)[index]!) : [])),
      ),
    ];
    const expected = ['reviewer', 'writer'].map((agent) => ({ agent, tools: lost(agent) }));
    expect(takenFromServed(asked, tools)).toEqual(expected.filter((one) => one.tools.length > 0));
  },
);

const gone = (before: Pick<Envelope, 'tools'>, after: Pick<Envelope, 'tools'>) =>
  before.tools.filter((name) => !after.tools.includes(name));
