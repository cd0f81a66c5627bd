/** The port of a service that turns texts into vectors, so that what means the same can be found by other words. */
export interface Embeddings {
  /** Of the service and its model: vectors of another name are not compared with its own. */
  readonly name: string;
  /** How many numbers each of its vectors has. */
  readonly dimensions: number;
  /** One vector for each text, in their order; rejects where it cannot, or with the reason of the signal. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}
