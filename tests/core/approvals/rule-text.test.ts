/** Rules are changed in the text of a file; every byte that is not of the rule stays as the person wrote it. */
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { RuleEntry } from '#core/settings/rule-entry.ts';
import type { CheckedEdit } from '#core/approvals/rule-checks.ts';
import { editRules } from '#core/approvals/rule-edits.ts';
import { samples } from '../../support/samples.ts';

const TEXT = `# Mine, with care.
[limits] # few
max_sub_agents = 2

# Documents are free.
[[permissions.rules]]
effect = "allow" # for now
tool = 'write_file'
# why: they are only words
pattern = "docs/**"

[web]

[[permissions.rules]]
  effect = "deny"
  tool = "bash"

# The end.
`;

const NEW: RuleEntry = { effect: 'ask', permission: 'FilesystemRead', pattern: 'a\\*"b' };
const ADDED = '[[permissions.rules]]\neffect = "ask"\npermission = "FilesystemRead"\npattern = "a\\\\*\\"b"\n';

test('adds a rule after the last one, or before a given rule and its comments', () => {
  expect(editRules(TEXT, { kind: 'add', rule: NEW })).toBe(
    TEXT.replace('  tool = "bash"\n', `  tool = "bash"\n\n${ADDED}`),
  );
  expect(editRules(TEXT, { kind: 'add', rule: NEW, at: 0 })).toBe(TEXT.replace('# Documents', `${ADDED}\n# Documents`));
});

test.for([
  ['no text', '', ADDED],
  ['a comment', '# Mine', `# Mine\n\n${ADDED}`],
  ['keys', 'a = 1\n', `a = 1\n\n${ADDED}`],
  ['blank lines', 'a = 1\n\n', `a = 1\n\n${ADDED}`],
  ['the table', '[permissions]\nmode = "auto"\n', `[permissions]\nmode = "auto"\n\n${ADDED}`],
] as const)('adds the first rule to the end of %s', ([, before, after]) => {
  expect(editRules(before, { kind: 'add', rule: NEW })).toBe(after);
});

test('writes only the changed keys of a rule', () => {
  const rule: RuleEntry = { effect: 'ask', agent: 'lead', tool: 'write_file', pattern: 'docs/**' };
  expect(editRules(TEXT, { kind: 'change', index: 0, rule })).toBe(
    TEXT.replace('"allow" #', '"ask" #').replace('"docs/**"\n', '"docs/**"\nagent = "lead"\n'),
  );
  const other: RuleEntry = { effect: 'deny', permission: 'Execute' };
  expect(editRules(TEXT, { kind: 'change', index: 1, rule: other })).toBe(
    TEXT.replace('  tool = "bash"\n', '  permission = "Execute"\n'),
  );
});

test('a rule can be changed and moved in one edit', () => {
  const rule: RuleEntry = { effect: 'ask', tool: 'write_file', pattern: 'docs/**' };
  const moved = editRules(TEXT, { kind: 'change', index: 0, rule, to: 1 });
  const both = editRules(editRules(TEXT, { kind: 'change', index: 0, rule })!, { kind: 'move', index: 0, to: 1 });
  expect(moved).toBe(both);
  expect(parse(moved!)).toMatchObject({ permissions: { rules: [{ tool: 'bash' }, rule] } });
  expect(editRules(TEXT, { kind: 'change', index: 0, rule, to: 2 })).toBeNull();
});

test('removing a rule preserves its comments', () => {
  expect(editRules(TEXT, { kind: 'remove', index: 0 })).toBe(
    TEXT.replace('[[permissions.rules]]\neffect = "allow" # for now\ntool = \'write_file\'\n', '').replace(
      'pattern = "docs/**"\n',
      '',
    ),
  );
  expect(editRules(TEXT, { kind: 'remove', index: 1 })).toBe(
    TEXT.replace('[[permissions.rules]]\n  effect = "deny"\n  tool = "bash"\n\n', ''),
  );
});

test('a rule moves with the comments right above it', () => {
  const moved = editRules(TEXT, { kind: 'move', index: 0, to: 1 });
  const block = TEXT.slice(TEXT.indexOf('# Documents'), TEXT.indexOf('\n\n[web]'));
  expect(moved).toBe(TEXT.replace(`${block}\n\n`, '').replace('  tool = "bash"\n', `  tool = "bash"\n\n${block}\n`));
});

