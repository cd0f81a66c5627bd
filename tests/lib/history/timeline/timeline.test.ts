// The time of a workflow by cause, its axis with folded waits, and the part of it that is in sight.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CAUSES, spentOf } from '#lib/history/timeline/causes.ts';
import { foldsOf, scaleOf } from '#lib/history/timeline/scale.ts';
import { isWhole, moved, showing, WHOLE, zoomed } from '#lib/history/timeline/zoom.ts';
import type { Bar, BarKind, Lane } from '#lib/history/waterfall.ts';

function bar(kind: BarKind, from: number, to: number, rest: Partial<Bar> = {}): Bar {
  return {
    kind,
    from,
    to,
    requestId: null,
    tool: null,
    toolCallId: null,
    approvalId: null,
    firstTokenAt: null,
    ...rest,
  };
}
const lane = (id: string, bars: Bar[], toolCallId: string | null = null): Lane =>
  ({
    run: { id, toolCallId, queuedAt: new Date(0).toISOString(), startedAt: new Date(0).toISOString() },
    bars,
  }) as Lane;

describe('time by cause', () => {
  it('counts overlapping work of runs once, and excludes a call that waits for another run', () => {
    const lead = lane('lead', [bar('model', 0, 2000), bar('tools', 2000, 9000, { toolCallId: 'spawn' })]);
    const child = lane('child', [bar('wait', 2000, 6000), bar('model', 6000, 8000), bar('tools', 7500, 9000)], 'spawn');
    const spent = spentOf({ from: 0, to: 9000 }, [lead, child], []);
    expect(spent.workMs).toBe(5000);
    expect(spent.waits).toEqual({ person: 4000, rate: 0, retry: 0, limit: 0, queue: 0, idle: 0 });
    expect(spent.gaps).toEqual([{ from: 2000, to: 6000, parts: [{ cause: 'person', from: 2000, to: 6000 }] }]);
  });

  it('excludes the wait for an approval from the work of a call', () => {
    const lead = lane('lead', [bar('tools', 0, 9000, { toolCallId: 'write' }), bar('wait', 1000, 8000)]);
    expect(spentOf({ from: 0, to: 9000 }, [lead], [])).toMatchObject({ workMs: 2000, waits: { person: 7000 } });
  });

  it('separates waits for a busy provider, a retry, and the limit of the provider', () => {
    const request = (requestId: string, attempt: number, code: 'rate_limited' | 'provider' | null) => ({
      requestId,
      attempt,
      error: code === null ? null : { code, message: '' },
    });
    const requests = [request('a', 1, 'rate_limited'), request('b', 2, 'provider'), request('c', 3, null)];
    const first = lane('first', [
      bar('model', 0, 100, { requestId: 'a' }),
      bar('model', 3100, 3200, { requestId: 'b' }),
      bar('model', 4200, 9000, { requestId: 'c' }),
    ]);
    const spent = spentOf({ from: 0, to: 9000 }, [first], requests);
    expect(spent.waits).toMatchObject({ rate: 3000, retry: 1000, limit: 0 });
    // The second one may begin only when a request of the first one has ended.
    const second = lane('second', [bar('model', 9000, 9900, { requestId: 'd' })]);
    const third = lane('third', [bar('model', 0, 9000)]);
    const { held } = spentOf({ from: 0, to: 9900 }, [second, third], [request('d', 1, null)]);
    expect(held.get('second')).toEqual([{ cause: 'limit', from: 0, to: 9000 }]);
    expect(held.get('third')).toEqual([]);
  });

  it('gives each overlapping wait one cause, and marks time without a cause as idle', () => {
    const lead = lane('lead', [bar('queue', 0, 5000), bar('wait', 2000, 4000), bar('model', 6000, 7000)]);
    const { gaps } = spentOf({ from: 0, to: 7000 }, [lead], []);
    expect(gaps[0]?.parts.map(({ cause, from }) => [cause, from])).toEqual([
      ['queue', 0],
      ['person', 2000],
      ['queue', 4000],
      ['idle', 5000],
    ]);
  });

  it('work and waits add up to the whole time', () => {
    const interval = fc.tuple(fc.integer({ min: 0, max: 5000 }), fc.integer({ min: 0, max: 5000 }));
    const bars = fc.array(fc.tuple(fc.constantFrom<BarKind>('queue', 'wait', 'model', 'tools', 'mcp'), interval));
    fc.assert(
      fc.property(fc.array(bars, { maxLength: 4 }), (lanes) => {
        const drawn = lanes.map((own, n) =>
          lane(
            String(n),
            own.map(([kind, [a, b]]) => bar(kind, Math.min(a, b), Math.max(a, b))),
          ),
        );
        const { workMs, waits, gaps } = spentOf({ from: 0, to: 5000 }, drawn, []);
        expect(workMs + CAUSES.reduce((sum, cause) => sum + waits[cause], 0)).toBe(5000);
        for (const { from, to, parts } of gaps) {
          expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([from, to]);
        }
      }),
    );
  });
});

