/** Every word that the desktop itself says; the pages have their own. */
export const text = {
  name: 'Triad',
  menu: { file: 'File', newWindow: 'New Window' },
  question: (agents: string) => `Question from ${agents}`,
  done: 'A workflow has ended',
  failed: 'Triad has to stop',
  secrets: {
    backends: { darwin: 'Keychain', win32: 'Windows data protection', linux: 'the key store of the desktop' },
    unavailable: (path: string) =>
      `This system offers no key store that encrypts, so keys are kept in ${path}, which every program that runs under your account can read`,
    unreadable: 'A key could not be decrypted: unlock the key store of this system, or enter the key again',
  },
} as const;
