// The editor of an agent's file: form and text meet in one text, and whatever happens on disk, nothing written is lost.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { AgentText } from '#contract/agent.ts';
import { editText, valuesOf } from '#core/agents/edit.ts';
import { keepAgentDraft, readAgentDraft } from '#lib/agents/agent-drafts.ts';
import { AgentEditor } from '#lib/agents/agent-editor.svelte.ts';
import { RequestError } from '#lib/words/request-error.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeConnection } from '../support/fake-connection.ts';
import { storage } from '../support/storage.ts';

const FILE = '/work/.triad/agents/a.md';
const text = (model: string, description = 'd') =>
  `---\nname: a\ndescription: ${description} # why\nmodel: ${model}\n---\nP\n`;
const clean = (value: string) => ({
  text: value,
  values: valuesOf(value, 'markdown'),
  report: { file: FILE, name: 'a', source: 'project' as const, ok: true, errors: [], warnings: [] },
});

/** A file on a disk of its own, with the real edits; null where there is none. */
function disk(now: string | null) {
  const state = { now };
  const read = (): AgentText => {
    if (state.now === null) throw new RequestError('not_found', 'it is not there any more');
    return { file: FILE, source: 'project', text: state.now, hash: `#${state.now}`, readOnly: null };
  };
  const connection = new FakeConnection()
    .on('agents.read', read)
    .on('agents.lint', (input) => clean(input.text))
    .on('agents.edit', ({ text: old, changes }) => clean(editText(old, 'markdown', changes)))
    .on('agents.save', ({ text: fresh, before }) => {
      if (before !== (state.now === null ? null : `#${state.now}`)) throw new RequestError('conflict', 'no');
      state.now = fresh;
      return read();
    });
  return Object.assign(state, { connection, editor: () => new AgentEditor(connection, '/work', FILE) });
}

async function opened(now: string) {
  const file = disk(now);
  const editor = file.editor();
  await editor.reload();
  await eventually(() => expect(editor.values).not.toBeNull());
  return { file, editor };
}

beforeEach(() => {
  vi.stubGlobal('localStorage', storage());
  return () => void vi.unstubAllGlobals();
});

