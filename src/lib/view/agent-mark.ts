/** The mark of a run, as the screens ask for it. */
export { agentMarkOf, type AgentMark } from '#contract/flows/agent-mark.ts';
