/** Every list of the settings, which is written in the file alone, changes what is seen. */
import { expect, test } from 'vitest';
import { settingsOf } from '../../support/compose.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { LEAD, plainAnswer } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

const README = { path: 'README.md', content: 'Changed.' };

interface ListProof {
  /** TOML of the list; the rest of the file is the same with it and without. */
  list: string;
  rest?: string;
  script: () => Script;
  /** What is seen of a message. */
  seen: (engine: Harness) => Promise<unknown>;
  without: unknown;
  withIt: unknown;
}

/** One call, and the end. */
const calls = (name: string, input: object) => (): Script =>
  new Script()
    .on({ step: 1 })
    .reply([toolUse(name, input)])
    .on({})
    .reply([text('Done.')]);

async function answered(engine: Harness) {
  await engine.ask('Go');
  const done = engine.of('tool-end').map(({ entry }) => entry.status);
  const asked = engine.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person').length;
  return { asked, done };
}

/** What is left of the answer in an export. */
function exported(answer: string, redacted: string): Omit<ListProof, 'list'> {
  return {
    script: () => plainAnswer({ answer }),
    seen: async (engine) => {
      const { runtime, conversationId } = engine;
      await engine.ask('Go');
      const { text: whole } = await runtime.request('conversation.export', { conversationId, format: 'md' });
      return /^It has the .*$/m.exec(whole)?.[0];
    },
    without: answer,
    withIt: `It has the ${redacted}.`,
  };
}

const LISTS: Readonly<Record<string, ListProof>> = {
  'permissions.rules': {
    list: '[[permissions.rules]]\neffect = "deny"\ntool = "write_file"\n',
    script: calls('write_file', README),
    seen: answered,
    without: { asked: 1, done: ['completed'] },
    withIt: { asked: 0, done: ['error'] },
  },
  'permissions.always_ask': {
    list: 'permissions.always_ask = ["new.md"]\n',
    rest: 'permissions.mode = "selective"\n',
    script: calls('write_file', { path: 'new.md', content: 'New.' }),
    seen: answered,
    without: { asked: 0, done: ['completed'] },
    withIt: { asked: 1, done: ['completed'] },
  },
  'permissions.secret_files': {
    list: 'permissions.secret_files = ["README.md"]\n',
    script: calls('read_file', { path: 'README.md' }),
    seen: answered,
    without: { asked: 0, done: ['completed'] },
    withIt: { asked: 0, done: ['error'] },
  },
  'web.private_hosts': {
    list: 'web.private_hosts = ["127.0.0.1:9"]\n',
    script: calls('web_fetch', { url: 'http://127.0.0.1:9/' }),
    seen: async (engine) => {
      await engine.ask('Go');
      return engine.of('tool-end')[0]?.entry.output;
    },
    without: expect.stringMatching(/^127\.0\.0\.1:9 is not public/),
    withIt: 'http://127.0.0.1:9/ could not be read: nothing answers there',
  },
  'sandbox.readable': {
    list: `sandbox.readable = ["${import.meta.filename}"]\n`,
    script: calls('bash', { command: `head -c 3 ${import.meta.filename}` }),
    seen: answered,
    without: { asked: 1, done: ['error'] },
    withIt: { asked: 1, done: ['completed'] },
  },
  'models.enabled': {
    list: 'models.enabled = ["haiku"]\n',
    rest: 'models.default = "haiku"\n',
    script: () =>
      new Script()
        .on({ ...LEAD, step: 1 })
        .reply([toolUse('spawn_agent', { operation: 'spawn', name: 'one', prompt: 'Do it.', model: 'opus' })])
        .on({})
        .reply([text('Done.')]),
    seen: async (engine) => {
      const { provider } = await engine.runtime.request('app.state', {});
      await engine.ask('Go');
      const asked = engine.model.requests.map(({ body }) => body.model);
      return { offered: provider.models.map(({ alias }) => alias), asked };
    },
    without: {
      offered: ['sonnet', 'haiku', 'opus'],
      asked: ['claude-haiku-5-5', 'claude-opus-5-5', 'claude-haiku-5-5'],
    },
    withIt: { offered: ['haiku'], asked: ['claude-haiku-5-5', 'claude-haiku-5-5'] },
  },
  'redact.patterns': {
    list: 'redact.patterns = ["number [0-9]+"]\n',
    ...exported('It has the number 4711.', '[redacted]'),
  },
  'redact.env': {
    list: 'redact.env = ["PLANTED_WORDS"]\n',
    ...exported(`It has the ${(process.env['PLANTED_WORDS'] = 'words to plant')}.`, '[redacted: known key]'),
  },
};

/** Paths of all lists: they are empty where the file says nothing. */
function listsIn(table: object, above = ''): string[] {
  return Object.entries(table).flatMap(([key, value]: [string, unknown]) => {
    if (Array.isArray(value)) return [above + key];
    return typeof value === 'object' && value !== null ? listsIn(value, `${above}${key}.`) : [];
  });
}

test('every list setting has a test of its effect', () => {
  expect(Object.keys(LISTS).sort()).toEqual(listsIn(settingsOf('')).sort());
});

test.for(Object.entries(LISTS))(
  'the list %s changes the observed behaviour',
  async ([, { list, rest = '', script, seen, without, withIt }]) => {
    const messageWith = async (settings: string): Promise<unknown> => {
      const configFolder = await folderWith({ 'config.toml': settings });
      return seen(await startEngine(script(), { settings, configFolder }));
    };
    expect(rest === '' ? await seen(await start(script())) : await messageWith(rest)).toEqual(without);
    // Rules are read from the file whenever they are asked.
    const isRead = (rest === '' && list.startsWith('permissions.')) || list.startsWith('[[permissions.');
    expect(isRead ? await seen(await start(script(), { rules: list })) : await messageWith(rest + list)).toEqual(
      withIt,
    );
  },
);
