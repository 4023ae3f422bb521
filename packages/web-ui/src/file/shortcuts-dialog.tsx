import { t } from '@lingui/core/macro';
import { Group, Kbd, Modal, Table } from '@mantine/core';
import { shortcuts } from './keyboard.ts';

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title={<b>{t`Keyboard shortcuts`}</b>} size="sm">
      <Table verticalSpacing={6} withRowBorders={false}>
        <Table.Tbody>
          {shortcuts.map(([keys, effect]) => (
            <Table.Tr key={keys.join()}>
              <Table.Td>
                <Group gap={4} wrap="nowrap">
                  {keys.map((key) => (
                    <Kbd key={key}>{key}</Kbd>
                  ))}
                </Group>
              </Table.Td>
              <Table.Td>{effect}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Modal>
  );
}
