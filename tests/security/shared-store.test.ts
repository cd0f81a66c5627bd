/** Grants that another user writes to a store on a server. */
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { GrantSigner } from '#core/approvals/grant-signer.ts';
import { openRuntime } from '#core/host/ownership/open-runtime.ts';
import { newId } from '#core/base/ids.ts';
import { fileSecrets } from '#core/settings/secrets.ts';
import type { Answer } from '#contract/approval.ts';
import type { Grant } from '#contract/permission.ts';
import { answering } from '../support/compose.ts';
import { talkIn } from '../support/engine.ts';
import { startFakeModel } from '../support/fake-model/server.ts';
import { Script, text, toolUse } from '../support/fake-model/script.ts';
import { startStoreServer } from '../support/store-server/server.ts';
import { folderWith } from '../support/workspace.ts';
import { attack } from './attacks.ts';

/** One installation with a store on a server. */
async function installation(url: string) {
  const [home, folder] = await Promise.all([folderWith({ 'data/.keep': '' }), folderWith({})]);
  const script = new Script();
  for (let file = 0; file < 10; file += 1)
    script
      .on({ step: 1, lastUser: new RegExp(`File ${file}`) })
      .reply([toolUse('write_file', { path: `docs/${file}.md`, content: 'a' })]);
  const model = await startFakeModel(script.on({}).reply([text('Done.')]));
  onTestFinished(() => model.close());
  const config = join(home, 'config');
  const secrets = fileSecrets(config);
  let files = 0;

  /** Opens the program, sends one message and closes it again. Returns the questions of this time. */
  const work = async (answer: Answer) => {
    const warnings: string[] = [];
    const { runtime } = await openRuntime({
      folders: { config, data: join(home, 'data') },
      secrets,
      environment: { apiKey: 'sk-test', baseUrl: model.url, storeUrl: url, programs: process.env },
      version: '0.0.0',
      folder,
      works: false,
      signal: new AbortController().signal,
      warn: (line) => warnings.push(line),
      registerSecrets: () => Promise.resolve(),
      report: () => undefined,
    });
    const stopAnswering = await answering(runtime, () => answer);
    const { id } = await runtime.request('conversation.create', {});
    const talk = await talkIn(runtime, id);
    await talk.ask(`File ${files}`);
    files += 1;
    const [call] = talk.of('tool-end');
    const isWritten = call?.entry.kind === 'tool' && call.entry.status === 'completed';
    const questions = talk.of('approval-decide').filter(({ decision }) => decision.decidedBy === 'person').length;
    const { grants, unsignedGrants } = await runtime.request('permissions.list', {});
    talk.leave();
    stopAnswering();
    await runtime.close();
    return { isWritten, questions, grants, unsignedGrants, warnings };
  };
  return { work, secrets };
}

attack('grants that another user writes to a shared store', async (tries) => {
  const server = await startStoreServer();
  onTestFinished(() => server.close());
  const { work } = await installation(server.url);
  const granted = await work({ kind: 'allow', grant: { scope: 'project', pattern: 'docs/*.md' } });
  expect(granted).toMatchObject({
    isWritten: true,
    questions: 1,
    unsignedGrants: 0,
    grants: [{ pattern: 'docs/*.md' }],
  });
  const reused = await work({ kind: 'reject', reason: '' });
  expect(reused).toMatchObject({
    isWritten: true,
    questions: 0,
    unsignedGrants: 0,
    grants: [{ pattern: 'docs/*.md' }],
    warnings: [],
  });

  const [own] = reused.grants as [Grant];
  const stranger = await GrantSigner.load({ get: () => Promise.resolve(null), set: () => Promise.resolve() });
  const { signature, ...unsigned } = own;
  const forgeries: Grant[] = [
    { ...unsigned, id: newId() },
    { ...own, id: newId() },
    { ...own, pattern: '**' },
    { ...own, tool: 'bash' },
    { ...own, calls: 0 },
    stranger.sign({ ...unsigned, id: newId() }),
    { ...unsigned, signature: signature!.slice(0, -4) },
  ];
  expect(forgeries).toHaveLength(tries);
  for (const forgery of forgeries) {
    await server.query("DELETE permission_grant; CREATE type::record('permission_grant', $id) CONTENT $row", {
      id: forgery.id,
      row: { json: JSON.stringify(forgery) },
    });
    expect(await work({ kind: 'reject', reason: '' })).toMatchObject({
      isWritten: false,
      questions: 1,
      unsignedGrants: 1,
      grants: [],
      warnings: ['triad: Grants that another installation wrote to the shared store are ignored: 1.'],
    });
  }
});
