/** What protects the person, as this process finds it; a desktop in between adds what holds its pages. */
import { contactedHosts } from '#core/base/outgoing.ts';
import type { ShellHost } from '#core/workspace/shell/run-shell.ts';
import type { Handlers } from './handlers.ts';

export function securityMethods(shell: Pick<ShellHost, 'sandbox'>): Pick<Handlers, 'security.state'> {
  return {
    'security.state': async () => ({
      commands: (await shell.sandbox())?.name ?? null,
      hosts: contactedHosts(),
      shell: null,
    }),
  };
}
