import { describe, expect, it } from '@jest/globals';
import { ErrorCode, NatsError } from 'nats';
import { unavailable } from './errors.ts';
import { waitForDependency } from './wait-for-dependency.ts';

const starting = Object.assign(new Error('the database system is starting up'), { code: '57P03' });
const refused = unavailable('database_unavailable', 'The database does not answer', {
  cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
});

function logged() {
  const lines: string[] = [];
  const log = {
    warn: ({ reason }: { reason: string }, message: string) => void lines.push(`${message}: ${reason}`),
    info: (message: string) => void lines.push(message),
  };
  return { log, lines };
}

function failing(errors: unknown[]) {
  const left = [...errors];
  return async (): Promise<void> => {
    if (left.length > 0) throw left.shift();
  };
}

describe('a start that needs a database and a broker', () => {
  it('is retried until the dependency is available, and each reason to wait is logged once', async () => {
    const { log, lines } = logged();
    const work = failing([refused, refused, starting, starting]);
    await waitForDependency(work, { log, signal: new AbortController().signal });
    expect(lines).toEqual([
      'waiting for the database: ECONNREFUSED',
      'waiting for the database: 57P03',
      'the database is there',
    ]);
  });

  it.each([NatsError.errorForCode(ErrorCode.Timeout), NatsError.errorForCode(ErrorCode.NoResponders)])(
    'waits for the broker, too: %s',
    async (lost) => {
      const { log, lines } = logged();
      await waitForDependency(failing([lost, lost]), { log, signal: new AbortController().signal });
      expect(lines).toEqual([`waiting for the message broker: ${lost.code}`, 'the message broker is there']);
    },
  );

  it('says nothing of a database that is there at once', async () => {
    const { log, lines } = logged();
    await waitForDependency(failing([]), { log, signal: new AbortController().signal });
    expect(lines).toEqual([]);
  });

  it('fails at once where waiting cannot help', async () => {
    const { log, lines } = logged();
    const wrong = new Error('duplicate key');
    const started = waitForDependency(failing([wrong]), { log, signal: new AbortController().signal });
    await expect(started).rejects.toBe(wrong);
    expect(lines).toEqual([]);
  });

  it('is aborted when the service stops', async () => {
    const { log } = logged();
    const stop = new AbortController();
    const work = async (): Promise<void> => {
      stop.abort();
      throw starting;
    };
    await expect(waitForDependency(work, { log, signal: stop.signal })).rejects.toThrow('aborted');
  });
});
