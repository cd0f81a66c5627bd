/** Asking at the terminal: only a clear yes is a yes, and a question that is gone is not waited for. */
import { describe, expect, test } from 'vitest';
import type { Approval, ApprovalRequest } from '#contract/approval.ts';
import type { GrantScope } from '#contract/permission.ts';
import type { Client } from '#contract/rpc.ts';
import { TriadError } from '#core/base/errors.ts';
import { createAsker } from '#hosts/cli/follow/asker.ts';
import { asked, childId, decision, envelope, spawnRequest } from '../../support/events.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { memoryIo, typing } from '../../support/memory-io.ts';

const answering = () => memoryClient({ 'approval.decide': () => decision() });
const answers = ({ requests }: ReturnType<typeof memoryClient>) =>
  requests.map(({ input }) => input as { item: number; answer: unknown });

function asker(client: Client, terminal: ReturnType<typeof typing>) {
  return createAsker(client, terminal, memoryIo({ client }).screen, () => true);
}

const batch = (): Approval => {
  const item = { runId: childId, title: 'one', envelope, hash: 'h' };
  return {
    request: spawnRequest({ subject: { kind: 'envelopes', operation: 'parallel', items: [item, item] } }),
    decisions: [null, null],
  };
};

test('y allows, and any unclear answer asks again', async () => {
  const client = answering();
  const terminal = typing(['', 'maybe', 'Y ']);
  asker(client, terminal).update([asked()]);
  await expect.poll(() => answers(client)).toMatchObject([{ item: 0, answer: { kind: 'allow' } }]);
  expect(terminal.shown().match(/Allow\?/g)).toHaveLength(3);
});

test('n rejects with a reason for the agent', async () => {
  const client = answering();
  asker(client, typing(['n', ' too broad '])).update([asked()]);
  await expect.poll(() => answers(client)).toMatchObject([{ answer: { kind: 'reject', reason: 'too broad' } }]);
});

test('a closed terminal rejects the request', async () => {
  const client = answering();
  asker(client, typing([null])).update([asked()]);
  await expect.poll(() => answers(client)).toMatchObject([{ answer: { kind: 'reject' } }]);
});

test('e edits the prompt, shows it and asks again; y allows exactly the edited prompt', async () => {
  const client = answering();
  const terminal = typing(['e', 'y'], async (text) => `${text}, only errors`);
  asker(client, terminal).update([asked()]);
  await expect
    .poll(() => answers(client))
    .toMatchObject([{ answer: { kind: 'edit', value: { ...envelope, prompt: 'Review src/a.ts, only errors' } } }]);
  expect(terminal.shown()).toContain('prompt (edited) · 1 line, 28 characters\n  │ Review src/a.ts, only errors');
});

test('a failed or empty edit changes nothing', async () => {
  for (const result of [null, '  ', envelope.prompt]) {
    const client = answering();
    asker(
      client,
      typing(['e', 'y'], async () => result),
    ).update([asked()]);
    await expect.poll(() => answers(client)).toMatchObject([{ answer: { kind: 'allow' } }]);
  }
});

test('asks about the items of a batch one by one, each once', async () => {
  const client = answering();
  const questions = [batch()];
  const one = asker(client, typing(['y', 'n', '']));
  one.update(questions);
  one.update(questions);
  await expect
    .poll(() => answers(client))
    .toMatchObject([
      { item: 0, answer: { kind: 'allow' } },
      { item: 1, answer: { kind: 'reject' } },
    ]);
});

test('closes a question that was answered elsewhere, and asks the next one', async () => {
  const client = answering();
  const lines: string[] = [];
  const terminal = typing(lines);
  const one = asker(client, terminal);
  const [gone, next] = [asked(), asked()];
  one.update([gone, next]);
  await expect.poll(() => terminal.shown()).toContain('Allow?');
  lines.push('y');
  one.update([next]);
  await expect.poll(() => client.requests).toHaveLength(1);
  expect(client.requests[0]?.input).toMatchObject({ approvalId: next.request.id });
  expect(terminal.shown()).toContain('The question is closed.');
});

test('asks again with the reason if the answer is rejected', async () => {
  let tries = 0;
  const client = memoryClient({
    'approval.decide': () => {
      tries += 1;
      if (tries === 1) throw new TriadError('bad_input', 'The prompt is too long');
      return decision();
    },
  });
  const terminal = typing(['y', 'y']);
  asker(client, terminal).update([asked()]);
  await expect.poll(() => tries).toBe(2);
  expect(terminal.shown()).toContain('The prompt is too long');
});

test('close ends the open question without an answer', async () => {
  const client = answering();
  const terminal = typing([]);
  const one = asker(client, terminal);
  one.update([asked()]);
  await expect.poll(() => terminal.shown()).toContain('Allow?');
  await one.close();
  one.update([asked()]);
  expect(client.requests).toEqual([]);
});

test('discards input typed before the whole question is shown, also before each confirmation', async () => {
  const client = answering();
  const terminal = typing(['?', '', 'y', 'confirm']);
  asker(client, terminal).update([asked(spawnRequest({ reversible: false }))]);
  await expect.poll(() => answers(client)).toHaveLength(1);
  const after = terminal.dropped.map((at) => /^[^:]*: /.exec(terminal.shown().slice(at))?.[0]);
  expect(after).toEqual([
    expect.stringMatching(/^Allow\?/),
    expect.stringMatching(/^Allow\?/),
    expect.stringMatching(/^This cannot be undone/),
  ]);
});

