import { t } from '@lingui/core/macro';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldOf } from '../../api/problem.ts';
import { useDraft } from '../../state/use-draft.ts';
import { notify } from '../../ui/notify.ts';
import { useUnsaved } from '../../ui/unsaved.tsx';
import { changesOf, type Changes, type SecretName, type Secrets } from './changes.ts';
import type { DestinationStatus } from './operations-queries.ts';

type Options<S extends object> = {
  /** Of the draft, stable across reloads. */
  readonly name: string;
  readonly saved: S;
  readonly save: (changes: Changes<S>) => Promise<S>;
  readonly test: (changes: Changes<S>) => Promise<DestinationStatus>;
  readonly onSaved: (saved: S) => Promise<void>;
};

const noEdits = {};
const noSecrets: Secrets = {};

/** The state of a settings form. Secrets are kept in memory only; the other changes survive a reload. */
export function useSettingsForm<S extends object>({ name, saved, save, test, onSaved }: Options<S>) {
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
    mutationFn: () => save(changes),
    onSettled: (_, error) => setRefused(error),
    onSuccess: async (settings) => {
      notify(t`Saved.`);
      // The form shows the new values before the edits are cleared.
      await onSaved(settings);
      discard();
    },
  });
  const testing = useMutation({
    mutationFn: () => test(changes),
    onSettled: (_, error) => setRefused(error),
  });
  return {
    draft,
    fields: { ...saved, ...draft.value },
    secrets,
    changed: Object.keys(changes).length,
    change: (next: Partial<S>): void => draft.set({ ...draft.value, ...next }),
    /** An empty text leaves the stored secret, null deletes it. */
    changeSecret: (secret: SecretName, value: string | null): void => {
      const { [secret]: _, ...others } = secrets;
      setSecrets(value === '' ? others : { ...others, [secret]: value });
    },
    errorOf: (field: string): string | null => fieldOf(refused, field),
    refused,
    saving,
    testing,
    discard,
  };
}

export type SettingsFormState<S extends object> = ReturnType<typeof useSettingsForm<S>>;
