import { expect, it } from '@jest/globals';
import { createUploads } from './uploads-store.ts';

const options = { title: '', language: '', minSpeakers: null, maxSpeakers: null, allowDuplicate: false };
const stored = (
  uploads: unknown,
): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> & { readonly values: Map<string, string> } => {
  const values = new Map([['overtone-uploads-ada', JSON.stringify(uploads)]]);
  return {
    values,
    getItem: (key) => values.get(key) ?? null,
    setItem: (key, value) => void values.set(key, value),
    removeItem: (key) => void values.delete(key),
  };
};
const unfinished = { id: '1', name: 'a.wav', size: 3, lastModified: 7, options, sent: 1, url: '/u' };
const make = (storage: ReturnType<typeof stored>) =>
  createUploads({ renew: () => Promise.resolve(true), onDone: () => undefined, storage });

it('shows what an earlier page of this person left unfinished', () => {
  const uploads = make(stored([unfinished]));
  uploads.restore('ada');
  expect(uploads.list.get()).toMatchObject([{ name: 'a.wav', phase: { name: 'needs_file' } }]);
});
it('shows nothing of it to another person', () => {
  const uploads = make(stored([unfinished]));
  uploads.restore('grace');
  expect(uploads.list.get()).toEqual([]);
});
it('gives back the files that continue nothing', () => {
  const uploads = make(stored([unfinished]));
  uploads.restore('ada');
  const other = new File(['abcd'], 'b.wav', { lastModified: 7 });
  expect(uploads.continueWith([other])).toEqual([other]);
});
it('empties at sign-out but keeps what can be continued for its owner', () => {
  const storage = stored([unfinished]);
  const uploads = make(storage);
  uploads.restore('ada');
  uploads.forget();
  expect(uploads.list.get()).toEqual([]);
  uploads.restore('ada');
  expect(uploads.list.get()).toHaveLength(1);
});
it('forgets an upload that was removed', () => {
  const storage = stored([{ ...unfinished, url: null }]);
  const uploads = make(storage);
  uploads.restore('ada');
  uploads.cancel('1');
  expect(JSON.parse(storage.values.get('overtone-uploads-ada') ?? '')).toEqual([]);
});
