import { useQueryClient } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { shownValues, valuesOf, type SettingEdits } from '../settings/items.ts';
import { SettingFields } from '../settings/setting-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm } from '../settings/use-settings-form.ts';
import { destinationTest, questionOfDestination } from './destination-test.tsx';
import { backupSettingsQuery, type DestinationStatus } from './operations-queries.ts';
import { shownBackupLabels } from './setting-labels.ts';

type Saved = ResponseBody<'GET /api/admin/backup/settings'>;

/** The settings of the backups. */
export function BackupForm({ saved: { settings } }: { saved: Saved }) {
  const client = useQueryClient();
  const test = (changes: Partial<SettingEdits>) => call('POST /api/admin/backup/test', { body: changes });
  const form = useSettingsForm<SettingEdits, DestinationStatus>({
    name: 'backup-settings',
    saved: valuesOf(settings),
    save: async (changes) => {
      const answer = await call('PUT /api/admin/backup/settings', { body: changes });
      client.setQueryData(backupSettingsQuery.queryKey, answer);
      await client.invalidateQueries({ queryKey: ['backup'] });
    },
    test,
  });
  const hasPassphrase = settings.some(({ key, is_set }) => key === 'passphrase' && is_set);
  const labels = shownBackupLabels(shownValues(settings, form.fields), hasPassphrase);
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
      <SettingFields items={settings} labels={labels} form={form} />
    </SettingsForm>
  );
}
