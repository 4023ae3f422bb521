import { Group, Pagination } from '@mantine/core';

type PagerProps = { page: number; total: number; size: number; onPage: (page: number) => void };

export function Pager({ page, total, size, onPage }: PagerProps) {
  const pages = Math.ceil(total / size);
  return pages <= 1 ? null : (
    <Group justify="center" mt="md">
      <Pagination
        value={page}
        total={pages}
        onChange={onPage}
        getControlProps={(control) => ({ 'aria-label': `${control} page` })}
        aria-label="Pages"
      />
    </Group>
  );
}
