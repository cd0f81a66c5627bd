/** What is said to hold is what was found: the weakest answer is shown as open, and nothing is made up. */
import { expect, test } from 'vitest';
import { FUSES, type SecurityState } from '#contract/hosts/security.ts';
import { protectionsOf } from '#lib/view/settings/protections.ts';

const POLICY =
  "default-src 'none'; script-src 'self' 'sha256-abc='; require-trusted-types-for 'script'; frame-ancestors 'none'";
const fuses = (wire: string) => FUSES.map((name, at) => ({ name, on: wire[at] === '1' }));
const SHELL = { electron: '45', sandbox: true, isolation: true, fuses: fuses('010011000'), refused: [] };
const STATE: SecurityState = {
  commands: 'bubblewrap',
  hosts: { since: '2026-01-01T00:00:00Z', contacted: [], left: 0 },
  shell: SHELL,
};
const standing = (state: SecurityState, policy: string | null = POLICY) =>
  Object.fromEntries(protectionsOf(state, policy).map(({ id, standing: one }) => [id, one]));

test('all protections hold in a hardened app with a strict policy', () => {
  expect(Object.values(standing(STATE))).toEqual(['holds', 'holds', 'holds', 'holds', 'holds']);
});

test('marks protections as unknown in a browser, or if the app did not report them', () => {
  expect(standing({ ...STATE, shell: null })).toMatchObject({ sandbox: 'else', isolation: 'else', fuses: 'else' });
  expect(standing({ ...STATE, shell: { ...SHELL, sandbox: null, fuses: 'unpacked' } })).toMatchObject({
    sandbox: 'else',
    isolation: 'holds',
    fuses: 'else',
    policy: 'holds',
  });
});

test('marks a missing sandbox, isolation or fuse as open', () => {
  expect(standing({ ...STATE, commands: null, shell: { ...SHELL, sandbox: false, isolation: false } })).toMatchObject({
    sandbox: 'open',
    isolation: 'open',
    commands: 'open',
  });
  for (const wire of ['110011000', '000011000', '011011000', '010111000', '010001000', '010010000'])
    expect(standing({ ...STATE, shell: { ...SHELL, fuses: fuses(wire) } }), wire).toMatchObject({ fuses: 'open' });
  expect(standing({ ...STATE, shell: { ...SHELL, fuses: fuses('010011111') } }), 'of no concern').toMatchObject({
    fuses: 'holds',
  });
});

test.for([
  null,
  '',
  POLICY.replace("default-src 'none'", "default-src 'self'"),
  POLICY.replace("; frame-ancestors 'none'", ''),
  POLICY.replace("; require-trusted-types-for 'script'", ''),
  ...["'unsafe-inline'", "'unsafe-eval'", 'https:', '*', 'data:', 'blob:'].map((source) =>
    POLICY.replace("'self'", `'self' ${source}`),
  ),
])('marks a weaker content security policy as open: %s', (policy) => {
  expect(standing(STATE, policy)['policy']).toBe('open');
});
