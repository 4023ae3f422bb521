import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Wordmark } from '../ui/logo.tsx';
import css from './sign-in.module.css';

/** The card of all pages that need no session. */
export function SignInFrame({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <main className={css['page']}>
      <section className={css['card']} aria-labelledby="sign-in-title">
        <Wordmark />
        <div>
          <Title order={1} size="h2" id="sign-in-title">
            {title}
          </Title>
          <Text c="dimmed" size="sm" mt={4}>
            {text}
          </Text>
        </div>
        {children}
      </section>
      <Waves />
    </main>
  );
}

/** Decoration: a tone and its overtones in the background. */
function Waves() {
  return (
    <svg className={css['waves']} viewBox="0 0 1200 300" preserveAspectRatio="none" aria-hidden="true">
      {[1, 2, 3, 4].map((harmonic) => (
        <path
          key={harmonic}
          d={wavePath(harmonic)}
          fill="none"
          stroke="currentColor"
          strokeWidth={2.4 - harmonic * 0.4}
          opacity={0.5 / harmonic}
        />
      ))}
    </svg>
  );
}

function wavePath(harmonic: number): string {
  const points = Array.from({ length: 121 }, (_, i) => {
    const x = i * 10;
    const y = 150 - (110 / harmonic) * Math.sin((x / 1200) * Math.PI * 2 * harmonic * 1.5);
    return `${x},${y.toFixed(1)}`;
  });
  return `M${points.join('L')}`;
}
