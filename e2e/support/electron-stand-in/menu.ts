/** `Menu` and `Tray`: what they show is told to the test, which chooses an item by its label. */
import { EventEmitter } from 'node:events';
import type * as Electron from 'electron';
import type { Wire } from '../wire.ts';

type Item = Electron.MenuItemConstructorOptions;

/** A menu here is what it was made from. */
export type StandInMenu = readonly Item[] & { popup(): void };

/** Labels, or roles where Electron brings the words; those of a menu within it in a list of their own. */
type Shown = string | { [label: string]: Shown[] };

export function standInMenu(wire: Wire) {
  let [menu, popup]: [readonly Item[], readonly Item[]] = [[], []];
  wire.on('menu', (label: string) => choose(menu, label));
  wire.on('context menu', (label: string) => choose(popup, label));
  wire.on('menu shows', () => menu.map(shown));
  return {
    buildFromTemplate: (template: Item[]): StandInMenu =>
      Object.assign([...template], {
        popup: () => {
          popup = template;
          wire.tell('context menu', template.map(shown));
        },
      }),
    setApplicationMenu: (template: readonly Item[]) => void (menu = template),
  };
}

export function traysOf(wire: Wire) {
  let items: readonly Item[] = [];
  class StandInTray extends EventEmitter implements Pick<Electron.Tray, 'destroy' | 'setToolTip'> {
    constructor(image: string) {
      super();
      wire.tell('tray', image);
    }

    setToolTip(toolTip: string): void {
      wire.tell('tray tip', toolTip);
    }

    setContextMenu(menu: readonly Item[] | null): void {
      items = menu ?? [];
      wire.tell('tray menu', items.map(shown));
    }

    destroy(): void {
      items = [];
      wire.tell('tray', null);
    }
  }
  wire.on('tray', (label: string) => choose(items, label));
  return StandInTray;
}

const within = ({ submenu }: Item): Item[] => (Array.isArray(submenu) ? submenu : []);

function choose(items: readonly Item[], label: string): void {
  const all = (some: readonly Item[]): Item[] => some.flatMap((one) => [one, ...all(within(one))]);
  const item = all(items).find((one) => one.label === label && one.enabled !== false);
  if (item?.click === undefined) throw new Error(`The menu has no "${label}"`);
  // Called by our own items, which look at nothing.
  Reflect.apply(item.click, item, []);
}

/** An item that is there for its keys alone is shown by them. */
function shown(item: Item): Shown {
  if (item.visible === false) return `(${item.role ?? ''} ${item.accelerator ?? ''})`;
  const name = item.label ?? item.role ?? item.type ?? '';
  return item.submenu === undefined ? name : { [name]: within(item).map(shown) };
}
