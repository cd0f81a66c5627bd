/** What a workspace brings that needs trust, as a person looks at it: each file against what was trusted. */
import type { TrustItem, TrustLook } from '#contract/trust.ts';
import { type ProjectFile, projectFiles } from './agents/agent-folders.ts';
import { describeFault, loadFile } from './agents/load.ts';
import type { KnownTool } from './agents/vocabulary.ts';
import type { Hashes } from './trust.ts';

export async function lookAt(
  folder: string,
  trusted: Hashes,
  tools: readonly KnownTool[],
): Promise<TrustLook> {
  const found = await projectFiles(folder);
  const files = found.map((file): TrustItem => {
    const hash = file.raw.problem === null ? file.raw.hash : null;
    const known = trusted.get(file.relative);
    const state = known === undefined ? 'new' : known === hash ? 'same' : 'changed';
    return { path: file.relative, hash, state, says: saysOf(file, tools) };
  });
  const gone = [...trusted.keys()].filter((path) => found.every((file) => file.relative !== path));
  return {
    folder,
    files: [
      ...files,
      ...gone.map((path): TrustItem => ({ path, hash: null, state: 'gone', says: 'no longer there' })),
    ],
  };
}

function saysOf({ relative, raw, place }: ProjectFile, tools: readonly KnownTool[]): string {
  if (place === null) return 'settings of the project: what its rules allow';
  const file = loadFile(raw, place, tools);
  if (!file.ok) return `no agent: ${file.errors.map((error) => describeFault(relative, error)).join('; ')}`;
  const { name, role, description, model, permissions, tools: wanted } = file.definition;
  const facts = [
    `${role === 'primary' ? 'lead' : 'agent'} ${name}`,
    `model ${model ?? "the lead's"}`,
    `permissions ${permissions === null ? "the lead's" : permissions.join(', ') || 'none'}`,
    `tools ${wanted === null ? "the lead's" : wanted.join(', ') || 'none'}`,
  ];
  return `${facts.join(' · ')}: ${description}`;
}
