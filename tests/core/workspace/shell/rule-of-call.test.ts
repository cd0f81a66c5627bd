/** A rule that is made from one command allows that command, and none that means something else. */
import { expect, test } from 'vitest';
import { phrase } from '#contract/approvals/phrases.ts';
import { type Action, grantCovers, judge, ruleApplies } from '#core/approvals/judge.ts';
import { NO_FILES } from '#core/settings/listed-files.ts';
import { bashTools } from '#core/tools/bash.ts';
import { exactPattern, selectTarget } from '#core/tools/targets.ts';
import type { ShellHost } from '#core/workspace/shell/run-shell.ts';
import type { Workspace } from '#core/workspace/reach.ts';
import { actionOf, grantOf, NOW, ruleOf } from '../../approvals/support.ts';

const [tool] = bashTools({} as ShellHost);

type Call = string | { command: string; background?: boolean; read_only?: boolean };

async function called(call: Call): Promise<Action> {
  const input = typeof call === 'string' ? { command: call } : call;
  const targets = (await tool!.targets?.(input, {} as Workspace)) ?? null;
  return actionOf({ tool: 'bash', permissions: ['Execute', 'FilesystemWrite'], targets });
}

/** What rules with these patterns that allow make of a call. */
async function verdict(call: Call, ...patterns: readonly string[]): Promise<string> {
  const rules = patterns.map((pattern) => ruleOf({ effect: 'allow', tool: 'bash', pattern }));
  return judge(await called(call), { rules, faults: [], alwaysAsk: NO_FILES }, [], NOW).effect;
}

/** Beside the rule that is made. */
const ALLOWED = ['ls', 'ls *', 'cd *', 'true', 'test *', 'find *', 'xargs *'];

const made = async (call: Call): Promise<string | null> => exactPattern((await called(call)).targets);

test.each<[made: Call, others: Call[]]>([
  ["rm '*'", ['rm *', 'rm -- *', "rm '**'"]],
  ['rm \\*', ['rm *']],
  ["rm 'a b'", ['rm a b', "rm a' 'b c"]],
  ['rm a b', ["rm 'a b'", 'rm a b c', 'rm a', 'rm A b']],
  ["rm ''", ['rm', 'rm ']],
  ["echo '$HOME'", ['echo $HOME', 'echo "$HOME"']],
  ["echo '`id`'", ['echo `id`']],
  ["echo '$(id)'", ['echo $(id)', 'echo "$(id)"']],
  ["cat '<(id)'", ['cat <(id)']],
  ["rm -r '~'", ['rm -r ~']],
  ["rm '?'", ['rm ?']],
  ["rm '[ab]'", ['rm [ab]']],
  ["rm '{a,b}'", ['rm {a,b}', 'rm a b']],
  ["echo '> x'", ['echo > x', 'echo hi > x']],
  ["echo 'a;' rm v", ['echo a; rm v']],
  ['echo a \\; rm v', ['echo a ; rm v']],
  ['echo a ; rm v', ['echo a \\; rm v', 'rm v', 'rm v; echo a']],
  ["echo '#' a", ['echo # a']],
  ['DRY_RUN=1 deploy', ['deploy', 'DRY_RUN=0 deploy', "'DRY_RUN=1' deploy", 'export DRY_RUN=1; deploy']],
  ['env -i A=1 deploy', ['deploy', 'env deploy']],
  ['timeout 5 serve', ['serve', 'timeout 50 serve']],
  ['./deploy', ['deploy', '/tmp/deploy', '../deploy']],
  ['/usr/bin/git status', ['git status', './git status']],
  ['cd build && rm -rf *', ['rm -rf *', 'cd build; rm -rf *', 'cd build || rm -rf *']],
  ['(cd build; rm -rf *)', ['cd build; rm -rf *', 'rm -rf *']],
  ['test -d x && rm -rf x', ['rm -rf x', 'test -d x || rm -rf x']],
  ['[[ -n $A ]] && deploy', ['deploy', '[[ -n $B ]] && deploy']],
  ['if check; then deploy; fi', ['deploy', 'if check; then :; else deploy; fi']],
  ['! a', ["'!' a"]],
  ['psql db', ['psql db < x.sql', 'psql db <<E\nx\nE', 'psql db <<< x', 'echo x | psql db']],
  ['psql db < x.sql', ['psql db < y.sql', 'psql db', "psql db '<' x.sql"]],
  ['psql db <<E\nselect 1\nE', ['psql db <<E\ndrop table a\nE', 'psql db', 'psql db < x.sql']],
  ["cat > x.sh <<'E'\necho\nE", ["cat > x.sh <<'E'\nrm v\nE", 'cat > x.sh']],
  ['cat < notes.txt', ['cat < other.txt']],
  ['while read x; do psql db; done < a', ['while read x; do psql db; done < b', 'psql db < a', 'psql db']],
  ['sudo psql db', ['sudo psql db < x.sql', 'psql db']],
  ['bash -c "psql db"', ['bash -c "psql db" < x.sql']],
  ['ssh host', ['echo rm v | ssh host', 'ssh host < a', 'ssh host rm v']],
  ['rm "{}"', ['find . -exec rm {} +', 'ls | xargs rm']],
  ['find . -exec rm {} +', ['find . | xargs rm', 'rm {}', 'find .. -exec rm {} +']],
  ['rm v', ['ls | xargs -I v rm v', 'rm v && rm w', 'rm V']],
  ["git commit -m 'a b'", ['git commit -m a b', "git commit -m 'a b' --no-verify", 'git commit -m "a $b"']],
  [{ command: 'make', read_only: true }, ['make', { command: 'make', background: true }, 'make # only reads']],
  ['make', [{ command: 'make', background: true }]],
  [{ command: 'make', background: true }, ['make', 'make # in the background']],
])('a rule made from the call %j allows that call and none of %j', async (call, others) => {
  const pattern = await made(call);
  expect(pattern).not.toBeNull();
  expect(await verdict(call, pattern!)).toBe('allow');
  // Nor together with what many people allow.
  for (const other of others) expect([other, await verdict(other, pattern!, ...ALLOWED)]).toEqual([other, 'ask']);
});

