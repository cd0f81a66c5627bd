/** Checks that each link of the documentation leads somewhere, and that the index lists each page. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const pages = globSync('docs/**/*.md', { cwd: root }).map((file) => file.replaceAll('\\', '/'));

/** The anchors of a page, as GitHub makes them from its headings. */
function findAnchors(file: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(read(file)).matchAll(/^#{1,6} (.+)$/gm)) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
    let unique = anchor;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${anchor}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

function withoutCode(page: string): string {
  return page.replace(/^(`{3,}).*?^\1`*$/gms, '');
}

/** The links of a page that lead nowhere. */
function findBrokenLinks(file: string): string[] {
  const text = withoutCode(read(file)).replace(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
  return links.filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [target = '', anchor] = link.split('#');
    const found = target === '' ? file : path.posix.join(path.posix.dirname(file), decodeURI(target));
    if (!existsSync(path.join(root, found))) return true;
    return anchor !== undefined && !findAnchors(found).has(anchor);
  });
}

test.for(['README.md', 'SECURITY.md', 'CHANGELOG.md', ...pages])('each link resolves: %s', (file) => {
  expect(findBrokenLinks(file)).toEqual([]);
});

test('the index lists each page', () => {
  const index = read('docs/README.md');
  const unlisted = pages.filter(
    (file) => !/^docs\/(README\.md|examples\/)/.test(file) && !index.includes(`](${file.slice('docs/'.length)})`),
  );
  expect(unlisted).toEqual([]);
});
