/** Two sounds that differ, as loud as is wanted; none at no volume, and none where the browser allows none. */
import { expect, test } from 'vitest';
import { Tones } from '#lib/ui/tones.ts';

/** Notes what would be heard: pitch and loudest value of each note. */
function studio(state: AudioContextState = 'running') {
  const heard: { pitch: number; peak: number }[] = [];
  const context = {
    state,
    currentTime: 0,
    destination: {},
    resume: () => new Promise(() => undefined),
    createOscillator: () => {
      const frequency = { value: 0 };
      return {
        frequency,
        connect: (gain: { note: { peak: number } }) => {
          heard.push(Object.assign(gain.note, { pitch: frequency.value }));
          return gain;
        },
        start: () => undefined,
        stop: () => undefined,
      };
    },
    createGain: () => {
      const note = { pitch: 0, peak: 0 };
      const ramp = (value: number) => void (note.peak = Math.max(note.peak, value));
      return {
        note,
        gain: { setValueAtTime: () => undefined, exponentialRampToValueAtTime: ramp },
        connect: () => undefined,
      };
    },
  };
  return { tones: new Tones(() => context as unknown as AudioContext), heard };
}

test('the tones rise when work waits, and fall when work is done', async () => {
  const [waits, done] = [studio(), studio()];
  await waits.tones.play('blocked', 50);
  await done.tones.play('done', 50);
  const [up, down] = [waits.heard, done.heard].map((notes) => notes.map(({ pitch }) => pitch));
  expect(up).toEqual(up?.toSorted((a, b) => a - b));
  expect(down).toEqual(down?.toSorted((a, b) => b - a));
  expect(up).not.toEqual(down);
});

test('a higher volume is louder, and never clips', async () => {
  const peak = async (volume: number) => {
    const { tones, heard } = studio();
    await tones.play('blocked', volume);
    return Math.max(0, ...heard.map((note) => note.peak));
  };
  const [none, low, full] = [await peak(0), await peak(20), await peak(100)];
  expect(none).toBe(0);
  expect(low).toBeGreaterThan(0);
  expect(low).toBeLessThan(full);
  expect(full).toBeLessThanOrEqual(0.5);
});

test('plays nothing later if the browser does not allow sound yet', async () => {
  const { tones, heard } = studio('suspended');
  await tones.play('blocked', 100);
  expect(heard).toEqual([]);
});
