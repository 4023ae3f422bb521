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

/** Settings that were refused, by the names they have on this page; any other error as it is. */
export const RefusalNote = ({ error, title }: { error: unknown; title: string }) => {
  if (!(error instanceof ApiError) || error.fields.length === 0) return <ErrorNote error={error} title={title} />;
  return (
    <Alert role="alert" color="red" variant="light" icon={<Icon name="alert" />} title={title}>
      {error.fields.map(({ path, message }) => (
        <Text key={`${path} ${message}`} size="sm">
          <b>{labels.get(path) ?? path}</b>: {message}
        </Text>
      ))}
      <Code fz="xs">{error.code}</Code>
    </Alert>
  );
};
