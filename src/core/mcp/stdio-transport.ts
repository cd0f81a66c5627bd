/** A server that is a process: messages are lines of JSON on its standard input and output. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf, errorInfo } from '../base/errors.ts';
import { readLines } from './message-lines.ts';
import { lineWriter, type ServerLog } from './server-log.ts';
import { ServerProcess } from './server-process.ts';
import type { ServerStart } from './server-start.ts';

/** A transport that knows why it ended. */
export interface ServerTransport extends Transport {
  readonly pid: number | null;
  /** The end of a sentence that begins with the server; null while it runs, or where we left it. Set before `onclose` is called. */
  readonly ended: string | null;
  /** True if the server runs in the sandbox of its workspace. */
  readonly isSandboxed: boolean;
}

/** How long what a server wrote before its end may take to come. */
const DRAIN_MS = 500;
/** How long the end of a server that takes nothing more is waited for. */
const END_MS = 2000;
/** Most messages that wait for a server to take them: one that asks and never reads would fill the memory. */
const MOST_WAITING = 2000;
const OBJECT = 0x7b;
/** What a shell says with its exit code when it cannot start a program. */
const UNSTARTED: Readonly<Record<number, string>> = { 126: 'cannot be run', 127: 'was not found' };

export class StdioTransport implements ServerTransport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #plan: () => Promise<ServerStart>;
  readonly #log: ServerLog;
  #start: ServerStart | null = null;
  #process: ServerProcess | null = null;
  #end: Promise<void> = Promise.resolve();
  #fault: string | null = null;
  #ended: string | null = null;
  #hasAnswered = false;
  #waiting = 0;

  /** `plan`: returns where the server starts. */
  constructor(plan: () => Promise<ServerStart>, log: ServerLog) {
    this.#plan = plan;
    this.#log = log;
  }

  get pid(): number | null {
    return this.#ended === null ? (this.#process?.pid ?? null) : null;
  }

  get ended(): string | null {
    return this.#ended;
  }

  get isSandboxed(): boolean {
    return this.#start?.confinedBy != null;
  }

  async start(): Promise<void> {
    try {
      this.#start = await this.#plan();
      this.#process = await ServerProcess.start(this.#start);
    } catch (error) {
      this.#ended = `could not be started${this.#explain(error)}`;
      throw new Error(this.#ended, { cause: error });
    }
    this.#end = this.#follow(this.#process);
  }

  #explain(error: unknown): string {
    const isFolder = ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');
    if (isFolder && this.#start) return `: there is no folder ${this.#start.program.cwd}`;
    return this.isSandboxed ? ` in the sandbox: ${errorInfo(error).message}` : `: ${errorInfo(error).message}`;
  }

  /** Rejects where the server takes nothing more. As that is mostly its end, the word of that goes first. */
  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#write(`${JSON.stringify(message)}\n`);
    } catch (error) {
      await Promise.race([this.#end, wait(END_MS, undefined, { ref: false })]);
      throw error;
    }
  }

  #write(text: string): Promise<void> {
    const stdin = this.#process?.stdin;
    if (this.#waiting === MOST_WAITING && this.#fault === null) {
      this.#fault = 'does not take what it is sent';
      this.#process?.kill();
    }
    return new Promise((resolve, reject) => {
      if (!stdin?.writable || this.#fault !== null) return reject(new Error('The server takes no messages any more'));
      this.#waiting += 1;
      stdin.write(text, (error) => {
        this.#waiting -= 1;
        if (error) reject(error);
        else resolve();
      });
    });
  }

  /** Resolves when nothing of it is left. */
  async close(): Promise<void> {
    await this.#process?.close();
    await this.#end;
  }

  async #follow(server: ServerProcess): Promise<void> {
    const lines = lineWriter(this.#log);
    server.stderr.on('data', lines.write);
    const read = readLines(server.stdout, (line) => this.#take(line)).then(
      (fault) => {
        this.#fault ??= fault;
        if (fault !== null) server.kill();
        // Without its output nothing can be asked of it.
        else void server.close();
      },
      () => server.kill(),
    );
    const ended = await server.ended();
    // What it wrote before its end comes first; a process that left the group may hold the pipe.
    await Promise.race([read, wait(DRAIN_MS, undefined, { ref: false })]);
    for (const stream of [server.stdin, server.stdout, server.stderr]) stream.destroy();
    lines.end();
    this.#ended = this.#fault === null ? this.#reason(ended) : `${this.#fault}, and was ended`;
    this.onclose?.();
  }

  #reason(ended: string): string {
    const code = Number(/^ended with exit code (\d+)$/.exec(ended)?.[1]);
    const unstarted = this.#hasAnswered ? undefined : UNSTARTED[code];
    const where = this.#hasAnswered ? '' : `${this.isSandboxed ? ' in the sandbox' : ''}${this.#folderHint()}`;
    if (unstarted === undefined) return `${ended}${where}`;
    return `could not be started: the command ${this.#start?.program.command} ${unstarted}${where}`;
  }

  #folderHint(): string {
    const { missedFile = null } = this.#start ?? {};
    if (missedFile === null) return '';
    return ` (${missedFile} is in the workspace, but the server starts in an empty folder: set cwd = "." to start it in the workspace)`;
  }

  #take(line: Buffer): void {
    const message = messageIn(line);
    if (message === null) return this.#log.add(`stdout: ${line.toString('utf8', 0, 4000)}`);
    this.#hasAnswered = true;
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.#log.add(`stdout: a message that cannot be taken: ${String(error)}`);
    }
  }
}

/** What has the outer form of a message; the rest is checked where it is used. */
function messageIn(line: Buffer): JSONRPCMessage | null {
  let value: unknown;
  // A flood of other text costs less so.
  if (line[0] !== OBJECT) return null;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null || !('jsonrpc' in value) || value.jsonrpc !== '2.0') return null;
  const isMessage = 'method' in value || ('id' in value && ('result' in value || 'error' in value));
  return isMessage ? (value as JSONRPCMessage) : null;
}
