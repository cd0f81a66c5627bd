/** Files that come by paste or drop. Their paths are never looked at: only what the person handed over is read. */

/** Those of a paste; none where it is words, which some programs copy with a picture of them. */
export function pastedFiles(data: Pick<DataTransfer, 'files' | 'getData'> | null): File[] {
  const files = [...(data?.files ?? [])];
  const lines = (data?.getData('text/plain') ?? '').trim().split('\n');
  // File managers copy the names beside the files.
  const isNames = lines.every((line) => line === '' || files.some(({ name }) => line.trim().endsWith(name)));
  return isNames ? files : [];
}

/** What was dropped, folders apart: those cannot be attached. */
export function droppedFiles(data: DataTransfer): { files: File[]; folders: string[] } {
  const files: File[] = [];
  const folders: string[] = [];
  for (const item of data.items) {
    const file = item.kind === 'file' ? item.getAsFile() : null;
    if (file === null) continue;
    if (item.webkitGetAsEntry()?.isDirectory) folders.push(file.name);
    else files.push(file);
  }
  return { files, folders };
}

export const hasFiles = (data: DataTransfer | null): data is DataTransfer => data?.types.includes('Files') ?? false;
