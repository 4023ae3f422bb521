import { t } from '@lingui/core/macro';
import { Group, Kbd, Table } from '@mantine/core';
import { shortcuts } from './keyboard.ts';
import { Dialog } from '../ui/dialog.tsx';

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title={<b>{t`Keyboard shortcuts`}</b>} size="sm">
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
    </Dialog>
  );
}
