/** Ways out of a workspace, as the paths and patterns that a model could give to any tool. */
import { link, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { PathField } from './path-field.ts';

export interface PathAttempt {
  kind: string;
  name: string;
  /**
   * What it names: a folder that is closed, with `bait.txt` and `bait.md` in it; a file that is hidden; a file that is
   * to be made outside; a pattern that leads out.
   */
  takes: 'folder' | 'file' | 'new' | 'pattern';
  at: (field: PathField) => string;
  /** It leads nowhere without confinement either, on this system: on another, or in another program, it would. */
  elsewhere?: true;
  /** It may be allowed, because it stays inside; what is outside must stay as it is all the same. */
  inside?: true;
  /** Only for tools that write: reading is no harm, or cannot be told from reading what is inside. */
  writes?: true;
  /** What comes to stand at a path between the question and the call; before that it is harmless. */
  swap?: { path: string; make: (field: PathField, full: string) => Promise<void> };
}

type More = Partial<Omit<PathAttempt, 'kind' | 'takes' | 'at'>>;
type Way = string | ((field: PathField) => string);

function all(kind: string, takes: PathAttempt['takes'], ways: readonly Way[], more: More = {}): PathAttempt[] {
  return ways.map((way) => ({
    kind,
    takes,
    name: typeof way === 'string' ? shown(way) : nameOf(way),
    at: typeof way === 'string' ? () => way : way,
    ...more,
  }));
}

const shown = (way: string): string => (way.length > 60 ? `${way.slice(0, 30)}… (${way.length})` : JSON.stringify(way));
const NOWHERE = { elsewhere: true } as const;
const HARMLESS = { elsewhere: true, inside: true } as const;

/** The same for every field, so that names are stable. */
const nameOf = (way: (field: PathField) => string): string =>
  shown(way({ root: '<root>', ws: '<root>/ws', open: { folder: -1, file: -2 } } as PathField));

const DOTS = [
  ...all('dots', 'folder', [
    ...['../outside', './../outside', 'sub/../../outside', 'sub/./.././../outside', '..//outside', '.././/outside'],
    ...['../ws/../outside', '../ws/sub/../../outside', '../outside/deep/..', '../outside/.', './././../outside'],
    ...['../outside/../outside', '../outside/deep', '../ws-other', 'sub/../../ws-other', '../ws/../ws-other/.'],
    ({ root }) => `../../${root.split('/').at(-1)}/outside`,
    ({ root }) => `../../../../../../../../../../../../../../..${root}/outside`,
  ]),
  ...all('dots', 'folder', ['missing/../../outside', '../missing/../outside'], NOWHERE),
  ...all('dots', 'new', ['../new', '../outside/new', 'sub/../../outside/new', '../ws-other/new', '../ws/../new']),
];

const ABSOLUTE = [
  ...all('absolute', 'folder', [
    ({ root }) => `${root}/outside`,
    ({ root }) => `/${root}/outside`,
    ({ root }) => `//${root}/outside`,
    ({ root }) => `${root}/./outside/`,
    ({ root }) => `${root}//outside`,
    ({ root }) => `/..${root}/outside`,
    ({ root }) => `/proc/..${root}/outside`,
    ({ ws }) => `${ws}/../outside`,
    ({ ws }) => `${ws}/sub/../../outside`,
    ({ ws }) => `${ws}-other`,
    ({ root }) => `${root}/own`,
  ]),
  ...all('absolute', 'new', [({ root }) => `${root}/new`, ({ ws }) => `${ws}-new`, ({ ws }) => `${ws}/../outside/new`]),
  ...all('absolute', 'file', [({ root }) => `${root}/home/.ssh/id_ed25519`, ({ root }) => `${root}/home/.netrc`]),
];

const PROC = [
  ...all('/proc', 'folder', [
    ({ root }) => `/proc/self/root${root}/outside`,
    ({ root }) => `/proc/self/./root/..${root}/outside`,
    ({ root }) => `/proc/thread-self/root${root}/outside`,
    ({ root }) => `/proc/${process.pid}/root${root}/outside`,
    ({ root }) => `/proc/self/task/${process.pid}/root${root}/outside`,
    ({ root }) => `/proc/self/cwd/${relative(process.cwd(), root)}/outside`,
    ({ open }) => `/proc/self/fd/${open.folder}`,
    ({ open }) => `/proc/${process.pid}/fd/${open.folder}`,
    ({ open }) => `/dev/fd/${open.folder}`,
    ({ root }) => `proc-root${root}/outside`,
    'proc-fd',
  ]),
  ...all('/proc', 'file', [
    ({ open }) => `/proc/self/fd/${open.file}`,
    ({ open }) => `/dev/fd/${open.file}`,
    'proc-file',
    ({ open }) => `proc-root/proc/self/fd/${open.file}`,
  ]),
];

const LINKS = [
  ...all('links to folders', 'folder', [
    ...['out', './out', 'out/.', 'out//', 'out/deep', 'out/deep/..', 'out-rel', 'twice', 'sub/out', 'self/out', 'deep'],
    ...['self/self/self/sub/out', 'up/outside', 'up/ws/out', 'by-name', 'own-name/out', 'by-own-name', 'neighbour'],
    ...['with space', '\u00fcber', 'sub/../out', 'chain-0', 'own-name/own-name/sub/out', 'own-link', 'twice/deep'],
    ({ root }) => `top${root}/outside`,
    ({ ws }) => `${ws}/out`,
    ({ ws }) => `top${ws}/out`,
  ]),
  // The system follows the link first and then goes up; names alone stay inside.
  ...all('links to folders', 'folder', ['out/../outside', 'own-name/../outside', 'sub/out/../outside'], {
    inside: true,
  }),
  ...all('links to folders', 'new', [
    'out/new',
    'sub/out/new',
    'up/new',
    'by-name/new',
    'own-name/out/new',
    'neighbour/new',
  ]),
  ...all('links to files', 'file', [
    ...['file-out.txt', './file-out.txt', 'file-rel.txt', 'file-twice.txt', 'sub/file-out.txt', 'self/file-out.txt'],
    ...['own-name/sub/file-out.txt', 'file-own.txt', 'person-key.txt', 'note-out.md'],
  ]),
  ...all('links to nothing yet', 'new', [
    'dangling',
    'dangling-rel',
    'dangling-twice',
    'sub/dangling',
    'self/dangling',
  ]),
  ...all('links to nothing yet', 'new', ['nowhere/new'], NOWHERE),
  ...all('links in a circle', 'file', ['loop-a', 'loop-self', 'loop-deep'], NOWHERE),
  ...all('links in a circle', 'folder', ['loop-a', 'loop-self', 'loop-b/out'], NOWHERE),
];

const HARD_LINKS = [
  ...all('hard links', 'file', [
    ...[
      'hard-env.txt',
      'sub/hard-env.txt',
      'hard-key.txt',
      'hard.md',
      'hard-own.txt',
      'hard-own.md',
      'hard-session.txt',
    ],
    ...['hard-person.txt', 'hard-netrc.txt', 'node_modules/x/hard.txt', 'self/hard-env.txt', 'own-name/hard-own.txt'],
  ]),
  // It is in no way told from a file of the workspace; a write must leave the other name what it was.
  ...all('hard links', 'file', ['hard-out.txt'], { inside: true, writes: true }),
];

const SECRETS = [
  ...all('secrets', 'file', [
    ...['.env', './.env', 'sub/.env', 'sub/../.env', '.ssh/key.txt', '.ssh/./key.txt', '.ssh/key.md', 'harmless.txt'],
    ...[
      'harmless-sub.txt',
      'harmless-key.txt',
      'harmless.md',
      'keys/key.txt',
      'self/.env',
      'own-name/.env',
      'keys/../.env',
    ],
    ({ ws }) => `${ws}/.env`,
    ({ ws }) => `top${ws}/.env`,
  ]),
  ...all(
    'secrets in other words',
    'file',
    [
      ...[
        '.ENV',
        '.Env',
        '.env.',
        '.env ',
        '.env...',
        '.env::$DATA',
        '.SSH/key.txt',
        '.\u017fsh/../.ENV',
        '.ssh\\key.txt',
      ],
      '.env~',
    ],
    NOWHERE,
  ),
];

const OWN = [
  ...all("the program's own", 'folder', [
    ...['.triad/sessions/one', '.triad/./sessions/one', 'sub/../.triad/sessions/one', '.triad//sessions//one/.'],
    ...['.config/triad', './.config/triad', 'sub/../.config/triad', '.caf\u00e9', 'settings-link', 'sessions-link'],
    ...['self/.config/triad', 'own-name/.triad/sessions/one', 'p/.triad/sessions/one'],
    ({ ws }) => `${ws}/.config/triad`,
  ]),
  ...all("the program's own", 'file', ['file-session.md']),
  ...all("the program's own", 'new', ['.config/triad/new', '.triad/sessions/new', 'settings-link/new'], NOWHERE),
  ...all(
    "the program's own in other words",
    'folder',
    [
      ...['.Triad/Sessions/one', '.TRIAD/SESSIONS/ONE', '.CONFIG/triad', '.config/TRIAD', '.CAF\u00c9', '.cafe\u0301'],
      ...['.Cafe\u0301', 'p/.TRIAD/sessions/one'],
    ],
    NOWHERE,
  ),
];

const OTHER_WORDS = [
  ...all(
    'Unicode',
    'folder',
    [
      ...['\u2025/outside', '\uff0e\uff0e/outside', '\u2024\u2024/outside', '..\u2215outside', '..\u2044outside'],
      ...[
        '..\uff0foutside',
        '.\u200b./outside',
        '\u202e../outside',
        '..\u00ad/outside',
        '\u0000e\u0301',
        'o\u0075t\u0301',
      ],
    ],
    HARMLESS,
  ),
  ...all(
    'encodings',
    'folder',
    [
      ...[
        '%2e%2e/outside',
        '%2e%2e%2foutside',
        '..%2foutside',
        '..%5coutside',
        '%252e%252e/outside',
        '%c0%ae%c0%ae/outside',
      ],
      ...['\\x2e\\x2e/outside', '\\u002e\\u002e/outside', '&#46;&#46;/outside', '=2E=2E/outside'],
    ],
    HARMLESS,
  ),
  ...all(
    'dots and spaces',
    'folder',
    [
      ...['.../outside', '..../outside', '....//outside', '. ./outside', '.. /outside', ' ../outside', '..;/outside'],
      ...['"../outside"', "'..'/outside", '../outside ', '../outside.', '../ outside'],
    ],
    HARMLESS,
  ),
  ...all(
    'Windows',
    'folder',
    [
      ...[
        '..\\outside',
        '..\\\\outside',
        'sub\\..\\..\\outside',
        'C:\\',
        'C:..\\outside',
        '\\\\?\\C:\\',
        '\\\\.\\C:\\',
      ],
      ...[
        '\\\\localhost\\c$',
        '//localhost/c$',
        '//?/C:/',
        'c:/Windows',
        '/cygdrive/c',
        'PROGRA~1',
        'out::$INDEX_ALLOCATION',
      ],
    ],
    HARMLESS,
  ),
  ...all('Windows', 'file', ['CON', 'NUL', 'aux.txt', 'COM1', 'LPT1.txt', 'CONIN$', 'plain.txt:x:$DATA'], HARMLESS),
];

const WORDS = [
  ...all(
    'NUL',
    'file',
    ['plain.txt\0', '../outside/bait.txt\0', '\0../outside/bait.txt', 'plain.txt\0/../../outside/bait.txt'],
    NOWHERE,
  ),
  ...all('very long', 'folder', [
    ({ root }) => `${'../'.repeat(1000)}${root.slice(1)}/outside`,
    `${'./'.repeat(1900)}../outside`,
    `${'sub/../'.repeat(500)}../outside`,
    `${'self/'.repeat(30)}out`,
  ]),
  ...all('very long', 'folder', [`../${'x'.repeat(300)}`, `${'../'.repeat(2000)}etc`, 'x'.repeat(5000)], NOWHERE),
  ...all(
    'addresses',
    'folder',
    [
      ({ root }) => `file://${root}/outside`,
      ({ root }) => `file:${root}/outside`,
      ({ root }) => `FILE://localhost${root}/outside`,
      ...['file:../outside', 'file:///etc', 'http://127.0.0.1/', 'data:,x', 'jar:file:../outside!/'],
    ],
    HARMLESS,
  ),
  ...all(
    'the shell',
    'folder',
    [
      ...['~/.ssh', '~', '~root', '~+/../outside', '~-', '$HOME/.ssh', '${HOME}/.ssh', '%HOME%/.ssh', '%USERPROFILE%'],
      ...[
        '$PWD/../outside',
        '$OLDPWD',
        '$(echo ..)/outside',
        '`echo ..`/outside',
        '<(cat ../outside/bait.txt)',
        '| cat ../outside/bait.txt',
      ],
      ...['../out*', '{..,x}/outside', '[.][.]/outside', '.?/outside', '@(..)/outside', '--help', '-rf', '@../outside'],
    ],
    HARMLESS,
  ),
];

const PATTERNS = [
  ...all('patterns', 'pattern', [
    ...['../outside/*', './../outside/**', 'sub/../../outside/*', '{..,x}/outside/*', '{x,..}/outside/*'],
    ...['{x,../outside}/*', '{.,..}/outside/*', '.{.,x}/outside/*', '{.,}./outside/*', '[.][.]/outside/*'],
    ...['.[.]/outside/*', '..\\outside\\*', 'out/**', '{out,sub}/**', 'sub/out/*', 'self/out/**', 'twice/*'],
    ...['up/outside/*', 'chain-0/*', '.triad/sessions/**', '.triad/**/bait.txt', '{.config,x}/triad/*'],
    '{self,.}/settings-link/*',
    ({ root }) => `${root}/outside/*`,
    ({ root }) => `{${root},x}/outside/*`,
    ({ root }) => `proc-root${root}/outside/*`,
  ]),
  ...all(
    'patterns',
    'pattern',
    ['@(..|x)/outside/*', '.?/outside/*', '+(.)/outside/*', '\\.\\./outside/*', '(..)/outside/*', '!(x)/../outside/*'],
    NOWHERE,
  ),
];

/** What was checked is not what is there when the call runs. */
function swapped(
  takes: 'folder' | 'file' | 'new',
  name: string,
  make: (field: PathField, full: string) => Promise<void>,
): PathAttempt {
  const path = takes === 'file' ? 'plain.txt' : 'swapped';
  return {
    kind: 'after the question',
    name,
    takes,
    at: () => (takes === 'new' ? 'swapped/new' : path),
    swap: { path, make },
  };
}

const LATER = [
  swapped('folder', 'a folder becomes a link', ({ root }, full) => symlink(join(root, 'outside'), full)),
  swapped('folder', 'a folder becomes a relative link', (_, full) => symlink('../outside', full)),
  swapped('folder', 'a folder becomes a link to a link', (_, full) => symlink('twice', full)),
  swapped('folder', 'a folder becomes a link to settings', (_, full) => symlink('.config/triad', full)),
  swapped('folder', 'a folder becomes a link to sessions', (_, full) => symlink('.triad/sessions/one', full)),
  swapped('folder', 'a folder becomes a link to what is open', ({ open }, full) =>
    symlink(`/proc/self/fd/${open.folder}`, full),
  ),
  swapped('file', 'a file becomes a link', ({ root }, full) => symlink(join(root, 'outside/bait.txt'), full)),
  swapped('file', 'a file becomes a link to a secret', (_, full) => symlink('.env', full)),
  swapped('file', 'a file becomes a hard link to a secret', ({ ws }, full) => link(join(ws, '.env'), full)),
  swapped('file', 'a file becomes a hard link to settings', ({ root }, full) => link(join(root, 'own/bait.txt'), full)),
  swapped('file', 'a file becomes a hard link to a key', ({ root }, full) =>
    link(join(root, 'home/.ssh/id_ed25519'), full),
  ),
  swapped('new', 'the folder of a new file becomes a link', ({ root }, full) => symlink(join(root, 'outside'), full)),
];

export const PATH_ATTEMPTS: readonly PathAttempt[] = [
  ...[
    ...DOTS,
    ...ABSOLUTE,
    ...PROC,
    ...LINKS,
    ...HARD_LINKS,
    ...SECRETS,
    ...OWN,
    ...OTHER_WORDS,
    ...WORDS,
    ...PATTERNS,
    ...LATER,
  ],
];
