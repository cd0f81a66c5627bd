/** What this desktop alone can answer, in front of a runtime that answers everything else. */
import type { Client, Input, MethodName, Output } from '#contract/rpc.ts';

/** The same runtime, but for one method. What that is given is as a page sent it: it may be anything. */
export function answering<M extends MethodName>(
  client: Client,
  own: M,
  answer: (input: Input<M>) => Promise<Output<M>>,
): Client {
  const name: MethodName = own;
  return {
    subscribe: (topic, input, listener) => client.subscribe(topic, input, listener),
    request: async (method, input) => {
      if (method !== name) return client.request(method, input);
      // The method determines the type, which the compiler cannot follow.
      const answered: unknown = await answer(input);
      return answered as Output<typeof method>;
    },
  };
}
