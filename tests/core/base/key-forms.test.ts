/** Known forms of keys: found in plain text and encoded, in time proportional to the text, and without ordinary source. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { knowSecrets, redact, redactKeys } from '#core/base/redact.ts';
import { listSecrets, SAMPLE_KEYS } from '../../security/sample-keys.ts';

const base64 = (text: string, padding: number): string =>
  Buffer.from(`${'#'.repeat(padding)}${text}\n`).toString('base64');
const wrap = (text: string): string => text.replaceAll(/.{76}/g, '$&\n');

/** Every place in which a test puts a key. */
const ENCODINGS: Record<string, (key: string) => string> = {
  plain: (key) => `const key = "${key}";`,
  'JSON in JSON': (key) => JSON.stringify(JSON.stringify({ text: `It is\n${key}` })),
  'base64, first alignment': (key) => base64(key, 0),
  'base64, second alignment': (key) => base64(key, 1),
  'base64, third alignment': (key) => base64(key, 2),
  'base64 without padding, for addresses': (key) => Buffer.from(` ${key} `).toString('base64url'),
  'base64 of a larger text, in lines': (key) => wrap(base64(`${'words '.repeat(50)}${key} and more`, 0)),
  'base64 within a text, cut at its start': (key) => base64(`${'words '.repeat(9)}${key}.`, 0).slice(3),
  hexadecimal: (key) => Buffer.from(`key=${key}\n`).toString('hex'),
  'hexadecimal in capitals': (key) => Buffer.from(key).toString('hex').toUpperCase(),
  'UTF-16 that was read as UTF-8': (key) => Buffer.from(`key=${key}\n`, 'utf16le').toString(),
  'hexadecimal with spaces': (key) =>
    Buffer.from(key)
      .toString('hex')
      .replaceAll(/..(?=.)/g, '$& '),
};

const isReadable = (encoded: string, secret: string): boolean => {
  const text = encoded.replaceAll(/[\s\0]/g, '');
  const alignments = [0, 1, 2, 3].map((start) => Buffer.from(text.slice(start), 'base64').toString('latin1'));
  const plain = [
    text,
    ...alignments,
    Buffer.from(text, 'hex').toString(),
    Buffer.from(text.slice(1), 'hex').toString(),
  ];
  return plain.some((one) => one.includes(secret.replaceAll(/\s/g, '')));
};

describe.for(Object.entries(ENCODINGS))('%s', ([, encode]) => {
  test.for(SAMPLE_KEYS)('redacts a $name', async (sample) => {
    const encoded = encode(sample.text);
    const { text, names } = await redactKeys(encoded);
    expect(names).toContain(sample.name);
    expect(text).toContain('[redacted: ');
    expect(listSecrets(sample).filter((secret) => isReadable(text, secret.slice(0, 24)))).toEqual([]);
    // The rest of the text stays.
    expect(text.length).toBeGreaterThan(0);
    if (encode === ENCODINGS['plain']) expect(text).toMatch(/^const key = ".*";$/s);
  });
});

test('redacts a known value in base64 at each alignment, in hexadecimal, in an address and in JSON', async () => {
  onTestFinished(() => knowSecrets('test', []));
  for (const value of ['pass"8/1', 'a longer value / with signs+']) {
    knowSecrets('test', [value]);
    for (const encode of [
      ...Object.values(ENCODINGS),
      encodeURIComponent,
      (key: string) => base64(`${key}\u00ff`, 1),
    ]) {
      const encoded = encode(value);
      for (const text of [redact(encoded), (await redactKeys(encoded)).text]) {
        expect(text).toContain('[redacted: known key]');
        expect(isReadable(text, value)).toBe(false);
      }
    }
  }
});

