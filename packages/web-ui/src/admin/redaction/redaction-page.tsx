import { msg, plural, t } from '@lingui/core/macro';
import { Checkbox, Radio, Stack, Switch, Text } from '@mantine/core';
import type { AudioMasking, RedactionAudience } from '@overtone/contracts';
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ResponseBody } from '../../api/routes.ts';
import { moment } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { MaskedKinds } from '../../ui/masked-kinds.tsx';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';

type Policy = ResponseBody<'GET /api/admin/redaction-policy'>;

const audienceLabels: Record<RedactionAudience, string> = translateOnRead({
  viewer: msg`People with read access`,
  editor: msg`People with edit access`,
  owner: msg`The owner`,
  administrator: msg`Administrators`,
});
const audioLabels: Record<AudioMasking, string> = translateOnRead({
  off: msg`Nothing: masked parts can be heard`,
  silence: msg`Silence`,
  beep: msg`A beep`,
});
const audiences = Object.keys(audienceLabels) as RedactionAudience[];
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
            <PolicyForm saved={policy.data} />
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

function PolicyForm({ saved }: { saved: Policy }) {
  const client = useQueryClient();
  const { masked_kinds, masked_for, withhold_unscanned, reveal_for, audio_masking } = saved;
  const policy = { masked_kinds, masked_for, withhold_unscanned, reveal_for, audio_masking };
  const form = useSettingsForm({
    name: 'redaction-policy',
    saved: policy,
    save: async (changes) =>
      client.setQueryData(policyQuery.queryKey, await call('PUT /api/admin/redaction-policy', { body: changes })),
  });
  const { fields, change } = form;
  return (
    <SettingsForm form={form} fields={Object.keys(policy)}>
      <MaskedKinds
        label={t`Always masked`}
        description={t`Names are found by rule only: introductions such as “my name is”, titles, and the names of the speakers.`}
        value={fields.masked_kinds}
        onChange={(kinds) => change({ masked_kinds: kinds })}
      />
      <Audiences
        label={t`Masked for`}
        value={fields.masked_for}
        onChange={(chosen) => change({ masked_for: chosen })}
      />
      <Switch
        label={t`Hide text until it has been checked`}
        description={t`A new transcript is hidden from these readers until the check for personal data has ended. Text whose check failed is always hidden.`}
        checked={fields.withhold_unscanned}
        onChange={(event) => change({ withhold_unscanned: event.currentTarget.checked })}
      />
      <Audiences
        label={t`May reveal`}
        description={t`They can show single masked parts. Each use is recorded in the audit log.`}
        value={fields.reveal_for}
        onChange={(chosen) => change({ reveal_for: chosen })}
      />
      <Radio.Group
        label={t`In the recording, in place of masked parts`}
        description={t`For everyone who may not reveal. The first time, such a recording is prepared before it plays. Pictures of a video aren’t changed.`}
        value={fields.audio_masking}
        onChange={(value) => change({ audio_masking: value })}
      >
        <Stack gap="xs" mt="xs">
          {(Object.keys(audioLabels) as AudioMasking[]).map((value) => (
            <Radio key={value} value={value} label={audioLabels[value]} />
          ))}
        </Stack>
      </Radio.Group>
    </SettingsForm>
  );
}

type AudiencesProps = {
  readonly label: string;
  readonly description?: string;
  readonly value: readonly RedactionAudience[];
  readonly onChange: (audiences: RedactionAudience[]) => void;
};

function Audiences({ label, description, value, onChange }: AudiencesProps) {
  return (
    <Checkbox.Group label={label} description={description} value={[...value]} onChange={(next) => onChange(next)}>
      <Stack gap="xs" mt="xs">
        {audiences.map((audience) => (
          <Checkbox key={audience} value={audience} label={audienceLabels[audience]} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function ScanStatus({ policy }: { policy: Policy }) {
  const { files, scanned_files, failed_files, outdated_files, updated_at } = policy;
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
      {updated_at !== null && <Text size="sm" c="dimmed">{t`Policy changed ${moment(updated_at)}`}</Text>}
    </Stack>
  );
}
