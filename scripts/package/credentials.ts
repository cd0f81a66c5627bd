/** What a release is signed, notarised and updated with: all of it comes from the environment, and what is missing is said. */
type Environment = Readonly<Record<string, string | undefined>>;

export interface Release {
  /** Whether Apple is asked to notarise. */
  notarise: boolean;
  /** Where installed apps look for updates; null: they never ask. */
  feed: string | null;
  /** What is left out, and what would bring it, in lines. */
  left: string[];
}

/** Any of these sets is enough for electron-builder. */
const APPLE: readonly (readonly string[])[] = [
  ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER'],
  ['APPLE_ID', 'APPLE_APP_SPECIFIC_PASSWORD', 'APPLE_TEAM_ID'],
  ['APPLE_KEYCHAIN_PROFILE'],
];

/** Throws where an address for updates is given that anybody on the way could answer for. */
export function releaseOf(env: Environment, platform: NodeJS.Platform): Release {
  const has = (name: string) => Boolean(env[name]);
  const left: string[] = [];
  const notarise = platform === 'darwin' && APPLE.some((names) => names.every(has));
  if (platform === 'darwin' && !has('CSC_LINK') && !has('CSC_NAME'))
    left.push('Not signed with a certificate of the environment: CSC_LINK or CSC_NAME is not set.');
  if (platform === 'darwin' && !notarise)
    left.push(`Not notarised: neither ${APPLE.map((names) => names.join(', ')).join(', nor ')} are set.`);
  if (platform === 'win32' && !has('WIN_CSC_LINK') && !has('CSC_LINK'))
    left.push('Not signed: neither WIN_CSC_LINK nor CSC_LINK is set.');
  const feed = env['TRIAD_UPDATES_URL'] || null;
  if (feed === null) left.push('Without updates: TRIAD_UPDATES_URL is not set, so the app never looks for any.');
  else mustBeSafe(feed);
  return { notarise, feed, left };
}

function mustBeSafe(feed: string): void {
  const url = URL.canParse(feed) ? new URL(feed) : null;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && url.hostname === '127.0.0.1')) return;
  throw new Error(`TRIAD_UPDATES_URL must be an address with https, not ${feed}`);
}
