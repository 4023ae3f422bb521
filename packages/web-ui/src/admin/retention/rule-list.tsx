import { plural, t } from '@lingui/core/macro';
import { Alert, Badge, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, bytes, moment } from '../../lib/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify, notifyError } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { conditionsText, reasonLabels, removalLabels } from './labels.ts';
import { pageSize, retentionPreviewQuery, retentionRulesQuery, type RetentionRule } from './retention-queries.ts';
import { RuleDialog } from './rule-dialog.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type Dialog = { kind: 'edit' | 'delete' | 'preview'; rule: RetentionRule } | { kind: 'add' } | null;

/** The rules in their order, with what each would delete now. */
export function RuleList() {
  const client = useQueryClient();
  const rules = useQuery(retentionRulesQuery);
  const [dialog, setDialog] = useState<Dialog>(null);
  const refresh = () => client.invalidateQueries({ queryKey: ['retention'] });
  const order = useMutation({
    mutationFn: (rule_uuids: string[]) => call('PUT /api/admin/retention/rules', { body: { rule_uuids } }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The order wasn’t changed`, error),
  });
  const list = rules.data ?? [];
  const moveUp = (position: number): void => {
    const ids = list.map(({ uuid }) => uuid);
    const [moved] = ids.splice(position, 1);
    if (moved !== undefined) ids.splice(position - 1, 0, moved);
    order.mutate(ids);
  };
  const close = (): void => setDialog(null);
  return (
    <Stack gap="md">
      <Text size="sm">{t`The first rule that applies to a file decides. Files under a legal hold are always kept.`}</Text>
      <QueryStatus of={rules} failure={t`The rules couldn’t be loaded`} />
      {rules.data?.length === 0 && <Empty>{t`No rules yet. Nothing is deleted automatically.`}</Empty>}
      {list.length > 0 && (
        <Sheet testId="retention-rules" heads={[t`Rule`, t`What it does`, t`State`, t`Actions`]}>
          {list.map((rule, position) => (
            <Table.Tr key={rule.uuid} data-rule={rule.name}>
              <Table.Td>
                <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
                  {rule.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {conditionsText(rule.conditions)}
                </Text>
              </Table.Td>
              <Table.Td data-wide>{removalLabels[rule.removes]}</Table.Td>
              <Table.Td>
                <Badge variant="light" color={rule.enabled ? 'petrol' : 'gray'}>
                  {rule.enabled ? t`On` : t`Off`}
                </Badge>
              </Table.Td>
              <Table.Td data-wide>
                <Group gap="xs">
                  <Button size="compact-sm" variant="default" onClick={() => setDialog({ kind: 'preview', rule })}>
                    {t`Preview`}
                  </Button>
                  <Button size="compact-sm" variant="default" onClick={() => setDialog({ kind: 'edit', rule })}>
                    {t`Change`}
                  </Button>
                  {position > 0 && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t`Move ${rule.name} up`}
                      disabled={order.isPending}
                      onClick={() => moveUp(position)}
                    >
                      <Icon name="chevronUp" size={16} />
                    </Button>
                  )}
                  <Button
                    size="compact-sm"
                    variant="light"
                    color="red"
                    onClick={() => setDialog({ kind: 'delete', rule })}
                  >
                    {t`Delete`}
                  </Button>
                </Group>
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
      <Group>
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setDialog({ kind: 'add' })}>
          {t`Add rule`}
        </Button>
      </Group>
      {dialog?.kind === 'add' && <RuleDialog rule={null} onDone={refresh} onClose={close} />}
      {dialog?.kind === 'edit' && <RuleDialog rule={dialog.rule} onDone={refresh} onClose={close} />}
      {dialog?.kind === 'preview' && <PreviewDialog rule={dialog.rule} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <Confirm
          title={t`Delete the rule ${dialog.rule.name}?`}
          action={t`Delete the rule`}
          run={() => call('DELETE /api/admin/retention/rules/{uuid}', { params: { uuid: dialog.rule.uuid } })}
          onDone={() => {
            notify(t`Rule deleted.`);
            void refresh();
          }}
          onClose={close}
        >
          <Text size="sm">{t`Files that the rule has moved to the bin stay there until their time ends.`}</Text>
        </Confirm>
      )}
    </Stack>
  );
}

function PreviewDialog({ rule, onClose }: { rule: RetentionRule; onClose: () => void }) {
  const [page, setPage] = useState(1);
  const preview = useQuery(retentionPreviewQuery(rule.uuid, page));
  const { data } = preview;
  return (
    <Dialog onClose={onClose} size="xl" title={<b>{t`What “${rule.name}” would do now`}</b>}>
      <Stack gap="md" data-testid="retention-preview">
        <QueryStatus of={preview} failure={t`The preview couldn’t be loaded`} />
        {data && (
          <>
            <Text fw={600}>
              {plural(data.total, { one: '# file', other: '# files' })}, {bytes(data.total_bytes)}
            </Text>
            {data.would_be_held && (
              <Alert color="yellow" variant="light" icon={<Icon name="alert" />}>
                {t`This is more than rules may delete in one day without an approval. A run will wait for yours.`}
              </Alert>
            )}
            {data.legal_holds > 0 && (
              <Text size="sm">
                {plural(data.legal_holds, {
                  one: '# more file meets the conditions and is kept by a legal hold.',
                  other: '# more files meet the conditions and are kept by legal holds.',
                })}
              </Text>
            )}
            {data.earlier_rules > 0 && (
              <Text size="sm">
                {plural(data.earlier_rules, {
                  one: '# more file falls under an earlier rule.',
                  other: '# more files fall under earlier rules.',
                })}
              </Text>
            )}
            {data.total > 0 && (
              <Sheet testId="retention-preview-files" heads={[t`File`, t`Owner`, t`Last used`, t`Size`, t`Why`]}>
                {data.items.map((file) => (
                  <Table.Tr key={file.file_uuid}>
                    <Table.Td>
                      <Link to="/files/$uuid" params={{ uuid: file.file_uuid }} className="ot-link" dir="auto">
                        {file.title}
                      </Link>
                      <Text size="xs" c="dimmed" title={moment(file.upload_time)}>
                        {t`uploaded ${ago(file.upload_time)}`}
                      </Text>
                    </Table.Td>
                    <Table.Td data-label={t`Owner`}>{file.owner_name ?? t`unknown`}</Table.Td>
                    <Table.Td data-label={t`Last used`}>{file.last_used_on}</Table.Td>
                    <Table.Td data-label={t`Size`}>{bytes(file.bytes)}</Table.Td>
                    <Table.Td data-label={t`Why`}>
                      {file.reasons.map((reason) => reasonLabels[reason]).join(', ')}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Sheet>
            )}
            <Pager page={page} total={data.total} size={pageSize} onPage={setPage} />
          </>
        )}
      </Stack>
    </Dialog>
  );
}
