/** What a release says that it lacks, by what the environment has. */
import { expect, test } from 'vitest';
import { releaseOf } from '../../scripts/package/credentials.ts';

const UPDATES = 'Without updates: TRIAD_UPDATES_URL is not set, so the app never looks for any.';

test('reports missing signing, notarization and updates without credentials', () => {
  const { notarise, feed, left } = releaseOf({ APPLE_API_KEY: 'key' }, 'darwin');
  expect([notarise, feed]).toEqual([false, null]);
  expect(left).toEqual([
    expect.stringMatching(/^Not signed with a certificate of the environment: CSC_LINK/),
    expect.stringMatching(/^Not notarised: neither APPLE_API_KEY, /),
    UPDATES,
  ]);
  expect(releaseOf({}, 'win32').left).toEqual([expect.stringMatching(/^Not signed: /), UPDATES]);
  expect(releaseOf({}, 'linux').left).toEqual([UPDATES]);
});

test('reports nothing missing with all credentials', () => {
  const apple = { CSC_LINK: 'x', APPLE_API_KEY: 'a', APPLE_API_KEY_ID: 'b', APPLE_API_ISSUER: 'c' };
  const updates = { TRIAD_UPDATES_URL: 'https://updates.example/triad' };
  expect(releaseOf({ ...apple, ...updates }, 'darwin')).toEqual({
    notarise: true,
    feed: updates.TRIAD_UPDATES_URL,
    left: [],
  });
});

test.each(['http://updates.example/', 'ftp://updates.example/', 'updates'])('rejects the update feed %s', (feed) => {
  expect(() => releaseOf({ TRIAD_UPDATES_URL: feed }, 'linux')).toThrow('must be an address with https');
});
