import { Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { operate } from '../../api/operations.ts';
import { FormDialog } from '../../app/form-dialog.tsx';
import { say } from '../../app/notify.ts';
import { useDraft } from '../../app/use-draft.tsx';
import type { QueueItem } from './queue-queries.ts';

type Props = { queue: QueueItem['queue']; onClose: () => void };

/** Asks why before a queue is held: whoever finds it held later wants to know. */
export const PauseDialog = ({ queue, onClose }: Props) => {
  const draft = useDraft(`pause:${queue}`, '');
  const reason = draft.value;
  const client = useQueryClient();
  const pause = useMutation({
    mutationFn: () => operate('pauseQueue', { params: { queue }, body: { reason: reason.trim() } }),
    onSuccess: () => {
      draft.drop();
      say(`${queue} is paused.`);
      void client.invalidateQueries({ queryKey: ['queues'] });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Pause ${queue}`}
      action="Pause"
      ready={reason.trim() !== ''}
      sending={pause}
      draft={draft}
      onSubmit={() => pause.mutate()}
      onClose={onClose}
    >
      <Text size="sm">
        What is running is finished; nothing new is started until somebody resumes the queue. What arrives meanwhile
        waits and is not lost.
      </Text>
      <Textarea
        label="Reason"
        description="People whose recordings wait see it, and the audit log keeps it."
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
};
