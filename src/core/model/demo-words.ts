/** What the demo says, in English; the same in French beside it. Each sentence holds for whatever was found and done. */

const number = (value: number): string => value.toLocaleString('en');
const count = (value: number, one: string, many = `${one}s`): string => `${number(value)} ${value === 1 ? one : many}`;

export const ENGLISH = {
  /** Stands before each answer of the lead. */
  scripted:
    '**This is the demo: the answer is scripted, no model has read your message.** The engine, the questions, the tools and the history are real, and so is everything named here.',
  act: (at: number, of: number) => `Demo, act ${at} of ${of}.`,
  /** By act: said before the folder is looked at, before the question comes, and at the end where something was started. */
  acts: [
    {
      intent: 'I look at the folder, then ask you for one sub-agent.',
      asking:
        'One temporary sub-agent shall count the files. **You are asked first**: you see its whole prompt and its tools, and may change them, say yes, or say no.',
      next: 'Send a second message, and I hand a task to a permanent agent, which has a definition of its own.',
    },
    {
      intent: 'I look at the folder again, then hand a task to a permanent agent.',
      asking: 'A permanent agent shall look for open ends. It has its own system prompt; you are asked again.',
      next: 'Send a third message, and I ask for three sub-agents that work at the same time.',
    },
    {
      intent: 'I look at the folder, ask for three sub-agents at once, and offer to write down what they report.',
      asking:
        'Three sub-agents shall work at the same time. Each is a question of its own: allow all of them, or only some.',
      next: 'Send a fourth message, and I ask for three agents that work one after the other on one report.',
    },
    {
      intent: 'I look at the folder, then ask for a report by agents that always follow each other.',
      asking:
        'One agent shall collect facts, one write the report from them, one check it against the files. **One question** covers them all: it shows every stage.',
      next: 'That was all of the script. Send one more message to hear how a model answers in its place.',
    },
  ],
  askedBack:
    'In the demo nobody can answer this: the script has not read your question. A model would say here what the call does, why it is needed and what else could be done. Nothing is decided yet: yes and no are still yours.',
  nothingStarts: 'No sub-agent can be started here, so this act ends.',
  askingToWrite:
    'I write down what was reported. **You are asked first**: you see the file and every line of it. Nothing else is written.',
  fileStart: '# Written by the demo of Triad\n\nWhat the agents reported:',
  notWritten: (why: string) => `Nothing was written. ${why}`,
  written: (path: string) =>
    `The file \`${path}\` was written. **Changes** shows it, and **Undo** takes it away again. In a terminal, in this folder, \`triad changes\` says what was changed by which run, and \`triad changes --undo RUN\` undoes it.`,
  end: `The demo has shown what it can. To let a model work for you, open **Settings → Providers and keys**, and paste an Anthropic key or point to a server of your own: Ollama, LM Studio and others on this machine are found by themselves. In a terminal, set \`active = "anthropic"\` below \`[providers]\` in \`config.toml\`, and \`ANTHROPIC_API_KEY\`.

This conversation stays in the history with every run, question and figure. A new conversation begins the demo anew.`,
  // What sub-agents are told. Their prompts are Markdown of four parts.
  prompt: { task: 'Task', input: 'Input Data', output: 'Expected Output Format', limits: 'Constraints' },
  part: (name: string, told: string) => `**${name}**: ${told}`,
  input: (wanted: string) => `the folder of the workspace. ${wanted}`,
  /** Before what a prompt asks for, in backticks. */
  files: 'Files',
  lookFor: 'Look for',
  reportWanted: 'a Markdown report with a title and a `## Summary`',
  factsWanted: 'one JSON value with `question`, `facts` (each a `fact` and its `source`) and `open`',
  readOnly: 'read only; change nothing.',
  system:
    'You are a temporary agent of the Triad demo. You look at files and report what you found; you change nothing.',
  tasks: {
    counting: {
      reason: 'Count the files of the folder',
      task: 'Count the files of the folder by ending, and look into one that introduces it.',
    },
    openEnds: { reason: 'Look for open ends', task: 'Find what was left to do in the code and its texts.' },
    texts: { reason: 'Find the texts', task: 'Find the texts of the folder and look into one of them.' },
    tests: { reason: 'Find the tests', task: 'Find the files that are named like tests, and look into one of them.' },
    addresses: { reason: 'Find the web addresses', task: 'Find the web addresses that the files of the folder name.' },
    report: { reason: 'Have a report written', task: 'What is in this folder, and what was left to do in it?' },
  },
  // What sub-agents say.
  begin: (tools: string) => `I begin with ${tools}.`,
  and: ' and ',
  worthReading: (path: string) => `I open \`${path}\`.`,
  noTool: 'No tool could be used, so there is nothing to report.',
  report: (task: string) => `# Report: ${task}`,
  summary: '## Summary',
  made: '## How this was made',
  how: (calls: number, tools: string) =>
    calls === 0
      ? 'By the demo, which is scripted: no model read the prompt. No tool was called.'
      : `By the demo, which is scripted: no model read the prompt. The ${calls === 1 ? 'tool call was' : `${calls} tool calls were`} real (${tools}), and so is what ${calls === 1 ? 'it' : 'they'} found.`,
  // Facts.
  failed: (tool: string, why: string) => `\`${tool}\` failed: ${why}`,
  emptyFolder: 'The folder is empty.',
  entries: (total: number) => `The folder holds ${count(total, 'entry', 'entries')}.`,
  holds: (folders: number, files: number, names: string) =>
    `The folder holds ${[folders > 0 ? count(folders, 'folder') : '', files > 0 ? count(files, 'file') : ''].filter(Boolean).join(' and ')}: ${names}.`,
  more: (names: string, rest: number) => (rest > 0 ? `${names} and ${rest} more` : names),
  noFile: (pattern: string) => `No file matches \`${pattern}\`.`,
  oneFile: (pattern: string, name: string) => `1 file matches \`${pattern}\`: ${name}.`,
  matching: (total: number, pattern: string, first: number | null, kinds: string) =>
    `${count(total, 'file matches', 'files match')} \`${pattern}\`, by ending${first === null ? '' : ` of the first ${first}`}: ${kinds}.`,
  noEnding: 'without one',
  otherEndings: (files: number) => `${files} with others`,
  noLine: (pattern: string) => `No line matches \`${pattern}\`.`,
  lines: (total: number, isMore: boolean, pattern: string, files: number, places: string) =>
    `${isMore ? 'More than ' : ''}${count(total, 'line matches', 'lines match')} \`${pattern}\`, in ${count(files, 'file')}: ${places}.`,
  emptyFile: (path: string) => `\`${path}\` is empty.`,
  /** `heading`: null for none. */
  size: (path: string, lines: number, isMore: boolean, bytes: number, heading: string | null) =>
    `\`${path}\` has ${isMore ? 'more than ' : ''}${count(lines, 'line')}, ${count(bytes, 'byte')}${heading === null ? '' : `; its first heading is “${heading}”`}.`,
  // What became of sub-agents.
  didNotWork: (why: string) => `That did not work: ${why}`,
  saidSo: (words: string) => `The answer was: ${words}`,
  someone: 'Sub-agent',
  ofAgent: (agent: string, sentence: string) => `- **${agent}**: ${sentence}`,
  itsReport: (seconds: number, tokens: number, summary: string) =>
    `Its report (${seconds.toFixed(1)} s, about ${count(tokens, 'token')}): ${summary}`,
  itsReportAlone: (summary: string) => `Its report: ${summary}`,
  /** `reason`: empty for none. */
  no: (byPerson: boolean, reason: string) =>
    `${byPerson ? 'You said' : 'The answer was'} no${reason === '' ? '' : `: “${reason}”`}.`,
  notStarted: 'It was not started, and nothing else was tried in its place.',
  unfinished: (outcome: string, why: string) =>
    `It did not finish (${outcome.replace('_', ' ')})${why === '' ? '' : `: ${why}`}.`,
  hadSaid: (summary: string) => ` What it had said until then: ${summary}`,
  chain: (agents: string, report: string) =>
    `${agents}: each got what the one before it gave, and the last gave this:\n\n---\n\n${report}\n\n---`,
  // The chain.
  looking: 'I look for what there is.',
  beforeWriting: (path: string) => `I look whether \`${path}\` can be opened before I write.`,
  notOpened: (path: string) => `\`${path}\` could not be opened.`,
  lineSays: (line: string, words: string) => `Line ${line} says “${words}”.`,
  answer: '## Answer',
  factsFound: (facts: number) => `${count(facts, 'fact')} ${facts === 1 ? 'was' : 'were'} found.`,
  facts: '## Facts',
  noFacts: 'None.',
  open: '## Open',
  nothingOpen: 'Nothing.',
  opening: (sources: number) => `I open ${count(sources, 'source')} of the report.`,
  checked: '## Checked',
  sums: (checked: number, all: number, held: number) =>
    `${count(checked, 'statement')} of ${all} checked, ${held} held.`,
  takenOut: (statement: string) => `Taken out, because its source does not say it: ${statement}`,
  // The reviewer.
  reviewing: 'I look at the folder myself.',
  wish: 'Say which folders you have not opened yourself',
  wished: (wish: string, folders: number) =>
    `${wish}: ${count(folders, 'folder is', 'folders are')} here, and the answer does not tell.`,
  isDone: 'If all of it is done, call task_complete with your whole answer.',
  notOpenedByMe: 'Not opened by me: ',
  content: 'The answer says what was looked at, and what was not.',
};

export type DemoWords = typeof ENGLISH;
