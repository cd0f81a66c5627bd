/** The guarantees in SECURITY.md, in their order, with the tests of `npm test` that fail if one of them is broken. */

interface Guarantee {
  sentence: string;
  /** Each is `path › title`. */
  tests: readonly string[];
}

export const GUARANTEES: readonly Guarantee[] = [
  // Approval
  {
    sentence: 'Text of a model, tool, file or web page is never an approval.',
    tests: [
      'tests/security/text-as-approval.test.ts › no text of a message, model, file, tool or web page approves a call',
    ],
  },
  {
    sentence: 'A sub-agent starts only after you, your rule or your grant approves all of its settings.',
    tests: ['tests/core/approvals/approval.test.ts › a sub-agent sends nothing before it was approved'],
  },
  {
    sentence: 'It runs with exactly those settings.',
    tests: [
      'tests/core/approvals/approval.test.ts › exactly the edited prompt is what the child gets, and both hashes are kept',
      'tests/core/runs/approved-is-run.test.ts › a sub-agent whose prompt was changed in the store since the question is not started',
    ],
  },
  {
    sentence: 'A sub-agent has no permission that its lead lacks.',
    tests: [
      'tests/core/runs/narrowing.test.ts › what starts is within the parent',
      'tests/core/runs/narrowing.test.ts › what the person makes of it is within the parent',
      'tests/core/runs/narrowing.test.ts › a refusal names what is too much, and what the lead has',
      'tests/core/runs/envelopes.test.ts › %o is refused',
      'tests/core/approvals/approval.test.ts › an edit beyond what the lead has is refused, and the question stays open',
    ],
  },
  {
    sentence: 'A timeout never approves high risk.',
    tests: [
      'tests/core/approvals/permissions.test.ts › a timeout never allows a batch of sub-agents, because its risk is high',
      'tests/core/approvals/approval.test.ts › an unanswered question ends as no when its time is over',
    ],
  },
  // Files and keys
  {
    sentence: 'File tools read and write only in the folder of the conversation.',
    tests: [
      'tests/core/tools/path-escapes.test.ts › every input that is named like a path is tried',
      'tests/core/tools/path-escapes.test.ts › $name',
    ],
  },
  {
    sentence: 'If another folder or a link replaces the folder of a conversation, tools refuse it until you allow it.',
    tests: ['tests/security/replaced-roots.test.ts › a workspace that another folder or a link replaces'],
  },
  {
    sentence: 'No file tool reads or writes files of keys by their names, even if a rule allows it.',
    tests: [
      'tests/core/workspace/secret-names.test.ts › reading is refused by name, and through a harmless link to it',
      'tests/core/runs/own-folders.test.ts › with a rule that allows every write, the mode auto and a yes to everything',
    ],
  },
  {
    sentence: "Triad's own folders are closed to file tools, except session notes to a lead.",
    tests: [
      'tests/core/runs/own-folders.test.ts › with a rule that allows every write, the mode auto and a yes to everything',
    ],
  },
  {
    sentence:
      'Known forms of keys in files, tool output and web pages are redacted before a model gets them, also in base64 and hexadecimal.',
    tests: ['tests/security/known-keys.test.ts › known keys in files, commands, MCP servers and web pages'],
  },
  {
    sentence: 'Only your answer to a question opens a file with its keys.',
    tests: [
      'tests/security/known-keys.test.ts › opens a file with its keys after one question, in every mode, until the file changes',
    ],
  },
  {
    sentence: 'Your own keys are redacted in logs, exports, spans and errors.',
    tests: ['tests/hosts/redaction.test.ts › nothing secret is in any sink, and the history is as it happened'],
  },
  {
    sentence: 'A key is sent only to the address that it was saved for.',
    tests: [
      'tests/core/model/kept-key.test.ts › a settings file or an environment that names another endpoint later gets no request with the key',
      'tests/core/model/kept-key.test.ts › an endpoint that sends on to another address does not take the key there',
      'tests/core/model/kept-key.test.ts › follows no redirect of an endpoint of type %s',
    ],
  },
  {
    sentence: 'Triad puts no stored secret into the arguments of an MCP server.',
    tests: ['tests/core/mcp/configured.test.ts › reject a secret in an argument of a server'],
  },
  // Commands
  {
    sentence:
      'In the sandbox, a command sees nothing of your home folder but the workspace, its repository, toolchains and folders that you set.',
    tests: [
      'tests/security/sandbox-outside.test.ts › files of the home folder',
      'tests/core/workspace/shell/escapes.test.ts › nothing outside changed, nothing hidden was read, nothing was connected to',
      'tests/core/workspace/shell/seatbelt.test.ts › the home folder is empty but for toolchains, caches and the workspace',
    ],
  },
  {
    sentence: 'It writes only in the workspace, its repository, temporary folders and caches of its own.',
    tests: [
      'tests/security/sandbox-outside.test.ts › files of the home folder',
      'tests/core/workspace/shell/escapes.test.ts › $name',
      'tests/core/workspace/shell/seatbelt.test.ts › only the workspace, the caches and a temporary folder can be written',
    ],
  },
  {
    sentence: 'It has no network unless its call requests the network and is approved.',
    tests: [
      'tests/core/tools/bash.test.ts › only bash_online reaches the network',
      'tests/core/workspace/shell/seatbelt.test.ts › the network is closed, or open but for Unix sockets, or open',
    ],
  },
  {
    sentence: 'It gets an allowlist of variables, without keys.',
    tests: [
      'tests/security/sandbox-outside.test.ts › variables with secrets',
      'tests/core/workspace/shell/shell-process.test.ts › no key, no door to another program and nothing that loads code is in its environment',
    ],
  },
  {
    sentence:
      'If it changes [control files](docs/tools.md#bash), nothing starts outside the sandbox until you answer one question.',
    tests: [
      'tests/security/control-settlements.test.ts › keep programs from starting while a question is open or a command goes on',
      'tests/security/control-files.test.ts › are not committed before the answer, and are put back by a stop',
      'tests/security/mcp-servers.test.ts › runs after a rewrite by a command of an agent only when the person keeps it, with nothing more than before',
    ],
  },
  // Projects and git
  {
    sentence:
      'Agents, allowing rules, settings and servers of a project have no effect before you trust their files, and after each change.',
    tests: [
      'tests/core/agents/agent-folders.test.ts › a project file is inert until it is trusted as it is: new, changed, revoked',
      'tests/core/approvals/permissions.test.ts › its file allows nothing until it is trusted as it is',
      'tests/core/settings/project-config.test.ts › limits of a project hold for its workflows once its file is trusted as it is, and not any more once it changed',
      'tests/core/mcp/mcp-run.test.ts › starts no server before its very file is trusted, and none that changed since',
    ],
  },
  {
    sentence: 'Rules of a project that deny or ask apply at once.',
    tests: [
      'tests/core/approvals/rule-files.test.ts › a project that is not trusted keeps what denies or asks, also where nobody can say',
    ],
  },
  {
    sentence: 'A project can lower limits, and cannot raise them.',
    tests: [
      'tests/core/settings/project-config.test.ts › the lower of two limits holds, and one that is not set is higher than any',
    ],
  },
  {
    sentence:
      'Triad reads a repository with a git directory of its own, so hooks, filters and settings of the repository do not run.',
    tests: ['tests/security/hostile-repository.test.ts › a repository whose settings, hooks and filters name programs'],
  },
  {
    sentence: 'A commit that you start runs the hooks, filters and signing programs that you saw.',
    tests: [
      'tests/core/runs/commit-files.test.ts › a commit that the person saw runs its hooks, filters and the program that signs',
      'tests/core/runs/commit-files.test.ts › a commit runs no program that is planted after the person saw the list',
      'tests/core/runs/commit-files.test.ts › a commit with programs that the person did not see is rejected',
    ],
  },
  // MCP servers
  {
    sentence:
      'A server whose program, argument, variable or folder is in the workspace runs in the sandbox, with the network.',
    tests: [
      'tests/core/mcp/server-start.test.ts › confines a server that starts, or could start, from the workspace',
      'tests/security/mcp-servers.test.ts › reads nothing of the home folder and of other workspaces, and writes only in its own',
      'tests/security/mcp-servers.test.ts › reaches a server of this machine, and holds no descriptor but its streams',
    ],
  },
  {
    sentence: 'Your other servers start in an empty folder, so files of a project cannot influence them.',
    tests: [
      'tests/security/neutral-servers.test.ts › an MCP server of the person in a folder with programs of its name',
      'tests/security/neutral-servers.test.ts › an MCP server of the person that names a file of the folder',
    ],
  },
  {
    sentence: 'A server gets the variables that its entry names, and a few such as `PATH`.',
    tests: [
      'tests/core/mcp/stdio.test.ts › in the folder of the workspace or the one configured, with little of our environment',
      'tests/security/mcp-servers.test.ts › gets its variables, which no program outside gets, and none of 60 secrets of the environment',
    ],
  },
  {
    sentence: 'What a server says about a tool never makes a call need less approval.',
    tests: [
      'tests/core/mcp/mcp-run.test.ts › that a rule with tool and pattern allows is not asked about, whatever the server claims is',
    ],
  },
  {
    sentence: 'If a server changes the description of a tool, the next call requires a new approval.',
    tests: [
      'tests/core/mcp/mcp-run.test.ts › about a tool since the person agreed to it is told apart: the call is asked, the model is told nothing new',
      'tests/core/mcp/mcp-run.test.ts › between the question and its answer is not called',
    ],
  },
  {
    sentence: 'One call may ask you three questions.',
    tests: ['tests/security/exhaustion.test.ts › a server that asks 200 questions in one call'],
  },
  // The page and the machine
  {
    sentence: 'The host listens on this machine only, and checks `Host` and `Origin`.',
    tests: [
      'tests/hosts/http/entrance.test.ts › listens on loopback addresses only, and leaves neither of them to another program',
      'tests/hosts/http/entrance.test.ts › a foreign host name is refused',
      'tests/hosts/http/connection.test.ts › a socket needs our origin, a known host and the right path',
    ],
  },
  {
    sentence: 'The printed URL works once.',
    tests: ['tests/hosts/http/sign-in.test.ts › the token works once, and no guess is it'],
  },
  {
    sentence:
      'The page has a random host name or port, so storage and service workers of other programs see neither the page nor the URL.',
    tests: [
      'e2e/shell/planted-origin.spec.ts › withstands a service worker that a program left at another address',
      'e2e/shell/planted-origin.spec.ts › withstands a service worker that a program left at the same address',
      'tests/hosts/http/entrance.test.ts › serves the app at its own random host name, and at no other name below localhost',
    ],
  },
  {
    sentence: 'A browser proves a key that no script can read.',
    tests: [
      'tests/hosts/http/sign-in.test.ts › a browser that has no key, or one of its own making, is a stranger',
      'tests/hosts/http/sign-in.test.ts › a signature for another purpose, another nonce or of another key is refused',
      'e2e/shell/sign-in.spec.ts › the printed URL lets one browser in, once and for long, and a script gets neither token nor key',
    ],
  },
  {
    sentence: 'The host sets no cookie.',
    tests: ['tests/hosts/http/entrance.test.ts › the app is there for anybody, sets no cookie and asks for none'],
  },
  {
    sentence:
      'The page loads nothing from other hosts, and runs scripts only under a strict policy with Trusted Types.',
    tests: [
      'tests/electron/checklist.test.ts › 7. Define a Content Security Policy',
      'tests/hosts/http/static-files.test.ts › every answer carries the policy of the page, with framing forbidden, and the other strict headers',
    ],
  },
  {
    sentence: 'A link whose text names another host shows its real host.',
    tests: ['tests/security/page-text.test.ts › links whose text names another host'],
  },
  {
    sentence: 'Characters that change the direction of text, and stacks of marks, are visible.',
    tests: [
      'tests/security/page-text.test.ts › text that turns around or covers other text',
      'tests/security/page-text.test.ts › text that covers a terminal, a few marks at a time',
    ],
  },
  {
    sentence: 'Settings, keys and agents that other users may write are refused.',
    tests: [
      'tests/core/base/write-fault.test.ts › a settings file of mode %s is not read',
      'tests/core/base/write-fault.test.ts › keys, trust and agents are held to the same',
    ],
  },
  // History
  {
    sentence: 'Each event is on disk before it is shown.',
    tests: [
      'tests/core/store/log/event-log.test.ts › what nobody waits for goes with the next that somebody does',
      'tests/core/store/durability.test.ts › also several times in a row',
    ],
  },
  {
    sentence: 'One program owns the store.',
    tests: [
      'tests/core/host/ownership/ownership.test.ts › two processes: exactly one wins; in the full run with and without a dead owner, again and again',
    ],
  },
  {
    sentence: 'Grants in a store on a server are signed: Triad ignores grants that other users wrote there.',
    tests: ['tests/security/shared-store.test.ts › grants that another user writes to a shared store'],
  },
];
