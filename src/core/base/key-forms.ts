/** The known forms of keys and tokens: a name for each form, and the regular expression of its documented prefix or shape. */
import { findRuns, createCharacterClass } from './character-runs.ts';

interface KeyForm {
  /** Shown in the placeholder, such as `[redacted: GitHub token]`. */
  name: string;
  pattern: RegExp;
  /** Rejects a match that is no key, such as an example of documentation. */
  accepts?: (match: string, before: string) => boolean;
}

/**
 * Start of a word, also behind an escape of JSON or of an address, such as `\n` or `%20`. A letter of the escape would
 * otherwise belong to the word.
 */
const START = /(?:(?<!\w)|(?<=\\[bfnrt]|\\u[\da-fA-F]{4}|%[\da-fA-F]{2}))/.source;

const isNoExample = (match: string): boolean => !match.includes('EXAMPLE');
const hasDigit = (match: string): boolean => /\d/.test(match);
/** Random text of this length mixes letters and digits; words and names of code rarely do. */
const looksRandom = (match: string): boolean => /\d/.test(match) && /[A-Za-z]/.test(match);

const AWS_KEY = 'AWS key';

/** Forms that their prefix identifies. Every repetition is bounded; a cut key of 16 characters still matches. */
const PREFIXED_FORMS: readonly KeyForm[] = [
  { name: 'Anthropic key', pattern: /sk-ant-[\w-]{12,400}/ },
  { name: 'OpenRouter key', pattern: /sk-or-[\w-]{12,400}/ },
  { name: 'OpenAI key', pattern: /sk-(?:proj|svcacct|admin)-[\w-]{12,400}/ },
  { name: 'API key', pattern: /[sp]k-lf-[\w-]{12,400}|sk-[A-Za-z0-9]{20,200}/, accepts: hasDigit },
  { name: 'Stripe key', pattern: /(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{12,250}|whsec_[A-Za-z0-9+/]{24,100}=?/ },
  { name: 'GitHub token', pattern: /gh[opsur]_[A-Za-z0-9]{16,300}|github_pat_\w{16,300}/ },
  { name: 'GitLab token', pattern: /gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas|ffct)-[\w.-]{16,300}/ },
  { name: 'npm token', pattern: /npm_[A-Za-z0-9]{16,300}/, accepts: hasDigit },
  { name: 'PyPI token', pattern: /pypi-AgE[\w-]{16,400}/ },
  { name: 'RubyGems key', pattern: /rubygems_[a-f0-9]{16,80}/ },
  { name: 'Docker token', pattern: /dckr_[po]at_[\w-]{16,100}/ },
  { name: 'Hugging Face token', pattern: /hf_[A-Za-z0-9]{20,100}/ },
  { name: 'Groq key', pattern: /gsk_[A-Za-z0-9]{16,100}/ },
  { name: 'xAI key', pattern: /xai-[A-Za-z0-9]{16,200}/ },
  { name: 'Perplexity key', pattern: /pplx-[A-Za-z0-9]{16,100}/ },
  { name: 'Replicate token', pattern: /r8_[A-Za-z0-9]{16,100}/ },
  { name: 'Slack token', pattern: /xox[abeposr]-[\w-]{10,300}|xapp-\d-[\w-]{10,300}/ },
  { name: AWS_KEY, pattern: /(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b|ABSK[A-Za-z0-9+/]{100,300}/, accepts: isNoExample },
  { name: 'Google key', pattern: /AIza[\w-]{35}/ },
  { name: 'Google client secret', pattern: /GOCSPX-[\w-]{16,60}/ },
  { name: 'Google token', pattern: /ya29\.[\w-]{20,400}|1\/\/0[\w-]{30,200}/ },
  { name: 'SendGrid key', pattern: /SG\.[\w-]{16,40}\.[\w-]{16,80}/ },
  { name: 'Mailgun key', pattern: /key-[a-f0-9]{32}\b/ },
  { name: 'Twilio key', pattern: /SK[a-f0-9]{32}\b/ },
  { name: 'Discord token', pattern: /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,60}/, accepts: looksRandom },
  { name: 'Telegram token', pattern: /\d{8,12}:AA[\w-]{32,40}/ },
  { name: 'JSON web token', pattern: /eyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}/ },
  { name: 'DigitalOcean token', pattern: /do[opr]_v1_[a-f0-9]{16,80}/ },
  { name: 'Shopify token', pattern: /shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{16,80}/ },
  { name: 'Linear key', pattern: /lin_(?:api|oauth)_[A-Za-z0-9]{16,100}/ },
  { name: 'Notion token', pattern: /ntn_[A-Za-z0-9]{20,100}|secret_[A-Za-z0-9]{43}\b/ },
  { name: 'Vercel token', pattern: /vc[aciprk]_[A-Za-z0-9]{20,120}/ },
  { name: 'Netlify token', pattern: /nf[bcopu]_[A-Za-z0-9]{20,120}/ },
  { name: 'Supabase key', pattern: /sbp_[a-f0-9]{16,80}|sb_secret_[\w-]{16,100}/ },
  { name: 'Databricks token', pattern: /dapi[a-f0-9]{32}(?:-\d)?\b/ },
  { name: 'Doppler token', pattern: /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{20,120}/ },
  { name: 'Grafana token', pattern: /glsa_[A-Za-z0-9]{16,80}(?:_[a-f0-9]{8})?|glc_[A-Za-z0-9+/]{32,400}/ },
  { name: 'New Relic key', pattern: /NRAK-[A-Z0-9]{16,60}|NRJS-[a-f0-9]{16,40}/ },
  { name: 'Sentry token', pattern: /sntry[su]_[\w+/=-]{20,400}/ },
  { name: 'Square token', pattern: /sq0(?:atp|csp|idp)-[\w-]{20,80}/ },
  { name: 'Azure client secret', pattern: /[\w~.-]{3}\dQ~[\w~.-]{31,34}/ },
  { name: 'Atlassian token', pattern: /AT[AC]TT3[\w=-]{50,300}/ },
  { name: 'Figma token', pattern: /figd_[\w-]{20,100}/ },
  { name: 'Airtable token', pattern: /pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/ },
  { name: 'PlanetScale token', pattern: /pscale_(?:tkn|pw|oauth)_[\w.-]{20,100}/ },
  { name: 'Postman key', pattern: /PMAK-[a-f0-9]{24}-[a-f0-9]{20,60}/ },
  { name: 'Vault token', pattern: /hv[bs]\.[\w-]{20,300}/ },
  { name: 'Terraform token', pattern: /[A-Za-z0-9]{14}\.atlasv1\.[\w-]{40,100}/ },
  { name: 'Pulumi token', pattern: /pul-[a-f0-9]{40}\b/ },
  { name: 'Heroku key', pattern: /HRKU-[\w-]{30,100}/ },
  { name: 'Tailscale key', pattern: /tskey-[a-z]{2,12}-[\w-]{16,100}/ },
  { name: 'age key', pattern: /AGE-SECRET-KEY-1[A-Z0-9]{16,80}/ },
];

