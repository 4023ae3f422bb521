import type { Observable } from '../lib/observable.ts';
import { observable } from '../lib/observable.ts';

/** Unsaved text of one user, by place; a place is a stable name such as `speaker:<uuid>`. */
export type Drafts = {
  /** Loads the drafts of this user from the storage of the browser. */
  readonly open: (userId: string) => void;
  /** Forgets the drafts in memory; those in the storage stay for the next sign-in. */
  readonly close: () => void;
  readonly read: (place: string) => unknown;
  readonly write: (place: string, value: unknown) => void;
  readonly drop: (place: string) => void;
  /** Changes with every write; the identity of an unchanged value stays. */
  readonly all: Observable<ReadonlyMap<string, unknown>>;
};

type Stored = { readonly at: number; readonly value: unknown };
type Clock = () => number;

const maxDrafts = 200;
const maxAgeMs = 90 * 24 * 3_600_000;

/** Keeps typed text until it is saved or discarded: over reload, sign-out and sign-in. One key per draft. */
export function createDrafts(storage: Storage | null, now: Clock = Date.now): Drafts {
  const all = observable<ReadonlyMap<string, unknown>>(new Map());
  let user: string | null = null;

  function open(userId: string): void {
    if (user === userId) return;
    user = userId;
    const found = storage === null ? [] : storedDrafts(storage, prefixOf(userId));
    const [kept, expired] = partition(found, ({ at }) => now() - at < maxAgeMs);
    for (const { place } of expired) storage?.removeItem(prefixOf(userId) + place);
    all.set(new Map(kept.map(({ place, value }) => [place, value])));
  }
  function write(place: string, value: unknown): void {
    if (user === null) return;
    all.set(new Map(all.get()).set(place, value));
    if (storage) store(storage, prefixOf(user), place, { at: now(), value });
  }
  function drop(place: string): void {
    if (user === null || !all.get().has(place)) return;
    const rest = new Map(all.get());
    rest.delete(place);
    all.set(rest);
    storage?.removeItem(prefixOf(user) + place);
  }
  return {
    open,
    close: () => {
      user = null;
      all.set(new Map());
    },
    read: (place) => all.get().get(place),
    write,
    drop,
    all,
  };
}

const prefixOf = (userId: string): string => `overtone-draft:${userId}:`;

/** Writes one draft; the oldest ones make room when there are too many or the storage is full. */
function store(storage: Storage, prefix: string, place: string, draft: Stored): void {
  const others = storedDrafts(storage, prefix)
    .filter((one) => one.place !== place)
    .sort((a, b) => b.at - a.at);
  for (const { place: old } of others.splice(maxDrafts - 1)) storage.removeItem(prefix + old);
  for (;;) {
    try {
      return storage.setItem(prefix + place, JSON.stringify(draft));
    } catch {
      const oldest = others.pop();
      // The draft stays in memory: it survives everything but a reload.
      if (!oldest) return;
      storage.removeItem(prefix + oldest.place);
    }
  }
}

function storedDrafts(storage: Storage, prefix: string): (Stored & { readonly place: string })[] {
  const keys = Array.from({ length: storage.length }, (_, i) => storage.key(i) ?? '');
  return keys.flatMap((key) => {
    const draft = key.startsWith(prefix) ? parse(storage.getItem(key)) : null;
    return draft ? [{ ...draft, place: key.slice(prefix.length) }] : [];
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