test('offers no pattern for a call whose text could also mean another call', async () => {
  for (const call of ['make # only reads', 'make # in the background', "'A=1' deploy", 'eval "$x"'])
    expect([call, await made(call)]).toEqual([call, null]);
});

test.each<[pattern: string, call: Call]>([
  ['npm run *', 'npm run build'],
  ['npm run *', "npm run 'a b' -- '*'"],
  ['rm a b', 'rm a b'],
  ['rm a b', 'rm  "a"  \'b\''],
  ['cat *', 'cat *.ts'],
  ['cat *', 'cat - < notes.txt'],
  ['{cat,cat *}', 'cat < notes.txt'],
  ['echo $HOME', 'echo $HOME'],
  ['grep *', "grep 'a.*b' x"],
  ['psql *', 'psql db < x.sql'],
  ['find . -exec rm {} \\;', 'find . -exec rm {} \\;'],
])('an allow rule with the pattern %j allows %j', async (pattern, call) => {
  const rm = pattern.startsWith('find') ? ['rm {}'] : [];
  expect(await verdict(call, pattern, ...rm)).toBe('allow');
});

test.each<[pattern: string, calls: Call[]]>([
  ['rm \\*', ['rm *', "rm '*'", 'rm "*"', 'sudo rm *', '/bin/rm *', { command: 'rm *', background: true }]],
  ['rm a b', ["rm 'a b'", 'rm a b', 'A=1 rm a b', 'RM A B']],
  ['psql db', ['psql db < x', 'psql db <<E\nE', 'a | psql db']],
  ['rm %', ['xargs -I % rm %']],
  ['rm {}', ['rm {}', "rm '{}'", 'find . -exec rm {} +', 'xargs rm']],
  ['a && b', ['a && b', 'A && b']],
])('a deny rule with the pattern %j applies to every spelling: %j', async (pattern, calls) => {
  const rule = ruleOf({ effect: 'deny', tool: 'bash', pattern });
  for (const call of calls) expect([call, ruleApplies(rule, await called(call))]).toEqual([call, true]);
});

