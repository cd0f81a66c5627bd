// An answer carries what was changed, and nothing when nothing was.
import { describe, expect, it } from 'vitest';
import { EnvelopeDraft, NotJson, ToolDraft } from '#lib/app/approval-draft.svelte.ts';
import { ActionDraft, LimitDraft, ReplyDraft } from '#lib/app/reply-draft.svelte.ts';
import { envelopeOf } from '../../support/envelope.ts';

describe('EnvelopeDraft', () => {
  it('answers with a plain allow until a value differs', () => {
    const draft = new EnvelopeDraft(envelopeOf('a', 'Look.'));
    draft.value.prompt = 'Look again.';
    draft.value.prompt = 'Look.';
    expect(draft.edited).toEqual([]);
    expect(draft.answer()).toEqual({ kind: 'allow' });
  });

  it('names the edited fields and sends the whole envelope', () => {
    const original = envelopeOf('a', 'Look.');
    const draft = new EnvelopeDraft(original);
    draft.value.model = 'claude-haiku-5-5';
    draft.toggleTool('write_file', false);
    draft.toggleTool('glob', true);
    expect(draft.edited).toEqual(['model', 'tools']);
    expect(draft.answer()).toEqual({
      kind: 'edit',
      value: { ...original, model: 'claude-haiku-5-5', tools: ['glob', 'read_file'] },
    });
    draft.reset();
    expect(draft.answer()).toEqual({ kind: 'allow' });
  });

  it('sends the edits of coagents and stages, and names each with its agent', () => {
    const { prompt: _, stages: __, ...part } = envelopeOf('writer', 'Look.', { tools: ['read_file', 'write_file'] });
    const handoff = { type: 'static', text: 'Look.' } as const;
    const flow = { type: 'smart', rounds: 3, primary: 'a', coagent: { ...part, agent: 'reviewer' }, handoff } as const;
    const original = { ...envelopeOf('a', 'Look.'), flow, stages: [part] };
    const draft = new EnvelopeDraft(original);
    const [reviewer, writer] = draft.served;
    reviewer!.toggleTool('read_file', false);
    writer!.value.limits.maxIterations = 2;
    writer!.moveTo('local', 'llama');
    expect(draft.changed).toEqual([
      'tools (reviewer)',
      'provider (writer)',
      'model (writer)',
      'maxIterations (writer)',
    ]);
    expect(reviewer!.edited).toEqual(['tools']);
    const stage = { ...part, provider: 'local', model: 'llama', limits: { ...part.limits, maxIterations: 2 } };
    expect(draft.answer()).toEqual({
      kind: 'edit',
      value: { ...original, flow: { ...flow, coagent: { ...flow.coagent, tools: ['write_file'] } }, stages: [stage] },
    });
    draft.reset();
    expect(draft.answer()).toEqual({ kind: 'allow' });
    expect(reviewer!.value.tools).toEqual(part.tools);
  });

  it('moves to a model of another provider, and back to its own provider', () => {
    const original = envelopeOf('a', 'Look.');
    const draft = new EnvelopeDraft(original);
    draft.moveTo('local', 'llama');
    expect(draft.answer()).toEqual({ kind: 'edit', value: { ...original, provider: 'local', model: 'llama' } });
    draft.moveTo(original.provider, 'another');
    expect(draft.answer()).toEqual({ kind: 'allow' });
  });
});

describe('ToolDraft of an MCP tool', () => {
  it('edits the input as one JSON text, whatever its field names are', () => {
    const input = { path: 'a', content: 'b', command: 'c' };
    for (const given of [input, { path: 'a', content: 'b' }, { command: 'c' }]) {
      const draft = new ToolDraft(given, null, true);
      expect(JSON.parse(draft.json)).toEqual(given);
      expect([draft.path, draft.content, draft.command]).toEqual([null, null, null]);
      expect(draft.answer()).toEqual({ kind: 'allow' });
      draft.json = '{"path":"x"}';
      expect(draft.answer()).toEqual({ kind: 'edit', value: { path: 'x' } });
      draft.reset();
      expect(draft.edited).toEqual([]);
    }
  });
});

describe('LimitDraft', () => {
  const limit = (name: 'costUsd' | 'iterations', value: number) =>
    new LimitDraft({
      kind: 'limit',
      bound: { of: 'run', name, value },
      add: { [name]: value },
      folder: '/',
      hash: 'h',
    });

  it('extends the limit by its own size, or by the given amount', () => {
    const draft = limit('iterations', 40);
    expect(draft.answer()).toEqual({ kind: 'allow' });
    draft.amount = 15;
    expect(draft.answer()).toEqual({ kind: 'edit', value: { iterations: 15 } });
  });

  it('accepts fractions of a dollar but not of a turn, and only amounts above zero', () => {
    const [turns, cost] = [limit('iterations', 40), limit('costUsd', 2)];
    const valid = (draft: LimitDraft, amount: number | null) => Object.assign(draft, { amount }).isValid;
    expect([valid(turns, 1.5), valid(turns, 0), valid(turns, null), valid(turns, 2)]).toEqual([
      false,
      false,
      false,
      true,
    ]);
    expect([valid(cost, 1.5), valid(cost, -1)]).toEqual([true, false]);
  });
});

