/** Signing in to servers at an address, by OAuth; what it gives is in the key store. */
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { McpServerView } from '#contract/mcp-methods.ts';
import { TriadError } from '../base/errors.ts';
import type { ConfiguredServer } from './configured.ts';
import type { McpServer } from './server.ts';

export class SignIns {
  stateOf(_server: ConfiguredServer): McpServerView['signIn'] {
    return 'none';
  }

  /** For the transport of a server: null where nobody has signed in to it, or could. */
  provider(_name: string, _url: string): OAuthClientProvider | null {
    return null;
  }

  begin({ name }: McpServer): Promise<{ url: string }> {
    return Promise.reject(new TriadError('not_allowed', `Nobody can sign in to the MCP server ${name}`));
  }

  forget(_server: McpServer): Promise<void> {
    return Promise.resolve();
  }
}