const ORDINARY = [
  'url.full: https://user:REDACTED@host/path',
  'class="sk-fading-circle sk-chasing-dot-before-and-after"',
  '"integrity": "sha512-9Lq6Hs9gKqCwE5rJGuu5VgCbNTgnBrZLQkE4jyD3ZLJDOrQsGNAqmRN0uS8fDzqzdn4GvWuqXbrXlrjQ9mPdSA=="',
  'commit 7b3f1c9d2e4a5b6c7d8e9f0a1b2c3d4e5f607182 id 123e4567-e89b-12d3-a456-426614174000',
  `data:image/png;base64,${Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 73 + 11) % 256)).toString('base64')}`,
  'AKIAIOSFODNN7EXAMPLE wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  'npm_config_registry_authentication_token npm_package_dependencies',
  "if (text.includes('-----BEGIN PRIVATE KEY-----')) return 1;\nif (text.includes('-----END PRIVATE KEY-----')) return 2;",
  'http://user:password@host/ https://${user}:${pass}@host http://localhost:8080/a@b',
  'pypi-publish-action-with-a-long-name hf_hub_download_of_all_the_files_in_it',
  '-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ5v0u2sXN2l0Yx6h0PTZ0dW1teQwCgYIKoZIzj0EAwIw\n-----END CERTIFICATE-----',
];

test.for(ORDINARY)('leaves ordinary text: %s', async (text) => {
  expect(await redactKeys(text)).toEqual({ text, names: [] });
});

test('redacts nothing in the lock file, in two source files with key forms, and in SECURITY.md', async () => {
  for (const file of [
    'package-lock.json',
    'src/core/base/key-forms.ts',
    'src/core/base/private-key-blocks.ts',
    'SECURITY.md',
  ])
    expect(await redactKeys(await readFile(join(import.meta.dirname, '../../..', file), 'utf8'))).toMatchObject({
      names: [],
    });
});

test('redacts a long known value wherever it starts in a long text', async () => {
  const value = Array.from({ length: 4000 }, (_, at) => `${at} words;`).join('');
  knowSecrets('test', [value]);
  onTestFinished(() => knowSecrets('test', []));
  for (const start of [10_000, 50_000, 65_000])
    expect((await redactKeys(`${'.'.repeat(start)}${value}.`)).text).toBe(`${'.'.repeat(start)}[redacted: known key].`);
});

test('redacts a private key whose first or last line is missing', async () => {
  const { text } = SAMPLE_KEYS.find(({ name }) => name === 'private key')!;
  const lines = text.split('\n');
  expect((await redactKeys(`a\n${lines.slice(0, -1).join('\n')}`)).text).toBe('a\n[redacted: private key]');
  expect((await redactKeys(`${lines.slice(1).join('\n')}\nb`)).text).toBe('[redacted: private key]\nb');
});

const HARD: Record<string, string> = {
  'one long word': 'a'.repeat(1_000_000),
  'beginnings of private keys': '-----BEGIN PRIVATE KEY-----\n'.repeat(40_000),
  'ends of private keys': `${'x9/+'.repeat(16)}\n-----END PRIVATE KEY-----\n`.repeat(11_000),
  'a line of plus signs in a private key': `-----BEGIN PRIVATE KEY-----\nAAAA\n${'+'.repeat(19_000)}!\n-----END PRIVATE KEY-----`,
  'headers of private keys': '-----BEGIN PRIVATE KEY-----\nProc-Type: '.repeat(15_000),
  addresses: `http://${'a:'.repeat(500_000)}`,
  'access key ids': 'AKIAABCDEFGHIJKLMNOP '.repeat(48_000),
  'access key ids in lines of base64': Buffer.from('AKIAABCDEFGHIJKLMNOP '.repeat(25_000))
    .toString('base64')
    .replaceAll(/.{76}/g, '$&\n'),
  'a text in base64': Buffer.from('a = b + c; '.repeat(70_000)).toString('base64'),
  'a text in hexadecimal': Buffer.from('a = b + c; '.repeat(45_000)).toString('hex'),
};

test.for(Object.entries(HARD))('takes time in proportion to the text: %s', async ([, text]) => {
  const measure = async (part: string): Promise<number> => {
    const before = process.cpuUsage();
    await redactKeys(part);
    redact(part);
    return process.cpuUsage(before).user / 1000;
  };
  await measure(text.slice(0, 50_000));
  // Milliseconds for one megabyte; quadratic time takes minutes.
  expect(await measure(text)).toBeLessThan(1500);
});
