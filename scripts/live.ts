// One small workflow over each real provider whose key the environment has: what ran, and what it cost.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROVIDERS = [
  { name: 'anthropic', key: 'ANTHROPIC_API_KEY', settings: '[models]\ndefault = "haiku"\n' },
  { name: 'openai', key: 'OPENAI_API_KEY', settings: '[providers.openai.defaults]\nmodel = "gpt-5-mini"\n' },
];
const PROMPT =
  'Start one sub-agent that lists the files here with its tool and reports them. Then answer with their names alone.';
const MOST_MINUTES = 5;
const cli = fileURLToPath(new URL('../dist/electron/cli.js', import.meta.url));

/** What is read of the lines of `run --json`. */
interface Line {
  type: string;
  agent: string;
  outcome?: string;
  request?: {
    model: string;
    inputTokens: number;
    cacheReadTokens: number;
    outputTokens: number;
    nanoUsd: number | null;
  };
}

/** Whether it went well. */
function play({ name, settings }: (typeof PROVIDERS)[number]): boolean {
  const home = mkdtempSync(join(tmpdir(), 'triad-live-'));
  try {
    const work = mkdtempSync(join(home, 'work-'));
    writeFileSync(join(work, 'README.md'), '# Nothing much\n');
    writeFileSync(join(home, 'config.toml'), `${settings}[providers]\nactive = "${name}"\n`);
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [cli, 'run', '--json', '--approve', 'all', '--cwd', work, PROMPT],
      {
        env: { ...process.env, TRIAD_HOME: home },
        encoding: 'utf8',
        timeout: MOST_MINUTES * 60_000,
        maxBuffer: 1 << 28,
      },
    );
    const lines = stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Line);
    const outcome = lines.findLast(({ type }) => type === 'workflow-end')?.outcome ?? 'none';
    console.log(`${name}: ${outcome}`);
    if (status !== 0) console.log(stderr.trim());
    const requests = lines.filter(({ type }) => type === 'usage');
    for (const { agent, request } of requests) console.log(`  ${agent}: ${wordsOf(request)}`);
    const costs = requests.map(({ request }) => request?.nanoUsd ?? null);
    const known = costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0) / 1e9;
    const unknown = costs.includes(null) ? ', without requests whose price is not known' : '';
    console.log(`  ${requests.length} requests, $${known.toFixed(4)}${unknown}`);
    return status === 0;
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function wordsOf(request: Line['request']): string {
  if (!request) return 'nothing counted';
  const { model, inputTokens, cacheReadTokens, outputTokens } = request;
  return `${model}, ${inputTokens} tokens read, ${cacheReadTokens} more from the cache, ${outputTokens} written`;
}

for (const provider of PROVIDERS) {
  if (!process.env[provider.key]) console.log(`${provider.name}: not run, ${provider.key} is not set`);
  else if (!play(provider)) process.exitCode = 1;
}
