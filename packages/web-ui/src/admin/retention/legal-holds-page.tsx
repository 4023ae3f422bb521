import { t } from '@lingui/core/macro';
import { Button, NativeSelect, Table, Text, Textarea, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { ago, moment } from '../../lib/format.ts';
import { useForm } from '../../state/use-form.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { Icon } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.ts';
import { Pager } from '../../ui/pager.tsx';
import { Pane } from '../../ui/pane.tsx';
import { Empty, QueryStatus } from '../../ui/query-status.tsx';
import { Sheet } from '../../ui/sheet.tsx';
import { legalHoldsQuery, pageSize, type LegalHold } from './retention-queries.ts';

/** Administration > Legal holds: files that nothing deletes. */
export function LegalHoldsPage() {
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const [placing, setPlacing] = useState(false);
  const [releasing, setReleasing] = useState<LegalHold | null>(null);
  const holds = useQuery(legalHoldsQuery(page));
  const refresh = () => client.invalidateQueries({ queryKey: ['legal-holds'] });
  return (
    <Pane
      title={t`Legal holds`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setPlacing(true)}>
          {t`Place a hold`}
        </Button>
      }
    >
      <Text size="sm" mb="md">
        {t`A file under a legal hold cannot be deleted: not by its owner, a retention rule, the bin or an erasure. Its transcript can still be edited.`}
      </Text>
      <QueryStatus of={holds} failure={t`The legal holds couldn’t be loaded`} />
      {holds.data?.total === 0 && <Empty>{t`There are no legal holds.`}</Empty>}
      {holds.data && holds.data.total > 0 && (
        <Sheet testId="legal-holds" card heads={[t`Held`, t`Reason`, t`Placed`, t`Actions`]}>
          {holds.data.items.map((hold) => (
            <Table.Tr key={hold.uuid}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>
                <Subject hold={hold} />
              </Table.Td>
              <Table.Td data-wide style={{ overflowWrap: 'anywhere' }}>
                {hold.reason}
              </Table.Td>
              <Table.Td data-label={t`Placed`} title={moment(hold.placed_at)}>
                {ago(hold.placed_at)}
                {hold.placed_by_name !== null && (
                  <Text size="xs" c="dimmed">
                    {t`by ${hold.placed_by_name}`}
                  </Text>
                )}
              </Table.Td>
              <Table.Td data-wide>
                <Button size="compact-sm" variant="default" onClick={() => setReleasing(hold)}>
                  {t`Release`}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Sheet>
      )}
      <Pager page={page} total={holds.data?.total ?? 0} size={pageSize} onPage={setPage} />
      {placing && <PlaceDialog onDone={refresh} onClose={() => setPlacing(false)} />}
      {releasing && (
        <Confirm
          title={t`Release this hold?`}
          action={t`Release`}
          run={() => call('DELETE /api/admin/legal-holds/{uuid}', { params: { uuid: releasing.uuid } })}
          onDone={() => {
            notify(t`Hold released.`);
            void refresh();
          }}
          onClose={() => setReleasing(null)}
        >
          <Text size="sm">{t`From now on the files can be deleted, also by retention rules.`}</Text>
        </Confirm>
      )}
    </Pane>
  );
}

function Subject({ hold }: { hold: LegalHold }) {
  if (hold.file_uuid !== null)
    return (
      <Link to="/files/$uuid" params={{ uuid: hold.file_uuid }} className="ot-link" dir="auto">
        {hold.file_title ?? hold.file_uuid}
      </Link>
    );
  return (
    <Link
      to="/admin/users/$uuid"
      params={{ uuid: hold.user_uuid ?? '' }}
      className="ot-link"
      dir="auto"
    >{t`All files of ${hold.user_name ?? hold.user_uuid ?? ''}`}</Link>
  );
}

function PlaceDialog({ onDone, onClose }: { onDone: () => Promise<unknown>; onClose: () => void }) {
  const form = useForm({
    key: 'legal-hold:new',
    saved: { kind: 'file_uuid', subject: '', reason: '' },
    send: ({ kind: held, subject: address, reason }) =>
      call('POST /api/admin/legal-holds', { body: { [held]: uuidIn(address) ?? '', reason } }),
    refresh: onDone,
    onSaved: onClose,
  });
  const { kind, subject } = form.fields;
  const uuid = uuidIn(subject);
  const addressLabel = kind === 'file_uuid' ? t`Address of the file’s page` : t`Address of the account’s page`;
  return (
    <FormDialog
      title={t`Place a legal hold`}
      action={t`Place the hold`}
      unready={stillMissing(uuid === null && addressLabel, form.fields.reason === '' && t`Reason`)}
      failure={t`The hold wasn’t placed`}
      {...form.dialog}
      onClose={onClose}
    >
      <NativeSelect
        label={t`What is kept`}
        data={[
          { value: 'file_uuid', label: t`One file` },
          { value: 'user_uuid', label: t`All files of a person, including future ones` },
        ]}
        {...form.text('kind')}
      />
      <TextInput
        label={addressLabel}
        description={t`Copy it from the browser. The id alone is enough.`}
        data-autofocus
        required
        {...form.text('subject')}
        error={subject !== '' && uuid === null ? t`There is no id in this address.` : null}
      />
      <Textarea label={t`Reason`} required maxLength={500} autosize minRows={2} {...form.text('reason')} />
    </FormDialog>
  );
}

/** The last id in an address or a text; null when there is none. */
function uuidIn(text: string): string | null {
  return (
    text
      .match(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi)
      ?.at(-1)
      ?.toLowerCase() ?? null
  );
}
