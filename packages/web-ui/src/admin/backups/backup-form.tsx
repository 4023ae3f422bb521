import { t } from '@lingui/core/macro';
import { Fieldset, NumberInput, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import css from './backups.module.css';
import { destinationFieldNames, destinationTest } from './destination-test.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { backupSettingsQuery, type BackupSettings, type DestinationStatus } from './operations-queries.ts';
import { ScheduleFields } from '../settings/schedule-fields.tsx';
import { SecretField } from '../settings/secret-field.tsx';
import { SettingsForm } from '../settings/settings-form.tsx';
import { useSettingsForm, type SettingsFormState } from '../settings/use-settings-form.ts';

/** The settings of the backups. */
export function BackupForm({ saved }: { saved: BackupSettings }) {
  const client = useQueryClient();
  const form = useSettingsForm<BackupSettings, DestinationStatus>({
    name: 'backup-settings',
    saved,
    save: async (changes) => {
      client.setQueryData(
        backupSettingsQuery.queryKey,
        await call('PUT /api/admin/backup/settings', { body: changes }),
      );
      await client.invalidateQueries({ queryKey: ['backup'] });
    },
    test: (changes) => call('POST /api/admin/backup/test', { body: changes }),
  });
  return (
    <SettingsForm form={form} fields={destinationFieldNames} test={destinationTest()}>
      <ScheduleFields
        form={form}
        label={t`Scheduled backups`}
        description={t`The recordings are not part of a backup: the media mirror copies them.`}
      />
      <DestinationFields
        form={form}
        folderHint={t`The full path of a folder on another disk or host, such as /mnt/backup.`}
      >
        <TextInput
          label={t`Prefix`}
          description={t`Every instance needs a prefix of its own.`}
          value={form.fields.s3_prefix}
          error={form.errorOf('s3_prefix')}
          maxLength={1024}
          spellCheck={false}
          onChange={(event) => form.change({ s3_prefix: event.currentTarget.value })}
        />
      </DestinationFields>
      <RetentionFields form={form} />
      <EncryptionFields form={form} saved={saved} />
    </SettingsForm>
  );
}

function RetentionFields({ form }: { form: SettingsFormState<BackupSettings> }) {
  const kept = [
    ['retention_daily', t`Daily`],
    ['retention_weekly', t`Weekly`],
    ['retention_monthly', t`Monthly`],
  ] as const;
  return (
    <Fieldset legend={t`Backups to keep`} className={css['group'] ?? ''}>
      <div className={css['numbers']}>
        {kept.map(([field, label]) => (
          <NumberInput
            key={field}
            label={label}
            min={0}
            max={1_000}
            allowDecimal={false}
            value={form.fields[field]}
            error={form.errorOf(field)}
            onChange={(value) => form.change({ [field]: Number(value) })}
          />
        ))}
      </div>
    </Fieldset>
  );
}

function EncryptionFields({ form, saved }: { form: SettingsFormState<BackupSettings>; saved: BackupSettings }) {
  const { encrypt } = form.fields;
  return (
    <>
      <Switch
        label={t`Encrypt backups`}
        description={t`With a passphrase, in the age format. An encrypted backup also contains the encryption keys of the stored secrets.`}
        checked={encrypt}
        onChange={(event) => form.change({ encrypt: event.currentTarget.checked })}
      />
      {(encrypt || saved.passphrase_is_set) && (
        <SecretField
          form={form}
          name="passphrase"
          label={t`Passphrase`}
          description={t`At least 12 characters, better six random words. Keep it elsewhere, too: without it no encrypted backup can be read.`}
          isSet={saved.passphrase_is_set}
          mayDelete={!encrypt}
        />
      )}
    </>
  );
}
