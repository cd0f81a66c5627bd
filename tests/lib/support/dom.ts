/** A document without a browser. Mounted components run their effects and handle events; there is no layout. */
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

/** A select of linkedom has no setter for its value. */
const selectValue = Object.getOwnPropertyDescriptor(window.HTMLSelectElement.prototype, 'value');
Object.defineProperty(window.HTMLSelectElement.prototype, 'value', {
  ...selectValue,
  configurable: true,
  set(this: HTMLSelectElement, value: string) {
    for (const option of this.querySelectorAll('option')) option.selected = option.value === value;
  },
});

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

const mountedComponents = new Set<Record<string, unknown>>();

/** Defines the globals of a browser during each test of a file, and unmounts its components afterwards. */
export function useDocument(more: () => Readonly<Record<string, unknown>> = () => ({})): void {
  beforeEach(() => {
    for (const [name, value] of Object.entries({ ...browserGlobals, ...more() })) vi.stubGlobal(name, value);
  });
  afterEach(async () => {
    for (const component of mountedComponents) await unmount(component);
    mountedComponents.clear();
    document.body.replaceChildren();
    vi.unstubAllGlobals();
  });
}

export class MountedPage {
  readonly #root: HTMLElement;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  /** Visible text, with single spaces. */
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
    return this.#allButtons().map(getButtonName);
  }

  /** Presses the button with this name. */
  async press(name: string): Promise<void> {
    const target = this.#allButtons().find((button) => getButtonName(button) === name);
    if (!target) throw new Error(`No button ${name} among ${this.buttons.join(', ')}`);
    await this.fire(target, 'click');
  }

  /** Writes into a field and moves the focus away. */
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

const getButtonName = (button: HTMLElement): string =>
  button.getAttribute('aria-label') ?? button.textContent.replaceAll(/\s+/g, ' ').trim();

/** Mounts a component with the parts of the app that it uses. */
export async function mountInApp<P extends Record<string, unknown>>(
  component: Component<P>,
  props: P,
  app: object = {},
): Promise<MountedPage> {
  const target = document.createElement('div');
  // Svelte needs listeners with their own element as `this`. linkedom uses the target of the event.
  const listen = target.addEventListener.bind(target);
  target.addEventListener = (type: string, listener: (event: Event) => void) => listen(type, listener.bind(target));
  const Wrapper = InApp as Component<{ app: App; component: Component<P>; props: P }>;
  mountedComponents.add(mount(Wrapper, { target, props: { app: app as App, component, props } }));
  const page = new MountedPage(target);
  await page.settle();
  return page;
}
