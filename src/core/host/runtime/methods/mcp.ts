/** The methods about MCP servers. */
import { isDeepStrictEqual } from 'node:util';
import { McpEntry, type McpEntryInput } from '#contract/mcp/mcp-entry.ts';
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { TriadError } from '#core/base/errors.ts';
import { formatPrompt } from '#core/mcp/result.ts';
import { serverView, serverViews, testServer } from '#core/mcp/views.ts';
import type { Engine } from '#core/runs/engine.ts';
import type { LiveSettings } from '#core/settings/live-settings.ts';
import { wantedBy } from '#core/settings/mcp-json.ts';
import type { Handlers } from './handlers.ts';

type Mine = Extract<keyof Handlers, `mcp.${string}`>;

/** How long a test waits for a server, in milliseconds: the first start of one may have to fetch it. */
const TEST_MS = 60_000;

export function mcpMethods({ mcp }: Pick<Engine, 'mcp'>, settings: LiveSettings, home: string): Pick<Handlers, Mine> {
  const at = (folder: string | undefined): Promise<string> => canonicalFolder(folder ?? home);
  const view = async (folder: string | undefined, name: string) => serverView(mcp, await at(folder), name);
  const usable = async (folder: string | undefined, name: string) => mcp.usable(await at(folder), name);
  const written = (name: string): McpEntry => {
    const { servers } = settings.mcp;
    if (Object.hasOwn(servers, name)) return servers[name]!;
    const names = Object.keys(servers).join(', ') || 'none';
    throw new TriadError('not_found', `Your settings have no MCP server "${name}" (they have: ${names})`);
  };
  return {
    'mcp.list': async ({ folder }) => serverViews(mcp, await at(folder)),
    'mcp.test': async ({ folder, name }) => testServer(mcp, await at(folder), name, TEST_MS),
    'mcp.accept': async ({ folder, name, tools }) => {
      await mcp.listings.accept((await usable(folder, name)).config, tools);
      mcp.changed();
      return view(folder, name);
    },
    'mcp.add': async ({ name, entry, secrets, replace }) => {
      if (!replace && Object.hasOwn(settings.mcp.servers, name))
        throw new TriadError('conflict', `There is an MCP server "${name}" already: remove it first, or replace it`);
      const before = Object.hasOwn(settings.mcp.servers, name) ? settings.mcp.servers[name]! : null;
      const kept = { ...unnamed(before, entry), ...secrets };
      await mcp.change(name, kept, () => settings.setMcpServer(name, sparse(entry)));
      return view(undefined, name);
    },
    'mcp.remove': async ({ name }) => {
      await mcp.change(name, unnamed(written(name), null), () => settings.setMcpServer(name, null));
      await mcp.signIns.forgetAll(name);
      return {};
    },
    'mcp.enable': async ({ name, enabled }) => {
      const entry = { ...written(name), enabled };
      await mcp.change(name, {}, () => settings.setMcpServer(name, sparse(entry)));
      return view(undefined, name);
    },
    'mcp.stop': async ({ folder, name }) => {
      await mcp.pool.stop(await mcp.resolved(await usable(folder, name)), await at(folder));
      return view(folder, name);
    },
    'mcp.restart': async ({ folder, name }) => {
      await mcp.pool.restart(await mcp.resolved(await usable(folder, name)), await at(folder));
      return view(folder, name);
    },
    'mcp.prompt': async ({ folder, name, prompt, args }) => {
      const use = await mcp.use(await at(folder), await usable(folder, name));
      try {
        return { text: formatPrompt(await use.server.getPrompt(prompt, args, AbortSignal.timeout(TEST_MS))) };
      } finally {
        use.release();
      }
    },
    'mcp.login': async ({ folder, name }) => mcp.signIns.begin(await mcp.resolved(await usable(folder, name))),
    'mcp.logout': async ({ folder, name }) => {
      await mcp.signIns.forget(await mcp.resolved(await usable(folder, name)));
      await mcp.pool.endNamed(name);
      return view(folder, name);
    },
  };
}

/** The secrets that only the entry before names: nobody wants them any more. */
function unnamed(before: McpEntry | null, now: McpEntry | null): Record<string, null> {
  const [old, wanted] = [before, now].map((entry) => (entry === null ? [] : wantedBy(entry).secrets));
  return Object.fromEntries(old!.filter((key) => !wanted!.includes(key)).map((key) => [key, null]));
}

/** Without what says no more than the defaults: a file reads as a person would write it. */
function sparse(entry: McpEntry): McpEntryInput {
  const usual: Readonly<Record<string, unknown>> = McpEntry.parse({ command: '-' });
  const kept = Object.entries(entry).filter(
    ([key, value]) => value !== undefined && (key === 'command' || !isDeepStrictEqual(value, usual[key])),
  );
  return Object.fromEntries(kept);
}
