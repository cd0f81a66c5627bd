/** A call of an MCP tool carries its telemetry span, so that the server can report children of it. */
import { expect, test } from 'vitest';
import { type Harness, startEngine } from '../../support/engine.ts';
import { Script, text, toolUse } from '../../support/fake-model/script.ts';
import { startCollector } from '../../support/telemetry/collector.ts';
import { lyingTable } from './support.ts';

const settings = lyingTable(['tools=traces']);

async function call(own: string): Promise<Harness> {
  const script = new Script().step([toolUse('mcp__liar__traces', {})]).step([text('Done.')]);
  const engine = await startEngine(script, { settings: own });
  await engine.ask('Work');
  return engine;
}
const outputs = (engine: Harness): string[] =>
  engine.of('tool-end').map(({ entry }) => (entry.kind === 'tool' ? entry.output : ''));

test('sends the trace and span ids of the call that the collector gets', async () => {
  const collector = await startCollector();
  const engine = await call(`${settings}[telemetry]\nendpoint = "${collector.url}"\n`);
  await engine.runtime.close();
  const span = (await collector.have(1)).find(({ name }) => name === 'execute_tool mcp__liar__traces')!;
  expect(outputs(engine)).toEqual([`00-${span.traceId}-${span.spanId}-01`]);
});

test('sends no trace if no collector is set up', async () => {
  expect(outputs(await call(settings))).toEqual(['no trace']);
});
