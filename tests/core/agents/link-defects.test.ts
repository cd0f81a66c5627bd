/** Three hundred mistakes in compositions, chains and contracts: each is refused where it stands, with its key and what was meant. */
import { expect, test } from 'vitest';
import { agentText, errorsIn, linkedFiles } from '../../support/linking.ts';

interface Case {
  /** What kind of mistake, and of what. */
  about: string;
  files: Record<string, string>;
  file: string;
  line: number;
  key: string | null;
  suggestion?: string;
  message?: RegExp;
}

const OTHERS = {
  'agents/lead-one.md': agentText('lead-one', 'role: primary'),
  'agents/worker-one.md': agentText('worker-one'),
  'agents/critic.md': agentText('critic'),
  'agents/off.md': agentText('off', 'enabled: false'),
  'agents/faulty.md': agentText('faulty', 'modle: x'),
  'agents/followed.md': agentText('followed', 'next: critic'),
  'compositions/pair.toml':
    '[agent]\nname = "pair"\ndescription = "d"\n[composition]\nprimary = "worker-one"\n[control_flow]\ntype = "loop"\n',
};
type Lines = Record<string, string>;
/** A composition without a mistake: values of TOML by section and key. */
const GOOD: Readonly<Record<string, Lines>> = {
  agent: { name: '"MINE"', description: '"Two of them"' },
  composition: { primary: '"worker-one"', coagent: '"critic"' },
  control_flow: { type: '"judge"', max_rounds: '4' },
  handoff: { type: '"template"', text: '"Look at {{answer}}"' },
};
const TYPES = ['hitl', 'loop', 'judge', 'smart', 'chat'] as const;
const BOUND = { hitl: null, loop: 'max_iterations', judge: 'max_rounds', smart: 'max_rounds', chat: 'max_turns' };

/** Null takes a key out; a changed one comes last in its section. */
type Change = Record<string, Record<string, string | null>>;

function textOf(change: Change): string {
  const names = [...new Set([...Object.keys(GOOD), ...Object.keys(change)])];
  return names
    .map((section) => {
      const mine = change[section] ?? {};
      const kept = Object.entries(GOOD[section] ?? {}).filter(([key]) => !Object.hasOwn(mine, key));
      const pairs = [...kept, ...Object.entries(mine)].filter(([, value]) => value !== null);
      return [`[${section}]`, ...pairs.map(([key, value]) => `${key} = ${value}`)].join('\n');
    })
    .join('\n\n');
}

const FILE = 'compositions/mine.toml';

/** `at`: the beginning of the line with the mistake; null for what is missing, which stands nowhere. */
function composed(about: string, change: Change, key: string, at: string | null, rest: Partial<Case> = {}): Case {
  const text = textOf(change);
  const line = at === null ? 1 : text.split('\n').findIndex((one) => one.startsWith(at)) + 1;
  return { about, files: { ...OTHERS, [FILE]: text }, file: FILE, line, key, ...rest };
}

/** A letter left out, two swapped, one doubled. */
function misspelt(word: string): string[] {
  const at = Math.floor(word.length / 2);
  const [before, here, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)];
  return [before + next + after, before + next + here + after, before + here + here + next + after].filter(
    (one) => one !== word,
  );
}

function wrongValues(): Case[] {
  const bad: Record<string, readonly (readonly [string, string?])[]> = {
    'agent.name': [['7'], ['""'], ['"../x"'], ['"a\\tb"'], ['true'], ['["MINE"]']],
    'agent.description': [['7'], ['""'], ['"  "'], ['true'], ['[]']],
    'composition.primary': [['7'], ['""'], ['["worker-one"]'], ['true'], ['"  "'], ['1979-05-27']],
    'composition.coagent': [['7'], ['""'], ['["critic"]'], ['true'], ['"  "']],
    'control_flow.type': [
      ...([
        ['"jugde"', 'judge'],
        ['"samrt"', 'smart'],
        ['"lop"', 'loop'],
        ['"chats"', 'chat'],
        ['"htil"', 'hitl'],
      ] as const),
      ...([['3'], ['true'], ['["judge"]'], ['""'], ['"both"']] as const),
    ],
    'control_flow.max_rounds': [
      ['0'],
      ['-1'],
      ['51'],
      ['2.5'],
      ['"3"'],
      ['true'],
      ['[3]'],
      ['1000000'],
      ['nan'],
      ['inf'],
    ],
    'handoff.type': [
      ...([
        ['"statc"', 'static'],
        ['"tempalte"', 'template'],
        ['"genrated"', 'generated'],
      ] as const),
      ...([['1'], ['""'], ['true'], ['["static"]']] as const),
    ],
    'handoff.text': [['7'], ['""'], ['"  "'], ['["a"]'], ['true']],
  };
  return Object.entries(bad).flatMap(([key, values]) =>
    values.map(([value, suggestion]) => {
      const [section = '', inner = ''] = key.split('.');
      const rest = suggestion === undefined ? {} : { suggestion };
      return composed(`${key} ${value}`, { [section]: { [inner]: value } }, key, `${inner} = ${value}`, rest);
    }),
  );
}