describe('the axis', () => {
  const span = { from: 1000, to: 301_000 };
  const gap = { from: 11_000, to: 291_000, parts: [] };

  it('folds a long wait to a notch, and shows its true length without folds', () => {
    const folded = scaleOf(span, foldsOf({ workMs: 20_000, gaps: [gap] }));
    expect(folded.at(1000)).toBe(0);
    expect(folded.at(301_000)).toBe(1);
    expect(folded.at(291_000) - folded.at(11_000)).toBeLessThan(0.03);
    expect(folded.at(11_000)).toBeGreaterThan(0.45);
    const plain = scaleOf(span, []);
    expect(plain.at(291_000) - plain.at(11_000)).toBeCloseTo(280 / 300);
  });

  it('does not fold a short wait, or any wait if there was no work', () => {
    expect(foldsOf({ workMs: 100_000, gaps: [{ from: 0, to: 4000, parts: [] }] })).toEqual([]);
    expect(foldsOf({ workMs: 0, gaps: [{ from: 0, to: 40_000, parts: [] }] })).toEqual([]);
    expect(foldsOf({ workMs: 1000, gaps: [{ from: 0, to: 900, parts: [] }] })).toEqual([]);
  });

  it('positions never decrease with time, whatever waits are folded', () => {
    const moment = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(fc.uniqueArray(moment, { maxLength: 12 }), moment, moment, (edges, a, b) => {
        const sorted = edges.sort((x, y) => x - y);
        const folds = Array.from({ length: Math.floor(sorted.length / 2) }, (_, n) => ({
          from: sorted[2 * n] ?? 0,
          to: sorted[2 * n + 1] ?? 0,
          parts: [],
        }));
        const { at } = scaleOf({ from: 0, to: 100_000 }, folds);
        expect(at(Math.min(a, b))).toBeLessThanOrEqual(at(Math.max(a, b)));
        expect(at(0)).toBe(0);
        expect(at(100_000)).toBeCloseTo(1);
      }),
    );
  });

  it('has round ticks in the visible part, and none in folded waits', () => {
    const scale = scaleOf(span, [gap]);
    const ticks = scale.ticks(0, 1, 6);
    expect(ticks.map(({ ms }) => ms)).toEqual([0, 5000, 10_000, 15_000, 20_000]);
    expect(ticks[3]?.at).toBeCloseTo(scale.at(296_000));
    for (const { at } of scale.ticks(0.5, 0.6, 6)) expect(at >= 0.5 && at <= 0.6).toBe(true);
  });
});

describe('the visible part of the axis', () => {
  it('zooms around a fixed point, and stays within the axis', () => {
    const near = zoomed(WHOLE, 2, 0.25);
    expect(near).toEqual({ from: 0.125, to: 0.625 });
    expect(isWhole(zoomed(near, 1 / 4))).toBe(true);
    expect(moved(near, -1)).toEqual({ from: 0, to: 0.5 });
    expect(moved(near, 9)).toEqual({ from: 0.5, to: 1 });
    const nearest = zoomed(WHOLE, 1e9);
    expect(nearest.to - nearest.from).toBeCloseTo(1 / 400);
  });

  it('moves to keep a selected bar visible', () => {
    expect(showing({ from: 0, to: 0.1 }, 0.05, 0.06)).toEqual({ from: 0, to: 0.1 });
    const followed = showing({ from: 0, to: 0.1 }, 0.5, 0.52);
    expect(followed.from).toBeCloseTo(0.46);
    expect(followed.to).toBeCloseTo(0.56);
  });
});
