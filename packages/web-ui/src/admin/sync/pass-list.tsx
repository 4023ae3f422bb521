import { Badge, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { moment } from '../../lib/format.ts';
import css from '../admin.module.css';
import { Empty, Pager, Waiting } from '../parts.tsx';
import { passesQuery, passPageSize } from './sync-queries.ts';
import { stateOf, summaryOf, type Summary } from './words.ts';
import { Sheet } from '../sheet.tsx';

/** Passes, newest first. */
export const PassList = ({ last }: { last: string | null }) => {
  const [page, setPage] = useState(1);
  const passes = useQuery(passesQuery(page, last));
  if (!passes.data) return <Waiting of={passes} what="The passes" />;
  if (passes.data.total === 0) return <Empty>No pass has run yet.</Empty>;
  return (
    <>
      <Sheet
        testId="passes"
        heads={[
          'Started',
          'State',
          'Result',
          <Table.Th key="Took" ta="right">
            Took
          </Table.Th>,
        ]}
      >
        {passes.data.items.map((pass) => (
          <Row key={pass.pass_uuid} pass={pass} />
        ))}
      </Sheet>
      <Pager page={page} total={passes.data.total} size={passPageSize} onPage={setPage} />
    </>
  );
};

const Row = ({ pass }: { pass: Summary }) => {
  const { words, color } = stateOf(pass);
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
      <Table.Td data-wide>{summaryOf(pass)}</Table.Td>
      <Table.Td ta="right" className="ot-tabular" data-label="Took" style={{ whiteSpace: 'nowrap' }}>
        {pass.duration_s === null ? '' : `${pass.duration_s.toFixed(1)} s`}
      </Table.Td>
    </Table.Tr>
  );
};
