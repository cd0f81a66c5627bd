/** Misspelt words where a person writes, without a word to anybody: no dictionary is fetched unless that was chosen. */
import { app, Menu, type MenuItemConstructorOptions, session, type WebContents } from 'electron';
import { visibleText } from '#contract/visible-text.ts';
import type { Attention } from '#contract/view.ts';
import { item } from './menu.ts';

/** A system that brings a spell checker. */
const HAS_OWN = process.platform === 'darwin';

export class SpellCheck {
  #choice: 'off' | 'system' | 'download' | null = null;

  /** Before the first window: Electron would fetch dictionaries at once. */
  follow(): void {
    session.defaultSession.setSpellCheckerEnabled(false);
    app.on('web-contents-created', (_event, contents) => offerEditing(contents));
  }

  receive(state: Attention | null): void {
    const choice = state?.desktop?.spellCheck ?? this.#choice;
    if (choice === null || choice === this.#choice) return;
    this.#choice = choice;
    const { defaultSession } = session;
    const isOn = choice === 'download' || (choice === 'system' && HAS_OWN);
    // The system's own finds the language by itself.
    if (isOn && !HAS_OWN)
      defaultSession.setSpellCheckerLanguages(languagesOf(defaultSession.availableSpellCheckerLanguages));
    defaultSession.setSpellCheckerEnabled(isOn);
  }
}

/** Of the person's languages those that have a dictionary, by the tag or by its first part. */
function languagesOf(available: readonly string[]): string[] {
  const wanted = app.getPreferredSystemLanguages();
  const known = wanted.flatMap((tag) => {
    const [short] = tag.split('-');
    return available.find((one) => one === tag) ?? available.find((one) => one === short) ?? [];
  });
  return known.length > 0 ? [...new Set(known)] : available.filter((one) => one === 'en-US');
}

/** Electron has no menu of its own for a text field. */
function offerEditing(contents: WebContents): void {
  contents.on('context-menu', (_event, { isEditable, selectionText, dictionarySuggestions, editFlags }) => {
    const items: MenuItemConstructorOptions[] = isEditable
      ? [
          ...dictionarySuggestions.map((word) => ({
            label: visibleText(word),
            click: () => contents.replaceMisspelling(word),
          })),
          ...(dictionarySuggestions.length > 0 ? [{ type: 'separator' as const }] : []),
          ...(['cut', 'copy', 'paste', 'selectAll'] as const).map((role) => ({
            ...item(role),
            enabled: role === 'selectAll' || editFlags[FLAGS[role]],
          })),
        ]
      : selectionText === ''
        ? []
        : [item('copy')];
    if (items.length > 0) Menu.buildFromTemplate(items).popup();
  });
}

const FLAGS = { cut: 'canCut', copy: 'canCopy', paste: 'canPaste' } as const;
