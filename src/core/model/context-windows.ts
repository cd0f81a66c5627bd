/** The most tokens that each model reads in one request. */

/**
 * Source: platform.claude.com/docs/en/about-claude/models, as it stood on 2026-10-24; ids without their dates. Of a model
 * that is not here nothing is known.
 */
const WINDOWS: Readonly<Record<string, number>> = {
  'claude-opus-5-5': 1_000_000,
  'claude-sonnet-5-5': 1_000_000,
  'claude-haiku-5-5': 1_000_000,
  'claude-fable-5-1': 1_000_000,
  'claude-opus-5': 1_000_000,
  'claude-sonnet-5': 1_000_000,
  'claude-opus-4-8': 1_000_000,
  'claude-opus-4-7': 1_000_000,
  'claude-opus-4-6': 1_000_000,
  'claude-sonnet-4-6': 1_000_000,
  'claude-opus-4-5': 200_000,
  'claude-sonnet-4-5': 200_000,
  'claude-haiku-4-5': 200_000,
};

/** Null for a model that is not known. */
export function contextWindowOf(model: string): number | null {
  const id = model.replace(/-\d{8}$/, '');
  return Object.hasOwn(WINDOWS, id) ? WINDOWS[id]! : null;
}
