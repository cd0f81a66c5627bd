/** What a search of the web found, from the text that the model read. */

export interface FoundPage {
  title: string;
  /** Only addresses that a browser opens. */
  url: string;
  /** Empty where it gives none. */
  snippet: string;
}

/** Null where the text is no such list: then it is shown as it is. */
export function foundOf(output: string): FoundPage[] | null {
  const items = output.split(/^(?=\d+\. )/m).filter((item) => item.trim() !== '');
  const found = items.map((item): FoundPage | null => {
    const [first = '', ...rest] = item
      .trimEnd()
      .split('\n')
      .map((line) => line.trim());
    const title = first.replace(/^\d+\. /, '');
    // Without a title the address stands in its place, and once more below.
    const url = rest.find((line) => ADDRESS.test(line)) ?? (ADDRESS.test(title) ? title : null);
    return url === null ? null : { title, url, snippet: rest.filter((line) => line !== url).join(' ') };
  });
  return found.length > 0 && found.every((one) => one !== null) ? found : null;
}

const ADDRESS = /^https?:\/\/\S+$/i;
