/** A server as the settings or a project's `.mcp.json` describe it, everything resolved. */
export interface McpServerConfig {
  readonly name: string;
  readonly source: 'user' | 'project' | 'client';
  /** For one conversation, as a client passes it: for no other use. */
  readonly lending?: string;
  readonly transport:
    | {
        readonly kind: 'stdio';
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | null;
      }
    | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> };
  /** Milliseconds that one request may take without a sign of progress. */
  readonly timeoutMs: number;
  /** Whether it may ask for model requests; each of them is asked about. */
  readonly sampling: boolean;
}
