/** The next move of a control flow: from the entries alone, whatever interrupted the run, and within the rounds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Flow } from '#contract/agent.ts';
import { ControlFlow } from '#contract/flows/control-flow.ts';
import type { AssistantEntry, Entry } from '#contract/message.ts';
import { nextMove } from '#core/workflows/flows/control-flow.ts';
import { judged, scoreIn } from '#core/workflows/flows/judgement.ts';
import { nextStep, Transcript } from '#core/store/log/transcript.ts';
import { envelopeOf } from '../../../support/envelope.ts';
import { samples } from '../../../support/samples.ts';

const { prompt: _, stages: __, ...checker } = envelopeOf('checker', '-');

type FlowParts = Pick<Flow, 'type' | 'rounds' | 'coagent'>;

const flows: fc.Arbitrary<FlowParts> = fc
  .record({
    type: fc.constantFrom(...ControlFlow.options),
    rounds: fc.integer({ min: 1, max: 5 }),
    alone: fc.boolean(),
  })
  .map(({ type, rounds, alone }) => ({
    type,
    rounds,
    ...(type === 'hitl' || (type === 'loop' && alone) ? {} : { coagent: checker }),
  }));

/** What the two do, round by round: whether the agent calls its work done, and what the coagent makes of it. */
const rounds = fc.array(
  fc.record({
    done: fc.boolean(),
    coagent: fc.constantFrom('approves', 'fixes', 'criticises', 'criticises', 'fails'),
    resumed: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  }),
  { minLength: 60, maxLength: 60 },
);

interface Played {
  entries: Entry[];
  answers: number;
  runs: number;
  end: string;
}

/** As the partner plays it; `noisy`: interrupted and gone on with wherever the round says so. */
function play(
  flow: FlowParts,
  behaviour: readonly { done: boolean; coagent: string; resumed: boolean[] }[],
  noisy: boolean,
): Played {
  const history = new Transcript([]);
  const { entries } = history;
  let answers = 0;
  let runs = 0;
  let steps = 0;
  history.add({ kind: 'user', source: 'parent', text: 'Go.' });
  for (;;) {
    const at = behaviour[Math.max(0, answers - 1)]!;
    steps += 1;
    if (noisy && at.resumed[steps % 6]) {
      history.add({ ...wordsOf('cut'), interrupted: true });
      history.add({ kind: 'system', code: 'resumed', text: 'Resumed (attempt 2)' });
    }
    const step = nextStep(entries);
    if (step.do === 'request') {
      answers += 1;
      if (behaviour[answers - 1]!.done) say(history, answers);
      else history.add(wordsOf(`Answer ${answers}.`));
      continue;
    }
    if (step.do === 'answer') history.add(wordsOf(step.text));
    if (step.do === 'settle') throw new Error('no call is open');
    if (step.do !== 'close') continue;
    const move = nextMove(entries, flow, step.last);
    if (move.do === 'hand') {
      const runId = flow.coagent ? `run-${answers}` : null;
      const ways = {
        from: 'worker',
        to: 'checker',
        runId,
        round: move.round,
        rounds: flow.rounds,
        answer: step.last.n,
      };
      history.add({ kind: 'handoff', ...ways, prompt: 'Look.' });
    } else if (move.do === 'run') {
      runs += 1;
      const { n: ___, at: ____, ...out } = move.handoff;
      history.add({ ...out, ...judged(flow, step.last.n, heardOf(at.coagent), (tool) => tool === 'bash') });
    } else if (move.do === 'tell') history.add({ kind: 'user', source: move.source, text: move.text });
    else if (move.do === 'join') history.add({ ...wordsOf(move.text), by: move.by });
    else return { entries, answers, runs, end: move.do };
  }
}

const words = { kind: 'assistant' as const, responseId: null, stopReason: 'end_turn' as const, interrupted: false };
const wordsOf = (text: string) => ({ ...words, messageId: text, parts: [{ type: 'text' as const, text }] });

function say(history: Transcript, answer: number): void {
  const id = `call-${answer}`;
  const call = { type: 'tool_use' as const, id, name: 'task_complete', input: {} };
  history.add({ ...words, messageId: id, parts: [call], stopReason: 'tool_use' });
  const made = { toolCallId: id, name: 'task_complete', status: 'completed' as const, output: '', durationMs: 0 };
  history.add({ kind: 'tool', ...made, metadata: { answer: `Answer ${answer}.` } });
}

/** The coagent's run, as it ended. */
function heardOf(what: string) {
  const own = new Transcript([]);
  if (what === 'fixes') {
    const call = { type: 'tool_use' as const, id: 'c', name: 'bash', input: {} };
    own.add({ ...words, messageId: 'c', parts: [call], stopReason: 'tool_use' });
    const made = { toolCallId: 'c', name: 'bash', status: 'error' as const, output: '', durationMs: 0 };
    own.add({ kind: 'tool', ...made, metadata: { exitCode: 1 } });
  }
  if (what === 'approves' || what === 'fixes') say(own, 0);
  own.add(wordsOf('Words.'));
  const outcome = what === 'fails' ? ('error' as const) : ('completed' as const);
  return { outcome, text: 'Words.', error: null, entries: own.entries };
}

