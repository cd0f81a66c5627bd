/** Made-up keys of the known forms, which no service accepts. They are built here, so that no scanner finds them in a file. */
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LETTERS.toUpperCase();
const DIGITS = '0123456789';

/** Returns characters that look random and are the same in each run. */
function makeText(alphabet: string, length: number, seed: number): string {
  let state = seed * 7919 + 12_345;
  const next = (): number => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648);
  return Array.from({ length }, () => alphabet[Math.floor(next() / 65_536) % alphabet.length]).join('');
}

let seed = 0;
const mixed = (length: number): string => `x7Q${makeText(LETTERS + UPPER + DIGITS, length - 3, ++seed)}`;
const hex = (length: number): string => `a1${makeText('abcdef0123456789', length - 2, ++seed)}`;
const capitals = (length: number): string => `Q7${makeText(UPPER + DIGITS, length - 2, ++seed)}`;
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const block = (kind: string, lines: readonly string[]): string =>
  [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n');

/** A key with the name in its placeholder. `secrets`: parts that must not appear; default: all of `text`. */
export interface SampleKey {
  name: string;
  text: string;
  secrets?: readonly string[];
}

const accessKey = `AKIA${capitals(16)}`;
const secretKey = `${mixed(20)}/${mixed(19)}`;
const password = `${mixed(6)}!${mixed(5)}`;
const storageKey = `${mixed(86)}==`;
const webhook = `T0${capitals(9)}/B0${capitals(9)}/${mixed(24)}`;
const [pemLines, sshLines, pgpLines] = [64, 70, 64].map((length) => [mixed(length), mixed(length), `${mixed(30)}==`]);
const cloudflareToken = mixed(40);
const twilioToken = hex(32);

export const SAMPLE_KEYS: readonly SampleKey[] = [
  { name: 'Anthropic key', text: `sk-ant-api03-${mixed(90)}` },
  { name: 'OpenAI key', text: `sk-proj-${mixed(60)}` },
  { name: 'GitHub token', text: `ghp_${mixed(36)}` },
  { name: 'GitHub token', text: `github_pat_${mixed(22)}_${mixed(59)}` },
  { name: 'GitHub token', text: `ghs_${mixed(36)}` },
  { name: 'GitLab token', text: `glpat-${mixed(20)}` },
  { name: 'npm token', text: `npm_${mixed(36)}` },
  { name: 'PyPI token', text: `pypi-AgEIcHlwaS5vcmc${mixed(80)}` },
  { name: 'Hugging Face token', text: `hf_${mixed(34)}` },
  { name: 'AWS key', text: `${accessKey}\n  secret: ${secretKey}`, secrets: [accessKey, secretKey] },
  { name: 'Google key', text: `AIza${mixed(35)}` },
  { name: 'Google client secret', text: `GOCSPX-${mixed(28)}` },
  { name: 'Slack token', text: `xoxb-${makeText(DIGITS, 12, 91)}-${makeText(DIGITS, 12, 92)}-${mixed(24)}` },
  { name: 'Slack webhook', text: `https://hooks.slack.com/services/${webhook}`, secrets: [webhook] },
  { name: 'Stripe key', text: `sk_live_${mixed(24)}` },
  { name: 'Stripe key', text: `rk_test_${mixed(24)}` },
  { name: 'Twilio key', text: `SK${hex(32)}` },
  { name: 'service key', text: `TWILIO_AUTH_TOKEN=${twilioToken}`, secrets: [twilioToken] },
  { name: 'service key', text: `CLOUDFLARE_API_TOKEN="${cloudflareToken}"`, secrets: [cloudflareToken] },
  { name: 'SendGrid key', text: `SG.${mixed(22)}.${mixed(43)}` },
  { name: 'Mailgun key', text: `key-${hex(32)}` },
  { name: 'Discord token', text: `M${mixed(23)}.${mixed(6)}.${mixed(38)}` },
  { name: 'Telegram token', text: `${makeText(DIGITS, 9, 93)}1:AA${mixed(33)}` },
  { name: 'Azure storage key', text: `AccountName=a;AccountKey=${storageKey}`, secrets: [storageKey] },
  { name: 'JSON web token', text: `${encode({ alg: 'HS256' })}.${encode({ sub: mixed(10) })}.${mixed(43)}` },
  { name: 'private key', text: block('PRIVATE KEY', pemLines!), secrets: pemLines! },
  { name: 'private key', text: block('OPENSSH PRIVATE KEY', sshLines!), secrets: sshLines! },
  {
    name: 'private key',
    text: block('PGP PRIVATE KEY BLOCK', ['Version: GnuPG v2', '', ...pgpLines!]),
    secrets: pgpLines!,
  },
  { name: 'DigitalOcean token', text: `dop_v1_${hex(64)}` },
  { name: 'Shopify token', text: `shpat_${hex(32)}` },
  { name: 'Linear key', text: `lin_api_${mixed(40)}` },
  { name: 'Notion token', text: `ntn_${mixed(46)}` },
  { name: 'Vercel token', text: `vcp_${mixed(56)}` },
  { name: 'Netlify token', text: `nfp_${mixed(36)}` },
  { name: 'Supabase key', text: `sb_secret_${mixed(31)}` },
  { name: 'Databricks token', text: `dapi${hex(32)}` },
  { name: 'Doppler token', text: `dp.pt.${mixed(43)}` },
  { name: 'Grafana token', text: `glsa_${mixed(32)}_${hex(8)}` },
  { name: 'New Relic key', text: `NRAK-${capitals(27)}` },
  { name: 'Sentry token', text: `sntryu_${hex(64)}` },
  { name: 'Square token', text: `sq0atp-${mixed(22)}` },
  { name: 'age key', text: `AGE-SECRET-KEY-1${capitals(58)}` },
  { name: 'password', text: `postgres://app:${password}@db.example/app`, secrets: [password] },
];

/** Texts of a sample that must not appear anywhere. */
export const listSecrets = ({ text, secrets }: SampleKey): readonly string[] => secrets ?? [text];
