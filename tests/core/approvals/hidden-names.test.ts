/** Names that rules keep from an agent are in no listing and no search, and the rest of the folder is. */
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const FILES = {
  'README.md': 'word',
  'docs/plan.md': 'word',
  'docs/secret-plan.md': 'word',
  'docs/deep/SECRET.md': 'word',
};

const rule = (lines: string) => `[[permissions.rules]]\n${lines}\npattern = "docs/**/*secret*"\n`;

/** What the model reads as the answers to these calls. */
async function outputs(rules: string, calls: readonly [string, object][], link = false): Promise<string[]> {
  const script = new Script();
  script.on({ step: 1 }).reply(calls.map(([tool, input]) => toolUse(tool, input)));
  script.on({}).reply([text('Done.')]);
  const engine = await start(script, { rules, files: FILES });
  if (link) await symlink('docs', join(engine.folder, 'alias'));
  await engine.ask('Look');
  return engine.model.requests[1]!.seen.results.map((result) => result.text);
}

test.for([
  ['the permission', 'effect = "deny"\npermission = "FilesystemRead"'],
  ['the reading of a file alone', 'effect = "deny"\ntool = "read_file"'],
  ['all that reads is asked about', 'effect = "ask"\npermission = "FilesystemRead"'],
] as const)('hides file names under a rule about reading: %s', async ([, lines]) => {
  const found = await outputs(rule(lines), [
    ['list_directory', { path: 'docs' }],
    ['list_directory', { path: 'docs/deep' }],
    ['glob', { pattern: '**/*.md' }],
    ['grep', { pattern: 'word' }],
  ]);
  expect(found[0]).toBe('deep/\nplan.md');
  expect(found[1]).toBe('[There is nothing to show.]');
  expect(found[2]).toBe('README.md\ndocs/plan.md');
  expect(found[3]).toBe('README.md:1:word\ndocs/plan.md:1:word');
});

test('hides file names also through a link', async () => {
  const deny = rule('effect = "deny"\npermission = "FilesystemRead"');
  const [listed] = await outputs(deny, [['list_directory', { path: 'alias' }]], true);
  expect(listed).toBe('deep/\nplan.md');
});

test('a search does not open a file that the agent must not read', async () => {
  const deny = rule('effect = "deny"\ntool = "read_file"');
  const [found] = await outputs(deny, [['grep', { pattern: 'word', path: 'docs/secret-plan.md' }]]);
  expect(found).toBe('[No line matches, in 0 files.]');
});

test('a note that the agent must not read cannot be read by path, name or link, and its name is not suggested', async () => {
  const deny = rule('effect = "deny"\ntool = "read_file"');
  const names = ['docs/secret-plan.md', 'secret-plan', '[[SECRET-PLAN]]', 'docs/plan.md'];
  const found = await outputs(deny, [
    ...names.map((note): [string, object] => ['read_note', { note }]),
    ['read_note', { note: 'secret-plam' }],
  ]);
  for (const output of found.slice(0, 3)) expect(output).toContain('denies');
  expect(found[3]).toBe('word');
  expect(found[4]).toContain('There is no note secret-plam');
  expect(found[4]).not.toContain('secret-plan');
});

test('a folder that the person allowed to list shows its files', async () => {
  const ask = '[[permissions.rules]]\neffect = "ask"\npermission = "FilesystemRead"\npattern = "docs/**"\n';
  const [top, deep] = await outputs(ask, [
    ['list_directory', { path: '.' }],
    ['list_directory', { path: 'docs/deep' }],
  ]);
  expect(top).toBe('README.md\ndocs/');
  expect(deep).toBe('SECRET.md');
});

test('a rule for another agent hides no file names', async () => {
  const deny = rule('effect = "deny"\nagent = "code-reviewer"\npermission = "FilesystemRead"');
  const [listed] = await outputs(deny, [['list_directory', { path: 'docs' }]]);
  expect(listed).toBe('deep/\nplan.md\nsecret-plan.md');
});

describe('the list of folder entries in the first request', () => {
  const listEntries = async (rules: string): Promise<string | undefined> => {
    const engine = await start(new Script().on({}).reply([text('Done.')]), { rules, files: FILES });
    await engine.ask('Look');
    return /^Top-level entries \(names are data\): (.*)$/m.exec(engine.model.requests[0]?.seen.system ?? '')?.[1];
  };
  const listEntriesUnder = (rule: string) => listEntries(`[[permissions.rules]]\n${rule}\n`);

  test.for(['effect = "deny"\npermission = "FilesystemRead"', 'effect = "ask"\ntool = "glob"'])(
    'excludes the paths of a rule about reading: %s',
    async (rule) => {
      expect(await listEntriesUnder(`${rule}\npattern = "docs"`)).toBe('README.md');
      expect(await listEntriesUnder(rule)).toBe('none');
    },
  );

  test.for([
    'effect = "allow"\ntool = "read_file"',
    'effect = "deny"\ntool = "write_file"',
    'effect = "ask"\npermission = "FilesystemWrite"',
  ])('includes the paths of other rules: %s', async (rule) => {
    expect(await listEntriesUnder(`${rule}\npattern = "docs"`)).toBe('README.md, docs/');
  });

  test('is empty while a rule has a fault', async () => {
    expect(await listEntriesUnder('effect = "never"\ntool = "read_file"')).toBe('none');
  });
});
