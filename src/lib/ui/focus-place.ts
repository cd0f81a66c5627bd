/** Where the focus goes when what had it is gone: to what took its place, else to the next row, else to what is around it. */

/** Where something was taken out: its parent, and what stood before and after it. */
export interface Gap {
  parent: Node;
  before: Node | null;
  after: Node | null;
}

const HEADING = 'h1, h2, h3, h4, h5, h6, [role=heading]';
const CONTROL =
  'a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex="-1"]), [contenteditable=true]';
const LIST = 'ul, ol, tbody, [role=list], [role=rowgroup]';
/** Never a button: whoever presses a key once more presses nothing that happened to stand beside. */
const AROUND =
  'li, tr, [role=listitem], article, section, form, fieldset, nav, aside, [role=group], [role=region], [role=tabpanel], [role=dialog], [role=alertdialog], [tabindex="-1"]';

export function canFocus(element: Element): element is HTMLElement {
  return element instanceof HTMLElement && !element.matches(':disabled, [inert], [inert] *') && isShown(element);
}

function isShown(element: Element): boolean {
  return element.checkVisibility({ visibilityProperty: true });
}

/** Null where neither its list nor its place on the page has anything. */
export function heirOf(gap: Gap): HTMLElement | null {
  const { parent } = gap;
  if (!(parent instanceof Element) || !parent.isConnected) return null;
  return inPlace(gap) ?? (parent.matches(LIST) ? rowBeside(gap) : null) ?? around(parent);
}

/** The heading of what opened in the place, where it begins with one, else its first control, else its words. */
function inPlace({ parent, before, after }: Gap): HTMLElement | null {
  if (before !== null && before.parentNode !== parent) return null;
  const there: HTMLElement[] = [];
  for (let node = before ? before.nextSibling : parent.firstChild; node && node !== after; node = node.nextSibling)
    if (node instanceof HTMLElement && isShown(node)) there.push(node);
  for (const element of there) {
    const found = [element, ...element.querySelectorAll(`${HEADING}, ${CONTROL}`)].find(
      (one): one is HTMLElement => one.matches(`${HEADING}, ${CONTROL}`) && canFocus(one),
    );
    if (found) return found;
  }
  return there.find((element) => element.textContent.trim() !== '') ?? null;
}

/** The next row, else the one before: its link, which only leads somewhere, else the row itself. */
function rowBeside({ parent, before, after }: Gap): HTMLElement | null {
  const row = beside(after, 'nextSibling', parent) ?? beside(before, 'previousSibling', parent);
  if (row === null) return null;
  return [...row.querySelectorAll('a[href]')].find(canFocus) ?? row;
}

function beside(from: Node | null, way: 'nextSibling' | 'previousSibling', parent: Node): HTMLElement | null {
  for (let node = from; node?.parentNode === parent; node = node[way])
    if (node instanceof HTMLElement && isShown(node)) return node;
  return null;
}

/** What is named and stands around it: its heading, else all of it. */
export function around(element: Element): HTMLElement | null {
  const found = element.closest(AROUND);
  if (!(found instanceof HTMLElement) || found.matches('main, [data-layer]')) return null;
  if (!isShown(found)) return found.parentElement && around(found.parentElement);
  return found;
}

/** Where the page begins: the message box of a conversation, else its heading. */
export function beginning(page: ParentNode): HTMLElement | null {
  const all = page.querySelectorAll('#main [data-message], #main h1, #main');
  const found = [...all].filter(canFocus);
  return (
    found.find((one) => one.matches('[data-message]')) ?? found.find((one) => one.matches('h1')) ?? found[0] ?? null
  );
}
