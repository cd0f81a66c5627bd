/** The files of a workspace that need trust, each compared with what was trusted, for the person to decide. */
import { setImmediate as turn } from 'node:timers/promises';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { isInstructionPath } from '#contract/instruction-path.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { TrustItem, TrustLook } from '#contract/trust.ts';
import type { Composition } from './compositions/composition.ts';
import { type ProjectFile, projectFiles } from './agent-folders.ts';
import { instructionWords } from './instruction-files.ts';
import { describeFault, loadFile } from './load.ts';
import type { KnownTool } from './vocabulary.ts';
import { launchWords, MCP_JSON, readMcpJson, wantedBy } from '../settings/mcp-json.ts';
import type { FileHashes } from './trust.ts';
import type { TrustedTexts } from './trusted-texts.ts';

/** With `texts`, each file has its text, and the diff from the text that was trusted. */
export async function trustLookOf(
  folder: string,
  trusted: FileHashes,
  tools: readonly KnownTool[],
  texts?: TrustedTexts,
): Promise<TrustLook> {
  // What cannot be read and defines no agent tells nobody anything.
  const found = (await projectFiles(folder)).filter(({ place, raw }) => place !== null || raw.problem === null);
  const files: TrustItem[] = [];
  for (const file of found) {
    // What a file says can take a good part of a second to find out.
    await turn();
    const { relative: path, raw } = file;
    const known = trusted.get(path);
    const hash = raw.problem === null ? raw.hash : null;
    const state = known === undefined ? 'new' : known === hash ? 'same' : 'changed';
    const item: TrustItem = { path, hash, state, ...said(saysOf(file, tools, found)) };
    const isShown = texts !== undefined && raw.problem === null;
    const before = isShown && state === 'changed' && known !== undefined ? await texts.get(known) : null;
    const diff = before === null || raw.problem !== null ? {} : diffOf(path, before, raw.text);
    files.push(isShown ? { ...item, text: raw.text, ...diff } : item);
  }
  const gone = [...trusted.keys()].filter((path) => found.every((file) => file.relative !== path));
  return {
    folder,
    files: [
      ...files,
      ...gone.map((path): TrustItem => ({ path, hash: null, state: 'gone', ...said(phrase('trust_gone')) })),
    ],
  };
}

/** Most changed lines of a diff; above it the file is shown whole. */
const MAX_EDITS = 2000;

function diffOf(path: string, before: string, after: string): { diff?: string } {
  const options = { context: 3, maxEditLength: MAX_EDITS, headerOptions: FILE_HEADERS_ONLY };
  const diff = createTwoFilesPatch(path, path, before, after, undefined, undefined, options);
  return diff === undefined ? {} : { diff };
}

function said(what: string | Phrase): Pick<TrustItem, 'says' | 'phrase'> {
  return typeof what === 'string' ? { says: what } : { says: sentenceOf(what), phrase: what };
}

function saysOf(file: ProjectFile, tools: readonly KnownTool[], all: readonly ProjectFile[]): string | Phrase {
  const { relative, raw, place } = file;
  if (relative === MCP_JSON) return raw.problem === null ? serversIn(raw.text) : 'no MCP servers';
  if (isInstructionPath(relative)) return instructionsIn(file, all);
  if (place === null) return phrase('trust_settings');
  const loaded = loadFile(raw, place, tools);
  if (!loaded.ok) return `no agent: ${loaded.errors.map((error) => describeFault(relative, error)).join('; ')}`;
  if ('composition' in loaded) return compositionSays(loaded.composition);
  const { name, role, description, model, permissions, tools: wanted } = loaded.definition;
  return phrase('trust_agent', {
    ...{ isLead: role === 'primary', name, model, description },
    permissions: permissions?.join(', ') ?? null,
    tools: wanted?.join(', ') ?? null,
  });
}

function compositionSays({ name, description, flow }: Composition): Phrase {
  const { type, primary, coagent } = flow;
  const rounds = type === 'hitl' ? null : flow.rounds;
  return phrase('trust_composition', { name, primary, coagent: coagent ?? null, type, rounds, description });
}

function instructionsIn({ relative, raw }: ProjectFile, all: readonly ProjectFile[]): string {
  if (raw.problem !== null) return 'no instructions';
  const first = all.find(
    (one) => isInstructionPath(one.relative) && one.raw.problem === null && one.raw.hash === raw.hash,
  );
  const words = instructionWords(raw.text);
  return first === undefined || first.relative === relative
    ? words
    : `${words} (the text of ${first.relative}, told once)`;
}

/** What would be started or reached, each with all of its arguments and what it gets of the environment. */
function serversIn(text: string): string {
  const { servers, fault } = readMcpJson(text);
  if (fault !== null) return `no MCP servers: it ${fault}`;
  const each = [...servers].map(([name, server]) => {
    if ('fault' in server) return `${name} cannot be used: ${server.fault}`;
    const { launch, enabled } = server;
    const verb = enabled ? (launch.command === undefined ? 'reaches' : 'starts') : 'switched off:';
    const { variables } = wantedBy(launch);
    const own = Object.keys({ ...launch.env, ...launch.headers });
    const facts = [
      ...(own.length === 0 ? [] : [`with ${own.join(', ')}`]),
      ...(variables.length === 0 ? [] : [`gets ${variables.join(', ')} of your environment`]),
    ];
    return `${verb} ${name}: ${launchWords(launch)}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}`;
  });
  return each.length === 0 ? 'no MCP servers' : `MCP servers: ${each.join(' · ')}`;
}
