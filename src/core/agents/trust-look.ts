/** The files of a workspace that need trust, each compared with what was trusted, for the person to decide. */
import { setImmediate as turn } from 'node:timers/promises';
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';
import { isInstructionPath } from '#contract/instruction-path.ts';
import type { Phrase } from '#contract/approvals/phrase.ts';
import { phrase, sentenceOf } from '#contract/approvals/phrases.ts';
import type { StartPlace } from '#contract/approvals/trust-phrases.ts';
import type { McpLaunch } from '#contract/mcp/mcp-entry.ts';
import type { TrustItem, TrustLook } from '#contract/trust.ts';
import type { Composition } from './compositions/composition.ts';
import { type ProjectFile, projectFiles } from './agent-folders.ts';
import { instructionWords } from './instruction-files.ts';
import { describeFault, loadFile } from './load.ts';
import type { KnownTool } from './vocabulary.ts';
import { launchWords, MCP_JSON, readMcpJson, wantedBy } from '../settings/mcp-json.ts';
import type { FileHashes } from './trust.ts';
import type { TrustedTexts } from './trusted-texts.ts';

interface LookPorts {
  tools: readonly KnownTool[];
  /** Returns where a server of `.mcp.json` starts; null for an address. */
  findStartPlace: (launch: McpLaunch) => Promise<StartPlace | null>;
  /** If set, each file has its text, and the diff from the text that was trusted. */
  texts?: TrustedTexts | undefined;
}

/** Describes the files of a folder that need trust. */
export async function lookAtTrust(folder: string, trusted: FileHashes, ports: LookPorts): Promise<TrustLook> {
  const { texts } = ports;
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
    const item: TrustItem = { path, hash, state, ...(await describeFile(file, found, ports)) };
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
      ...gone.map((path): TrustItem => ({ path, hash: null, state: 'gone', ...describePhrase(phrase('trust_gone')) })),
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

type Description = Pick<TrustItem, 'says' | 'phrases'>;

const describePhrase = (only: Phrase): Description => ({ says: sentenceOf(only), phrases: [only] });

async function describeFile(
  file: ProjectFile,
  all: readonly ProjectFile[],
  { tools, findStartPlace }: LookPorts,
): Promise<Description> {
  const { relative, raw, place } = file;
  if (relative === MCP_JSON)
    return raw.problem === null ? describeServers(raw.text, findStartPlace) : { says: NO_SERVERS };
  if (isInstructionPath(relative)) return { says: instructionsIn(file, all) };
  if (place === null) return describePhrase(phrase('trust_settings'));
  const loaded = loadFile(raw, place, tools);
  if (!loaded.ok) {
    const faults = loaded.errors.map((error) => describeFault(relative, error));
    return { says: `no agent: ${faults.join('; ')}` };
  }
  if ('composition' in loaded) return describePhrase(compositionSays(loaded.composition));
  const { name, role, description, model, permissions, tools: wanted } = loaded.definition;
  return describePhrase(
    phrase('trust_agent', {
      isLead: role === 'primary',
      name,
      model,
      description,
      permissions: permissions?.join(', ') ?? null,
      tools: wanted?.join(', ') ?? null,
    }),
  );
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

const NO_SERVERS = 'no MCP servers';

/** Describes each server with its arguments, the location in which it starts, and its variables. */
async function describeServers(text: string, findStartPlace: LookPorts['findStartPlace']): Promise<Description> {
  const { servers, fault } = readMcpJson(text);
  if (fault !== null) return { says: `${NO_SERVERS}: it ${fault}` };
  if (servers.size === 0) return { says: NO_SERVERS };
  const phrases = await Promise.all(
    [...servers].map(async ([name, server]) => {
      if ('fault' in server) return phrase('trust_server_fault', { name, fault: server.fault });
      const { launch, enabled } = server;
      return phrase('trust_server', {
        name,
        runs: launchWords(launch),
        isEnabled: enabled,
        place: await findStartPlace(launch),
        sets: Object.keys({ ...launch.env, ...launch.headers }).join(', '),
        gets: wantedBy(launch).variables.join(', '),
      });
    }),
  );
  return { says: `MCP servers: ${phrases.map(sentenceOf).join(' · ')}`, phrases };
}
