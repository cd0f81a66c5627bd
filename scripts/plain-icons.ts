/** Icons as markup that is cloned: as the library has them, each is put together part by part wherever it is shown. */
import type { PreprocessorGroup } from 'svelte/compiler';

const ICON = /[\\/]@lucide[\\/]svelte[\\/]dist[\\/]icons[\\/][\w-]+\.svelte$/;

interface IconData {
  name: string;
  size: number;
  node: readonly [tag: string, attributes: Readonly<Record<string, string>>][];
}

/** Hidden from assistive technology, and with a class; nothing else that the library's icons take. */
export const plainIcons: PreprocessorGroup = {
  name: 'plain-icons',
  markup({ content, filename = '' }) {
    if (!ICON.test(filename)) return;
    const data = /const iconData = (\{.*\});\n/.exec(content)?.[1];
    if (data === undefined) throw new Error(`${filename} is written in another way now`);
    const { name, size, node } = JSON.parse(data) as IconData;
    const parts = node.map(([tag, attributes]) => `<${tag}${written(attributes)} />`).join('');
    return {
      code: `<script>const { class: styles } = $props();</script>
<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 ${size} ${size}" fill="none"
  stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"
  class={['lucide-icon lucide lucide-${name}', styles]} aria-hidden="true">${parts}</svg>`,
    };
  },
};

const written = (attributes: Readonly<Record<string, string>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${value}"`)
    .join('');
