import { t } from '@lingui/core/macro';
import { Text, Textarea } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useForm } from '../../state/use-form.ts';
import type { QueueItem } from './queue-queries.ts';

type Props = { queue: QueueItem['queue']; onClose: () => void };

/** Pauses a queue. The reason is shown to everyone whose recordings wait for it. */
export function PauseDialog({ queue, onClose }: Props) {
  const client = useQueryClient();
  const form = useForm({
    key: `pause-queue:${queue}`,
    saved: { reason: '' },
    send: (body) => call('POST /api/admin/queues/{queue}/pause', { params: { queue }, body }),
    refresh: () => void client.invalidateQueries({ queryKey: ['queues'] }),
    onSaved: () => {
      notify(t`Paused ${queue}.`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Pause ${queue}`}
      action={t`Pause`}
      unready={stillMissing(form.fields.reason === '' && t`Reason`)}
      {...form.dialog}
      onClose={onClose}
    >
      <Text size="sm">{t`Running jobs finish. New jobs wait until the queue is resumed; none are lost.`}</Text>
      <Textarea
        label={t`Reason`}
        description={t`Shown to people whose recordings wait, and kept in the audit log.`}
        data-autofocus
        required
        maxLength={500}
        autosize
        minRows={2}
        {...form.text('reason')}
      />
    </FormDialog>
  );
}
