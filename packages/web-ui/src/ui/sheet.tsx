import { Table } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import css from './sheet.module.css';

type SheetProps = { heads: readonly (string | ReactElement)[]; testId: string; card?: boolean; children: ReactNode };
/**
 * A table that becomes a list on a narrow screen. There the first cell and cells with `data-wide` have a line of their
 * own, and `data-label` replaces the heading of the column.
 */
export function Sheet({ heads, testId, card = false, children }: SheetProps) {
  return (
    <div className={card ? `ot-card ${css['card']}` : undefined}>
      <Table
        className={css['sheet'] ?? ''}
        fz="sm"
        verticalSpacing="xs"
        horizontalSpacing={card ? 'md' : 'xs'}
        data-testid={testId}
      >
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (typeof head === 'string' ? <Table.Th key={head}>{head}</Table.Th> : head))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </div>
  );
}
