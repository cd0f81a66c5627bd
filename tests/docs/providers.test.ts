/** The page on providers: its examples are settings that hold, and lead where and to what the page says. */
import { expect, test } from 'vitest';
import { parseDefinition } from '#core/agents/definition.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { concurrencyAt } from '#core/model/providers/place.ts';
import { providerNames } from '#core/settings/provider-settings.ts';
import { checkSettings, type Settings } from '#core/settings/settings.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { readPage } from './examples.ts';

const page = readPage('providers.md');
const blocks = (title: string, language = 'toml') =>
  page.flatMap((section) => (section.title === title ? section.blocks : [])).filter((one) => one.language === language);
/** The table that other blocks go on with. */
const OLLAMA = `${blocks('Model providers')[0]!.content}\n`;

function settingsIn(text: string): Settings {
  const checked = checkSettings(text);
  if (!checked.ok) throw new Error(JSON.stringify(checked));
  return checked.value;
}

const rulesFor = (settings: Settings, programs = {}) =>
  new ModelRules({ settings, lists: new ModelLists(), environment: { baseUrl: undefined, programs } });

test('each TOML block is a valid settings file, alone or together with the first block', () => {
  const all = page.flatMap((section) => section.blocks).filter(({ language }) => language === 'toml');
  expect(all.length).toBeGreaterThan(9);
  for (const { content } of all) {
    const isMore = /^\[providers\.ollama\.models/.test(content) || content.includes('embeddings = "ollama"');
    const first = isMore ? OLLAMA.replace(/^\[providers\]\nactive.*\n/, '') : '';
    expect(checkSettings(first + content), content).toMatchObject({ ok: true });
  }
});

test('each example has the address, model, key and limit that the page states', () => {
  const environment = { VLLM_API_KEY: 'v', OPENROUTER_API_KEY: 'o', OPENAI_API_KEY: 'a' };
  const rows = blocks('Examples').map(({ content }) => {
    const settings = settingsIn(content);
    const rules = rulesFor(settings, environment);
    const name = providerNames(settings.providers).find((one) => content.includes(`[providers.${one}]`))!;
    const place = rules.place(name);
    const model = rules.idFor(name, null);
    return [name, place.address, model, place.envKey ?? (place.isLocal ? 'none' : 'missing'), concurrencyAt(place)];
  });
  expect(rows).toEqual([
    ['ollama', 'http://127.0.0.1:11434/v1', 'llama3.2:3b', 'none', 1],
    ['lm-studio', 'http://127.0.0.1:1234/v1', 'qwen3-4b', 'none', 1],
    ['llama-cpp', 'http://127.0.0.1:8080/v1', 'local-model', 'none', 1],
    ['vllm', 'http://10.0.0.5:8000/v1', 'Qwen/Qwen3-32B', 'v', 8],
    ['openrouter', 'https://openrouter.ai/api/v1', 'qwen/qwen3-coder', 'o', 5],
    ['openai', 'https://api.openai.com/v1', 'gpt-5.1', 'a', 5],
    ['gateway', 'https://models.example', 'claude-sonnet-5-5', 'missing', 3],
  ]);
  const [gateway] = blocks('Examples').slice(-1);
  expect(rulesFor(settingsIn(gateway!.content)).searches('gateway')).toBe(true);
});

test('the example sets the capabilities of a model, and the example agent uses its model', () => {
  const table = blocks('What a model can do')[0]!.content;
  const rules = rulesFor(settingsIn(OLLAMA + table));
  expect(rules.capabilities('ollama', 'llama3.2:3b')).toEqual({
    contextWindow: 131_072,
    maxOutput: 8192,
    tools: true,
    vision: false,
    thinking: false,
    temperature: true,
  });
  const [agent] = blocks('Who asks which', 'markdown');
  const parsed = parseDefinition(agent!.content, { source: 'user', path: '/scout.md', tools: allTools() });
  expect(parsed).toMatchObject({ ok: true, warnings: [], definition: { provider: 'ollama', model: 'qwen3:4b' } });
  expect(rules.idFor('ollama', 'qwen3:4b')).toBe('qwen3:4b');
});
