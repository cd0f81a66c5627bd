/** Settings by dotted path, also those in the files of agents and compositions, each with where its value comes from. */
import { z } from 'zod';
import { folder, method } from '../method.ts';
import { SettingRow } from '../view.ts';

export const SettingOrigin = z.discriminatedUnion('from', [
  z.object({ from: z.literal('default') }),
  z.object({ from: z.literal('environment'), variable: z.string() }),
  /** Of whom the file is; `line` is from 1, null where it cannot be told any more. */
  z.object({
    from: z.enum(['user', 'project', 'builtin']),
    file: z.string(),
    line: z.int().nullable(),
  }),
]);
export type SettingOrigin = z.infer<typeof SettingOrigin>;

/**
 * `environment`: a variable goes before it; `lowered`: a project's limit does; `idle`: it is a project's limit that lowers
 * nothing; `untrusted`: of a project's file that nobody has trusted; `late`: the file is read at the next start.
 */
const IdleReason = z.enum(['environment', 'lowered', 'idle', 'untrusted', 'late']);

export const ExplainedSetting = SettingRow.extend({
  /** Of `value`, which is what holds in the folder. */
  origin: SettingOrigin,
  /** What else is said, and does not hold; `why` not, as a clause for the command line, and `reason`, its key for a screen. */
  others: z.array(
    z.object({ value: SettingRow.shape.value, origin: SettingOrigin, reason: IdleReason, why: z.string() }),
  ),
});
export type ExplainedSetting = z.infer<typeof ExplainedSetting>;

const path = z.string().min(1).max(400);

export const settingMethods = {
  /**
   * As they hold in a folder: all of `config.toml` without a path; else the setting that it names, or those of the group:
   * also `agents`, `agents.NAME`, `compositions.NAME.control_flow`. `bad_input`: no such path.
   */
  'settings.explain': method(
    z.strictObject({ folder: folder.optional(), path: path.optional() }),
    z.array(ExplainedSetting),
  ),
  /**
   * Changes one key in the file of an agent or a composition; null takes it out. A built-in one, another program's, and
   * without `project` a project's, are `not_allowed`, with what to do instead; so is a project's file that is not trusted.
   */
  'agents.set': method(
    z.strictObject({
      folder: folder.optional(),
      path,
      value: z.union([z.string().max(100_000), z.number(), z.boolean(), z.null()]),
      project: z.boolean().default(false),
    }),
    ExplainedSetting,
  ),
};
