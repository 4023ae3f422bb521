import { describe, expect, it } from '@jest/globals';
import { createMetrics } from './metrics.ts';

async function lines(metrics: ReturnType<typeof createMetrics>, name: string): Promise<string[]> {
  return (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(name));
}

describe('gauges that are read at a scrape', () => {
  it('are filled by one read, however many they are', async () => {
    const metrics = createMetrics();
    let reads = 0;
    const gauges = [
      { name: 'watched_one', help: 'One' },
      { name: 'watched_two', help: 'Two', label: 'queue' },
    ];
    metrics.watch(gauges, async () => {
      reads += 1;
      return [
        { name: 'watched_one', value: reads },
        { name: 'watched_two', of: 'gpu', value: 7 },
      ];
    });
    expect(await lines(metrics, 'watched_')).toEqual(['watched_one 1', 'watched_two{queue="gpu"} 7']);
    expect(await lines(metrics, 'watched_one')).toEqual(['watched_one 2']);
  });

  it('have no number, rather than an old one or zero, when the read fails', async () => {
    const metrics = createMetrics();
    let fails = false;
    metrics.watch([{ name: 'watched_one', help: 'One' }], () => {
      if (fails) throw new Error('away');
      return [{ name: 'watched_one', value: 1 }];
    });
    expect(await lines(metrics, 'watched_')).toEqual(['watched_one 1']);
    fails = true;
    expect(await lines(metrics, 'watched_')).toEqual([]);
  });

  it('of caches exist before the first look-up', async () => {
    expect(await lines(createMetrics(), 'cache_operations_total')).toEqual(
      ['redis', 'settings'].flatMap((cache) =>
        ['hit', 'miss'].map((result) => `cache_operations_total{cache="${cache}",result="${result}"} 0`),
      ),
    );
  });
});
