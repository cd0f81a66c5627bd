/** Links between agents' files: names, cycles, what is refused with what, and what a composition becomes. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { agentText, definitionIn, errorsIn, linkedBy, linkedFiles, toldIn } from '../../support/linking.ts';
import { samples } from '../../support/samples.ts';

const composition = (keys = 'primary = "p"\ncoagent = "c"\n[control_flow]\ntype = "smart"', name = 'DUO') =>
  `[agent]\nname = "${name}"\ndescription = "Two of them"\n[composition]\n${keys}\n`;

test('the next agent can be given by name, path or file name, also if its file is read later', () => {
  for (const wanted of ['the last', 'agent__the_last', './z-file.md', '/at/agents/z-file.md', 'z-file.md', 'z-file']) {
    const { 'a.md': first } = linkedBy({
      'agents/a.md': agentText('a', `next: ${wanted}`),
      'agents/z-file.md': agentText('the last'),
    });
    expect([wanted, definitionIn(first).next]).toEqual([wanted, ['the last']]);
    expect(first).toMatchObject({ chain: ['the last'], warnings: [] });
  }
});

test('a name takes precedence over a path, and a path over a file name', () => {
  const files = { 'agents/a.md': agentText('a', 'next: b'), 'agents/b.md': agentText('x') };
  expect(definitionIn(linkedBy(files)['a.md']).next).toEqual(['x']);
  expect(definitionIn(linkedBy({ ...files, 'agents/c.md': agentText('b') })['a.md']).next).toEqual(['b']);
});

test('only the first entry of next is started, and the others cause warnings', () => {
  const { 'a.md': first } = linkedBy({
    'agents/a.md': agentText('a', 'next:\n  - b\n  - nobody'),
    'agents/b.md': agentText('b'),
  });
  expect(definitionIn(first).next).toEqual(['b', 'nobody']);
  expect(first?.warnings).toEqual([
    expect.objectContaining({
      line: 6,
      column: 5,
      message: 'next: only the first entry, b, is started; this one is not',
    }),
  ]);
});

test('an unknown next agent is reported with the nearest name and its location', () => {
  const files = linkedFiles({ 'agents/a.md': agentText('a', 'next: reviewr'), 'agents/r.md': agentText('reviewer') });
  expect(toldIn(files)).toEqual([
    '/at/agents/a.md:4:7: next reviewr: there is no such agent (did you mean `reviewer`?)',
  ]);
});

test('reports an unknown next agent with the other faults of a file', () => {
  const files = linkedBy({
    'agents/a.md': agentText('a', 'next: reviewr\nmodle: x'),
    'agents/r.md': agentText('reviewer'),
    'compositions/d.toml': composition('primary = "reviewr"\n[control_flow]\ntype = "smrt"\nmax_rounds = 0'),
  });
  expect(errorsIn([files['a.md']!])).toMatchObject([
    { line: 4, key: 'next', suggestion: 'reviewer' },
    { line: 5, key: 'modle', suggestion: 'model' },
  ]);
  expect(errorsIn([files['d.toml']!])).toMatchObject([
    { key: 'composition.primary', suggestion: 'reviewer' },
    { key: 'control_flow.type', suggestion: 'smart' },
    { key: 'control_flow.max_rounds' },
  ]);
});

test('each file of a cycle is rejected with the cycle, and files that lead to the cycle with the reason', () => {
  const told = toldIn(
    linkedFiles({
      'agents/a.md': agentText('a', 'next: b'),
      'agents/b.md': agentText('b', 'next: c'),
      'agents/c.md': agentText('c', 'next: b'),
      'agents/d.md': agentText('d', 'next: d'),
      'agents/e.md': agentText('e'),
    }),
  );
  expect(told).toEqual([
    '/at/agents/a.md:4:7: next b: /at/agents/b.md is refused: recursion in chain: b -> c -> b',
    '/at/agents/b.md:4:7: recursion in chain: b -> c -> b',
    '/at/agents/c.md:4:7: recursion in chain: c -> b -> c',
    '/at/agents/d.md:4:7: recursion in chain: d -> d',
  ]);
});

test('a chain has at most five following agents', () => {
  const row = (count: number) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `agents/${at}.md`,
        agentText(`s${at}`, at + 1 < count ? `next: s${at + 1}` : ''),
      ]),
    );
  expect(errorsIn(linkedFiles(row(6)))).toEqual([]);
  expect(toldIn(linkedFiles(row(7)))).toEqual([
    '/at/agents/0.md:4:7: next: 6 agents would follow one after another, and at most 5 can',
  ]);
});

test('a rejected file releases its name to the file that it overrode', () => {
  const files = linkedFiles({
    'agents/old.md': agentText('b'),
    'agents/a.md': agentText('a', 'next: b'),
    'agents/new.md': agentText('b', 'next: nobody'),
  });
  expect(errorsIn(files)).toMatchObject([{ file: '/at/agents/new.md', key: 'next' }]);
  expect(definitionIn(files[1]).next).toEqual(['b']);
});

test('a composition has the properties of its primary, and a hash over its three files', () => {
  const texts = {
    'agents/p.md': agentText('p', 'model: opus\ntools: [grep]\nrole: primary'),
    'agents/c.md': agentText('c'),
    'compositions/d.toml': composition(),
  };
  const made = (other: Partial<typeof texts> = {}) => definitionIn(linkedBy({ ...texts, ...other })['d.toml']);
  expect(made()).toMatchObject({
    name: 'DUO',
    description: 'Two of them',
    role: 'primary',
    model: 'opus',
    tools: ['grep'],
    systemPrompt: 'You are p.',
    sourcePath: '/at/compositions/d.toml',
    enabled: true,
    flow: { type: 'smart', rounds: 3, primary: 'p', coagent: 'c', handoff: { type: 'static' } },
  });
  const others = [
    made({ 'agents/p.md': `${texts['agents/p.md']}More.` }),
    made({ 'agents/c.md': `${texts['agents/c.md']}More.` }),
    made({ 'compositions/d.toml': `${texts['compositions/d.toml']}# more\n` }),
  ];
  expect(new Set([made(), ...others].map(({ hash }) => hash)).size).toBe(4);
  expect(made().hash).toBe(made().hash);
});

test('a composition can be part of a chain, and continues with the next agent of its primary', () => {
  const files = linkedBy({
    'agents/a.md': agentText('a', 'next: DUO'),
    'agents/p.md': agentText('p', 'next: z'),
    'agents/c.md': agentText('c'),
    'agents/z.md': agentText('z'),
    'compositions/d.toml': composition(),
  });
  expect([files['a.md'], files['d.toml']]).toMatchObject([{ chain: ['DUO', 'z'] }, { chain: ['z'] }]);
  const round = linkedFiles({
    'agents/p.md': agentText('p', 'next: DUO'),
    'agents/c.md': agentText('c'),
    'compositions/d.toml': composition(),
  });
  expect(toldIn(round)).toContain('/at/compositions/d.toml:5:11: recursion in chain: DUO -> DUO');
});

test('a tool that a coagent or a stage names but does not get causes a warning', () => {
  const tools = 'tools: [read_file, edit_file]';
  const warned = (flow: string, primary = tools) =>
    linkedBy({
      'agents/p.md': agentText('p', primary),
      'agents/c.md': agentText('c', tools),
      'compositions/d.toml': composition(`primary = "p"\ncoagent = "c"\n[control_flow]\ntype = "${flow}"`),
    })['d.toml']?.warnings.map(({ line, message }) => [line, message]);
  expect(warned('smart')).toEqual([]);
  expect(warned('judge')).toEqual([[6, 'composition.coagent c: a judge only reads, so it does not get edit_file']]);
  expect(warned('smart', 'tools: [grep]')).toEqual([
    [6, 'composition.coagent c: it names edit_file, which p does not have: a run is refused for it'],
  ]);
  const { 'a.md': first } = linkedBy({
    'agents/a.md': agentText('a', 'tools: [grep]\nnext: c'),
    'agents/c.md': agentText('c', tools),
  });
  expect(first?.warnings).toMatchObject([
    { line: 5, message: 'next: c names edit_file, which a does not have: a run is refused for it' },
  ]);
});

test('any graph of next keys yields chains without cycles, or errors that name the cycle or the missing agent', () => {
  const count = 9;
  const graph = fc.array(fc.oneof(fc.nat(count + 1), fc.constant(null)), { minLength: count, maxLength: count });
  fc.assert(
    fc.property(graph, (nexts) => {
      const name = (at: number) => `n${at}`;
      const files = linkedFiles(
        Object.fromEntries(
          nexts.map((next, at) => [`agents/${at}.md`, agentText(name(at), next === null ? '' : `next: ${name(next)}`)]),
        ),
      );
      for (const [at, file] of files.entries()) {
        // Walked over the numbers alone.
        const way = [at];
        let end: 'end' | 'missing' | 'cycle' = 'end';
        for (let next = nexts[at]; next !== null && next !== undefined; next = nexts[next]) {
          end = next >= count ? 'missing' : way.includes(next) ? 'cycle' : 'end';
          if (end !== 'end') break;
          way.push(next);
        }
        if (end === 'end' && way.length <= 6) {
          expect(file).toMatchObject({ ok: true });
          expect(file.ok ? (file.chain ?? []) : []).toEqual(way.slice(1).map(name));
        } else {
          const [error, ...more] = file.ok ? [] : file.errors;
          const what = {
            end: /at most 5 can$/,
            missing: /n(9|10): there is no such agent/,
            cycle: /recursion in chain: /,
          };
          expect(more).toEqual([]);
          expect(error).toMatchObject({
            line: 4,
            column: 7,
            key: 'next',
            message: expect.stringMatching(what[end]) as string,
          });
        }
      }
    }),
    // A chain too long whose end is missing, too: what is missing is told, as of a shorter one.
    { ...samples(30), examples: [[[4, 3, 8, 9, 1, null, 0, null, 6]]] },
  );
});
