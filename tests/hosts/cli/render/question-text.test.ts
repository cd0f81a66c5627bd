/** A question shows all that a yes would allow, whole, and nothing of it hidden. */
import { expect, test } from 'vitest';
import type { ApprovalRequest } from '#contract/approval.ts';
import { questionText } from '#hosts/cli/render/question-text.ts';
import { plainStyle } from '#hosts/cli/terminal/style.ts';
import { envelope, spawnRequest } from '../../support/events.ts';

const show = (request = spawnRequest(), shown: typeof envelope | null = envelope) =>
  questionText(request, 0, shown, plainStyle);

test('shows the resolved envelope: agent, model, tools, permissions, limits and prompts', () => {
  const text = show();
  for (const line of [
    '── Approval: Start code-reviewer',
    'asked by     lead → code-reviewer',
    'risk         medium\n',
    'agent        code-reviewer (made for this task) wants to start',
    'may          read this folder · write: no · run: no · net: no\n',
    'with         claude-sonnet-5-5 · at anthropic · in /tmp/work\n',
    'at most      20 turns · 8.2K tokens an answer\n',
    'model        claude-sonnet-5-5 (anthropic), at most 8192 tokens a turn',
    'tools        grep, read_file',
    'MCP servers  none',
    'permissions  FilesystemRead',
    'folder       /tmp/work',
    'limits       20 turns, 300 s without a sign of life',
    '│ You review code.',
    '│ Review src/a.ts',
  ]) {
    expect(text).toContain(line);
  }
});

test('states that a call can be undone only for writes; for an action it quotes the agent', () => {
  const shared = { folder: '/', input: {}, hash: 'h' };
  const preview = { path: 'a.md', diff: '', added: 1, removed: 0, created: true };
  const risk = (subject: ApprovalRequest['subject'], reversible = true) =>
    /risk +(.*)/.exec(show(spawnRequest({ subject, reversible }), null))?.[1];
  expect(risk({ kind: 'tool', tool: 'write_file', preview, ...shared })).toBe('medium, can be undone');
  expect(risk({ kind: 'tool', tool: 'read_file', preview: null, ...shared })).toBe('medium');
  expect(risk({ kind: 'tool', tool: 'other', preview: null, ...shared }, false)).toBe('medium, cannot be undone');
  const action = { kind: 'action', action: 'Send it', reason: 'Why', impact: null, ...shared } as const;
  expect(risk(action)).toBe('medium; its agent says that it can be undone');
  expect(risk(action, false)).toBe('medium; its agent says that it cannot be undone');
});

test('shows a limit that was cut in one line, unless the user changed it', () => {
  const cut = [{ limit: 'maxIterations' as const, wanted: 150, most: 20 }];
  expect(show(spawnRequest(), { ...envelope, cut })).toContain(
    '  cut          iterations cut from 150 to 20: limits.max_iterations_ceiling of the settings\n',
  );
  const limits = { ...envelope.limits, maxIterations: 5 };
  for (const other of [envelope, { ...envelope, cut, limits }])
    expect(show(spawnRequest(), other)).not.toContain(' cut ');
});

test('shows budget, repeat limit, always-ask permissions and review if they are set', () => {
  const text = show(spawnRequest(), {
    ...envelope,
    limits: { ...envelope.limits, doomLoopThreshold: 5, budget: { tokens: 50_000, costUsd: 2.5, minutes: 10 } },
    requiresApproval: ['FilesystemWrite'],
    approvalTimeoutMs: 60_000,
    reflection: { criteria: 'It names the file.\nIt names the line.', maxRetries: 2 },
  });
  expect(text).toContain('budget       50000 tokens, $2.5, 10 min');
  expect(text).toContain('repeats      told after 5 identical calls, ended after 10');
  expect(text).toContain('always asks  FilesystemWrite');
  expect(text).toContain('waits        60 s for an answer');
  expect(text).toContain(
    'reviews      up to 2 more tries, against (2 lines, 37 characters) It names the file.\n               It names the line.',
  );
  expect(show()).not.toMatch(/budget|repeats|always asks|reviews/);
});

