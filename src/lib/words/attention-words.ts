/** The words of what waits without a question, and of how the person is called. */
import { visibleText } from '#contract/visible-text.ts';

export const attentionWords = {
  detail: 'What waits',
  wantsSignIn: 'Needs a sign-in',
  toResume: 'interrupted',
  resumeHeading: 'Resume this workflow?',
  cutOff: (agent: string, when: string) => `${agent} was cut off on ${when}`,
  resumeText:
    'It goes on from the last finished step; what is finished is not paid for again. It waits until you resume it or send another message in its conversation.',
  signInHeading: (server: string) => `Sign in to the MCP server “${server}”?`,
  signInText: 'It refuses what agents ask of it until you sign in.',
  waysOn: 'What you can do',
  toServers: 'Open MCP servers',
  hint: 'You are called only while you are away: without keyboard and pointer for a while, or in another window. Of several windows one calls. Quiet hours silence sounds and notifications; the number in the title stays.',
  play: { blocked: 'Play “waits for you”', done: 'Play “has ended”' },
  playing: 'No sound? Check the volume of your system.',
  permission: {
    default: 'This browser has not been asked to show notifications.',
    granted: 'This browser shows notifications.',
    denied: 'This browser refuses notifications: allow them for this address in its settings.',
    unsupported: 'This browser has no notifications.',
  },
  allow: 'Allow notifications…',
  /** Of a notification. `agents`: who would start, or asks. */
  question: (agents: string) => visibleText(`Question from ${agents}`),
  done: 'A workflow has ended',
  labels: {
    'attention.sound_blocked': 'Sound: waits for you',
    'attention.sound_done': 'Sound: has ended',
    'attention.volume': 'Volume',
    'attention.notifications': 'Notifications',
    'attention.repeats': 'Calls again',
    'attention.away_seconds': 'Away after',
    'attention.quiet_from': 'Quiet from',
    'attention.quiet_to': 'Quiet until',
  },
} as const;