function unknownKeys(): Case[] {
  return Object.entries(GOOD).flatMap(([section, keys]) => [
    ...[...Object.keys(keys), ...(section === 'control_flow' ? ['max_turns', 'max_iterations'] : [])].flatMap((key) =>
      misspelt(key).map((wrong) =>
        composed(
          `unknown ${section}.${wrong}`,
          { [section]: { [wrong]: '"a"' } },
          `${section}.${wrong}`,
          `${wrong} =`,
          {
            ...(key.length > 4 ? { suggestion: key } : {}),
          },
        ),
      ),
    ),
    ...misspelt(section).map((wrong) =>
      composed(`unknown [${wrong}]`, { [wrong]: { 'x-a': '1' } }, wrong, `[${wrong}]`, { suggestion: section }),
    ),
    composed(`foreign key in [${section}]`, { [section]: { tools: '["grep"]' } }, `${section}.tools`, 'tools ='),
  ]);
}

function missing(): Case[] {
  const required = ['agent.name', 'agent.description', 'composition.primary', 'control_flow.type'];
  return required.map((key) => {
    const [section = '', inner = ''] = key.split('.');
    return composed(`no ${key}`, { [section]: { [inner]: null } }, key, null, { message: /is missing$/ });
  });
}

/** What the keys of a composition cannot be together. */
function together(): Case[] {
  const flow = (type: string, more: Record<string, string | null> = {}) => ({
    type: `"${type}"`,
    max_rounds: null,
    ...more,
  });
  const bounds = ['max_iterations', 'max_rounds', 'max_turns'];
  const cases = TYPES.flatMap((type) =>
    bounds
      .filter((bound) => bound !== BOUND[type])
      .map((bound) => {
        const change: Change = { control_flow: flow(type, { [bound]: '3' }), composition: {} };
        if (type === 'hitl')
          Object.assign(change, { composition: { coagent: null }, handoff: { type: null, text: null } });
        const rest = BOUND[type] === null ? {} : { suggestion: BOUND[type] };
        return composed(`${bound} of a ${type}`, change, `control_flow.${bound}`, `${bound} =`, rest);
      }),
  );
  const outside = TYPES.flatMap((type) => {
    const bound = BOUND[type];
    return bound === null
      ? []
      : ['0', '51', '1.5', '"3"'].map((value) =>
          composed(
            `${type} ${bound} ${value}`,
            { control_flow: flow(type, { [bound]: value }) },
            `control_flow.${bound}`,
            `${bound} =`,
          ),
        );
  });
  const alone = (['judge', 'smart', 'chat'] as const).map((type) =>
    composed(
      `${type} alone`,
      { control_flow: flow(type), composition: { coagent: null } },
      'control_flow.type',
      'type = ',
    ),
  );
  return [...cases, ...outside, ...alone, ...handoffs(flow)];
}

type Flow = (type: string, more?: Record<string, string | null>) => Record<string, string | null>;

