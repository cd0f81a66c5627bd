/** The type of the rpc handlers: one function for each method. */
import type { MethodName, Output, Parsed } from '#contract/rpc.ts';

export type Handlers = { [M in MethodName]: (input: Parsed<M>) => Promise<Output<M>> | Output<M> };
