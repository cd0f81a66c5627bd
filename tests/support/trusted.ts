/** Trusts files of a folder before any program runs, as an earlier decision of the person does. */
import { Trust } from '#core/agents/trust.ts';

/** `data`: the folder where the program stores which files are trusted. */
export async function trustFile(data: string, folder: string, path: string, text: string): Promise<void> {
  await new Trust(data).add(folder, path, text);
}
