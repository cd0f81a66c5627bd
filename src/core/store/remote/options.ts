/** What opening a store on a server needs beside its address. */

/** How to sign in: by name and password, or by a token that the server has issued. */
export type Login = { user: string; password: string } | { token: string };

/** Who holds the lease, as the other side gets it. */
export interface Holder {
  /** The same for all processes of one installation on one machine: a new one takes over from a dead one at once. */
  installation: string;
  /** For people, such as `ada on laptop (pid 12)`. */
  name: string;
}

/** In milliseconds. */
export interface RemoteTimes {
  /** Longest time of one call, and of one attempt to connect. */
  call: number;
  /** Longest time, while this process runs, in which a call is tried again because its answer did not come. */
  patience: number;
  /** The same for the first connection. */
  start: number;
  /** Length of a lease, and how often it is renewed. */
  lease: number;
  renew: number;
}

export const TIMES: RemoteTimes = { call: 20_000, patience: 30_000, start: 10_000, lease: 30_000, renew: 10_000 };

export interface RemoteOptions {
  /** Read at each sign-in; null: the server asks for none. */
  login?: (() => Promise<Login | null>) | undefined;
  holder?: Holder | undefined;
  times?: Partial<RemoteTimes> | undefined;
  signal?: AbortSignal | undefined;
}