test.for([
  ['[permissions]\nrules = [\n  { effect = "deny", tool = "a" }, # one\n  { effect = "ask", tool = "b" }, # two\n]\n'],
  ['permissions.rules = [{ effect = "deny", tool = "a" }, { effect = "ask", tool = "b" }] # all\n'],
  ['permissions = { mode = "auto", rules = [{ effect = "deny", tool = "a" }, { effect = "ask", tool = "b" }] } # x\n'],
])('edits an inline list of rules in place', ([text]) => {
  for (const edit of [
    { kind: 'add', rule: NEW },
    { kind: 'add', rule: NEW, at: 1 },
    { kind: 'change', index: 1, rule: NEW },
    { kind: 'move', index: 1, to: 0 },
    { kind: 'remove', index: 0 },
    { kind: 'remove', index: 1 },
  ] as const) {
    const after = editRules(text!, edit);
    expect(after, edit.kind).not.toBeNull();
    for (const comment of text!.match(/# \w+/g)!) expect(after).toContain(comment);
  }
});

test('adds the first rule to an inline permissions table', () => {
  expect(editRules('permissions = { mode = "auto" } # x\n', { kind: 'add', rule: NEW })).toMatch(
    /^permissions = \{ mode = "auto", rules = \[\{ effect = .*\}\] \} # x\n$/,
  );
});

test('returns null for a position that does not exist', () => {
  for (const edit of [
    { kind: 'remove', index: 2 },
    { kind: 'move', index: 0, to: 2 },
    { kind: 'change', index: 2, rule: NEW },
    { kind: 'add', at: 3, rule: NEW },
  ] as const)
    expect(editRules(TEXT, edit)).toBeNull();
});

/** The rules after the edit; null where there is none at its place. */
function withEdit<T>(rules: readonly T[], edit: CheckedEdit): (T | RuleEntry)[] | null {
  if (edit.kind === 'add') {
    const at = edit.at ?? rules.length;
    return at <= rules.length ? rules.toSpliced(at, 0, edit.rule as T) : null;
  }
  if (edit.index >= rules.length) return null;
  if (edit.kind === 'remove') return rules.toSpliced(edit.index, 1);
  const { index, to = index } = edit;
  const one = edit.kind === 'change' ? edit.rule : rules[index]!;
  return to < rules.length ? rules.toSpliced(index, 1).toSpliced(to, 0, one as T) : null;
}

describe('an edit of any rule file', () => {
  const word = fc.stringMatching(/^[a-z*]{1,6}$/);
  const rule = fc.record(
    {
      effect: fc.constantFrom('deny', 'ask', 'allow' as const),
      tool: word,
      agent: word,
      pattern: fc.string({ minLength: 1, maxLength: 8 }),
    },
    { requiredKeys: ['effect', 'tool'] },
  ) as fc.Arbitrary<RuleEntry>;
  const filler = fc.constantFrom('', '# note\n', '\n', '[limits] # l\n\n', '# a\n# b\n\n', '\n\n');
  const endings = fc.constantFrom('\n', '\r\n');
  const written = fc.tuple(fc.array(fc.tuple(filler, rule, filler), { maxLength: 4 }), endings, fc.boolean());
  const edit = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), rule, at: fc.option(fc.nat(4), { nil: undefined }) }),
    fc.record({ kind: fc.constant('change' as const), index: fc.nat(4), rule }),
    fc.record({ kind: fc.constant('move' as const), index: fc.nat(4), to: fc.nat(4) }),
    fc.record({ kind: fc.constant('remove' as const), index: fc.nat(4) }),
  ) as fc.Arbitrary<CheckedEdit>;

  test('yields exactly the expected rules, preserves all comment lines, and never mixes kinds of line ends', () => {
    fc.assert(
      fc.property(written, edit, ([parts, newline, ended], change) => {
        let tables = 0;
        const lines = parts.map(([above, one, below]) => {
          const keys = Object.entries(one).map(([key, value]) => `${key} = ${JSON.stringify(value)} # ${key}`);
          const text = `${above}[[permissions.rules]]\n${keys.join('\n')}\n${below}`;
          return text.replaceAll('[limits]', () => `[limits${(tables += 1)}]`);
        });
        const whole = lines.join('').replaceAll('\n', newline);
        const text = ended ? whole : whole.trimEnd();
        const rules = parts.map(([, one]) => one);
        const wanted = withEdit(rules, change);
        const after = editRules(text, change);
        if (wanted === null) {
          expect(after).toBeNull();
          return;
        }
        expect((parse(after!) as { permissions?: { rules?: unknown } }).permissions?.rules ?? []).toEqual(wanted);
        expect(/(^|[^\r])\n/.test(after!) && after!.includes('\r\n')).toBe(false);
        const own = (of: string) => of.split(/\r?\n/).filter((line) => /^# /.test(line));
        expect(own(after!).toSorted()).toEqual(own(text).toSorted());
      }),
      samples(200),
    );
  });
});
