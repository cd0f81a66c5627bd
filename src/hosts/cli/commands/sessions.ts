/** `triad sessions`: the commands about conversations and their workflows. */
import type { Command } from 'commander';
import type { Exit, Io } from '../terminal/io.ts';
import { addGroup } from './group.ts';
import { addSessionsAgain } from './sessions/again.ts';
import { addSessionsAgents } from './sessions/agents.ts';
import { addSessionsClean } from './sessions/clean.ts';
import { addSessionsDelete } from './sessions/delete.ts';
import { addSessionsExport } from './sessions/export.ts';
import { addSessionsFork } from './sessions/fork.ts';
import { addSessionsList } from './sessions/list.ts';
import { addSessionsProject } from './sessions/project.ts';
import { addSessionsReplay } from './sessions/replay.ts';
import { addSessionsRestore } from './sessions/restore.ts';
import { addSessionsResume } from './sessions/resume.ts';
import { addSessionsRewind } from './sessions/rewind.ts';
import { addSessionsSay } from './sessions/say.ts';
import { addSessionsSearch } from './sessions/search.ts';
import { addSessionsShow } from './sessions/show.ts';
import { addSessionsTrace } from './sessions/trace.ts';
import { addSessionsTryNow } from './sessions/try-now.ts';

export function addSessions(program: Command, io: Io, exit: Exit): void {
  const sessions = addGroup(program, 'sessions', 'list, show, search, continue and delete sessions (conversations)');
  addSessionsList(sessions, io);
  addSessionsShow(sessions, io);
  addSessionsTrace(sessions, io);
  addSessionsReplay(sessions, io);
  addSessionsSearch(sessions, io);
  addSessionsAgents(sessions, io);
  addSessionsExport(sessions, io);
  addSessionsProject(sessions, io);
  addSessionsClean(sessions, io);
  addSessionsDelete(sessions, io);
  addSessionsRestore(sessions, io);
  addSessionsRewind(sessions, io);
  addSessionsFork(sessions, io, exit);
  addSessionsAgain(sessions, io, exit);
  addSessionsSay(sessions, io);
  addSessionsTryNow(sessions, io);
  addSessionsResume(sessions, io, exit);
}
