import { t } from '@lingui/core/macro';
import { NumberInput, Stack, Switch, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import type { RequestBody } from '../../api/routes.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pane, Section } from '../../ui/pane.tsx';
import { QueryStatus } from '../../ui/query-status.tsx';

type Change = RequestBody<'PUT /api/admin/label-settings'>;

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
          <SettingsForm saved={settings.data} />
        </Section>
      ) : (
        <QueryStatus of={settings} failure={t`The settings couldn’t be loaded`} height={160} />
      )}
    </Pane>
  );
}

function SettingsForm({
  saved: { apply_automatically: applies, confidence_threshold: threshold },
}: {
  saved: { apply_automatically: boolean; confidence_threshold: number };
}) {
  const client = useQueryClient();
  const save = useMutation({
    mutationFn: (change: Change) => call('PUT /api/admin/label-settings', { body: change }),
    onSuccess: (settings) => {
      client.setQueryData(settingsQuery.queryKey, settings);
      notify(t`Saved.`);
    },
    onError: (error) => notifyError(t`The settings weren’t saved`, error),
  });
  return (
    <Stack gap="md" maw={560} data-testid="label-settings">
      <Switch
        label={t`Apply labels automatically`}
        description={t`Without this, labels are only suggested.`}
        checked={applies}
        disabled={save.isPending}
        onChange={(event) => save.mutate({ apply_automatically: event.currentTarget.checked })}
      />
      <NumberInput
        key={threshold}
        label={t`Apply from a confidence of`}
        suffix=" %"
        min={50}
        max={100}
        step={5}
        allowDecimal={false}
        clampBehavior="blur"
        maw={220}
        defaultValue={Math.round(threshold * 100)}
        disabled={save.isPending || !applies}
        onBlur={(event) => {
          const next = Math.min(100, Math.max(50, Number.parseInt(event.currentTarget.value, 10))) / 100;
          if (Number.isFinite(next) && next !== threshold) save.mutate({ confidence_threshold: next });
        }}
      />
    </Stack>
  );
}
