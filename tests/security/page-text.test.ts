/** Text of models, tools and files that deceives about a link, or about the text around it. */
import fc from 'fast-check';
import { Lexer } from 'marked';
import { expect } from 'vitest';
import { linePrinter } from '#hosts/cli/follow/follow.ts';
import { createScreen } from '#hosts/cli/terminal/screen.ts';
import { harmless } from '#hosts/cli/terminal/visible.ts';
import { htmlOf } from '#lib/ui/markdown/html.ts';
import { PassThrough } from 'node:stream';
import { startEngine } from '../support/engine.ts';
import { LEAD } from '../support/fake-model/scenarios.ts';
import { Script, text } from '../support/fake-model/script.ts';
import { attack } from './attacks.ts';
import { longAttack } from './long-attack.ts';

const render = (source: string) =>
  new Lexer({ gfm: true })
    .lex(source)
    .map((token) => htmlOf(token))
    .join('');

/** Ways to write a host so that it is read as another one, or not at all. */
const disguise = fc.constantFrom(
  (host: string) => host,
  (host: string) => `https://${host}/login`,
  (host: string) => host.toUpperCase(),
  (host: string) => `**${host}**`,
  (host: string) => `\`${host}\``,
  (host: string) => `![${host}](https://img.example/a.png)`,
  (host: string) => [...host].join('\u200B'),
  (host: string) => host.replace('o', '\u043E'),
  (host: string) => host.replaceAll('.', '&#46;'),
  (host: string) => host.replaceAll('.', '\u3002'),
  (host: string) => `${host}:443`,
  (host: string) => `\u202E${[...host].reverse().join('')}\u202C`,
);
const knownHost = fc.constantFrom('github.com', 'bank.example', 'microsoft.com', 'login.google.com');
const target = fc.constantFrom(
  'evil.example',
  't.co',
  'xn--pple-43d.com',
  'github.com.evil.example',
  'evil.example:8443',
);

longAttack('links whose text names another host', async (tries) => {
  const form = fc.constantFrom(
    (shown: string, host: string) => `[${shown}](https://${host}/x)`,
    (shown: string, host: string) => `[${shown} (${host})](https://${host}/x)`,
    (shown: string, host: string) => `[${host}@${shown}](https://${host}/x)`,
    (shown: string, host: string) => `[${shown}/${host}](https://${host}/${shown.replace(/\W/g, '')})`,
    (shown: string, host: string) => `[${shown}][1]\n\n[1]: https://${shown.replace(/[^\w.]/g, '')}@${host}/x`,
  );
  fc.assert(
    fc.property(knownHost, target, disguise, form, (host, real, disguised, written) => {
      const html = render(written(disguised(host), real));
      expect(html).toContain(` data-target="${real}"`);
    }),
    { numRuns: tries },
  );
});

const CONTROLS = ['\u202A', '\u202B', '\u202C', '\u202D', '\u202E', '\u2066', '\u2067', '\u2068', '\u2069'];
const MARKS = ['\u0301', '\u0E47', '\u20DD', '\u0489', '\u0336'];
const asReference = (character: string) => `&#x${character.codePointAt(0)?.toString(16)};`;
const piece = fc.oneof(
  fc.constantFrom(...CONTROLS, ...CONTROLS.map(asReference)),
  fc
    .constantFrom(...MARKS, ...MARKS.map(asReference), '&tdot;')
    .chain((mark) => fc.integer({ min: 1, max: 60 }).map((count) => mark.repeat(count))),
  fc.constantFrom(
    'a',
    'שלום',
    '\u200D',
    ' ',
    '\n\n',
    '**',
    '`',
    '[x](https://docs.example/',
    ')',
    '> ',
    '- ',
    '| a |\n|---|\n',
  ),
);

longAttack('text that turns around or covers other text', async (tries) => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const source = pieces.join('');
      // A browser reads references outside of code as characters.
      const page = render(source).replaceAll(/&#(?:x([\da-f]+)|(\d+));/gi, (_, hex, decimal) =>
        String.fromCodePoint(hex === undefined ? Number(decimal) : parseInt(String(hex), 16)),
      );
      for (const shown of [page, harmless(source)]) {
        expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
        expect(shown).not.toMatch(/[\p{Mn}\p{Me}\u200D]{6}/u);
      }
    }),
    { numRuns: tries },
  );
});

attack('text that covers a terminal, a few marks at a time', async () => {
  const answer = `Done\u202E, e${'\u0301'.repeat(60)}.`;
  const engine = await startEngine(new Script().on(LEAD).reply([text(answer, { deltas: 12, delayMs: 80 })]));
  await engine.ask('Hello.');
  const out = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const screen = createScreen(out, new PassThrough(), {}, () => undefined);
  const print = linePrinter(screen);
  const hints = engine.events.filter(({ type }) => type === 'message-delta');
  expect(hints.length).toBeGreaterThan(4);
  for (const event of engine.events) print(event);
  await screen.flush();
  const shown = String(out.read());
  expect(shown).toContain('Done⟦U+202E⟧, e');
  expect(shown).not.toMatch(/[\p{Mn}]{6}/u);
});
