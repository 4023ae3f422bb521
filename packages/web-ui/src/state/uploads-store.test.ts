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

function createFor(storage: ReturnType<typeof storageWith>) {
  return createUploads({ renew: () => Promise.resolve(true), onDone: () => undefined, storage });
}

it('restores the unfinished uploads of the user', () => {
  const uploads = createFor(storageWith([unfinished]));
  uploads.restore('ada');
  expect(uploads.list.get()).toMatchObject([{ name: 'a.wav', phase: { name: 'needs_file' } }]);
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
