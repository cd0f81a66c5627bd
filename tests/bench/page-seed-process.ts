/** Makes a home whose one conversation has many messages, in a process of its own: `HOME`. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { folders } from '#core/settings/folders.ts';
import { openStore } from '#core/store/surreal.ts';
import { serve } from './peer.ts';
import { Seeder } from './seed.ts';

export interface PageSeedOperations {
  /** Resolves with the id of the conversation. */
  seed(messages: number): Promise<string>;
}

const [home = ''] = process.argv.slice(2);
const { data } = await folders({ TRIAD_HOME: home });
const folder = join(home, 'workspace');
await mkdir(folder, { recursive: true });
const store = await openStore({ url: `rocksdb://${join(data, 'store')}` });
/** A question and its answer are two. */
const seed = (messages: number) => new Seeder(store, folder).workflows(messages / 2, messages);
serve({ seed }, () => store.close());
