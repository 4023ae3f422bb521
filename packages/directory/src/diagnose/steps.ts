import { adviceFor } from './advice.ts';
import { asFailure } from '../wire/failures.ts';
import type { Step } from '../model.ts';
import { printable } from '../wire/messages.ts';
import type { ServerAddress } from '../wire/servers.ts';

/** The result of a step; successful by default. */
export type Seen<T = undefined> = {
  readonly ok?: boolean;
  readonly evidence: string;
  readonly advice?: string | null;
  readonly value?: T;
};

/** The recorded steps of a connection test. */
export type Steps = {
  /** Runs a step. A failure is recorded with its advice; the result is undefined then. */
  readonly run: <T>(
    code: string,
    title: string,
    step: () => Promise<Seen<T>>,
    server?: ServerAddress,
  ) => Promise<T | undefined>;
  readonly all: () => readonly Step[];
};

/** An empty list of steps. */
export function createSteps(): Steps {
  const steps: Step[] = [];
  return {
    run: async (code, title, step, server) => {
      const started = performance.now();
      const add = (ok: boolean, evidence: string, advice: string | null) => {
        const duration_ms = Math.round(performance.now() - started);
        steps.push({ code, title, ok, duration_ms, evidence: printable(evidence), advice });
      };
      try {
        const { ok = true, evidence, advice = null, value } = await step();
        add(ok, evidence, advice);
        return value;
      } catch (error) {
        const failure = asFailure(error);
        add(false, failure.message, adviceFor(failure, server));
        return undefined;
      }
    },
    all: () => steps,
  };
}
