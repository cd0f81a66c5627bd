/** What a client lends to a conversation as long as it is there (its editor's files, its terminals, MCP servers), and how it is called back for it. */
import { z } from 'zod';
import { Id, ToolCallId } from '../ids.ts';
import { MAX_MCP_SERVERS } from '../limits.ts';
import { method } from '../method.ts';

const words = z.string().max(8192);
const values = z.record(z.string().min(1).max(200), words);

/** An MCP server as a client passes it: what of it fits is told later, in the conversation. Values are taken as they are. */
export const LentServer = z.strictObject({
  name: z.string().min(1).max(200),
  type: z.enum(['stdio', 'http', 'sse']),
  command: z.string().max(4096).optional(),
  args: z.array(words).max(200).default([]),
  env: values.default({}),
  url: z.string().max(4096).optional(),
  headers: values.default({}),
});
export type LentServer = z.infer<typeof LentServer>;

/** Subscribing to this is lending it: it ends with the subscription, or the connection. */
export const Lent = z.strictObject({
  conversationId: Id,
  /** Whether files are read and written through the client's editor, which knows what is not saved yet. */
  files: z.strictObject({ read: z.boolean(), write: z.boolean() }),
  /** Whether commands may run in terminals of the client. */
  terminal: z.boolean(),
  mcp: z.array(LentServer).max(MAX_MCP_SERVERS).default([]),
});
export type Lent = z.output<typeof Lent>;

const terminalId = z.string().min(1).max(1000);
const ended = z.object({
  /** Null where a signal ended it. */
  exitCode: z.int().nullable(),
  signal: z.string().nullable(),
});
const done = z.object({});

/** What a client is asked to do, by name: what that takes, and what it answers. Paths are absolute. */
export const lentCalls = {
  'read-file': method(z.object({ path: z.string() }), z.object({ text: z.string() })),
  'write-file': method(z.object({ path: z.string(), text: z.string() }), done),
  'terminal-create': method(
    z.object({
      command: z.string(),
      args: z.array(z.string()),
      cwd: z.string(),
      /** Bytes of its output that are kept; of a longer one, the last. */
      outputBytes: z.int(),
      /** Of whose call it is. */
      runId: Id,
      toolCallId: ToolCallId,
    }),
    z.object({ terminalId }),
  ),
  /** `ended`: null while it runs. */
  'terminal-output': method(
    z.object({ terminalId }),
    z.object({ output: z.string(), truncated: z.boolean(), ended: ended.nullable() }),
  ),
  'terminal-wait': method(z.object({ terminalId }), ended),
  'terminal-kill': method(z.object({ terminalId }), done),
  /** Ends it where it still runs; its id means nothing afterwards. */
  'terminal-release': method(z.object({ terminalId }), done),
} as const;
type Calls = typeof lentCalls;
export type LentCallName = keyof Calls;
export type LentInput<N extends LentCallName> = z.input<Calls[N]['input']>;
export type LentOutput<N extends LentCallName> = z.output<Calls[N]['output']>;

/** One call; the client answers it by its id, once. */
export type LentCall = { [N in LentCallName]: { id: string; name: N; input: LentInput<N> } }[LentCallName];

export const lentMethods = {
  /**
   * The answer to a call of the topic `lent`; one that comes after the end of its call, or twice, changes nothing and is
   * not `taken`: a terminal that was made for it is nobody's then.
   */
  'lent.answer': method(
    z.strictObject({
      id: Id,
      answer: z.discriminatedUnion('ok', [
        z.strictObject({ ok: z.literal(true), value: z.unknown() }),
        /** `message`: the client's own words. */
        z.strictObject({ ok: z.literal(false), message: z.string().max(2000) }),
      ]),
    }),
    z.object({ taken: z.boolean() }),
  ),
} as const;
