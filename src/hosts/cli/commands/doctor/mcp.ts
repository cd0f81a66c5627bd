/** Tries the MCP servers of the folder, all at the same time. */
import type { McpServerView } from '#contract/mcp/mcp-methods.ts';
import type { Client } from '#contract/rpc.ts';
import { errorInfo } from '#core/base/errors.ts';
import { aborted } from '../../follow/link.ts';
import { duration } from '../../render/format.ts';
import { needsAgreement } from '../../render/mcp-text.ts';
import { type Finding, ok, warning } from './finding.ts';
import { oneLine } from '../../terminal/visible.ts';

/** How long one may take, in milliseconds. */
const PATIENCE_MS = 15_000;

/** A line for each that is used or cannot be, and one for all that wait for trust; none for those that are switched off. */
export async function checkMcp(
  client: Client,
  { folder, patienceMs = PATIENCE_MS }: { folder: string; patienceMs?: number },
  signal: AbortSignal,
): Promise<Finding[]> {
  const servers = await client.request('mcp.list', { folder });
  const late = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
  const of = (state: McpServerView['state']) => servers.filter((server) => server.state === state);
  const tried = await Promise.all(of('usable').map((server) => tryOut(client, server, folder, late)));
  signal.throwIfAborted();
  const faulty = of('faulty').map(({ name, file, fault }) =>
    warning(`MCP ${name}`, oneLine(`cannot be used: ${fault}`), `correct it in ${file}`),
  );
  const untrusted = of('untrusted');
  if (untrusted.length === 0) return [...tried, ...faulty];
  const names = untrusted.map(({ name }) => name).join(', ');
  const text = `not started, because nobody has trusted ${untrusted[0]!.file} as it is: ${names}`;
  return [...tried, ...faulty, warning('MCP', text, 'look at it with "triad trust"')];
}

async function tryOut(
  client: Client,
  { name, source }: McpServerView,
  folder: string,
  late: AbortSignal,
): Promise<Finding> {
  const title = `MCP ${name}`;
  const leave = source === 'user' ? `, "triad mcp disable ${name}" switches it off` : '';
  const advice = `"triad mcp test ${name}" says more${leave}`;
  try {
    const start = performance.now();
    const test = await Promise.race([client.request('mcp.test', { folder, name }), aborted(late)]);
    if (test === undefined) return warning(title, `no answer after ${duration(performance.now() - start)}`, advice);
    if (test.error !== null) return warning(title, oneLine(test.error), advice);
    const { tools, process } = test.server;
    const where = process?.isSandboxed ? ' in the sandbox' : '';
    const text = `answers${where}, with ${tools.length === 1 ? '1 tool' : `${tools.length} tools`}`;
    const open = tools.filter(needsAgreement).length;
    if (open === 0) return ok(title, text);
    return warning(title, `${text}, ${open} of them changed or new`, `look at them with "triad mcp accept ${name}"`);
  } catch (error) {
    return warning(title, oneLine(errorInfo(error).message), advice);
  }
}
