/** Stories of agents that work together: a chain, and an agent that takes turns with a coagent. */
import type { Envelope, Stage } from '#contract/agent.ts';
import type { Review } from '#contract/message.ts';
import { fromSnapshot, reduce, type View } from '#lib/view/reduce.ts';
import { Rows } from './rows.ts';
import { envelopeOf } from '../../support/envelope.ts';
import { type RecordedRun, Recording } from '../../support/recording.ts';

export const CALL = 'toolu_team';

export function stage(agent: string, changes: Partial<Stage> = {}): Stage {
  const { prompt: _, stages: __, ...own } = envelopeOf(agent, '-');
  return { ...own, ...changes };
}

export function flow(coagent: string | null, type: 'judge' | 'loop' = 'judge'): Envelope['flow'] {
  const base = { type, rounds: 3, primary: 'coder', handoff: { type: 'static', text: 'Look at it.' } } as const;
  return coagent === null ? base : { ...base, coagent: stage(coagent) };
}

/** Returns the view that the screen derives from these events. */
export function reduceStory({ events }: Pick<Recording, 'events'>): View {
  return reduce(fromSnapshot(new Rows().snapshot()), events);
}

export interface Team {
  story: Recording;
  lead: RecordedRun;
  first: RecordedRun;
}

/** A lead that waits for a sub-agent, which works. */
export function team(agent: string, changes: Partial<Envelope>): Team {
  const story = new Recording();
  const { lead } = story.startWorkflow('Do it');
  lead.answer('I ask for help.', { id: CALL, name: 'delegate_task', input: {} });
  const first = lead.child(agent);
  first.queue('delegate', 'Work.', CALL, 0, changes);
  lead.toolStart(CALL, 'delegate_task');
  first.start('Work.', 1, changes);
  first.user('parent', 'Work.');
  return { story, lead, first };
}

/** The next stage of its chain, at work. */
export function follow({ first }: Team, agent: string, place: number): RecordedRun {
  const voice = first.child(agent);
  voice.queue('chain', 'Go on.', CALL, 0, { place });
  voice.start('Go on.');
  voice.user('parent', 'Go on.');
  return voice;
}

/** A round: the agent's answer is handed over, and the coagent says this of it; null while it works. */
export function round({ first }: Team, coagent: string, number: number, verdict: Review['verdict']): RecordedRun {
  first.answer(`Answer ${number}.`);
  const answer = first.entries - 1;
  const voice = first.child(coagent);
  const way = { runId: voice.runId, round: number, rounds: 3, answer };
  first.handoff({ ...way, from: first.agent, to: coagent, prompt: `# Look at answer ${number}` });
  voice.queue('coagent', 'Look.', null, 0, { place: number });
  voice.start('Look.');
  voice.user('parent', 'Look.');
  if (verdict === null) return voice;
  voice.answer(verdict.critique);
  voice.end('completed', verdict.critique);
  const back = { outcome: 'completed', review: { answer, verdict } } as const;
  first.handoff({ ...way, from: coagent, to: first.agent, prompt: verdict.critique, back });
  if (!verdict.passed) first.user('coagent', `Not accepted yet:\n\n${verdict.critique}`);
  return voice;
}
