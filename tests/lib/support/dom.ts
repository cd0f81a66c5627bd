/** A document without a browser: components are mounted with their effects and answer events; there is no layout. */
import { parseHTML } from 'linkedom';
import { flushSync, mount, unmount, type Component } from 'svelte';
import { afterEach, beforeEach, vi } from 'vitest';
import type { App } from '#lib/app/app.svelte.ts';
import { settled } from './fake-connection.ts';
import InApp from './in-app.svelte';

const { window, document } = parseHTML('<!doctype html><html><body></body></html>');
const { Node } = window;

/** Svelte reads these from the prototype of all nodes; linkedom defines them on the prototypes of each kind. */
for (const name of ['firstChild', 'nextSibling']) {
  Object.defineProperty(Node.prototype, name, {
    configurable: true,
    get(this: Node): unknown {
      let prototype = Object.getPrototypeOf(this) as object | null;
      while (prototype !== null && prototype !== Node.prototype) {
        if (Object.hasOwn(prototype, name)) return Reflect.get(prototype, name, this);
        prototype = Object.getPrototypeOf(prototype) as object | null;
      }
      return null;
    },
  });
}

const browserGlobals: Readonly<Record<string, unknown>> = {
  window,
  document,
  navigator: { userAgent: '', onLine: true },
  Node,
  Element: window.Element,
  HTMLElement: window.HTMLElement,
  HTMLMediaElement: class {},
  Text: window.Text,
  Comment: window.Comment,
};

const mounted = new Set<Record<string, unknown>>();

/** Defines the globals of a browser during each test of this file, and unmounts what was mounted. */
export function useDocument(more: () => Readonly<Record<string, unknown>> = () => ({})): void {
  beforeEach(() => {
    for (const [name, value] of Object.entries({ ...browserGlobals, ...more() })) vi.stubGlobal(name, value);
  });
  afterEach(async () => {
    for (const component of mounted) await unmount(component);
    mounted.clear();
    document.body.replaceChildren();
    vi.unstubAllGlobals();
  });
}

export class Page {
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Visible words, with single spaces. */
  get text(): string {
    return this.#root.textContent.replaceAll(/\s+/g, ' ').trim();
  }

  find<E extends HTMLElement>(selector: string): E {
    const element = this.#root.querySelector<E>(selector);
    if (!element) throw new Error(`No ${selector} in ${this.#root.innerHTML}`);
    return element;
  }

  /** Names of all buttons. */
  get buttons(): string[] {
    return this.#allButtons().map(nameOfButton);
  }

  /** Presses the button with this name. */
  async press(name: string): Promise<void> {
    const button = this.#allButtons().find((one) => nameOfButton(one) === name);
    if (!button) throw new Error(`No button ${name} among ${this.buttons.join(', ')}`);
    await this.fire(button, 'click');
  }

  /** Writes into a field and leaves it. */
  async write(selector: string, value: string): Promise<void> {
    const field = this.find<HTMLInputElement>(selector);
    field.value = value;
    await this.fire(field, 'input');
    await this.fire(field, 'change');
  }

  async fire(target: EventTarget, type: string): Promise<void> {
    target.dispatchEvent(new window.Event(type, { bubbles: true, cancelable: true }));
    await this.settle();
  }

  async settle(): Promise<void> {
    flushSync();
    await settled();
    flushSync();
  }

  #allButtons(): HTMLElement[] {
    return [...this.#root.querySelectorAll<HTMLElement>('button')];
  }
}

const nameOfButton = (button: HTMLElement): string =>
  button.getAttribute('aria-label') ?? button.textContent.replaceAll(/\s+/g, ' ').trim();

/** Mounts a component with the parts of the app that it uses. */
export async function mountInApp<P extends Record<string, unknown>>(
  component: Component<P>,
  props: P,
  app: object = {},
): Promise<Page> {
  const target = document.createElement('div');
  // linkedom calls listeners with the element that the event began at, Svelte needs the one that listens.
  const listen = target.addEventListener.bind(target);
  target.addEventListener = (type: string, listener: (event: Event) => void) => listen(type, listener.bind(target));
  const Shown = InApp as Component<{ app: App; component: Component<P>; props: P }>;
  mounted.add(mount(Shown, { target, props: { app: app as App, component, props } }));
  const page = new Page(target);
  await page.settle();
  return page;
}
