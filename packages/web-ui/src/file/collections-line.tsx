import { t } from '@lingui/core/macro';
import { Badge } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useRef, useState } from 'react';
import { collectionsQuery } from '../collections/collection-queries.ts';
import { Icon } from '../ui/icons.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';

const AddToCollection = lazy(() =>
  import('../collections/add-to-collection.tsx').then((result) => ({ default: result.AddToCollection })),
);

/** The collections of the file that the person may see; anyone who sees the file may add it to an own one. */
export function CollectionsLine() {
  const { file } = useFile();
  const collections = useQuery(collectionsQuery({ file: file.uuid, page: 1, size: 100 }));
  const [isAdding, setIsAdding] = useState(false);
  const line = useRef<HTMLDivElement>(null);
  useFocusReturn(isAdding, () => line.current?.querySelector('[data-add-to-collection]'));
  return (
    <div ref={line} className={css['tags']} data-testid="collections-line">
      {collections.data?.items.map(({ uuid, name }) => (
        <Badge
          key={uuid}
          renderRoot={(props) => <Link to="/collections/$uuid" params={{ uuid }} {...props} />}
          variant="outline"
          size="lg"
          leftSection={<Icon name="collection" size={14} />}
          style={{ cursor: 'pointer' }}
        >
          {name}
        </Badge>
      ))}
      {collections.isError && <span role="status">{t`Collections couldn’t be loaded`}</span>}
      <Badge
        component="button"
        variant="default"
        size="lg"
        leftSection={<Icon name="collection" size={14} />}
        data-add-to-collection
        onClick={() => setIsAdding(true)}
        style={{ cursor: 'pointer' }}
      >
        {t`Add to collection`}
      </Badge>
      <Suspense>{isAdding && <AddToCollection files={[file]} onClose={() => setIsAdding(false)} />}</Suspense>
    </div>
  );
}
