/** What servers offer and answer, as plain data; what they send is looked at before it is believed. */
import { z } from 'zod';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ServerTool {
  readonly name: string;
  readonly title: string | null;
  /** Empty where it has none. */
  readonly description: string;
  /** A JSON schema of an object. */
  readonly inputSchema: JsonObject;
  /** What the server claims; null where it says nothing. */
  readonly hints: {
    readonly readOnly: boolean | null;
    readonly destructive: boolean | null;
    readonly idempotent: boolean | null;
    readonly openWorld: boolean | null;
  };
}

export interface ServerResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly mime: string | null;
  /** Bytes, where it says. */
  readonly size: number | null;
}

export interface ResourceTemplate {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly mime: string | null;
}

export interface ServerPrompt {
  readonly name: string;
  readonly title: string | null;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[];
}

/** `text` or `bytes`. */
export type ResourceContent =
  | { readonly uri: string; readonly mime: string | null; readonly text: string }
  | { readonly uri: string; readonly mime: string | null; readonly bytes: Uint8Array };

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image' | 'audio'; readonly bytes: Uint8Array; readonly mime: string }
  | { readonly type: 'resource-link'; readonly resource: ServerResource }
  | { readonly type: 'resource'; readonly content: ResourceContent };

export interface CallResult {
  /** The tool says that it failed; what follows is its message. */
  readonly isError: boolean;
  readonly content: readonly ContentBlock[];
  /** A JSON value; undefined where there is none. */
  readonly structured: unknown;
}

export interface PromptResult {
  readonly description: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: ContentBlock }[];
}

/** Blocks of one answer; the number of the others is told in a last one. */
const MAX_BLOCKS = 1000;
const DESCRIPTION_BYTES = 16_384;
const SCHEMA_BYTES = 65_536;

const Text = z.string().nullish();
/** Not looked through, as `z.array` would: it may be long. */
const List = z.custom<readonly unknown[]>((value) => Array.isArray(value), 'it is no list');
const Words = { title: Text, description: Text, mimeType: Text };
const bytes = z.base64().transform((text): Uint8Array => Buffer.from(text, 'base64'));
const words = (value: { title?: string | null | undefined; description?: string | null | undefined }) => ({
  title: value.title ?? null,
  description: value.description ?? '',
});

const Resource = z
  .object({ ...Words, uri: z.string(), name: z.string(), size: z.number().nullish() })
  .transform((it): ServerResource => {
    return { uri: it.uri, name: it.name, ...words(it), mime: it.mimeType ?? null, size: it.size ?? null };
  });

const Template = z.object({ ...Words, uriTemplate: z.string(), name: z.string() }).transform((it): ResourceTemplate => {
  return { uriTemplate: it.uriTemplate, name: it.name, ...words(it), mime: it.mimeType ?? null };
});

const Argument = z.object({ name: z.string(), description: Text, required: z.boolean().nullish() });
const Prompt = z
  .object({ ...Words, name: z.string().min(1), arguments: z.array(Argument).nullish() })
  .transform((it): ServerPrompt => {
    const named = (it.arguments ?? []).map((one) => {
      return { name: one.name, description: one.description ?? '', isRequired: one.required ?? false };
    });
    return { name: it.name, ...words(it), arguments: named };
  });

const Hint = z.boolean().nullish();
const Hints = z.object({ readOnlyHint: Hint, destructiveHint: Hint, idempotentHint: Hint, openWorldHint: Hint });
const within = (max: number, what: string) => (value: unknown, context: z.core.$RefinementCtx) => {
  if (Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value)) > max)
    context.addIssue(`its ${what} has more than ${max / 1024} KB`);
};
const Tool = z
  .object({
    ...Words,
    name: z.string().min(1).max(256),
    description: z.string().superRefine(within(DESCRIPTION_BYTES, 'description')).nullish(),
    inputSchema: z.looseObject({ type: z.literal('object') }).superRefine(within(SCHEMA_BYTES, 'input schema')),
    annotations: Hints.extend({ title: Text }).nullish(),
  })
  .transform((it): ServerTool => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint, title } = it.annotations ?? {};
    const hints = {
      readOnly: readOnlyHint ?? null,
      destructive: destructiveHint ?? null,
      idempotent: idempotentHint ?? null,
      openWorld: openWorldHint ?? null,
    };
    return { name: it.name, ...words({ ...it, title: it.title ?? title }), inputSchema: it.inputSchema, hints };
  });

