import { describe, expect, it } from '@jest/globals';
import { headers } from 'nats';
import { createLossCheck } from './lost-events.ts';

const lastSent = { id: '9', subject: 'evt.media.file.deleted.v1', message_id: 'last', sent_at: new Date(0) };

/**
 * A stream with a creation time and its last message, and a table with a number of rows sent before each creation time and 5 rows
 * sent in the last minutes.
 */
function createFixture(sentBefore: Record<string, number>) {
  let created = '';
  let stored: string | undefined = lastSent.message_id;
  let reconnected = () => {};
  const updates: unknown[] = [];
  let databaseDown = false;
  let sentAt = lastSent.sent_at;
  const check = createLossCheck({
    table: 'media_outbox',
    queryTimeoutMs: 30_000,
    bus: {
      onRenewal: (then) => {
        reconnected = then;
      },
      jetstreamManager: () =>
        Promise.resolve({ streams: { info: () => Promise.resolve({ created, config: { max_age: 0 } }) } } as never),
      nc: () => ({ request: () => Promise.resolve({ headers: replyHeaders(stored) }) }) as never,
    },
    pool: {
      query: (({ text, values, query_timeout }: { text: string; values: unknown[]; query_timeout?: number }) => {
        if (query_timeout === undefined) return Promise.reject(new Error('unlimited query'));
        if (databaseDown) return Promise.reject(new Error('database unavailable'));
        if (text.startsWith('select')) return Promise.resolve({ rows: [{ ...lastSent, sent_at: sentAt }] });
        updates.push(values[0]);
        return Promise.resolve({
          rowCount: values[0] === lastSent.id || values[0] instanceof Date ? 5 : (sentBefore[created] ?? 0),
        });
      }) as never,
    },
  });
  return {
    updates,
    recreateStream: (at: string) => {
      created = at;
      reconnected();
    },
    setLastStored: (messageId: string | undefined) => {
      stored = messageId;
      reconnected();
    },
    send: () => {
      sentAt = new Date(Date.now() + 1);
    },
    setDatabaseDown: (now: boolean) => {
      databaseDown = now;
      reconnected();
    },
    check,
  };
}

function replyHeaders(messageId: string | undefined) {
  const reply = messageId === undefined ? headers(404, 'Message Not Found') : headers();
  if (messageId !== undefined) reply.set('Nats-Msg-Id', messageId);
  return reply;
}

describe('lost event check', () => {
  it('requeues sent events when the stream was created again', async () => {
    const { check, recreateStream, updates } = createFixture({ second: 3 });
    recreateStream('first');
    expect(await check()).toBe(0);
    recreateStream('second');
    expect(await check()).toBe(3);
    expect(updates).toEqual(['first', 'second']);
  });

  it('does not search the table again while the stream is the same and has the last event', async () => {
    const { check, recreateStream, updates } = createFixture({});
    for (let reconnections = 0; reconnections < 3; reconnections++) {
      recreateStream('first');
      await check();
    }
    expect(updates).toEqual(['first']);
  });

  it.each([
    { last: 'an earlier event', stored: 'earlier' },
    { last: 'no event', stored: undefined },
  ])(
    'requeues the events of the last minutes when the stream ends with $last after a reconnection',
    async ({ stored }) => {
      const { check, recreateStream, setLastStored, updates } = createFixture({});
      recreateStream('first');
      expect(await check()).toBe(0);
      setLastStored(stored);
      expect(await check()).toBe(5);
      expect(updates).toEqual(['first', lastSent.id]);
    },
  );

  it('searches again when the database was unavailable during the first search', async () => {
    const { check, recreateStream, setDatabaseDown, updates } = createFixture({ first: 2 });
    recreateStream('first');
    setDatabaseDown(true);
    await expect(check()).rejects.toThrow('database unavailable');
    setDatabaseDown(false);
    expect(await check()).toBe(2);
    expect(updates).toEqual(['first']);
  });

  it('requeues the events of the minutes before a failed check when more were sent since, which hide what is missing', async () => {
    const { check, recreateStream, setDatabaseDown, send, updates } = createFixture({});
    recreateStream('first');
    setDatabaseDown(true);
    await expect(check()).rejects.toThrow('database unavailable');
    send();
    setDatabaseDown(false);
    expect(await check()).toBe(5);
    expect(updates).toEqual(['first', expect.any(Date)]);
  });
});
