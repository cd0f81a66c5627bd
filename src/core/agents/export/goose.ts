/** A recipe of goose: YAML that goose reads as a Jinja template first. */
import { Document, Scalar } from 'yaml';
import type { AgentDefinition } from '#contract/agent.ts';
import { type FormatResult, lostServers, lostVariables, promptFor, slugFor } from './exported.ts';
import { describeModel } from './model-id.ts';

export function exportGoose(agent: AgentDefinition): FormatResult {
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
    description: templateScalar(agent.description),
    ...(Object.keys(settings).length > 0 ? { settings } : {}),
    ...(schema === null ? {} : { response: { json_schema: escapeWithin(schema) } }),
  });
  document.set('instructions', templateScalar(promptFor(agent)));
  const limits = 'goose gives all tools of its extensions: limit them in extensions of the recipe';
  return {
    file: `${slugFor(agent.name)}.yaml`,
    text: document.toString({ lineWidth: 0, singleQuote: false }),
    kept: ['role', 'provider', 'model', 'temperature', 'max_iterations', 'tools', 'permissions'].concat(
      schema === null ? [] : ['output_format'],
    ),
    lost: [
      ...(agent.tools === null ? [] : [{ key: 'tools', reason: limits }]),
      ...(agent.permissions === null ? [] : [{ key: 'permissions', reason: limits }]),
      ...lostServers(agent),
      ...lostVariables(agent),
    ],
  };
}

/** Characters that a block of YAML cannot hold as they are. */
const NEEDS_ESCAPES = /[^\t\n\x20-\x7e\u0085\u00a0-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;

/** A text that is the same once goose has read the template. In a whole recipe, goose also replaces `""` behind a colon. */
function templateScalar(text: string): Scalar {
  const isBlock = !NEEDS_ESCAPES.test(text);
  const escaped = escapeTemplate(text);
  const scalar = new Scalar(isBlock ? escaped.replaceAll(/(:\s*)""/g, `$1{{'""'}}`) : escaped);
  scalar.type = isBlock ? 'BLOCK_LITERAL' : 'QUOTE_DOUBLE';
  return scalar;
}

/** Text in which the signs that begin a variable, a statement or a comment of Jinja stand for themselves. */
function escapeTemplate(text: string): string {
  return text.replaceAll(/\{[{%#]/g, (sign) => `{{'${sign}'}}`);
}

function escapeWithin(value: unknown): unknown {
  if (typeof value === 'string') return escapeTemplate(value);
  if (Array.isArray(value)) return value.map(escapeWithin);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [escapeTemplate(key), escapeWithin(one)]));
}