const Content = z
  .object({ uri: z.string(), mimeType: Text, text: z.string().optional(), blob: bytes.optional() })
  .transform(({ uri, mimeType, text, blob }, context): ResourceContent => {
    const mime = mimeType ?? null;
    if (text !== undefined) return { uri, mime, text };
    if (blob !== undefined) return { uri, mime, bytes: blob };
    context.addIssue('a resource has neither text nor a blob');
    return z.NEVER;
  });

const Media = { data: bytes, mimeType: z.string() };
const KNOWN = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('image'), ...Media }),
  z.object({ type: z.literal('audio'), ...Media }),
  z.object({ type: z.literal('resource'), resource: Content }),
  z.looseObject({ type: z.literal('resource_link') }),
]);
const Kind = z.looseObject({ type: z.string() });
const KINDS: ReadonlySet<unknown> = new Set(['text', 'image', 'audio', 'resource', 'resource_link']);

/** All read functions throw an `Error` whose message is the end of a sentence, where a value is not what it should be. */
function read<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  throw new Error(`${issue.path.map(String).join('.') || 'it'}: ${issue.message}`);
}

function blockOf(value: unknown): ContentBlock {
  const { type } = read(Kind, value);
  if (!KINDS.has(type))
    return { type: 'text', text: `(A block of the kind ${JSON.stringify(type)}, which is not known)` };
  const block = read(KNOWN, value);
  if (block.type === 'text') return block;
  if (block.type === 'resource') return { type: 'resource', content: block.resource };
  if (block.type === 'resource_link') return { type: 'resource-link', resource: read(Resource, value) };
  return { type: block.type, bytes: block.data, mime: block.mimeType };
}

const Result = z.looseObject({ content: List.optional(), isError: z.boolean().optional() });

export function callResult(value: unknown): CallResult {
  const { content, isError = false, structuredContent: structured } = read(Result, value);
  if (content === undefined && structured === undefined) throw new Error('it has no content');
  const blocks = (content ?? []).slice(0, MAX_BLOCKS).map(blockOf);
  const more = (content?.length ?? 0) - blocks.length;
  if (more > 0) blocks.push({ type: 'text', text: `(${more} more blocks were left out)` });
  return { isError, content: blocks, structured };
}

export const resourceContents = (value: unknown): readonly ResourceContent[] =>
  read(z.looseObject({ contents: z.array(Content).max(MAX_BLOCKS) }), value).contents;

const Message = z.object({ role: z.enum(['user', 'assistant']), content: z.unknown() });
const Messages = z.looseObject({ description: Text, messages: z.array(Message).max(MAX_BLOCKS) });

export function promptResult(value: unknown): PromptResult {
  const { description, messages } = read(Messages, value);
  return {
    description: description ?? '',
    messages: messages.map(({ role, content }) => ({ role, content: blockOf(content) })),
  };
}

/** One entry of a list, or why it is left out. */
export type Entry<T> = { readonly value: T } | { readonly fault: string };

const entryReader =
  <T>(schema: z.ZodType<T>) =>
  (value: unknown): Entry<T> => {
    try {
      return { value: read(schema, value) };
    } catch (error) {
      return { fault: (error as Error).message };
    }
  };
export const toolIn = entryReader(Tool);
export const resourceIn = entryReader(Resource);
export const templateIn = entryReader(Template);
export const promptIn = entryReader(Prompt);

/** One page of a list: its entries, and where the next begins. */
export interface Page {
  readonly entries: readonly unknown[];
  readonly next: string | null;
}

const PageForm = z.looseObject({ nextCursor: Text });

export function pageOf(key: string, value: unknown): Page {
  const page = read(PageForm, value);
  return { entries: read(List, page[key]), next: page.nextCursor ?? null };
}
