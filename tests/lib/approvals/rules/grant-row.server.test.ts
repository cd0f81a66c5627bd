/** The row of a grant, on the page of permissions and in the history. */
import { render } from 'svelte/server';
import { expect, it } from 'vitest';
import type { Grant } from '#contract/permission.ts';
import GrantRow from '#lib/approvals/rules/grant-row.svelte';
import { idOf } from '../../../support/recording.ts';

const NOW = Date.parse('2026-01-02T04:00:00.000Z');
const grant: Grant = {
  id: idOf(7),
  conversationId: idOf(1),
  workflowId: idOf(2),
  approvalId: idOf(4),
  runId: idOf(3),
  parentRunId: null,
  askedBy: 'lead',
  folder: '/tmp/project',
  agent: 'lead',
  tool: 'write_file',
  pattern: 'docs/*.md',
  scope: 'project',
  calls: 1,
  maxCalls: null,
  givenAt: '2026-01-02T03:04:05.000Z',
  expiresAt: null,
  revokedAt: null,
};
const renderRow = (changes: Partial<Grant> = {}, onrevoke?: () => void) => {
  const props = { grant: { ...grant, ...changes }, now: NOW, ...(onrevoke && { onrevoke }) };
  return render(GrantRow, { props }).body.replaceAll(/<!--.*?-->/g, '');
};

it('shows the agent, tool, duration and use of a grant, and offers to revoke it', () => {
  const html = renderRow({}, () => undefined);
  for (const part of ['lead may use write_file on docs/*.md', 'always for this project', 'used 1 time'])
    expect(html, part).toContain(part);
  expect(html).toMatch(/<button[^>]*aria-label="Revoke[^"]*docs\/\*\.md[^"]*"[^>]*>Revoke<\/button>/);
});

it('links to the permissions page only while the grant is valid', () => {
  const link = `href="/permissions?folder=%2Ftmp%2Fproject&amp;grant=${idOf(7)}"`;
  expect(renderRow()).toContain(link);
  expect(renderRow()).toContain('See the grant, or revoke it');
  const over = { revokedAt: '2026-01-02T03:30:00.000Z' };
  expect(renderRow(over)).not.toContain('href=');
  expect(renderRow({ expiresAt: over.revokedAt })).not.toContain('href=');
  expect(renderRow({ maxCalls: 1 })).not.toContain('href=');
});
