/** Closes descriptors that the program inherited by accident. */
import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Flag of a descriptor that no child process inherits (`O_CLOEXEC` on Linux). */
const CLOSE_ON_EXEC = 0o2000000;
const FIRST_AFTER_STANDARD_STREAMS = 3;

/**
 * Closes each descriptor from 3 on that child processes would inherit. A terminal, an editor or a service can leave a
 * folder open, and a command in the sandbox could read and write it through `/proc/self/fd`. Call this before the program
 * opens or starts anything. Does nothing outside Linux, and nothing in Electron, whose browser process closes them itself
 * when it starts a child.
 */
export function closeInheritedDescriptors(): void {
  if (process.platform !== 'linux' || process.versions['electron'] !== undefined) return;
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd < FIRST_AFTER_STANDARD_STREAMS || !isInheritable(fd)) continue;
    closeSync(fd);
  }
}

/** Returns false for a descriptor that is closed by now, such as the one that listed the folder. */
function isInheritable(fd: number): boolean {
  try {
    const flags = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false;
  }
}
