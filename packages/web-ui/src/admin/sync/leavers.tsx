import { Badge, Button, Group, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { plural } from '../../lib/format.ts';
import css from '../admin.module.css';
import { Empty } from '../parts.tsx';
import { Sheet } from '../sheet.tsx';
import { evidenceOf, outcomeWords, reasonWords, type Leaver } from './words.ts';

const shown = 200;

/** Who left, and what became of each. */
export const Leavers = ({ leavers, total }: { leavers: readonly Leaver[]; total: number }) => {
  const [all, setAll] = useState(false);
  if (leavers.length === 0) return <Empty>Nobody.</Empty>;
  const visible = all ? leavers : leavers.slice(0, shown);
  return (
    <>
      <Sheet testId="leavers" heads={['Account', 'Reason', 'What became of it']}>
        {visible.map((leaver) => (
          <LeaverRow key={leaver.user_uuid} leaver={leaver} />
        ))}
      </Sheet>
      <Group mt="sm">
        {visible.length < leavers.length && (
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            Show all {leavers.length.toLocaleString()}
          </Button>
        )}
        {total > leavers.length && (
          <Text size="xs" c="dimmed">
            The first {leavers.length.toLocaleString()} of {total.toLocaleString()}.
          </Text>
        )}
      </Group>
    </>
  );
};

const LeaverRow = ({ leaver }: { leaver: Leaver }) => {
  const { words, color } = outcomeWords[leaver.outcome];
  return (
    <Table.Tr>
      <Table.Td>
        <Link className={css['rowLink'] ?? ''} to="/admin/users/$uuid" params={{ uuid: leaver.user_uuid }}>
          {leaver.email}
        </Link>
      </Table.Td>
      <Table.Td data-wide>
        {reasonWords[leaver.reason]}
        <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {evidenceOf(leaver.evidence)}
        </Text>
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {words}
        </Badge>
        {leaver.sessions_revoked ? (
          <Text size="xs" c="dimmed">
            {plural(leaver.sessions_revoked, 'session')} ended
          </Text>
        ) : null}
      </Table.Td>
    </Table.Tr>
  );
};
