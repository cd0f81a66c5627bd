// Who changed a file since is said only once it is known.
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { RunRow } from '#contract/view.ts';
import { Changes } from '#lib/changes/changes.svelte.ts';
import ChangedSince from '#lib/changes/changed-since.svelte';
import { RequestError } from '#lib/words/request-error.ts';
import { changeRow, fileState } from '../support/change-rows.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';
import { conversationId } from '../../support/recording.ts';

const OTHERS = 'Changed since outside of this conversation';
const ROWS = [
  changeRow('lead', 'one', [['a.txt', null, fileState('a')]]),
  changeRow('writer', 'two', [['a.txt', fileState('a'), fileState('b')]]),
];

function setup() {
  const connection = new FakeConnection();
  const changes = new Changes(connection, conversationId);
  const target = { runId: 'lead', toolCallId: 'one' };
  const runs = [{ id: 'lead', agent: 'lead', kind: 'lead', parentRunId: null }] as RunRow[];
  const shown = (path = 'a.txt') =>
    render(ChangedSince, { props: { changes, target, path, runs } })
      .body.replaceAll(/<[^>]*>/g, '')
      .replaceAll(/\s+/g, ' ');
  return { connection, changes, shown };
}

it('names the agent that changed the file since, and reports an outside change only if no agent did', async () => {
  const { connection, changes, shown } = setup();
  connection.on('change.list', () => ROWS);
  changes.show();
  expect(shown()).toContain('Loading…');
  expect(shown()).not.toContain(OTHERS);
  await settled();
  expect(shown()).toMatch(/Changed since by .*writer/);
  expect(shown()).not.toContain(OTHERS);
  expect(shown('b.txt')).toContain(OTHERS);
});

it('shows no changed-since note if the changes cannot be loaded, even after an earlier load', async () => {
  const { connection, changes, shown } = setup();
  const fails = (): never => {
    throw new RequestError('disconnected', 'There is no connection');
  };
  connection.on('change.list', fails);
  changes.show();
  await settled();
  expect(shown()).not.toMatch(/Changed since|Loading/);
  connection.on('change.list', () => ROWS);
  await changes.load();
  connection.on('change.list', fails);
  await changes.load();
  expect(shown('b.txt')).not.toContain(OTHERS);
});
