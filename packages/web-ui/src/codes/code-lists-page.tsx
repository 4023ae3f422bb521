import { plural, t } from '@lingui/core/macro';
import { Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../ui/icons.tsx';
import { Pager } from '../ui/pager.tsx';
import { Pane } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { CodeListDialog } from './code-list-dialog.tsx';
import { codeListsPageSize, codeListsQuery, type CodeList } from './code-queries.ts';

/** Lists of codes: own ones, and those that others share. */
export function CodeListsPage() {
  const { page: shown = '1' } = useSearch({ from: '/inside/codes' });
  const page = Math.max(1, Math.trunc(Number(shown)) || 1);
  const navigate = useNavigate({ from: '/codes' });
  const lists = useQuery(codeListsQuery(page));
  const [creating, setCreating] = useState(false);
  const { items = [], total = 0 } = lists.data ?? {};
  return (
    <Pane
      title={t`Codes`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setCreating(true)}>
          {t`Create list of codes`}
        </Button>
      }
    >
      <QueryStatus of={lists} failure={t`The lists of codes couldn’t be loaded`} />
      {lists.data && total === 0 && (
        <Empty>{t`No codes yet. Create a list of codes, and give them to passages of transcripts.`}</Empty>
      )}
      {items.length > 0 && (
        <ul className="ot-list" data-testid="code-lists">
          {items.map((list) => (
            <li key={list.uuid} className="ot-card" style={{ padding: '0.75rem 1rem' }}>
              <div className="ot-entry">
                <div>
                  <Group gap="xs">
                    <Link to="/codes/$uuid" params={{ uuid: list.uuid }} className="ot-row-link" dir="auto">
                      {list.name}
                    </Link>
                    <CodeListBadges list={list} />
                  </Group>
                  {list.description !== '' && (
                    <Text size="xs" c="dimmed" lineClamp={2}>
                      {list.description}
                    </Text>
                  )}
                </div>
                <Text size="sm" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  {plural(list.codes.length, { one: '# code', other: '# codes' })}
                </Text>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Pager
        page={page}
        total={total}
        size={codeListsPageSize}
        onPage={(next) => void navigate({ search: { page: String(next) }, replace: true })}
        mt="md"
      />
      {creating && (
        <CodeListDialog
          onClose={() => setCreating(false)}
          onDone={({ uuid }) => void navigate({ to: '/codes/$uuid', params: { uuid } })}
        />
      )}
    </Pane>
  );
}

/** Who shares it, and what the person may do. */
export function CodeListBadges({ list }: { list: CodeList }) {
  const { owner_name: owner, my_permission: permission, is_shared: isShared } = list;
  const labels = [
    ...(owner === null ? [] : [t`Owner: ${owner}`]),
    ...(permission === 'viewer' ? [t`Can view`] : []),
    ...(permission === 'editor' ? [t`Can edit`] : []),
    ...(permission === 'owner' && isShared ? [t`Shared`] : []),
  ];
  return labels.map((label) => (
    <Badge key={label} size="sm" variant="light" color="gray" tt="none">
      {label}
    </Badge>
  ));
}