/** What a handoff cannot be. */
function handoffs(flow: Flow): Case[] {
  const none = { type: null, text: null };
  return [
    composed('hitl with a coagent', { control_flow: flow('hitl'), handoff: none }, 'composition.coagent', 'coagent ='),
    composed(
      'hitl with a handoff',
      { control_flow: flow('hitl'), composition: { coagent: null }, handoff: { type: null } },
      'handoff.text',
      'text =',
    ),
    composed('a type without words', { handoff: { text: null } }, 'handoff.type', 'type = "template"'),
    ...(['template', 'generator_prompt'] as const).flatMap((key) => [
      composed(`text and ${key}`, { handoff: { type: null, [key]: '"b"' } }, `handoff.${key}`, `${key} =`),
      composed(
        `${key} of static`,
        { handoff: { type: '"static"', text: null, [key]: '"b"' } },
        `handoff.${key}`,
        `${key} =`,
        {
          suggestion: 'text',
        },
      ),
    ]),
  ];
}

function variables(): Case[] {
  const known = [
    ...['user_request', 'task_description', 'account', 'answer', 'todo_state', 'changes'],
    ...['round', 'max_rounds', 'feedback', 'agent', 'coagent'],
  ];
  return known.flatMap((name) =>
    misspelt(name)
      .filter((wrong) => !known.includes(wrong))
      .map((wrong) => {
        const change = { handoff: { text: `"""\n{{agent}}\n\\\\{{x}} {{${wrong}}}"""` } };
        const line =
          textOf(change)
            .split('\n')
            .findIndex((one) => one.includes(`{{${wrong}}}`)) + 1;
        return { ...composed(`variable ${wrong}`, change, 'handoff.text', null, { suggestion: `{{${name}}}` }), line };
      }),
  );
}

/** Of what it names, also in each of the control flows that have a coagent. */
function agents(): Case[] {
  const wrong = {
    primary: [
      ...([
        ['worker-oen', 'worker-one'],
        ['lead-oen', 'lead-one'],
        ['off'],
        ['faulty'],
        ['pair'],
        ['nobody-at-all'],
      ] as const),
      ...([['./none.md'], ['none.toml'], ['agent__none'], ['MINE']] as const),
    ],
    coagent: [
      ...([['critc', 'critic'], ['off'], ['faulty'], ['pair'], ['followed'], ['nobody-at-all']] as const),
      ...([['/at/agents/none.md'], ['MINE']] as const),
    ],
  };
  return (['loop', 'judge', 'smart', 'chat'] as const).flatMap((type) =>
    (['primary', 'coagent'] as const).flatMap((use) =>
      wrong[use].map(([value, suggestion]) =>
        composed(
          `${type}: ${use} ${value}`,
          { control_flow: { type: `"${type}"`, max_rounds: null }, composition: { [use]: `"${value}"` } },
          `composition.${use}`,
          `${use} = "${value}"`,
          suggestion === undefined ? {} : { suggestion },
        ),
      ),
    ),
  );
}

/** Keys of an agent beside others, each beginning in line 4 + `before`. */
function single(about: string, keys: string[], line: number, key: string, rest: Partial<Case> = {}): Case[] {
  return [0, 2].map((before) => {
    const filler = ['model: haiku', 'max_tokens: 4096'].slice(0, before);
    const files = { ...OTHERS, 'agents/mine.md': agentText('mine', [...filler, ...keys].join('\n')) };
    return { about: `${about} (${before})`, files, file: 'agents/mine.md', line: 4 + before + line, key, ...rest };
  });
}

const schema = (side: string, text: string) => [`${side}_format: json`, `${side}_schema: '${text}'`];

function contracts(): Case[] {
  const bad: [string, RegExp][] = [
    ['{', /is not valid JSON/],
    ['[]', /must be a JSON object/],
    ['3', /must be a JSON object/],
    ['{"type":"strin"}', /is not a valid JSON Schema/],
    ['{"required":"a"}', /is not a valid JSON Schema/],
    ['{"$ref":"#/$defs/none"}', /is not a valid JSON Schema/],
    ['{"pattern":"("}', /is not a valid JSON Schema/],
    ['{"$schema":"http://json-schema.org/draft-04/schema#"}', /is not a valid JSON Schema/],
    [`{"x":"${'a'.repeat(20_000)}"}`, /is longer than 20000 characters/],
  ];
  return (['input', 'output'] as const).flatMap((side) => [
    ...bad.flatMap(([text, message]) =>
      single(`${side}_schema ${text.slice(0, 30)}`, schema(side, text), 1, `${side}_schema`, { message }),
    ),
    ...single(`${side}_schema alone`, [`${side}_schema: '{}'`], 0, `${side}_schema`),
    ...single(
      `${side}_schema of text`,
      [`${side}_format: text`, `${side}_schema: {type: object}`],
      1,
      `${side}_schema`,
    ),
  ]);
}

