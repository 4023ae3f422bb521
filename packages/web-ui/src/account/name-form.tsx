import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { roleNames } from '../ui/account-labels.ts';
import type { User } from '../api/queries.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { notify } from '../ui/notify.ts';
import { RestoredNote } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';

export function NameForm({ me }: { me: User }) {
  const client = useQueryClient();
  const draft = useDraft('account-name', me.full_name);
  const name = draft.value;
  const save = useMutation({
    mutationFn: (entered: string) => call('PUT /api/users/me', { body: { full_name: entered.trim() } }),
    onSuccess: (next, entered) => {
      draft.dropSaved(entered);
      client.setQueryData(['me'], next);
      notify(t`Name saved.`);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(name);
      }}
    >
      <Stack gap="sm" maw={420}>
        {save.error && <ErrorNote error={save.error} title={t`Your name wasn’t saved`} />}
        <Text size="sm" c="dimmed">
          {me.email}, {roleNames[me.role]}
        </Text>
        <RestoredNote draft={draft} />
        <Group align="flex-end" wrap="nowrap">
          <TextInput
            label={t`Name`}
            autoComplete="name"
            maxLength={200}
            required
            value={name}
            onChange={(event) => draft.set(event.currentTarget.value)}
            style={{ flex: 1 }}
          />
          <Button
            type="submit"
            variant="default"
            loading={save.isPending}
            disabled={name.trim() === '' || name.trim() === me.full_name}
          >
            {t`Save`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
