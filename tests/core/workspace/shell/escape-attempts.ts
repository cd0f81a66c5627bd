/**
 * Ways out of a sandbox, as scripts for bash; each exits 0 where it worked. None does harm where it works: a sandbox may
 * be broken, and the person root. `free`: it works without a sandbox (also
 * for a person without special rights), which shows that it would.
 */
export interface Attempt {
  name: string;
  script: string;
  free?: true;
}

const a = (name: string, script: string): Attempt => ({ name, script });
const f = (name: string, script: string): Attempt => ({ name, script, free: true });
/** Runs a line of Node that calls `done(true)` where it worked. */
const node = (code: string): string =>
  `"$NODE" -e 'const done = (ok) => process.exit(ok ? 0 : 1); setTimeout(done, 400, false); ${code}'`;

const WRITING = [
  f('a new file by its absolute path', 'echo x > "$OUT/new"'),
  f('a new file by ..', 'echo x > ../outside/new2'),
  f('a file replaced', 'echo x > "$OUT/file.txt"'),
  f('a file appended to', 'echo x >> "$OUT/file.txt"'),
  f('a file moved away and back', 'mv "$OUT/file.txt" "$OUT/moved" && mv "$OUT/moved" "$OUT/file.txt"'),
  f('a file deleted', 'rm "$OUT/file2.txt"'),
  f('its permissions', 'chmod 777 "$OUT/file.txt"'),
  f('its times', 'touch -d 2001-01-01 "$OUT/file.txt"'),
  f('a folder', 'mkdir "$OUT/folder"'),
  f('a file moved out', 'echo x > mine; mv mine "$OUT/mine"'),
  f('through a link that is made', 'ln -s "$OUT" l1 && echo x > l1/new3'),
  f('through a link that was there', 'echo x > out-link/new4'),
  f('through a hard link that is made', 'ln "$OUT/file.txt" h1 && echo x >> h1'),
  f('through /proc/self/root', 'echo x > "/proc/self/root$OUT/new5"'),
  a('through /proc/1/root', 'echo x > "/proc/1/root$OUT/new6"'),
  f('through /proc/self/cwd', 'echo x > /proc/self/cwd/../outside/new7'),
  a('through a descriptor that was left open', 'ls -l /proc/*/fd 2> /dev/null | grep -F "$OUT"'),
  f('a start-up file of the person', 'grep -q plain "$HOME/.bashrc" && echo x >> "$HOME/.bashrc"'),
  f('the workspace moved away', 'cd .. && mv ws ws2 && mv ws2 ws'),
  a(
    'files of the system',
    'for p in /etc /usr /var /var/spool /boot /root /opt; do [ -w "$p" ] && exit 0; done; exit 1',
  ),
];

const MOUNTS = [
  a('the root mounted writable again', 'mount -o remount,rw,bind /'),
  a('a folder mounted over', 'mount --bind "$OUT" .'),
  a('a file system of its own', 'mount -t tmpfs none .'),
  a('what hides a folder unmounted', 'umount "$HOME/.ssh" || umount -l "$HOME/.ssh"'),
  a('a device made', 'mknod disk b 8 0 && head -c 1 disk'),
  a('disks', 'find /dev -type b | grep .'),
  a('memory and log of the kernel', 'head -c 1 /dev/mem || head -c 1 /dev/kmsg || head -c 1 /proc/kcore'),
  a('chroot', 'chroot / /bin/true'),
  a('a user namespace with mounts', 'unshare -Urm sh -c "mount -o remount,rw,bind / && echo x > $OUT/new8"'),
  a('a mount namespace', 'unshare -m true'),
  a('a sandbox in the sandbox', 'bwrap --bind / / sh -c "echo x > $OUT/new9"'),
  a('the namespaces of another', 'nsenter -t "$OUTER" -m true || nsenter -t 1 -m -p sh -c "echo x > $OUT/new10"'),
  a(
    'settings of the kernel',
    'for p in /proc/sys/kernel/core_pattern /proc/sys/vm/swappiness /proc/sysrq-trigger; do [ -w $p ] && exit 0; done; exit 1',
  ),
  a('/sys', 'find /sys -maxdepth 3 -writable -not -type l | grep . '),
  a(
    'a control group',
    'for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do mkdir "$d/triad-escape" && rmdir "$d/triad-escape" && exit 0; done; exit 1',
  ),
];