/** One expression for all prefixed forms, which starts no search within a word. */
const ANY_PREFIXED = new RegExp(`${START}(?:${PREFIXED_FORMS.map(({ pattern }) => pattern.source).join('|')})`, 'g');
const STICKY_FORMS = PREFIXED_FORMS.map((form) => ({ ...form, pattern: new RegExp(form.pattern.source, 'y') }));

/** Services whose keys have no form: the name of the variable identifies them. */
const SERVICES =
  'AZURE|BREVO|CF|CLOUDFLARE|COHERE|DATADOG|DD|DISCORD|ELEVENLABS|FLY|HEROKU|MAILCHIMP|MAILGUN|MISTRAL|NETLIFY|OKTA|PAGERDUTY|TWILIO|VERCEL';

/** Forms that the text around them identifies. The last group is the secret. */
const SURROUNDED_FORMS: readonly KeyForm[] = [
  {
    name: AWS_KEY,
    pattern: /secret_?access_?key\\?["']?\s{0,4}(?:=>|[:=])\s{0,4}\\?["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/gi,
    accepts: isNoExample,
  },
  { name: 'Azure storage key', pattern: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,100}={0,2})/g },
  { name: 'Slack webhook', pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([\w/]{20,200})/g },
  { name: 'Discord webhook', pattern: /discord(?:app)?\.com\/api\/webhooks\/(\d{5,25}\/[\w-]{30,100})/g },
  {
    name: 'service key',
    pattern: new RegExp(
      String.raw`_(?:TOKEN|KEY|SECRET)(?<=(?<![A-Z])(?:${SERVICES})(?:_[A-Z]{2,12}){0,3}_(?:TOKEN|KEY|SECRET))\\{0,3}["']?\s{0,4}[:=]\s{0,4}\\{0,3}["']?([\w.~+/-]{20,200})`,
      'g',
    ),
    accepts: looksRandom,
  },
  {
    name: 'bearer token',
    pattern: /(?<![A-Za-z])(?:[Bb]earer|BEARER)(?:\s|%20){1,4}([\w~+/.=-]{16,4000})/g,
    accepts: (match, before) => hasDigit(match) || /authorization\W{0,6}$/i.test(before),
  },
];

