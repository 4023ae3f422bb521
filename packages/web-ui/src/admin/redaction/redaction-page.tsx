import type { MessageDescriptor } from '@lingui/core';
import { msg, plural, t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import type { AudioMasking, RedactionAudience, RedactionPolicy } from '@overtone/contracts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { moment } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { kindMessages } from '../../ui/masked-kinds.tsx';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { valuesOf } from '../settings/items.ts';
import { SettingFields, type SettingLabel } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';

type Policy = ResponseBody<'GET /api/admin/redaction-policy'>;

const audiences: Record<RedactionAudience, MessageDescriptor> = {
  viewer: msg`People who can view`,
  editor: msg`People with edit access`,
  owner: msg`The owner`,
  administrator: msg`Administrators`,
};
const audioMaskings: Record<AudioMasking, MessageDescriptor> = {
  off: msg`Nothing: masked parts are audible`,
  silence: msg`Silence`,
  beep: msg`A beep`,
};
const labels: Readonly<Record<keyof RedactionPolicy, SettingLabel>> = translateOnRead({
  masked_for: { label: msg`Masked for`, choices: audiences },
  withhold_unscanned: {
    label: msg`Hide text until it has been checked`,
    description: msg`A new transcript is hidden from these readers until the check for personal data has ended. Text whose check failed is always hidden.`,
  },
  reveal_for: {
    label: msg`May reveal`,
    description: msg`They can show single masked parts. Each use is recorded in the audit log.`,
    choices: audiences,
  },
  audio_masking: {
    label: msg`In the recording, in place of masked parts`,
    description: msg`For everyone who may not reveal. The first time, such a recording is prepared before it plays. Pictures of a video aren’t changed.`,
    choices: audioMaskings,
  },
  masked_kinds: {
    label: msg`Always masked`,
    description: msg`Names are found by rule only: introductions such as “my name is”, titles, and the names of the speakers.`,
    choices: kindMessages,
  },
});
const busyMs = 2_000;
const idleMs = 30_000;

const policyQuery = queryOptions({
  queryKey: ['redaction-policy'],
  queryFn: ({ signal }) => call('GET /api/admin/redaction-policy', { signal }),
  refetchInterval: ({ state }) => (state.data && isBusy(state.data) ? busyMs : idleMs),
});

function isBusy({ files, scanned_files, failed_files, outdated_files }: Policy): boolean {
  return scanned_files + failed_files < files || outdated_files > 0;
}

/** What is masked in all transcripts, whatever their owners choose. */
export function RedactionPage() {
  const policy = useQuery(policyQuery);
  return (
    <Pane title={t`Redaction`}>
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`Personal data that is masked here is masked in every transcript: on pages, in exports and in search. Owners can mask more, never less.`}
      </Text>
      {policy.data ? (
        <Stack gap="lg">
          <Section title={t`Policy`}>
            <PolicyForm {...policy.data} />
          </Section>
          <Section title={t`Transcripts`}>
            <ScanStatus policy={policy.data} />
          </Section>
        </Stack>
      ) : (
        <QueryStatus of={policy} failure={t`The policy couldn’t be loaded`} height={240} />
      )}
    </Pane>
  );
}

function PolicyForm({ settings }: Policy) {
  const client = useQueryClient();
  const form = useSettingsForm({
    name: 'redaction-policy',
    saved: valuesOf(settings),
    save: async (changes) => {
      client.setQueryData(policyQuery.queryKey, await call('PUT /api/admin/redaction-policy', { body: changes }));
    },
  });
  return (
    <SettingsForm form={form}>
      <SettingFields items={settings} labels={labels} form={form} />
    </SettingsForm>
  );
}

function ScanStatus({ policy }: { policy: Policy }) {
  const { settings, files, scanned_files, failed_files, outdated_files } = policy;
  const updatedAt = settings
    .flatMap(({ updated_at: at }) => at ?? [])
    .toSorted()
    .at(-1);
  return (
    <Stack gap={4} data-testid="scan-status">
      <Text size="sm">{t`Checked for personal data: ${scanned_files} of ${files}`}</Text>
      {failed_files > 0 && (
        <Text size="sm" c="red">
          {plural(failed_files, {
            one: '# check failed. It is repeated.',
            other: '# checks failed. They are repeated.',
          })}
        </Text>
      )}
      {outdated_files > 0 && (
        <Text size="sm">
          {plural(outdated_files, {
            one: '# transcript is being updated in search.',
            other: '# transcripts are being updated in search.',
          })}
        </Text>
      )}
      {updatedAt !== undefined && <Text size="sm" c="dimmed">{t`Policy changed ${moment(updatedAt)}`}</Text>}
    </Stack>
  );
}
