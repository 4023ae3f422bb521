import type { BackupSettings } from '@overtone/contracts';
import { t } from '@lingui/core/macro';
import { Alert, Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bytes, moment } from '../../lib/format.ts';
import { Icon } from '../../ui/icons.tsx';
import { Section } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { destinationText } from './labels.ts';
import { backupRunsQuery, stateOf, storedBackupsQuery } from './operations-queries.ts';

/** The complete backups at the destination, and the damaged ones. */
export function StoredBackups({ settings }: { settings: BackupSettings }) {
  const runs = useQuery(backupRunsQuery(1));
  const stored = useQuery({
    ...storedBackupsQuery(stateOf(runs.data?.items[0])),
    enabled: runs.data !== undefined,
  });
  const hasPlace = settings.destination_type === 's3' ? settings.s3_bucket !== '' : settings.destination !== '';
  if (!hasPlace) return null;
  const { data } = stored;
  return (
    <Section title={t`Backups at the destination`}>
      <QueryStatus of={runs.isError ? runs : stored} failure={t`The backups couldn’t be listed`} />
      {data && !data.destination_status.ok && (
        <Text size="sm" c="red" style={{ overflowWrap: 'anywhere' }}>
          {destinationText(data.destination_status)}
        </Text>
      )}
      {data && data.unreadable.length > 0 && (
        <Alert color="yellow" variant="light" icon={<Icon name="alert" />} title={t`Damaged or incomplete`} mb="sm">
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {data.unreadable.join(', ')}
          </Text>
        </Alert>
      )}
      {data?.destination_status.ok && data.backups.length === 0 && <Empty>{t`No backups here yet.`}</Empty>}
      {data && data.backups.length > 0 && (
        <Sheet
          testId="stored-backups"
          heads={[
            t`File`,
            t`Made`,
            t`Version`,
            <Table.Th key="size" ta="right">
              {t`Size`}
            </Table.Th>,
          ]}
        >
          {data.backups.map((backup) => (
            <Table.Tr key={backup.name}>
              <Table.Td>
                {backup.filename}{' '}
                {backup.encrypted && (
                  <Badge variant="light" color="gray">
                    {t`encrypted`}
                  </Badge>
                )}
              </Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{moment(backup.created_at)}</Table.Td>
              <Table.Td data-label={t`Version`}>{backup.product_version}</Table.Td>
              <Table.Td ta="right" className="ot-tabular" style={{ whiteSpace: 'nowrap' }}>
                {bytes(backup.size_bytes)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
    </Section>
  );
}
