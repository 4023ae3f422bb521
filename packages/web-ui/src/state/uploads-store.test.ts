import { expect, it } from '@jest/globals';
import { createUploads } from './uploads-store.ts';

const options = { title: '', language: '', minSpeakers: null, maxSpeakers: null, allowDuplicate: false };

function storageWith(
  uploads: unknown,
): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> & { readonly values: Map<string, string> } {
  const values = new Map([['overtone-uploads-ada', JSON.stringify(uploads)]]);
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
}

const unfinished = { id: '1', name: 'a.wav', size: 3, lastModified: 7, options, sent: 1, url: '/u' };

function createFor(
  storage: ReturnType<typeof storageWith>,
  {
    findReceived = () => Promise.resolve(null),
    onDone = () => undefined,
  }: Partial<Parameters<typeof createUploads>[0]> = {},
) {
  return createUploads({ renew: () => Promise.resolve(true), onDone, findReceived, storage });
}

it('restores the unfinished uploads of the user', () => {
  const uploads = createFor(storageWith([unfinished]));
  uploads.restore('ada');
  expect(uploads.list.get()).toMatchObject([{ name: 'a.wav', phase: { name: 'needs_file' } }]);
});
it('ends a restored upload that the server has received, and asks for the file of every other one', async () => {
  const storage = storageWith([
    unfinished,
    { ...unfinished, id: '2', url: '/whole' },
    { ...unfinished, id: '3', url: null },
  ]);
  const done = Promise.withResolvers<string | null>();
  const uploads = createFor(storage, {
    findReceived: (url, size) => Promise.resolve(url === '/whole' && size === 3 ? 'file' : null),
    onDone: done.resolve,
  });
  uploads.restore('ada');
  expect(await done.promise).toBe('file');
  expect(uploads.list.get().map(({ id, phase }) => [id, phase.name])).toEqual([
    ['1', 'needs_file'],
    ['2', 'done'],
    ['3', 'needs_file'],
  ]);
  expect(JSON.parse(storage.values.get('overtone-uploads-ada') ?? '')).toHaveLength(2);
});
it('restores no upload of another user', () => {
  const uploads = createFor(storageWith([unfinished]));
  uploads.restore('grace');
  expect(uploads.list.get()).toEqual([]);
});
it('returns the files that belong to no unfinished upload', () => {
  const uploads = createFor(storageWith([unfinished]));
  uploads.restore('ada');
  const other = new File(['abcd'], 'b.wav', { lastModified: 7 });
  expect(uploads.resumeWith([other])).toEqual([other]);
});
it('clears the list at sign-out but keeps unfinished uploads for their owner', () => {
  const storage = storageWith([unfinished]);
  const uploads = createFor(storage);
  uploads.restore('ada');
  uploads.forget();
  expect(uploads.list.get()).toEqual([]);
  uploads.restore('ada');
  expect(uploads.list.get()).toHaveLength(1);
});
it('deletes a removed upload from the storage', () => {
  const storage = storageWith([{ ...unfinished, url: null }]);
  const uploads = createFor(storage);
  uploads.restore('ada');
  uploads.cancel('1');
  expect(JSON.parse(storage.values.get('overtone-uploads-ada') ?? '')).toEqual([]);
});
