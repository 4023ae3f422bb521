import { msg, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import type { labelGroup, SettingValues } from '@overtone/contracts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { translateOnRead } from '../../lib/language.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';

const labels: Readonly<Record<keyof SettingValues<typeof labelGroup>, SettingLabel>> = translateOnRead({
  apply_automatically: {
    label: msg`Apply labels automatically`,
    description: msg`Without this, labels are only suggested.`,
  },
  confidence_threshold: {
    label: msg`Apply only when at least this sure`,
    description: msg`From 0.5 to 1: a higher value applies fewer and surer labels.`,
  },
});
const settingsQuery = queryOptions({
  queryKey: ['label-settings'],
  queryFn: ({ signal }) => call('GET /api/admin/label-settings', { signal }),
});

/** Automatic labels of everybody. */
export function LabelsPage() {
  const settings = useQuery(settingsQuery);
  return (
    <Pane title={t`Automatic labels`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`Tags and collections are suggested after each transcription. Those that are sure enough can be applied without a question. People can switch this off for their own recordings and choose another confidence.`}
      </Text>
      {settings.data ? (
        <Section title={t`For everybody`}>
          <LabelsForm {...settings.data} />
        </Section>
      ) : (
        <QueryStatus of={settings} failure={t`The settings couldn’t be loaded`} height={160} />
      )}
    </Pane>
  );
}

function LabelsForm({ settings }: ResponseBody<'GET /api/admin/label-settings'>) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'label-settings',
    saved: valuesOf(settings),
    save: async (changes) => {
      client.setQueryData(settingsQuery.queryKey, await call('PUT /api/admin/label-settings', { body: changes }));
    },
  });
  return (
    <SettingsForm form={form}>
      <SettingFields items={settings} labels={labels} form={form} />
    </SettingsForm>
  );
}