describe('the budget of an envelope', () => {
  it('exists while a value is set, and disappears without values', () => {
    const original = envelopeOf('a', 'Look.');
    const draft = new EnvelopeDraft(original);
    draft.setBudget('tokens', 5000);
    draft.setBudget('minutes', 2);
    expect(draft.edited).toEqual(['limits']);
    const limits = { ...original.limits, budget: { tokens: 5000, minutes: 2 } };
    expect(draft.answer()).toEqual({ kind: 'edit', value: { ...original, limits } });
    draft.setBudget('tokens', null);
    draft.setBudget('minutes', null);
    expect(draft.answer(), 'as it came').toEqual({ kind: 'allow' });
  });
});

describe('the fields of an envelope', () => {
  it('are counted one by one as edits, and a problem stays until its field changes', () => {
    const draft = new EnvelopeDraft(envelopeOf('a', 'Look.'));
    draft.value.limits.maxIterations = 900;
    draft.setBudget('minutes', 0);
    expect(draft.edits).toBe(2);
    draft.answer();
    const problems = [{ field: 'maxIterations' }, { field: 'minutes' }];
    expect(draft.unfixed(problems)).toEqual(problems);
    draft.setBudget('minutes', null);
    expect(draft.unfixed(problems)).toEqual([{ field: 'maxIterations' }]);
  });
});

describe('ToolDraft', () => {
  it('has boxes for the path and content of a file', () => {
    const draft = new ToolDraft({ path: 'a.txt', content: 'old', mode: 1 });
    expect([draft.path, draft.content, JSON.parse(draft.json)]).toEqual(['a.txt', 'old', { mode: 1 }]);
    draft.content = 'new';
    expect(draft.answer()).toEqual({ kind: 'edit', value: { mode: 1, path: 'a.txt', content: 'new' } });
  });

  it('has a field for a command with its real line breaks', () => {
    const command = 'echo "a"\nls';
    const draft = new ToolDraft({ command, timeout_seconds: 5 });
    expect([draft.command, draft.path, JSON.parse(draft.json)]).toEqual([command, null, { timeout_seconds: 5 }]);
    draft.command = 'ls';
    expect(draft.edited).toEqual(['command']);
    expect(draft.answer()).toEqual({ kind: 'edit', value: { timeout_seconds: 5, command: 'ls' } });
    expect(new ToolDraft({ command: 'ls' }).json).toBe('');
  });

  it('edits other inputs as JSON, and rejects invalid JSON', () => {
    const draft = new ToolDraft({ query: 'x' });
    expect(draft.answer()).toEqual({ kind: 'allow' });
    draft.json = '{"query": "y"}';
    expect(draft.answer()).toEqual({ kind: 'edit', value: { query: 'y' } });
    draft.json = '{"query": ';
    expect(() => draft.answer()).toThrow(NotJson);
  });
});

describe('ReplyDraft', () => {
  const choices = [
    { label: 'Old', description: '' },
    { label: 'New', description: '' },
  ];
  const questions = [
    { question: 'Which parser stays?', kind: 'single' as const, choices },
    { question: 'What is it called?', kind: 'text' as const, choices: [] },
  ];

  it('sends choices and written answers, and null for an empty field', () => {
    const draft = new ReplyDraft(questions);
    expect(draft.answered).toBe(0);
    draft.choose(0, 'Old', true);
    draft.choose(0, 'New', true);
    draft.write(1, ' ');
    expect(draft.answered).toBe(1);
    expect(draft.answer()).toEqual({ kind: 'reply', replies: [{ chosen: ['New'], words: '' }, null] });
  });

  it('skips every question and discards written answers', () => {
    const draft = new ReplyDraft(questions);
    draft.write(1, 'Parser');
    expect(draft.skipped()).toEqual({ kind: 'reply', replies: [null, null] });
  });
});

describe('ActionDraft', () => {
  it('allows an unchanged action, and sends an edited action with the rest of the input', () => {
    const input = { action: 'Rewrite the parser', reason: 'It is slow' };
    const draft = new ActionDraft({ kind: 'action', ...input, impact: null, input, folder: '/', hash: 'h' });
    expect(draft.answer()).toEqual({ kind: 'allow' });
    draft.action = 'Rewrite its tests';
    expect(draft.answer()).toEqual({ kind: 'edit', value: { ...input, action: 'Rewrite its tests' } });
  });
});
