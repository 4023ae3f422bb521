import { plural } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldOf } from '../../api/problem.ts';
import { useDraft } from '../../state/use-draft.ts';
import { notify } from '../../ui/notify.ts';
import { useUnsaved } from '../../ui/unsaved.tsx';
import { changesOf, withoutSaved, type Secrets } from './changes.ts';

type Options<S extends object, T> = {
  /** Of the draft, stable across reloads. */
  readonly name: string;
  readonly saved: S;
  /** Resolves when the form shows the saved values: only then are the edits cleared. */
  readonly save: (changes: Partial<S>) => Promise<unknown>;
  readonly test?: (changes: Partial<S>) => Promise<T>;
};

type Entered<S> = { readonly edits: Partial<S>; readonly secrets: Secrets; readonly changes: Partial<S> };

const noEdits = {};
const noSecrets: Secrets = {};

/** The state of a settings form. Secrets are kept in memory only; the other changes survive a reload. */
export function useSettingsForm<S extends object, T = never>({ name, saved, save, test }: Options<S, T>) {
  const draft = useDraft<Partial<S>>(name, noEdits);
  const [secrets, setSecrets] = useState(noSecrets);
  const [refused, setRefused] = useState<unknown>(null);
  const changes = changesOf(saved, draft.value, secrets);
  const discard = (): void => {
    draft.drop();
    setSecrets(noSecrets);
    setRefused(null);
  };
  useUnsaved(Object.keys(secrets).length > 0, () => setSecrets(noSecrets));
  const saving = useMutation({
    mutationFn: (entered: Entered<S>) => save(entered.changes),
    onSettled: (_, error) => setRefused(error),
    // What was entered while the settings were saved stays.
    onSuccess: (_, entered) => {
      notify(plural(Object.keys(entered.changes).length, { one: '# setting saved.', other: '# settings saved.' }));
      draft.dropSaved(entered.edits);
      setSecrets((now) => withoutSaved(now, entered.secrets));
    },
  });
  const testing = useMutation({
    mutationFn: () => (test ? test(changes) : Promise.reject(new Error('these settings have no test'))),
    onSettled: (_, error) => setRefused(error),
  });
  return {
    draft,
    fields: { ...saved, ...draft.value },
    secrets,
    changes,
    changed: Object.keys(changes).length,
    change: (next: Partial<S>): void => draft.set({ ...draft.value, ...next }),
    /** An empty text leaves the stored secret, null deletes it. */
    changeSecret: (secret: string, value: string | null): void => {
      const { [secret]: _, ...others } = secrets;
      setSecrets(value === '' ? others : { ...others, [secret]: value });
    },
    errorOf: (field: string): string | null => fieldOf(refused, field),
    refused,
    saving,
    save: () => saving.mutateAsync({ edits: draft.value, secrets, changes }),
    testing,
    discard,
  };
}

export type SettingsFormState<S extends object, T = unknown> = ReturnType<typeof useSettingsForm<S, T>>;
