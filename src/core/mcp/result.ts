/** What a server answers, as the model reads it and the person sees it. */
import type { Image } from '#contract/message.ts';
import { redact, redactKeysNow } from '../base/redact.ts';
import { errorInfo } from '../base/errors.ts';
import { HEAD_BYTES, imageOf, imageTypeOf } from '../tools/reading/image.ts';
import type { ToolContext, ToolResult } from '../tools/tool.ts';
import type { CallResult, ContentBlock, PromptResult, ResourceContent } from './answers.ts';
import type { Arguments } from './mcp-tool.ts';
import type { McpServer } from './mcp-server.ts';

/** Largest structured answer that is kept for the person beside the text, in characters of its JSON. */
const MAX_STRUCTURED = 64 * 1024;
/** Most resources of one list. */
const MAX_LISTED = 500;

type Keeping = Pick<ToolContext, 'outputs'>;

/** The first picture is shown to the model; of the others it is told. */
export async function toolResultOf(server: string, answer: CallResult, context: Keeping): Promise<ToolResult> {
  const { isError, content, structured } = answer;
  const shown = await shownImage(server, content, context);
  const words = content.map((block) =>
    block === shown?.block ? `[A picture of the MCP server "${server}".]` : wordsOf(block),
  );
  const json = structured === undefined ? null : shownJson(structured);
  const said = words.join('\n\n') || (json?.text ?? '(an empty answer)');
  return {
    status: isError ? 'error' : 'completed',
    output: [isError ? redact(said) : said, ...(shown?.fault ? [shown.fault] : [])].join('\n\n'),
    metadata: {
      server,
      ...(json?.isShort ? { structured } : {}),
    },
    ...(shown?.image ? { image: shown.image } : {}),
  };
}

/** The list of a server's resources, or the one that was asked for. */
export async function resourceText(
  server: string,
  mcpServer: McpServer,
  { uri }: Arguments,
  { signal, outputs }: Pick<ToolContext, 'signal' | 'outputs'>,
): Promise<ToolResult> {
  if (typeof uri === 'string' && uri !== '') {
    const read = await mcpServer.readResource(uri, signal);
    const content = read.map((one): ContentBlock => ({ type: 'resource', content: one }));
    return toolResultOf(server, { isError: false, content, structured: undefined }, { outputs });
  }
  const [resources, templates] = await Promise.all([mcpServer.resources(signal), mcpServer.resourceTemplates(signal)]);
  const line = (at: string, name: string, about: string): string => `${at}  ${name}${about === '' ? '' : `: ${about}`}`;
  const lines = [
    ...resources.slice(0, MAX_LISTED).map(({ uri: at, name, description }) => line(at, name, description)),
    ...(resources.length > MAX_LISTED ? [`[${resources.length - MAX_LISTED} more are not listed.]`] : []),
    ...templates.map(({ uriTemplate, name, description }) => line(uriTemplate, name, description)),
  ];
  return { status: 'completed', output: lines.join('\n') || `${server} has no resources now.`, metadata: { server } };
}

/** In lines where that is short: what lies deep would else become many times as long. */
function shownJson(value: unknown): { text: string; isShort: boolean } {
  const text = JSON.stringify(value);
  const lines = text.length <= MAX_STRUCTURED ? JSON.stringify(value, null, 2) : text;
  return lines.length <= MAX_STRUCTURED ? { text: lines, isShort: true } : { text, isShort: false };
}

async function shownImage(
  server: string,
  content: readonly ContentBlock[],
  { outputs }: Keeping,
): Promise<{ block: ContentBlock | null; image: Image | null; fault: string | null } | null> {
  const block = content.find((one) => one.type === 'image' || one.type === 'resource');
  const found = block?.type === 'resource' ? block.content : block;
  if (!block || !found || !('bytes' in found)) return null;
  const bytes = Buffer.from(found.bytes);
  // What it is, its bytes tell; the server may say anything.
  const mediaType = imageTypeOf(bytes.subarray(0, HEAD_BYTES));
  if (mediaType === null) return null;
  try {
    const image = imageOf(bytes, mediaType, `The picture of the MCP server "${server}"`);
    await outputs.keepImage(bytes);
    return { block, image, fault: null };
  } catch (error) {
    return { block: null, image: null, fault: `[${errorInfo(error).message}]` };
  }
}

function wordsOf(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource-link':
      return `[Resource ${block.resource.uri}: ${block.resource.name}]`;
    case 'resource':
      return resourceWords(block.content);
    default:
      return `[${block.type}, ${block.mime}, ${block.bytes.length} bytes: not shown]`;
  }
}

function resourceWords(content: ResourceContent): string {
  if ('text' in content) return content.text;
  return `[Resource ${content.uri}: ${content.mime ?? 'of unknown type'}, ${content.bytes.length} bytes, no text]`;
}

/** Formats the messages of a prompt as one text, without keys. If there are several, the role is above each. */
export function formatPrompt({ messages }: PromptResult): string {
  const texts = messages.map(({ content }) => wordsOf(content));
  const roles = messages.map(({ role }) => (role === 'user' ? 'User' : 'Assistant'));
  const lines = texts.length === 1 ? texts : texts.map((text, index) => `${roles[index]}:\n${text}`);
  return redactKeysNow(lines.join('\n\n'));
}
