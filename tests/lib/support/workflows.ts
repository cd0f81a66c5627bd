/** Stories made of choices, so that properties can be tried on many of them. */
import { type RecordedRun, type Recording, requestUsage, startOf } from '../../support/recording.ts';

export interface Choices {
  prompt: string;
  answer: string;
  /** For each sub-agent: whether it was allowed, and whether it finished. */
  children: readonly { allowed: boolean; finished: boolean }[];
  retry: boolean;
  /** Acted upon while the lead's message still came. */
  early: boolean;
  /** Cut off and resumed. */
  resumed: boolean;
}

export function workflow(story: Recording, choices: Choices): void {
  const { lead } = story.startWorkflow(choices.prompt);
  const voices = choices.children.map((_, index) => lead.child(`agent-${index}`));
  if (choices.retry) retry(story, lead);
  if (voices.length > 0) team(lead, voices, choices);
  if (choices.resumed) resume(lead, choices.prompt);
  lead.answer(choices.answer);
  story.endWorkflow(lead, 'completed', choices.answer);
}

/** A first attempt that broke in the middle of its answer. */
function retry(story: Recording, lead: RecordedRun): void {
  const messageId = story.newId();
  lead.say({ type: 'message-start', messageId, turn: 1, request: startOf(requestUsage(story, {})) });
  lead.hint({ type: 'thinking-delta', messageId, part: 0, offset: 0, text: 'Well' });
  const error = { code: 'overloaded', message: 'busy' } as const;
  lead.say({ type: 'retry', turn: 1, attempt: 1, delayMs: 500, error });
  lead.say({ type: 'notice', level: 'warning', text: 'Something was not done.' });
}

function team(lead: RecordedRun, voices: readonly RecordedRun[], choices: Choices): void {
  const call = { id: 'toolu_team', name: 'parallel_tasks', input: { tasks: voices.length } };
  const work = (): void => teamWork(lead, voices, call.id, choices);
  lead.answer('I ask for help.', call, choices.early ? work : undefined);
  if (!choices.early) work();
}

function teamWork(lead: RecordedRun, voices: readonly RecordedRun[], call: string, { children }: Choices): void {
  voices.forEach((voice, item) => voice.queue('spawn', 'Look.', call, item));
  const { id } = lead.ask(call, voices);
  voices.forEach((_, item) => lead.decide(id, item, children[item]?.allowed ?? false));
  lead.toolStart(call, 'parallel_tasks');
  voices.forEach((voice, item) => {
    const { allowed, finished } = children[item] ?? { allowed: false, finished: false };
    if (!allowed) return voice.end('rejected');
    voice.start('Look.');
    voice.user('parent', 'Look.');
    voice.answer('I write.', { id: 'toolu_write', name: 'write_file', input: { path: 'a.txt' } });
    voice.toolStart('toolu_write', 'write_file');
    voice.toolEnd('toolu_write', 'write_file', 'completed', { path: 'a.txt', undoable: true });
    for (const undone of [true, false])
      voice.say({ type: 'change-undo', toolCallId: 'toolu_write', path: 'a.txt', undone });
    voice.answer(`# Report of ${voice.agent}`);
    voice.end(finished ? 'completed' : 'timed_out', 'report');
  });
  lead.toolEnd(call, 'parallel_tasks');
}

function resume(lead: RecordedRun, prompt: string): void {
  const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, costUsd: null };
  lead.end('interrupted');
  const ended = {
    outcome: 'interrupted',
    text: '',
    error: null,
    durationMs: 5,
    usage,
    subAgents: [],
  } as const;
  lead.say({ type: 'workflow-end', ...ended, subAgents: [] });
  lead.say({ type: 'workflow-start', prompt, approve: 'ask', attempt: 2 });
  lead.start(prompt, 2);
}
