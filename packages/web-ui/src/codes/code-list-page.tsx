import { plural, t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError } from '@overtone/client';
import { call } from '../api/client.ts';
import { ShareableActions } from '../sharing/shareable-actions.tsx';
import { sharedCodeList } from '../sharing/shared.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { NotFoundPage } from '../ui/not-found-page.tsx';
import { notify } from '../ui/notify.ts';
import { Pane, Section } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { CodeListBadges } from './code-lists-page.tsx';
import { CodeListDialog } from './code-list-dialog.tsx';
import { CodeName } from './code-name.tsx';
import { codesNamed } from './codes-named.ts';
import { codeListQuery, refreshCodes, type Code, type CodeList } from './code-queries.ts';
import css from './codes.module.css';
import { Passages } from './passages.tsx';

/** One list: its codes, and the passages that have them in all recordings. */
export function CodeListPage() {
  const { uuid } = useParams({ from: '/inside/codes/$uuid' });
  const query = useQuery(codeListQuery(uuid));
  const list = query.data;
  if (query.error instanceof ApiError && (query.error.status === 404 || query.error.status === 400))
    return <NotFoundPage />;
  return (
    <Pane
      title={list?.name ?? t`Codes`}
      actions={list && list.my_permission !== 'viewer' && <Actions list={list} />}
      back={{ to: '/codes', label: t`All lists of codes` }}
    >
      <QueryStatus of={query} failure={t`The list couldn’t be loaded`} />
      {list && (
        <Stack gap="lg">
          <Group gap="xs">
            <CodeListBadges list={list} />
          </Group>
          {list.description !== '' && (
            <Text style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{list.description}</Text>
          )}
          <Section title={t`Codes`}>
            <Codes list={list} />
          </Section>
          <Section title={t`Passages`}>
            <Passages list={list} />
          </Section>
        </Stack>
      )}
    </Pane>
  );
}

/** A list of fewer codes is seen at a glance. */
const searchedFrom = 8;

function Codes({ list }: { list: CodeList }) {
  const client = useQueryClient();
  const [changed, setChanged] = useState<Code | 'new' | null>(null);
  const [deleted, setDeleted] = useState<Code | null>(null);
  const [wanted, setWanted] = useState('');
  const mayEdit = list.my_permission !== 'viewer';
  const codes = codesNamed(list.codes, wanted);
  return (
    <Stack gap="sm" align="stretch">
      {list.codes.length === 0 && <Empty>{t`No codes in this list yet.`}</Empty>}
      {list.codes.length >= searchedFrom && (
        <SearchBox label={t`Search in the codes`} value={wanted} onChange={setWanted} />
      )}
      {list.codes.length > 0 && codes.length === 0 && <Empty>{t`No codes match.`}</Empty>}
      <ul className={css['list']} data-testid="codes">
        {codes.map((code) => (
          <li key={code.uuid} className={code.parent_uuid === null ? '' : (css['below'] ?? '')}>
            <div className="ot-entry">
              <div>
                <Link to="/codes/$uuid" params={{ uuid: list.uuid }} search={{ code: code.uuid }} className="ot-link">
                  <CodeName code={code} />
                </Link>
                <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                  {plural(code.passages, { one: '# passage', other: '# passages' })}
                  {code.description !== '' && ` · ${code.description}`}
                </Text>
              </div>
              {mayEdit && (
                <Group gap={4} wrap="nowrap">
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="gray"
                    aria-label={t`Edit ${code.name}`}
                    onClick={() => setChanged(code)}
                  >
                    {t`Edit`}
                  </Button>
                  <Button
                    size="compact-xs"
                    variant="subtle"
                    color="gray"
                    aria-label={t`Delete ${code.name}`}
                    onClick={() => setDeleted(code)}
                  >
                    {t`Delete`}
                  </Button>
                </Group>
              )}
            </div>
          </li>
        ))}
      </ul>
      {mayEdit && (
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={15} />}
            onClick={() => setChanged('new')}
          >
            {t`Add code`}
          </Button>
        </Group>
      )}
      {changed !== null && (
        <CodeDialog list={list} {...(changed === 'new' ? {} : { code: changed })} onClose={() => setChanged(null)} />
      )}
      {deleted !== null && (
        <Confirm
          title={t`Delete “${deleted.name}”?`}
          action={t`Delete`}
          run={() =>
            call('DELETE /api/code-lists/{uuid}/codes/{code_uuid}', {
              params: { uuid: list.uuid, code_uuid: deleted.uuid },
            })
          }
          onDone={() => void refreshCodes(client)}
          onClose={() => setDeleted(null)}
        >
          <Text>{t`It is removed from all passages, with the codes that belong to it. You can’t undo this.`}</Text>
        </Confirm>
      )}
    </Stack>
  );
}

function Actions({ list }: { list: CodeList }) {
  const client = useQueryClient();
  return (
    <ShareableActions
      name={list.name}
      isOwner={list.my_permission === 'owner'}
      shared={sharedCodeList(list)}
      edit={(close) => <CodeListDialog list={list} onClose={close} onDone={() => notify(t`List saved.`)} />}
      warning={t`Its codes are removed from all passages. You can’t undo this.`}
      remove={() => call('DELETE /api/code-lists/{uuid}', { params: { uuid: list.uuid } })}
      refresh={() => void refreshCodes(client)}
      list="/codes"
    />
  );
}
