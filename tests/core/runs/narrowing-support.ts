/** What narrowing is tried with: a tool for each permission, and what is granted of what was asked for. */
import { z } from 'zod';
import { expect } from 'vitest';
import { Permission } from '#contract/agent.ts';
import { errorInfo } from '#core/base/errors.ts';
import { ModelLists } from '#core/model/model-lists.ts';
import { ModelRules } from '#core/model/model-rules.ts';
import { allTools } from '#core/tools/all-tools.ts';
import { ToolRegistry } from '#core/tools/registry.ts';
import type { Tool } from '#core/tools/tool.ts';
import type { Settings } from '#core/settings/settings.ts';

/** One tool for each permission beside those of the program. */
const more = Permission.options.map((permission): Tool => ({
  name: `use_${permission}`,
  describe: () => '',
  input: z.unknown(),
  permissions: [permission],
  baseline: false,
  primaryOnly: false,
  order: 'serial',
  recovery: 'repeat',
  execute: () => Promise.resolve({ status: 'completed', output: '' }),
}));
export const registry = new ToolRegistry([...allTools(), ...more]);

export const modelsIn = (settings: Settings): ModelRules =>
  new ModelRules({ settings, lists: new ModelLists(), environment: { baseUrl: undefined } });

/** What `work` makes, or null where it was refused for being too much. */
export function granted<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    expect(['not_allowed', 'bad_input']).toContain(errorInfo(error).code);
    return null;
  }
}
