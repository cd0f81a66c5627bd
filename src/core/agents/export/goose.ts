/** A recipe of goose: YAML that goose reads as a Jinja template first. */
import { Document, Scalar } from 'yaml';
import type { AgentDefinition } from '#contract/agent.ts';
import { type FormattedAgent, findLostServers, findLostVariables, renderPrompt, createSlug } from './exported.ts';
import { describeModel } from './model-id.ts';

export function exportGoose(agent: AgentDefinition): FormattedAgent {
  const { id, provider } = describeModel(agent);
  const settings = {
    ...(provider === null ? {} : { goose_provider: provider }),
    ...(id === null ? {} : { goose_model: id }),
    ...(agent.temperature === null ? {} : { temperature: agent.temperature }),
    ...(agent.maxIterations === null ? {} : { max_turns: agent.maxIterations }),
  };
  const schema = agent.output?.schema ?? null;
  const document = new Document({
    version: '1.0.0',
    title: agent.name,
    description: createTemplateScalar(agent.description),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(schema === null ? {} : { response: { json_schema: escapeWithin(schema) } }),
  });
  document.set('instructions', createTemplateScalar(renderPrompt(agent)));
  const limits = 'goose gives all tools of its extensions: limit them in extensions of the recipe';
  return {
    file: `${createSlug(agent.name)}.yaml`,
    text: document.toString({ lineWidth: 0, singleQuote: false }),
    expressedKeys: ['role', 'provider', 'model', 'temperature', 'max_iterations', 'tools', 'permissions'].concat(
      schema === null ? [] : ['output_format'],
    ),
    lost: [
      ...(agent.tools === null ? [] : [{ key: 'tools', reason: limits }]),
      ...(agent.permissions === null ? [] : [{ key: 'permissions', reason: limits }]),
      ...findLostServers(agent),
      ...findLostVariables(agent),
    ],
  };
}

/** Characters that a block of YAML cannot contain. */
const NEEDS_ESCAPES = /[^\t\n\x20-\x7e\u0085\u00a0-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** Creates a text that is unchanged after goose renders the template. Goose also replaces `""` behind a colon. */
function createTemplateScalar(text: string): Scalar {
  const isBlock = !NEEDS_ESCAPES.test(text);
  const escaped = escapeTemplate(text);
  const scalar = new Scalar(isBlock ? escaped.replaceAll(/(:\s*)""/g, `$1{{'""'}}`) : escaped);
  scalar.type = isBlock ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  return scalar;
}

/** Escapes the signs that begin a variable, a statement or a comment of Jinja. */
function escapeTemplate(text: string): string {
  return text.replaceAll(/\{[{%#]/g, (sign) => `{{'${sign}'}}`);
}

function escapeWithin(value: unknown): unknown {
  if (typeof value === 'string') return escapeTemplate(value);
  if (Array.isArray(value)) return value.map(escapeWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [escapeTemplate(key), escapeWithin(one)]));
}
