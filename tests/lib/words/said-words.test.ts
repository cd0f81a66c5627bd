// What core says is said in French from its keys and values, and as core has it where they are not known.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { FAULTS } from '#contract/agents/fault-phrases.ts';
import { ENGLISH, phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import { faultPhrases } from '#lib/words/fr/fault-phrases.ts';
import { speakBy } from '#lib/view/language.ts';
import { learn, text } from '#lib/words/text.ts';

const plain = (said: string) => said.replaceAll('\u202F', ' ');
const title = phrase('write', { path: 'a.md', change: ' (+1 −0)' });
const says = (description: Phrase[]) => ({ title, description });

beforeAll(async () => {
  await learn('fr');
  speakBy(() => 'fr');
});
afterAll(() => speakBy(() => 'en'));

it('translates an approval by its phrases', () => {
  const description = [
    phrase('makes_file', { path: 'a.md', folder: '/p' }),
    phrase('steers', { path: 'a.md', program: 'Make' }),
  ];
  const asked = { title: 'Write a.md (+1 −0)', description: 'Makes …', says: says(description) };
  expect(text.said.title(asked)).toBe('Écrire a.md (+1 −0)');
  expect(plain(text.said.description(asked))).toMatch(
    /^Crée le fichier a\.md dans \/p\. a\.md pilote Make, qui peut exécuter du code : Triad vous le demande/,
  );
});

it('keeps the English text of an approval with missing or unknown phrases', () => {
  const english = { title: 'Write a.md', description: 'Makes the file.' };
  expect([text.said.title(english), text.said.description(english)]).toEqual(['Write a.md', 'Makes the file.']);
  for (const key of ['of_a_later_version', 'toString', '__proto__']) {
    const unknown = { ...english, says: says([phrase('undoable'), { key, values: {} }]) };
    expect(text.said.description(unknown), key).toBe('Makes the file.');
  }
});

it('translates errors by their code, with the original message below', () => {
  expect([text.said.error('auth', 'No.'), text.said.detail('auth', 'No.')]).toEqual([
    'Le fournisseur a refusé la clé',
    'No.',
  ]);
  expect([text.said.error('conflict', 'a.md has changed'), text.said.detail('conflict', 'a.md has changed')]).toEqual([
    'a.md has changed',
    '',
  ]);
  expect(text.said.failure({ code: 'store_failed', message: 'It broke' })).toBe('La base a échoué (It broke)');
  const { lost } = text.connection;
  expect([text.said.error('disconnected', lost), text.said.detail('disconnected', lost)]).toEqual([lost, '']);
});

it('translates by phrases why an undone change was not redone', () => {
  const together = phrase('undone_together');
  const refused = { code: 'conflict', message: sentenceOf(together), says: [together] };
  expect(text.said.failure(refused)).toBe('Cela a été annulé avec autre chose : rétablissez le tout ensemble');
  const why = phrase('removed_since');
  const says = [phrase('in_the_way', { path: 'a.md' }), why, phrase('none_done', { more: 0, redo: true, kept: null })];
  expect(text.said.failure({ code: 'conflict', message: 'a.md', says })).toBe(
    'a.md : il a été supprimé depuis. Rien n’a été rétabli',
  );
  expect(text.said.why({ why: 'It was removed since', says: why })).toBe('Il a été supprimé depuis');
});

it('composes English sentences from phrases', () => {
  expect(sentenceOf(title)).toBe('Write a.md (+1 −0)');
  expect(Object.keys(ENGLISH).length).toBeGreaterThan(50);
});

it('describes approval modes and built-in tools in words, and an MCP tool by its internal name', () => {
  expect(text.permissions.mode('manual')).toMatch(/ mode manuel$/);
  const step = (tool: string) => text.said.step({ text: '', says: phrase('no_rule', { tool }) });
  expect(step('spawn_agent')).toBe('Là où aucune règle ne décide, il vous est demandé avant de lancer un sous-agent');
  expect(step('mcp__maps__route')).toMatch(/avant d’utiliser mcp__maps__route$/);
});

/** Whatever a phrase asks for, as a word that no phrase has itself. */
const anything = new Proxy(
  {},
  {
    ownKeys: () => ['key', 'item'],
    getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
    get: (_, name) => (name === 'item' ? 36 : name === 'limit' ? 'maxTokens' : `Value_${String(name)}`),
  },
) as never;

it('translates every fault of an agent file, with the values of the English text', () => {
  const SAME = ['value', 'key_prompt', 'as_it_is'];
  const valuesIn = (words: string) =>
    words.match(/Value_[a-z]+|(?:item|élément) 37/g)?.map((one) => one.split(/[_ ]/)[1]);
  for (const [key, english] of Object.entries(FAULTS)) {
    const said = english(anything);
    const words = faultPhrases[key as keyof typeof FAULTS](anything);
    if (!SAME.includes(key)) expect(words, key).not.toBe(said);
    expect(valuesIn(words)?.sort(), key).toEqual(valuesIn(said)?.sort());
    // What French sets off stands behind a narrow space, or it could stand at the beginning of a line.
    expect(words, key).not.toMatch(/ [:;?!»]|« |[“”]/u);
  }
});

it('translates a fault from its phrases, and keeps the English text for an unknown phrase', () => {
  const tool = phrase('no_tool', { key: 'tools', item: 0, name: 'grp' });
  expect(text.said.fault({ message: 'x', says: [tool] })).toBe('tools (élément 1) grp n’est pas un outil');
  const parts = [phrase('value', { key: 'tools', item: null }), phrase('be_text'), phrase('or_left_out')];
  expect(text.said.fault({ message: 'x', says: parts })).toBe('tools doit être du texte, ou être absent');
  expect(text.said.fault({ message: 'tools is new' })).toBe('tools is new');
  expect(text.said.fault({ message: 'tools is new', says: [...parts, { key: 'later', values: {} }] })).toBe(
    'tools is new',
  );
});

it('translates the trust prompt of an agent file and of MCP servers', () => {
  const agent = phrase('trust_agent', {
    isLead: false,
    name: 'log-reader',
    model: null,
    permissions: '',
    tools: 'grep, glob',
    description: 'Reads logs.',
  });
  const said = text.said.trust({ says: sentenceOf(agent), phrases: [agent] }).replaceAll('\u202F', ' ');
  expect(said).toBe(
    'agent log-reader · modèle : comme l’agent principal · permissions : aucune · outils : grep, glob. Reads logs.',
  );
  const server = phrase('trust_server', {
    name: 'docs',
    runs: 'node docs.js',
    isEnabled: true,
    place: 'sandbox',
    sets: 'LEVEL',
    gets: '',
  });
  const fault = phrase('trust_server_fault', { name: 'bad', fault: 'x' });
  const phrases = [server, fault];
  const servers = text.said.trust({ says: phrases.map(sentenceOf).join(), phrases }).replaceAll(/[\u202F\u00A0]/g, ' ');
  expect(servers).toBe(
    'démarre le serveur MCP docs : node docs.js (s’exécute dans le bac à sable, avec le réseau ; avec LEVEL) · le serveur MCP bad n’est pas utilisable : x',
  );
  expect(text.said.trust({ says: 'MCP servers: starts a' })).toBe('MCP servers: starts a');
});
