import type { Draft } from '../ui/draft.tsx';
import { useDraft } from './use-draft.ts';

type Edits<T> = Omit<Draft<T>, 'set' | 'dropSaved'> & {
  readonly change: (next: Partial<T>) => void;
  /** The fields of a request body that were changed. The names are those of the form. */
  readonly changedOf: <B extends object>(body: B) => Partial<B>;
};

const noEdits = {};

/**
 * The form of a stored object. Its draft contains the changed fields only: what others change in the other fields is shown,
 * and not overwritten.
 */
export function useEdits<T extends object>(key: string, saved: T): Edits<T> {
  const { value: edits, set, changed, restored, drop } = useDraft<Partial<T>>(key, noEdits);
  const isChanged = (field: string, value: unknown): boolean =>
    JSON.stringify(value) !== JSON.stringify(saved[field as keyof T]);
  return {
    value: { ...saved, ...edits },
    changed,
    restored,
    drop,
    change: (next) => set(pick({ ...edits, ...next }, isChanged)),
    changedOf: (body) => pick(body, (field) => field in edits),
  };
}

function pick<T extends object>(fields: T, isPicked: (field: string, value: unknown) => boolean): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([field, value]) => isPicked(field, value))) as Partial<T>;
}
