// An answer for more than once leaves a way back.
import { expect, it } from 'vitest';
import type { Grant } from '#contract/permission.ts';
import { tellGrant } from '#lib/approvals/granted.ts';
import { FakeConnection, settled } from '../support/fake-connection.ts';

it('shows the scope of a new grant, and revokes exactly this grant', async () => {
  const grants = [
    { id: 'other', approvalId: 'a1' },
    { id: 'mine', approvalId: 'a2' },
  ] as Grant[];
  const connection = new FakeConnection()
    .on('permissions.list', () => ({ mode: 'manual', trusted: true, rules: [], grants, unsignedGrants: 0, faults: [] }))
    .on('permissions.revoke', () => grants[1]!);
  const said: string[] = [];
  let undo = (): void => undefined;
  const offer = (message: string, button: string, press: () => void): void => {
    said.push(`${message} [${button}]`);
    undo = press;
  };
  const toasts = {
    info: (message: string) => said.push(message),
    error: (message: string) => said.push(message),
    offer,
  };
  tellGrant({ connection, toasts }, 'a2', {
    offer: { agent: 'lead', tool: 'write_file', pattern: 'a.md', scopes: ['project'] },
    wish: { scope: 'project', pattern: '*.md' },
  });
  expect(said).toEqual(['Granted for this project, always: lead may use write_file on *.md [Undo]']);
  undo();
  await settled();
  await settled();
  expect(connection.calls.at(-1)).toEqual({ method: 'permissions.revoke', input: { grantId: 'mine' } });
  expect(said.at(-1)).toBe('Revoked: it no longer allows lead to use write_file on *.md');
});
