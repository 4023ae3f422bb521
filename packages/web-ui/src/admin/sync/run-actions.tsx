import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { notify } from '../../ui/notify.ts';
import { plural } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { awaitsApproval, remainingOf, type Report } from './labels.ts';
import { showRequestedRun } from './sync-queries.ts';

/** Actions on a finished run: approve the set it held, or undo it. */
export function RunActions({ report }: { report: Report }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'approve' | 'undo' | null>(null);
  const params = { uuid: report.pass_uuid };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ['directory-sync'] });
  const approve = async (): Promise<void> => {
    await call('POST /api/admin/directory-sync/passes/{uuid}/approve', {
      params,
      body: { set_digest: report.set_digest ?? '' },
    });
    notify('Approved. A new run checks these accounts again and disables those still missing.');
    await showRequestedRun(client);
    // That page shows the progress of the new run.
    await navigate({ to: '/admin/directory-sync' });
  };
  const undo = async (): Promise<void> => {
    const { restored, left } = await call('POST /api/admin/directory-sync/passes/{uuid}/undo', { params });
    const skipped = left.length > 0 ? ` ${plural(left.length, 'account')} skipped: ${left[0]?.why}` : '';
    notify(`${plural(restored, 'account')} enabled again.${skipped}`);
  };
  const close = (): void => setDialog(null);
  return (
    <Group>
      {awaitsApproval(report) && <Button onClick={() => setDialog('approve')}>Approve this set</Button>}
      {report.disabled > report.undone && (
        <Button variant="default" onClick={() => setDialog('undo')}>
          Undo
        </Button>
      )}
      {dialog === 'approve' && (
        <Confirm
          title={`Disable ${plural(remainingOf(report), 'account')}?`}
          action={`Disable ${remainingOf(report).toLocaleString()}`}
          run={approve}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            A new run checks exactly these accounts again and disables those still missing. All their sessions end.
          </Text>
        </Confirm>
      )}
      {dialog === 'undo' && (
        <Confirm title="Undo this run?" action="Enable again" harmless run={undo} onDone={refresh} onClose={close}>
          <Text size="sm">
            Accounts disabled by this run are enabled again, unless they were changed since. Their sessions stay ended.
          </Text>
        </Confirm>
      )}
    </Group>
  );
}
