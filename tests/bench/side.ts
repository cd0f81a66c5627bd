/** One side of the comparison: what this project and its floor both do, each in a process of its own. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Held } from '../support/held.ts';
import type { Delays } from './stamps.ts';

/** Times are on the common clock. */
export interface WorkflowTimes {
  sentAt: number;
  endedAt: number;
  /** For each sub-agent, how long after its yes its start was shown; none where nothing is asked. */
  shown: number[];
  /** How long after it happened a subscriber learnt that a sub-agent was queued, had started, or had ended. */
  updates: number[];
}

export interface BatchTimes {
  ms: number;
  /** Processor time of all threads of the process, without and with the work behind the workflows. */
  cpuMs: number;
  wholeCpuMs: number;
  /** Bytes after a collection of garbage. */
  heap: number;
  rss: number;
  shown: number[];
  updates: number[];
}

export interface StreamTimes {
  ms: number;
  delays: Delays;
  /** The longest time for which the main loop was blocked, in milliseconds. */
  blockedMs: number;
}

export interface Work {
  /** One workflow in an open conversation, from the message to its end. */
  workflow(): Promise<WorkflowTimes>;
  /** Streams so many deltas to a subscriber. */
  stream(prompt: string, take: (text: string) => void): Promise<{ sentAt: number; endedAt: number }>;
  /** Sends short messages, one after the other, in the conversation of the calls before; `fresh` starts a new one. */
  talk(count: number, fresh: boolean): Promise<void>;
  /** Resolves when the work behind the workflows is done: lists, search and Markdown. */
  settled(): Promise<void>;
  /** Starts a workflow that `stop` ends. */
  begin(): Promise<void>;
  /** Resolves, when all has ended, with the instant at which the stop was asked for. */
  stop(): Promise<number>;
  close(): Promise<void>;
}

export interface SideOperations {
  workflow(): Promise<WorkflowTimes>;
  batch(count: number): Promise<BatchTimes>;
  stream(input: { prompt: string; count: number }): Promise<StreamTimes>;
  /** Processor time of a message in milliseconds, with the work behind it: the mean of so many. */
  talk(input: { count: number; fresh: boolean }): Promise<number>;
  begin(): Promise<void>;
  stop(): Promise<number>;
  /** Looks once what goes away by itself has had time to go. */
  held(): Promise<Held>;
}

const RESOLUTION_MS = 1;

/** The longest that the main loop was kept from its timers while the work ran. */
export async function longestBlock<T>(work: () => Promise<T>): Promise<{ value: T; blockedMs: number }> {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  monitor.enable();
  try {
    const value = await work();
    return { value, blockedMs: Math.max(0, monitor.max / 1e6 - RESOLUTION_MS) };
  } finally {
    monitor.disable();
  }
}
