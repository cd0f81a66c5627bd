/** The methods that change rules, and say what a change would do. */
import { canonicalFolder } from '#core/base/disk-lookups.ts';
import { RuleEdits } from '#core/approvals/rule-edits.ts';
import { shadowedIn } from '#core/approvals/shadowed.ts';
import { PROJECT_CONFIG } from '#core/agents/places.ts';
import type { Engine } from '#core/runs/engine.ts';
import { previewRules, startingNothing } from '#core/runs/rule-preview.ts';
import type { LiveSettings } from '#core/settings/live-settings.ts';
import type { Handlers } from './handlers.ts';

type Mine = Extract<keyof Handlers, `rules.${string}`>;

interface Ports {
  settings: LiveSettings;
  /** The default folder. */
  folder: string;
  /** The data folder, where changes are recorded; left out: nowhere. */
  data?: string;
}

export function ruleMethods(engine: Engine, { settings, folder: home, data }: Ports): Pick<Handlers, Mine> {
  const { permissions, trust } = engine;
  const edits = new RuleEdits({
    settings,
    data,
    isTrusted: (folder, hash) => trust.trusts(folder, PROJECT_CONFIG, hash),
  });
  return {
    'rules.list': async ({ folder }) => {
      const place = await canonicalFolder(folder ?? home);
      const [files, { rules }] = await Promise.all([edits.files(place), permissions.rules(place)]);
      const startsNothing = startingNothing(
        files.flatMap((file) => file.rules),
        engine.tools.all(),
      );
      return { files, shadowed: shadowedIn(rules), startsNothing };
    },
    'rules.preview': async ({ folder, change }) => {
      const place = await canonicalFolder(folder);
      return previewRules(engine, place, change ? await edits.draft(place, change) : null);
    },
    'rules.change': async ({ folder, change }) => edits.change(await canonicalFolder(folder), change),
    'rules.undo': async ({ folder, scope, base }) => edits.undo(await canonicalFolder(folder), scope, base),
  };
}