const PROCESSES = [
  f('a process outside is seen', 'grep -aq sleep "/proc/$OUTER/cmdline"'),
  f('its environment', 'head -c 1 "/proc/$OUTER/environ" | grep -aq .'),
  f('its memory', 'exec 3< "/proc/$OUTER/mem"'),
  f('it is stopped', 'kill -CONT "$OUTER"'),
  a(
    'it is traced',
    'perl -e \'for my $n (101, 117) { my $r = syscall($n, 16, $ENV{OUTER} + 0, 0, 0); exit 0 if $r == 0 } exit 1\' && grep -q "TracerPid:.*[1-9]" "/proc/$OUTER/status"',
  ),
  a('capabilities', 'grep -q "Cap\\(Eff\\|Prm\\|Amb\\):.*[1-9a-f]" /proc/self/status'),
  f('rights by setuid', 'grep -q "NoNewPrivs:.*0" /proc/self/status'),
  a('the name of the machine', 'hostname "$(hostname)"'),
  a('a terminal to type into', 'exec 3<> /dev/tty'),
  f('shared memory of others', 'grep -q bait "/dev/shm/$BAIT"'),
  a(
    'what is in the environment',
    'env | grep -E "^(LD_PRELOAD|SSH_AUTH_SOCK|DBUS_SESSION_BUS_ADDRESS|DISPLAY|GITHUB_TOKEN)="',
  ),
];

const READING = [
  f('a folder of the program', 'grep -r HIDDEN "$OWN"'),
  f('the same through a link that was there', 'cat own-link/config.toml | grep HIDDEN'),
  f('its names', 'ls -A "$OWN" | grep .'),
  f('a file put into it', 'echo x > "$OWN/new"'),
  f('sessions in the workspace', 'cat .triad/sessions/one.md | grep HIDDEN'),
  f('settings of the project', 'cat .triad/config.toml | grep HIDDEN'),
  f('what was moved aside', 'mv .triad aside && grep -r HIDDEN aside; r=$?; mv aside .triad; exit $r'),
  f('a secret file', 'grep HIDDEN .env'),
  f('one further below', 'grep HIDDEN sub/.env'),
  f('one by a link that was there', 'grep HIDDEN alias.txt'),
  f('one by a hard link that was there', 'grep HIDDEN notes.txt'),
  f('one by a hard link in a folder that is passed over', 'grep HIDDEN node_modules/x/readme.md'),
  f('one by a hard link that is made', 'ln .env mine2 && grep HIDDEN mine2'),
  f('one moved', 'mv .env mine3 && mv mine3 .env && grep HIDDEN .env'),
  f('one in a folder that is moved', 'mv sub sub2; grep HIDDEN sub2/.env; r=$?; mv sub2 sub; exit $r'),
  f('one copied with its folder', 'cp -r sub sub3; grep HIDDEN sub3/.env'),
  f('one whose name the settings list', 'grep HIDDEN customers.csv'),
  f('one of a folder of keys in the workspace', 'grep -r HIDDEN deep/.aws'),
  f('one overwritten', 'echo "x" >> .env'),
  f(
    'git shows one',
    'git show HEAD:nothing; git hash-object -w .env && git diff --no-index /dev/null .env | grep HIDDEN',
  ),
  f('a key of the person', 'grep HIDDEN "$HOME/.ssh/id_ed25519"'),
  f('the same by a hard link in the workspace', 'grep HIDDEN key-copy.txt'),
  f('the same by a link in the workspace', 'grep HIDDEN key-link.txt'),
  f('the same by /proc', 'grep HIDDEN "/proc/self/root$HOME/.ssh/id_ed25519"'),
  f('keys of a cloud', 'grep HIDDEN "$HOME/.aws/credentials"'),
  f('passwords of hosts', 'grep HIDDEN "$HOME/.netrc"'),
  f('a folder that is called otherwise', 'grep -r HIDDEN "$HOME/.config/Slack"'),
  f('a token of a program', 'grep HIDDEN "$HOME/.config/gh/hosts.yml" || grep HIDDEN "$HOME/.cargo/credentials.toml"'),
  f('everything at once', 'tar cf - "$HOME" "$OWN" . 2> /dev/null | grep -ao "HIDDEN[:]"'),
  a('passwords of the machine', 'head -c 1 /etc/shadow | grep .'),
  f('temporary files of others', 'grep bait "/tmp/$BAIT"'),
];

