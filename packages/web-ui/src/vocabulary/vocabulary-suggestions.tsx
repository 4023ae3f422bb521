import { t } from '@lingui/core/macro';
import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { Icon } from '../ui/icons.tsx';
import { keepTerm } from './vocabulary-queries.ts';

type Props = { readonly fileId: string; readonly version: number };

/** Spellings that the person has corrected more than once in a transcript. */
export function VocabularySuggestions({ fileId, version }: Props) {
  const client = useQueryClient();
  const suggested = useQuery({
    queryKey: ['vocabulary-suggestions', fileId, version],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/vocabulary-suggestions', { params: { uuid: fileId }, signal }),
    placeholderData: (before) => before,
  });
  const terms = suggested.data?.terms ?? [];
  if (terms.length === 0) return null;
  return (
    <Stack gap="xs" mb="md" data-testid="vocabulary-suggestions">
      <Text size="sm">
        {t`You corrected these spellings more than once. Keep them as vocabulary: your next recordings are then transcribed with them in mind.`}
      </Text>
      <Group gap="xs">
        {terms.map((term) => (
          <Button
            key={term}
            size="compact-sm"
            variant="default"
            leftSection={<Icon name="plus" size={16} />}
            h="auto"
            py={4}
            maw="100%"
            // A long term takes several lines.
            styles={{ label: { whiteSpace: 'normal', overflowWrap: 'anywhere', textAlign: 'start' } }}
            aria-label={t`Keep “${term}” as vocabulary`}
            onClick={() => void keepTerm(client, term)}
          >
            {term}
          </Button>
        ))}
      </Group>
    </Stack>
  );
}
