/** Every word that the screens show in English; `fr/text.ts` has the same in French. */
import type { RunKind } from '#contract/agent.ts';
import type { Decision, Subject } from '#contract/approval.ts';
import { cutText } from '#contract/cut-text.ts';
import type { SystemEntry } from '#contract/message.ts';
import type { StopReceipt } from '#contract/view.ts';
import { visibleText } from '#contract/visible-text.ts';
import type { Phase } from '#lib/view/phase.ts';
import type { CallState } from '#lib/view/transcript.ts';
import { againWords } from './again-words.ts';
import { agentsWords } from './agents-words.ts';
import { attentionWords } from './attention-words.ts';
import { askWords } from './ask-words.ts';
import { copyWords } from './copy-words.ts';
import { callWords } from './call-words.ts';
import { changesWords } from './changes-words.ts';
import { flowWords } from './flow-words.ts';
import { foldedCalls } from './fold-words.ts';
import type { SameWords } from './following.ts';
import { composerWords } from './composer-words.ts';
import { contextWords } from './context-words.ts';
import { decisionWords } from './decision-words.ts';
import { grantWords } from './grant-words.ts';
import { historyWords, menuWords, trashWords } from './history-words.ts';
import { inboxWords } from './inbox-words.ts';
import { mayWords } from './may-words.ts';
import { jsonWords, mcpWords } from './mcp-words.ts';
import { permissionsWords } from './permissions-words.ts';
import { replayWords } from './replay-words.ts';
import { reviewWords } from './review-words.ts';
import { riskLevels, riskOf } from './risk-words.ts';
import { rulesWords } from './rules-words.ts';
import { saidWords } from './said-words.ts';
import { stageWords } from './stage-words.ts';
import { advice, plural } from './sentences.ts';
import { securityWords, settingsPageWords } from './settings-page-words.ts';
import { settingsSearchWords } from './settings-search-words.ts';
import { exampleTasks, firstRunWords } from './first-run/english.ts';
import { demoWords, settingsWords } from './settings-words.ts';
import { shellWords, sidebarWords, stopReceipt } from './shell-words.ts';
import { turnWords } from './turn-words.ts';
import { usageWords, workWords } from './work-words.ts';

