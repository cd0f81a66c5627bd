/** Embeds texts without a service, always the same: hashed trigrams of words, where words that mean the same are one. */
import type { Embeddings } from '#core/model/embeddings.ts';
import { sha256 } from '#core/base/hash.ts';

const SAME: Readonly<Record<string, string>> = { automobile: 'car', vehicle: 'car', physician: 'doctor' };

export interface TestEmbedder extends Embeddings {
  /** Every text that was asked for, request by request. */
  readonly requests: (readonly string[])[];
  /** Instead of an answer, from now on; null answers again. */
  fault: (() => Promise<Float32Array[]>) | null;
}

export function testEmbedder({ name = 'trigrams', dimensions = 64 } = {}): TestEmbedder {
  const embedder: TestEmbedder = {
    name,
    dimensions,
    requests: [],
    fault: null,
    embed: async (texts) => {
      embedder.requests.push([...texts]);
      return embedder.fault ? embedder.fault() : texts.map((text) => vectorOf(text, dimensions));
    },
  };
  return embedder;
}

/** By trigram: tests have thousands of words embedded, most of them the same. */
const numbers = new Map<string, number>();

function numberOf(trigram: string): number {
  const number = numbers.get(trigram) ?? parseInt(sha256(trigram).slice(0, 8), 16);
  numbers.set(trigram, number);
  return number;
}

function vectorOf(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const known = ` ${SAME[word] ?? word} `;
    for (let at = 0; at + 3 <= known.length; at++) {
      const place = numberOf(known.slice(at, at + 3)) % dimensions;
      vector[place] = (vector[place] ?? 0) + 1;
    }
  }
  if (!vector.some((one) => one > 0)) vector[0] = 1;
  return vector;
}
