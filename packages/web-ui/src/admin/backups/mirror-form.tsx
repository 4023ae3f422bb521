import { useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { shownValues, valuesOf, type SettingEdits } from '../settings/items.ts';
import { SettingFields } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { destinationTest, questionOfDestination } from './destination-test.tsx';
import { mirrorSettingsQuery, type DestinationStatus } from './operations-queries.ts';
import { shownMirrorLabels } from './setting-labels.ts';

type Saved = ResponseBody<'GET /api/admin/media-mirror/settings'>;

/** The settings of the media mirror. */
export function MirrorForm({ saved: { settings } }: { saved: Saved }) {
  const client = useQueryClient();
  const test = (changes: Partial<SettingEdits>) => call('POST /api/admin/media-mirror/test', { body: changes });
  const form = useSettingsForm<SettingEdits, DestinationStatus>({
    name: 'media-mirror-settings',
    saved: valuesOf(settings),
    save: async (changes) => {
      const answer = await call('PUT /api/admin/media-mirror/settings', { body: changes });
      client.setQueryData(mirrorSettingsQuery.queryKey, answer);
      await client.invalidateQueries({ queryKey: ['media-mirror'] });
    },
    test,
  });
  return (
    <SettingsForm
      form={form}
      test={destinationTest()}
      questionOf={async () =>
        'destination' in form.changes || 'destination_type' in form.changes
          ? questionOfDestination(await test(form.changes))
          : null
      }
    >
      <SettingFields items={settings} labels={shownMirrorLabels(shownValues(settings, form.fields))} form={form} />
    </SettingsForm>
  );
}
