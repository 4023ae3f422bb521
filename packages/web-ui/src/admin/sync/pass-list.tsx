import { Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { moment } from '../../lib/format.ts';
import css from '../admin.module.css';
import { Empty, Pager, Waiting } from '../parts.tsx';
import { passesQuery, passPageSize } from './sync-queries.ts';
import { statusWords, summaryOf, type Summary } from './words.ts';

/** Passes, newest first. */
export const PassList = () => {
  const [page, setPage] = useState(1);
  const passes = useQuery(passesQuery(page));
  if (!passes.data) return <Waiting of={passes} what="The passes" />;
  if (passes.data.total === 0) return <Empty>No pass has run yet.</Empty>;
  return (
    <>
      <Table.ScrollContainer minWidth={560}>
        <Table fz="sm" verticalSpacing="xs" data-testid="passes">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Started</Table.Th>
              <Table.Th>State</Table.Th>
              <Table.Th>Result</Table.Th>
              <Table.Th ta="right">Took</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {passes.data.items.map((pass) => (
              <Row key={pass.pass_uuid} pass={pass} />
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <Pager page={page} total={passes.data.total} size={passPageSize} onPage={setPage} />
    </>
  );
};

const Row = ({ pass }: { pass: Summary }) => {
  const { words, color } = statusWords[pass.status];
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <Link
          className={css['rowLink'] ?? ''}
          to="/admin/directory-sync/passes/$uuid"
          params={{ uuid: pass.pass_uuid }}
        >
          {moment(pass.started_at)}
        </Link>
        {pass.dry_run && (
          <Text span size="xs" c="dimmed" ml={6}>
            dry run
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Badge variant="light" color={color}>
          {words}
        </Badge>
      </Table.Td>
      <Table.Td>{summaryOf(pass)}</Table.Td>
      <Table.Td ta="right" className="ot-tabular">
        {pass.duration_s === null ? '' : `${pass.duration_s.toFixed(1)} s`}
      </Table.Td>
    </Table.Tr>
  );
};
