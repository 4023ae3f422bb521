import { t, msg } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ResponseBody } from '@overtone/client';
import type { SettingValues, voiceSettings } from '@overtone/contracts';
import { call } from '../../api/client.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { shownValue, valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { speakerIndexQuery, StoredVoices } from '../stored-voices.tsx';
import { translateOnRead } from '../../lib/language.ts';

/** Texts of the settings of voices. */
const voiceLabels: Readonly<Record<keyof SettingValues<typeof voiceSettings>, SettingLabel>> = translateOnRead({
  profiles_enabled: {
    label: msg`Store voices and recognise them again`,
    description: msg`Speakers that people name are suggested in their other recordings.`,
  },
  suggestion_threshold: {
    label: msg`Suggest from a confidence of`,
    description: msg`From 0.5 to 0.99: a higher value makes fewer and surer suggestions.`,
  },
});

const voicesQuery = queryOptions({
  queryKey: ['voice-settings'],
  queryFn: ({ signal }) => call('GET /api/admin/voice-profiles', { signal }),
});

/** Administration > Speaker profiles: whether voices are stored and recognised again. */
export function VoicesPage() {
  const settings = useQuery(voicesQuery);
  return (
    <Pane title={t`Speaker profiles`}>
      <QueryStatus of={settings} failure={t`The settings couldn’t be loaded`} height={200} />
      {settings.data && (
        <Stack gap="lg">
          <Section title={t`Settings`}>
            <VoicesForm saved={settings.data} />
          </Section>
          <Section title={t`Stored voices`}>
            <StoredVoices isAllowed={isAllowed(settings.data)} />
            <Text size="sm" mt="xs">
              <Link className="ot-link" to="/admin/search">
                {t`Versions of the speaker index`}
              </Link>
            </Text>
          </Section>
        </Stack>
      )}
    </Pane>
  );
}

type VoiceSettings = ResponseBody<'GET /api/admin/voice-profiles'>;

function isAllowed({ settings }: VoiceSettings): boolean {
  return settings.find(({ key }) => key === 'profiles_enabled')?.value === true;
}

function VoicesForm({ saved }: { saved: VoiceSettings }) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'voice-settings',
    saved: valuesOf(saved.settings),
    save: async (changes) => {
      client.setQueryData(voicesQuery.queryKey, await call('PUT /api/admin/voice-profiles', { body: changes }));
      void client.invalidateQueries({ queryKey: ['voices'] });
      void client.invalidateQueries({ queryKey: speakerIndexQuery.queryKey });
    },
  });
  const enabled = saved.settings.find(({ key }) => key === 'profiles_enabled');
  const isErased = enabled?.value === true && shownValue(enabled, form.fields) !== true;
  return (
    <SettingsForm
      form={form}
      questionOf={async () =>
        isErased
          ? {
              title: t`Delete all stored voices?`,
              text: t`All speaker profiles of all people and all stored voices are deleted. This can’t be undone. The names in transcripts stay.`,
              action: t`Switch off and delete`,
            }
          : null
      }
    >
      <Text size="sm" c="dimmed">
        {t`A stored voice is personal data. Switching this off deletes all profiles and stored voices immediately; the names in transcripts stay.`}
      </Text>
      <SettingFields items={saved.settings} labels={voiceLabels} form={form} />
    </SettingsForm>
  );
}
