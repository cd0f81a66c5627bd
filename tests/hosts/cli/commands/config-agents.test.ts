/** `triad config get` and `set` with the path of a key of an agent, a composition or the settings. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { plainAnswer } from '../../../support/fake-model/scenarios.ts';
import { agentText } from '../../../support/linking.ts';
import { inProcess } from '../../support/engine.ts';
import { machine } from '../../support/process.ts';

const PAIR = `# mine
[agent]
name = "PAIR"
description = "Two"
[composition]
primary = "worker"
coagent = "reviewer"
[control_flow]
type = "judge"
`;
const FILES = { 'agents/mine.md': agentText('mine', '# mine'), 'compositions/PAIR.toml': PAIR };

test('sets and prints a key of an agent, a composition or the settings in its file', async () => {
  const home = await machine(plainAnswer());
  const triad = inProcess(home, 'kept');
  for (const [file, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(home.home, file)), { recursive: true });
    await writeFile(join(home.home, file), content);
  }
  for (const [path, value, file, line] of [
    ['agents.mine.model', 'opus', 'agents/mine.md', 'model: opus'],
    ['agents.mine.max_iterations', '7', 'agents/mine.md', 'max_iterations: 7'],
    ['agents.mine.doom_loop_threshold', '5', 'agents/mine.md', 'doom_loop_threshold: 5'],
    ['compositions.PAIR.control_flow.max_rounds', '5', 'compositions/PAIR.toml', 'max_rounds = 5'],
    ['limits.doom_loop_threshold', '4', 'config.toml', 'doom_loop_threshold = 4'],
  ] as const) {
    expect((await triad(['config', 'get', path])).out, path).not.toBe(`${value}\n`);
    expect(await triad(['config', 'set', path, value]), path).toMatchObject({ code: 0 });
    expect(await triad(['config', 'get', path]), path).toMatchObject({ code: 0, out: `${value}\n` });
    const text = await readFile(join(home.home, file), 'utf8');
    expect(text).toContain(line);
    if (file in FILES) expect(text).toContain('# mine');
  }
});
