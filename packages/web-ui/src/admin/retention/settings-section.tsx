import { t } from '@lingui/core/macro';
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { moment } from '../../lib/format.ts';
import { useDraft } from '../../state/use-draft.ts';
import { RestoredNote } from '../../ui/draft.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify } from '../../ui/notify.ts';
import { ScheduleFields } from '../backups/schedule-fields.tsx';
import { retentionSettingsQuery, type RetentionSettings } from './retention-queries.ts';

type Fields = Pick<RetentionSettings, 'enabled' | 'schedule' | 'max_percent'>;

/** When rules run, and how much they may delete in one day without an approval. */
export function RetentionSettingsForm({ saved }: { saved: RetentionSettings }) {
  const client = useQueryClient();
  const { enabled, schedule, max_percent } = saved;
  const draft = useDraft<Fields>('retention-settings', { enabled, schedule, max_percent });
  const save = useMutation({
    mutationFn: () => call('PUT /api/admin/retention/settings', { body: draft.value }),
    onSuccess: (settings) => {
      client.setQueryData(retentionSettingsQuery.queryKey, settings);
      draft.drop();
      notify(t`Saved.`);
    },
  });
  const change = (next: Partial<Fields>): void => draft.set({ ...draft.value, ...next });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.changed) save.mutate();
      }}
    >
      <Stack gap="md" maw={560}>
        <RestoredNote draft={draft} />
        <ScheduleFields
          form={{
            fields: draft.value,
            change,
            errorOf: (field) => fieldOf(save.error, field),
          }}
          label={t`Run on a schedule`}
          description={t`Without a schedule rules run only when an administrator starts them here.`}
        />
        <NumberInput
          label={t`Share of the library that rules may delete in one day`}
          description={t`A rule that would delete more waits for an approval.`}
          min={0.1}
          max={100}
          suffix=" %"
          value={draft.value.max_percent}
          error={fieldOf(save.error, 'max_percent')}
          onChange={(value) => change({ max_percent: Number(value) })}
        />
        {save.error && (
          <ErrorNote error={save.error} title={t`The settings weren’t saved`} fields={['schedule', 'max_percent']} />
        )}
        <Group gap="sm">
          <Button type="submit" disabled={!draft.changed} loading={save.isPending}>
            {t`Save`}
          </Button>
          {saved.next_due !== null && <Text size="sm">{t`Next run: ${moment(saved.next_due)}`}</Text>}
        </Group>
      </Stack>
    </form>
  );
}
