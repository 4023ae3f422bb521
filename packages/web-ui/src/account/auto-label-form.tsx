import { t } from '@lingui/core/macro';
import { Button, Group, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { RequestBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';

type Change = RequestBody<'PUT /api/user-settings/auto-label'>;

const preferenceQuery = queryOptions({
  queryKey: ['auto-label'],
  queryFn: ({ signal }) => call('GET /api/user-settings/auto-label', { signal }),
});

/** Whether labels are applied without a question, and how sure they must be. */
export function AutoLabelForm() {
  const client = useQueryClient();
  const preference = useQuery(preferenceQuery);
  const save = useMutation({
    mutationFn: (change: Change | null) =>
      change === null
        ? call('DELETE /api/user-settings/auto-label')
        : call('PUT /api/user-settings/auto-label', { body: change }),
    onSuccess: (saved) => {
      client.setQueryData(preferenceQuery.queryKey, saved);
      notify(t`Automatic labels saved.`);
    },
    onError: (error) => notifyError(t`The choice wasn’t saved`, error),
  });
  if (!preference.data) return <QueryStatus of={preference} failure={t`Your choice couldn’t be loaded`} height={120} />;
  const { data } = preference;
  const isOff = save.isPending || !data.allowed;
  return (
    <Stack gap="sm" data-testid="auto-label">
      {!data.allowed && (
        <Text size="sm">{t`An administrator has switched automatic labels off. Suggestions are still made.`}</Text>
      )}
      <Switch
        label={t`Apply labels automatically`}
        description={t`New recordings get tags and private collections that fit them. You can undo each one.`}
        checked={data.enabled}
        disabled={isOff}
        onChange={(event) => save.mutate({ enabled: event.currentTarget.checked })}
      />
      <Switch
        label={t`Tags`}
        checked={data.tags_enabled}
        disabled={isOff || !data.enabled}
        onChange={(event) => save.mutate({ tags_enabled: event.currentTarget.checked })}
      />
      <Switch
        label={t`Collections`}
        checked={data.collections_enabled}
        disabled={isOff || !data.enabled}
        onChange={(event) => save.mutate({ collections_enabled: event.currentTarget.checked })}
      />
      <Threshold
        key={data.confidence_threshold}
        value={data.confidence_threshold}
        disabled={isOff || !data.enabled}
        onSave={(confidence_threshold) => save.mutate({ confidence_threshold })}
      />
      {data.is_set && (
        <Group>
          <Button variant="default" size="compact-sm" disabled={save.isPending} onClick={() => save.mutate(null)}>
            {t`Use the defaults`}
          </Button>
        </Group>
      )}
    </Stack>
  );
}

type ThresholdProps = { readonly value: number; readonly disabled: boolean; readonly onSave: (value: number) => void };

/** In percent; saved when the field is left. */
function Threshold({ value, disabled, onSave }: ThresholdProps) {
  return (
    <NumberInput
      label={t`Apply only when at least`}
      suffix={t` % sure`}
      min={50}
      max={100}
      step={5}
      allowDecimal={false}
      clampBehavior="blur"
      maw={220}
      defaultValue={Math.round(value * 100)}
      disabled={disabled}
      onBlur={(event) => {
        const percent = Number.parseInt(event.currentTarget.value, 10);
        const next = Math.min(100, Math.max(50, percent)) / 100;
        if (Number.isFinite(next) && next !== value) onSave(next);
      }}
    />
  );
}
