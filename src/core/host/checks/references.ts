/** What settings name, and whether it is there: models, keys, programs, variables, agents and tools. Nobody is asked. */
import { sentenceOf } from '#contract/approvals/phrases.ts';
import type { Rule } from '#contract/permission.ts';
import { access, constants, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import { nearest } from '#core/base/nearest.ts';
import { matches } from '#core/base/pattern.ts';
import { secretName } from '#core/mcp/resolve.ts';
import type { ModelRules } from '#core/model/model-rules.ts';
import { wantedBy } from '#core/settings/mcp-json.ts';
import { dotted } from '#core/settings/dotted-path.ts';
import { providerEntry } from '#core/settings/provider-settings.ts';
import type { Settings } from '#core/settings/settings.ts';
import { type Finding, keyFinder } from './finding.ts';

export interface Referring {
  file: string;
  text: string;
  settings: Settings;
  models: ModelRules;
  env: Readonly<Record<string, string | undefined>>;
  /** Whether a secret of this name is kept. */
  isKept: (name: string) => Promise<boolean>;
}

/** Names of agents and tools that are there. */
export interface KnownNames {
  agents: readonly string[];
  tools: readonly string[];
}

type Say = ReturnType<typeof keyFinder>;

export async function checkReferences(from: Referring): Promise<Finding[]> {
  const say = keyFinder(from.file, from.text);
  return [...modelFindings(from, say), ...(await serverFindings(from, say))];
}

function modelFindings({ settings, models }: Referring, say: Say): Finding[] {
  const { default: usual, aliases } = settings.models;
  const { active } = settings.providers;
  const missing = models.modelMissing(active);
  if (missing !== null)
    return [
      say(
        'providers.active',
        `is ${active}: ${sentenceOf(missing)}`,
        `set providers.${active}.defaults.model`,
        'error',
      ),
    ];
  const own = providerEntry(settings.providers, active)?.defaults.model ?? null;
  const named = [
    own === null ? ['models.default', usual] : [`providers.${active}.defaults.model`, own],
    ...Object.keys(aliases).map((alias) => [`models.aliases.${alias}`, alias] as const),
  ] as const;
  return named.flatMap(([path, name]) => {
    const isAlias = path.startsWith('models.aliases.');
    const fault = models.faultOf(name, isAlias ? 'anthropic' : active);
    // That another name is enabled is no fault of an alias.
    if (fault === null || (isAlias && settings.models.enabled.length > 0)) return [];
    const todo = fault.suggestion === null ? 'name another, or see "triad doctor"' : `write ${fault.suggestion}`;
    if (fault.kind === 'unchecked') return [];
    return [say(path, `names ${fault.what}`, todo, fault.kind === 'refused' ? 'error' : 'warning')];
  });
}

/** Rules about what is not there: a misspelt one protects nothing. */
export function checkRules(
  { file, text, rules }: { file: string; text: string; rules: readonly Pick<Rule, 'agent' | 'tool'>[] },
  { agents, tools }: KnownNames,
): Finding[] {
  const say = keyFinder(file, text);
  const isKnown = (glob: string, all: readonly string[]) =>
    all.some((one) => matches(glob, one, { path: false, loose: false }));
  return rules.flatMap(({ agent, tool }, index) => {
    const path = `permissions.rules.${index}`;
    const lost = (key: string, name: string, near: string | null) => {
      const todo = near === null ? 'correct it, or take the rule out' : `write ${near}`;
      return say(`${path}.${key}`, `names ${name}, and there is no such ${key}: the rule holds for nothing`, todo);
    };
    // A lead may give a sub-agent any name, so that only what is nearly one of those that are there is taken for it.
    const near = agent === null || isKnown(agent, agents) ? null : nearest(agent, agents);
    // Tools of servers and of agents are not all known.
    const isLost = tool !== null && !/^(?:mcp|agent)__/.test(tool) && !isKnown(tool, tools);
    return [
      ...(near === null ? [] : [lost('agent', agent ?? '', near)]),
      ...(isLost ? [lost('tool', tool, nearest(tool, tools))] : []),
    ];
  });
}

async function serverFindings({ settings, env, isKept }: Referring, say: Say): Promise<Finding[]> {
  const found = await Promise.all(
    Object.entries(settings.mcp.servers).map(async ([name, server]): Promise<Finding[]> => {
      if (!server.enabled) return [];
      const path = dotted(['mcp', 'servers', name]);
      const { command, cwd } = server;
      const { variables, secrets } = wantedBy(server);
      const unset = variables.filter((one) => env[one] === undefined && !hasOtherwise(server, one));
      const kept = await Promise.all(
        secrets.map(async (one) => ({ one, isThere: await isKept(secretName(name, one)) })),
      );
      const isGone = command !== undefined && !command.includes('${') && !(await isProgram(command, cwd, env));
      const isNowhere = cwd !== undefined && !cwd.includes('${') && !(await isFolder(cwd));
      return [
        ...(isGone
          ? [say(`${path}.command`, `names ${command}, and no such program is found`, 'install it, or write its path')]
          : []),
        ...(isNowhere ? [say(`${path}.cwd`, `names ${cwd}, and there is no such folder`, 'correct it')] : []),
        ...unset.map((one) =>
          say(path, `wants the variable ${one}, which is not set`, `set ${one}, or write \${${one}:-otherwise}`),
        ),
        ...kept
          .filter(({ isThere }) => !isThere)
          .map(({ one }) =>
            say(path, `wants the secret ${one}, which is not kept`, `add the server again, with "triad mcp add"`),
          ),
      ];
    }),
  );
  return found.flat();
}

function hasOtherwise(server: object, variable: string): boolean {
  return JSON.stringify(server).includes(`\${${variable}:-`);
}

async function isProgram(command: string, cwd: string | undefined, env: Referring['env']): Promise<boolean> {
  const places = command.includes('/') || isAbsolute(command) ? [''] : (env['PATH'] ?? '').split(delimiter);
  const names = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'].map((end) => command + end) : [command];
  for (const place of places)
    for (const name of names) {
      const path = place === '' ? resolve(cwd ?? '.', name) : join(place, name);
      if (
        await access(path, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return true;
    }
  return false;
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
