/** Two short, calm sounds, made here: rising for what waits, falling for what is done. */

export type Tone = 'blocked' | 'done';

/** Of each note: its pitch in hertz, and when it begins, in seconds. */
const NOTES: Readonly<Record<Tone, readonly (readonly [pitch: number, at: number])[]>> = {
  blocked: [
    [587.33, 0],
    [880, 0.16],
  ],
  done: [
    [659.25, 0],
    [493.88, 0.14],
    [329.63, 0.28],
  ],
};
const RISE_S = 0.015;
const LENGTH_S = 0.5;
/** Of one note at full volume, so that two never clip. */
const LOUDEST = 0.35;
const SILENT = 0.0001;

export class Tones {
  #context: AudioContext | null = null;
  readonly #make: () => AudioContext;

  constructor(make: () => AudioContext = () => new AudioContext()) {
    this.#make = make;
  }

  /** `volume`: in percent. Where the browser allows no sound yet, there is none. */
  async play(tone: Tone, volume: number): Promise<void> {
    if (volume <= 0) return;
    this.#context ??= this.#make();
    const context = this.#context;
    // It waits for an input, however long; what waits no more must not be heard then.
    if (context.state === 'suspended') await Promise.race([context.resume(), moment()]);
    if (context.state !== 'running') return;
    // Loudness is no straight line.
    const peak = LOUDEST * (volume / 100) ** 2;
    for (const [pitch, at] of NOTES[tone]) sound(context, { pitch, peak, from: context.currentTime + at });
  }
}

const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 250));

function sound(context: AudioContext, { pitch, peak, from }: { pitch: number; peak: number; from: number }): void {
  const [source, gain] = [context.createOscillator(), context.createGain()];
  source.type = 'sine';
  source.frequency.value = pitch;
  gain.gain.setValueAtTime(SILENT, from);
  gain.gain.exponentialRampToValueAtTime(Math.max(peak, SILENT), from + RISE_S);
  gain.gain.exponentialRampToValueAtTime(SILENT, from + LENGTH_S);
  source.connect(gain).connect(context.destination);
  source.start(from);
  source.stop(from + LENGTH_S);
}
