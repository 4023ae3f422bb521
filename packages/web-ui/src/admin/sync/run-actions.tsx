import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { formatNumber } from '../../lib/format.ts';
import { notify } from '../../ui/notify.ts';
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
    notify(t`Approved. A new run checks these accounts again and disables those still missing.`);
    await showRequestedRun(client);
    // That page shows the progress of the new run.
    await navigate({ to: '/admin/directory-sync' });
  };
  const undo = async (): Promise<void> => {
    const { restored, left } = await call('POST /api/admin/directory-sync/passes/{uuid}/undo', { params });
    const [first] = left;
    const enabled = plural(restored, { one: '# account enabled again.', other: '# accounts enabled again.' });
    const skipped = t`${plural(left.length, { one: '# account', other: '# accounts' })} skipped: ${first?.why ?? ''}`;
    notify(first ? `${enabled} ${skipped}` : enabled);
  };
  const close = (): void => setDialog(null);
  return (
    <Group>
      {awaitsApproval(report) && <Button onClick={() => setDialog('approve')}>{t`Approve this set`}</Button>}
      {report.disabled > report.undone && (
        <Button variant="default" onClick={() => setDialog('undo')}>
          {t`Undo`}
        </Button>
      )}
      {dialog === 'approve' && (
        <Confirm
          title={t`Disable ${plural(remainingOf(report), { one: '# account', other: '# accounts' })}?`}
          action={t`Disable ${formatNumber(remainingOf(report))}`}
          run={approve}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            {t`A new run checks exactly these accounts again and disables those still missing. All their sessions end.`}
          </Text>
        </Confirm>
      )}
      {dialog === 'undo' && (
        <Confirm
          title={t`Undo this run?`}
          action={t`Enable again`}
          harmless
          run={undo}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            <Trans>
              Accounts disabled by this run are enabled again, unless they were changed since. Their sessions stay
              ended.
            </Trans>
          </Text>
        </Confirm>
      )}
    </Group>
  );
}
