import { plural, t, msg } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import type { publicLinksGroup, SettingValues } from '@overtone/contracts';
import { call } from '../../api/client.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { shownValue, valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { translateOnRead } from '../../lib/language.ts';

/** Texts of the settings of public links. */
const publicLinkLabels: Readonly<Record<keyof SettingValues<typeof publicLinksGroup>, SettingLabel>> = translateOnRead({
  enabled: {
    label: msg`Allow public links`,
    description: msg`Who may share a recording can create links that open it without an account.`,
  },
  max_days: {
    label: msg`Longest time in days`,
    description: msg`New links end after at most this time.`,
  },
  password_required: {
    label: msg`Require a password`,
    description: msg`For new links.`,
  },
});

const settingsQuery = queryOptions({
  queryKey: ['public-link-settings'],
  queryFn: ({ signal }) => call('GET /api/admin/public-links', { signal }),
});

/** Administration > Public links: whether recordings can be opened without an account, and the limits of links. */
export function PublicLinksPage() {
  const settings = useQuery(settingsQuery);
  return (
    <Pane title={t`Public links`}>
      <QueryStatus of={settings} failure={t`The settings couldn’t be loaded`} height={200} />
      {settings.data && (
        <Section title={t`Settings`}>
          <PublicLinksForm saved={settings.data} />
        </Section>
      )}
    </Pane>
  );
}

function PublicLinksForm({ saved }: { saved: ResponseBody<'GET /api/admin/public-links'> }) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'public-link-settings',
    saved: valuesOf(saved.settings),
    save: async (changes) => {
      client.setQueryData(settingsQuery.queryKey, await call('PUT /api/admin/public-links', { body: changes }));
      void client.invalidateQueries({ queryKey: ['public-links'] });
    },
  });
  const enabled = saved.settings.find(({ key }) => key === 'enabled');
  const isSwitchedOff = enabled?.value === true && shownValue(enabled, form.fields) !== true;
  const active = saved.active_links;
  return (
    <SettingsForm
      form={form}
      questionOf={async () =>
        isSwitchedOff && active > 0
          ? {
              title: t`End all public links?`,
              text: plural(active, {
                one: '# active link ends immediately. It can’t be activated again.',
                other: '# active links end immediately. They can’t be activated again.',
              }),
              action: t`Switch off and end`,
            }
          : null
      }
    >
      <Text size="sm" c="dimmed">
        {t`A public link opens one recording without an account, until its end date. What is masked for any reader is masked for everyone who opens it. Switching this off ends all links permanently.`}
      </Text>
      <Text size="sm">
        {active === 0 ? t`There is no active link.` : plural(active, { one: '# active link', other: '# active links' })}
      </Text>
      <SettingFields items={saved.settings} labels={publicLinkLabels} form={form} />
    </SettingsForm>
  );
}