test('a grant for one command holds only in its folder, while rules and wildcards hold in every folder', async () => {
  const inWeb = (action: Action): Action => ({ ...action, targets: { ...action.targets!, startsIn: 'web' } });
  const covers = (pattern: string, action: Action) => grantCovers(grantOf({ tool: 'bash', pattern }), action, NOW);
  for (const call of ['rm *', 'a && b', { command: 'make', background: true }, 'cat <<E\nx\nE']) {
    const here = await called(call);
    const there = inWeb(here);
    const patterns = [here, there].map(({ targets }) => exactPattern(targets)!);
    expect(patterns.map((pattern) => [covers(pattern, here), covers(pattern, there)])).toEqual([
      [true, false],
      [false, true],
    ]);
    const rules = (effect: 'allow' | 'deny', pattern: string) => ruleOf({ effect, tool: 'bash', pattern });
    for (const effect of ['allow', 'deny'] as const)
      expect([call, effect, ruleApplies(rules(effect, patterns[0]!), there)]).toEqual([call, effect, true]);
    expect(ruleApplies(rules('allow', patterns[1]!), here)).toBe(false);
    // A document is more than a simple command.
    expect(covers('**', there)).toBe(call !== 'cat <<E\nx\nE');
  }
  expect(exactPattern((await called('make # in web')).targets)).toBeNull();
  expect(exactPattern({ values: [], path: true })).toBeNull();
});

test.for([
  [{ command: 'make' }, ['make'], 'make'],
  [{ command: 'make', read_only: true }, ['make'], 'make # only reads'],
  [{ command: 'a && b', background: true }, ['a', 'a &', 'b', 'b &'], 'a && b # in the background'],
  [{ command: 'rm {}' }, ['rm {}'], 'rm {}'],
  [{ command: 'make # only reads' }, ['make'], null],
  [{ command: 'make # in the background' }, ['make'], null],
  [{ command: 'make # in sub' }, ['make'], null],
] as const)('rules for %j match %j, and a grant covers %j', async ([input, values, whole]) => {
  const targets = await tool!.targets!(input, {} as Workspace);
  expect(targets).toEqual({ values, path: false, each: true, whole });
});

test('lists the values, the reason and the words of a command that may run unseen code', async () => {
  const command = 'find . -exec rm {} + && ls';
  const value = 'find . -exec rm {} +';
  const reason = phrase('runs_unseen_code', { program: 'find' });
  const targets = await tool!.targets!({ command, background: true }, {} as Workspace);
  expect(targets).toMatchObject({
    values: [value, `${value} &`, 'ls', 'ls &'],
    whole: `${command} # in the background`,
  });
  expect(targets?.limits).toEqual([value, `${value} &`].map((one) => ({ value: one, reason })));
  expect(targets?.words?.replaceAll('\n', '')).toBe('find . -exec rm {} + ls {}');
});

test('offers no pattern for a line whose words are unknown', async () => {
  const targets = await tool!.targets!({ command: 'eval "$x"' }, {} as Workspace);
  expect(targets).toMatchObject({ whole: null, words: null });
});

test.each([
  [
    'for f in a; do b; done',
    'The line is more than simple commands: only a rule or a grant for this whole line allows it',
  ],
  ['ls && sudo b', 'sudo can run other programs here: only a rule or a grant without wildcards allows it'],
  ['git commit -S', 'git commit: -S is not in the list of options that rules with wildcards may allow'],
  [
    'git commit --gpg-sign=a',
    'git commit: --gpg-sign is not in the list of options that rules with wildcards may allow',
  ],
  ['git -C a log', 'git: -C is not in the list of options that rules with wildcards may allow'],
  ['git stash x', 'git stash x is not in the list of commands that rules with wildcards may allow'],
])('says why %j requires approval', async (command, reason) => {
  const action = await called(command);
  const rules = { rules: [ruleOf({ effect: 'allow', tool: 'bash', pattern: '**' })], faults: [], alwaysAsk: NO_FILES };
  expect(judge(action, rules, [], NOW)).toMatchObject({ effect: 'ask', reason });
  expect(judge({ ...action, reversible: false, nameable: true }, rules, [], NOW).reason).toBe(reason);
});

test('compares each command of a line separately with the rules', async () => {
  const { targets } = await called('ls && sudo b');
  const rule = ruleOf({ effect: 'deny', tool: 'bash', pattern: 'b' });
  const part = (value: string) => actionOf({ tool: 'bash', targets: selectTarget(targets!, value) });
  expect(['ls', 'sudo b'].map((value) => ruleApplies(rule, part(value)))).toEqual([false, true]);
  expect(await verdict('ls && sudo b', 'ls', 'sudo b')).toBe('allow');
  expect(await verdict('ls && sudo b', 'l*', '{c,sudo b}')).toBe('allow');
  expect(await verdict('ls && sudo b', 'ls', 'sudo *')).toBe('ask');
});
