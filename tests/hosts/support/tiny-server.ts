/** A small MCP server: it has the tools of a file, and says with each the value of a variable that it got. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  id?: number;
  method: string;
  params?: { protocolVersion?: string };
}

const [, , file = '', variable = ''] = process.argv;

function tools(): object[] {
  const described = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
  return Object.entries(described).map(([name, description]) => {
    const words = `${description} ${process.env[variable] ?? ''}`.trim();
    return { name, description: words, inputSchema: { type: 'object' } };
  });
}

const ANSWERS: Readonly<Record<string, (request: Request) => object>> = {
  initialize: ({ params }) => ({
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'tiny', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools: tools() }),
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) return;
  const result = ANSWERS[request.method]?.(request);
  const answer = result ? { result } : { error: { code: -32601, message: 'unknown' } };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })}\n`);
});