export const english = {
  copies: copyWords,
  security: securityWords,
  product: 'Triad',
  /** Window title with the number of open questions. */
  windowTitle: (page: string, waiting: number) =>
    `${waiting > 0 ? `(${waiting}) ` : ''}${page === '' ? 'Triad' : `${visibleText(page)} – Triad`}`,
  again: againWords,
  phases: {
    queued: 'queued',
    waiting: 'waiting for you',
    running: 'running',
    withdrawn: 'withdrawn',
    completed: 'completed',
    partial: 'partial',
    cancelled: 'cancelled',
    rejected: 'rejected',
    timed_out: 'timed out',
    budget_exceeded: 'budget exceeded',
    refused: 'refused',
    error: 'error',
    interrupted: 'interrupted',
  } satisfies Record<Phase, string>,
  calls: {
    writing: 'writing',
    waiting: 'waiting for you',
    pending: 'queued',
    running: 'running',
    completed: 'completed',
    error: 'error',
    cancelled: 'cancelled',
    interrupted: 'interrupted',
  } satisfies Record<CallState, string>,
  kinds: {
    lead: 'lead',
    spawn: 'spawned',
    delegate: 'delegated',
    parallel: 'parallel',
    chain: 'chain stage',
    coagent: 'coagent',
  } satisfies Record<RunKind, string>,
  riskOf,
  riskLevels,
  /** What the program remarks in a transcript. */
  remarks: {
    cancelled: 'Cancelled',
    doom_loop: 'Repeats itself',
    max_iterations: 'Turn limit reached',
    budget: 'Budget used up',
    extended: 'Extended',
    retried: 'Tried again',
    resumed: 'Resumed',
    review: 'Review',
    forked: 'Forked here: what came after is not part of this conversation',
  } satisfies Record<SystemEntry['code'], string>,
  advice,
  colon: ':',
  /** Between the parts of a list. */
  semicolon: '; ',
  close: 'Close',
  skip: 'Skip to the page',
  retry: 'Try again',
  loading: 'Loading…',
  none: 'none',
  show: 'Show',
  hide: 'Hide',
  loadMore: 'Load more',
  /** `more` of those that are not shown, which are `rest`; `all`: with those that are. */
  showMore: (more: number, rest: number, all: number) =>
    more === rest ? `Show all ${all}` : `Show ${more} more of ${all}`,
  connection: {
    notConnected: 'There is no connection to Triad at the moment: try again once it is back',
    lost: 'The connection to Triad broke. Check whether it worked before you try again',
    connecting: 'Connecting to Triad…',
    reconnecting: 'Connection lost. Reconnecting…',
    waiting: 'The work waits.',
    recovered: 'History:',
    hideNotice: 'Hide',
    offline: 'This computer is offline.',
    offlineHint: 'Models and tools on the internet cannot be reached until it is back; what is on this computer works.',
    reconnectingHint: 'What you write is kept. If this stays, start Triad again and open the link that it prints.',
  },
  refusal: {
    title: 'This browser is not let in',
    why: {
      stranger: 'Triad does not know its key: it was never signed in at this address, or it was signed out.',
      token: 'The URL that you opened was used before. It works once.',
      storage: 'It keeps no key for this page (IndexedDB), and Triad lets a browser in by a key that it keeps.',
      worker: 'Another program that used this address before could read this page. Its service worker was removed.',
    },
    /** What works now. */
    remedy: {
      stranger:
        'Open the URL that Triad printed in its terminal. It works once: for a new one, stop Triad there (Ctrl-C) and start it again.',
      token: 'For a new one, stop Triad in its terminal (Ctrl-C), start it again, and open the URL that it prints.',
      storage:
        'Leave the private window or allow this page to keep data, or take another browser; then open the URL that Triad printed in its terminal. It was not used up.',
      worker: 'Stop Triad in its terminal (Ctrl-C), start it again, and open the URL that it prints.',
    },
  },
  usage: usageWords,
  sidebar: sidebarWords,
  inbox: inboxWords,
  permissions: permissionsWords,
  rules: rulesWords,
  chat: {
    message: 'Message',
    image: 'A picture that you sent',
    placeholder: (agent: string) => `What should ${agent === 'lead' ? 'the lead' : agent} do?`,
    placeholderQueued: 'Write the next message: it waits until the lead is done',
    send: 'Send',
    hint: 'Enter sends · Shift+Enter starts a new line',
    queued: 'Queued',
    unqueue: 'Remove from queue',
    queuedHint: 'Starts when the message before it is done',
    you: 'You',
    jump: 'Jump to latest',
    earlier: 'Show earlier messages',
    stopReply: 'Stop reply',
    stopWorkflow: 'Stop workflow',
    stopAgent: 'Stop this agent',
    notSent: 'Not sent',
    missing: 'There is no such conversation',
    missingHint: 'It may have been deleted, or the address is incomplete.',
    home: 'Start a new conversation',
    loadFailed: 'This conversation could not be opened',
    log: 'Conversation',
    messages: 'Messages',
    workflowLabel: (prompt: string) => `Workflow: ${prompt}`,
    folder: 'Folder',
    lead: 'Lead',
    thinking: 'Thinking',
    thought: 'Thought',
    cutAfterCalls: (calls: readonly string[]) => cutText({ calls: [...calls] }),
    cutOff: 'Cut off here: this part was interrupted and is not sent to the model.',
    responding: 'Waiting for the model…',
    engineRemark: 'Triad to the agent',
    copy: 'Copy',
    insert: 'Insert into a file…',
    insertHint: 'Puts it into your message, where you name the file. The lead writes it then, and asks as always.',
    copied: 'Copied',
    notCopied: 'The browser did not let this be copied: select it and copy it by hand',
    prompt: 'Prompt',
    interrupted: 'Interrupted',
    resume: 'Resume',
    resuming: 'Resuming…',
    interruptedKept: (done: number, all: number) =>
      `${all > 0 ? `${done} of ${plural(all, 'sub-agent', 'sub-agents')} finished. ` : ''}Resume continues after the last finished step.`,
    detailsOf: 'Open in history',
  },
  composer: composerWords,
  empty: {
    heading: 'One lead, up to three sub-agents, and you at the gate',
    steps: [
      'Say what you want done. The lead works in the folder below.',
      'Before it starts a sub-agent or writes a file you are asked, with everything it would get, unless a mode, a rule or a grant of yours allows it.',
      'Follow each sub-agent live here, and look up everything that happened in the history.',
    ],
    examples: exampleTasks,
    examplesLabel: 'Try one of these',
  },
  call: {
    arguments: 'Arguments',
    output: 'Output',
    changes: 'Changes',
    noChanges: 'Nothing changes.',
    noOutput: 'No output yet',
    image: 'The image that was read',
    loadingImage: 'Loading the image',
    /** What it did to so many files. */
    undo: (files: number) => (files === 1 ? 'Undo' : `Undo ${files} files`),
    redo: (files: number) => (files === 1 ? 'Redo' : `Redo ${files} files`),
    undone: 'undone',
    writing: (units: number) => `writing arguments, ${plural(units, 'character', 'characters')}`,
    ...callWords,
  },
  agent: {
    /** Its lead does not wait for it. */
    background: 'in the background',
    report: 'Full report',
    hideReport: 'Hide report',
    reportOf: (agent: string) => `report of ${agent}`,
    said: (words: string) => `what it said, “${words}”`,
    transcript: 'Transcript',
    answer: 'Answer',
    model: 'Model',
    noTranscript: 'This run has not said anything yet.',
    loadFailed: 'The transcript could not be loaded',
    notStarted: 'It was not started.',
    notYet: 'It has not started yet.',
  },
  approval: {
    itemOf: (item: number, items: number) => `${item} of ${items} in this batch`,
    timeout: (time: string) => `Without an answer the answer is no, in ${time}.`,
    timeoutAllows: (time: string) =>
      `Without an answer the answer is yes, in ${time}, if somebody could give one then; else no.`,
    asleep: 'Its workflow was interrupted: your answer resumes it.',
    list: 'Waiting questions',
    allowAll: (value: number) => `Allow all ${value}`,
    allowAllHint: 'All of this batch, each as it stands in its form',
    allow: 'Allow once',
    reject: 'Reject',
    reason: 'Reason',
    reasonHint: 'optional, given to the agent',
    dismiss: 'Close: the question stays open',
    edited: 'edited',
    reset: 'Undo edits',
    sending: 'Sending…',
    announce: (agent: string, title: string) => visibleText(`Question from ${agent}: ${title}`),
    /** The person stands at the head of every chain. */
    from: (chain: readonly string[]) => `Asked by ${chain.slice(1).join(' › ')}`,
    during: (message: string) => `during “${message}”`,
    prompt: 'Prompt',
    systemPrompt: 'System prompt',
    agent: 'Agent',
    model: 'Model',
    modelOther: 'Other model id…',
    modelId: 'Model id',
    maxTokens: 'Max tokens per answer',
    maxIterations: 'Turns at most',
    maxTotalTokens: 'Budget: tokens in all',
    maxCost: 'Budget: US dollars',
    maxMinutes: 'Budget: minutes',
    cut: 'Cut',
    repeats: 'Repeats',
    repeatsFact: (threshold: number) => `told after ${threshold} identical calls, ended after ${2 * threshold}`,
    unbounded: 'not bounded',
    budget: 'Budget',
    inactivity: 'Inactivity limit (seconds)',
    silence: 'Inactivity limit',
    hash: 'Hash (SHA-256)',
    temperature: 'Temperature',
    effort: 'Effort',
    effortDefault: 'default',
    tools: 'Tools',
    mcp: 'MCP servers',
    permissions: 'Permissions',
    mode: 'Approval mode',
    folder: 'Folder',
    provider: 'Provider',
    stages: 'Stages after it',
    whoWorks: 'Who works',
    /** The most that all of it can come to. */
    worst: (most: string) => `In all ${most}`,
    asAsked: 'before your edits',
    takenToo: (agent: string, tools: readonly string[]) => `Taken from ${agent} too: ${tools.join(', ')}`,
    reports: 'Reports of others',
    seesReports: 'may search those of this workflow',
    seesNoReports: 'sees none',
    definition: 'Definition',
    temporary: 'temporary agent, made by the lead',
    limits: 'Limits',
    tool: 'Tool',
    path: 'Path',
    content: 'Content',
    command: 'Command',
    arguments: 'Arguments (JSON)',
    otherArguments: 'Other arguments (JSON)',
    diffIsOriginal: 'The changes above are those asked for; what you edited is what will be written.',
    notJson: (why: string) => `This is not JSON: ${why}`,
    creates: 'new file',
    changes: (added: number, removed: number) => `+${added} −${removed}`,
    alwaysGranted: 'Always granted',
    permissionsFollow: 'follow from the tools',
    permissionsAnew: 'as asked; set anew from the tools that you ticked',
    /** Names of an envelope's fields in sentences about them. */
    fields: {
      prompt: 'The prompt',
      systemPrompt: 'The system prompt',
      model: 'The model',
      maxTokens: 'The number of tokens per answer',
      maxIterations: 'The number of turns',
      inactivityMs: 'The inactivity limit in seconds',
      tokens: 'The budget of tokens',
      costUsd: 'The budget of dollars',
      minutes: 'The budget of minutes',
      approvalMode: 'The approval mode',
      effort: 'The effort',
      tools: 'The list of tools',
    },
    problems: {
      tooBig: (bound: string) => `cannot be more than ${bound}`,
      notMore: (bound: string) => `must be more than ${bound}`,
      tooSmall: (bound: string) => `must be at least ${bound}`,
      tooLong: (bound: string) => `cannot be longer than ${bound} characters`,
      empty: 'is empty',
      noNumber: 'must be a whole number',
    },
    description: 'Description',
    facts: 'Other settings',
    heading: 'Title and place',
    /** What is not seen yet follows. */
    unseen: 'Allow waits until you have seen the end of:',
    /** The key of the yes while a text is unread. `current`: of the texts that had to be read. */
    showRest: (current: number, all: number) => `Show the rest (${current} of ${all})`,
    /** After the key of the yes has shown a page. */
    showing: (label: string) => `Showing: ${label}`,
    /** Why the key of the yes answered nothing. */
    tooSoon: 'Too soon after it was shown. Press again.',
    writingReason: 'You are writing a reason to reject. Press Escape first, then allow.',
    inField: 'This field takes no answer. Leave it with Tab, then press again.',
    noReply: 'Choose or write an answer first, or skip.',
    onlyOne: 'There is no batch to allow at once. Use Allow once.',
    openFirst: (label: string) => `Unfold and read first: ${label}`,
    focusMoved: 'The question has the focus now. Press again to answer it.',
    nothingWaits: 'No question is waiting. Write a message to go on.',
    stillWorking: 'Nothing to allow yet: the agents are working.',
    allWaits: (items: number) => `Allow all ${items} waits until you have seen the end of:`,
    unseenElsewhere: (items: number) => `Allow all ${items} also waits for the end of:`,
    /** Of another item of the batch. */
    unseenOf: (agent: string, label: string) => `${agent}: ${label}`,
    /** `gaps`: empty stretches that are shown as their length. */
    hidden: ({ hidden, mixed, gaps }: { hidden: number; mixed: number; gaps: number }) => {
      const found = [
        ...(hidden > 0 ? [`${plural(hidden, 'character', 'characters')} that cannot be seen`] : []),
        ...(mixed > 0 ? [`${plural(mixed, 'word', 'words')} of mixed scripts`] : []),
        ...(gaps > 0 ? [plural(gaps, 'long empty stretch', 'long empty stretches')] : []),
      ];
      return `Contains ${found.join(', ')}. With marks:`;
    },
  },
  agents: agentsWords,
  attention: attentionWords,
  ask: askWords,
  flow: flowWords,
  grant: grantWords,
  may: mayWords,
  mcp: mcpWords,
  json: jsonWords,
  changes: changesWords,
  context: contextWords,
  decide: decisionWords,
  review: reviewWords,
  decision: {
    /** To what an agent wants to know there is no yes. */
    verdict: (kind: Subject['kind'], { outcome, allowed }: Pick<Decision, 'outcome' | 'allowed'>) => {
      if (outcome === 'cancelled') return 'Cancelled';
      if (kind === 'control-files') return allowed ? 'Kept' : 'Put back';
      if (kind === 'limit') return allowed ? 'Extended' : 'Finished';
      if (!allowed) return 'Rejected';
      return kind === 'questions' ? 'Answered' : 'Allowed';
    },
    open: 'Waiting for an answer',
    edited: 'edited',
    by: { person: 'by you', rule: 'by a rule', timeout: 'no answer in time', cancel: 'the run was stopped' },
    before: 'Asked',
    after: 'Approved',
    reason: 'Reason',
  },
  history: historyWords,
  replay: replayWords,
  trash: trashWords,
  menu: menuWords,
  turn: turnWords,
  stage: stageWords,
  work: workWords,
  settings: settingsWords,
  settingsPage: settingsPageWords,
  settingsSearch: settingsSearchWords,
  firstRun: firstRunWords,
  demo: demoWords,
  shell: shellWords,
  folds: foldedCalls,
  said: saidWords,
  stopped: (value: StopReceipt) => stopReceipt(value),
} as const;

/** What a dictionary of any language has. */
export type Words = SameWords<typeof english>;