/** A sub-agent with a coagent, and one stage after it that has a coagent of its own. */
function servedRequest() {
  const { prompt: _, stages: __, ...part } = envelope;
  const ownActions = (says: string) => ({
    writers: ['write_file'],
    byMode: { manual: says, selective: says, auto: says },
    without: 'It only reads.',
  });
  const flow = (type: 'smart' | 'judge', coagent: typeof part) => ({
    type,
    rounds: 3,
    primary: 'builder',
    coagent,
    handoff: { type: 'template' as const, text: `Look at {{answer}} as ${type}.` },
  });
  const reviewer = {
    ...part,
    agent: 'reviewer',
    definitionHash: 'h',
    tools: ['write_file'],
    systemPrompt: 'Be strict.',
  };
  const checker = { ...part, agent: 'checker', model: 'haiku', systemPrompt: 'Check it.' };
  const writer = { ...part, agent: 'writer', systemPrompt: 'Write it.', flow: flow('judge', checker) };
  const output = { format: 'json' as const, schema: { type: 'object' }, next: 'writer' };
  const instructions = [{ path: 'AGENTS.md', hash: 'h', text: 'Run the tests.', cut: true as const }];
  const shown = { ...envelope, output, instructions, flow: flow('smart', reviewer), stages: [writer] };
  const served = [
    { agent: 'reviewer', ownActions: ownActions('Asks before it writes.') },
    { agent: 'writer', ownActions: ownActions('no') },
    { agent: 'checker', ownActions: ownActions('no') },
  ];
  const worst = { requests: 140, nanoUsd: 12_391_000_001 };
  const item = { runId: 'r', title: 'Look', hash: 'h', envelope: shown, served, worst };
  return {
    shown,
    item,
    request: spawnRequest({ subject: { kind: 'envelopes', operation: 'delegate', items: [item] } }),
  };
}

test('shows coagents and stages in full, with the upper limit of requests', () => {
  const { request, shown, item } = servedRequest();
  const text = show(request, shown);
  for (const line of [
    'who works    code-reviewer with the coagent reviewer, smart, at most 3 rounds, then writer with the coagent checker, judge, at most 3 rounds\n',
    'in all       at most 140 requests\n',
    'must end as  json by the schema {"type":"object"}, for writer\n',
    '  told from AGENTS.md (its beginning) · 1 line, 14 characters\n  │ Run the tests.\n',
    '  ── Coagent of code-reviewer: reviewer\n  takes turns  with the coagent reviewer, smart, at most 3 rounds\n',
    'tools        write_file\n',
    'its actions  Asks before it writes.\n',
    '  │ Be strict.\n',
    '  handoff (template) · 1 line, 28 characters\n  │ Look at {{answer}} as smart.\n',
    '  ── Stage 1 of 1: writer (made for this task)\n',
    '  │ Write it.\n',
    '  ── Coagent of writer: checker (made for this task)\n',
    'model        haiku (anthropic)',
    '  │ Check it.\n',
    '  │ Look at {{answer}} as judge.',
  ])
    expect(text).toContain(line);
  expect(text.match(/its actions {2}It only reads\./g)).toHaveLength(2);
  const unpriced = { ...item, worst: { requests: 1, nanoUsd: null } };
  const subject = { kind: 'envelopes' as const, operation: 'delegate' as const, items: [unpriced] };
  expect(show(spawnRequest({ subject }), shown)).toContain('in all       at most 1 request\n');
  expect(show()).not.toMatch(/who works|in all|Stage|Coagent/);
});

test('shows the rounds and the handoff of an agent that loops', () => {
  const flow = {
    type: 'loop' as const,
    rounds: 1,
    primary: 'builder',
    handoff: { type: 'static' as const, text: 'On.' },
  };
  const text = show(spawnRequest(), { ...envelope, flow });
  expect(text).toContain(
    'goes on      going on by itself, loop, at most 1 round\n  handoff (static) · 1 line, 3 characters\n  │ On.',
  );
  expect(show(spawnRequest(), { ...envelope, flow: { ...flow, type: 'hitl' } })).not.toMatch(
    /who works|goes on|handoff/,
  );
});

