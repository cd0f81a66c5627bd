/** A store in a folder, opened as the program opens its own. */
import { openStore } from '#core/store/surreal.ts';
import type { Store } from '#core/store/store.ts';

export const storeAt = (path: string): Promise<Store> => openStore({ url: `rocksdb://${path}` });
