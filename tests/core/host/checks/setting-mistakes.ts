/** Mistakes in the person's settings and prices: every key in several ways, and texts that are no TOML. */
import type { SettingRow } from '#contract/view.ts';
import { checkSettings, settingRows } from '#core/settings/settings.ts';
import { Page, together, type World } from './world.ts';

const CONFIG = 'home/config.toml';

function rows(): SettingRow[] {
  const result = checkSettings('');
  return result.ok ? settingRows(result.value) : [];
}

/** A letter left out, two swapped, one doubled. */
export function misspelt(word: string): string[] {
  const at = Math.floor(word.length / 2);
  const [before, here, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)];
  const all = [before + next + after, before + next + here + after, before + here + here + next + after];
  return [...new Set(all)].filter((one) => one !== word);
}

/** Values that a key does not take, one for each way of being wrong. */
function wrongValues({ kind, min, max, choices }: SettingRow): [string, string][] {
  const none: [string, string][] = [
    ['a list', '[1]'],
    ['a date', '1979-05-27'],
    ['a table', '{ x = 1 }'],
  ];
  if (choices) return [['a near choice', JSON.stringify(misspelt(choices[0] ?? '')[0])], ['a number', '3'], ...none];
  if (kind === 'boolean') return [['a text', '"yes"'], ['a number', '1'], ...none];
  if (kind === 'text') return [['a number', '3'], ['a boolean', 'true'], ...none];
  const numbers: [string, string][] = [
    ['a text', '"5"'],
    ['too small', String((min ?? 0) - 1)],
    ['a boolean', 'true'],
  ];
  if (max !== null) numbers.push(['too large', String(max + 1)]);
  if (kind === 'integer') numbers.push(['a fraction', '1.5']);
  return [...numbers, ...none];
}

/** One file for each way: a key stands in it once. */
function valueWorlds(): World[] {
  const all = rows().filter(({ path }) => !path.startsWith('providers.active'));
  return [0, 1, 2, 3].map((way) => {
    const page = new Page(CONFIG).add('# mine', 'providers.active = "demo"');
    for (const row of all) {
      const values = wrongValues(row);
      const [about, value] = values[way % values.length]!;
      page.wrong(`${row.path}: ${about}`, `${row.path} = ${value}`);
    }
    return page.world;
  });
}

function nameWorlds(): World[] {
  return [0, 1].map((way) => {
    const page = new Page(CONFIG).add('providers.active = "demo"');
    for (const { path } of rows()) {
      const at = path.lastIndexOf('.');
      const [wrong] = misspelt(path.slice(at + 1)).slice(way);
      const isProvider = path.startsWith('providers.') && path.split('.').length === 2;
      if (wrong !== undefined && !isProvider)
        page.wrong(`${path}: the name ${wrong}`, `${path.slice(0, at)}.${wrong} = 1`);
    }
    page.wrong(`a table that there is not (${way})`, `[limit${way}]`).add('max_concurrent = 2');
    return page.world;
  });
}

/** Beside single values. */
function listWorld(): World {
  return new Page(CONFIG)
    .add('providers.active = "demo"')
    .wrong('models that are no list', 'models.enabled = "opus"')
    .wrong('a private host with a pattern', 'web.private_hosts = ["*.example.org"]', { column: 22 })
    .wrong('patterns that are no list', 'permissions.always_ask = "a.md"')
    .wrong('a pattern that is empty', 'permissions.secret_files = [""]', { column: 29 })
    .add('redact = {', '  patterns = [', '    "K-[0-9]+",')
    .wrong('a pattern that is none, in a list', '    "[",')
    .add('  ],', '}')
    .wrong('an address of another kind', 'providers.anthropic.base_url = "ftp://models.example"')
    .wrong('a server without a way to it', '[mcp.servers.one]')
    .add('[mcp.servers.two]')
    .wrong('a server with two ways to it', 'command = "node"')
    .add('url = "http://127.0.0.1:1/"')
    .wrong('a server of no name', '[mcp.servers."-"]')
    .add('command = "node"')
    .add('[mcp.servers.three]', 'command = "node"')
    .wrong('a time of a server that is too long', 'timeout_seconds = 4000')
    .wrong('a permission of a server that there is not', 'permissions = ["Excute"]', { column: 16 })
    .wrong('a key of a server that there is not', 'comand = "node"')
    .add('[[permissions.rules]]')
    .wrong('an effect that there is not', 'effect = "alow"')
    .add('tool = "grep"')
    .wrong('a rule about nothing', '[[permissions.rules]]')
    .add('effect = "deny"')
    .wrong('a rule about two things', '[[permissions.rules]]')
    .add('effect = "deny"', 'tool = "grep"', 'permission = "Execute"')
    .add('[[permissions.rules]]', 'effect = "deny"', 'tool = "grep"')
    .wrong('a key of a rule that there is not', 'patern = "x"').world;
}

/** Texts that are no TOML, each with the line on which that shows. */
const BROKEN: readonly (readonly [string, string, number])[] = [
  ['a table that is not closed', '# a\n[limits\n', 2],
  ['two signs', '\n[limits]\nmax_concurrent = = 2\n', 3],
  ['a value that is left out', '[limits]\nmax_concurrent =\n', 2],
  ['a word as a value', '[limits]\n\nmax_concurrent = two\n', 3],
  ['a text that is not closed', '[models]\ndefault = "opus\n[limits]\n', 2],
  ['a key twice', '[limits]\nmax_concurrent = 1\nmax_concurrent = 2\n', 3],
  ['a table twice', '[limits]\nmax_concurrent = 1\n[limits]\n', 3],
  ['a value as a table', 'limits = 2\n[limits.run]\n', 2],
  ['a list that is not closed', '[models]\nenabled = ["opus",\n', 3],
  ['a control character', '[models]\ndefault = "a\u0001b"\n', 2],
  ['an escape that there is not', '[models]\ndefault = "a\\qb"\n', 2],
  ['a colon', '[limits]\nmax_concurrent: 2\n', 2],
  ['leading zeros', '[limits]\nmax_concurrent = 02\n', 2],
  ['a key without a value', '[limits]\nmax_concurrent\n', 2],
  ['something behind a value', '[limits]\nmax_concurrent = 2 3\n', 2],
];

function pricesWorld(): World {
  return new Page('home/prices.toml')
    .wrong('a day that is none', 'version = 3')
    .add('[models.m]', 'input = 1', 'output = 1')
    .wrong('a price that there is not', 'inputs = 1')
    .wrong('a price below nothing', 'cache_read = -1')
    .wrong('a price as a text', 'web_search = "10"')
    .add('[models."n:1"]', 'input = 1', 'output = 1')
    .wrong('a price of a model in quotes', 'outputs = 1')
    .add('[models.m.long_prompt]', 'input = 1', 'output = 1')
    .wrong('a bound of nothing', 'above = 0').world;
}

export function settingWorlds(): World[] {
  const broken = BROKEN.flatMap(([about, text, line]): World[] => [
    { files: { [CONFIG]: text }, mistakes: [{ about: `settings: ${about}`, file: CONFIG, line }] },
  ]);
  const withPrices = broken.map((world, index) => {
    const [about, text, line] = BROKEN[index]!;
    const prices = {
      files: { 'home/prices.toml': text },
      mistakes: [{ about: `prices: ${about}`, file: 'home/prices.toml', line }],
    };
    return together(world, prices);
  });
  return [...valueWorlds(), ...nameWorlds(), listWorld(), pricesWorld(), ...withPrices];
}
