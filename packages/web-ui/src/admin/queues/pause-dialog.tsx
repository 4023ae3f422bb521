import { t } from '@lingui/core/macro';
import { Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useDraft } from '../../state/use-draft.ts';
import type { QueueItem } from './queue-queries.ts';

type Props = { queue: QueueItem['queue']; onClose: () => void };

/** Pauses a queue. The reason is shown to everyone whose recordings wait for it. */
export function PauseDialog({ queue, onClose }: Props) {
  const draft = useDraft(`pause:${queue}`, '');
  const reason = draft.value;
  const client = useQueryClient();
  const pause = useMutation({
    mutationFn: () =>
      call('POST /api/admin/queues/{queue}/pause', { params: { queue }, body: { reason: reason.trim() } }),
    onSuccess: () => {
      draft.drop();
      notify(t`Paused ${queue}.`);
      void client.invalidateQueries({ queryKey: ['queues'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={t`Pause ${queue}`}
      action={t`Pause`}
      ready={reason.trim() !== ''}
      sending={pause}
      draft={draft}
      onSubmit={() => pause.mutate()}
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
        value={reason}
        onChange={(event) => draft.set(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
