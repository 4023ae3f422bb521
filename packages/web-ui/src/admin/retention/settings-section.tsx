import { msg, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { retentionGroup, SettingValues } from '@overtone/contracts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { moment } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { shownValues, valuesOf } from '../settings/items.ts';
import { scheduleLabel } from '../settings/schedule.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { retentionSettingsQuery, type RetentionSettings } from './retention-queries.ts';

type Key = keyof SettingValues<typeof retentionGroup>;

const labels: Readonly<Record<Exclude<Key, 'schedule'>, SettingLabel>> = translateOnRead({
  enabled: {
    label: msg`Run on a schedule`,
    description: msg`Without a schedule rules run only when an administrator starts them here.`,
  },
  max_percent: {
    label: msg`Share of the library that rules may delete in one day`,
    description: msg`A rule that would delete more waits for an approval.`,
  },
});

/** When rules run, and how much they may delete in one day without an approval. */
export function RetentionSettingsForm({ saved: { settings, next_due } }: { saved: RetentionSettings }) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'retention-settings',
    saved: valuesOf(settings),
    save: async (changes) => {
      client.setQueryData(
        retentionSettingsQuery.queryKey,
        await call('PUT /api/admin/retention/settings', { body: changes }),
      );
    },
  });
  const { schedule } = shownValues(settings, form.fields);
  return (
    <SettingsForm form={form}>
      <SettingFields items={settings} labels={{ ...labels, schedule: scheduleLabel(schedule) }} form={form} />
      {next_due !== null && <Text size="sm">{t`Next run: ${moment(next_due)}`}</Text>}
    </SettingsForm>
  );
}
