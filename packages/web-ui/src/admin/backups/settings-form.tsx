import { plural, t } from '@lingui/core/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Icon } from '../../ui/icons.tsx';
import { RestoredNote } from '../../ui/draft.tsx';
import css from './backups.module.css';
import { destinationText } from './labels.ts';
import type { DestinationStatus } from './operations-queries.ts';
import type { SettingsFormState } from './use-settings-form.ts';

type Props<S extends object> = {
  readonly form: SettingsFormState<S>;
  readonly children: ReactNode;
};
const marked = [
  'schedule',
  'destination',
  's3_endpoint_url',
  's3_region',
  's3_bucket',
  's3_prefix',
  's3_access_key_id',
];
const fieldsWithErrors = [...marked, 's3_secret_key', 'passphrase'];

/** The frame of a settings form: its test, and the buttons that save or discard. */
export function SettingsForm<S extends object>({ form, children }: Props<S>) {
  const { draft, changed, refused, saving, testing, discard } = form;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed > 0) saving.mutate();
      }}
    >
      <Stack gap="md" maw={560}>
        {changed > 0 && <RestoredNote draft={draft} />}
        {children}
        <div aria-live="polite" data-testid="test-result">
          {testing.data && !testing.isPending && testing.error === null && <TestResult status={testing.data} />}
          {testing.error && testing.error === refused && (
            <ErrorNote error={refused} title={t`The test couldn’t be run`} fields={fieldsWithErrors} />
          )}
        </div>
        {saving.error && saving.error === refused && (
          <ErrorNote error={refused} title={t`The settings weren’t saved`} fields={fieldsWithErrors} />
        )}
        <div className={css['buttons']}>
          <Button type="submit" disabled={changed === 0} loading={saving.isPending}>
            {t`Save`}
          </Button>
          <Button variant="default" loading={testing.isPending} onClick={() => testing.mutate()}>
            {t`Test destination`}
          </Button>
          {changed > 0 && (
            <Button variant="default" disabled={saving.isPending} onClick={discard}>
              {t`Discard changes`}
            </Button>
          )}
          <Text size="sm" c="dimmed" role="status">
            {changed === 0 ? '' : plural(changed, { one: '# unsaved change', other: '# unsaved changes' })}
          </Text>
        </div>
      </Stack>
    </form>
  );
}

function TestResult({ status }: { status: DestinationStatus }) {
  return (
    <Alert
      color={status.ok ? 'petrol' : 'red'}
      variant="light"
      icon={<Icon name={status.ok ? 'check' : 'alert'} />}
      title={status.ok ? t`Test passed` : t`Test failed`}
      data-ok={status.ok}
    >
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {destinationText(status)}
      </Text>
    </Alert>
  );
}
