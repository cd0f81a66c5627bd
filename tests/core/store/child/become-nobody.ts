/** Gives up the rights of root in a process of its own, where the one that started it asks for that. */
const NOBODY = 65534;

/** The variable that asks for it. */
export const AS_NOBODY = 'TRIAD_TEST_AS_NOBODY';

/**
 * To be called when all modules are loaded: the checkout may lie below a folder that only root may enter. Throws where
 * the rights cannot be given up for good.
 */
export function becomeNobody(): void {
  if (process.env[AS_NOBODY] === undefined) return;
  process.setgroups?.([]);
  process.setgid?.(NOBODY);
  process.setuid?.(NOBODY);
  const ids = [process.getuid?.(), process.geteuid?.(), process.getgid?.(), process.getegid?.()];
  if (ids.some((id) => id !== NOBODY)) throw new Error(`still with the ids ${ids.join(', ')}`);
}