describe('the next move of a control flow', () => {
  test('never gives agent or coagent more answers than the control flow has rounds', () => {
    fc.assert(
      fc.property(flows, rounds, (flow, behaviour) => {
        const { answers, runs, entries } = play(flow, behaviour, false);
        const most = flow.type === 'hitl' ? 1 : flow.rounds;
        expect(answers).toBeLessThanOrEqual(most);
        expect(runs).toBeLessThanOrEqual(flow.type === 'loop' ? most - 1 : most);
        const handed = entries.filter((entry) => entry.kind === 'handoff');
        for (const { round } of handed) expect(round).toBeLessThanOrEqual(flow.rounds);
      }),
      samples(100),
    );
  });

  test('does not depend on how often the run was interrupted', () => {
    fc.assert(
      fc.property(flows, rounds, (flow, behaviour) => {
        const plain = play(flow, behaviour, false);
        const noisy = play(flow, behaviour, true);
        const gist = (entries: readonly Entry[]) =>
          entries.flatMap((entry) =>
            entry.kind === 'system' || (entry.kind === 'assistant' && entry.interrupted)
              ? []
              : [{ ...entry, n: 0, at: '', answer: 0, back: null }],
          );
        expect(noisy).toMatchObject({ answers: plain.answers, runs: plain.runs, end: plain.end });
        expect(gist(noisy.entries)).toEqual(gist(plain.entries));
      }),
      samples(100),
    );
  });

  const handedOnce = (code: 'retried' | 'extended' | 'resumed', back: boolean): [Entry[], AssistantEntry] => {
    const history = new Transcript([]);
    history.add({ kind: 'user', source: 'parent', text: 'Go.' });
    const answer = history.add(wordsOf('Answer.'));
    const ways = { from: 'worker', to: 'checker', runId: 'r', round: 1, rounds: 1, answer: 1, prompt: 'Look.' };
    history.add({ kind: 'handoff', ...ways });
    if (back) history.add({ kind: 'handoff', ...ways, back: { outcome: 'error', error: 'No.' } });
    history.add({ kind: 'system', code, text: '' });
    return [history.entries, answer];
  };

  test.for([
    ['resumed', false, 'run'],
    ['resumed', true, 'failed'],
    ['retried', false, 'hand'],
    ['retried', true, 'hand'],
    ['extended', false, 'hand'],
  ] as const)('after the code "%s", with an answer of the coagent: %s, is %s', ([code, back, what]) => {
    const [entries, answer] = handedOnce(code, back);
    expect(nextMove(entries, { type: 'judge', rounds: 1, coagent: checker }, answer).do).toBe(what);
  });

  test('starts again with round 1 if a run that used all its rounds is retried', () => {
    const history = new Transcript([]);
    history.add({ kind: 'user', source: 'parent', text: 'Go.' });
    const criticised = judged({ type: 'judge', coagent: checker }, 0, heardOf('criticises'), () => false);
    const answers = [1, 2].map((round) => {
      const answer = history.add(wordsOf('Answer.'));
      const ways = { from: 'worker', to: 'checker', runId: `r${round}`, round, rounds: 2, answer: answer.n };
      history.add({ kind: 'handoff', ...ways, prompt: 'Look.' });
      history.add({ kind: 'handoff', ...ways, ...criticised });
      return answer;
    });
    const flow = { type: 'judge' as const, rounds: 2, coagent: checker };
    expect(nextMove(history.entries, flow, answers[1]!)).toEqual({ do: 'used' });
    history.add({ kind: 'system', code: 'retried', text: '' });
    expect(nextMove(history.entries, flow, answers[1]!)).toEqual({ do: 'hand', round: 1 });
  });
});

test('a reviewer that ends without a response does not pass the answer', () => {
  const heard = { outcome: 'completed' as const, text: '', error: null, entries: [] };
  const { back } = judged({ type: 'judge', coagent: checker }, 4, heard, () => true);
  const review = { answer: 4, verdict: { passed: false, score: null, critique: '' } };
  expect(back).toEqual({ outcome: 'completed', review });
});

describe('the score in a review', () => {
  test.for<[string, number | null]>([
    ['Score: 70', 70],
    ['Good.\n**Score:** 0 of 100', 0],
    ['score : 100/100\nmore', 100],
    ['- Score: 20\nScore: 40', 40],
    ['Score: 101', null],
    ['Score: 1000', null],
    ['The end is missing, so my score: 50 for now', 50],
    ['The underscore: 50', null],
    ['Nothing', null],
  ])('%j is read as %s', ([text, score]) => {
    expect(scoreIn(text)).toBe(score);
  });
});
