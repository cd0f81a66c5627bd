/** A recorded workflow with runs that serve others: a lead with a reviewer, and a chain whose first agent has one too. */
import type { AssistantEntry, Review } from '#contract/message.ts';
import type { RunIds } from '#core/store/log/recorder.ts';
import { envelopeOf } from '../envelope.ts';
import { approve, conversationId, idOf, queue, Recording, respond, start, usageOf } from '../recording.ts';

const workflowId = idOf(60);
const run = (n: number, agent: string, parent: RunIds | null): RunIds => {
  return { conversationId, workflowId, runId: idOf(n), parentRunId: parent?.runId ?? null, agent };
};
const chief = run(61, 'lead', null);
const writer = run(62, 'writer', chief);

/** `proofreader` works for `writer`, `critics` for the lead, one a round; `editor` and `checker` follow `writer`. */
export const served = {
  lead: chief,
  writer,
  proofreader: run(63, 'proofreader', writer),
  editor: run(64, 'editor', writer),
  checker: run(65, 'checker', writer),
  critics: [run(66, 'critic', chief), run(67, 'critic', chief)] as const,
};

/** What one of them says in one whole answer. */
const SAID = {
  writer: '# Report\n\n## Summary\nThe parser has three faults.',
  proofreader: 'I put in the line that was missing.',
  editor: '{"title":"Three faults"}',
  checker: '# Report\n\n## Summary\nAll three faults are real.',
  critics: ['Score: 60\nName the files.', 'Score: 90\nGood.'],
} as const;

/** Three rounds at most; the answer of the lead is sent back once. */
export function recordedServing(): Recording {
  const recording = new Recording();
  const prompt = 'Have a report written';
  recording.record(chief, { type: 'workflow-start', prompt, approve: 'ask', attempt: 1 });
  start(
    recording,
    chief,
    queue(recording, chief, { prompt, title: prompt, changes: { flow: flowOf('judge', 'critic') } }),
  );
  const toolCallId = 'call_delegate';
  const input = { operation: 'delegate', agent_id: 'writer', prompt: 'Write it' };
  const call = { type: 'tool_use', id: toolCallId, name: 'delegate_task', input } as const;
  respond(recording, chief, { turn: 0, messageId: idOf(70), parts: [call], stopReason: 'tool_use' });
  const tool = { toolCallId, name: 'delegate_task' } as const;
  chainRuns(recording, toolCallId, () => recording.record(chief, { type: 'tool-start', ...tool, input }));
  const output = JSON.stringify({ success: true, report: SAID.checker });
  recording.result(chief, { ...tool, status: 'completed', output, durationMs: 1900, metadata: {} });
  recording.record(chief, { type: 'turn-end', turn: 0, stopReason: 'tool_use' });

  answer(recording, chief, 'Three faults.', 1);
  const first = reviewed(recording, { of: chief, by: served.critics[0], round: 1, passed: false, score: 60 });
  recording.words(chief, { source: 'coagent', text: SAID.critics[0] });
  answer(recording, chief, 'Three faults, all in src/parser.ts.', 2);
  const second = reviewed(recording, { of: chief, by: served.critics[1], round: 2, passed: true, score: 90 });
  const end = { outcome: 'completed', text: 'Three faults, all in src/parser.ts.', error: null } as const;
  const figures = { durationMs: 3200, usage: usageOf() };
  recording.record(chief, { type: 'run-end', ...end, ...figures, reviews: [first, second] });
  const subAgents = [writer, served.editor, served.checker].map(({ runId, agent }) => {
    const kind = agent === 'writer' ? ('delegate' as const) : ('chain' as const);
    return {
      runId,
      agent,
      kind,
      status: 'completed',
      outcome: 'completed',
      durationMs: 500,
      usage: usageOf(),
    } as const;
  });
  recording.record(chief, { type: 'workflow-end', ...end, ...figures, subAgents });
  return recording;
}

/** The first agent of the chain, whose reviewer mends its answer, and the two that follow it. */
function chainRuns(recording: Recording, toolCallId: string, begin: () => void): void {
  const { editor, checker, proofreader } = served;
  const stages = [editor, checker].map(({ agent }) => stageOf(agent));
  const job = { prompt: 'Write it', title: 'write a report', kind: 'delegate', toolCallId } as const;
  const envelope = queue(recording, writer, { ...job, changes: { stages, flow: flowOf('smart', 'proofreader') } });
  approve(recording, chief, 'delegate', [{ runId: writer.runId, title: job.title, envelope, no: null }]);
  begin();
  start(recording, writer, envelope);
  answer(recording, writer, SAID.writer, 0);
  reviewed(recording, { of: writer, by: proofreader, round: 1, passed: true, score: null });
  const parts: AssistantEntry['parts'] = [{ type: 'text', text: SAID.proofreader }];
  const whole = { messageId: idOf(79), responseId: null, stopReason: 'end_turn', interrupted: false } as const;
  recording.response(writer, { ...whole, parts, by: 'proofreader' });
  end(recording, writer, `${SAID.writer}\n\n${SAID.proofreader}`);
  for (const [index, stage] of [editor, checker].entries()) {
    const handed = index === 0 ? SAID.writer : SAID.editor;
    const follows = { prompt: handed, title: job.title, kind: 'chain', toolCallId, place: index + 1 } as const;
    start(recording, stage, queue(recording, stage, follows));
    const said = stage === editor ? SAID.editor : SAID.checker;
    answer(recording, stage, said, 0);
    end(recording, stage, said);
  }
}

/** Out to the coagent, its run, and back with what it found. */
function reviewed(
  recording: Recording,
  { of, by, round, passed, score }: { of: RunIds; by: RunIds; round: number; passed: boolean; score: number | null },
): Review {
  const prompt = `Review round ${round}`;
  const answered = recording.entries(of) - 1;
  const trip = { runId: by.runId, round, rounds: 3, answer: answered };
  recording.handoff(of, { ...trip, from: of.agent, to: by.agent, prompt });
  const job = { prompt, title: `review of ${of.agent}`, kind: 'coagent', place: round } as const;
  start(recording, by, queue(recording, by, job));
  const critique = by.agent === 'critic' ? (SAID.critics[round - 1] ?? '') : SAID.proofreader;
  answer(recording, by, critique, 0);
  end(recording, by, critique);
  const review = { answer: answered, verdict: { passed, score, critique } };
  const back = { outcome: 'completed', review } as const;
  recording.handoff(of, { ...trip, from: by.agent, to: of.agent, prompt: critique, back });
  return review;
}

function answer(recording: Recording, who: RunIds, text: string, turn: number): void {
  const messageId = idOf(80 + recording.durable.length);
  respond(recording, who, { turn, messageId, parts: [{ type: 'text', text }], stopReason: 'end_turn' });
}

function end(recording: Recording, who: RunIds, text: string): void {
  const ended = { outcome: 'completed', text, error: null, durationMs: 500, usage: usageOf() } as const;
  recording.record(who, { type: 'run-end', ...ended });
}

function stageOf(agent: string) {
  const { prompt: _, stages: __, ...stage } = envelopeOf(agent, '');
  return stage;
}

function flowOf(type: 'judge' | 'smart', name: string) {
  const handoff = { type: 'static', text: 'Review it.' } as const;
  return { type, rounds: 3, primary: 'writer', coagent: stageOf(name), handoff };
}
