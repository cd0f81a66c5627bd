/** A day's work in small: a failing test is found, mended and seen to pass, approved once by rules, and undone by one press. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Answer } from '#contract/approval.ts';
import { sandbox } from '../workspace/shell/support.ts';
import { startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { fullTest } from '../../support/samples.ts';
import { folderWith } from '../../support/workspace.ts';

const FILES = {
  'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }\n',
  'src/sum.js': 'export const sum = (a, b) => a - b;\n',
  'tests/sum.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { sum } from '../src/sum.js';

test('adds', () => assert.equal(sum(1, 2), 3));
`,
};
const RULES = `[[permissions.rules]]
effect = "allow"
tool = "bash"
pattern = "node tests/*"

[[permissions.rules]]
effect = "allow"
tool = "edit_file"
pattern = "src/**"
`;

fullTest(
  [
    'tests/core/tools/bash.test.ts › is required unless rules of the person allow each part of the command',
    'tests/core/tools/bash.test.ts › returns output, exit code and folder, and does not run a command that became irreversible',
    'tests/core/runs/undo.test.ts › undo restores bytes and mode and deletes a new file, and redo writes both again',
  ],
  sandbox !== null,
)(
  'finds a failing test, fixes the code and reruns the test under allow rules, and the edit can be undone',
  async () => {
    const tests = toolUse('bash', { command: 'node tests/sum.test.js' });
    const script = new Script();
    script.on({ step: 1 }).reply([tests]);
    script.on({ step: 2 }).reply([toolUse('read_file', { path: 'src/sum.js' })]);
    script
      .on({ step: 3 })
      .reply([toolUse('edit_file', { path: 'src/sum.js', edits: [{ old_text: 'a - b', new_text: 'a + b' }] })]);
    script.on({ step: 4 }).reply([tests]);
    script.on({}).reply([text('sum subtracted; it adds now, and its test passes.')]);
    const person = (): Answer => {
      throw new Error('Nobody should be asked');
    };
    const configFolder = await folderWith({ 'config.toml': RULES });
    const engine = await startEngine(script, { files: FILES, person, configFolder });
    expect((await engine.ask('Mend the failing test', 'none')).outcome).toBe('completed');

    const ends = engine.of('tool-end').map(({ entry }) => entry);
    expect(ends.map(({ name, status }) => [name, status])).toEqual([
      ['bash', 'error'],
      ['read_file', 'completed'],
      ['edit_file', 'completed'],
      ['bash', 'completed'],
    ]);
    expect(ends[0]?.output).toMatch(/fail 1[\s\S]*\[exit code 1\]$/);
    expect(ends[3]?.output).toMatch(/pass 1[\s\S]*\[exit code 0\]$/);
    expect(engine.of('approval-decide').map(({ decision }) => decision.decidedBy)).toEqual(['rule', 'rule', 'rule']);

    const { conversationId, runtime } = engine;
    const [change, ...others] = await runtime.request('change.list', { conversationId });
    expect([change?.files.map(({ path }) => path), others]).toEqual([['src/sum.js'], []]);
    const { runId, toolCallId } = change!;
    await runtime.request('change.undo', { conversationId, target: { runId, toolCallId } });
    expect(await readFile(join(engine.folder, 'src/sum.js'), 'utf8')).toBe(FILES['src/sum.js']);
  },
);
