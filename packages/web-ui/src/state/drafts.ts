import type { Observable } from '../lib/observable.ts';
import { observable } from '../lib/observable.ts';

/** Unsaved text of one user, by a stable key such as `speaker:<uuid>`. */
export type Drafts = {
  /** Loads the drafts of a user from the storage of the browser. */
  readonly open: (userId: string) => void;
  /** Removes the drafts from memory; the storage keeps them for the next sign-in. */
  readonly close: () => void;
  readonly read: (key: string) => unknown;
  readonly write: (key: string, value: unknown) => void;
  readonly drop: (key: string) => void;
  /** A new map after every write; unchanged values keep their identity. */
  readonly all: Observable<ReadonlyMap<string, unknown>>;
};

type Stored = { readonly at: number; readonly value: unknown };
type Clock = () => number;

const maxDrafts = 200;
const maxAgeMs = 90 * 24 * 3_600_000;

/** Keeps typed text until it is saved or discarded: across reload, sign-out and sign-in. */
export function createDrafts(storage: Storage | null, now: Clock = Date.now): Drafts {
  const all = observable<ReadonlyMap<string, unknown>>(new Map());
  let user: string | null = null;

  function open(userId: string): void {
    if (user === userId) return;
    user = userId;
    const found = storage === null ? [] : storedDrafts(storage, prefixOf(userId));
    const [kept, expired] = partition(found, ({ at }) => now() - at < maxAgeMs);
    for (const { key } of expired) storage?.removeItem(prefixOf(userId) + key);
    all.set(new Map(kept.map(({ key, value }) => [key, value])));
  }
  function write(key: string, value: unknown): void {
    if (user === null) return;
    all.set(new Map(all.get()).set(key, value));
    if (storage) store(storage, prefixOf(user), key, { at: now(), value });
  }
  function drop(key: string): void {
    if (user === null || !all.get().has(key)) return;
    const rest = new Map(all.get());
    rest.delete(key);
    all.set(rest);
    storage?.removeItem(prefixOf(user) + key);
  }
  return {
    open,
    close: () => {
      user = null;
      all.set(new Map());
    },
    read: (key) => all.get().get(key),
    write,
    drop,
    all,
  };
}

function prefixOf(userId: string): string {
  return `overtone-draft:${userId}:`;
}

/** Stores one draft. Deletes the oldest ones when there are too many or the storage is full. */
function store(storage: Storage, prefix: string, key: string, draft: Stored): void {
  const others = storedDrafts(storage, prefix)
    .filter((other) => other.key !== key)
    .sort((x, y) => y.at - x.at);
  for (const { key: oldKey } of others.splice(maxDrafts - 1)) storage.removeItem(prefix + oldKey);
  for (;;) {
    try {
      return storage.setItem(prefix + key, JSON.stringify(draft));
    } catch {
      const oldest = others.pop();
      // The draft stays in memory, so only a reload loses it.
      if (!oldest) return;
      storage.removeItem(prefix + oldest.key);
    }
  }
}

function storedDrafts(storage: Storage, prefix: string): (Stored & { readonly key: string })[] {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '');
  return keys.flatMap((storageKey) => {
    const draft = storageKey.startsWith(prefix) ? parse(storage.getItem(storageKey)) : null;
    return draft ? [{ ...draft, key: storageKey.slice(prefix.length) }] : [];
  });
}

function parse(text: string | null): Stored | null {
  try {
    const draft = JSON.parse(text ?? '') as Partial<Stored>;
    return typeof draft.at === 'number' && draft.value !== undefined ? { at: draft.at, value: draft.value } : null;
  } catch {
    return null;
  }
}

function partition<T>(list: readonly T[], accept: (item: T) => boolean): [T[], T[]] {
  return [list.filter(accept), list.filter((item) => !accept(item))];
}
