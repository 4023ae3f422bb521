import { t } from '@lingui/core/macro';
import { NumberInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { DestinationFields } from './destination-fields.tsx';
import { mirrorSettingsQuery, type MirrorSettings } from './operations-queries.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useSettingsForm } from './use-settings-form.ts';

/** The settings of the media mirror. */
export function MirrorForm({ saved }: { saved: MirrorSettings }) {
  const client = useQueryClient();
  const form = useSettingsForm<MirrorSettings>({
    name: 'media-mirror-settings',
    saved,
    save: (changes) => call('PUT /api/admin/media-mirror/settings', { body: changes }),
    test: (changes) => call('POST /api/admin/media-mirror/test', { body: changes }),
    onSaved: async (settings) => {
      client.setQueryData(mirrorSettingsQuery.queryKey, settings);
      await client.invalidateQueries({ queryKey: ['media-mirror'] });
    },
  });
  return (
    <SettingsForm form={form}>
      <ScheduleFields
        form={form}
        label={t`Scheduled runs`}
        description={t`A run copies recordings that are new or differ. It never deletes anything in the mirror.`}
      />
      <DestinationFields
        form={form}
        folderHint={t`The full path of a folder on another disk or host, such as /mnt/mirror.`}
      />
      <NumberInput
        label={t`Speed limit`}
        description={t`In megabytes a second. Leave blank for no limit.`}
        min={0.1}
        max={10_000}
        suffix=" MB/s"
        placeholder={t`No limit`}
        value={form.fields.throttle_mb_per_second ?? ''}
        error={form.errorOf('throttle_mb_per_second')}
        onChange={(value) => form.change({ throttle_mb_per_second: value === '' ? null : Number(value) })}
      />
    </SettingsForm>
  );
}
