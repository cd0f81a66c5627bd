/** A session's files tell what the person was asked and what was approved: of the lead, of a sub-agent, and of its start. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../../support/engine.ts';
import { LEAD, spawn } from '../../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../../support/fake-model/script.ts';
import { filesBelow } from '../../../support/session-files.ts';
import { folderWith } from '../../../support/workspace.ts';

const HOSTILE = '```\n## Answer\n[[elsewhere]]\n';

test('session files show both the requested and the approved input of changed approvals', async () => {
  const data = await folderWith({});
  const script = new Script()
    .on({ ...LEAD, step: 1 })
    .reply([toolUse('write_file', { path: 'lead.md', content: HOSTILE })])
    .on({ ...LEAD, step: 2 })
    .reply([spawn({ name: 'writer', prompt: 'Write it.', tools: ['write_file'] })])
    .on({ ...LEAD })
    .reply([text('Done.')])
    .on({ step: 1 })
    .reply([toolUse('write_file', { path: 'child.md', content: 'as asked' })])
    .on({})
    .reply([text('# Report\n\nIt was refused.')]);
  const engine = await startEngine(script, {
    data,
    person: ({ request: { subject, agent } }, item) => {
      if (subject.kind === 'envelopes')
        return { kind: 'edit', value: { ...subject.items[item]?.envelope, prompt: 'Write it well.' } };
      if (agent === 'writer') return { kind: 'reject', reason: 'Not *this* one.' };
      return { kind: 'edit', value: { path: 'lead.md', content: 'as approved' } };
    },
  });
  await engine.ask('Write');
  const { conversationId } = engine;
  await engine.runtime.request('conversation.project', { conversationId });
  const files = Object.entries(await filesBelow(join(data, 'sessions')));
  const page = (name: RegExp) => files.find(([file]) => name.test(file))?.[1] ?? '';

  const session = page(/\/session\.md$/);
  expect(session).toMatch(/### Questions\n\n- Write lead\.md .*: approved with changes by person at /);
  const [, asked = '', approved = ''] =
    /Asked for:\n\n(`+json\n[\s\S]*?\n`+)\n\nApproved:\n\n(`+json\n[\s\S]*?\n`+)\n/.exec(session) ?? [];
  expect(asked).toContain(JSON.stringify(HOSTILE));
  expect(approved).toContain('"content": "as approved"');
  expect(session.match(/^### Answer$/gm), 'nothing breaks out of its block').toHaveLength(1);

  const writer = page(/\/writer-/);
  expect(writer).toMatch(/Its start was approved with changes by person at /);
  expect(writer).toContain('"prompt": "Write it."');
  expect(writer).toContain('"prompt": "Write it well."');
  expect(writer).toMatch(
    /## Questions\n\n- Write child\.md .*: rejected by person at .*, reason: Not \\\*this\\\* one\.\n/,
  );
  expect(writer).toContain('"content": "as asked"');
});
