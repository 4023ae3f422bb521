import { t } from '@lingui/core/macro';
import { Switch, TextInput } from '@mantine/core';
import cronstrue from 'cronstrue';

type Schedule = { readonly enabled: boolean; readonly schedule: string };
type Props = {
  readonly form: {
    readonly fields: Schedule;
    readonly change: (next: Partial<Schedule>) => void;
    readonly errorOf: (field: string) => string | null;
  };
  readonly label: string;
  readonly description: string;
};

export function ScheduleFields({ form, label, description }: Props) {
  const { enabled, schedule } = form.fields;
  return (
    <>
      <Switch
        label={label}
        description={description}
        checked={enabled}
        onChange={(event) => form.change({ enabled: event.currentTarget.checked })}
      />
      <TextInput
        label={t`Schedule`}
        description={describeSchedule(schedule) || t`Five cron fields: minute, hour, day, month, weekday. In UTC.`}
        value={schedule}
        maxLength={200}
        spellCheck={false}
        error={form.errorOf('schedule')}
        onChange={(event) => form.change({ schedule: event.currentTarget.value })}
      />
    </>
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
