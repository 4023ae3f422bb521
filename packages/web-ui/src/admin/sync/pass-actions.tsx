import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { askSweep } from '../../api/sweep.ts';
import { say } from '../../app/notify.ts';
import { plural } from '../../lib/format.ts';
import { Confirm } from '../parts.tsx';
import { passOrdered } from './sync-queries.ts';
import { awaitsApproval, waitingIn, type Report } from './words.ts';

/** What can be done with a pass that has ended: approve what it held, take back what it did. */
export const PassActions = ({ report }: { report: Report }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<'approve' | 'undo' | null>(null);
  const params = { uuid: report.pass_uuid };
  const refresh = (): void => void client.invalidateQueries({ queryKey: ['sweep'] });
  const approve = async (): Promise<void> => {
    await askSweep('approvePass', { params, body: { set_digest: report.set_digest ?? '' } });
    say('Approved. A new pass looks again and disables of this set whoever is still gone.');
    await passOrdered(client);
    // There one sees it run.
    await navigate({ to: '/admin/directory-sync' });
  };
  const undo = async (): Promise<void> => {
    const { restored, left } = await askSweep('undoPass', { params });
    say(
      `${plural(restored, 'account')} enabled again.${left.length > 0 ? ` ${left.length} left: ${left[0]?.why}` : ''}`,
    );
  };
  const close = (): void => setAsking(null);
  return (
    <Group>
      {awaitsApproval(report) && <Button onClick={() => setAsking('approve')}>Approve this set</Button>}
      {report.disabled > report.undone && (
        <Button variant="default" onClick={() => setAsking('undo')}>
          Undo
        </Button>
      )}
      {asking === 'approve' && (
        <Confirm
          title={`Disable ${plural(waitingIn(report), 'account')}?`}
          action={`Disable ${waitingIn(report).toLocaleString()}`}
          run={approve}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            A new pass looks again and disables of exactly these accounts those that are still gone. All their sessions
            end.
          </Text>
        </Confirm>
      )}
      {asking === 'undo' && (
        <Confirm
          title="Take this pass back?"
          action="Enable again"
          harmless
          run={undo}
          onDone={refresh}
          onClose={close}
        >
          <Text size="sm">
            Accounts that this pass disabled are enabled again, where nobody changed them since. Their sessions stay
            ended.
          </Text>
        </Confirm>
      )}
    </Group>
  );
};
