import { t } from '@lingui/core/macro';
import { Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { moment, soon } from '../../lib/format.ts';
import { scheduleLabel } from '../settings/schedule.ts';
import { NumberField } from '../../ui/number-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import css from './sync.module.css';
import type { Status } from './labels.ts';

/** The schedule of the runs, and the limits of what a run may change. */
export function ScheduleForm({ status }: { status: Status }) {
  const client = useQueryClient();
  const { enabled, schedule, dry_run, max_disables_per_run, max_disable_percent } = status;
  const saved = { enabled, schedule, dry_run, max_disables_per_run, max_disable_percent };
  const form = useSettingsForm({
    name: 'directory-sync',
    saved,
    save: async (changes) => {
      await call('PUT /api/admin/directory-sync', { body: changes });
      await client.invalidateQueries({ queryKey: ['directory-sync', 'status'] });
    },
  });
  const { fields, change, errorOf } = form;
  return (
    <SettingsForm form={form}>
      <Switch
        label={t`Directory sync`}
        description={t`Runs on schedule, and when started here.`}
        checked={fields.enabled}
        onChange={(event) => change({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        {...scheduleLabel(fields.schedule)}
        value={fields.schedule}
        maxLength={200}
        spellCheck={false}
        error={errorOf('schedule')}
        onChange={(event) => change({ schedule: event.currentTarget.value })}
      />
      {fields.schedule === schedule ? (
        <NextRuns status={status} />
      ) : (
        <Text size="sm" c="dimmed">
          {t`Save to see the next five runs.`}
        </Text>
      )}
      <Switch
        label={t`Dry run`}
        description={t`Reports which accounts would be disabled, and changes nothing.`}
        checked={fields.dry_run}
        onChange={(event) => change({ dry_run: event.currentTarget.checked })}
      />
      <NumberField
        label={t`Accounts a run may disable`}
        description={t`Further accounts are left for the next run.`}
        min={1}
        max={100_000}
        allowDecimal={false}
        value={fields.max_disables_per_run}
        error={errorOf('max_disables_per_run')}
        onChange={(value) => change({ max_disables_per_run: value })}
      />
      <NumberField
        label={t`Require approval above`}
        description={t`Percentage of accounts. A run that would disable more disables none until an administrator approves its set. With fewer than 20 accounts, only the number above is a limit. Leave blank for no limit.`}
        optional
        min={0.01}
        max={100}
        suffix=" %"
        placeholder={t`No limit`}
        value={fields.max_disable_percent}
        error={errorOf('max_disable_percent')}
        onChange={(value) => change({ max_disable_percent: value })}
      />
    </SettingsForm>
  );
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
