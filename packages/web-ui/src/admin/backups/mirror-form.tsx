import { t } from '@lingui/core/macro';
import { NumberInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { destinationFieldNames, destinationTest } from './destination-test.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { mirrorSettingsQuery, type MirrorSettings, type DestinationStatus } from './operations-queries.ts';
import { ScheduleFields } from '../settings/schedule-fields.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';

/** The settings of the media mirror. */
export function MirrorForm({ saved }: { saved: MirrorSettings }) {
  const client = useQueryClient();
  const form = useSettingsForm<MirrorSettings, DestinationStatus>({
    name: 'media-mirror-settings',
    saved,
    save: async (changes) => {
      client.setQueryData(
        mirrorSettingsQuery.queryKey,
        await call('PUT /api/admin/media-mirror/settings', { body: changes }),
      );
      await client.invalidateQueries({ queryKey: ['media-mirror'] });
    },
    test: (changes) => call('POST /api/admin/media-mirror/test', { body: changes }),
  });
  return (
    <SettingsForm form={form} fields={destinationFieldNames} test={destinationTest()}>
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
