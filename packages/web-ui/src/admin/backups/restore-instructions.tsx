import type { BackupSettings } from '@overtone/contracts';
import { t } from '@lingui/core/macro';
import { List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QueryStatus } from '../../ui/query-status.tsx';
import { CommandBlock } from './command-block.tsx';
import { backupRunsQuery, backupStatusQuery, stateOf, storedBackupsQuery } from './operations-queries.ts';
import { restoreCommands } from './restore-commands.ts';

/** How the newest backup is restored: the exact commands, and what they do. */
export function RestoreInstructions({ settings }: { settings: BackupSettings }) {
  const runs = useQuery(backupRunsQuery(1));
  const stored = useQuery({ ...storedBackupsQuery(stateOf(runs.data?.items[0])), enabled: runs.data !== undefined });
  const status = useQuery({ ...backupStatusQuery(stateOf(runs.data?.items[0])), enabled: runs.data !== undefined });
  const newest = stored.data?.backups[0];
  if (!stored.data || !status.data)
    return (
      <QueryStatus
        of={[runs, stored, status].find(({ isError }) => isError) ?? (stored.data ? status : stored)}
        failure={t`The commands couldn’t be loaded`}
        height={60}
      />
    );
  if (!newest) return <Text size="sm">{t`The commands appear here when there is a backup at the destination.`}</Text>;
  const { data_folder: dataFolder } = status.data;
  const data = dataFolder ?? 'data';
  return (
    <Stack gap="sm">
      <Text size="sm">
        {t`A restore replaces the database, so it runs in a shell on the server, in the folder of Overtone:`}
      </Text>
      <CommandBlock lines={restoreCommands(settings, newest, dataFolder)} label={t`Copy the commands of the restore`} />
      <List size="sm" spacing={4}>
        <List.Item>{t`Before anything is changed, the backup is verified, and the present database is dumped to ${`${data}/backups`}.`}</List.Item>
        <List.Item>{t`All sessions end. Accounts that were disabled since the backup stay disabled.`}</List.Item>
        <List.Item>{t`Recordings are not in the backup. Those whose objects are missing are named; the media mirror may have them.`}</List.Item>
        {!newest.encrypted && (
          <List.Item>{t`On another machine the restore also needs the encryption key of this one: the file ${`${data}/secrets/encryption_key`}, or ENCRYPTION_KEY in .env. Keep a copy of it elsewhere, or encrypt the backups: an encrypted one contains it.`}</List.Item>
        )}
        {newest.encrypted && <List.Item>{t`passphrase.txt is a file with the passphrase of the backup.`}</List.Item>}
        {settings.destination_type === 's3' && (
          <List.Item>{t`secret-key.txt is a file with the secret key of the bucket.`}</List.Item>
        )}
      </List>
    </Stack>
  );
}
