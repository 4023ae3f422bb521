import { msg, plural, t } from '@lingui/core/macro';
import { Button, Checkbox, Group, Radio, Stack, Switch, Text } from '@mantine/core';
import type { AudioMasking, RedactionAudience } from '@overtone/contracts';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { ResponseBody } from '../../api/routes.ts';
import { moment } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { useDraft } from '../../state/use-draft.ts';
import { RestoredNote } from '../../ui/draft.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { MaskedKinds } from '../../ui/masked-kinds.tsx';
import { notify } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';

type Policy = ResponseBody<'GET /api/admin/redaction-policy'>;
type Edits = Partial<
  Pick<Policy, 'masked_kinds' | 'masked_for' | 'withhold_unscanned' | 'reveal_for' | 'audio_masking'>
>;

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
const noEdits: Edits = {};
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

/** Whether two settings are equal; the order of a list has no meaning. */
function isSame(left: unknown, right: unknown): boolean {
  const textOf = (value: unknown): string =>
    JSON.stringify(Array.isArray(value) ? value.map(String).toSorted((x, y) => x.localeCompare(y)) : value);
  return textOf(left) === textOf(right);
}

function PolicyForm({ saved }: { saved: Policy }) {
  const client = useQueryClient();
  const draft = useDraft<Edits>('redaction-policy', noEdits);
  const fields = { ...saved, ...draft.value };
  const changed = Object.keys(draft.value).length > 0;
  const change = (edits: Edits): void => {
    const all = Object.entries({ ...draft.value, ...edits });
    draft.set(Object.fromEntries(all.filter(([key, value]) => !isSame(value, saved[key as keyof Edits]))));
  };
  const save = useMutation({
    mutationFn: () => call('PUT /api/admin/redaction-policy', { body: draft.value }),
    onSuccess: (policy) => {
      client.setQueryData(policyQuery.queryKey, policy);
      draft.drop();
      notify(t`Saved.`);
    },
  });
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed) save.mutate();
      }}
    >
      <Stack gap="lg" maw={640}>
        {changed && <RestoredNote draft={draft} />}
        <MaskedKinds
          label={t`Always masked`}
          description={t`Names are found by rule only: introductions such as “my name is”, titles, and the names of the speakers.`}
          value={fields.masked_kinds}
          onChange={(masked_kinds) => change({ masked_kinds })}
        />
        <Audiences label={t`Masked for`} value={fields.masked_for} onChange={(masked_for) => change({ masked_for })} />
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
          onChange={(reveal_for) => change({ reveal_for })}
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
        {save.error && <ErrorNote error={save.error} title={t`The policy wasn’t saved`} />}
        <Group>
          <Button type="submit" disabled={!changed} loading={save.isPending}>
            {t`Save`}
          </Button>
          {changed && (
            <Button variant="default" disabled={save.isPending} onClick={draft.drop}>
              {t`Discard changes`}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
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