const NETWORK = [
  f('a server on this machine (TCP)', 'timeout 1 bash -c "exec 3<> /dev/tcp/127.0.0.1/$TCP"'),
  f(
    'one by its other address',
    node(
      'require("net").connect(process.env.TCP, "::ffff:127.0.0.1").on("connect", () => done(true)).on("error", () => done(false));',
    ),
  ),
  f(
    'one that answers by UDP',
    node(
      'const s = require("dgram").createSocket("udp4").on("message", () => done(true)).on("error", () => done(false)); s.send("x", process.env.UDP, "127.0.0.1");',
    ),
  ),
  a(
    'a name server',
    node(
      'const r = new (require("dns").Resolver)(); r.setServers(["127.0.0.1:" + process.env.UDP]); r.resolve4("example.org", (e) => done(!e));',
    ),
  ),
  f(
    'a socket without a path',
    node(
      'require("net").connect("\\0" + process.env.BAIT).on("connect", () => done(true)).on("error", () => done(false));',
    ),
  ),
  f(
    'a socket by its path',
    node(
      'require("net").connect(process.env.OUT + "/bait.sock").on("connect", () => done(true)).on("error", () => done(false));',
    ),
  ),
  f(
    'one in the workspace',
    node('require("net").connect("bait.sock").on("connect", () => done(true)).on("error", () => done(false));'),
  ),
  a('sockets of the system', 'find /run /var/run/ -type s | grep .'),
  a('a way out', '[ "$(wc -l < /proc/net/route)" -gt 1 ]'),
];

const LATER = [
  f('a hook of git', 'echo "touch $OUT/hooked" > .git/hooks/post-commit'),
  f('settings of git', 'echo "[core] fsmonitor = touch $OUT/hooked" >> .git/config'),
  f('settings of git by git', 'git config core.hooksPath /tmp'),
  f('the repository moved away', 'mv .git .git2 && mv .git2 .git'),
  f('hooks moved away', 'mv .git/hooks .git/hooks2 && mv .git/hooks2 .git/hooks'),
  f('hooks of a submodule', 'echo x > .git/modules/m/hooks/post-checkout'),
  f('where a submodule lies', 'echo "gitdir: /tmp" > m/.git'),
  f('a repository below', 'echo x >> below/.git/config'),
  f('hooks where there are none', 'mkdir -p below/.git/hooks && echo x > below/.git/hooks/post-commit'),
];

export const ATTEMPTS: readonly Attempt[] = [
  ...WRITING.map((one) => ({ ...one, name: `writes: ${one.name}` })),
  ...MOUNTS.map((one) => ({ ...one, name: `system: ${one.name}` })),
  ...PROCESSES.map((one) => ({ ...one, name: `processes: ${one.name}` })),
  ...READING.map((one) => ({ ...one, name: `reads: ${one.name}` })),
  ...NETWORK.map((one) => ({ ...one, name: `reaches: ${one.name}` })),
  ...LATER.map((one) => ({ ...one, name: `plants: ${one.name}` })),
];
