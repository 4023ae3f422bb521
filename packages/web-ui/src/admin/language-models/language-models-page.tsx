import { msg, t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import type { insightsGroup, SettingValues } from '@overtone/contracts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { ModelList } from '../../language-models/model-list.tsx';
import { systemActions, systemModelsQuery, type SystemModels } from '../../language-models/model-queries.ts';
import { SentWhere } from '../../language-models/sent-where.tsx';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { translateOnRead } from '../../lib/language.ts';
import { shownValues, valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { ModelUsage } from './model-usage.tsx';

const labels: Readonly<Record<keyof SettingValues<typeof insightsGroup>, SettingLabel>> = translateOnRead({
  automatic: {
    label: msg`Summarise every recording`,
    description: msg`Summary, topics and speaker names are made after each transcription.`,
  },
  own_providers: {
    label: msg`People may use language models of their own`,
    description: msg`Each person chooses where the text of their transcripts is sent.`,
  },
});

/** Administration > Language models: which one everyone uses, what is sent where, and the used tokens. */
export function LanguageModelsPage() {
  const models = useQuery(systemModelsQuery);
  return (
    <Pane title={t`Language models`}>
      <Stack gap="lg">
        <SentWhere />
        <QueryStatus of={models} failure={t`The language models couldn’t be loaded`} height={320} />
        {models.data && (
          <>
            <Section title={t`For everyone`}>
              <ModelList
                models={models.data.providers}
                scope="system"
                actions={systemActions}
                mayChange
                emptyText={t`No language model. Summaries and topics are made on this server, without one.`}
              />
            </Section>
            <Section title={t`Use`}>
              <UseSettings settings={models.data.settings} />
            </Section>
          </>
        )}
        <Section title={t`Tokens of the last 30 days`}>
          <ModelUsage />
        </Section>
      </Stack>
    </Pane>
  );
}

function UseSettings({ settings }: Pick<SystemModels, 'settings'>) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'insights-settings',
    saved: valuesOf(settings),
    save: async (changes) => {
      await call('PUT /api/admin/llm-settings', { body: changes });
      await client.invalidateQueries({ queryKey: ['language-models'] });
    },
  });
  return (
    <SettingsForm form={form}>
      <SettingFields items={settings} labels={labels} form={form} />
      {shownValues(settings, form.fields)['own_providers'] === true && (
        <Text size="sm" c="dimmed">
          {t`Addresses in private networks stay refused, except those that the operator allows.`}
        </Text>
      )}
    </SettingsForm>
  );
}
