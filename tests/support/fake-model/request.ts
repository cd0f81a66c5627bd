/** What the fake reads in a request, and the checks by which the real API would refuse it. */

interface WireBlock {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | WireBlock[];
  is_error?: boolean;
  cache_control?: { type: string; ttl?: string };
}

export interface WireMessage {
  role: string;
  content: string | WireBlock[];
}

interface WireTool {
  name: string;
  description?: string;
  type?: string;
  max_uses?: number;
  input_schema?: { type?: string };
  cache_control?: { type: string };
}

export interface WireBody {
  model: string;
  max_tokens: number;
  stream?: boolean;
  system?: string | WireBlock[];
  messages: WireMessage[];
  tools?: WireTool[];
  tool_choice?: { type: string };
  thinking?: { type: string; display?: string };
  output_config?: { effort?: string };
  temperature?: number;
}

export interface SeenResult {
  id: string;
  text: string;
  isError: boolean;
}

/** A request in the words of the script's rules. */
export interface Seen {
  body: WireBody;
  system: string;
  /** Words of the first user message. */
  prompt: string;
  /** Words of the newest user message that has any of its own, not only tool results. */
  asked: string;
  /** All text of the last user message: words and tool results. */
  lastUser: string;
  /** Tool results of the last user message, in order. */
  results: SeenResult[];
  /** 1 for a request without an assistant message, and one more with each. */
  turn: number;
  /** Likewise, counted from the message of `asked`. */
  step: number;
  tools: string[];
}

export function readRequest(body: WireBody): Seen {
  const users = body.messages.filter((message) => message.role === 'user');
  const last = blocksOf(users.at(-1)?.content ?? []);
  const askedAt = body.messages.findLastIndex(
    (message) => message.role === 'user' && wordsOf(blocksOf(message.content).filter((block) => !isNote(block))) !== '',
  );
  return {
    body,
    system: wordsOf(body.system ?? ''),
    prompt: wordsOf(users[0]?.content ?? ''),
    asked: wordsOf(body.messages[askedAt]?.content ?? ''),
    lastUser: last.map((block) => (block.type === 'tool_result' ? resultText(block) : (block.text ?? ''))).join('\n'),
    results: last.filter((block) => block.type === 'tool_result').map(resultOf),
    turn: 1 + countAssistants(body.messages),
    step: 1 + countAssistants(body.messages.slice(askedAt + 1)),
    tools: (body.tools ?? []).map((tool) => tool.name),
  };
}

/** What the engine says of a response that was cut off: it asks for nothing. */
function isNote({ text }: WireBlock): boolean {
  return text?.startsWith('[Triad: ') ?? false;
}

/** The API's complaint, or null where it would accept the request. */
export function refusalOf(body: WireBody): string | null {
  if (typeof body.model !== 'string' || body.model === '') return 'model: Field required';
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 1) return 'max_tokens: Field required';
  if (!Array.isArray(body.messages) || body.messages.length === 0) return 'messages: at least one message is required';
  if (body.messages[0]?.role !== 'user') return 'messages: first message must use the "user" role';
  return systemRefusal(body) ?? toolsRefusal(body.tools ?? []) ?? cacheRefusal(body) ?? messagesRefusal(body.messages);
}

function systemRefusal({ system }: WireBody): string | null {
  if (system === undefined || typeof system === 'string') return null;
  return system.some((block) => isBlank(block)) ? 'system: text content blocks must be non-empty' : null;
}

function toolsRefusal(tools: WireTool[]): string | null {
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    if (tool.input_schema?.type !== 'object' && !tool.type?.startsWith('web_search_'))
      return `tools.${index}.custom.input_schema.type: Input should be 'object'`;
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) return `tools.${index}.custom.name: String should match pattern`;
    if (names.has(tool.name)) return 'tools: Tool names must be unique.';
    names.add(tool.name);
  }
  return null;
}

