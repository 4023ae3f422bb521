import { t } from '@lingui/core/macro';
import { NumberInput, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { moment } from '../../lib/format.ts';
import { ScheduleFields } from '../settings/schedule-fields.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { retentionSettingsQuery, type RetentionSettings } from './retention-queries.ts';

/** When rules run, and how much they may delete in one day without an approval. */
export function RetentionSettingsForm({ saved }: { saved: RetentionSettings }) {
  const client = useQueryClient();
  const { next_due, bin_days, ...settings } = saved;
  const form = useSettingsForm({
    name: 'retention-settings',
    saved: settings,
    save: async (changes) =>
      client.setQueryData(
        retentionSettingsQuery.queryKey,
        await call('PUT /api/admin/retention/settings', { body: changes }),
      ),
  });
  return (
    <SettingsForm form={form} fields={Object.keys(settings)}>
      <ScheduleFields
        form={form}
        label={t`Run on a schedule`}
        description={t`Without a schedule rules run only when an administrator starts them here.`}
      />
      <NumberInput
        label={t`Share of the library that rules may delete in one day`}
        description={t`A rule that would delete more waits for an approval.`}
        min={0.1}
        max={100}
        suffix=" %"
        value={form.fields.max_percent}
        error={form.errorOf('max_percent')}
        onChange={(value) => form.change({ max_percent: Number(value) })}
      />
      {next_due !== null && <Text size="sm">{t`Next run: ${moment(next_due)}`}</Text>}
    </SettingsForm>
  );
}
