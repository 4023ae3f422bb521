import pTimeout from 'p-timeout';
import { Gauge, type Registry } from 'prom-client';

/** A gauge that is read on every scrape. */
export type Watched = { name: string; help: string; label?: string };
/** One number of one of them, under its label's value where it has a label. */
export type Sample = { name: string; of?: string; value: number };
export type Reading = () => readonly Sample[] | Promise<readonly Sample[]>;

/** No scrape waits longer for what a gauge is read from. */
const readWithinMs = 2_500;

/**
 * Gauges that one read fills, once per scrape. A read that fails or takes too long leaves no numbers: an old one would
 * be a lie, and the other metrics stay readable.
 */
export function watch(registry: Registry, gauges: readonly Watched[], read: Reading): void {
  let reading: Promise<readonly Sample[]> | undefined;
  const once = (): Promise<readonly Sample[]> =>
    (reading ??= pTimeout(Promise.resolve().then(read), { milliseconds: readWithinMs })
      .catch(() => [])
      .finally(() => (reading = undefined)));
  for (const { name, help, label } of gauges)
    registry.registerMetric(
      new Gauge({
        name,
        help,
        ...(label === undefined ? {} : { labelNames: [label] }),
        registers: [],
        async collect() {
          const own = (await once()).filter((sample) => sample.name === name);
          this.reset();
          // A gauge without labels would report 0 for an unknown value.
          if (label === undefined) this.remove();
          for (const { of, value } of own) this.set(label === undefined ? {} : { [label]: of ?? '' }, value);
        },
      }),
    );
}
