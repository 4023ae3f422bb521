import { t } from '@lingui/core/macro';
import { Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import cronstrue from 'cronstrue';
import { fieldOf } from '../../api/problem.ts';
import { call } from '../../api/client.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify } from '../../ui/notify.ts';
import { RestoredNote } from '../../ui/draft.tsx';
import { useDraft } from '../../state/use-draft.ts';
import { moment, soon } from '../../lib/format.ts';
import css from './sync.module.css';
import type { Status } from './labels.ts';

type Fields = Pick<Status, 'enabled' | 'schedule' | 'dry_run' | 'max_disables_per_run' | 'max_disable_percent'>;

const noEdits: Partial<Fields> = {};

/** The schedule of the runs, and the limits of what a run may change. */
export function ScheduleForm({ status }: { status: Status }) {
  const client = useQueryClient();
  const draft = useDraft<Partial<Fields>>('directory-sync', noEdits);
  const edits = draft.value;
  const fields: Fields = { ...status, ...edits };
  const changed = (Object.keys(edits) as (keyof Fields)[]).filter((key) => edits[key] !== status[key]);
  const save = useMutation({
    mutationFn: () =>
      call('PUT /api/admin/directory-sync', { body: Object.fromEntries(changed.map((key) => [key, edits[key]])) }),
    onSuccess: async () => {
      notify(t`Saved.`);
      await client.invalidateQueries({ queryKey: ['directory-sync', 'status'] });
      draft.drop();
    },
  });
  const change = (next: Partial<Fields>): void => {
    const all: Partial<Fields> = { ...edits, ...next };
    const different = Object.entries(all).filter(([key, value]) => value !== status[key as keyof Fields]);
    draft.set(Object.fromEntries(different));
  };
  const errorOf = (key: keyof Fields) => fieldOf(save.error, key);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0) save.mutate();
      }}
    >
      <Stack gap="md" maw={560}>
        <RestoredNote draft={draft} />
        <Switch
          label={t`Directory sync`}
          description={t`Runs on schedule, and when started here.`}
          checked={fields.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label={t`Dry run`}
          description={t`Reports which accounts would be disabled, and changes nothing.`}
          checked={fields.dry_run}
          onChange={(event) => change({ dry_run: event.currentTarget.checked })}
        />
        <TextInput
          label={t`Schedule`}
          description={
            describeSchedule(fields.schedule) || t`Five cron fields: minute, hour, day, month, weekday. In UTC.`
          }
          value={fields.schedule}
          maxLength={200}
          error={errorOf('schedule')}
          onChange={(event) => change({ schedule: event.currentTarget.value })}
        />
        {changed.includes('schedule') ? (
          <Text size="sm" c="dimmed">
            {t`Save to see the next five runs.`}
          </Text>
        ) : (
          <NextRuns status={status} />
        )}
        <NumberInput
          label={t`Accounts a run may disable`}
          description={t`Further accounts are left for the next run.`}
          min={1}
          max={100_000}
          allowDecimal={false}
          value={fields.max_disables_per_run}
          error={errorOf('max_disables_per_run')}
          onChange={(value) => change({ max_disables_per_run: Number(value) })}
        />
        <NumberInput
          label={t`Require approval above`}
          description={t`Percentage of accounts. A run that would disable more disables none until an administrator approves its set. With fewer than 20 accounts, approval is required for several accounts that are more than half of them. Leave blank for no limit.`}
          min={0.01}
          max={100}
          suffix=" %"
          placeholder={t`No limit`}
          value={fields.max_disable_percent ?? ''}
          error={errorOf('max_disable_percent')}
          onChange={(value) => change({ max_disable_percent: value === '' ? null : Number(value) })}
        />
        {save.error && <ErrorNote error={save.error} title={t`The settings weren’t saved`} />}
        <Group>
          <Button type="submit" disabled={changed.length === 0} loading={save.isPending}>
            {t`Save`}
          </Button>
          {changed.length > 0 && (
            <Button variant="default" onClick={draft.drop}>
              {t`Discard`}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}

/** Describes a cron expression; empty while it is invalid. */
function describeSchedule(schedule: string): string {
  try {
    return t`${cronstrue.toString(schedule, { use24HourTimeFormat: true })} (UTC)`;
  } catch {
    return '';
  }
}

function NextRuns({ status }: { status: Status }) {
  return (
    <div data-testid="next-runs">
      <Text size="sm" fw={600}>
        {status.enabled ? t`Next runs, in your time zone` : t`Next runs, once directory sync is on, in your time zone`}
      </Text>
      <ul className={css['times']}>
        {status.next_runs.map((at) => (
          <li key={at} title={moment(at)}>
            {soon(at)}
          </li>
        ))}
      </ul>
      {status.next_due && <Text size="sm">{t`A run is due and starts within 15 minutes.`}</Text>}
    </div>
  );
}