describe('AgentEditor', () => {
  it('applies a change of the form to the text, and keeps text written meanwhile', async () => {
    const { editor } = await opened(text('haiku'));
    editor.change('model', 'opus');
    expect(editor.values?.['model'], 'at once').toBe('opus');
    editor.input(text('haiku', 'written'));
    editor.change('effort', 'high');
    await eventually(() => expect(editor.text).toBe(text('opus', 'written').replace('opus\n', 'opus\neffort: high\n')));
    expect(readAgentDraft(FILE)?.text).toBe(editor.text);
  });

  it('saves the last change of the form too, and is not dirty afterwards', async () => {
    const { file, editor } = await opened(text('haiku'));
    editor.change('model', 'opus');
    expect(await editor.save()).toBe(true);
    expect([file.now, editor.dirty, readAgentDraft(FILE)]).toEqual([text('opus'), false, null]);
  });

  it('follows the file on disk while the text is unchanged', async () => {
    const { file, editor } = await opened(text('haiku'));
    file.now = text('opus');
    await editor.reload();
    expect([editor.text, editor.theirs, editor.dirty]).toEqual([text('opus'), null, false]);
  });

  it('reports a conflict if text and file changed, and overwrites only the version that was shown', async () => {
    const { file, editor } = await opened(text('haiku'));
    editor.input(text('mine'));
    file.now = text('theirs');
    expect(await editor.save()).toBe(false);
    expect([file.now, editor.text]).toEqual([text('theirs'), text('mine')]);
    expect(editor.theirs).toMatchObject({ text: text('theirs') });
    editor.keepMine();
    file.now = text('theirs again');
    expect(await editor.save(), 'not what was seen').toBe(false);
    editor.keepMine();
    expect(await editor.save()).toBe(true);
    expect(file.now).toBe(text('mine'));
  });

  it('replaces the text by the version on disk on request', async () => {
    const { file, editor } = await opened(text('haiku'));
    editor.input(text('mine'));
    file.now = text('theirs');
    await editor.reload();
    expect(editor.takeTheirs()).toBe(true);
    expect([editor.text, editor.dirty, readAgentDraft(FILE)]).toEqual([text('theirs'), false, null]);
  });

  it('keeps the text of a deleted file, and can save it again', async () => {
    const { file, editor } = await opened(text('haiku'));
    editor.input(text('mine'));
    file.now = null;
    await editor.reload();
    expect(editor.theirs).toBe('gone');
    editor.keepMine();
    expect(await editor.save()).toBe(true);
    expect(file.now).toBe(text('mine'));
  });

  it('restores a draft, and reports a conflict if the file changed since', async () => {
    const { file, editor } = await opened(text('haiku'));
    editor.input(text('mine'));
    editor.close();
    const again = file.editor();
    await again.reload();
    expect([again.text, again.theirs, again.dirty]).toEqual([text('mine'), null, true]);
    file.now = text('theirs');
    const third = file.editor();
    await third.reload();
    expect([third.text, third.theirs]).toEqual([text('mine'), expect.objectContaining({ text: text('theirs') })]);
  });

  it('starts a new file from its draft, and creates nothing if the draft is discarded', async () => {
    keepAgentDraft({ folder: '/work', file: FILE, source: 'project', text: text('new'), before: null, prompt: null });
    const file = disk(null);
    const editor = file.editor();
    await editor.reload();
    expect([editor.text, editor.dirty, editor.theirs]).toEqual([text('new'), true, null]);
    editor.discard();
    expect([readAgentDraft(FILE), file.now]).toEqual([null, null]);
  });

  it('reports why a change of the form is not possible, and applies the next one', async () => {
    const { editor } = await opened(text('haiku'));
    editor.change('nothing', 'x');
    await eventually(() => expect(editor.problem).toContain('no key "nothing"'));
    editor.change('model', 'opus');
    await eventually(() => expect(editor.text).toBe(text('opus')));
    expect(editor.problem).toBe('');
  });

  describe('with a prompt in a separate file', () => {
    const PROMPT = '/config/prompts/system/a.md';

    /** A disk where the text names a prompt file, with what the program makes of a change of the prompt. */
    function diskWithPrompt(prompt: string) {
      const state = { text: text('haiku'), prompt };
      const read = (): AgentText => ({
        file: FILE,
        source: 'user',
        text: state.text,
        hash: `#${state.text}${state.prompt}`,
        readOnly: null,
        prompt: { key: 'prompt', file: PROMPT, text: state.prompt },
      });
      const lint = (value: string, unsaved = state.prompt) => ({
        ...clean(value),
        values: { ...valuesOf(value, 'markdown'), prompt: unsaved },
        prompt: { key: 'prompt', file: PROMPT, text: unsaved, isChanged: unsaved !== state.prompt },
      });
      const connection = new FakeConnection()
        .on('agents.read', read)
        .on('agents.lint', (input) => lint(input.text, input.prompt?.text))
        .on('agents.edit', ({ text: old, changes: { prompt: fresh, ...others }, prompt: unsaved }) =>
          lint(editText(old, 'markdown', others), typeof fresh === 'string' ? fresh : unsaved?.text),
        )
        .on('agents.save', ({ text: fresh, prompt: unsaved, before }) => {
          if (before !== `#${state.text}${state.prompt}`) throw new RequestError('conflict', 'no');
          Object.assign(state, { text: fresh, prompt: unsaved?.text ?? state.prompt });
          return read();
        });
      return Object.assign(state, { editor: () => new AgentEditor(connection, '/work', FILE) });
    }

    it('saves a change of the prompt with changes of other keys, and stores a draft before', async () => {
      const file = diskWithPrompt('You lead.');
      const editor = file.editor();
      await editor.reload();
      await eventually(() => expect(editor.values?.['prompt']).toBe('You lead.'));
      editor.change('prompt', 'You plan.');
      await eventually(() => expect(editor.prompt).toEqual({ file: PROMPT, text: 'You plan.' }));
      expect([editor.dirty, editor.text]).toEqual([true, text('haiku')]);
      const again = file.editor();
      await again.reload();
      await eventually(() => expect(again.values?.['prompt']).toBe('You plan.'));
      again.change('model', 'opus');
      expect(await again.save()).toBe(true);
      expect([file.text, file.prompt, again.dirty, readAgentDraft(FILE)]).toEqual([
        text('opus'),
        'You plan.',
        false,
        null,
      ]);
    });

    it('forgets a reverted change and a discarded change', async () => {
      const file = diskWithPrompt('You lead.');
      const editor = file.editor();
      await editor.reload();
      await eventually(() => expect(editor.values).not.toBeNull());
      editor.change('prompt', 'You plan.');
      await eventually(() => expect(editor.dirty).toBe(true));
      editor.change('prompt', 'You lead.');
      await eventually(() => expect(editor.dirty).toBe(false));
      editor.change('prompt', 'You plan.');
      await eventually(() => expect(editor.dirty).toBe(true));
      editor.discard();
      await eventually(() => expect(editor.values?.['prompt']).toBe('You lead.'));
      expect([editor.dirty, readAgentDraft(FILE)]).toEqual([false, null]);
    });

    it('reports a conflict if the prompt also changed on disk', async () => {
      const file = diskWithPrompt('You lead.');
      const editor = file.editor();
      await editor.reload();
      await eventually(() => expect(editor.values).not.toBeNull());
      editor.change('prompt', 'Mine');
      await eventually(() => expect(editor.prompt?.text).toBe('Mine'));
      file.prompt = 'Theirs';
      await editor.reload();
      expect(editor.theirs).toMatchObject({ prompt: { text: 'Theirs' } });
      editor.keepMine();
      expect(await editor.save()).toBe(true);
      expect(file.prompt).toBe('Mine');
    });
  });
});
