import { msg, t } from '@lingui/core/macro';
import { Group, Pagination } from '@mantine/core';
import { translateOnRead } from '../lib/language.ts';

const controlNames = translateOnRead({
  first: msg`first page`,
  previous: msg`previous page`,
  next: msg`next page`,
  last: msg`last page`,
});

type PagerProps = { page: number; total: number; size: number; onPage: (page: number) => void; mt?: 'md' | 'xl' };

export function pageCount(total: number, size: number): number {
  return Math.ceil(total / size);
}

export function Pager({ page, total, size, onPage, mt = 'md' }: PagerProps) {
  const pages = pageCount(total, size);
  return pages <= 1 ? null : (
    <Group justify="center" mt={mt}>
      <Pagination
        value={page}
        total={pages}
        onChange={onPage}
        getControlProps={(control) => ({ 'aria-label': controlNames[control] })}
        aria-label={t`Pages`}
      />
    </Group>
  );
}
