import { dispatcherRpc } from '@overtone/contracts';
import type { Bus, Log } from '@overtone/service-kit';
import type { Languages } from './languages.ts';

const keepMs = 10_000;

/** Asks the dispatcher over the bus; an answer, or a failure, is kept for ten seconds. */
export const createDispatcherLanguages = ({ bus, log }: { bus: Pick<Bus, 'ask'>; log: Log }): Languages => {
  let kept: { until: number; languages: Promise<string[] | null> } | undefined;
  const ask = async (): Promise<string[] | null> => {
    try {
      return (await bus.ask(dispatcherRpc.languages, {})).languages;
    } catch (err) {
      log.debug({ err: err as Error }, 'languages of the speech engines unavailable');
      return null;
    }
  };
  return {
    known: () => {
      if (kept === undefined || Date.now() > kept.until) kept = { until: Date.now() + keepMs, languages: ask() };
      return kept.languages;
    },
  };
};
