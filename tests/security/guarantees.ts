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
      'tests/core/approvals/approval.test.ts › a sub-agent gets exactly the edited prompt, and the hashes before and after the edit are stored',
      'tests/core/runs/approved-is-run.test.ts › a sub-agent is not started if its stored prompt changed after the approval request',
    ],
  },
  {
    sentence: 'A sub-agent has no permission that its lead lacks.',
    tests: [
      'tests/core/runs/narrowing.test.ts › a started sub-agent has no more permissions than its parent, apart from the baseline',
      'tests/core/runs/narrowing.test.ts › a sub-agent edited by the person has no more than its parent',
      'tests/core/runs/narrowing.test.ts › a rejection names the excess permissions or tools and those of the lead',
      'tests/core/runs/envelopes.test.ts › %o is refused',
      'tests/core/approvals/approval.test.ts › rejects an edit beyond the tools and the folder of the lead, and leaves the approval open',
    ],
  },
  {
    sentence: 'A timeout never approves high risk.',
    tests: [
      'tests/core/approvals/permissions.test.ts › a timeout never allows a batch of sub-agents, because its risk is high',
      'tests/core/approvals/approval.test.ts › an unanswered approval is rejected at its timeout',
    ],
  },
  // Files and keys
  {
    sentence: 'File tools read and write only in the folder of the conversation.',
    tests: [
      'tests/core/tools/path-escapes.test.ts › the attempts cover every tool input that is named like a path',
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
      'tests/core/workspace/secret-names.test.ts › read_file rejects a secret file by its name and through a link',
      'tests/core/runs/own-folders.test.ts › denies own folders and key files despite a rule for every write, mode auto and full approval',
    ],
  },
  {
    sentence: "Triad's own folders are closed to file tools, except session notes to a lead.",
    tests: [
      'tests/core/runs/own-folders.test.ts › denies own folders and key files despite a rule for every write, mode auto and full approval',
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
      'tests/security/known-keys.test.ts › asks once before a file is read with its keys, despite an allow rule and mode auto, and again after a change',
    ],
  },
  {
    sentence: 'Your own keys are redacted in logs, exports, spans and errors.',
    tests: ['tests/hosts/redaction.test.ts › no output contains a planted secret, and the history is unchanged'],
  },
  {
    sentence: 'A key is sent only to the address that it was saved for.',
    tests: [
      'tests/core/model/kept-key.test.ts › another endpoint in the settings file or environment does not get the stored key',
      'tests/core/model/kept-key.test.ts › does not follow a redirect of the endpoint with the key',
      'tests/core/model/kept-key.test.ts › follows no redirect of an endpoint of type %s',
    ],
  },
  {
    sentence: 'Triad puts no stored secret into the arguments of an MCP server.',
    tests: ['tests/core/mcp/configured.test.ts › rejects a secret in a command line argument of a server'],
  },
  // Commands
  {
    sentence:
      'In the sandbox, a command sees nothing of your home folder but the workspace, its repository, toolchains and folders that you set.',
    tests: [
      'tests/security/sandbox-outside.test.ts › files of the home folder',
      'tests/core/workspace/shell/escapes.test.ts › change nothing outside, read nothing hidden and open no connection',
      'tests/core/workspace/shell/seatbelt.test.ts › hides the home folder except toolchains, caches and the workspace',
    ],
  },
  {
    sentence: 'It writes only in the workspace, its repository, temporary folders and caches of its own.',
    tests: [
      'tests/security/sandbox-outside.test.ts › files of the home folder',
      'tests/core/workspace/shell/escapes.test.ts › have no effect: $name',
      'tests/core/workspace/shell/seatbelt.test.ts › allows writing only to a workspace that is not read-only, the caches, a temporary folder and some devices',
    ],
  },
  {
    sentence: 'It has no network unless its call requests the network and is approved.',
    tests: [
      'tests/core/tools/bash.test.ts › only bash_online reaches the network',
      'tests/core/workspace/shell/seatbelt.test.ts › denies the network, or allows the network without or with Unix sockets',
    ],
  },
  {
    sentence: 'It gets an allowlist of variables, without keys.',
    tests: [
      'tests/security/sandbox-outside.test.ts › variables with secrets',
      'tests/core/workspace/shell/shell-process.test.ts › the environment has no keys, no sockets of other programs and no variables that load code',
    ],
  },
  {
    sentence:
      'If it changes [control files](docs/tools.md#bash), nothing starts outside the sandbox until you answer one question.',
    tests: [
      'tests/security/control-settlements.test.ts › block program starts while an approval is open or a command still runs',
      'tests/security/control-files.test.ts › cannot be committed before the approval, and are restored by a stop',
      'tests/security/mcp-servers.test.ts › runs after an agent rewrote it only with approval, and with unchanged rights',
    ],
  },
  // Projects and git
  {
    sentence:
      'Agents, allowing rules, settings and servers of a project have no effect before you trust their files, and after each change.',
    tests: [
      'tests/core/agents/agent-folders.test.ts › a project file is ignored until its exact text is trusted, and again after a change or a revocation',
      'tests/core/approvals/permissions.test.ts › a project file allows nothing until its exact text is trusted',
      'tests/core/settings/project-config.test.ts › limits of a project apply only while its current file is trusted',
      'tests/core/mcp/mcp-run.test.ts › start only if the exact project file is trusted',
    ],
  },
  {
    sentence: 'Rules of a project that deny or ask apply at once.',
    tests: [
      'tests/core/approvals/rule-files.test.ts › rules of an untrusted project that deny or ask still apply, also if the trust check fails',
    ],
  },
  {
    sentence: 'A project can lower limits, and cannot raise them.',
    tests: [
      'tests/core/settings/project-config.test.ts › the lower of two limits applies, and an unset limit counts as unlimited',
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
      'tests/security/mcp-servers.test.ts › cannot read the home folder or other workspaces, and writes only in its own workspace',
      'tests/security/mcp-servers.test.ts › can connect to a local server, and inherits no other file descriptors',
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
      'tests/core/mcp/stdio.test.ts › uses the workspace or the configured folder, and passes only few environment variables',
      'tests/security/mcp-servers.test.ts › receives its own variables, which no outside program sees, and no secrets of the environment',
    ],
  },
  {
    sentence: 'What a server says about a tool never makes a call need less approval.',
    tests: [
      'tests/core/mcp/mcp-run.test.ts › requires approval unless a rule names tool and pattern, whatever the server claims',
    ],
  },
  {
    sentence: 'If a server changes the description of a tool, the next call requires a new approval.',
    tests: [
      'tests/core/mcp/mcp-run.test.ts › a changed tool description raises the risk of the next call and does not reach the model',
      'tests/core/mcp/mcp-run.test.ts › a tool is not called if its description changes between the request and the approval',
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
      'tests/hosts/http/entrance.test.ts › listens on loopback addresses only, and fails if another program uses the port on one of them',
      'tests/hosts/http/entrance.test.ts › rejects a foreign host name',
      'tests/hosts/http/connection.test.ts › rejects a socket with another origin, an unknown host or another path',
    ],
  },
  {
    sentence: 'The printed URL works once.',
    tests: ['tests/hosts/http/sign-in.test.ts › the token works once, and a guessed token is rejected'],
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
      'tests/hosts/http/sign-in.test.ts › rejects a browser without a key, or with the key of a failed sign-in',
      'tests/hosts/http/sign-in.test.ts › a signature for another purpose, another nonce or of another key is refused',
      'e2e/shell/sign-in.spec.ts › the printed URL signs in one browser only once, and scripts cannot read the token or the key',
    ],
  },
  {
    sentence: 'The host sets no cookie.',
    tests: ['tests/hosts/http/entrance.test.ts › serves the app to every browser, without cookies'],
  },
  {
    sentence:
      'The page loads nothing from other hosts, and runs scripts only under a strict policy with Trusted Types.',
    tests: [
      'tests/electron/checklist.alone.test.ts › 7. Define a Content Security Policy',
      'tests/hosts/http/static-files.test.ts › every response has a content policy that forbids framing, and the other strict headers',
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
      'tests/core/base/write-fault.test.ts › rejects a settings file of mode %s',
      'tests/core/base/write-fault.test.ts › rejects key files, trust files and agent folders that others can write',
    ],
  },
  // History
  {
    sentence: 'Each event is on disk before it is shown.',
    tests: [
      'tests/core/store/log/event-log.test.ts › commits a non-urgent event together with the next urgent event',
      'tests/core/store/durability.test.ts › acknowledged events survive several kills in a row',
    ],
  },
  {
    sentence: 'One program owns the store.',
    tests: [
      'tests/core/host/ownership/ownership.test.ts › exactly one of two processes that claim a data folder becomes its owner',
    ],
  },
  {
    sentence: 'Grants in a store on a server are signed: Triad ignores grants that other users wrote there.',
    tests: ['tests/security/shared-store.test.ts › grants that another user writes to a shared store'],
  },
];
