/** Mistakes in the files of agents and compositions, each in a file of its own among good ones. */
import { agentText } from '../../../support/linking.ts';
import { misspelt } from './setting-mistakes.ts';
import type { Mistake, World } from './world.ts';

/** Bad values of keys of an agent, as YAML and TOML both write them. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  role: ['"primry"', '3'],
  model: ['""', '3'],
  effort: ['"hihg"', '7'],
  max_tokens: ['0', '"many"', '2000000'],
  temperature: ['2.1', '"warm"'],
  max_iterations: ['0', '201', '0.5'],
  doom_loop_threshold: ['1', '101'],
  max_minutes: ['0', '"long"'],
  tools: ['"grep"', '["raed_file"]'],
  mcp_servers: ['"memory"', '["-"]'],
  permissions: ['["DatbaseWrite"]', '[1]'],
  requires_approval: ['["FilesystemWirte"]', 'true'],
  approval_timeout: ['0', '"5 min"'],
  enabled: ['"no"', '1'],
  enable_reflection: ['"yes"', '0'],
  max_retries: ['-1', '6'],
  next: ['3', '[]'],
  input_format: ['"txt"', '"json"'],
  output_format: ['"jsn"', 'true'],
  expose_as_tool: ['"yes"', '1'],
  project_instructions: ['"yes"', '1'],
  reflection_criteria: ['""', '[]'],
};

const GOOD = {
  'home/agents/good-worker.md': agentText('good-worker'),
  'home/agents/other-worker.md': agentText('other-worker'),
  'home/agents/off.md': agentText('off', 'enabled: false'),
};

class Files {
  readonly files: Record<string, string> = { ...GOOD };
  readonly mistakes: Mistake[] = [];
  #next = 0;

  /** A name of its own for every file. */
  name(): string {
    return `a${this.#next++}`;
  }

  add(about: string, path: string, text: string, line: number, rest: Partial<Mistake> = {}): void {
    this.files[path] = text;
    this.mistakes.push({ about, file: path, line, ...rest });
  }

  /** Its own keys begin in line 4. */
  agent(about: string, keys: string, line: number, rest: Partial<Mistake> = {}): void {
    const name = this.name();
    this.add(about, `home/agents/${name}.md`, agentText(name, keys), line, rest);
  }
}

function keyMistakes(all: Files): void {
  for (const [key, values] of Object.entries(VALUES))
    for (const [index, value] of values.entries()) {
      all.agent(`agent: ${key} is ${value}`, `# mine\n${key}: ${value}`, 5);
      if (index > 0) continue;
      const name = all.name();
      const toml = `name = "${name}"\ndescription = "d"\n\n${key} = ${value}\nprompt = "p"\n`;
      all.add(`agent in TOML: ${key} is ${value}`, `home/agents/${name}.toml`, toml, 4);
    }
  for (const key of Object.keys(VALUES))
    for (const wrong of misspelt(key).slice(0, 1)) all.agent(`agent: the key ${wrong}`, `${wrong}: 1`, 4);
}

function textMistakes(all: Files): void {
  const add = (about: string, text: (name: string) => string, line: number, rest: Partial<Mistake> = {}) => {
    const name = all.name();
    all.add(`agent: ${about}`, `home/agents/${name}.md`, text(name), line, rest);
  };
  add('no frontmatter', () => 'You are one.\n', 1);
  add('frontmatter that is not closed', (name) => `---\nname: ${name}\n`, 1);
  add('no YAML', (name) => `---\nname: ${name}\ndescription: "a" b\n---\nText\n`, 3);
  add('a key twice', (name) => `---\nname: ${name}\ndescription: d\nmodel: haiku\nmodel: opus\n---\nText\n`, 5);
  add('a list as frontmatter', () => '---\n- a\n---\nText\n', 2);
  add('no prompt', (name) => `---\nname: ${name}\ndescription: d\n---\n`, 5);
  add('no name', () => '---\ndescription: d\n---\nText\n', 1);
  add('no description', (name) => `---\nname: ${name}\n---\nText\n`, 1);
  add('a name that is a path', () => '---\nname: ../x\ndescription: d\n---\nText\n', 2);
  add('a variable that there is not', (name) => `${agentText(name)}In {{foldr}}.\n`, 6);
  add('a byte order mark is none, but this key is', (name) => `\uFEFF${agentText(name, 'modle: x')}`, 4);
  add(
    'line ends of Windows are none, but this key is',
    (name) => agentText(name, 'modle: x').replaceAll('\n', '\r\n'),
    4,
  );
  add('too large', (name) => agentText(name) + 'x'.repeat(1024 * 1024), 1);
  all.agent('agent: it follows itself', `next: a${Object.keys(all.files).length}`, 4);
}

