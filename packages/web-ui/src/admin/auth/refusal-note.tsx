import { Alert, Code, Text } from '@mantine/core';
import { ApiError } from '../../api/problem.ts';
import { ErrorNote } from '../../app/error-note.tsx';
import { Icon } from '../../app/icons.tsx';
import { layouts } from './layout.ts';

const labels = new Map(
  Object.values(layouts).flatMap(({ groups }) =>
    groups.flatMap(({ fields }) => fields.map(({ key, label }) => [key, label] as const)),
  ),
);

/** Refused settings by message: one message for several settings is shown once. */
const byMessage = (fields: ApiError['fields']): [string, string[]][] => {
  const found = new Map<string, string[]>();
  for (const { path, message } of fields)
    found.set(message, [...new Set([...(found.get(message) ?? []), labels.get(path) ?? path])]);
  return [...found];
};

/** Settings that were refused, by the names they have on this page; any other error as it is. */
export const RefusalNote = ({ error, title }: { error: unknown; title: string }) => {
  if (!(error instanceof ApiError) || error.fields.length === 0) return <ErrorNote error={error} title={title} />;
  return (
    <Alert role="alert" color="red" variant="light" icon={<Icon name="alert" />} title={title}>
      {byMessage(error.fields).map(([message, names]) => (
        <Text key={message} size="sm">
          <b>{names.join(', ')}</b>: {message}
        </Text>
      ))}
      <Code fz="xs">{error.code}</Code>
    </Alert>
  );
};
