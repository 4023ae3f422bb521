import { Button, Group, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import cronstrue from 'cronstrue';
import { fieldOf } from '../../api/problem.ts';
import { askSweep } from '../../api/sweep.ts';
import { ErrorNote } from '../../app/error-note.tsx';
import { say } from '../../app/notify.ts';
import { RestoredNote, useDraft } from '../../app/use-draft.tsx';
import { moment, soon } from '../../lib/format.ts';
import css from './sync.module.css';
import type { Status } from './words.ts';

type Fields = Pick<Status, 'enabled' | 'schedule' | 'dry_run' | 'max_disables_per_run' | 'max_disable_percent'>;

/** A schedule in words; nothing while it is none. */
const inWords = (schedule: string): string => {
  try {
    return `${cronstrue.toString(schedule, { use24HourTimeFormat: true })} (UTC)`;
  } catch {
    return '';
  }
};

const noEdits: Partial<Fields> = {};

/** When the sweep comes and how much it may do. */
export const ScheduleForm = ({ status }: { status: Status }) => {
  const client = useQueryClient();
  const draft = useDraft<Partial<Fields>>('directory-sync', noEdits);
  const edits = draft.value;
  const fields: Fields = { ...status, ...edits };
  const changed = (Object.keys(edits) as (keyof Fields)[]).filter((key) => edits[key] !== status[key]);
  const save = useMutation({
    mutationFn: () => askSweep('updateDirectorySync', { body: Object.fromEntries(changed.map((k) => [k, edits[k]])) }),
    onSuccess: async () => {
      say('Saved. It counts from the next look at the schedule on.');
      await client.invalidateQueries({ queryKey: ['sweep', 'status'] });
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
          label="Sweep the directory"
          description="On schedule, and whenever somebody runs it here."
          checked={fields.enabled}
          onChange={(event) => change({ enabled: event.currentTarget.checked })}
        />
        <Switch
          label="Dry run"
          description="Report who would be disabled, and change nothing."
          checked={fields.dry_run}
          onChange={(event) => change({ dry_run: event.currentTarget.checked })}
        />
        <TextInput
          label="Schedule"
          description={inWords(fields.schedule) || 'Five cron fields: minute, hour, day, month, weekday. In UTC.'}
          value={fields.schedule}
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
          value={fields.max_disables_per_run}
          error={errorOf('max_disables_per_run')}
          onChange={(value) => change({ max_disables_per_run: Number(value) })}
        />
        <NumberInput
          label="Hold a pass above this share of accounts"
          description="In percent, from 20 accounts on. With fewer accounts, a pass is held that would disable several and more than half of them. A held pass disables no account until an administrator approves its set. Empty: no limit."
          min={0.01}
          max={100}
          suffix=" %"
          placeholder="No limit"
          value={fields.max_disable_percent ?? ''}
          error={errorOf('max_disable_percent')}
          onChange={(value) => change({ max_disable_percent: value === '' ? null : Number(value) })}
        />
        {save.error && <ErrorNote error={save.error} title="Nothing was saved" />}
        <Group>
          <Button type="submit" disabled={changed.length === 0} loading={save.isPending}>
            Save
          </Button>
          {changed.length > 0 && (
            <Button variant="default" onClick={draft.drop}>
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