function cacheRefusal(body: WireBody): string | null {
  const holders = [
    ...blocksOf(body.system ?? []),
    ...(body.tools ?? []),
    ...body.messages.flatMap((message) => blocksOf(message.content)),
  ];
  const points = holders.filter((holder) => holder.cache_control).length;
  return points > 4 ? `A maximum of 4 blocks with cache_control may be provided. Found ${points}.` : null;
}

function messagesRefusal(messages: WireMessage[]): string | null {
  let open: string[] = [];
  for (const [index, message] of messages.entries()) {
    const at = `messages.${index}`;
    if (message.role !== 'user' && message.role !== 'assistant') return `${at}: role must be "user" or "assistant"`;
    const blocks = blocksOf(message.content);
    if (blocks.length === 0) return `${at}: all messages must have non-empty content`;
    const blank = blocks.findIndex(isBlank);
    if (blank >= 0) return `${at}.content.${blank}: text content blocks must contain non-whitespace text`;
    const results = blocks.filter((block) => block.type === 'tool_result');
    const stray = results.find((block) => message.role === 'assistant' || !open.includes(block.tool_use_id ?? ''));
    if (stray) return `${at}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray.tool_use_id}`;
    const answered = new Set(results.map((block) => block.tool_use_id));
    if (answered.size < results.length) return `${at}.content: each tool_use must have a single result`;
    const missing = open.filter((id) => !answered.has(id));
    if (missing.length > 0)
      return `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}`;
    if (open.length > 0 && blocks.slice(0, results.length).some((block) => block.type !== 'tool_result')) {
      return `${at}.content: \`tool_result\` blocks must come first`;
    }
    const wrong = blocks.map(blockRefusal).find((refusal) => refusal !== null);
    if (wrong) return `${at}.content: ${wrong}`;
    open = blocks.filter((block) => block.type === 'tool_use').map((block) => block.id ?? '');
    if (new Set(open).size < open.length) return `${at}: \`tool_use\` ids must be unique`;
  }
  return (
    serverRefusal(messages) ??
    (open.length > 0
      ? `messages: \`tool_use\` ids were found without \`tool_result\` blocks: ${open.join(', ')}`
      : null)
  );
}

/** A call of the provider's own needs its result, but at the end, where it goes on with what it has paused. */
function serverRefusal(messages: WireMessage[]): string | null {
  const blocks = messages.flatMap(({ content }) => blocksOf(content));
  const done = blocks.flatMap(({ type, tool_use_id: id }) => (type === 'web_search_tool_result' ? [id] : []));
  const calls = messages
    .slice(0, -1)
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === 'server_tool_use');
  const lone = calls.find(({ id }) => !done.includes(id));
  return lone
    ? `messages: \`web_search\` tool use with id \`${lone.id}\` was found without a corresponding \`web_search_tool_result\` block`
    : null;
}

function blockRefusal(block: WireBlock): string | null {
  if (block.type === 'thinking' && !block.signature) return 'thinking.signature: Field required';
  if (block.type !== 'tool_use') return null;
  if (!/^[a-zA-Z0-9_-]+$/.test(block.id ?? '')) return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'";
  return typeof block.input === 'object' && block.input !== null && !Array.isArray(block.input)
    ? null
    : 'tool_use.input: Input should be a valid dictionary';
}

function isBlank(block: WireBlock): boolean {
  return block.type === 'text' && (block.text ?? '').trim() === '';
}

function blocksOf(content: string | WireBlock[]): WireBlock[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return content;
}

function wordsOf(content: string | WireBlock[]): string {
  return blocksOf(content)
    .filter((block) => block.type === 'text')
    .map((block) => block.text ?? '')
    .join('\n');
}

function resultText(block: WireBlock): string {
  return wordsOf(block.content ?? '');
}

function resultOf(block: WireBlock): SeenResult {
  return { id: block.tool_use_id ?? '', text: resultText(block), isError: block.is_error === true };
}

function countAssistants(messages: WireMessage[]): number {
  return messages.filter((message) => message.role === 'assistant').length;
}
