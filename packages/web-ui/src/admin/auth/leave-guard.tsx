import { Button, Group, Modal, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';

/** Asks before changes are lost by going somewhere else. */
export const LeaveGuard = ({ on }: { on: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => on,
    enableBeforeUnload: on,
    disabled: !on,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title={<b>Leave without saving?</b>}>
      <Text mb="md">What you changed here is not saved yet.</Text>
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={() => reset?.()}>
          Stay
        </Button>
        <Button color="red" onClick={() => proceed?.()}>
          Leave
        </Button>
      </Group>
    </Modal>
  );
};
