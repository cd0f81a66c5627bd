/** What a person sets about the desktop: its tray, its keys, sleep, and who checks spelling. */
import { z } from 'zod';
import { DesktopChoices, USUAL_CHOICES } from '#contract/hosts/desktop-choices.ts';

/** In the notation of Electron, for keys that every keyboard has; with a key that makes no sign. */
const KEYS =
  /^(?:Shift\+)?(?:(?:CommandOrControl|CmdOrCtrl|Command|Cmd|Control|Ctrl|Alt|Option|Super|Meta)\+(?:Shift\+)?)+(?:[A-Z0-9]|F[1-9]|F1\d|F2[0-4]|Space|Enter|Up|Down|Left|Right|Home|End|PageUp|PageDown)$/;

export const DesktopSettings = z
  .strictObject({
    tray: DesktopChoices.shape.tray
      .default(USUAL_CHOICES.tray)
      .describe(
        'An icon beside the clock of the system, with what runs and what waits; while a workflow runs the app goes on there without a window. auto: where that is usual, on Windows.',
      ),
    keep_awake: z
      .boolean()
      .default(USUAL_CHOICES.keepAwake)
      .describe('While a workflow runs, the machine does not go to sleep by itself; its screen may.'),
    quick_entry: z
      .string()
      .regex(KEYS, 'must be keys such as CommandOrControl+Shift+Space')
      .meta({ examples: ['CommandOrControl+Shift+Space'] })
      .nullable()
      .default(USUAL_CHOICES.quickEntry)
      .describe(
        'Keys that bring a new conversation to the front from any other program, such as CommandOrControl+Shift+Space. Not set: none.',
      ),
    spell_check: DesktopChoices.shape.spellCheck
      .default(USUAL_CHOICES.spellCheck)
      .describe(
        'Marks misspelt words where you write: off, system with what the system brings (macOS), or download elsewhere too, with a dictionary of your language that is fetched once from a server of Google.',
      ),
  })
  .prefault({});

/** As the desktop wants them. */
export function desktopChoicesOf({
  desktop: set,
}: {
  readonly desktop: z.infer<typeof DesktopSettings>;
}): DesktopChoices {
  return { tray: set.tray, keepAwake: set.keep_awake, quickEntry: set.quick_entry, spellCheck: set.spell_check };
}
