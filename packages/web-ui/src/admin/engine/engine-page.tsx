import { t } from '@lingui/core/macro';
import { Fieldset, Stack, Table, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { valuesOf } from '../settings/items.ts';
import { FieldGrid } from '../settings/layout.tsx';
import { SettingField } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { engineGroups, engineLabels } from './labels.ts';
import { reportRows } from './reports.ts';

type Answer = ResponseBody<'GET /api/admin/engine-settings'>;
const engineQuery = queryOptions({
  queryKey: ['engine-settings'],
  queryFn: ({ signal }) => call('GET /api/admin/engine-settings', { signal }),
  // Workers report changed values within seconds.
  refetchInterval: 5_000,
});

/** Administration > Engine configuration: how the workers use their engines, and what each of them reports. */
export function EnginePage() {
  const engine = useQuery(engineQuery);
  return (
    <Pane title={t`Engine configuration`}>
      <Stack gap="lg">
        <QueryStatus of={engine} failure={t`The settings couldn’t be loaded`} height={320} />
        {engine.data && (
          <>
            <Section title={t`Settings`}>
              <EngineForm saved={engine.data} />
            </Section>
            <Section title={t`Values in use`}>
              <Reports workers={engine.data.workers} />
            </Section>
          </>
        )}
      </Stack>
    </Pane>
  );
}

function EngineForm({ saved }: { saved: Answer }) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'engine-settings',
    saved: valuesOf(saved.settings),
    save: async (changes) => {
      client.setQueryData(engineQuery.queryKey, await call('PUT /api/admin/engine-settings', { body: changes }));
    },
  });
  const items = new Map(saved.settings.map((item) => [item.key, item]));
  return (
    <SettingsForm form={form}>
      <Text size="sm" c="dimmed">
        {t`Workers apply a change within seconds, without a restart. Recordings in progress finish with the old values.`}
      </Text>
      {engineGroups.map(({ title, keys }) => (
        <Fieldset key={title} legend={title} p={0}>
          <FieldGrid>
            {keys.map((key) => {
              const item = items.get(key);
              return item && <SettingField key={key} item={item} texts={engineLabels[key]} form={form} />;
            })}
          </FieldGrid>
        </Fieldset>
      ))}
    </SettingsForm>
  );
}

function Reports({ workers }: { workers: Answer['workers'] }) {
  if (workers.length === 0) return <Text c="dimmed">{t`No worker with speech engines is running.`}</Text>;
  return (
    <Sheet testId="engine-reports" heads={[t`Setting`, ...workers.map(({ id }) => id)]}>
      {reportRows(workers).map(({ key, label, cells }) => (
        <Table.Tr key={key} data-key={key}>
          <Table.Td>{label}</Table.Td>
          {cells.map(({ worker, text, source }) => (
            <Table.Td key={worker} data-label={worker} data-source={source}>
              {text}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Sheet>
  );
}