test('discards input typed before the question of an agent is shown', async () => {
  const questions = [{ question: 'Which one?', kind: 'text' as const, choices: [] }];
  const terminal = typing(['This']);
  const client = answering();
  const subject = { kind: 'questions' as const, questions, folder: '/', hash: 'h' };
  asker(client, terminal).update([asked(spawnRequest({ subject }))]);
  await expect.poll(() => answers(client)).toHaveLength(1);
  expect(terminal.dropped).toHaveLength(1);
  expect(terminal.shown().slice(terminal.dropped[0])).toMatch(/^Your answer/);
});

test('prints a question longer than the screen to its end with a hint, and a short question without', async () => {
  const prompt = `Do it.${'\n'.repeat(601)}Then delete it.`;
  const item = { runId: childId, title: 'one', envelope: { ...envelope, prompt }, hash: 'h' };
  const request = spawnRequest({ subject: { kind: 'envelopes', operation: 'spawn', items: [item] } });
  const [short, long] = [typing(['y']), typing(['y'], null, 10)];
  for (const terminal of [short, long]) {
    const client = answering();
    asker(client, terminal).update([asked(request)]);
    await expect.poll(() => answers(client)).toHaveLength(1);
    expect(terminal.shown()).toContain(
      'prompt · 602 lines, 622 characters\n  │ Do it.\n  │ ⋯ 600 blank lines ⋯\n  │ Then delete it.\n',
    );
  }
  expect(short.shown()).not.toContain('more than the screen shows');
  expect(long.shown()).toMatch(
    /\(\d+ lines, more than the screen shows: scroll up to "── Approval" to read all of them\)\nAllow\?/,
  );
});

describe('Grants at the terminal', () => {
  const offer = { agent: 'lead', tool: 'write_file', pattern: 'docs/a.md' };
  const offered = (scopes: GrantScope[], rest: Partial<ApprovalRequest> = {}) =>
    asked(spawnRequest({ grant: { ...offer, scopes }, ...rest }));
  const all: GrantScope[] = ['workflow', 'conversation', 'project'];

  test.for([
    ['w', 'workflow'],
    ['c', 'conversation'],
    ['P ', 'project'],
    ['project', 'project'],
  ] as const)('%s grants the call in its scope, with the exact pattern', async ([typed, scope]) => {
    const client = answering();
    const terminal = typing([typed]);
    asker(client, terminal).update([offered(all)]);
    const grant = { scope, pattern: 'docs/a.md' };
    await expect.poll(() => answers(client)).toMatchObject([{ answer: { kind: 'allow', grant } }]);
    expect(terminal.shown()).toContain('More than once: lead may use write_file on docs/a.md, in this [w]orkflow');
    expect(terminal.shown()).toContain('Allow? [y]es, [n]o, [w]/[c]/[p], [?] ask first, then Enter: ');
  });

  test('y allows only once, and a scope that is not offered is no answer', async () => {
    const client = answering();
    const terminal = typing(['p', 'y']);
    asker(client, terminal).update([offered(['workflow', 'conversation'])]);
    await expect.poll(() => answers(client)).toHaveLength(1);
    expect(answers(client)[0]?.answer).toEqual({ kind: 'allow' });
    expect(terminal.shown()).not.toContain('[p]');
    expect(terminal.shown().match(/Allow\?/g)).toHaveLength(2);
  });

  test('an edited request can be allowed only once', async () => {
    const client = answering();
    const terminal = typing(['e', 'w', 'y'], async (text) => `${text}!`);
    asker(client, terminal).update([offered(all)]);
    await expect.poll(() => answers(client)).toMatchObject([{ answer: { kind: 'edit' } }]);
    expect(terminal.shown().split('(edited)')[1]).not.toContain('More than once');
  });

  test('an irreversible action requires a confirmation, also with a grant', async () => {
    const client = answering();
    asker(client, typing(['w', 'no', 'w', 'confirm'])).update([offered(all, { reversible: false })]);
    await expect
      .poll(() => answers(client))
      .toMatchObject([{ answer: { kind: 'allow', confirmed: true, grant: { scope: 'workflow' } } }]);
  });

  test('marks hidden characters in a pattern', async () => {
    const client = answering();
    const terminal = typing(['n', '']);
    const grant = { ...offer, pattern: 'a\u202Eb.md', scopes: all };
    asker(client, terminal).update([asked(spawnRequest({ grant }))]);
    await expect.poll(() => answers(client)).toHaveLength(1);
    expect(terminal.shown()).not.toContain('\u202E');
  });
});

const limit = (): Approval =>
  asked(
    spawnRequest({
      title: 'code-reviewer reached its limit of 40 turns',
      subject: {
        kind: 'limit',
        bound: { of: 'run', name: 'iterations', value: 40 },
        add: { iterations: 40 },
        folder: '/w',
        hash: 'h',
      },
    }),
  );

test.for<[string | null, object]>([
  ['e', { kind: 'allow' }],
  ['extend 15', { kind: 'edit', value: { iterations: 15 } }],
  ['f', { kind: 'reject', reason: '' }],
  [null, { kind: 'reject', reason: '' }],
])('%s answers the question of a run at its limit', async ([line, answer]) => {
  const client = answering();
  const terminal = typing(['y', 'e -3', line]);
  asker(client, terminal).update([limit()]);
  await expect.poll(() => answers(client)).toEqual([expect.objectContaining({ answer })]);
  expect(terminal.shown()).toContain('code-reviewer reached its limit of 40 turns');
  expect(terminal.shown().match(/\[e\]xtend \(or e NUMBER\), \[f\]inish now, \[s\]top/g)).toHaveLength(3);
});

test('s stops a run at its limit', async () => {
  const client = memoryClient({ 'run.stop': () => ({}) as never });
  const question = limit();
  asker(client, typing(['s'])).update([question]);
  await expect.poll(() => client.requests).toEqual([{ method: 'run.stop', input: { runId: question.request.runId } }]);
});
