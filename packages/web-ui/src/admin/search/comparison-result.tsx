import { t } from '@lingui/core/macro';
import { List, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { comparisonLines } from './labels.ts';
import type { Comparison } from './reindex-queries.ts';

type Group = Comparison['missing'];

/** What differs between the database and the index, with the recordings by name. */
export function ComparisonResult({ comparison }: { comparison: Comparison }) {
  const lines = comparisonLines(comparison);
  return (
    <Stack gap="xs">
      {lines.length === 0 ? (
        <Text size="sm">{t`There are no recordings with a transcript.`}</Text>
      ) : (
        <List size="sm" spacing={2}>
          {lines.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      )}
      <NamedFiles label={t`Missing`} group={comparison.missing} />
      <NamedFiles label={t`Outdated`} group={comparison.stale} />
      <NamedFiles label={t`Without a transcript`} group={comparison.extra} />
    </Stack>
  );
}

function NamedFiles({ label, group }: { label: string; group: Group }) {
  const more = group.count - group.files.length;
  if (group.count === 0) return null;
  return (
    <div>
      <Text size="sm" fw={600}>
        {label}
      </Text>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {group.files.map(({ file_uuid: uuid, title }) => (
          <List.Item key={uuid}>
            <Link to="/files/$uuid" params={{ uuid }} className="ot-link" dir="auto">
              {title ?? uuid}
            </Link>
          </List.Item>
        ))}
        {more > 0 && <List.Item>{t`and ${more} more`}</List.Item>}
      </List>
    </div>
  );
}
