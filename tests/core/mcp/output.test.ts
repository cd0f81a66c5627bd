/** The output of an MCP server: long messages after a flood of other lines, and a bounded log. */
import { expect, test } from 'vitest';
import { readLines } from '#core/mcp/message-lines.ts';
import { lineWriter, ServerLog } from '#core/mcp/server-log.ts';
import { BLOCK_MS, longestBlock } from '../../support/workspace.ts';

test('reads a flood of short lines and a long message completely, without blocking', async () => {
  const flood = Buffer.from('{"rubbish":1}\n'.repeat(5000));
  const message = Buffer.from(`"${'ü'.repeat(1024 * 1024)}"\n`);
  async function* output(): AsyncGenerator<Buffer> {
    for (let chunk = 0; chunk < 100; chunk += 1) yield flood;
    for (let at = 0; at < message.length; at += 65_536) yield message.subarray(at, at + 65_536);
  }
  let count = 0;
  let last = '';
  const { value, longest } = await longestBlock(() =>
    readLines(output(), (line) => {
      count += 1;
      last = line.length > 1000 ? line.toString() : '';
    }),
  );
  expect([value, count]).toEqual([null, 500_001]);
  expect(last).toBe(message.toString().trim());
  expect(longest).toBeLessThan(BLOCK_MS);
});

test('the log has the newest 200 lines', () => {
  const log = new ServerLog();
  const writer = lineWriter(log);
  for (let line = 0; line < 500; line += 1) writer.write(Buffer.from(`line ${line}\n`));
  expect(log.lines()).toHaveLength(200);
  expect(log.last()).toBe('line 499');
});