function chains(): Case[] {
  const named: [string, Partial<Case>][] = [
    ['wroker-one', { suggestion: 'worker-one' }],
    ['agent__none', {}],
    ['./none.md', {}],
    ['none.toml', {}],
    ['off', { message: /is disabled/ }],
    ['faulty', { message: /is refused: unknown key modle/ }],
    ['lead-one', { message: /leads conversations/ }],
    ['mine', { message: /recursion in chain: mine -> mine/ }],
    ['agent__mine', { message: /recursion in chain: mine -> mine/ }],
  ];
  const json = (fields: string) => `input_format: json\ninput_schema: '${fields}'`;
  const meets = (about: string, gives: string, takes: string, message: RegExp): Case[] =>
    single(about, ['next: taker', ...schema('output', gives)], 0, 'next', { message }).map((one) => ({
      ...one,
      files: { ...one.files, 'agents/taker.md': agentText('taker', json(takes)) },
    }));
  return [
    ...named.flatMap(([name, rest]) => [
      ...single(`next ${name}`, [`next: ${name}`], 0, 'next', rest),
      ...single(`next [${name}]`, ['next:', `  - ${name}`], 1, 'next', rest),
    ]),
    ...single('next of a lead', ['role: primary', 'next: critic'], 1, 'next'),
    ...single('expose_as_tool of a lead', ['role: primary', 'expose_as_tool: true'], 1, 'expose_as_tool'),
    ...single('input_format of a lead', ['role: primary', 'input_format: text'], 1, 'input_format'),
    ...single('input_format json alone', ['input_format: json'], 0, 'input_format'),
    ...meets('types apart', '{"type":"array"}', '{"type":"object"}', /takes object, and output_schema gives array/),
    ...meets(
      'a required one that never comes',
      '{"properties":{"a":{}},"additionalProperties":false}',
      '{"required":["b"]}',
      /requires "b", which output_schema does not have/,
    ),
    ...meets(
      'one too many',
      '{"properties":{"a":{}},"required":["a"]}',
      '{"properties":{"b":{}},"additionalProperties":false}',
      /takes no "a", which output_schema requires/,
    ),
    ...meets(
      'a property of another type',
      '{"properties":{"a":{"type":"string"}},"required":["a"]}',
      '{"properties":{"a":{"type":"integer"}}}',
      /takes "a" as integer, and output_schema gives string/,
    ),
    ...['{"type":"number"}', '{"enum":[1,2]}', '{"pattern":"^z"}', '{"const":null}', 'false'].flatMap((reason) =>
      meets(
        `reason ${reason}`,
        '{}',
        `{"required":["reason"],"properties":{"reason":${reason}}}`,
        /requires a "reason" that no/,
      ),
    ),
  ];
}

const cases = [
  ...[wrongValues, unknownKeys, missing, together, variables, agents, contracts, chains].flatMap((make) => make()),
];

test('the collection contains at least three hundred distinct defects', () => {
  const distinct = new Set(cases.map(({ file, files }) => files[file]));
  expect(distinct.size).toBeGreaterThanOrEqual(300);
  expect(errorsIn(linkedFiles({ ...OTHERS, [FILE]: textOf({}) })).map(({ file }) => file)).toEqual([
    '/at/agents/faulty.md',
  ]);
});

test('every link defect is reported with its file, key, line and suggestion where one exists', () => {
  const wrong = cases.flatMap((one) => {
    const errors = errorsIn(linkedFiles(one.files)).filter(({ file }) => file === `/at/${one.file}`);
    const [error] = errors;
    const isRight =
      errors.length === 1 &&
      error?.key === one.key &&
      error.line === one.line &&
      error.column >= 1 &&
      (one.message?.test(error.message) ?? true) &&
      (one.suggestion === undefined || error.suggestion === one.suggestion);
    const { about, line, key, suggestion, message } = one;
    return isRight ? [] : [{ about, line, key, suggestion, message: message?.source, errors }];
  });
  expect(wrong).toEqual([]);
});
