import { describe, expect, it } from '@jest/globals';
import { ApiError } from '@overtone/client';
import { createRecordingSender } from './recording-sender.ts';

const noStore = {
  add: async () => undefined,
  list: async () => [],
  removeBefore: async () => undefined,
  remove: async () => undefined,
};

/** A server that fails as configured: by status, or `lost` after it has stored the bytes. */
function fakeServer(failures: (number | 'lost')[] = []) {
  let stored = '';
  let length: number | undefined;
  return {
    stored: () => stored,
    length: () => length,
    transfer: {
      send: async (_: string, offset: number, body: Blob, total?: number) => {
        if (total !== undefined && length !== undefined) throw new ApiError(400, { code: 'upload_invalid' });
        const failure = failures.shift();
        if (typeof failure === 'number') throw new ApiError(failure, {});
        if (offset !== stored.length) throw new ApiError(409, { code: 'upload_offset_conflict' });
        stored += await body.text();
        length ??= total;
        if (failure === 'lost') throw new ApiError(0, {});
        return stored.length;
      },
      progress: async () => ({ offset: stored.length, length: length ?? null }),
    },
  };
}

function senderFor(server: ReturnType<typeof fakeServer>) {
  return createRecordingSender({
    upload: 'x',
    transfer: server.transfer,
    store: noStore,
    sleep: () => new Promise((resume) => setTimeout(resume, 1)),
  });
}

describe('the sender of a recording', () => {
  it('sends all chunks in order, and the length at the end', async () => {
    const server = fakeServer();
    const sender = senderFor(server);
    for (const text of ['ab', 'c', 'def']) sender.add(new Blob([text]));
    await sender.finish();
    expect([server.stored(), server.length(), sender.state.get().phase]).toEqual(['abcdef', 6, 'done']);
  });

  it('waits while the server is not reachable, busy or locked by an earlier request, and continues at its offset', async () => {
    const server = fakeServer([0, 401, 408, 423, 503, 'lost', 429]);
    const sender = senderFor(server);
    sender.add(new Blob(['abc']));
    sender.add(new Blob(['def']));
    await sender.finish();
    expect([server.stored(), server.length()]).toEqual(['abcdef', 6]);
  });

  it('ends when only the response to its last request was lost', async () => {
    const server = fakeServer([0, 'lost']);
    const sender = senderFor(server);
    sender.add(new Blob(['abc']));
    await sender.finish();
    expect([server.stored(), sender.state.get().phase]).toEqual(['abc', 'done']);
  });

  it('keeps what the server refuses', async () => {
    const server = fakeServer([404]);
    const sender = senderFor(server);
    sender.add(new Blob(['abc']));
    await expect(sender.finish()).rejects.toMatchObject({ status: 404 });
    expect(await sender.unsent().text()).toBe('abc');
    expect(sender.state.get().phase).toBe('failed');
  });

  it('continues a recording of an earlier page with the chunks that are left', async () => {
    const server = fakeServer();
    await server.transfer.send('x', 0, new Blob(['abc']));
    const chunks = [
      { offset: 2, blob: new Blob(['cd']) },
      { offset: 4, blob: new Blob(['e']) },
    ];
    const sender = createRecordingSender({ upload: 'x', transfer: server.transfer, store: noStore, offset: 3, chunks });
    await sender.finish();
    expect([server.stored(), server.length()]).toEqual(['abcde', 5]);
  });
});
