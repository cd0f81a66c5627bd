/**
 * Decides which texts of an envelope the person must read before they allow it. A text needs no reading if it ships with
 * the program, is from a file of the person or a trusted file, or was allowed before in this workspace. Each source is
 * proved: the text is built again from the definitions of the workflow, and must be the same. Any other text must be read.
 */
import type { AgentDefinition, Coagent, Envelope } from '#contract/agent.ts';
import type { Approval, TextReading, TextSource } from '#contract/approval.ts';
import { type EnvelopeText, envelopeTexts } from '#contract/approvals/envelope-texts.ts';
import { isSpawn } from '#contract/spawn-items.ts';
import { pathInProject } from '../agents/agent-folders.ts';
import type { AllowedTexts } from '../agents/allowed-texts.ts';
import { expectationWords } from '../agents/contracts.ts';
import type { AgentRegistry } from '../agents/registry.ts';
import type { FileHashes, Trust } from '../agents/trust.ts';
import { canonicalHash, sha256 } from '../base/hash.ts';
import type { Settings } from '../settings/settings.ts';
import { isInside } from '../workspace/reach.ts';
import { promptOf } from './envelopes/envelope-parts.ts';
import { expectationOf } from './serving.ts';

interface TextPorts {
  trust: Pick<Trust, 'hashes' | 'allowedTexts'>;
  /** The agents of the workflow: every project file among them was trusted when it started. */
  agents: AgentRegistry;
  limits: Settings['limits'];
}

interface SourceFacts {
  folder: string;
  agents: AgentRegistry;
  limits: Settings['limits'];
  /** Of the workspace's trusted files, as they are now. */
  trustedFiles: FileHashes;
}

/** A name that an agent chose may be a parameter of a built-in prompt only if it cannot read as an instruction. */
const PARAMETER_NAME = /^[A-Za-z0-9 _-]{1,40}$/;

/** From the author that the person trusts most to the one that must be read. */
const SOURCES: readonly TextSource[] = ['builtin', 'person', 'trusted', 'agent'];

/** Returns one entry for each text of the envelope, in the order of `envelopeTexts`. */
export async function readTexts(envelope: Envelope, { trust, agents, limits }: TextPorts): Promise<TextReading[]> {
  const { folder } = envelope;
  const [trustedFiles, allowed] = await Promise.all([trust.hashes(folder), trust.allowedTexts.hashes(folder)]);
  const facts = { folder, agents, limits, trustedFiles };
  return envelopeTexts(envelope).map((entry) => {
    const source = findSource(entry, facts);
    if (source !== 'agent') return { name: entry.name, source, mustRead: false };
    const isAllowed = allowed.has(sha256(entry.text));
    return { name: entry.name, source, ...(isAllowed ? { allowedBefore: true } : {}), mustRead: !isAllowed };
  });
}

/** Stores the texts of each envelope that a person allowed, as it was after their edits. A failure costs a second reading. */
export async function storeAllowedTexts(allowedTexts: AllowedTexts, { request, decisions }: Approval): Promise<void> {
  if (!isSpawn(request.subject)) return;
  for (const [index, { envelope }] of request.subject.items.entries()) {
    const decision = decisions[index];
    if (!decision?.allowed || decision.decidedBy !== 'person') continue;
    const approved = (decision.edited ?? envelope) as Envelope;
    const texts = envelopeTexts(approved).map(({ text }) => text);
    await allowedTexts.add(approved.folder, texts).catch(() => undefined);
  }
}

function findSource({ kind, text, agent, handedOverBy, instruction }: EnvelopeText, facts: SourceFacts): TextSource {
  switch (kind) {
    case 'prompt':
      return 'agent';
    case 'systemPrompt':
      return findPromptSource(agent, facts);
    case 'instruction':
      return instruction && isTrustedInstruction(instruction, facts) ? 'trusted' : 'agent';
    case 'criteria': {
      const definition = findDefinition(agent, facts.agents);
      return definition?.reflection?.criteria === text ? getSource(definition, facts) : 'agent';
    }
    case 'handoff': {
      const definition = handedOverBy && findDefinition(handedOverBy, facts.agents);
      return definition?.flow?.handoff.text === text ? getSource(definition, facts) : 'agent';
    }
  }
}

function findPromptSource(agent: Coagent, facts: SourceFacts): TextSource {
  const { agents, folder, limits } = facts;
  const definition = findDefinition(agent, agents);
  if (agent.definitionHash !== null && !definition) return 'agent';
  if (agent.agent !== definition?.name && !PARAMETER_NAME.test(agent.agent)) return 'agent';
  const prompt = promptOf(definition, agent.agent, folder, limits);
  const source = definition ? getSource(definition, facts) : 'builtin';
  const { output } = agent;
  if (!output) return agent.systemPrompt === prompt ? source : 'agent';
  // The prompt ends with the contract of the agent's own file, or of the agent that follows it.
  const next = output.next === undefined ? null : agents.get(output.next);
  const expected = expectationOf(definition, next);
  if (!expected || canonicalHash(expected) !== canonicalHash(output)) return 'agent';
  if (agent.systemPrompt !== `${prompt}\n\n${expectationWords(output)}`) return 'agent';
  return next ? getLessTrusted(source, getSource(next, facts)) : source;
}

/** Returns the definition that an agent was built from, in the very version; null if the workflow does not have it. */
function findDefinition({ agent, definitionHash }: Coagent, agents: AgentRegistry): AgentDefinition | null {
  if (definitionHash === null) return null;
  const named = agents.get(agent);
  if (named?.hash === definitionHash) return named;
  return agents.list().find(({ hash, lifecycle }) => lifecycle === 'permanent' && hash === definitionHash) ?? null;
}

/** Returns the source of a definition. A composition has its prompt from another file, so that both count. */
function getSource(definition: AgentDefinition, facts: SourceFacts): TextSource {
  const source = getFileSource(definition, facts);
  if (!definition.flow) return source;
  const primary = facts.agents.get(definition.flow.primary);
  return primary ? getLessTrusted(source, getFileSource(primary, facts)) : 'agent';
}

function getFileSource(
  { source, sourcePath, hash, flow }: AgentDefinition,
  { folder, trustedFiles }: SourceFacts,
): TextSource {
  if (source === 'builtin') return 'builtin';
  if (sourcePath === null) return 'agent';
  // An agent of this workspace may have written a file of the person that is inside the workspace.
  if (source === 'user') return isInside(folder, sourcePath) ? 'agent' : 'person';
  if (source !== 'project') return 'agent';
  const trusted = trustedFiles.get(pathInProject(folder, sourcePath));
  // The hash of a composition covers its agents too, so that it is not the hash of its file.
  return trusted !== undefined && (flow || trusted === hash) ? 'trusted' : 'agent';
}

function isTrustedInstruction(
  { path, hash, text }: NonNullable<EnvelopeText['instruction']>,
  { agents, trustedFiles }: SourceFacts,
): boolean {
  if (trustedFiles.get(path) !== hash) return false;
  return agents.instructions.some((one) => one.path === path && one.hash === hash && one.text === text);
}

function getLessTrusted(one: TextSource, other: TextSource): TextSource {
  return SOURCES[Math.max(SOURCES.indexOf(one), SOURCES.indexOf(other))]!;
}
