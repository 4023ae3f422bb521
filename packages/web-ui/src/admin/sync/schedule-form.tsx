import { Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import cronstrue from 'cronstrue';
import { useState } from 'react';
import { fieldOf } from '../../api/problem.ts';
import { askSweep } from '../../api/sweep.ts';
import { ErrorNote } from '../../app/error-note.tsx';
import { say } from '../../app/notify.ts';
import { moment, soon } from '../../lib/format.ts';
import css from './sync.module.css';
import type { Status } from './words.ts';

type Draft = Pick<Status, 'enabled' | 'schedule' | 'dry_run' | 'max_disables_per_run' | 'max_disable_percent'>;

/** A schedule in words; nothing while it is none. */
const inWords = (schedule: string): string => {
  try {
    return `${cronstrue.toString(schedule, { use24HourTimeFormat: true })} (UTC)`;
  } catch {
    return '';
  }
};

/** When the sweep comes and how much it may do. */
export const ScheduleForm = ({ status }: { status: Status }) => {
  const client = useQueryClient();
  const [edits, setEdits] = useState<Partial<Draft>>({});
  const draft: Draft = { ...status, ...edits };
  const changed = (Object.keys(edits) as (keyof Draft)[]).filter((key) => edits[key] !== status[key]);
  const save = useMutation({
    mutationFn: () => askSweep('updateDirectorySync', { body: Object.fromEntries(changed.map((k) => [k, edits[k]])) }),
    onSuccess: async () => {
      say('Saved. It counts from the next look at the schedule on.');
      await client.invalidateQueries({ queryKey: ['sweep', 'status'] });
      setEdits({});
    },
  });
  const change = (next: Partial<Draft>): void => setEdits((before) => ({ ...before, ...next }));
  const errorOf = (key: keyof Draft) => fieldOf(save.error, key);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0) save.mutate();
      }}
    >
      <Stack gap="md" maw={560}>
        <Switch
          label="Sweep the directory"
          description="On schedule, and whenever somebody runs it here."
          checked={draft.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label="Dry run"
          description="Report who would be disabled, and change nothing."
          checked={draft.dry_run}
          onChange={(event) => change({ dry_run: event.currentTarget.checked })}
        />
        <TextInput
          label="Schedule"
          description={inWords(draft.schedule) || 'Five cron fields: minute, hour, day, month, weekday. In UTC.'}
          value={draft.schedule}
          maxLength={200}
          error={errorOf('schedule')}
          onChange={(event) => change({ schedule: event.currentTarget.value })}
        />
        {changed.includes('schedule') ? (
          <Text size="sm" c="dimmed">
            Its next five times are shown once it is saved.
          </Text>
        ) : (
          <NextRuns status={status} />
        )}
        <NumberInput
          label="Accounts a pass may disable"
          description="More leavers than this wait for the next pass."
          min={1}
          max={100_000}
          allowDecimal={false}
          value={draft.max_disables_per_run}
          error={errorOf('max_disables_per_run')}
          onChange={(value) => change({ max_disables_per_run: Number(value) })}
        />
        <NumberInput
          label="Hold a pass above this share of accounts"
          description="In percent. Such a pass disables nobody until somebody has approved exactly its set. Empty: no such brake."
          min={0.01}
          max={100}
          suffix=" %"
          placeholder="No brake"
          value={draft.max_disable_percent ?? ''}
          error={errorOf('max_disable_percent')}
          onChange={(value) => change({ max_disable_percent: value === '' ? null : Number(value) })}
        />
        {save.error && <ErrorNote error={save.error} title="Nothing was saved" />}
        <Group>
          <Button type="submit" disabled={changed.length === 0} loading={save.isPending}>
            Save
          </Button>
          {changed.length > 0 && (
            <Button variant="default" onClick={() => setEdits({})}>
              Discard
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
};

const NextRuns = ({ status }: { status: Status }) => (
  <div data-testid="next-runs">
    <Text size="sm" fw={600}>
      {status.enabled ? 'Next passes' : 'Next passes, once it is switched on'}, in your time
    </Text>
    <ul className={css['times']}>
      {status.next_runs.map((at) => (
        <li key={at} title={moment(at)}>
          {soon(at)}
        </li>
      ))}
    </ul>
    {status.next_due && <Text size="sm">One is due and starts within 15 minutes.</Text>}
  </div>
);
