import { t } from '@lingui/core/macro';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { MaskedKinds } from '../ui/masked-kinds.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import type { RedactionKind } from '@overtone/contracts';

const preferenceQuery = queryOptions({
  queryKey: ['redaction-preference'],
  queryFn: ({ signal }) => call('GET /api/redaction', { signal }),
});

/** What is masked in all recordings of the account. */
export function MaskingForm() {
  const client = useQueryClient();
  const preference = useQuery(preferenceQuery);
  const save = useMutation({
    mutationFn: (masked_kinds: RedactionKind[]) => call('PUT /api/redaction', { body: { masked_kinds } }),
    onSuccess: (saved) => {
      client.setQueryData(preferenceQuery.queryKey, saved);
      notify(t`What is hidden was saved.`);
    },
    onError: (error) => notifyError(t`The choice wasn’t saved`, error),
  });
  if (!preference.data) return <QueryStatus of={preference} failure={t`Your choice couldn’t be loaded`} height={120} />;
  return (
    <MaskedKinds
      label={t`Mask in all my recordings`}
      description={t`Hidden from everybody, you included. Your administrator may hide more.`}
      value={save.isPending ? save.variables : preference.data.masked_kinds}
      disabled={save.isPending}
      onChange={(kinds) => save.mutate(kinds)}
    />
  );
}
