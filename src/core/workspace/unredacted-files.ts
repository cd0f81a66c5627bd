/** Files that the person allowed agents to read with their keys, in one conversation each, while the program runs. */

/** The files of one conversation, by path and by the hash of their content. */
export interface AllowedFiles {
  has(path: string, hash: string): boolean;
  add(path: string, hash: string): void;
}

export class UnredactedFiles {
  readonly #filesByConversation = new Map<string, Set<string>>();

  inConversation(conversationId: string, folder: string): AllowedFiles {
    const keyFor = (path: string, hash: string): string => JSON.stringify([folder, path, hash]);
    return {
      has: (path, hash) => this.#filesByConversation.get(conversationId)?.has(keyFor(path, hash)) ?? false,
      add: (path, hash) => {
        const files = this.#filesByConversation.get(conversationId) ?? new Set();
        this.#filesByConversation.set(conversationId, files.add(keyFor(path, hash)));
      },
    };
  }
}
