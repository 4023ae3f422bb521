import { msg, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import type { promptsGroup, SettingValues } from '@overtone/contracts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { translateOnRead } from '../../lib/language.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';

const labels: Readonly<Record<keyof SettingValues<typeof promptsGroup>, SettingLabel>> = translateOnRead({
  organisation_context: {
    label: msg`About the organisation`,
    description: msg`At most 10,000 characters. Empty: nothing is sent.`,
  },
});
const contextQuery = queryOptions({
  queryKey: ['organisation-context'],
  queryFn: ({ signal }) => call('GET /api/admin/organisation-context', { signal }),
});

/** The context of the organisation, a part of every request to a language model. */
export function OrganisationPage() {
  const context = useQuery(contextQuery);
  return (
    <Pane title={t`Organisation context`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`Names, products, abbreviations: what a language model should know about your organisation. The text is part of every request to a language model, also to providers outside of your network. Write nothing secret here.`}
      </Text>
      <Section title={t`Context`}>
        {context.data ? (
          <ContextForm {...context.data} />
        ) : (
          <QueryStatus of={context} failure={t`The context couldn’t be loaded`} height={240} />
        )}
      </Section>
    </Pane>
  );
}

function ContextForm({ settings }: ResponseBody<'GET /api/admin/organisation-context'>) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'organisation-context',
    saved: valuesOf(settings),
    save: async (changes) => {
      client.setQueryData(contextQuery.queryKey, await call('PUT /api/admin/organisation-context', { body: changes }));
    },
  });
  return (
    <SettingsForm form={form}>
      <SettingFields items={settings} labels={labels} form={form} />
    </SettingsForm>
  );
}
