/** Mistakes in tables of providers, and in what names a provider, its model and its key. */
import { agentText } from '../../../support/linking.ts';
import { type Mistake, Page, together, type World } from './world.ts';

const CONFIG = 'home/config.toml';
const AT = 'base_url = "http://127.0.0.1:1/v1"';

/** Single keys: each table is told of by itself. */
function keyWorld(): World {
  return new Page(CONFIG)
    .add('providers.active = "demo"')
    .wrong('a provider without a type', '[providers.one]')
    .add(AT)
    .wrong('a provider without an address', '[providers.two]')
    .add('type = "openai-chat"')
    .add('[providers.three]', AT)
    .wrong('a type that there is not', 'type = "openai"')
    .add('[providers.four]', 'type = "openai-chat"')
    .wrong('an address of no server', 'base_url = "ftp://models.example"')
    .add('[providers.five]', 'type = "openai-chat"', AT)
    .wrong('more requests at a time than there may be', 'max_concurrent = 101')
    .wrong('a search of the web that there is not', 'web_search = "often"')
    .wrong('a key of a provider that there is not', 'base_ulr = "x"')
    .add('[providers.five.defaults]')
    .wrong('output tokens of a provider: none', 'max_tokens = 0')
    .wrong('a model of a provider without letters', 'model = ""')
    .add('[providers.five.models.m]')
    .wrong('a window in words', 'context_window = "8k"')
    .wrong('an output below nothing', 'max_output = -1')
    .wrong('tools as a number', 'supports_tools = 1')
    .wrong('pictures as a text', 'supports_vision = "no"')
    .wrong('thinking as a list', 'supports_extended_thinking = []')
    .wrong('a trait of a model that there is not', 'supports_vison = true')
    .add('[providers.five.models."n:1"]')
    .wrong('a temperature of a model in quotes', 'supports_temperature = 0.7')
    .add('[providers.five.embeddings]')
    .wrong('vectors of no length', 'dimensions = 0')
    .wrong('a number as the model of embeddings', 'model = 3')
    .add('[providers.five.auth]')
    .wrong('a variable of a name that hides nothing', 'api_key = { env = "HOME" }', { column: 13 })
    .wrong('a word whether a key may stand in the file', 'in_file = "yes"')
    .add('[providers.anthropic]')
    .wrong('another type of the provider anthropic', 'type = "openai-chat"')
    .add('[providers.openai]')
    .wrong('another type of the provider openai', 'type = "anthropic"').world;
}

/** What is held against other keys once each is right by itself. */
function togetherWorlds(): World[] {
  const page = () => new Page(CONFIG);
  const one = ['[providers.one]', 'type = "openai-chat"', AT];
  return [
    page()
      .wrong('an active provider that there is not', 'providers.active = "onne"', { what: /did you mean one/ })
      .wrong('embeddings of a provider that there is not', 'providers.embeddings = "two"')
      .add(...one).world,
    page()
      .add('providers.active = "demo"')
      .wrong('embeddings of a provider without a model for them', 'providers.embeddings = "one"')
      .add(...one).world,
    page()
      .add('providers.active = "demo"', '[providers.one]', 'type = "anthropic"', AT)
      .wrong('embeddings where there are none', '[providers.one.embeddings]')
      .add('model = "e"').world,
    page()
      .add('providers.active = "demo"', ...one)
      .wrong('a search where there is none', 'web_search = "auto"').world,
    page()
      .add('providers.active = "demo"', ...one, '[providers.one.auth]')
      .wrong('a key in the clear', 'api_key = "0123456789abcdef0123456789"', { todo: /./ }).world,
    ...['demo', 'A B', '-x', 'web_search', 'telemetry', 'store'].map(
      (name) =>
        page()
          .add('providers.active = "demo"')
          .wrong(`a provider of the name ${name}`, `[providers."${name}"]`)
          .add('type = "openai-chat"', AT).world,
    ),
    page()
      .wrong('an active provider without a key', 'providers.active = "far"', {
        level: 'warning',
        todo: /config key far/,
      })
      .add('[providers.far]', 'type = "openai-chat"', 'base_url = "https://far.example/v1"', 'defaults.model = "m"')
      .world,
    page()
      .wrong('an active provider without a model', 'providers.active = "one"', { what: /one has no model/ })
      .add(...one).world,
  ];
}

/** Agents that name a provider: the chain from the agent to the key. */
function agentWorld(): World {
  const config = new Page(CONFIG)
    .add('providers.active = "near"', '[providers.near]', 'type = "openai-chat"', AT, 'defaults.model = "m"')
    .add('[providers.bare]', 'type = "openai-chat"', AT)
    .wrong('a provider of an agent without a key', '[providers.far]', { level: 'warning', what: /no key/ })
    .add('type = "openai-chat"', 'base_url = "https://far.example/v1"', 'defaults.model = "m"').world;
  const agent = (name: string, extra: string): World => ({
    files: { [`home/agents/${name}.md`]: agentText(name, extra) },
    mistakes: [],
  });
  const wrong = (about: string, name: string, key: string, rest: Partial<Mistake> = {}): World => {
    const world = agent(name, key);
    const file = `home/agents/${name}.md`;
    const lines = String(world.files[file]).split('\n');
    return { ...world, mistakes: [{ about, file, line: lines.indexOf(key) + 1, ...rest }] };
  };
  return together(
    config,
    agent('right', 'provider: far'),
    wrong('an agent of a provider that there is not', 'lost', 'provider: naer'),
    wrong('an agent of a provider that says no model', 'mute', 'provider: bare', { level: 'warning' }),
    wrong('an agent of a provider that is a number', 'counted', 'provider: 3'),
  );
}

export function providerWorlds(): World[] {
  return [keyWorld(), ...togetherWorlds(), agentWorld()];
}
