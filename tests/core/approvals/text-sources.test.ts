// Which texts of a sub-agent the person must read before a yes, as core decides it, through a real runtime.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Approval, TextReading } from '#contract/approval.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import { sha256 } from '#core/base/hash.ts';
import { withAgents } from '../../support/compose.ts';
import { type Harness, startEngine } from '../../support/engine.ts';
import { definitionOf } from '../../support/envelope.ts';
import { delegateTo, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { type Block, Script, text } from '../../support/fake-model/script.ts';
import { Gate } from '../../support/gate.ts';
import { folderWith } from '../../support/workspace.ts';
import { sharedEngine } from '../../support/shared-engine.ts';

const { start } = sharedEngine();

/** A lead that makes these calls one after another, and starts again with each message. */
function calls(...blocks: Block[]): Script {
  const script = new Script();
  blocks.forEach((block, index) => script.on({ ...LEAD, step: index + 1 }).reply([block]));
  return script.on({}).reply([text('Done.')]);
}

function readingsIn(approval: Approval['request'], item = 0): TextReading[] {
  const { subject } = approval;
  return (isSpawn(subject) && subject.items[item]?.texts) || [];
}

/** Of the questions so far: name, source and whether it must be read. */
function readings(engine: Harness): string[][] {
  return engine
    .of('approval-request')
    .map(({ approval }) =>
      readingsIn(approval).map(
        ({ name, source, mustRead, allowedBefore }) =>
          `${name} ${source}${allowedBefore ? ' allowed' : ''}${mustRead ? ' must be read' : ''}`,
      ),
    );
}

const BUILTIN = 'systemPrompt builtin';
const NEW_PROMPT = 'prompt agent must be read';

async function trustAll({ runtime, folder }: Harness): Promise<void> {
  const look = await runtime.request('trust.look', { folder });
  const files = look.files.flatMap(({ path, hash }) => (hash === null ? [] : [{ path, hash }]));
  await runtime.request('trust.set', { folder, files });
}

describe('the prompt of a temporary agent', () => {
  test('is built in if its lead gives none, with the name as the only parameter', async () => {
    const engine = await start(calls(spawn({ name: 'File counter-2_b', prompt: 'Count.' })));
    await engine.ask('Go');
    expect(readings(engine)).toEqual([[NEW_PROMPT, BUILTIN]]);
  });

  test.each(['a'.repeat(41), 'count.er', 'compteur-é', '计数'])('must be read with the name %s', async (name) => {
    const engine = await start(calls(spawn({ name, prompt: 'Count.' })));
    await engine.ask('Go');
    expect(readings(engine)).toEqual([[NEW_PROMPT, 'systemPrompt agent must be read']]);
  });

  test('must be read if its lead wrote it', async () => {
    const engine = await start(calls(spawn({ name: 'counter', prompt: 'Count.', system_prompt: 'You count.' })));
    await engine.ask('Go');
    expect(readings(engine)).toEqual([[NEW_PROMPT, 'systemPrompt agent must be read']]);
  });
});

describe('a text that the person allowed before', () => {
  const counter = (prompt: string) => spawn({ name: 'counter', prompt, system_prompt: 'You count.' });

  test('needs no reading in this workspace again, unless one character changed', async () => {
    const engine = await start(calls(counter('Count.'), counter('Count.'), counter('Count!')));
    await engine.ask('Go');
    expect(readings(engine)).toEqual([
      [NEW_PROMPT, 'systemPrompt agent must be read'],
      ['prompt agent allowed', 'systemPrompt agent allowed'],
      [NEW_PROMPT, 'systemPrompt agent allowed'],
    ]);
    const elsewhere = await start(calls(counter('Count.')));
    await elsewhere.ask('Go');
    expect(readings(elsewhere), 'another workspace').toEqual([[NEW_PROMPT, 'systemPrompt agent must be read']]);
  });

  test('is the text after an edit, not the one that was asked for', async () => {
    const engine = await start(calls(counter('Count.'), counter('Count.'), counter('Count files.')), {
      person: ({ request: { subject } }) => {
        const [item] = isSpawn(subject) ? subject.items : [];
        return { kind: 'edit', value: { ...item!.envelope, prompt: 'Count files.' } };
      },
    });
    await engine.ask('Go');
    expect(readings(engine).map(([prompt]) => prompt)).toEqual([NEW_PROMPT, NEW_PROMPT, 'prompt agent allowed']);
  });

  test('is recorded neither by a rejection nor by an approval without the person', async () => {
    const refused = await start(calls(counter('Count.'), counter('Count.')), {
      person: () => ({ kind: 'reject', reason: '' }),
    });
    await refused.ask('Go');
    expect(readings(refused)).toEqual([
      [NEW_PROMPT, 'systemPrompt agent must be read'],
      [NEW_PROMPT, 'systemPrompt agent must be read'],
    ]);
    const unattended = await start(calls(counter('Count.')));
    await unattended.ask('Go', 'all');
    await unattended.ask('Go');
    expect(readings(unattended), 'nobody reads the first').toEqual([
      [],
      [NEW_PROMPT, 'systemPrompt agent must be read'],
    ]);
  });

  test('is recognised after a restart, from any client, by its hash', async () => {
    const data = await folderWith({});
    const first = await startEngine(calls(counter('Count.')), { data });
    await first.ask('Go');
    await first.runtime.close();
    const [file] = await readdir(join(data, 'allowed-texts'));
    expect(file).toMatch(/^[0-9a-f]{64}$/);
    const again = await startEngine(calls(counter('Count.')), { data });
    const { id } = await again.runtime.request('conversation.create', { folder: first.folder });
    const asked = new Promise<Approval>((resolve) => {
      void again.runtime.subscribe('attention', { canAnswer: true }, ({ questions }) => {
        const found = questions.find(({ request }) => request.conversationId === id);
        if (found) resolve(found);
      });
    });
    await again.runtime.request('message.send', { conversationId: id, text: 'Go', approve: 'ask' });
    expect(readingsIn((await asked).request).map(({ allowedBefore, mustRead }) => [allowedBefore, mustRead])).toEqual([
      [true, false],
      [true, false],
    ]);
  });
});

describe('the prompt of a defined agent', () => {
  const FILE = '.triad/agents/helper.md';
  const helper = (prompt: string) => `---\nname: helper\ndescription: Helps.\n---\n\n${prompt}\n`;
  test('is built in for an agent that ships with the program', async () => {
    const engine = await start(calls(delegateTo('reviewer', 'Look.')));
    await engine.ask('Go');
    expect(readings(engine)).toEqual([[NEW_PROMPT, BUILTIN]]);
  });

  test('is trusted for a trusted file of the project, with the instructions that it gets', async () => {
    const engine = await start(calls(delegateTo('helper', 'Look.')), {
      files: {
        [FILE]: helper('You help.').replace('description', 'project_instructions: true\ndescription'),
        'AGENTS.md': 'Run the tests.',
      },
    });
    await trustAll(engine);
    await engine.ask('Go');
    expect(readings(engine)).toEqual([[NEW_PROMPT, 'systemPrompt trusted', 'instruction AGENTS.md trusted']]);
  });

  test.each(['revoked', 'changed'])(
    'must be read if its file or the trust in it was %s before the approval',
    async (how) => {
      const withdrawn = new Gate();
      const script = new Script();
      script.on({ ...LEAD, step: 1 }).reply([spawn({ name: 'first', prompt: 'Wait.' })]);
      script.on({ ...LEAD, step: 2 }).reply([delegateTo('helper', 'Look.')], { hold: withdrawn.at(0) });
      script.on({}).reply([text('Done.')]);
      const engine = await start(script, { files: { [FILE]: helper('You help.') } });
      await trustAll(engine);
      const { workflowId } = await engine.send('Go');
      await engine.event('run-end', ({ agent }) => agent === 'first');
      if (how === 'revoked') await engine.runtime.request('trust.revoke', { folder: engine.folder });
      else {
        await writeFile(join(engine.folder, FILE), helper('You help a lot.'));
        await trustAll(engine);
      }
      withdrawn.open();
      await engine.ended(workflowId);
      expect(readings(engine).at(-1)).toEqual([NEW_PROMPT, 'systemPrompt agent must be read']);
    },
  );

  /** Definitions that are registered as if they came from these files. */
  async function askedWith(definitions: Parameters<typeof definitionOf>[0][], call: Block): Promise<string[]> {
    const engine = await start(calls(call));
    const { folder } = engine;
    const registered = definitions.map((parts) =>
      definitionOf({ ...parts, sourcePath: parts?.sourcePath?.replace('WORKSPACE', folder) ?? null }),
    );
    withAgents(engine.agents, registered, folder);
    await engine.ask('Go');
    return readings(engine)[0] ?? [];
  }

  test.each([
    ['a file of the person', { source: 'user', sourcePath: '/home/ada/agents/a.md' }, 'person'],
    [
      'a file of the person inside the workspace',
      { source: 'user', sourcePath: 'WORKSPACE/a.md' },
      'agent must be read',
    ],
    ['a file that nobody knows', { source: 'user', sourcePath: null }, 'agent must be read'],
    [
      'a file of the project that nobody trusts',
      { source: 'project', sourcePath: 'WORKSPACE/a.md' },
      'agent must be read',
    ],
    ['an unknown source', { source: 'spawned', sourcePath: '/home/ada/agents/a.md' }, 'agent must be read'],
  ] as const)('has the source of its file: %s', async (_, parts, expected) => {
    const definition = { name: 'helper', hash: sha256('helper'), ...parts };
    expect(await askedWith([definition], delegateTo('helper', 'Look.'))).toEqual([
      NEW_PROMPT,
      `systemPrompt ${expected}`,
    ]);
  });

  const composition = (writer: Parameters<typeof definitionOf>[0]): Parameters<typeof definitionOf>[0][] => [
    {
      name: 'both',
      hash: sha256('both'),
      sourcePath: '/home/ada/both.md',
      next: ['writer'],
      reflection: { criteria: 'Is it short?', maxRetries: 1 },
      flow: {
        type: 'judge',
        rounds: 2,
        primary: 'main',
        coagent: 'reviewer',
        handoff: { type: 'static', text: 'Judge this.' },
      },
    },
    { name: 'main', hash: sha256('main'), sourcePath: '/home/ada/main.md' },
    { name: 'writer', hash: sha256('writer'), ...writer },
  ];

  test('includes criteria, coagent and stages, each with the source of its own file', async () => {
    const found = await askedWith(composition({ sourcePath: '/home/ada/writer.md' }), delegateTo('both', 'Do it.'));
    expect(found).toEqual([
      NEW_PROMPT,
      'systemPrompt person',
      'criteria person',
      '0-coagent handoff person',
      '0-coagent systemPrompt builtin',
      '1 systemPrompt person',
    ]);
  });

  test('must be read if it contains the contract of an untrusted agent', async () => {
    const untrusted = { source: 'project', sourcePath: 'WORKSPACE/writer.md' } as const;
    const found = await askedWith(composition(untrusted), delegateTo('both', 'Do it.'));
    expect(found).toContain('systemPrompt agent must be read');
    expect(found).toContain('1 systemPrompt agent must be read');
  });
});
