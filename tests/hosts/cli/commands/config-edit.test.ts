/** `triad config edit`: the person's own editor on the file itself, every key as a comment to begin with, a check at the end. */
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentText } from '../../../support/linking.ts';
import { folderWith } from '../../../support/workspace.ts';
import { memoryClient } from '../../support/memory-client.ts';
import { commandLine, typing } from '../../support/memory-io.ts';

type Editor = ((file: string) => Promise<boolean>) | null;

/** `editor`: null where none is set; undefined where nobody sits at a terminal. */
async function edit(what: string[], home: string, editor: Editor | undefined, folder = home) {
  const terminal = editor === undefined ? null : { ...typing([]), editFile: editor };
  const env = { TRIAD_HOME: home, HOME: home };
  return commandLine(memoryClient(), { terminal, env, folder })('config', 'edit', ...what);
}

/** Types a text in the place of what is there. */
const types =
  (change: (text: string) => string): Editor =>
  async (file) => {
    await writeFile(file, change(await readFile(file, 'utf8')));
    return true;
  };

test('a new file contains every key as a comment, and every uncommented key is valid', async () => {
  const home = await folderWith({});
  const file = join(home, 'config.toml');
  expect(await edit([], home, () => Promise.resolve(true))).toMatchObject({ code: 0, err: 'Nothing was changed.\n' });
  expect(await edit([], home, () => Promise.resolve(false))).toMatchObject({
    code: 1,
    err: 'The editor failed, and nothing was changed.\n',
  });
  await expect(stat(file), 'what nobody changed is not kept').rejects.toThrow('ENOENT');
  const uncommented = (text: string) =>
    text.replaceAll(/^# (?=[a-z_.]+ = )/gm, '').replaceAll('"…"', '"http://a.example/{query}"');
  const done = await edit(
    [],
    home,
    types((text) => uncommented(text).replaceAll(/^(?:web\.search\.key_header|providers\.embeddings) .*$/gm, '')),
  );
  expect(done).toMatchObject({
    code: 0,
    err: expect.stringContaining(`${file} is saved. It holds from the next start`) as unknown,
  });
  const text = await readFile(file, 'utf8');
  expect(text).toContain('\nlimits.max_sub_agents = 3\n');
  expect(text).toContain('\nproviders.ollama.type = "openai-chat"\n');
  const triad = commandLine(memoryClient(), { env: { TRIAD_HOME: home, HOME: home }, folder: home });
  expect(await triad('config', 'validate')).toMatchObject({ code: 0 });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test('saves invalid settings as typed, and reports each mistake with its location', async () => {
  const home = await folderWith({ 'config.toml': '# mine\n' });
  const typed = '# mine\n[limits]\n  max_sub_agents = 9\n';
  const { code, out, err } = await edit(
    [],
    home,
    types(() => typed),
  );
  expect(code).toBe(1);
  expect(out).toBe(
    `${join(home, 'config.toml')}:3:3: limits.max_sub_agents must be at most 3, not 9; to do: correct it\n`,
  );
  expect(err).toContain('is kept as you typed it');
  expect(await readFile(join(home, 'config.toml'), 'utf8')).toBe(typed);
});

test('edits agents, prices and project settings in their own files, and asks to copy a built-in agent first', async () => {
  const home = await folderWith({ 'agents/mine.md': agentText('mine') });
  const folder = await folderWith({});
  const wrong = await edit(
    ['agents.mine'],
    home,
    types((text) => text.replace('name:', 'modle: x\nname:')),
  );
  expect(wrong).toMatchObject({
    code: 1,
    out: expect.stringContaining('mine.md:2:1: unknown key modle; to do: write model') as unknown,
  });
  expect(await edit(['agents.worker'], home, () => Promise.resolve(true))).toMatchObject({
    code: 2,
    err: expect.stringContaining('"triad agents new worker --user --from worker"') as unknown,
  });
  expect((await edit(['agents.mnie'], home, null)).err).toContain('did you mean agents.mine?');
  expect(
    (
      await edit(
        ['prices'],
        home,
        types((text) => `${text}\n`),
      )
    ).code,
  ).toBe(0);
  expect(
    (
      await edit(
        ['project'],
        home,
        types((text) => text.replace('# limits.max_sub_agents = 3', 'limits.max_sub_agents = 1')),
        folder,
      )
    ).code,
  ).toBe(0);
  expect(await readFile(join(folder, '.triad/config.toml'), 'utf8')).toContain('\nlimits.max_sub_agents = 1\n');
});

test('without a terminal or an editor, prints one line of advice and writes nothing', async () => {
  const home = await folderWith({});
  const file = join(home, 'config.toml');
  expect(await edit([], home, undefined)).toMatchObject({
    code: 2,
    err: `triad: Nobody sits at a terminal here: change ${file}, then run "triad config validate"\n`,
  });
  expect((await edit([], home, null)).err).toContain('Set EDITOR to your editor');
  expect((await edit(['limits'], home, null)).err).toContain('"limits" is no file of settings');
  await expect(stat(file)).rejects.toThrow('ENOENT');
});
