/** The words of forks at a step, and of what one copies. */
export const copyWords = {
  mark: 'copied, $0',
  paid: 'Done, and paid, where this was forked from: nothing was asked or run again here.',
  open: (mark: string) => `${mark}: open where it was done`,
  fork: {
    open: 'Fork from here',
    title: 'Fork from this step',
    goOn: 'Go on from here',
    goOnWhy:
      'A new conversation that goes on by itself. What was done until here, and sub-agents that were started until here and have finished, is copied: at no cost, and not asked again. What comes after costs, and what is started needs your yes. Files stay as they are.',
    goOnLine: 'Goes on by itself: what was finished is copied, the rest costs. Files stay.',
    write: 'Fork and write',
    writeWhy: 'A new conversation that ends here. Nothing starts or costs until you write. Files stay as they are.',
  },
  wentOn: (step: number | undefined) =>
    step === undefined
      ? 'What follows runs a sub-agent again; files stayed as they were.'
      : `What follows goes on from step ${step} there; files stayed as they were.`,
} as const;
