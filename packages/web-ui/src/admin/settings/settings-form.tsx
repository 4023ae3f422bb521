import { plural, t } from '@lingui/core/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Confirm } from '../../ui/confirm.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { RestoredNote } from '../../ui/draft.tsx';
import { FormButtons } from './layout.tsx';
import type { SettingsFormState } from './use-settings-form.ts';

export type Question = {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  /** The action destroys nothing. */
  readonly harmless?: boolean;
};

type Props<S extends object, T> = {
  readonly form: SettingsFormState<S, T>;
  /** The button that tests the settings, and its result. */
  readonly test?: { readonly button: string; readonly show: (result: T) => ReactNode };
  /** What is asked before the changes are saved, when they do harm; null: nothing. */
  readonly questionOf?: () => Promise<Question | null>;
  readonly children: ReactNode;
};

/** The frame of a settings form: its test, and the buttons that save or discard. */
export function SettingsForm<S extends object, T>({ form, test, questionOf, children }: Props<S, T>) {
  const [question, setQuestion] = useState<Question | null>(null);
  const { draft, changed, refused, save, saving, testing, discard } = form;
  // Each of them shows its own error.
  const fields = Object.keys(form.fields);
  const asking = useMutation({
    mutationFn: async () => (await questionOf?.()) ?? null,
    onSuccess: (next) => {
      // The form shows the error.
      if (next === null) save().catch(() => undefined);
      else setQuestion(next);
    },
    // What could not be asked is checked again when it is saved.
    onError: () => void save().catch(() => undefined),
  });
  return (
    <>
      {question && (
        <Confirm
          title={question.title}
          action={question.action}
          harmless={question.harmless ?? false}
          run={save}
          onDone={() => undefined}
          onClose={() => setQuestion(null)}
        >
          <Text size="sm">{question.text}</Text>
        </Confirm>
      )}
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (changed > 0) asking.mutate();
        }}
      >
        <Stack gap="md" maw={560}>
          {changed > 0 && <RestoredNote draft={draft} />}
          {children}
          <div aria-live="polite" data-testid="test-result">
            {testing.data !== undefined && !testing.isPending && testing.error === null && test?.show(testing.data)}
            {testing.error && testing.error === refused && (
              <ErrorNote error={refused} title={t`The test couldn’t be run`} fields={fields} />
            )}
          </div>
          {saving.error && saving.error === refused && (
            <ErrorNote error={refused} title={t`The settings weren’t saved`} fields={fields} />
          )}
          <FormButtons>
            <Button type="submit" disabled={changed === 0} loading={asking.isPending || saving.isPending}>
              {t`Save`}
            </Button>
            {test && (
              <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
                {test.button}
              </Button>
            )}
            {changed > 0 && (
              <Button variant="default" disabled={saving.isPending} onClick={discard}>
                {t`Discard changes`}
              </Button>
            )}
            <Text size="sm" c="dimmed" role="status">
              {changed === 0 ? '' : plural(changed, { one: '# unsaved change', other: '# unsaved changes' })}
            </Text>
          </FormButtons>
        </Stack>
      </form>
    </>
  );
}
