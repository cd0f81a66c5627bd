/** What is used of the parser's tree: the types of browsers are not there, for nothing else of them is. */

export interface DomElement {
  readonly nodeName: string;
  textContent: string;
  readonly childNodes: Iterable<DomElement>;
  readonly children: { readonly length: number };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  closest(selector: string): DomElement | null;
  querySelector(selector: string): DomElement | null;
  append(...nodes: DomElement[]): void;
  remove(): void;
}

export interface DomDocument {
  /** Null where there is no element at all. */
  readonly documentElement: DomElement | null;
  readonly head: DomElement;
  readonly body: DomElement;
  createElement(name: string): DomElement;
  querySelector(selector: string): DomElement | null;
  querySelectorAll(selector: string): Iterable<DomElement>;
}