/** Replacements for the password of an address in documentation and code. */
const EXAMPLE_PASSWORD =
  /^(?:[$%{<*[]|\.{3}|x{3,}$|redacted$|(?:my|your)?[_-]?(?:pass|passwd|password|passphrase|pwd|pw|secret|token|user|username|key)$)/i;
const ADDRESS_PASSWORD = /:\/\/[^\s/:@"'`<>\\]{0,200}:([^\s/?#"'`<>\\]{3,400})@/y;
const SCHEME = /[A-Za-z][A-Za-z\d+.-]{1,20}$/;

/** Characters of a word, and the minimum length of a word in a prefixed form. Shorter words are skipped. */
const WORD = createCharacterClass(/[\w-]/);
const LONG_WORD = 15;
/** Characters that a token of a prefixed form may have. */
const TOKEN = createCharacterClass(/[\w%+./:=~-]/);
const BEFORE_WORD = 24;
const AWS_SECRET = /(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/g;
/** Distance between an AWS access key id and its secret, in characters. */
const BESIDE = 300;

/** Name of the password of an address, such as `postgres://user:password@host`. */
const PASSWORD = 'password';

export const KEY_NAMES: readonly string[] = [
  ...new Set([...PREFIXED_FORMS, ...SURROUNDED_FORMS].map(({ name }) => name)),
  PASSWORD,
];

export interface KeyRange {
  from: number;
  to: number;
  name: string;
}

/** Finds all known forms in plain text, in time proportional to its length. Private key blocks are not included. */
export function findKeyForms(text: string): KeyRange[] {
  const ranges: KeyRange[] = [];
  for (const [from, to] of findWordRegions(text)) findPrefixed(text, from, to, ranges);
  findAwsSecrets(text, ranges);
  for (const { name, pattern, accepts } of SURROUNDED_FORMS) {
    for (const match of text.matchAll(pattern)) {
      const secret = match[1]!;
      const from = match.index + match[0].length - secret.length;
      const before = text.slice(Math.max(0, match.index - 20), match.index);
      if (accepts?.(secret, before) ?? true) ranges.push({ from, to: from + secret.length, name });
    }
  }
  findAddressPasswords(text, ranges);
  return ranges;
}

/** Yields the parts of the text around its long words: from a few characters before to the end of a token. */
function* findWordRegions(text: string): Generator<readonly [from: number, to: number]> {
  let searchedTo = 0;
  for (const [start, end] of findRuns(text, WORD, LONG_WORD)) {
    if (end <= searchedTo) continue;
    let from = Math.max(searchedTo, start - BEFORE_WORD);
    while (from > searchedTo && isToken(text, from - 1)) from--;
    let to = end;
    while (to < text.length && isToken(text, to)) to++;
    yield [from, to];
    searchedTo = to;
  }
}

function isToken(text: string, at: number): boolean {
  return TOKEN[text.charCodeAt(at)] === 1;
}

function findPrefixed(text: string, start: number, end: number, ranges: KeyRange[]): void {
  const region = text.slice(start, end);
  ANY_PREFIXED.lastIndex = 0;
  for (let hit = ANY_PREFIXED.exec(region); hit !== null; hit = ANY_PREFIXED.exec(region)) {
    const { index, 0: match } = hit;
    const form = STICKY_FORMS.find(({ pattern, accepts }) => {
      pattern.lastIndex = index;
      return pattern.exec(region)?.[0] === match && (accepts?.(match, '') ?? true);
    });
    if (form) ranges.push({ from: start + index, to: start + index + match.length, name: form.name });
  }
}

/** Adds the secret keys of AWS that are beside an access key id. */
function findAwsSecrets(text: string, ranges: KeyRange[]): void {
  let searchedTo = 0;
  for (const { from: id, name } of ranges.filter((range) => range.name === AWS_KEY)) {
    const start = Math.max(searchedTo, id - BESIDE);
    searchedTo = Math.max(searchedTo, id + BESIDE);
    for (const { index, 0: match } of text.slice(start, searchedTo).matchAll(AWS_SECRET)) {
      const isRandom = looksRandom(match) && /[a-z]/.test(match) && /[A-Z]/.test(match);
      if (isRandom && isNoExample(match)) ranges.push({ from: start + index, to: start + index + 40, name });
    }
  }
}

function findAddressPasswords(text: string, ranges: KeyRange[]): void {
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    if (!SCHEME.test(text.slice(Math.max(0, at - 22), at))) continue;
    ADDRESS_PASSWORD.lastIndex = at;
    const match = ADDRESS_PASSWORD.exec(text);
    if (!match || EXAMPLE_PASSWORD.test(match[1]!)) continue;
    const to = at + match[0].length - 1;
    ranges.push({ from: to - match[1]!.length, to, name: PASSWORD });
  }
}
