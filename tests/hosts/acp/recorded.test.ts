/**
 * A recorded session is played again: the client's lines go in, and the agent writes what it wrote then. Record it anew with
 * `RECORD_ACP=1 npx vitest run tests/hosts/acp/recorded.test.ts`, and look at what has changed.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { expect, test } from 'vitest';
import { startEngine } from '../../support/engine.ts';
import { CHILD, LEAD, spawn } from '../../support/fake-model/scenarios.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { AcpClient, choose, m } from '../support/acp-client.ts';
import { acpOver, type Line } from '../support/acp-lines.ts';

const FIXTURE = join(import.meta.dirname, 'recorded-session.ndjson');

interface Recorded {
  from: 'client' | 'agent';
  line: Line;
}

function script(): Script {
  const calls = [
    toolUse('todo_write', { items: [{ content: 'Write', status: 'in_progress', priority: 'high' }] }),
    toolUse('write_file', { path: 'new.txt', content: 'one\n' }),
    spawn({ name: 'helper', prompt: 'Inspect the workspace.', tools: ['list_directory'] }),
  ];
  return new Script()
    .on({ ...LEAD, step: 1 })
    .reply([{ type: 'thinking', text: 'Let me see.' }, text('I begin. '), ...calls])
    .on({ ...CHILD, step: 1 })
    .reply([text('I look. '), toolUse('list_directory', { path: '.' })])
    .on(CHILD)
    .reply([text('# Report\n\n## Summary\n\nAll is well.')])
    .on(LEAD)
    .reply([text('All is done.')]);
}

/** Ids, hashes, times and the folder by names, in the order in which the agent first writes them. */
class Names {
  readonly #names = new Map<string, string>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Of what the agent writes. */
  of(line: Line): Line {
    const named = JSON.stringify(line)
      .replaceAll(this.#folder, '$folder')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '$time')
      .replaceAll(/\b[0-9a-f]{64}\b/g, '$hash')
      .replaceAll(/(duration(?:Ms|_ms)\\*":)[\d.]+/g, '$10')
      .replaceAll(/"stamp":"[^"]*"/g, '"stamp":""')
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, (id) => {
        const name = this.#names.get(id) ?? `$id${this.#names.size + 1}`;
        this.#names.set(id, name);
        return name;
      });
    return JSON.parse(named) as Line;
  }

  /** The other way round, for what the client writes. */
  filled(line: Line): Line {
    let given = JSON.stringify(line).replaceAll('$folder', this.#folder);
    for (const [id, name] of [...this.#names].reverse()) given = given.replaceAll(`"${name}"`, `"${id}"`);
    return JSON.parse(given) as Line;
  }
}

const isUpdate = ({ method }: Line): boolean => method === 'session/update';

interface Update {
  sessionUpdate?: string;
  toolCallId?: string;
  messageId?: string;
  content?: { text?: string };
}

/** Words that came in several pieces are one. Calls go on side by side: there is an order in each, and among the rest. */
function comparable(lines: readonly Line[]) {
  const said = new Map<string, string>();
  const others = new Map<string, string[]>();
  for (const line of lines) {
    const { update, toolCall } = (line['params'] ?? {}) as { update?: Update; toolCall?: Update };
    const kind = update?.sessionUpdate ?? 'rest';
    const key = plain((update ?? toolCall)?.toolCallId ?? kind);
    if (kind.endsWith('_chunk')) {
      const message = `${kind} ${update?.messageId}`;
      said.set(message, (said.get(message) ?? '') + (update?.content?.text ?? ''));
    } else
      others.set(key, [
        ...(others.get(key) ?? []),
        plain(JSON.stringify({ ...line, id: isCall(line) ? 0 : line['id'] })),
      ]);
  }
  return { said: [...said.values()].sort(), others: Object.fromEntries(others) };
}

/** A request of the agent: those that go side by side are numbered as they come. */
const isCall = (line: Line): boolean => 'method' in line;

/** Removes the numbers of ids, which depend on the order of parallel work, and the environment, which depends on the machine. */
const plain = (line: string): string =>
  line.replaceAll(/\$id\d+/g, '$id').replaceAll(/,"environment":\{"platform":[^}]*\}/g, '');

async function record(): Promise<void> {
  const engine = await startEngine(script(), { person: () => null });
  const names = new Names(engine.folder);
  const recorded: Recorded[] = [];
  const lines = acpOver(engine.runtime, (from, line) => void recorded.push({ from, line: names.of(line) }));
  const client = new AcpClient(ndJsonStream(lines.writable, lines.readable));
  client.answer = () => choose('allow');
  await client.initialize({ session: { notices: {} } });
  const id = await client.open(engine.folder);
  expect(await client.prompt(id, 'Write it, and have it inspected')).toBe('end_turn');
  await client.agent.request(m.session.load, { sessionId: id, cwd: engine.folder, mcpServers: [] });
  await expect.poll(() => client.updates(id).at(-1)?.sessionUpdate).toBe('available_commands_update');
  await writeFile(FIXTURE, recorded.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

test('the agent writes the recorded lines when the recorded session is played again', async () => {
  if (process.env['RECORD_ACP']) await record();
  const recorded = (await readFile(FIXTURE, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Recorded);
  const engine = await startEngine(script(), { person: () => null });
  const names = new Names(engine.folder);
  const written: Line[] = [];
  const lines = acpOver(engine.runtime, (from, line) => void (from === 'agent' && written.push(names.of(line))));
  let due = 0;
  for (const { from, line } of recorded) {
    if (from === 'agent') due += isUpdate(line) ? 0 : 1;
    else {
      // An answer comes after what it answers, and a request after the response to the one before.
      await expect
        .poll(() => written.filter((one) => !isUpdate(one)).length, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(due);
      lines.send(names.filled(line));
    }
  }
  const wrote = recorded.flatMap(({ from, line }) => (from === 'agent' ? [line] : []));
  await expect.poll(() => written.length >= wrote.length, { timeout: 20_000 }).toBe(true);
  await expect.poll(() => comparable(written)).toEqual(comparable(wrote));
});
