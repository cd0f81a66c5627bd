/** The most output tokens that each model writes in one answer. */

/**
 * Source: platform.claude.com/docs/en/about-claude/models, as it stood on 2026-10-24; ids without their dates. Of a model
 * that is not here nothing is known, and nothing is cut.
 */
const MOST: Readonly<Record<string, number>> = {
  'claude-opus-5-5': 128_000,
  'claude-sonnet-5-5': 128_000,
  'claude-haiku-5-5': 128_000,
  'claude-fable-5-1': 128_000,
  'claude-opus-5': 128_000,
  'claude-sonnet-5': 128_000,
  'claude-opus-4-8': 128_000,
  'claude-opus-4-7': 128_000,
  'claude-opus-4-6': 128_000,
  'claude-sonnet-4-6': 128_000,
  'claude-opus-4-5': 64_000,
  'claude-sonnet-4-5': 64_000,
  'claude-haiku-4-5': 64_000,
};

/** Null for a model that is not known. */
export function maxOutputOf(model: string): number | null {
  const id = model.replace(/-\d{8}$/, '');
  return Object.hasOwn(MOST, id) ? MOST[id]! : null;
}
