/** The shape of what does the methods of the contract: one function for each. */
import type { MethodName, Output, Parsed } from '#contract/rpc.ts';

export type Handlers = { [M in MethodName]: (input: Parsed<M>) => Promise<Output<M>> | Output<M> };
