/** An address opens outside only after the person has seen it whole and pressed Open. */
import { beforeEach, expect, test, vi } from 'vitest';

const desk = await vi.hoisted(async () => (await import('./support/machine.ts')).machine());
vi.mock('electron', () => desk.electron);
const { OutsideLinks } = await import('../../electron/desktop/outside-link.ts');

beforeEach(() => desk.clear());

function links() {
  const refused: string[] = [];
  const outside = new OutsideLinks({ note: (what, detail) => refused.push(`${what} ${detail}`) });
  return { refused, outside, page: {} as never };
}

test('shows the whole address in ASCII, and only the Open button opens it', async () => {
  const { outside, page } = links();
  const asked = outside.ask(page, 'https://exаmple.com/ä?next=\u202Egpj');
  expect(desk.asked('message')[0]).toMatchObject({
    message: 'Open this address of xn--exmple-4nf.com in your browser?',
    detail: 'https://xn--exmple-4nf.com/%C3%A4?next=%E2%80%AEgpj',
    buttons: ['Open', 'Cancel'],
    defaultId: 1,
    cancelId: 1,
  });
  expect(desk.asked('external')).toEqual([]);
  await desk.act('press', 'Cancel');
  await asked;
  expect(desk.asked('external')).toEqual([]);
  const again = outside.ask(page, 'mailto:someone@example.com');
  expect(desk.asked('message')[1]).toMatchObject({ message: expect.stringContaining('mail program') as unknown });
  await desk.act('press', 'Open');
  await again;
  expect(desk.asked('external')).toEqual(['mailto:someone@example.com']);
});

test.for([
  ...['file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', 'app://bundle/', 'ftp://example.com/'],
  ...[
    'ms-settings:',
    'vscode://x',
    'smb://host/share',
    'https://user@example.com/',
    'https://a:b@example.com/',
    'no address',
  ],
  `https://example.com/${'x'.repeat(5000)}`,
])('refuses without a question an address that never opens: %s', async (url) => {
  const { outside, page, refused } = links();
  await outside.ask(page, url);
  expect([desk.asked('message'), desk.asked('external')]).toEqual([[], []]);
  expect(refused).toEqual([`link to ${url}`]);
});

test('a second address is refused while a question is open', async () => {
  const { outside, page, refused } = links();
  const first = outside.ask(page, 'https://example.com/1');
  await outside.ask(page, 'https://example.com/2');
  expect(desk.asked('message')).toHaveLength(1);
  expect(refused).toEqual(['link to https://example.com/2 while another one is asked about']);
  await desk.act('press', 'Cancel');
  await first;
  void outside.ask(page, 'https://example.com/3');
  expect(desk.asked('message')).toHaveLength(2);
});
