import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import type { RedactionKind } from '@overtone/contracts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { kindLabels, MaskedKinds } from '../ui/masked-kinds.tsx';
import { assertNever } from '../lib/assert-never.ts';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { useFile } from './file-context.ts';
import { fileRedactionQuery } from './redaction-queries.ts';

type Redaction = ResponseBody<'GET /api/files/{uuid}/redaction'>;

/** What is masked in this recording; the owner can mask more. */
export function RedactionPanel() {
  const { file } = useFile();
  const client = useQueryClient();
  const query = fileRedactionQuery(file.uuid);
  const redaction = useQuery(query);
  const save = useMutation({
    mutationFn: (masked_kinds: RedactionKind[]) =>
      call('PUT /api/files/{uuid}/redaction', { params: { uuid: file.uuid }, body: { masked_kinds } }),
    onSuccess: async (saved) => {
      client.setQueryData(query.queryKey, saved);
      await client.invalidateQueries({ queryKey: ['segments', file.uuid] });
    },
    onError: (error) => notifyError(t`The choice wasn’t saved`, error),
  });
  if (!redaction.data) return <QueryStatus of={redaction} failure={t`The masking couldn’t be loaded`} height={80} />;
  const { masked_kinds, account_kinds, policy_kinds } = redaction.data;
  return (
    <Stack gap="sm" data-testid="redaction">
      <MaskedKinds
        label={t`Masked in this transcript`}
        {...(file.has_media ? { description: t`The policy decides whether the sound is masked, too.` } : {})}
        value={save.isPending ? save.variables : masked_kinds}
        always={[...policy_kinds, ...account_kinds]}
        disabled={file.my_permission !== 'owner' || save.isPending}
        columns={1}
        onChange={(kinds) => save.mutate(kinds)}
      />
      <Text size="xs" c="dimmed">
        {statusText(redaction.data)}
      </Text>
    </Stack>
  );
}

function statusText({ scan_status, found }: Redaction): string {
  switch (scan_status) {
    case 'none':
      return t`There is no transcript to check yet.`;
    case 'pending':
      return t`The transcript is being checked for personal data.`;
    case 'failed':
      return t`The check for personal data failed. It is repeated; until then masked readers see no text.`;
    case 'scanned':
      return foundText(found);
    default:
      return assertNever(scan_status);
  }
}

function foundText(found: Redaction['found']): string {
  const parts = (Object.keys(kindLabels) as RedactionKind[]).flatMap((kind) =>
    found[kind] ? [`${kindLabels[kind]}: ${found[kind]}`] : [],
  );
  return parts.length === 0 ? t`No personal data was found.` : t`Found: ${parts.join(', ')}`;
}