function linkMistakes(all: Files): void {
  all.agent('agent: nobody follows', 'next: nobody-at-all', 4);
  all.agent('agent: one that is disabled follows', 'next: off', 4);
  all.agent('agent: a schema that is none', "output_format: json\noutput_schema: '{'", 5);
  all.agent('agent: a schema without its format', "input_schema: '{}'", 4);
  all.agent('agent: a tool of leads alone', 'tools: [spawn_agent]', 4);
  all.agent('agent: a server that there is not', 'mcp_servers: [nowhere]', 4, { level: 'warning' });
  all.agent('agent: reflection that is off', 'max_retries: 2', 4, { level: 'warning' });
  all.add('agent: a name that is taken', 'home/agents/z-copy.md', agentText('good-worker'), 1);
  const round = ['round-a', 'round-b', 'round-c'];
  for (const [index, name] of round.entries())
    all.add(
      `agent: a circle, at ${name}`,
      `home/agents/${name}.md`,
      agentText(name, `next: ${round[(index + 1) % 3]}`),
      4,
      { what: /recursion/ },
    );
}

const composition = (name: string, lines: readonly string[]): string =>
  [`[agent]`, `name = "${name}"`, 'description = "d"', ...lines, ''].join('\n');

function compositionMistakes(all: Files): void {
  const add = (about: string, lines: string[], line: number): void => {
    const name = all.name();
    all.add(`composition: ${about}`, `home/compositions/${name}.toml`, composition(name, lines), line);
  };
  const flow = (type: string, ...more: string[]) => ['[control_flow]', `type = ${type}`, ...more];
  const of = (primary: string, ...more: string[]) => ['[composition]', `primary = ${primary}`, ...more];
  const pair = ['[composition]', 'primary = "good-worker"', 'coagent = "other-worker"'];
  for (const value of ['7', '""', '["good-worker"]', '"nobody-at-all"', '"good-wroker"', '"off"', '"BUILD-LOOP"'])
    add(`primary ${value}`, [...of(value), ...flow('"loop"')], 5);
  for (const value of ['7', '""', '"nobody-at-all"', '"off"', '"BUILD-LOOP"'])
    add(`coagent ${value}`, [...of('"good-worker"', `coagent = ${value}`), ...flow('"loop"')], 6);
  for (const value of ['"jugde"', '3', '"lop"', '""']) add(`type ${value}`, [...pair, ...flow(value)], 8);
  for (const bound of ['0', '"4"', '1.5', '1000000'])
    add(`max_rounds ${bound}`, [...pair, ...flow('"judge"', `max_rounds = ${bound}`)], 9);
  for (const [type, bound] of [
    ['judge', 'max_turns'],
    ['chat', 'max_rounds'],
    ['loop', 'max_rounds'],
    ['smart', 'max_iterations'],
  ])
    add(`${bound} of a ${type}`, [...pair, ...flow(`"${type}"`, `${bound} = 3`)], 9);
  for (const type of ['judge', 'smart', 'chat'])
    add(`${type} alone`, [...of('"good-worker"'), ...flow(`"${type}"`)], 7);
  add('a section that there is not', [...pair, ...flow('"loop"'), '[handof]', 'text = "a"'], 9);
  add('a key in the wrong section', [...pair, 'max_rounds = 3', ...flow('"judge"')], 7);
  const handoff = (...lines: string[]) => [...pair, ...flow('"judge"'), '[handoff]', ...lines];
  add('a handoff of no type', handoff('type = "statc"', 'text = "a"'), 10);
  add('a handoff without a text', handoff('type = "static"'), 10);
  add('a handoff that is empty', handoff('text = ""'), 10);
  add('two texts', handoff('text = "a"', 'template = "b"'), 11);
  add('a variable', handoff('type = "template"', 'text = "{{anser}}"'), 11);
}

export function agentWorld(): World {
  const all = new Files();
  keyMistakes(all);
  textMistakes(all);
  linkMistakes(all);
  compositionMistakes(all);
  return { files: all.files, mistakes: all.mistakes };
}