test('a title, question or choice cannot add a line of its own', () => {
  expect(show(spawnRequest({ title: 'Look\n  risk         low' }))).not.toMatch(/^ {2}risk {9}low/m);
  const choices = [
    { label: 'Keep\n     2  Keep', description: null },
    { label: 'Remove', description: 'all\n     3  Ask' },
  ];
  const questions = [{ question: 'What now?\n     1  Wait', kind: 'single' as const, choices }];
  const subject = { kind: 'questions' as const, questions, folder: '/', hash: 'h' };
  const lines = show(spawnRequest({ subject }), null).split('\n');
  expect(lines.filter((line) => /^ {5}\d/.test(line))).toEqual(['     1  Keep', '     2  Remove — all']);
});

test('a prompt of any length is shown to its end', () => {
  const prompt = Array.from({ length: 3000 }, (_, n) => `line ${n}`).join('\n');
  expect(show(spawnRequest(), { ...envelope, prompt })).toMatch(/│ line 0\n[\s\S]*│ line 2999$/);
});

test('marks an edited prompt', () => {
  expect(show(spawnRequest(), { ...envelope, prompt: 'Other' })).toContain(
    'prompt (edited) · 1 line, 5 characters\n  │ Other',
  );
  expect(show()).not.toContain('(edited)');
});

test('marks hidden characters in every field', () => {
  const bad = 'x\u001b[2J\u202e\u200b';
  const text = show(spawnRequest({ title: bad, description: bad, chain: ['user', bad] }), {
    ...envelope,
    agent: bad,
    systemPrompt: bad,
    prompt: bad,
    model: bad,
    folder: bad,
    tools: [bad],
  });
  // oxlint-disable-next-line no-control-regex -- they must not be there
  expect(text).not.toMatch(/[\u001b\u202e\u200b]/);
  expect(text.match(/x⟦U\+001B⟧\[2J⟦U\+202E⟧⟦U\+200B⟧/g)).toHaveLength(11);
});

test('shows the whole input of a call, or its diff', () => {
  const subject = {
    kind: 'tool',
    tool: 'write_file',
    input: { path: 'a', content: 'b\u202e' },
    folder: '/tmp/work',
    preview: null,
    hash: 'h',
  } as const;
  expect(show(spawnRequest({ subject }), null)).toContain('│   "content": "b⟦U+202E⟧"');
  const preview = { path: 'a.txt', diff: '@@ -1 +1 @@\n-old\n+new\n', added: 1, removed: 1, created: false };
  const text = show(spawnRequest({ subject: { ...subject, preview }, reversible: false }), null);
  expect(text).toContain(
    'file         a.txt (+1 −1)\n  changes · 3 lines, 22 characters\n  @@ -1 +1 @@\n  -old\n  +new',
  );
  expect(text).toContain('cannot be undone');
});

test('shows the end of a change after many blank lines', () => {
  const diff = `@@ -0,0 +1,603 @@\n+one\n${'+\n'.repeat(600)}+rm\u202e\n+\n+\n`;
  const preview = { path: 'a.sh', diff, added: 604, removed: 0, created: true };
  const subject = { kind: 'tool', tool: 'write_file', input: {}, folder: '/', preview, hash: 'h' } as const;
  expect(show(spawnRequest({ subject }), null)).toContain('  +one\n  +⋯ 600 blank lines ⋯\n  +rm⟦U+202E⟧\n  +\n  +');
});

test('shows a command as written, with its start folder', () => {
  const input = { command: 'cd "$1"\nrm -rf *\u202e', background: true };
  const call = { kind: 'tool', tool: 'bash', input, preview: null, folder: '/tmp/work', hash: 'h' } as const;
  const text = show(spawnRequest({ subject: { ...call, startsIn: 'web/app' } }), null);
  expect(text).toContain('  folder       /tmp/work/web/app\n');
  expect(text).toContain('  │ cd "$1"\n  │ rm -rf *⟦U+202E⟧\n');
  expect(text).toContain('  │   "background": true\n');
  expect(show(spawnRequest({ subject: call }), null)).toContain('  folder       /tmp/work\n');
});
