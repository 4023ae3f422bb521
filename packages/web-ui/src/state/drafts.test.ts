import { describe, expect, it } from '@jest/globals';
import { createDrafts } from './drafts.ts';

/** A storage with a limited number of characters. */
function storageOf(capacity = Infinity): Storage {
  const items = new Map<string, string>();
  return {
    get length() {
      return items.size;
    },
    key: (i: number) => [...items.keys()][i] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      const used = [...items].reduce((sum, [other, text]) => sum + (other === key ? 0 : other.length + text.length), 0);
      if (used + key.length + value.length > capacity) throw new DOMException('full', 'QuotaExceededError');
      items.set(key, value);
    },
    removeItem: (key: string) => void items.delete(key),
    clear: () => items.clear(),
  };
}

describe('drafts', () => {
  it('restores drafts after a reload', () => {
    const storage = storageOf();
    const before = createDrafts(storage);
    before.open('ada');
    before.write('speaker:1', 'Grace');
    const after = createDrafts(storage);
    after.open('ada');
    expect(after.read('speaker:1')).toBe('Grace');
  });
  it('separates the drafts of users, and hides them after the session ended', () => {
    const drafts = createDrafts(storageOf());
    drafts.open('ada');
    drafts.write('title:1', 'of Ada');
    drafts.close();
    expect(drafts.read('title:1')).toBeUndefined();
    drafts.open('bob');
    expect(drafts.read('title:1')).toBeUndefined();
    drafts.open('ada');
    expect(drafts.read('title:1')).toBe('of Ada');
  });
  it('writes nothing while no user is signed in', () => {
    const storage = storageOf();
    createDrafts(storage).write('title:1', 'not stored');
    expect(storage.length).toBe(0);
  });
  it('deletes a dropped draft from the storage', () => {
    const storage = storageOf();
    const drafts = createDrafts(storage);
    drafts.open('ada');
    drafts.write('title:1', 'x');
    drafts.drop('title:1');
    expect(drafts.read('title:1')).toBeUndefined();
    expect(storage.length).toBe(0);
  });
  it('keeps the newest 200 drafts', () => {
    let now = 0;
    const storage = storageOf();
    const drafts = createDrafts(storage, () => ++now);
    drafts.open('ada');
    for (let i = 0; i < 205; i += 1) drafts.write(`passage:${i}`, 'x');
    expect(storage.length).toBe(200);
    const after = createDrafts(storage, () => now);
    after.open('ada');
    expect(after.read('passage:4')).toBeUndefined();
    expect(after.read('passage:204')).toBe('x');
  });
  it('deletes drafts older than 90 days', () => {
    const storage = storageOf();
    const before = createDrafts(storage, () => 0);
    before.open('ada');
    before.write('title:1', 'old');
    const after = createDrafts(storage, () => 91 * 24 * 3_600_000);
    after.open('ada');
    expect(after.read('title:1')).toBeUndefined();
    expect(storage.length).toBe(0);
  });
  it('deletes the oldest drafts when the storage is full, and keeps the newest at least in memory', () => {
    let now = 0;
    const storage = storageOf(250);
    const drafts = createDrafts(storage, () => ++now);
    drafts.open('ada');
    drafts.write('a', 'x'.repeat(60));
    drafts.write('b', 'x'.repeat(60));
    drafts.write('c', 'x'.repeat(60));
    const after = createDrafts(storage, () => now);
    after.open('ada');
    expect(after.read('a')).toBeUndefined();
    expect(after.read('c')).toBe('x'.repeat(60));
    drafts.write('d', 'x'.repeat(1000));
    expect(drafts.read('d')).toBe('x'.repeat(1000));
  });
  it('works without a storage, and ignores unreadable drafts', () => {
    const drafts = createDrafts(null);
    drafts.open('ada');
    drafts.write('a', 1);
    expect(drafts.read('a')).toBe(1);
    const storage = storageOf();
    storage.setItem('overtone-draft:ada:a', '{broken');
    const reading = createDrafts(storage);
    reading.open('ada');
    expect(reading.read('a')).toBeUndefined();
  });
});
