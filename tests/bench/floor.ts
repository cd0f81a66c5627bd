/** The floor: the same work as a bare loop over the SDK's streams; nothing is stored, asked or shown. */
import Anthropic from '@anthropic-ai/sdk';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { clock } from './clock.ts';
import type { Work } from './side.ts';

const MODEL = 'claude-sonnet-5-5';
const TOOLS: Record<'lead' | 'child', Anthropic.Tool[]> = {
  lead: [
    {
      name: 'spawn_agent',
      description: 'Starts a sub-agent with a prompt of its own; its report is the result.',
      input_schema: {
        type: 'object',
        properties: {
          operation: { type: 'string' },
          name: { type: 'string' },
          prompt: { type: 'string' },
          reason: { type: 'string' },
        },
        required: ['name', 'prompt'],
      },
    },
  ],
  child: [
    {
      name: 'list_directory',
      description: 'Lists a folder of the workspace.',
      input_schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  ],
};
const SYSTEM = {
  lead: 'You lead up to three sub-agents and answer the person.',
  child: 'You do one task and write a report.',
};

type Role = keyof typeof TOOLS;
type Sink = (text: string) => void;

export function openFloor(url: string, folder: string): Work {
  const client = new Anthropic({ apiKey: 'bench-key', baseURL: url, maxRetries: 0, openTelemetry: false });
  let controller = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  const run = (prompt: string, sink: Sink, earlier: Anthropic.MessageParam[] = []) =>
    agent({ client, folder, signal: controller.signal, sink }, 'lead', prompt, earlier);
  let conversation: Anthropic.MessageParam[] = [];
  const timed = async (prompt: string, sink: Sink) => {
    const sentAt = clock();
    await run(prompt, sink);
    return { sentAt, endedAt: clock() };
  };
  return {
    workflow: async () => ({ ...(await timed('Look at all parts', () => undefined)), shown: [], updates: [] }),
    stream: timed,
    talk: async (count, fresh) => {
      if (fresh) conversation = [];
      for (let sent = 0; sent < count; sent += 1) await run(`Message ${sent}`, () => undefined, conversation);
    },
    settled: () => Promise.resolve(),
    begin: async () => {
      controller = new AbortController();
      running = run('Look at all parts', () => undefined).catch(() => undefined);
    },
    stop: async () => {
      const stoppedAt = clock();
      controller.abort();
      await running;
      return stoppedAt;
    },
    close: () => Promise.resolve(),
  };
}

interface Loop {
  client: Anthropic;
  folder: string;
  signal: AbortSignal;
  sink: Sink;
}

/** Turns until the model calls nothing more; calls of one response run at the same time. Adds to `messages`. */
async function agent(loop: Loop, role: Role, prompt: string, messages: Anthropic.MessageParam[] = []): Promise<string> {
  messages.push({ role: 'user', content: prompt });
  for (;;) {
    const { content } = await turn(loop, role, messages);
    const calls = content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) {
      messages.push({ role: 'assistant', content });
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    }
    const results = await Promise.all(
      calls.map(async (call): Promise<Anthropic.ToolResultBlockParam> => {
        return { type: 'tool_result', tool_use_id: call.id, content: await execute(loop, call) };
      }),
    );
    messages.push({ role: 'assistant', content }, { role: 'user', content: results });
  }
}

async function turn(
  { client, signal, sink }: Loop,
  role: Role,
  messages: Anthropic.MessageParam[],
): Promise<Anthropic.Message> {
  const stream = client.messages.stream(
    { model: MODEL, max_tokens: 8192, system: SYSTEM[role], tools: TOOLS[role], messages },
    { signal },
  );
  for await (const event of stream) {
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') sink(event.delta.text);
  }
  return stream.finalMessage();
}

async function execute(loop: Loop, { name, input }: Anthropic.ToolUseBlock): Promise<string> {
  // The script's own arguments.
  const { prompt = '', path = '.' } = input as { prompt?: string; path?: string };
  if (name === 'spawn_agent') return agent(loop, 'child', prompt);
  return (await readdir(join(loop.folder, path))).join('\n');
}
